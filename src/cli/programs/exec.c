/* SPDX-License-Identifier: MIT
 *
 * The command `exec`: runs a program with libraries that stand in for CUDA's. They write what they
 * find to a folder, as lines of JSON, and this command writes it to the files of the options.
 */
#include "clock.h"
#include "command.h"
#include "error_report.h"
#include "foreground.h"
#include "identity.h"
#include "installation.h"
#include "source_path.h"
#include "tool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_NAMES = 64 };

struct kernel_names {
    const char *words[MAX_NAMES];
    size_t count;
};

struct exec_request {
    unsigned int model, only; /* bits of the choices below */
    struct kernel_names names, excluded;
    uint64_t skip, count;
};

static const char *const model_choices[] = {"lockstep", "independent", NULL};
static const char *const only_choices[] = {"run", NULL};
static const char *const allow_choices[] = {"leaks", "same-value", "no-launch", NULL};
enum { ALLOW_LEAKS = 1, ALLOW_SAME_VALUE = 2, ALLOW_NO_LAUNCH = 4 };

/* ---- The program ---- */

/* Puts a path before those in a variable of the environment. */
static bool put_before(const char *variable, const char *path)
{
    const char *before = getenv(variable);
    char *all = NULL;
    bool good = asprintf(&all, "%s%s%s", path, before != NULL && before[0] != '\0' ? ":" : "",
                         before != NULL ? before : "") >= 0 &&
                setenv(variable, all, 1) == 0;

    free(all);
    return good;
}

/* Sets a variable to a list of lines. */
static bool set_lines(const char *variable, const struct kernel_names *names)
{
    struct memory memory = {NULL};
    const char *lines = "";
    bool good;

    for (size_t k = 0; k < names->count; k++)
        lines = memory_text(&memory, "%s%s\n", lines, names->words[k]);
    good = setenv(variable, lines, 1) == 0;
    memory_free(&memory);
    return good;
}

/* Sets the variables that say which launches are checked. */
static bool set_filter(const struct exec_request *request, const struct bound *bound)
{
    char skip[32], count[32], end[64];

    snprintf(skip, sizeof skip, "%" PRIu64, request->skip);
    snprintf(count, sizeof count, "%" PRIu64, request->count);
    snprintf(end, sizeof end, "%.3f", bound->end);
    return set_lines("SIMTCHECK_EXEC_KERNELS", &request->names) &&
           set_lines("SIMTCHECK_EXEC_EXCLUDED", &request->excluded) &&
           setenv("SIMTCHECK_EXEC_SKIP", skip, 1) == 0 &&
           setenv("SIMTCHECK_EXEC_COUNT", count, 1) == 0 &&
           setenv("SIMTCHECK_EXEC_END", end, 1) == 0;
}

static bool set_environment(const struct command_line *line, const char *folder,
                            const struct sinks *sinks)
{
    const struct exec_request *request = line->request;
    unsigned int allowed = line->common->allow.everywhere;
    char libraries[PATH_MAX], audit[PATH_MAX + 32], reason[PATH_MAX + 128], shown[64] = "";
    char start[PATH_MAX] = "";
    struct stat to;
    bool good;

    if (!installation_exec(libraries, sizeof libraries, reason, sizeof reason))
        return error_report("%s", reason);
    /* The program does not know which findings --expect accepts. */
    if (!line->common->quiet && sinks->expectations == NULL && fstat(STDERR_FILENO, &to) == 0)
        snprintf(shown, sizeof shown, EXEC_SHOWN, (int)getpid(), (uintmax_t)to.st_dev,
                 (uintmax_t)to.st_ino);
    snprintf(audit, sizeof audit, "%s/simtcheck-audit.so", libraries);
    good = put_before("LD_LIBRARY_PATH", libraries) &&
           (access(audit, R_OK) != 0 || put_before("LD_AUDIT", audit)) &&
           setenv("SIMTCHECK_EXEC_REPORT", folder, 1) == 0 &&
           setenv("SIMTCHECK_EXEC_START", getcwd(start, sizeof start) ?: "", 1) == 0 &&
           setenv("SIMTCHECK_EXEC_SHOWN", shown, 1) == 0 &&
           setenv("SIMTCHECK_EXEC_COLOR", sinks->findings.has_colour ? "1" : "0", 1) == 0 &&
           setenv("SIMTCHECK_EXEC_MODEL",
                  request->model == 1 << MODEL_LOCKSTEP ? "lockstep" : "independent", 1) == 0 &&
           setenv("SIMTCHECK_EXEC_RACES", request->only != 0 ? "0" : "1", 1) == 0 &&
           setenv("SIMTCHECK_EXEC_LEAKS", allowed & ALLOW_LEAKS ? "0" : "1", 1) == 0 &&
           setenv("SIMTCHECK_EXEC_SAME_VALUE", allowed & ALLOW_SAME_VALUE ? "1" : "0", 1) == 0 &&
           set_filter(request, &sinks->bound);
    return good || error_report("out of memory");
}

