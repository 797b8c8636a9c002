/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_PROGRAM_ARGUMENTS = 192 };

enum { MAX_TESTS = 64 };

static struct CMUnitTest all_tests[MAX_TESTS];
static size_t test_count;

void test_add(const char *name, CMUnitTestFunction function)
{
    if (test_count == MAX_TESTS)
        abort();
    all_tests[test_count++] = (struct CMUnitTest){name, function, NULL, NULL, NULL};
}

int tests_run(const char *group, CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    struct test_part part = test_part_read(getenv("SIMTCHECK_TEST_PART"));
    size_t count = 0;

    for (size_t k = 0; k < test_count; k++)
        if (test_part_has(part, (unsigned int)k))
            all_tests[count++] = all_tests[k];
    return _cmocka_run_group_tests(group, all_tests, count, set_up, tear_down);
}

void signals_default(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGPIPE};

    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        signal(numbers[k], SIG_DFL);
}

/* Starts a program. With `traced` it has its own process group and stops at its execv(). */
static pid_t spawn(const char *const arguments[], int *output, bool traced)
{
    int ends[2];
    pid_t pid;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(ends[1], STDERR_FILENO);
        signals_default();
        if (traced) {
            setenv("LSAN_OPTIONS", "detect_leaks=0", 1); /* LeakSanitizer would trace the program */
            setpgid(0, 0);
            ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        }
        execv(arguments[0], (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    close(ends[1]);
    *output = ends[0];
    return pid;
}

/* Returns what a stream holds, and closes it. A null stream gives an empty string. The caller frees
 * the string. */
static char *read_stream(FILE *stream)
{
    char *text = NULL;
    size_t size = 0;

    if (stream == NULL || getdelim(&text, &size, '\0', stream) < 0) {
        free(text);
        text = strdup("");
    }
    if (stream != NULL)
        fclose(stream);
    return text;
}

static int exit_status(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static struct ended finish(pid_t pid, int output)
{
    struct ended ended = {.output = read_stream(fdopen(output, "r"))};
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    ended.status = exit_status(status);
    return ended;
}

struct ended program_run(const char *const arguments[])
{
    int output;
    pid_t pid = spawn(arguments, &output, false);
    return finish(pid, output);
}

/* Splits a line into words, in place; see run_line(). */
static void part_words(char *line, const char *words[])
{
    size_t count = 0;

    while (*(line += strspn(line, " ")) != '\0') {
        bool quoted = *line == '\'';

        line += quoted;
        assert_true(count + 2 < MAX_PROGRAM_ARGUMENTS);
        words[count++] = line;
        line += strcspn(line, quoted ? "'" : " ");
        if (*line != '\0')
            *line++ = '\0';
    }
    words[count] = NULL;
}

static char last_line[1024]; /* the last line that was run, for messages */

/* Splits a line into `words`, after the program's path. The caller frees the returned buffer. */
static char *read_line(const char *words[MAX_PROGRAM_ARGUMENTS], const char *format, va_list values)
{
    const char *compiler = getenv("SIMTCHECK_TEST_COMPILER");
    char *line;

    assert_true(vasprintf(&line, format, values) >= 0);
    snprintf(last_line, sizeof last_line, "%s", line);
    words[0] = simtcheck_program();
    if (compiler != NULL && strncmp(line, "check ", 6) == 0 && strstr(line, "compiler") == NULL &&
        strstr(line, ".ptx") == NULL) {
        words[2] = "--compiler";
        words[3] = compiler;
        part_words(line + 6, words + 4);
        words[1] = "check";
    } else {
        part_words(line, words + 1);
    }
    if (strcmp(words[1], "seeded") == 0)
        words[1] = SEEDED;
    if (words[1][0] == '/')
        memmove(words, words + 1, (MAX_PROGRAM_ARGUMENTS - 1) * sizeof *words);
    return line;
}

static struct ended run_formatted(const char *format, va_list values)
{
    const char *words[MAX_PROGRAM_ARGUMENTS] = {NULL};
    char *line = read_line(words, format, values);
    struct ended ended = program_run(words);

    free(line);
    return ended;
}

struct ended run_line(const char *format, ...)
{
    struct ended ended;
    va_list values;

    va_start(values, format);
    ended = run_formatted(format, values);
    va_end(values);
    return ended;
}

void remove_time(char *output)
{
    char *at = strstr(output, ", simulator, ");

    if (at == NULL)
        fail_msg("no time is printed: %s", output);
    at += strlen(", simulator, ");
    memmove(at, strchr(at, '\n'), strlen(strchr(at, '\n')) + 1);
}

void expect_ended(struct ended ended, int status, const char *says)
{
    char *texts = strdup(says), *rest = texts;

    if (ended.status != status)
        fail_msg("%s: exit status %d, not %d:\n%s", last_line, ended.status, status, ended.output);
    while (rest != NULL) {
        const char *text = strsep(&rest, "|");
        bool absent = text[0] == '!';

        if ((strstr(ended.output, text + absent) == NULL) != absent)
            fail_msg("%s: the output %s '%s':\n%s", last_line, absent ? "has" : "lacks",
                     text + absent, ended.output);
    }
    free(texts);
    free(ended.output);
}

void expect_run(int status, const char *says, const char *format, ...)
{
    struct ended ended;
    va_list values;

    va_start(values, format);
    ended = run_formatted(format, values);
    va_end(values);
    expect_ended(ended, status, says);
}

char folder[32];

int folder_make(void **state)
{
    (void)state;
    unsetenv("SIMTCHECK_REQUIRE");
    strcpy(folder, "/tmp/simtcheck-test-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

int folder_remove(void **state)
{
    char command[64];
    (void)state;

    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

const char *in_folder(const char *name)
{
    static char paths[16][128];
    static size_t next;
    char *path = paths[next++ % 16];

    assert_true(snprintf(path, sizeof *paths, "%s/%s", folder, name) < (int)sizeof *paths);
    return path;
}

struct ended program_on_terminal(const char *const arguments[])
{
    struct ended ended = {.output = calloc(1, 65536)};
    size_t used = 0;
    ssize_t got;
    int terminal, status;
    pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

    assert_true(pid >= 0);
    if (pid == 0) {
        signals_default();
        execv(arguments[0], (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    /* At its end a terminal returns an error instead of an end of file. */
    while (used < 65535 && (got = read(terminal, ended.output + used, 65535 - used)) > 0)
        used += (size_t)got;
    close(terminal);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    ended.status = exit_status(status);
    return ended;
}

static bool file_holds(const char *path, const char *text)
{
    char *content = read_stream(fopen(path, "r"));
    bool holds = strstr(content, text) != NULL;

    free(content);
    return holds;
}

/* Returns the signal to pass to a traced process that has stopped, or 0 if the tracer caused the
 * stop. Counts the stops before and after system calls. */
static long after_stop(int status, bool is_program, unsigned int *stops)
{
    enum { AT_SYSTEM_CALL = SIGTRAP | 0x80 };
    int reason = WSTOPSIG(status);

    *stops += reason == AT_SYSTEM_CALL;
    if (reason == AT_SYSTEM_CALL || status >> 16 != 0 || (reason == SIGSTOP && !is_program))
        return 0;
    return reason;
}

/* Runs the program and its children from stop to stop. Returns the program's wait status. */
static int trace(pid_t program, unsigned int number, int signal_number)
{
    unsigned int stops = 0;
    int status;
    pid_t pid = waitpid(program, &status, 0);

    assert_true(pid == program && WIFSTOPPED(status)); /* at its execv() */
    assert_int_equal(ptrace(PTRACE_SETOPTIONS, program, NULL,
                            PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK),
                     0);
    ptrace(PTRACE_SYSCALL, program, NULL, 0L);
    while ((pid = waitpid(-1, &status, __WALL)) != program || WIFSTOPPED(status)) {
        unsigned int before = stops;
        long handed = 0;

        assert_true(pid > 0);
        if (!WIFSTOPPED(status))
            continue;
        handed = after_stop(status, pid == program, &stops);
        if (stops == number && before < number)
            kill(-program, signal_number);
        ptrace(PTRACE_SYSCALL, pid, NULL, handed);
    }
    return status;
}

struct ended program_stop(const char *const arguments[], unsigned int number, int signal_number)
{
    int output, status;
    pid_t pid = spawn(arguments, &output, true);

    status = trace(pid, number, signal_number);
    return (struct ended){.status = exit_status(status),
                          .output = read_stream(fdopen(output, "r"))};
}

/* Runs a traced program from one system call to the next until the file holds the text. Then the
 * program is stopped, and its next event is the signal. The signal interrupts a system call that is
 * waiting. Returns the wait status. */
static int trace_until(pid_t program, const char *path, const char *text, int signal_number)
{
    static const struct timespec look = {.tv_nsec = 10000000};
    sigset_t child, before;
    int status = 0;
    bool sent = false;
    pid_t pid;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    while ((pid = waitpid(program, &status, WNOHANG)) == 0 || WIFSTOPPED(status)) {
        unsigned int stops = 0;
        long handed = pid == program ? after_stop(status, true, &stops) : 0;

        if (!sent && file_holds(path, text)) {
            kill(program, signal_number);
            sent = true;
        }
        if (pid == program)
            ptrace(sent ? PTRACE_CONT : PTRACE_SYSCALL, pid, NULL, handed);
        else
            sigtimedwait(&child, NULL, &look);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

struct ended program_interrupt(const char *const arguments[], const char *path, const char *text,
                               int signal_number)
{
    int output, status;
    pid_t pid = spawn(arguments, &output, true);

    assert_true(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)); /* at its execv() */
    ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC);
    ptrace(PTRACE_SYSCALL, pid, NULL, 0L);
    status = trace_until(pid, path, text, signal_number);
    return (struct ended){.status = exit_status(status),
                          .output = read_stream(fdopen(output, "r"))};
}

/* Runs a program with "--json FILE" added. The caller frees `ended->output`. */
static json_t *run_for_report(const char *const arguments[], struct ended *ended)
{
    char path[] = "/tmp/simtcheck-report-XXXXXX";
    const char *all[MAX_PROGRAM_ARGUMENTS];
    size_t count = 0;
    json_t *report;
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    while (arguments[count] != NULL) {
        assert_true(count + 3 < MAX_PROGRAM_ARGUMENTS);
        all[count] = arguments[count];
        count++;
    }
    all[count] = "--json";
    all[count + 1] = path;
    all[count + 2] = NULL;
    *ended = program_run(all);
    report = json_load_file(path, 0, NULL);
    unlink(path);
    return report;
}

json_t *program_report_any(const char *const arguments[], int *status)
{
    struct ended ended;
    json_t *report = run_for_report(arguments, &ended);

    if (ended.status != 0)
        print_error("exit status %d:\n%s", ended.status, ended.output);
    *status = ended.status;
    free(ended.output);
    return report;
}

json_t *program_report(const char *const arguments[], int status)
{
    struct ended ended;
    json_t *report = run_for_report(arguments, &ended);

    if (ended.status != status) {
        print_error("exit status %d, not %d:\n%s", ended.status, status, ended.output);
        json_decref(report);
        report = NULL;
    }
    free(ended.output);
    return report;
}

json_t *report_line(int status, const char *format, ...)
{
    const char *words[MAX_PROGRAM_ARGUMENTS] = {NULL};
    va_list values;
    json_t *report;
    char *line;

    va_start(values, format);
    line = read_line(words, format, values);
    va_end(values);
    report = program_report(words, status);
    free(line);
    return report;
}

json_t *report_find(const json_t *report, const char *id, const char *kind)
{
    json_t *results = json_object_get(report, "results"), *row;
    size_t i;

    json_array_foreach(results, i,
                       row) if (strcmp(report_text(row, "id"), id) == 0 &&
                                strcmp(report_text(row, "variant"), kind) == 0) return row;
    return NULL;
}

long long report_number(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

const char *report_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

bool twin_make(struct twin *twin, const char *const engines[])
{
    char command[1024];

    snprintf(twin->folder, sizeof twin->folder, "/tmp/simtcheck-twin-XXXXXX");
    if (mkdtemp(twin->folder) == NULL)
        return false;
    snprintf(twin->program, sizeof twin->program, "%s/seeded", twin->folder);
    snprintf(command, sizeof command,
             "cp '" SEEDED "' %s && ln -s '" SEEDED "-worker-sim' %s-worker-sim", twin->program,
             twin->program);
    if (system(command) != 0)
        return false;
    for (; *engines != NULL; engines++) {
        snprintf(command, sizeof command, "ln -s '" SEEDED "-worker-twin' %s-worker-%s",
                 twin->program, *engines);
        if (system(command) != 0)
            return false;
    }
    return true;
}

bool twin_remove(const struct twin *twin)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", twin->folder);
    return system(command) == 0;
}

const char *text_write(const char *path, const char *text)
{
    FILE *to = fopen(path, "w");

    assert_non_null(to);
    assert_true(fputs(text, to) >= 0);
    assert_int_equal(fclose(to), 0);
    return path;
}

char *text_read(const char *path)
{
    char *text = read_stream(fopen(path, "r"));

    assert_string_not_equal(text, "");
    return text;
}

void json_save(json_t *value, const char *path)
{
    assert_int_equal(json_dump_file(value, path, 0), 0);
    json_decref(value);
}

json_t *json_at(json_t *value, const char *path)
{
    char steps[128], *rest = steps;

    snprintf(steps, sizeof steps, "%s", path);
    while (rest != NULL && steps[0] != '\0') {
        const char *step = strsep(&rest, "/");
        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(step))
                                     : json_object_get(value, step);
    }
    return value;
}

void json_put(json_t *value, const char *path, const char *text)
{
    const char *slash = strrchr(path, '/'), *last = slash != NULL ? slash + 1 : path;
    json_t *member = text != NULL ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;
    char above[128];
    int failed;

    snprintf(above, sizeof above, "%.*s", slash != NULL ? (int)(slash - path) : 0, path);
    value = json_at(value, above);
    assert_true(value != NULL && (member != NULL) == (text != NULL));
    if (json_is_object(value))
        failed =
            text != NULL ? json_object_set_new(value, last, member) : json_object_del(value, last);
    else if (text == NULL)
        failed = json_array_remove(value, (size_t)atoi(last));
    else if ((size_t)atoi(last) < json_array_size(value))
        failed = json_array_set_new(value, (size_t)atoi(last), member);
    else
        failed = json_array_append_new(value, member);
    assert_int_equal(failed, 0);
}

json_t *json_read(const char *path)
{
    json_t *value = json_load_file(path, 0, NULL);

    assert_non_null(value);
    return value;
}

struct ended snapshots_compare(const char *before, const char *after)
{
    const char *const arguments[] = {simtcheck_program(), "compare", before, after, NULL};

    return program_run(arguments);
}

const char *script_make(const char *name, const char *text)
{
    const char *path = in_folder(name);
    FILE *to = fopen(path, "w");

    assert_non_null(to);
    assert_true(fprintf(to, "#!/bin/bash\n%s", text) > 0);
    assert_int_equal(fclose(to), 0);
    assert_int_equal(chmod(path, 0700), 0);
    return path;
}

const char *simtcheck_program(void)
{
    const char *program = getenv("SIMTCHECK_PROGRAM");
    return program != NULL ? program : SIMTCHECK;
}

struct test_part test_part_read(const char *text)
{
    struct test_part part = {1, 1, text != NULL && strncmp(text, "not ", 4) == 0};
    char more;

    if (text != NULL && (sscanf(part.is_others ? text + 4 : text, "%u/%u%c", &part.index,
                                &part.count, &more) != 2 ||
                         part.index < 1 || part.index > part.count)) {
        fprintf(stderr, "'%s' is not I/N, the Ith of N parts, or 'not I/N', the others\n", text);
        exit(2);
    }
    return part;
}

bool test_part_has(struct test_part part, unsigned int turn)
{
    return (turn % part.count == part.index - 1) != part.is_others;
}

bool engine_is_available(const char *engine)
{
    const char *const arguments[] = {
        simtcheck_program(), "run",       "--engine", engine,   "--kernel",
        "reduceInterleaved", "--block",   "1",        "--size", "1",
        "--variant",         "corrected", NULL};
    const char *required = getenv("SIMTCHECK_REQUIRE");
    struct ended ended;

    if (required != NULL && strncmp(engine, required, strlen(required)) == 0)
        return true;
    ended = program_run(arguments);
    if (ended.status == 77)
        fputs(ended.output, stderr);
    free(ended.output);
    return ended.status != 77;
}
