/* SPDX-License-Identifier: MIT */
#include "litmus_run.h"

#include "error_report.h"
#include "expected.h"
#include "installation.h"
#include "interrupt.h"
#include "json_model.h"
#include "litmus_kernel.h"
#include "litmus_report.h"
#include "parallel.h"
#include "record_litmus.h"
#include "tool.h"
#include "wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a test is compiled. */
enum { BY_DRIVER, BY_PTXAS_0, BY_PTXAS_3, COMPILERS };
static const char *const compiler_names[COMPILERS] = {"the driver", "ptxas -O0", "ptxas -O3"};
static const char *const compiler_words[COMPILERS] = {"driver", "ptxas -O0", "ptxas -O3"};

/* The worker runs this many tests at a time. Then their results are saved. */
enum { BATCH = 64 };

/* What one compiler's kernel did. */
struct tally {
    unsigned long long all, weak, forbidden;
    bool fails;           /* a forbidden outcome is no known deviation */
    char error[256];      /* why it did not run; empty: it ran */
    struct list outcomes; /* of struct litmus_outcome_record */
};

struct entry {
    const struct litmus_test *test;
    struct litmus_layout layout;
    struct litmus_outcomes outcomes;
    const char *skipped; /* why it does not run on this GPU; or null */
    struct tally tallies[COMPILERS];
};

struct run {
    const struct litmus_run_request *request;
    const struct session *session;
    int architecture;
    struct compiler ptxas;
    char folder[TOOL_FOLDER];
    char worker[4096];
    struct entry *entries;
    size_t first, end; /* the entries of the batch; those before have run */
    struct litmus_environment environment;
    struct memory memory; /* of the environment and the outcomes */
};

/* Returns the release of the driver, or null if it is unknown. */
static const char *driver_release(struct memory *memory)
{
    char said[256];

    if (tool_run((const char *[]){"nvidia-smi", "--query-gpu=driver_version",
                                  "--format=csv,noheader", NULL},
                 said, sizeof said) != 0)
        return NULL;
    said[strcspn(said, "\n")] = '\0';
    return memory_copy(memory, said);
}

/* Finds the worker and the GPU. Otherwise `reason` says why there is none. */
static bool find_gpu(struct run *run, char *reason, size_t size)
{
    char said[256];
    int before = 0;

    if (!installation_worker("litmus", run->worker, sizeof run->worker, reason, size))
        return false;
    if (tool_run_unlimited((const char *[]){run->worker, NULL}, said, sizeof said) != 0 ||
        sscanf(said, "sm_%d %n", &run->architecture, &before) != 1)
        return error_write(reason, size, "there is no GPU");
    said[strcspn(said, "\n")] = '\0';
    run->environment.gpu = memory_copy(&run->memory, said + before);
    run->environment.architecture = memory_text(&run->memory, "sm_%d", run->architecture);
    run->environment.driver = driver_release(&run->memory);
    return true;
}

/* ---- Compilation ---- */

static void image_path(const struct run *run, size_t number, int compiler, char *path, size_t size)
{
    static const char *const endings[COMPILERS] = {"ptx", "O0.cubin", "O3.cubin"};

    snprintf(path, size, "%s/%zu.%s", run->folder, number, endings[compiler]);
}

static bool write_kernel(const struct run *run, size_t number)
{
    const struct entry *entry = &run->entries[number];
    char path[TOOL_FOLDER + 32];
    FILE *file;

    image_path(run, number, BY_DRIVER, path, sizeof path);
    file = fopen(path, "w");
    if (file == NULL)
        return false;
    litmus_kernel_write(entry->test, &entry->layout, run->architecture, file);
    return fclose(file) == 0;
}

/* Compiles a test by each compiler. */
static void compile(void *context, size_t number)
{
    struct run *run = context;
    struct entry *entry = &run->entries[number];
    char ptx[TOOL_FOLDER + 32], cubin[TOOL_FOLDER + 32], architecture[16];

    if (entry->skipped != NULL)
        return;
    image_path(run, number, BY_DRIVER, ptx, sizeof ptx);
    snprintf(architecture, sizeof architecture, "sm_%d", run->architecture);
    for (int c = BY_DRIVER; c < COMPILERS; c++) {
        struct tally *tally = &entry->tallies[c];

        image_path(run, number, c, cubin, sizeof cubin);
        if (c == BY_DRIVER) {
            if (!write_kernel(run, number))
                error_write(tally->error, sizeof tally->error, "cannot write '%s': %s", ptx,
                            strerror(errno));
        } else
            build_machine_code(&run->ptxas, architecture, c == BY_PTXAS_0 ? 0 : 3, ptx, cubin,
                               tally->error, sizeof tally->error);
    }
}