/* ---- What was found ---- */

/* The launches of a kernel. */
struct kernel_row {
    const char *name;
    uint64_t launches, left_out, threads, findings;
    double seconds;
};

/* The launches that an option left out. */
struct left_out {
    const char *why;
    uint64_t launches;
    struct list kernels; /* texts */
};

struct collected {
    const struct session *session;
    struct check_record check;
    double start;
    uint64_t processes, findings, launches, left_out, skipped, repeated;
    struct list kernels;    /* of struct kernel_row */
    struct list reasons;    /* of struct left_out */
    struct list subjects;   /* texts: the kernel of each finding, or both kernels of a race */
    struct list files;      /* texts: of the findings */
    struct list partial;    /* texts: what is not modelled */
    struct list remarks;    /* texts */
    struct list unusable;   /* texts: why the program cannot run */
    const char *unfinished; /* a program whose report has no end, or a line that is not valid */
    bool is_left;           /* a process still runs */
};

/* Adds a text to a list that lacks it. */
static void add_once(struct memory *memory, struct list *list, const char *text)
{
    const char **texts = list->items;

    for (size_t k = 0; k < list->count; k++)
        if (strcmp(texts[k], text) == 0)
            return;
    LIST_ADD(memory, list, const char *) = text;
}

/* Adds a file of a finding, if it has been found. */
static void add_file(struct collected *to, const char *file)
{
    if (file != NULL && file[0] == '/')
        add_once(&to->session->sinks->findings.memory, &to->files, file);
}

/* Returns the identity of a finding, from what its process knew. */
static const struct identity *read_identity(struct memory *memory, const struct exec_record *record)
{
    const struct evidence_record *evidence = record->finding;
    struct identity *identity = memory_take(memory, sizeof *identity);
    char *fields = memory_copy(memory, record->fault != NULL       ? record->fault
                                       : record->unordered != NULL ? record->unordered
                                                                   : "");
    char file[SOURCE_FILE];
    struct fault fault;
    struct race race;

    *identity = (struct identity){.rule = evidence->rule, .detail = "", .relation = ""};
    if (record->fault != NULL && field_wire_read(&fields, &fault_table, &fault)) {
        *identity = identity_of_fault(&fault);
    } else if (record->unordered != NULL && field_wire_read(&fields, &race_table, &race)) {
        *identity = identity_of_race(&race);
    } else {
        snprintf(identity->reason, sizeof identity->reason, "%s",
                 record->class != NULL ? record->class : "");
        source_path_shorten(evidence->file != NULL ? evidence->file : "", file, sizeof file);
        identity_add_place(identity, file, (int)evidence->line, "");
    }
    return identity;
}

/* Returns the row of a kernel, which may be new. */
static struct kernel_row *row_of(struct collected *to, const char *name)
{
    struct kernel_row *rows = to->kernels.items;

