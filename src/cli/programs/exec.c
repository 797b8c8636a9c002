/* SPDX-License-Identifier: MIT
 *
 * The command `exec`: runs a program with libraries that stand in for CUDA's. They write what they
 * find to a folder, as lines of JSON, and this command writes it to the files of the options.
 */
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

struct exec_request {
    unsigned int model, only; /* bits of the choices below */
};

static const char *const model_choices[] = {"lockstep", "independent", NULL};
static const char *const only_choices[] = {"run", NULL};
static const char *const allow_choices[] = {"leaks", "same-value", NULL};
enum { ALLOW_LEAKS = 1, ALLOW_SAME_VALUE = 2 };

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

static bool set_environment(const struct command_line *line, const char *folder, bool has_colour)
{
    const struct exec_request *request = line->request;
    unsigned int allowed = line->common->allow.everywhere;
    char libraries[PATH_MAX], audit[PATH_MAX + 32], reason[PATH_MAX + 128], shown[64] = "";
    struct stat to;
    bool good;

    if (!installation_exec(libraries, sizeof libraries, reason, sizeof reason))
        return error_report("%s", reason);
    if (!line->common->quiet && fstat(STDERR_FILENO, &to) == 0)
        snprintf(shown, sizeof shown, EXEC_SHOWN, (int)getpid(), (uintmax_t)to.st_dev,
                 (uintmax_t)to.st_ino);
    snprintf(audit, sizeof audit, "%s/simtcheck-audit.so", libraries);
    good = put_before("LD_LIBRARY_PATH", libraries) &&
           (access(audit, R_OK) != 0 || put_before("LD_AUDIT", audit)) &&
           setenv("SIMTCHECK_EXEC_REPORT", folder, 1) == 0 &&
           setenv("SIMTCHECK_EXEC_SHOWN", shown, 1) == 0 &&
           setenv("SIMTCHECK_EXEC_COLOR", has_colour ? "1" : "0", 1) == 0 &&
           setenv("SIMTCHECK_EXEC_MODEL",
                  request->model == 1 << MODEL_LOCKSTEP ? "lockstep" : "independent", 1) == 0 &&
           setenv("SIMTCHECK_EXEC_RACES", request->only != 0 ? "0" : "1", 1) == 0 &&
           setenv("SIMTCHECK_EXEC_LEAKS", allowed & ALLOW_LEAKS ? "0" : "1", 1) == 0 &&
           setenv("SIMTCHECK_EXEC_SAME_VALUE", allowed & ALLOW_SAME_VALUE ? "1" : "0", 1) == 0;
    return good || error_report("out of memory");
}

/* ---- What was found ---- */

