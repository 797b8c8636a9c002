/* SPDX-License-Identifier: MIT
 *
 * Converts the reports of all commands to rows of one kind, with an "id", for comparison with the
 * clean run.
 */
#include "faults.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool has_one(const char *text, const char *words)
{
    while (words != NULL && *words != '\0') {
        size_t length = strcspn(words, "|");
        if (memmem(text, strlen(text), words, length) != NULL)
            return true;
        words += length + (words[length] == '|');
    }
    return false;
}

/* Adds the rows of a part of a report. If `ends_early`, the last row may have fewer cases. Returns
 * false if `some` has no rows. */
static bool add_rows(json_t *rows, const json_t *some, const char *part, bool ends_early)
{
    json_t *row;
    size_t r;

    json_array_foreach(some, r, row)
    {
        if (!json_is_object(row) || json_object_get(row, "id") == NULL)
            return false;
        json_object_set_new(row, "part", json_string(part));
        if (ends_early && r + 1 == json_array_size(some))
            json_object_set_new(row, "partial", json_true());
        json_array_append(rows, row);
    }
    return json_is_array(some);
}

static bool add_run(json_t *rows, const json_t *run)
{
    return add_rows(rows, json_object_get(run, "results"), "run",
                    json_is_false(json_object_get(run, "complete")));
}

/* Adds a row of counters, whose members are the same in every run. */
static bool add_counters(json_t *rows, json_t *row, const char *part)
{
    char *all = json_dumps(row, JSON_SORT_KEYS | JSON_COMPACT);
    json_t *id = json_object_get(row, "id");

    if (id != NULL)
        json_array_append_new(rows, json_pack("{s:O, s:O?, s:s, s:s}", "id", id, "variant",
                                              json_object_get(row, "variant"), "part", part,
                                              "verdict", all != NULL ? all : ""));
    free(all);
    return id != NULL;
}

/* Adds the rows of a snapshot. A part that was not requested or not started is null. Any other part
 * has an array per engine. */
static bool add_snapshot(json_t *rows, const json_t *report)
{
    json_t *run = json_object_get(report, "run"), *races = json_object_get(report, "races"),
           *counters = json_object_get(report, "counters"), *some, *row;
    bool good = run != NULL && races != NULL && counters != NULL &&
                (json_is_null(run) || add_run(rows, run));
    const char *engine;
    size_t r;

    json_object_foreach(races, engine, some) good = add_rows(rows, some, "races", false) && good;
    json_object_foreach(counters, engine, some)
    {
        good = json_is_array(some) && good;
        json_array_foreach(some, r, row) good = add_counters(rows, row, "counters") && good;
    }
    return good;
}

/* Returns true if the command ended before it had listed the compilers. */
static bool ended_at_once(const json_t *report)
{
    return json_is_array(json_object_get(report, "stages")) &&
           json_is_false(json_object_get(report, "complete")) &&
           json_integer_value(json_object_get(report, "programs")) == 0;
}

/* Adds the rows of `compilers`: one per stage, one per family of failures, and their sum. */
static bool add_stages(json_t *rows, const json_t *report)
{
    json_t *stage, *family;
    size_t k;

    json_array_foreach(json_object_get(report, "stages"), k, stage) json_array_append_new(
        rows, json_pack("{s:O?, s:s, s:O?, s:O?, s:O?, s:b}", "id", json_object_get(stage, "stage"),
                        "part", "stage", "cases", json_object_get(stage, "programs"), "wrong",
                        json_object_get(stage, "wrong"), "verdict",
                        json_object_get(stage, "skipped"), "partial", 1));
    json_array_foreach(json_object_get(report, "families"), k, family) json_array_append_new(
        rows, json_pack("{s:O?, s:s, s:O?}", "id", json_object_get(family, "shape"), "part",
                        "family", "verdict", json_object_get(family, "cause")));
    json_array_append_new(rows,
                          json_pack("{s:s, s:s, s:O, s:b}", "id", "compilers:", "part", "programs",
                                    "cases", json_object_get(report, "programs"), "partial", 1));
    return json_array_size(json_object_get(report, "stages")) > 0 || ended_at_once(report);
}

/* Adds the rows of `bisect`: one per stage, and one for the culprit. */
static bool add_bisected(json_t *rows, const json_t *report)
{
    json_t *stage;
    size_t k;

    json_array_foreach(json_object_get(report, "stages"), k, stage) json_array_append_new(
        rows, json_pack("{s:O?, s:s, s:O?}", "id", json_object_get(stage, "stage"), "part", "stage",
                        "verdict", json_object_get(stage, "outcome")));
    json_array_append_new(rows, json_pack("{s:s, s:s, s:O?}", "id", "cause", "part", "cause",
                                          "verdict", json_object_get(report, "cause")));
    return json_array_size(json_object_get(report, "stages")) > 0;
}

/* Adds the rows of `mutate`: one object per mutant of each source. */
static bool add_mutants(json_t *rows, json_t *report)
{
    json_t *source, *mutant, *sources = json_object_get(report, "sources");
    const char *path, *id;

    json_object_foreach(sources, path, source)
        json_object_foreach(json_object_get(source, "mutants"), id, mutant)
    {
        json_object_set_new(mutant, "id", json_string(id));
        json_object_set_new(mutant, "variant", json_string(path));
        json_array_append(rows, mutant);
    }
    return json_is_object(sources);
}

static bool add_report(json_t *rows, json_t *report)
{
    static const char *const any[] = {"results",  "sources", "simtcheck_snapshot",
                                      "programs", "cause",   "grid"};
    bool has[sizeof any / sizeof *any];

    for (size_t k = 0; k < sizeof any / sizeof *any; k++)
        has[k] = json_object_get(report, any[k]) != NULL;
    if (json_is_array(report))
        return add_rows(rows, report, "", false);
    return has[0]   ? add_run(rows, report)
           : has[1] ? add_mutants(rows, report)
           : has[2] ? add_snapshot(rows, report)
           : has[3] ? add_stages(rows, report)
           : has[4] ? add_bisected(rows, report)
                    : has[5] && add_counters(rows, report, "");
}

json_t *report_rows(json_t *report)
{
    json_t *rows = json_array();

    if (add_report(rows, report))
        return rows;
    json_decref(rows);
    return NULL;
}

/* Copies the line without numbers and blanks, which differ in a piece that was cut short. */
static void mask(const char *line, size_t length, char *masked)
{
    char *to = masked;

    for (size_t k = 0; k < length; k++)
        if (!isdigit((unsigned char)line[k]) && line[k] != ' ')
            *to++ = line[k];
    *to = '\0';
}

json_t *output_rows(const char *output, const char *verdict_words)
{
    json_t *rows = json_array();
    const char *end;

    for (const char *line = output; *line != '\0'; line = *end != '\0' ? end + 1 : end) {
        char text[1024], masked[sizeof text];
        size_t length = strcspn(line, "\n");
        end = line + length;
        length = length < sizeof text ? length : sizeof text - 1;
        snprintf(text, sizeof text, "%.*s", (int)length, line);
        if (!has_one(text, verdict_words))
            continue;
        mask(text, length, masked);
        json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:b}", "id", masked, "part", "line",
                                              "cases", text, "partial", 1));
    }
    return rows;
}