    for (size_t k = 0; k < to->kernels.count; k++)
        if (strcmp(rows[k].name, name) == 0)
            return &rows[k];
    rows = list_add(&to->session->sinks->findings.memory, &to->kernels, sizeof *rows);
    rows->name = name;
    return rows;
}

/* Takes what a process says about the launches of a kernel. */
static void take_kernel(struct collected *to, const struct exec_record *record)
{
    struct memory *memory = &to->session->sinks->findings.memory;
    struct kernel_row *row = row_of(to, record->kernel);
    struct left_out *reasons = to->reasons.items;
    size_t k = 0;

    row->launches += record->why == NULL ? record->launches : 0;
    to->launches += record->why == NULL ? record->launches : 0;
    row->left_out += record->why != NULL ? record->launches : 0;
    row->threads += record->threads;
    row->seconds += record->seconds;
    if (record->why == NULL)
        return;
    while (k < to->reasons.count && strcmp(reasons[k].why, record->why) != 0)
        k++;
    if (k == to->reasons.count) {
        list_add(memory, &to->reasons, sizeof *reasons);
        reasons = to->reasons.items;
        reasons[k].why = record->why;
    }
    reasons[k].launches += record->launches;
    to->left_out += record->launches;
    add_once(memory, &reasons[k].kernels, record->kernel);
}

/* Takes a finding, which --expect may accept. */
static void take_finding(struct collected *to, struct exec_record *record)
{
    static const struct test_platform platform;
    const struct sinks *sinks = to->session->sinks;
    const char *name = record->kernel != NULL ? record->kernel : "";
    const struct expected_failure *known = NULL;

    if (sinks->expectations != NULL) {
        expectations_note(sinks->expectations, EXPECT_EXEC, name);
        known = expectations_take_failure(sinks->expectations, EXPECT_EXEC, name, &platform,
                                          &record->finding->rule, 1);
    }
    if (known == NULL) {
        to->findings++;
        return;
    }
    to->check.known_deviation = &known->known;
    record->finding->allowed_by =
        memory_text(&to->session->sinks->findings.memory, "known deviation until %s: %s",
                    known->known.expires, known->known.link);
}

/* Takes a line. Its texts belong to the object, which stays. `*program` is the one that has started
 * in the process and not ended, or null. A process has several by execve(). */
static void take_line(struct collected *to, const json_t *object, const char **program)
{
    struct memory *memory = &to->session->sinks->findings.memory;
    struct exec_record record = {.finding = NULL};

    model_read(&exec_record_table, object, &record, memory, NULL, 0);
    to->skipped += record.skipped;
    to->repeated += record.repeated;
    if (record.program != NULL && *program != NULL)
        to->unfinished = *program;
    if (record.partial != NULL) {
        add_once(memory, &to->partial, record.partial);
        return;
    }
    if (record.remark != NULL) {
        add_once(memory, &to->remarks, record.remark);
        return;
    }
    if (record.finding == NULL && record.kernel != NULL) {
        take_kernel(to, &record);
        return;
    }
    if (record.unusable != NULL) {
        add_once(memory, &to->unusable, record.unusable);
        return;
    }
    if (record.finding == NULL) {
        *program = record.program;
        return;
    }
    take_finding(to, &record);
    record.finding->identity = read_identity(memory, &record);
    record.finding->is_printed = record.printed;
    add_file(to, record.finding->file);
    for (size_t k = 0; k < record.finding->related.count; k++)
        add_file(to, ((const struct place_record *)record.finding->related.items)[k].file);
    LIST_ADD(memory, &to->check.findings, struct evidence_record) = *record.finding;
    if (record.kernel != NULL)
        LIST_ADD(memory, &to->subjects, const char *) = record.kernel;
}