/* ---- The worker ---- */

/* Writes a request for each test of the batch and each compiler, in this order. */
static bool write_requests(const struct run *run, const char *path)
{
    FILE *file = fopen(path, "w");
    char image[TOOL_FOLDER + 32];

    if (file == NULL)
        return false;
    for (size_t k = run->first; k < run->end; k++)
        for (int c = 0; c < COMPILERS && run->entries[k].skipped == NULL; c++) {
            const struct entry *entry = &run->entries[k];

            image_path(run, k, c, image, sizeof image);
            fprintf(file, "%s %d %d %d %d %d\n", image, entry->layout.blocks, entry->layout.cluster,
                    entry->layout.per_block, entry->test->variable_count, entry->test->term_count);
        }
    return fclose(file) == 0;
}

/* Prints an outcome that the model forbids, with where the threads ran. */
static void report_forbidden(const struct session *session, const struct entry *entry, int compiler,
                             const struct litmus_outcome_record *outcome)
{
    char places[256];

    litmus_places_text(entry->test, places, sizeof places);
    printf("%s: %s: %s, %llu times, compiled by %s (%s)\n",
           outcome->known_deviation != NULL ? "forbidden (known deviation)" : "FORBIDDEN",
           entry->test->name, outcome->outcome, (unsigned long long)outcome->count,
           compiler_names[compiler], places);
    if (outcome->known_deviation != NULL)
        expected_print(session, outcome->known_deviation);
}

/* ---- Known deviations ---- */

static struct test_platform platform_by(const struct run *run, int compiler)
{
    const struct litmus_environment *environment = &run->environment;

    return (struct test_platform){.gpu = environment->gpu,
                                  .architecture = environment->architecture,
                                  .driver = environment->driver,
                                  .compiler = compiler_words[compiler],
                                  .compiler_version = compiler == BY_DRIVER ? environment->driver
                                                                            : environment->ptxas};
}

/* Returns the known deviation that explains a forbidden outcome, or null. */
static const struct known_deviation *find_known(const struct run *run, const struct entry *entry,
                                                int compiler, const char *outcome)
{
    struct expectations *expectations = run->session->sinks->expectations;
    const struct test_platform platform = platform_by(run, compiler);
    const struct expected_failure *found = NULL;

    if (expectations != NULL)
        found = expectations_take_failure(expectations, EXPECT_LITMUS, entry->test->name, &platform,
                                          &outcome, 1);
    return found != NULL ? &found->known : NULL;
}

/* Takes the tests of the batch that had no forbidden outcome. */
static void take_passes(struct run *run)
{
    struct expectations *expectations = run->session->sinks->expectations;

    for (size_t k = run->first; expectations != NULL && k < run->end; k++)
        for (int c = 0; c < COMPILERS; c++) {
            const struct tally *tally = &run->entries[k].tallies[c];
            const struct test_platform platform = platform_by(run, c);

            if (tally->all > 0 && tally->forbidden == 0)
                expectations_take_pass(expectations, EXPECT_LITMUS, run->entries[k].test->name,
                                       &platform);
        }
}

static void note_tests(struct expectations *expectations, const struct litmus_test *tests,
                       size_t count)
{
    for (size_t k = 0; k < count; k++)
        expectations_note(expectations, EXPECT_LITMUS, tests[k].name);
}

/* Notes the built-in tests, and those of the user's files. */
static void note_all(const struct run *run)
{
    struct expectations *expectations = run->session->sinks->expectations;
    struct litmus_tests tests = {.count = 0};
    char error[256];

    if (expectations == NULL)
        return;
    note_tests(expectations, run->request->tests, run->request->count);
    expectations->has_all[EXPECT_LITMUS] =
        litmus_read(litmus_collection, &tests, error, sizeof error);
    note_tests(expectations, tests.list, tests.count);
    free(tests.list);
}

/* ---- Results ---- */

