/* SPDX-License-Identifier: MIT */
#include "benchmark.h"

#include "error_report.h"
#include "exit_status.h"
#include "installation.h"
#include "json_model.h"
#include "record_speed.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

enum { SAID = 1 << 20 };

/* Returns whether the row belongs to a selected variant, or to a reference that kernels are
 * compared with. */
static bool is_wanted(const struct selection *selection, const struct catalogue *catalogue,
                      const struct benchmark_row *row)
{
    const struct variant *variant =
        row->kind <= VARIANT_CORRECTED ? catalogue_find(catalogue, row->kernel, row->kind) : NULL;

    return row->kind > VARIANT_CORRECTED || (variant != NULL && selection_has(selection, variant));
}

/* Reads the wanted rows from the program's output. Returns the exit status. */
static int read_rows(const struct selection *selection, const struct catalogue *catalogue,
                     const char *said, json_t **rows)
{
    json_error_t error;
    json_t *document = json_loads(said, 0, &error);
    struct memory memory = {NULL};
    struct benchmark_record benchmark;
    char why[512];
    bool good = false;

    if (document == NULL)
        error_report("the output of simtcheck-benchmark is not JSON: line %d: %s", error.line,
                     error.text);
    else if (!model_read(&benchmark_table, document, &benchmark, &memory, why, sizeof why))
        error_report("the output of simtcheck-benchmark is malformed: %s", why);
    else
        good = true;
    if (good)
        *rows = json_array();
    for (size_t r = 0; good && r < benchmark.benchmark.count; r++) {
        const struct benchmark_row *row =
            (const struct benchmark_row *)benchmark.benchmark.items + r;
        if (is_wanted(selection, catalogue, row))
            json_array_append_new(*rows, model_json(&benchmark_row_table, row));
    }
    memory_free(&memory);
    json_decref(document);
    return good ? EXIT_CONFORMS : EXIT_ENVIRONMENT;
}

int benchmark_measure(const struct selection *selection, const struct catalogue *catalogue,
                      json_t **rows)
{
    char path[4096], reason[512], *said;
    const char *const arguments[] = {path, NULL};
    int status;

    *rows = NULL;
    if (!installation_program("benchmark", "reduction benchmark", path, sizeof path, reason,
                              sizeof reason)) {
        error_report("%s", reason);
        return EXIT_UNAVAILABLE;
    }
    said = malloc(SAID);
    if (said == NULL) {
        error_report("out of memory");
        return EXIT_ENVIRONMENT;
    }
    status = tool_run_unlimited(arguments, said, SAID);
    if (status == EXIT_CONFORMS) {
        status = read_rows(selection, catalogue, said, rows);
    } else {
        said[strcspn(said, "\n")] = '\0';
        error_report("simtcheck-benchmark failed with exit status %d: %s", status, said);
        status = status == EXIT_UNAVAILABLE ? EXIT_UNAVAILABLE : EXIT_ENVIRONMENT;
    }
    free(said);
    return status;
}