static void take_file(struct collected *to, const char *path)
{
    FILE *from = fopen(path, "re");
    char *line = NULL;
    const char *program = NULL;
    size_t size = 0;
    json_t *object = NULL;

    to->processes++;
    while (from != NULL && getline(&line, &size, from) > 0) {
        object = json_loads(line, 0, NULL);
        if (object == NULL)
            break;
        take_line(to, object, &program);
        json_array_append_new(to->session->sinks->findings.read, object);
    }
    if (program != NULL || object == NULL)
        to->unfinished = program != NULL ? program : "a program";
    free(line);
    if (from != NULL)
        fclose(from);
}

static void take_folder(struct collected *to, const char *folder)
{
    struct dirent **names = NULL;
    int count = scandir(folder, &names, NULL, alphasort);

    for (int k = 0; k < count; k++) {
        char path[TOOL_FOLDER + sizeof names[k]->d_name];
        snprintf(path, sizeof path, "%s/%s", folder, names[k]->d_name);
        if (names[k]->d_name[0] != '.')
            take_file(to, path);
        free(names[k]);
    }
    free(names);
}

/* Waits for processes that outlive the program, such as daemons. They are children of this process.
 * Returns whether one still runs after the limit. */
static bool is_process_left(void)
{
    enum { PAUSE_US = 10000, PAUSES = 500 };
    pid_t ended = 1;

    for (int k = 0; k < PAUSES && ended >= 0; k += ended == 0) {
        ended = waitpid(-1, NULL, WNOHANG);
        if (ended == 0)
            usleep(PAUSE_US);
    }
    return ended >= 0;
}

/* Returns whether a finding is about the kernel. A race may be about two, "a and b". */
static bool names_kernel(const char *subject, const char *kernel)
{
    const size_t length = strlen(kernel), whole = strlen(subject);

    return strcmp(subject, kernel) == 0 ||
           (strncmp(subject, kernel, length) == 0 && strncmp(subject + length, " and ", 5) == 0) ||
           (whole > length + 5 && strcmp(subject + whole - length, kernel) == 0 &&
            strncmp(subject + whole - length - 5, " and ", 5) == 0);
}

/* Counts the findings of each kernel. Kernels without one pass, for --expect. */
static void count_findings(struct collected *from)
{
    static const struct test_platform platform;
    struct expectations *expectations = from->session->sinks->expectations;
    struct kernel_row *rows = from->kernels.items;
    const char *const *subjects = from->subjects.items;

    for (size_t k = 0; k < from->kernels.count; k++) {
        for (size_t s = 0; s < from->subjects.count; s++)
            rows[k].findings += names_kernel(subjects[s], rows[k].name);
        if (expectations != NULL)
            expectations_note(expectations, EXPECT_EXEC, rows[k].name);
        if (expectations != NULL && rows[k].findings == 0 && rows[k].launches > 0)
            expectations_take_pass(expectations, EXPECT_EXEC, rows[k].name, &platform);
    }
    if (expectations != NULL)
        expectations->has_all[EXPECT_EXEC] = true;
}

static void print_kernels(const struct collected *from)
{
    const struct kernel_row *rows = from->kernels.items;

    fprintf(stderr, "%-40s %10s %10s %14s %10s %10s\n", "kernel", "launches", "left out", "threads",
            "findings", "seconds");
    for (size_t k = 0; k < from->kernels.count; k++)
        fprintf(stderr, "%-40s %10" PRIu64 " %10" PRIu64 " %14" PRIu64 " %10" PRIu64 " %10.3f\n",
                rows[k].name, rows[k].launches, rows[k].left_out, rows[k].threads, rows[k].findings,
                rows[k].seconds);
    fputc('\n', stderr);
}