static enum litmus_class class_of(const struct entry *entry, const int *values)
{
    const size_t size = (size_t)entry->test->term_count * sizeof *values;
    const struct litmus_outcome *found = NULL;

    for (size_t k = 0; k < entry->outcomes.count; k++)
        if (memcmp(entry->outcomes.list[k].values, values, size) == 0)
            found = &entry->outcomes.list[k];
    if (found == NULL || !found->is_allowed)
        return LITMUS_FORBIDDEN;
    return found->is_sequential ? LITMUS_SEQUENTIAL : LITMUS_WEAK;
}

/* Adds an outcome that the GPU had. */
static void add_outcome(struct run *run, struct entry *entry, int compiler, const int *values,
                        unsigned long long count, unsigned long long launches)
{
    const enum litmus_class class = class_of(entry, values);
    struct tally *tally = &entry->tallies[compiler];
    struct litmus_outcome_record outcome = {.class = class, .count = count, .launches = launches};
    char text[256];

    litmus_outcome_text(entry->test, values, text, sizeof text);
    outcome.outcome = memory_copy(&run->memory, text);
    if (class == LITMUS_FORBIDDEN)
        outcome.known_deviation = find_known(run, entry, compiler, text);
    LIST_ADD(&run->memory, &tally->outcomes, struct litmus_outcome_record) = outcome;
    tally->all += count;
    if (class == LITMUS_WEAK)
        tally->weak += count;
    if (class != LITMUS_FORBIDDEN)
        return;
    tally->forbidden += count;
    tally->fails = tally->fails || outcome.known_deviation == NULL;
    report_forbidden(run->session, entry, compiler, &outcome);
}

/* Returns the entry of a request, and its compiler. */
static struct entry *entry_of(const struct run *run, long request, int *compiler)
{
    for (size_t k = run->first; k < run->end; k++) {
        if (run->entries[k].skipped != NULL)
            continue;
        if (request < COMPILERS) {
            *compiler = (int)request;
            return &run->entries[k];
        }
        request -= COMPILERS;
    }
    return NULL;
}

/* Reads a line of results. Returns false if it is malformed. */
static bool read_result(struct run *run, const char *line)
{
    int values[LITMUS_TERMS] = {0}, compiler;
    char *at;
    struct entry *entry = entry_of(run, strtol(line, &at, 10), &compiler);
    unsigned long long count, launches;

    if (entry == NULL || at == line)
        return false;
    if (strncmp(at, " error ", strlen(" error ")) == 0) {
        if (entry->tallies[compiler].error[0] == '\0')
            snprintf(entry->tallies[compiler].error, sizeof entry->tallies[compiler].error, "%.*s",
                     (int)strcspn(at + 7, "\n"), at + 7);
        return true;
    }
    count = strtoull(at, &at, 10);
    launches = strtoull(at, &at, 10);
    for (int term = 0; term < entry->test->term_count; term++)
        values[term] = (int)strtol(at, &at, 10);
    if (*at != '\n')
        return false;
    add_outcome(run, entry, compiler, values, count, launches);
    return true;
}

static bool read_results(struct run *run, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512];
    bool good = file != NULL;

    while (good && fgets(line, sizeof line, file) != NULL)
        good = read_result(run, line);
    if (file != NULL)
        fclose(file);
    return good;
}

/* Runs the tests of the batch. Returns false after an error message or an interrupt. */
static bool run_worker(struct run *run)
{
    char requests[TOOL_FOLDER + 16], results[TOOL_FOLDER + 16], launches[24], seed[24], said[512];
    const char *arguments[] = {run->worker, requests, results, launches, seed, NULL};
    bool has_results;
    int status;

    snprintf(requests, sizeof requests, "%s/requests", run->folder);
    snprintf(results, sizeof results, "%s/results", run->folder);
    snprintf(launches, sizeof launches, "%llu", (unsigned long long)run->request->launches);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)run->request->seed + run->first);
    if (!write_requests(run, requests))
        return error_report("cannot write '%s': %s", requests, strerror(errno));
    status = tool_run_unlimited(arguments, said, sizeof said);
    has_results = read_results(run, results);
    if (interrupt_came())
        return false;
    if (!has_results)
        return error_report("the worker for litmus tests wrote no results, or malformed ones");
    return status == 0 ||
           error_report("the worker for litmus tests ended with status %d: %s", status, said);
}

/* ---- The record ---- */

