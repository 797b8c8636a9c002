/* SPDX-License-Identifier: MIT */
#include "tool.h"

#include "clock.h"
#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* How long a tool may run. A compiler may need minutes for templates. */
static const double DEFAULT_SECONDS = 600;

/* The memory of a process of a tool: half of the machine's, and no more than this. */
static const rlim_t MAX_MEMORY = (rlim_t)16 << 30;

/* ---- The environment ---- */

/* Variables that name a repository of git. A hook sets them, and they would win over a folder. */
static const char *const of_repository[] = {
    "GIT_DIR=",        "GIT_WORK_TREE=", "GIT_INDEX_FILE=", "GIT_OBJECT_DIRECTORY=",
    "GIT_COMMON_DIR=", "GIT_PREFIX=",    "GIT_NAMESPACE=",  "GIT_ALTERNATE_OBJECT_DIRECTORIES=",
};

static bool is_left_out(const char *variable)
{
    for (size_t k = 0; k < sizeof of_repository / sizeof *of_repository; k++)
        if (strncmp(variable, of_repository[k], strlen(of_repository[k])) == 0)
            return true;
    return false;
}

/* Returns this process's environment for a tool, with these variables ("NAME=value") set. The
 * caller frees it. Returns null when memory runs out. */
static char **environment_with(char *const set[], size_t set_count)
{
    size_t count = 0, used = 0;
    char **all;

    while (environ[count] != NULL)
        count++;
    all = calloc(count + set_count + 1, sizeof *all);
    if (all == NULL)
        return NULL;
    for (size_t k = 0; k < count; k++) {
        bool is_set = is_left_out(environ[k]);
        for (size_t v = 0; v < set_count; v++)
            is_set = is_set || strncmp(environ[k], set[v], strcspn(set[v], "=") + 1) == 0;
        if (!is_set)
            all[used++] = environ[k];
    }
    for (size_t v = 0; v < set_count; v++)
        all[used++] = set[v];
    return all;
}

/* ---- The processes ----
 *
 * A tool may start others, and they must not outlive this process. So a watcher starts the tool: a
 * copy of this process that leads the group of the tool's processes. The kernel signals the watcher
 * when this process dies, and the watcher then kills the group. */

/* What a tool is started with. */
struct start {
    const char *const *arguments;
    char **environment;
    int output;
    bool is_limited;
};

static void kill_group(int number)
{
    (void)number;
    kill(0, SIGKILL);
}

static void lower_limit(__rlimit_resource_t what, rlim_t most)
{
    struct rlimit limit;

    if (getrlimit(what, &limit) == 0 && limit.rlim_cur > most) {
        limit.rlim_cur = most;
        setrlimit(what, &limit);
    }
}

static _Noreturn void become_tool(const struct start *start)
{
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    rlim_t half = pages > 0 ? (rlim_t)pages / 2 * (rlim_t)bytes : MAX_MEMORY;
    sigset_t none;
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGTERM, SIG_DFL);
    dup2(nothing, STDIN_FILENO);
    dup2(start->output, STDOUT_FILENO);
    dup2(start->output, STDERR_FILENO);
    if (start->is_limited) {
        lower_limit(RLIMIT_CORE, 0);
        lower_limit(RLIMIT_DATA, half < MAX_MEMORY ? half : MAX_MEMORY);
    }
    execvpe(start->arguments[0], (char *const *)(uintptr_t)start->arguments, start->environment);
    dprintf(STDOUT_FILENO, "cannot run %s: %s", start->arguments[0], strerror(errno));
    _exit(127);
}

/* Closes all files, so that the watcher keeps no pipe of this process open. */
static void close_all(void)
{
    enum { USUAL = 1024 };

    if (syscall(SYS_close_range, 0u, ~0u, 0u) != 0)
        for (int file = 0; file < USUAL; file++)
            close(file);
}