/* Returns what the options left out. */
static const char *left_out_text(const struct collected *from)
{
    enum { SHOWN = 4 };
    struct memory *memory = &from->session->sinks->findings.memory;
    const struct left_out *reasons = from->reasons.items;
    const char *text = "";

    for (size_t k = 0; k < from->reasons.count; k++) {
        const struct left_out *one = &reasons[k];
        const char *const *kernels = one->kernels.items;
        bool is_option = strncmp(one->why, "--", 2) == 0;

        text = memory_text(memory, "%s%s%s%s%s leaves out %" PRIu64 " launch%s of", text,
                           k > 0 ? "; " : "", is_option ? "" : "--kernel-name-exclude '", one->why,
                           is_option ? "" : "'", one->launches, one->launches == 1 ? "" : "es");
        for (size_t n = 0; n < one->kernels.count && n < SHOWN; n++)
            text = memory_text(memory, "%s%s%s", text, n > 0 ? ", " : " ", kernels[n]);
        if (one->kernels.count > SHOWN)
            text =
                memory_text(memory, "%s and %zu other kernels", text, one->kernels.count - SHOWN);
    }
    return text;
}

/* Returns why the absence of findings says nothing, or null. */
static const char *unchecked(const struct collected *from, bool needs_launch)
{
    struct memory *memory = &from->session->sinks->findings.memory;

    if (from->is_left)
        return "a process that the program started still runs 5 s after its end, so not all of its "
               "work was checked: let the program wait for it";
    if (from->processes == 0 && needs_launch)
        return "the program did not use the CUDA libraries of exec, so nothing was checked";
    if (from->unfinished != NULL)
        return memory_text(memory,
                           "'%s' was killed, called _exit() or execve(), or could not write its "
                           "report, so not all of its work was checked",
                           from->unfinished);
    if (from->launches > 0 || !needs_launch)
        return NULL;
    return from->left_out > 0 ? memory_text(memory, "nothing was checked: %s", left_out_text(from))
                              : "no kernel was launched, so nothing was checked";
}

/* Adds why not all was checked, to what is printed and to the files of findings. */
static void add_reason(struct collected *from, struct launch_record *launch, const char *reason)
{
    struct findings *findings = &from->session->sinks->findings;

    if (findings->is_quiet)
        error_report("%s", reason);
    else
        error_keep(reason);
    from->check.note = from->check.note != NULL ? from->check.note : reason;
    LIST_ADD(&findings->memory, &launch->remarks, const char *) = reason;
}

/* What mends most programs that cannot run. */
static const char rebuild[] =
    "    export NVCC_APPEND_FLAGS=\"-cudart shared -lineinfo -gencode "
    "arch=compute_90,code=compute_90\"\n"
    "It does not help with 'nvcc -ptx' or '-cubin', for libraries that others have built, and for "
    "CUDA Tile programs, which have no PTX. Code for sm_90a needs compute_90a.";

/* Adds the check to the files of findings, and prints a line about the whole. Returns the exit
 * status. */
