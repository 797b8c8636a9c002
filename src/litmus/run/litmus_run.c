/* SPDX-License-Identifier: MIT */
#include "litmus_run.h"

#include "error_report.h"
#include "exit_status.h"
#include "installation.h"
#include "litmus_kernel.h"
#include "litmus_report.h"
#include "parallel.h"
#include "tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a test is compiled. */
enum { BY_DRIVER, BY_PTXAS_0, BY_PTXAS_3, COMPILERS };
static const char *const compiler_names[COMPILERS] = {"the driver", "ptxas -O0", "ptxas -O3"};

/* What one compiler's kernel did. */
struct tally {
    unsigned long long all, weak, forbidden;
    char error[256]; /* why it did not run; empty: it ran */
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
    int architecture;
    struct compiler ptxas;
    char folder[TOOL_FOLDER];
    char worker[4096];
    struct entry *entries;
};

bool litmus_run_has_gpu(int *architecture, char *reason, size_t size)
{
    char path[4096], said[256];

    if (!installation_worker("litmus", path, sizeof path, reason, size))
        return false;
    if (tool_run_unlimited((const char *[]){path, NULL}, said, sizeof said) == 0 &&
        sscanf(said, "sm_%d", architecture) == 1)
        return true;
    return error_write(reason, size, "there is no GPU");
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

/* Writes a request for each test and compiler, in this order. */
static bool write_requests(const struct run *run, const char *path)
{
    FILE *file = fopen(path, "w");
    char image[TOOL_FOLDER + 32];

    if (file == NULL)
        return false;
    for (size_t k = 0; k < run->request->count; k++)
        for (int c = 0; c < COMPILERS && run->entries[k].skipped == NULL; c++) {
            const struct entry *entry = &run->entries[k];

            image_path(run, k, c, image, sizeof image);
            fprintf(file, "%s %d %d %d %d %d\n", image, entry->layout.blocks, entry->layout.cluster,
                    entry->layout.per_block, entry->test->variable_count, entry->test->term_count);
        }
    return fclose(file) == 0;
}

/* Prints an outcome that the model forbids, with where the threads ran. */
static void report_forbidden(const struct entry *entry, int compiler, const int *values,
                             unsigned long long count)
{
    char text[256], places[256] = "";

    litmus_outcome_text(entry->test, values, text, sizeof text);
    for (int t = 0; t < entry->test->thread_count; t++) {
        const struct litmus_thread *thread = &entry->test->threads[t];

        snprintf(places + strlen(places), sizeof places - strlen(places),
                 "%sP%d: block %d of cluster %d, warp %d", t > 0 ? "; " : "", t, thread->block,
                 thread->cluster, thread->warp);
    }
    printf("FORBIDDEN: %s: %s, %llu times, compiled by %s (%s)\n", entry->test->name, text, count,
           compiler_names[compiler], places);
}

/* Adds an outcome that the GPU had. */
static void add_outcome(struct entry *entry, int compiler, const int *values,
                        unsigned long long count)
{
    const size_t size = (size_t)entry->test->term_count * sizeof *values;
    struct tally *tally = &entry->tallies[compiler];
    const struct litmus_outcome *found = NULL;

    for (size_t k = 0; k < entry->outcomes.count; k++)
        if (memcmp(entry->outcomes.list[k].values, values, size) == 0)
            found = &entry->outcomes.list[k];
    tally->all += count;
    if (found == NULL || !found->is_allowed) {
        tally->forbidden += count;
        report_forbidden(entry, compiler, values, count);
    } else if (!found->is_sequential)
        tally->weak += count;
}

/* Returns the entry of a request, and its compiler. */
static struct entry *entry_of(const struct run *run, long request, int *compiler)
{
    for (size_t k = 0; k < run->request->count; k++) {
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
static bool read_result(const struct run *run, const char *line)
{
    int values[LITMUS_TERMS] = {0}, compiler;
    char *at;
    struct entry *entry = entry_of(run, strtol(line, &at, 10), &compiler);
    unsigned long long count;

    if (entry == NULL || at == line)
        return false;
    if (strncmp(at, " error ", strlen(" error ")) == 0) {
        if (entry->tallies[compiler].error[0] == '\0')
            snprintf(entry->tallies[compiler].error, sizeof entry->tallies[compiler].error, "%.*s",
                     (int)strcspn(at + 7, "\n"), at + 7);
        return true;
    }
    count = strtoull(at, &at, 10);
    for (int term = 0; term < entry->test->term_count; term++)
        values[term] = (int)strtol(at, &at, 10);
    add_outcome(entry, compiler, values, count);
    return *at == '\n';
}

static bool read_results(const struct run *run, const char *path)
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

/* Runs all requests. Returns false after an error message. */
static bool run_worker(const struct run *run)
{
    char requests[TOOL_FOLDER + 16], results[TOOL_FOLDER + 16], launches[24], seed[24], said[512];
    const char *arguments[] = {run->worker, requests, results, launches, seed, NULL};
    int status;

    snprintf(requests, sizeof requests, "%s/requests", run->folder);
    snprintf(results, sizeof results, "%s/results", run->folder);
    snprintf(launches, sizeof launches, "%llu", (unsigned long long)run->request->launches);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)run->request->seed);
    if (!write_requests(run, requests))
        return error_report("cannot write '%s': %s", requests, strerror(errno));
    status = tool_run_unlimited(arguments, said, sizeof said);
    if (!read_results(run, results))
        return error_report("the worker for litmus tests wrote no results, or malformed ones");
    return status == 0 ||
           error_report("the worker for litmus tests ended with status %d: %s", status, said);
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

/* Prints all rows. Returns the exit status: a test that did not run is no pass. */
static int print_report(const struct run *run)
{
    size_t weak = 0, forbidden = 0, skipped = 0, failed = 0;

    printf("%-44s %-10s %12s %12s %12s\n", "weak outcomes of", "model", "driver", "ptxas -O0",
           "ptxas -O3");
    for (size_t k = 0; k < run->request->count; k++) {
        const struct entry *entry = &run->entries[k];
        bool any_weak = false, any_forbidden = false, any_missing = false;

        print_row(entry);
        for (int c = 0; c < COMPILERS; c++) {
            any_weak = any_weak || entry->tallies[c].weak > 0;
            any_forbidden = any_forbidden || entry->tallies[c].forbidden > 0;
            any_missing = any_missing || entry->tallies[c].all == 0;
        }
        weak += any_weak;
        forbidden += any_forbidden;
        skipped += entry->skipped != NULL;
        failed += entry->skipped == NULL && any_missing;
    }
    printf(
        "%zu tests; %zu had an outcome that sequential consistency forbids; %zu had one that the "
        "model forbids; %zu skipped; %zu did not run with each compiler\n",
        run->request->count, weak, forbidden, skipped, failed);
    if (forbidden > 0)
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

static int run_all(struct run *run)
{
    char error[512];
    bool is_complete;
    int status;

    if (!installation_worker("litmus", run->worker, sizeof run->worker, error, sizeof error) ||
        !compiler_list_open(run->request->ptxas, "ptxas", 0, &run->ptxas, error, sizeof error)) {
        error_report("%s", error);
        return EXIT_ENVIRONMENT;
    }
    if (!prepare(run))
        return EXIT_USAGE;
    if (!tool_make_folder("litmus", run->folder)) {
        error_report("cannot make a folder for temporary files: %s", strerror(errno));
        return EXIT_ENVIRONMENT;
    }
    parallel_for(run->request->count, compile, run);
    is_complete = run_worker(run);
    status = print_report(run);
    return is_complete || status == EXIT_DIFFERS ? status : EXIT_ENVIRONMENT;
}

int litmus_run(const struct litmus_run_request *request, int architecture)
{
    struct run run = {.request = request, .architecture = architecture};
    int status;

    run.entries = calloc(request->count, sizeof *run.entries);
    if (run.entries == NULL) {
        error_report("out of memory");
        return EXIT_ENVIRONMENT;
    }
    status = run_all(&run);
    if (!tool_remove_folder(run.folder))
        error_report("cannot remove '%s': %s", run.folder, strerror(errno));
    for (size_t k = 0; k < request->count; k++)
        free(run.entries[k].outcomes.list);
    free(run.entries);
    return status;
}
