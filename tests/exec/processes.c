/* SPDX-License-Identifier: MIT
 *
 * Programs that start processes and threads, and that end in different ways: processes.c MODE. They
 * use the driver API. See test_processes.py.
 */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int cuInit(unsigned int flags);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemFree_v2(uint64_t address);
int cuLaunchKernel(void *function, unsigned int gx, unsigned int gy, unsigned int gz,
                   unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared_bytes,
                   void *stream, void **arguments, void **extra);
int cuCtxSynchronize(void);
int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data);

extern char **environ;

static const char ptx[] = ".version 7.8\n"
                          ".target sm_90\n"
                          ".address_size 64\n"
                          ".visible .entry store(.param .u64 x)\n"
                          "{\n"
                          "    .reg .u64 %rd<2>;\n"
                          "    ld.param.u64 %rd1, [x];\n"
                          "    st.global.u32 [%rd1], 1;\n"
                          "    ret;\n"
                          "}\n";

static uint64_t kept;

/* Runs the kernel. It writes 4 bytes. Returns the error. */
static int use_gpu(size_t bytes)
{
    void *module, *function, *arguments[1];
    uint64_t x;
    int error = cuInit(0);

    if (error != 0)
        return error;
    cuModuleLoadData(&module, ptx);
    cuModuleGetFunction(&function, module, "store");
    cuMemAlloc_v2(&x, bytes);
    arguments[0] = &x;
    cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
    error = cuCtxSynchronize();
    cuMemFree_v2(x);
    return error;
}

/* Returns the child's exit status. */
static int wait_for(pid_t child)
{
    int status;

    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int fork_and(int (*function)(size_t), size_t bytes)
{
    pid_t child = fork();

    if (child == 0)
        exit(function != NULL ? function(bytes) : 0);
    return wait_for(child);
}

static int start(const char *program, const char *mode)
{
    char *words[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)mode, NULL};
    pid_t child;

    return posix_spawn(&child, program, NULL, NULL, words, environ) == 0 ? wait_for(child) : 127;
}

static void exit_7(void *unused)
{
    (void)unused;
    exit(7);
}

static void *exit_in_thread(void *unused)
{
    exit_7(unused);
    return NULL;
}

/* Makes a child that runs on when this process has ended. It then becomes the program "bad", or
 * waits until its next parent, simtcheck, has ended. */
static int leave_behind(const char *program, int waits)
{
    pid_t parent = getpid(), next;

    if (fork() != 0)
        return 0;
    alarm(20); /* for a simtcheck that does not become its parent */
    setsid();
    while (getppid() == parent)
        usleep(1000);
    next = getppid();
    while (waits && getppid() == next)
        usleep(1000);
    if (!waits)
        execl(program, program, "bad", NULL);
    _exit(0);
}

static void limit(unsigned int resource, rlim_t value)
{
    struct rlimit limits;

    getrlimit(resource, &limits);
    limits.rlim_cur = value;
    setrlimit(resource, &limits);
}

/* Waits until a process has ended whose parent has ended. Its next parent must not leave a zombie.
 */
static int wait_for_orphan(void)
{
    int numbers[2];
    pid_t orphan = 0;

    if (pipe(numbers) != 0)
        return 1;
    if (fork() == 0) {
        orphan = fork();
        _exit(orphan != 0 && write(numbers[1], &orphan, sizeof orphan) < 0);
    }
    wait(NULL);
    alarm(20);
    if (read(numbers[0], &orphan, sizeof orphan) != sizeof orphan)
        return 1;
    while (kill(orphan, 0) == 0)
        usleep(1000);
    return 0;
}

/* Closes the descriptors, and leaves none for another file; or makes high ones other files. */
static void use_descriptors(const char *mode)
{
    for (int file = 3; file < 800; file++)
        close(file);
    if (strcmp(mode, "descriptors") == 0)
        limit(RLIMIT_NOFILE, 3);
    for (int file = 800; strcmp(mode, "other-files") == 0 && file < 1000; file++)
        dup2(STDOUT_FILENO, file);
}

/* Has a finding while no file may grow. The limit may end before the program does. */
static int find_in_full_files(int ends)
{
    signal(SIGXFSZ, SIG_IGN);
    limit(RLIMIT_FSIZE, 0);
    use_gpu(2);
    if (ends)
        limit(RLIMIT_FSIZE, RLIM_INFINITY);
    return 0;
}

__attribute__((destructor)) static void free_kept(void)
{
    if (kept != 0)
        cuMemFree_v2(kept);
}

int main(int count, char **words)
{
    const char *mode = count > 1 ? words[1] : "";
    char command[4096];
    pthread_t thread;

    if (strcmp(mode, "fork-first") == 0)
        return fork_and(use_gpu, 2);
    if (strcmp(mode, "good") == 0 || strcmp(mode, "bad") == 0)
        return use_gpu(mode[0] == 'g' ? 4 : 2) != 0;
    if (strcmp(mode, "abort-idle") == 0 && cuInit(0) == 0 && cuMemAlloc_v2(&kept, 4) == 0)
        abort();
    if (strcmp(mode, "clear-environment") == 0)
        clearenv();
    use_gpu(4);
    if (strcmp(mode, "become") == 0)
        return execl(words[0], words[0], "good", NULL);
    if (strcmp(mode, "daemon") == 0 || strcmp(mode, "left") == 0)
        return leave_behind(words[0], mode[0] == 'l');
    if (strcmp(mode, "file-size") == 0 || strcmp(mode, "file-size-for-a-time") == 0)
        return find_in_full_files(mode[9] != '\0');
    if (strcmp(mode, "orphan") == 0)
        return wait_for_orphan();
    if (strcmp(mode, "descriptors") == 0 || strcmp(mode, "other-files") == 0)
        use_descriptors(mode);
    if (strstr("clear-environment descriptors other-files", mode) != NULL)
        return use_gpu(2) == 0;
    if (strcmp(mode, "fork-unused") == 0)
        return fork_and(NULL, 0);
    if (strcmp(mode, "fork-used") == 0)
        return fork_and(use_gpu, 4);
    if (strcmp(mode, "spawn") == 0)
        return start(words[0], "bad");
    snprintf(command, sizeof command, "'%s' bad", words[0]);
    if (strcmp(mode, "system") == 0)
        return system(command) != 0;
    if (strcmp(mode, "destructor") == 0)
        return cuMemAlloc_v2(&kept, 4);
    if (strcmp(mode, "thread") == 0)
        pthread_create(&thread, NULL, exit_in_thread, NULL);
    if (strcmp(mode, "host-function") == 0) {
        cuLaunchHostFunc(NULL, exit_7, NULL);
        cuCtxSynchronize();
    }
    if (strcmp(mode, "signal") == 0)
        raise(SIGTERM);
    if (strcmp(mode, "abort") == 0)
        abort();
    if (strcmp(mode, "abort-after") == 0 && use_gpu(2) != 0)
        abort();
    pause();
    return 99;
}