static int conclude(struct collected *from, const struct command_line *line, int status)
{
    struct findings *findings = &from->session->sinks->findings;
    bool needs_launch = !(line->common->allow.everywhere & ALLOW_NO_LAUNCH);
    const bool cannot_run = from->unusable.count > 0;
    const char *reason = from->findings == 0 && !cannot_run ? unchecked(from, needs_launch) : NULL;
    const char *const *partial = from->partial.items, *const *unusable = from->unusable.items;
    bool is_whole = reason == NULL && from->partial.count == 0, is_bounded = from->left_out > 0,
         is_known = from->check.known_deviation != NULL;
    struct launch_record launch = {
        .launch = line->words[0], .files = from->files, .start = from->start};
    bool fails = status != EXIT_CONFORMS && status != EXIT_UNAVAILABLE;
    /* A program's 2 and 3 do not mean what they mean for simtcheck. */
    int result = cannot_run && from->findings == 0 ? EXIT_USAGE
                 : from->findings > 0 || status == EXIT_USAGE || status == EXIT_ENVIRONMENT
                     ? EXIT_DIFFERS
                 : !is_whole && status == EXIT_CONFORMS ? EXIT_ENVIRONMENT
                                                        : status;

    from->check.kernel = basename(line->words[0]);
    from->check.result = result == EXIT_CONFORMS      ? is_bounded ? RESULT_BOUNDED
                                                        : is_known ? RESULT_KNOWN
                                                                   : RESULT_PASS
                         : result == EXIT_UNAVAILABLE ? RESULT_SKIPPED
                         : result == EXIT_ENVIRONMENT ? RESULT_INCOMPLETE
                                                      : RESULT_FAIL;
    from->check.verdict = from->findings > 0           ? "findings"
                          : cannot_run                 ? "cannot run"
                          : fails                      ? "program failed"
                          : result == EXIT_UNAVAILABLE ? "the program skipped itself"
                          : reason != NULL             ? "not checked"
                          : !is_whole                  ? "not fully checked"
                          : is_bounded                 ? "no finding in what was checked"
                          : is_known                   ? "only known deviations"
                          : from->launches == 0        ? "no kernel was launched"
                                                       : "no finding";
    from->check.cases = from->launches;
    from->check.planned = from->launches + from->left_out;
    if (cannot_run)
        from->check.note = "cannot run";
    else if (status != EXIT_CONFORMS)
        from->check.note = memory_text(&findings->memory, "exit status %d of the program", status);
    else if (from->check.result == RESULT_BOUNDED)
        from->check.note = left_out_text(from);
    else if (from->launches == 0 && from->check.result == RESULT_PASS)
        from->check.note = "no kernel was launched in a process that exec checks: accepted by "
                           "--allow no-launch";
    findings->unit = "launch";
    if (from->repeated > 0)
        LIST_ADD(&findings->memory, &launch.remarks, const char *) = memory_text(
            &findings->memory, "repetitions that are not printed: %" PRIu64, from->repeated);
    for (size_t k = 0; k < from->remarks.count; k++)
        LIST_ADD(&findings->memory, &launch.remarks, const char *) =
            ((const char *const *)from->remarks.items)[k];
    for (size_t k = 0; k < from->partial.count; k++)
        add_reason(from, &launch,
                   memory_text(&findings->memory, "not fully checked: %s", partial[k]));
    if (reason != NULL)
        add_reason(from, &launch, reason);
    if (from->launches > 0 && is_bounded)
        LIST_ADD(&findings->memory, &launch.remarks, const char *) = left_out_text(from);
    count_findings(from);
    if (line->common->verbose && !findings->is_quiet)
        print_kernels(from);
    findings_add_launch(findings, &launch);
    findings_add_check(findings, &from->check);
    for (size_t k = 0; k < from->unusable.count; k++)
        error_report("%s", unusable[k]);
    if (cannot_run)
        error_report("build the program again with this setting, before CMake configures it:\n%s",
                     rebuild);
    findings_end_launch(
        findings, result == EXIT_CONFORMS || result == EXIT_UNAVAILABLE ? result : EXIT_DIFFERS);
    return result;
}

static int exec(const struct command_line *line, const struct session *session)
{
    struct collected collected = {.session = session,
                                  .check = {.kind = CHECKED_RUN, .engine = ENGINE_SIM},
                                  .start = clock_seconds()};
    char folder[TOOL_FOLDER], path[PATH_MAX];
    int status;

    if (!tool_find(line->words[0], path)) {
        error_report("there is no program '%s'", line->words[0]);
        return EXIT_USAGE;
    }
    if (access(path, X_OK) != 0) {
        error_report("cannot run '%s': %s: 'chmod +x' permits it", line->words[0], strerror(errno));
        return EXIT_USAGE;
    }
    if (!tool_make_folder("exec", folder)) {
        error_report("cannot make a temporary folder: %s", strerror(errno));
        return EXIT_ENVIRONMENT;
    }
    session->sinks->findings.read = json_array();
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* this process becomes the parent of orphans */
    if (set_environment(line, folder, session->sinks)) {
        /* getopt_long() ended the words of the program with the null of argv. */
        status = foreground_run((char *const *)(uintptr_t)line->words, NULL);
        collected.is_left = is_process_left();
        take_folder(&collected, folder);
        status = conclude(&collected, line, status);
    } else {
        status = EXIT_ENVIRONMENT;
    }
    tool_remove_folder(folder);
    return status;
}