static struct litmus_row row_of(const struct run *run, const struct entry *entry, int compiler,
                                struct memory *memory)
{
    const struct tally *tally = &entry->tallies[compiler];
    const bool has_failed = entry->skipped == NULL && tally->all == 0;
    char scopes[64], places[256];

    litmus_scopes_text(entry->test, scopes, sizeof scopes);
    litmus_places_text(entry->test, places, sizeof places);
    return (struct litmus_row){
        .test = entry->test->name,
        .compiler = compiler_words[compiler],
        .scopes = memory_copy(memory, scopes),
        .threads = memory_copy(memory, places),
        .skipped = entry->skipped,
        .error = !has_failed               ? NULL
                 : tally->error[0] != '\0' ? tally->error
                                           : "the worker ended before this test",
        .launches = tally->all > 0 ? run->request->launches : 0,
        .instances = tally->all,
        .outcomes = tally->outcomes,
    };
}

/* Saves the results of all tests up to the end of the batch. `skipped`: why no test runs, or null.
 * Returns false after an error message. */
static bool save(struct run *run, const char *skipped, bool is_complete)
{
    struct memory memory = {NULL};
    struct litmus_record record = {
        .version = LITMUS_VERSION,
        .complete = is_complete,
        .environment = run->environment,
        .options = {.launches = run->request->launches, .seed = run->request->seed},
        .skipped = skipped,
    };
    json_t *value;

    for (size_t k = 0; k < run->end; k++)
        for (int c = 0; c < COMPILERS; c++)
            LIST_ADD(&memory, &record.rows, struct litmus_row) =
                row_of(run, &run->entries[k], c, &memory);
    value = model_json(&litmus_table, &record);
    memory_free(&memory);
    return session_save(run->session, value);
}

/* ---- The report ---- */

static void print_row(const struct entry *entry)
{
    printf("%-44s %-10s", entry->test->name,
           litmus_is_allowed(entry->test, &entry->outcomes) ? "allowed" : "forbidden");
    for (int c = 0; c < COMPILERS && entry->skipped == NULL; c++) {
        if (entry->tallies[c].all > 0)
            printf(" %12llu", entry->tallies[c].weak);
        else
            printf(" %12s", "not run");
    }
    printf("%s%s\n", entry->skipped != NULL ? " skipped: " : "",
           entry->skipped != NULL ? entry->skipped : "");
    for (int c = 0; c < COMPILERS; c++)
        if (entry->tallies[c].error[0] != '\0')
            printf("    compiled by %s: %s\n", compiler_names[c], entry->tallies[c].error);
}

/* Prints all rows. Returns the exit status: a test that did not run does not pass. */
static int print_report(const struct run *run)
{
    size_t weak = 0, forbidden = 0, known = 0, skipped = 0, failed = 0;

    if (!run->request->is_brief)
        printf("%-44s %-10s %12s %12s %12s\n", "weak outcomes of", "model", compiler_words[0],
               compiler_words[1], compiler_words[2]);
    for (size_t k = 0; k < run->request->count; k++) {
        const struct entry *entry = &run->entries[k];
        bool any_weak = false, any_forbidden = false, any_missing = false, fails = false;

        if (!run->request->is_brief)
            print_row(entry);
        for (int c = 0; c < COMPILERS; c++) {
            any_weak = any_weak || entry->tallies[c].weak > 0;
            any_forbidden = any_forbidden || entry->tallies[c].forbidden > 0;
            any_missing = any_missing || entry->tallies[c].all == 0;
            fails = fails || entry->tallies[c].fails;
        }
        weak += any_weak;
        forbidden += any_forbidden;
        known += any_forbidden && !fails;
        skipped += entry->skipped != NULL;
        failed += entry->skipped == NULL && any_missing;
    }
    printf(
        "%zu tests; %zu had an outcome that sequential consistency forbids; %zu had one that the "
        "model forbids; %zu skipped; %zu did not run with each compiler\n",
        run->request->count, weak, forbidden, skipped, failed);
    if (known > 0)
        printf("%zu of those with a forbidden outcome are known deviations\n", known);
    if (forbidden > known)
        return EXIT_DIFFERS;
    return failed > 0 || skipped == run->request->count ? EXIT_ENVIRONMENT : EXIT_CONFORMS;
}

/* ---- All together ---- */

