/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include "difference.h"
#include "error_report.h"
#include "kinds.h"
#include "members.h"
#include "part.h"

#include <inttypes.h>
#include <stdio.h>

/* Reads a snapshot, or a file that is compared as one. Sets *kind to what the file is. Returns null
 * after an error message that names file and location. */
static json_t *read_snapshot(const char *path, const struct results_kind **kind)
{
    json_t *document = results_load(path, "snapshot"), *snapshot;
    char why[512];

    if (document == NULL)
        return NULL;
    *kind = results_kind_of(document);
    if (*kind != NULL && (*kind)->as_snapshot != NULL)
        snapshot = (*kind)->as_snapshot(document, why, sizeof why);
    else
        snapshot = difference_fits(document, why, sizeof why) ? json_incref(document) : NULL;
    if (snapshot == NULL)
        error_report("%s: %s", path, why);
    json_decref(document);
    return snapshot;
}

static void print_partial(bool complete, const char *path)
{
    if (!complete)
        printf("%s is partial: the run stopped early\n", path);
}

static void print_environment(const struct list *facts, struct memory *memory)
{
    const struct fact_record *fact = facts->items;

    for (size_t f = 0; f < facts->count; f++)
        printf("environment %s: %s -> %s\n", fact[f].key, memory_json(memory, fact[f].before),
               memory_json(memory, fact[f].after));
    if (facts->count == 0)
        puts("environment: the same");
}

/* Says which parts of the snapshot are not compared. */
static void print_unknown(const char *path, const json_t *snapshot)
{
    const char *part;

    for (size_t k = 0; (part = part_unknown(snapshot, k)) != NULL; k++)
        printf("%s: the part %s is not compared: this program was built without it\n", path, part);
}

static void print_rows(const struct list *rows)
{
    for (size_t r = 0; r < rows->count; r++) {
        const struct change_record *row = (const struct change_record *)rows->items + r;
        const char *const *details = row->details.items;
        if (row->change == CHANGE_SAME)
            continue;
        printf("%-10s %-9s %s", change_name(row->change), row->part, row->row);
        for (size_t d = 0; d < row->details.count; d++)
            printf("%s%s", d == 0 ? ": " : "; ", details[d]);
        putchar('\n');
    }
}

static void print_machine(const struct list *machine)
{
    const struct named_value *engines = machine->items;
    char text[128];

    for (size_t k = 0; k < machine->count; k++)
        if (machine_text(engines[k].name, engines[k].number, text, sizeof text))
            printf("throughput of %s\n", text);
}

static void print_counts(const uint64_t counts[CHANGES])
{
    for (int change = CHANGES - 1; change >= 0; change--)
        printf("%" PRIu64 " %s%s", counts[change], change_name((enum change)change),
               change > 0 ? ", " : "\n");
}

/* Compares the snapshots, saves and prints the result. Returns the exit status. */
static int compare_both(const struct session *session, const char *old_path,
                        const json_t *old_snapshot, const char *new_path,
                        const json_t *new_snapshot)
{
    struct memory memory = {NULL};
    const struct comparison_record record =
        difference_record(old_path, old_snapshot, new_path, new_snapshot, &memory);
    bool worse = record.counts[CHANGE_REGRESSION] > 0 || record.counts[CHANGE_MISSING] > 0;
    bool saved = session_save(session, model_json(&comparison_table, &record));

    print_partial(record.old_complete, old_path);
    print_partial(record.new_complete, new_path);
    print_unknown(old_path, old_snapshot);
    print_unknown(new_path, new_snapshot);
    print_environment(&record.environment, &memory);
    print_machine(&record.machine);
    print_rows(&record.rows);
    print_counts(record.counts);
    memory_free(&memory);
    if (!saved)
        return EXIT_ENVIRONMENT;
    return worse ? EXIT_DIFFERS : EXIT_CONFORMS;
}

int compare_snapshots(const char *old_path, const char *new_path, const struct session *session)
{
    const struct results_kind *kinds[2];
    json_t *old_snapshot = read_snapshot(old_path, &kinds[0]),
           *new_snapshot = old_snapshot != NULL ? read_snapshot(new_path, &kinds[1]) : NULL;
    int status = EXIT_USAGE;

    if (new_snapshot != NULL && kinds[0] != kinds[1]) {
        int snapshot = kinds[1] == &results_kinds[RESULTS_SNAPSHOT];
        error_report("%s is a snapshot and %s a file of %s: give two of the same kind",
                     snapshot ? new_path : old_path, snapshot ? old_path : new_path,
                     kinds[!snapshot]->name);
    } else if (new_snapshot != NULL)
        status = compare_both(session, old_path, old_snapshot, new_path, new_snapshot);
    json_decref(old_snapshot);
    json_decref(new_snapshot);
    return status;
}