static bool parse_name(void *value, const struct option_row *row, const char *word)
{
    struct kernel_names *to = value;
    const char *colon = strstr(word, ": ");
    bool has_reason = colon != NULL && colon > word && colon[2] != '\0';

    if (word[0] == '\0' || strchr(word, '\n') != NULL)
        return error_report("--%s needs the name of a kernel, in which * stands for any text",
                            row->name);
    if (strcmp(row->name, "kernel-name-exclude") == 0 && !has_reason)
        return error_report("--%s '%s' has no reason: write '%s: REASON'", row->name, word, word);
    if (to->count == MAX_NAMES)
        return error_report("--%s: more than %d names: use *", row->name, MAX_NAMES);
    to->words[to->count++] = word;
    return true;
}

static const struct option_type names = {.parse = parse_name, .is_repeatable = true};

static const struct option_row rows[] = {
    {"model", "M", &option_choices, REQUEST_AT(struct exec_request, model, unsigned int),
     .help = "execution model of the simulator: lockstep or independent", .usual = "independent",
     .choices = model_choices},
    {"only", "PART", &option_choices, REQUEST_AT(struct exec_request, only, unsigned int),
     .help = "run: do not look for races", .usual = "all", .choices = only_choices},
    {"kernel-name", "GLOB", &names, REQUEST_AT(struct exec_request, names, struct kernel_names),
     .help = "check only launches of kernels whose name matches, in the source or in PTX; the "
             "others run without checks; repeatable",
     .usual = "all"},
    {"kernel-name-exclude", "GLOB: REASON", &names,
     REQUEST_AT(struct exec_request, excluded, struct kernel_names),
     .help = "do not check launches of kernels whose name matches; repeatable", .usual = "none"},
    {"launch-skip", "N", &option_number, REQUEST_AT(struct exec_request, skip, uint64_t),
     .help = "do not check the first N launches of each process, of those that --kernel-name and "
             "--kernel-name-exclude leave",
     .usual = "0", .most = UINT32_MAX},
    {"launch-count", "N", &option_number, REQUEST_AT(struct exec_request, count, uint64_t),
     .help = "check at most N launches of each process, after those of --launch-skip; 0: all",
     .usual = "all", .most = UINT32_MAX},
    {"minutes", "N", &option_minutes, COMMON_AT(minutes, double),
     .help = "check no launch that begins more than N minutes after the start",
     .usual = "no limit"},
    OPTION_ALLOW(
        "WHAT",
        .help =
            "leaks: memory that is not freed at the end; same-value: races in which both accesses "
            "write the same value; no-launch: a program that launches no kernel that is "
            "checked, and ends with 0; repeatable",
        .usual = "all fail", .choices = allow_choices),
    {.name = NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL, NULL},          {common_rows, 0, "expect", NULL},
    {findings_rows, 0, NULL, NULL}, {text_rows, 0, NULL, NULL},
    {NULL, 0, NULL, NULL},
};

const struct command exec_command = {
    .name = "exec",
    .summary = "run a CUDA program on the simulator, without a GPU",
    .arguments = "PROGRAM [ARGUMENTS]",
    .help = "Runs a program that uses the CUDA runtime or the driver API. Its kernels run on the "
            "simulator, which checks them. The exit status is 1 "
            "after a finding, and otherwise that of the program, but 1 for 2 and 3.",
    .example = "simtcheck exec -- ./vectorAdd",
    .parts = parts,
    .size = sizeof(struct exec_request),
    .words = "a program after '--'",
    .least_words = 1,
    .most_words = 100000,
    .takes_program = true,
    .judges = true,
    .run = exec,
};