static _Noreturn void watch(const struct start *start, pid_t parent)
{
    const struct sigaction action = {.sa_handler = kill_group};
    sigset_t none;
    int status;
    pid_t tool;

    setpgid(0, 0);
    sigaction(SIGTERM, &action, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
        _exit(127);
    tool = fork();
    if (tool == 0)
        become_tool(start);
    close_all();
    while (tool > 0 && waitpid(tool, &status, 0) < 0 && errno == EINTR)
        continue;
    if (tool < 0)
        _exit(127);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static double seconds_allowed(void)
{
    const char *text = getenv("SIMTCHECK_TOOL_SECONDS");
    double seconds = text != NULL ? strtod(text, NULL) : 0;

    return seconds > 0 ? seconds : DEFAULT_SECONDS;
}

/* The beginning of a tool's output. */
struct said {
    char *text;
    size_t size, used;
    bool is_open;
};

/* Reads what the pipe holds. Keeps the beginning, and drops the rest so that the tool does not
 * block on a full pipe. */
static void read_some(int from, struct said *said)
{
    enum { MAX_PIECES = 64 }; /* a daemon may write without end */
    char piece[4096];
    ssize_t got = 1;

    for (int k = 0; k < MAX_PIECES && said->is_open && got > 0; k++) {
        got = read(from, piece, sizeof piece);
        size_t room = said->size - 1 - said->used, some = got > 0 ? (size_t)got : 0;
        some = some < room ? some : room;
        memcpy(said->text + said->used, piece, some);
        said->used += some;
        said->is_open = got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
    }
    said->text[said->used] = '\0';
}

static bool has_ended(pid_t watcher)
{
    siginfo_t state = {.si_pid = 0};

    return waitid(P_PID, (id_t)watcher, &state, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           state.si_pid != 0;
}

static const char at_limit[] = "stopped at the time limit of ", by_signal[] = "ended by a signal: ";

/* Returns whether the exit status is that of a tool that died of a signal. Some tools, such as git,
 * use the first two of these statuses for errors. */
static bool is_signal(int status)
{
    return status > 128 + SIGINT && status <= 128 + SIGRTMAX;
}

/* Adds how the tool ended, in place of the last output if there is no room. Signal 0: it was
 * stopped at the time limit. */
static void add_end(struct said *said, int number, double allowed)
{
    enum { ROOM = 128 }; /* bytes of the longest such line */
    size_t most = said->size > 2 * ROOM ? said->size - ROOM : said->used,
           at = said->used < most ? said->used : most, room = said->size - at;
    char *end = said->text + at;
    const char *apart = end > said->text && end[-1] != '\n' ? "\n" : "";

    if (number == 0)
        snprintf(end, room, "%s%s%g s (SIMTCHECK_TOOL_SECONDS)\n", apart, at_limit, allowed);
    else
        snprintf(end, room, "%s%s%s\n", apart, by_signal, strsignal(number));
}

/* Reads the output until the tool has ended. A process that the tool leaves behind may keep the
 * pipe open. Kills the tool at the time limit and after an interrupt. Returns its exit status. */
static int attend(pid_t watcher, int from, bool is_limited, struct said *said)
{
    enum { LOOK_UP_MS = 20 };
    double allowed = seconds_allowed(), limit = clock_seconds() + allowed;
    struct pollfd output = {.fd = from, .events = POLLIN};
    bool is_late = false;
    int status;

    fcntl(from, F_SETFL, O_NONBLOCK);
    while (!has_ended(watcher)) {
        is_late = is_limited && clock_seconds() > limit;
        if (is_late || interrupt_came())
            break;
        if (said->is_open && poll(&output, 1, LOOK_UP_MS) > 0)
            read_some(from, said);
        else if (!said->is_open)
            usleep(1000);
    }
    kill(-watcher, SIGKILL);
    while (waitpid(watcher, &status, 0) < 0 && errno == EINTR)
        continue;
    read_some(from, said);
    status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (is_late || (is_signal(status) && !interrupt_came()))
        add_end(said, is_late ? 0 : status - 128, allowed);
    return status;
}

static int run_in(char **environment, const char *const *arguments, bool is_limited, char *text,
                  size_t size)
{
    struct said said = {.text = text, .size = size, .is_open = true};
    pid_t watcher, parent = getpid();
    int ends[2], status;

    text[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0) {
        snprintf(text, size, "%s", strerror(errno));
        return 127;
    }
    watcher = fork();
    if (watcher == 0)
        watch(&(struct start){arguments, environment, ends[1], is_limited}, parent);
    close(ends[1]);
    if (watcher < 0) {
        snprintf(text, size, "cannot run %s: %s", arguments[0], strerror(errno));
        status = 127;
    } else {
        setpgid(watcher, watcher); /* whichever of the two comes first */
        status = attend(watcher, ends[0], is_limited, &said);
    }
    close(ends[0]);
    return status;
}

static int run(const char *const *arguments, bool is_limited, char *said, size_t size)
{
    char folder[TOOL_FOLDER], variable[TOOL_FOLDER + 8], language[] = "LC_ALL=C";
    bool made = tool_make_folder("tool", folder);
    char **environment;
    int status;

    snprintf(variable, sizeof variable, "TMPDIR=%s", made ? folder : "");
    environment = environment_with((char *const[]){language, variable}, made ? 2 : 1);
    status = run_in(environment != NULL ? environment : environ, arguments, is_limited, said, size);
    free(environment);
    if (made)
        tool_remove_folder(folder);
    return status;
}

int tool_run(const char *const *arguments, char *said, size_t size)
{
    return run(arguments, true, said, size);
}

int tool_run_unlimited(const char *const *arguments, char *said, size_t size)
{
    return run(arguments, false, said, size);
}

bool tool_find(const char *program, char path[PATH_MAX])
{
    const char *folders = strchr(program, '/') != NULL ? "" : getenv("PATH");
    struct stat status;

    while (folders != NULL) {
        size_t length = strcspn(folders, ":");
        snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, folders, length > 0 ? "/" : "", program);
        if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
            return true;
        folders = folders[length] == ':' ? folders + length + 1 : NULL;
    }
    return false;
}

/* ---- Versions ---- */

enum { MAX_VERSIONS = 16, VERSION_SAID = 4096 };

/* What programs have answered. A link to one file may be another program than the file. */
static struct version {
    char *path;
    struct stat file;
    char said[VERSION_SAID];
} versions[MAX_VERSIONS];
static size_t version_count;
static pthread_mutex_t versions_lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static const struct version *find_version(const char *path, const struct stat *file)
{
    for (size_t v = 0; v < version_count; v++)
        if (strcmp(versions[v].path, path) == 0 && is_same_file(&versions[v].file, file))
            return &versions[v];
    return NULL;
}

static void keep_version(const char *path, const struct stat *file, const char *said)
{
    struct version *one = &versions[version_count];

    if (version_count == MAX_VERSIONS || (one->path = strdup(path)) == NULL)
        return;
    one->file = *file;
    snprintf(one->said, sizeof one->said, "%s", said);
    version_count++;
}

int tool_version(const char *program, char *said, size_t size)
{
    const char *const arguments[] = {program, "--version", NULL};
    const struct version *known;
    char path[PATH_MAX], whole[VERSION_SAID];
    struct stat file;
    bool is_file = tool_find(program, path) && stat(path, &file) == 0;
    int status = 0;

    pthread_mutex_lock(&versions_lock);
    known = is_file ? find_version(path, &file) : NULL;
    if (known == NULL)
        status = tool_run(arguments, whole, sizeof whole);
    if (known == NULL && is_file && status == 0)
        keep_version(path, &file, whole);
    snprintf(said, size, "%s", known != NULL ? known->said : whole);
    pthread_mutex_unlock(&versions_lock);
    return status;
}

bool tool_lacks_room(const char *said)
{
    static const char *const causes[] = {
        "No space left on device",
        "Disk quota exceeded",
        "Cannot allocate memory",
        "std::bad_alloc",
        "LLVM ERROR: out of memory",
        "catastrophic error: out of memory", /* nvcc */
        "died due to signal",                /* nvcc, of a program that it runs */
        "command failed due to signal",      /* the same of clang */
        "Killed signal terminated program",  /* the same of gcc */
        at_limit,
        by_signal,
    };
    bool found = false;

    for (size_t k = 0; k < sizeof causes / sizeof *causes; k++)
        found = found || strstr(said, causes[k]) != NULL;
    return found;
}

/* ---- Folders ---- */

bool tool_make_folder(const char *name, char folder[TOOL_FOLDER])
{
    const char *within = getenv("TMPDIR");
    char whole[PATH_MAX];

    if (within == NULL || within[0] == '\0')
        within = "/tmp";
    if (realpath(within, whole) == NULL) { /* whole, because git runs in another folder */
        snprintf(folder, TOOL_FOLDER, "%s", within);
        return false;
    }
    if (snprintf(folder, TOOL_FOLDER, "%s/simtcheck-%s-XXXXXX", whole, name) < TOOL_FOLDER)
        return mkdtemp(folder) != NULL;
    errno = ENAMETOOLONG;
    return false;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

bool tool_remove_folder(const char *folder)
{
    enum { DESCRIPTORS = 16 };

    return folder[0] == '\0' || nftw(folder, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS) == 0;
}