struct collected {
    const struct session *session;
    struct check_record check;
    uint64_t processes, findings, launches, skipped, repeated;
    struct list files;      /* texts: of the findings */
    struct list partial;    /* texts: what is not modelled */
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

/* Takes a line. Its texts belong to the object, which stays. `*program` is the one that has started
 * in the process and not ended, or null. A process has several by execve(). */
static void take_line(struct collected *to, const json_t *object, const char **program)
{
    struct memory *memory = &to->session->sinks->findings.memory;
    struct exec_record record = {.finding = NULL};

    model_read(&exec_record_table, object, &record, memory, NULL, 0);
    to->launches += record.launches;
    to->skipped += record.skipped;
    to->repeated += record.repeated;
    if (record.program != NULL && *program != NULL)
        to->unfinished = *program;
    if (record.partial != NULL) {
        add_once(memory, &to->partial, record.partial);
        return;
    }
    if (record.finding == NULL) {
        *program = record.program;
        return;
    }
    to->findings++;
    record.finding->identity = read_identity(memory, &record);
    record.finding->is_printed = record.printed;
    add_file(to, record.finding->file);
    for (size_t k = 0; k < record.finding->related.count; k++)
        add_file(to, ((const struct place_record *)record.finding->related.items)[k].file);
    LIST_ADD(memory, &to->check.findings, struct evidence_record) = *record.finding;
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

/* Returns why the absence of findings says nothing, or null. */
static const char *unchecked(const struct collected *from)
{
    if (from->is_left)
        return "a process that the program started still runs 5 s after its end, so not all of its "
               "work was checked: let the program wait for it";
    if (from->processes == 0)
        return "the program did not use the CUDA libraries of exec, so nothing was checked";
    if (from->unfinished != NULL)
        return memory_text(&from->session->sinks->findings.memory,
                           "'%s' was killed, called _exit() or execve(), or could not write its "
                           "report, so not all of its work was checked",
                           from->unfinished);
    return from->launches == 0 ? "no kernel was launched, so nothing was checked" : NULL;
}

/* Adds the check to the files of findings, and prints a line about the whole. Returns the exit
 * status. */
static int conclude(struct collected *from, const struct command_line *line, int status)
{
    struct findings *findings = &from->session->sinks->findings;
    const char *reason = from->findings == 0 ? unchecked(from) : NULL;
    const char *const *partial = from->partial.items;
    bool is_whole = reason == NULL && from->partial.count == 0;
    struct launch_record launch = {.launch = line->words[0], .files = from->files};
    bool fails = status != EXIT_CONFORMS && status != EXIT_UNAVAILABLE;
    /* A program's 2 and 3 do not mean what they mean for simtcheck. */
    int result = from->findings > 0 || status == EXIT_USAGE || status == EXIT_ENVIRONMENT
                     ? EXIT_DIFFERS
                 : !is_whole && status == EXIT_CONFORMS ? EXIT_ENVIRONMENT
                                                        : status;

    from->check.kernel = basename(line->words[0]);
    from->check.result = result == EXIT_CONFORMS      ? RESULT_PASS
                         : result == EXIT_UNAVAILABLE ? RESULT_SKIPPED
                         : result == EXIT_ENVIRONMENT ? RESULT_INCOMPLETE
                                                      : RESULT_FAIL;
    from->check.verdict = from->findings > 0           ? "findings"
                          : fails                      ? "program failed"
                          : result == EXIT_UNAVAILABLE ? "the program skipped itself"
                          : reason != NULL             ? "not checked"
                          : !is_whole                  ? "not fully checked"
                                                       : "no finding";
    from->check.cases = from->launches;
    if (status != EXIT_CONFORMS)
        from->check.note = memory_text(&findings->memory, "exit status %d of the program", status);
    findings->unit = "launch";
    if (from->repeated > 0)
        LIST_ADD(&findings->memory, &launch.remarks, const char *) = memory_text(
            &findings->memory, "repetitions that are not printed: %" PRIu64, from->repeated);
    findings_add_launch(findings, &launch);
    findings_add_check(findings, &from->check);
    for (size_t k = 0; k < from->partial.count; k++)
        error_report("not fully checked: %s", partial[k]);
    if (reason != NULL)
        error_report("%s", reason);
    findings_end_launch(
        findings, result == EXIT_CONFORMS || result == EXIT_UNAVAILABLE ? result : EXIT_DIFFERS);
    return result;
}

static int exec(const struct command_line *line, const struct session *session)
{
    struct collected collected = {.session = session,
                                  .check = {.kind = CHECKED_RUN, .engine = ENGINE_SIM}};
    char folder[TOOL_FOLDER], path[PATH_MAX];
    int status;

    session->sinks->findings.to = stderr; /* stdout belongs to the program */
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
    session->sinks->findings.has_colour =
        line->common->colour == 1 || (line->common->colour == 0 && colours_fit(stderr));
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* this process becomes the parent of orphans */
    if (set_environment(line, folder, session->sinks->findings.has_colour)) {
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

static const struct option_row rows[] = {
    {"model", "M", &option_choices, REQUEST_AT(struct exec_request, model, unsigned int),
     .help = "execution model of the simulator: lockstep or independent", .usual = "independent",
     .choices = model_choices},
    {"only", "PART", &option_choices, REQUEST_AT(struct exec_request, only, unsigned int),
     .help = "run: do not look for races", .usual = "all", .choices = only_choices},
    OPTION_ALLOW(
        "WHAT",
        .help =
            "leaks: memory that is not freed at the end; same-value: races in which both accesses "
            "write the same value; repeatable",
        .usual = "all fail", .choices = allow_choices),
    {.name = NULL},
};

static const struct option_part parts[] = {
    {rows, 0, NULL, NULL},
    {findings_rows, 0, NULL, NULL},
    {text_rows, 0, NULL, NULL},
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