static bool uses_clusters(const struct litmus_test *test, const struct litmus_layout *layout)
{
    for (int t = 0; t < test->thread_count; t++)
        for (int k = 0; k < test->threads[t].count; k++)
            if (test->threads[t].instructions[k].scope == SCOPE_CLUSTER)
                return true;
    return layout->cluster > 1;
}

/* Prepares all entries. Returns false after an error message. */
static bool prepare(struct run *run)
{
    char error[256];

    for (size_t k = 0; k < run->request->count; k++) {
        struct entry *entry = &run->entries[k];

        entry->test = &run->request->tests[k];
        entry->skipped = litmus_layout_of(entry->test, &entry->layout);
        if (entry->skipped == NULL && run->architecture < 90 &&
            uses_clusters(entry->test, &entry->layout))
            entry->skipped = "clusters need compute capability 9.0";
        if (!litmus_outcomes_of(entry->test, AXIOMS_ALL, &entry->outcomes, error, sizeof error))
            return error_report("%s", error);
    }
    return true;
}

/* Runs and saves one batch after the other. Returns false after an error message or an interrupt.
 */
static bool run_batches(struct run *run)
{
    const size_t count = run->request->count;
    bool good = true;

    while (good && run->end < count) {
        run->first = run->end;
        run->end = count - run->first < BATCH ? count : run->first + BATCH;
        good = run_worker(run);
        take_passes(run);
        good = save(run, NULL, good && run->end == count) && good;
    }
    return good;
}

/* Saves that no test runs. Returns the exit status. */
static int skip_all(struct run *run, const char *reason)
{
    error_report("the litmus tests did not run: %s; 'simtcheck litmus --model' prints what the "
                 "model allows",
                 reason);
    if (!save(run, reason, false))
        return EXIT_ENVIRONMENT;
    return session_requires(run->session, ENGINE_CUDA) ? EXIT_ENVIRONMENT : EXIT_UNAVAILABLE;
}

static int run_all(struct run *run)
{
    bool is_complete;
    int status;

    if (!prepare(run))
        return EXIT_USAGE;
    if (!tool_make_folder("litmus", run->folder)) {
        error_report("cannot make a folder for temporary files: %s", strerror(errno));
        return EXIT_ENVIRONMENT;
    }
    if (!save(run, NULL, false))
        return EXIT_ENVIRONMENT;
    note_all(run);
    parallel_for(run->request->count, compile, run);
    is_complete = run_batches(run);
    status = session_interrupted(print_report(run));
    return is_complete || status == EXIT_DIFFERS ? status : EXIT_ENVIRONMENT;
}

int litmus_run(const struct litmus_run_request *request, const struct session *session)
{
    struct run run = {.request = request,
                      .session = session,
                      .environment = {.simtcheck = SIMTCHECK_VERSION, .build = build_identity}};
    char reason[512];
    int status;

    run.entries = calloc(request->count, sizeof *run.entries);
    if (run.entries == NULL) {
        error_report("out of memory");
        return EXIT_ENVIRONMENT;
    }
    interrupt_catch();
    if (find_gpu(&run, reason, sizeof reason) &&
        compiler_list_open(request->ptxas, "ptxas", 0, &run.ptxas, reason, sizeof reason)) {
        run.environment.ptxas = run.ptxas.version;
        status = run_all(&run);
    } else {
        status = skip_all(&run, reason);
    }
    if (!tool_remove_folder(run.folder))
        error_report("cannot remove '%s': %s", run.folder, strerror(errno));
    for (size_t k = 0; k < request->count; k++)
        free(run.entries[k].outcomes.list);
    free(run.entries);
    memory_free(&run.memory);
    return status;
}

int litmus_run_built_in(const struct compiler_list *ptxas, uint64_t launches,
                        const struct session *session)
{
    struct litmus_tests tests = {.count = 0};
    char error[256];
    int status = EXIT_ENVIRONMENT;

    if (litmus_read(litmus_collection, &tests, error, sizeof error)) {
        const struct litmus_run_request request = {.tests = tests.list,
                                                   .count = tests.count,
                                                   .ptxas = ptxas,
                                                   .launches = launches,
                                                   .seed = 1,
                                                   .is_brief = true};
        status = litmus_run(&request, session);
    } else {
        error_report("built-in tests:%s", error);
    }
    free(tests.list);
    return status;
}
