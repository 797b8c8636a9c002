/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include "complain.h"
#include "difference_rates.h"
#include "members.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Null after one sentence that names file and place. */
static json_t *read_snapshot(const char *path)
{
    json_error_t error;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    char why[256];

    if (document == NULL && error.line > 0)
        complain("%s:%d:%d: this is no whole snapshot: %s", path, error.line, error.column,
                 error.text);
    else if (document == NULL)
        complain("%s", error.text);
    if (document == NULL || difference_fits(document, why, sizeof why))
        return document;
    complain("%s: %s", path, why);
    json_decref(document);
    return NULL;
}

static void print_partial(const json_t *report, const char *path, const char *complete)
{
    if (!json_is_true(json_object_get(report, complete)))
        printf("%s is partial: its snapshot was ended before all was in it\n", path);
}

static void print_environment(const json_t *facts)
{
    json_t *fact;
    size_t f;

    json_array_foreach(facts, f, fact)
    {
        char *before = json_dumps(json_object_get(fact, "old"), JSON_ENCODE_ANY | JSON_COMPACT),
             *after = json_dumps(json_object_get(fact, "new"), JSON_ENCODE_ANY | JSON_COMPACT);
        printf("environment %s: %s -> %s\n", json_string_value(json_object_get(fact, "key")),
               before != NULL ? before : "", after != NULL ? after : "");
        free(before);
        free(after);
    }
    if (json_array_size(facts) == 0)
        puts("environment: the same");
}

static void print_rows(const json_t *rows)
{
    json_t *row, *detail;
    size_t r, d;

    json_array_foreach(rows, r, row)
    {
        const char *change = json_string_value(json_object_get(row, "change"));
        if (strcmp(change, change_name(CHANGE_SAME)) == 0)
            continue;
        printf("%-10s %-9s %s", change, json_string_value(json_object_get(row, "part")),
               json_string_value(json_object_get(row, "row")));
        json_array_foreach(json_object_get(row, "details"), d, detail)
        {
            printf("%s%s", d == 0 ? ": " : "; ", json_string_value(detail));
        }
        putchar('\n');
    }
}

static void print_machine(json_t *machine)
{
    json_t *share;
    const char *engine;
    char text[128];

    json_object_foreach(machine, engine, share)
    {
        if (rates_machine_tells(engine, share, text, sizeof text))
            printf("rates of %s\n", text);
    }
}

static json_int_t count_of(const json_t *report, enum change change)
{
    return number_in(json_object_get(report, "counts"), change_name(change));
}

static void print_counts(const json_t *report)
{
    for (int change = CHANGES - 1; change >= 0; change--)
        printf("%" JSON_INTEGER_FORMAT " %s%s", count_of(report, (enum change)change),
               change_name((enum change)change), change > 0 ? ", " : "\n");
}

/* Compares, writes and prints; returns the exit status. */
static int compare_both(struct session *session, const char *old_path, const json_t *old_snapshot,
                        const char *new_path, const json_t *new_snapshot)
{
    json_t *report = difference_report(old_path, old_snapshot, new_path, new_snapshot);
    bool worse = count_of(report, CHANGE_REGRESSION) > 0 || count_of(report, CHANGE_MISSING) > 0;
    bool saved = session_save(session, json_incref(report));

    print_partial(report, old_path, "old_complete");
    print_partial(report, new_path, "new_complete");
    print_environment(json_object_get(report, "environment"));
    print_machine(json_object_get(report, "machine"));
    print_rows(json_object_get(report, "rows"));
    print_counts(report);
    json_decref(report);
    if (!saved)
        return EXIT_ENVIRONMENT;
    return worse ? EXIT_DIFFERS : EXIT_CONFORMS;
}

int compare_snapshots(const char *old_path, const char *new_path, struct session *session)
{
    json_t *old_snapshot = read_snapshot(old_path),
           *new_snapshot = old_snapshot != NULL ? read_snapshot(new_path) : NULL;
    int status = EXIT_USAGE;

    if (new_snapshot != NULL)
        status = compare_both(session, old_path, old_snapshot, new_path, new_snapshot);
    json_decref(old_snapshot);
    json_decref(new_snapshot);
    return status;
}
