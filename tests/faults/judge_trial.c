/* SPDX-License-Identifier: MIT */
#include "faults.h"

#include <stdio.h>
#include <string.h>

/* Members of a row that are the same in every run. */
static const char *const same[] = {"cases",   "mismatches", "races", "verdict", "pairs",
                                   "defined", "equal",      "runs",  "wrong",   "as_claimed"};

enum { PARTIAL = 3 }; /* from here on, in a row that was not brought to its end */

static const json_t *rows_of(const json_t *report)
{
    return json_is_array(report) ? report : json_object_get(report, "results");
}

static bool are_equal(const json_t *row, const json_t *other, const char *member)
{
    const json_t *a = json_object_get(row, member), *b = json_object_get(other, member);

    return (a == NULL && b == NULL) || (a != NULL && b != NULL && json_equal(a, b));
}

/* The same kernel, form, engine, model and block; null: there is none. */
static const json_t *find_row(const json_t *rows, const json_t *like)
{
    static const char *const keys[] = {"id", "form", "engine", "model", "block"};
    json_t *row;
    size_t r;

    json_array_foreach(rows, r, row)
    {
        bool is_it = true;
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            is_it = is_it && are_equal(row, like, keys[k]);
        if (is_it)
            return row;
    }
    return NULL;
}

/* Is that word the row's member? */
static bool is_member(const json_t *row, const char *name, const char *word)
{
    const json_t *member = json_object_get(row, name);
    const char *text = json_string_value(member);
    char number[32];

    snprintf(number, sizeof number, "%lld", (long long)json_integer_value(member));
    return json_is_integer(member) ? strcmp(number, word) == 0
                                   : text != NULL && strcmp(text, word) == 0;
}

/* Has the output a line of that row, which a verdict ends? Its first three words are members of the
 * row, in this order: of `agree` the kernel and two numbers, of `delays` a block, too. */
static bool is_printed(const char *output, const json_t *row)
{
    static const char *const keys[] = {"id",    "form",    "engine", "model",
                                       "block", "outside", "defined"};

    const char *end;

    for (const char *line = output; line != NULL; line = end != NULL ? end + 1 : NULL) {
        char words[3][64] = {"", "", ""};
        size_t next = 0;
        end = strchr(line, '\n');
        if (sscanf(line, "%63s %63s %63s", words[0], words[1], words[2]) != 3)
            continue;
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            next += next < 3 && is_member(row, keys[k], words[next]);
        if (next == 3)
            return true;
    }
    return false;
}

static bool is_faulty(const struct kind *kind, const json_t *row)
{
    const char *id = json_string_value(json_object_get(row, "id"));

    return kind->faulty != NULL && id != NULL && strcmp(id, kind->faulty) == 0;
}

static bool is_last_of_partial(const struct trial *trial, size_t r)
{
    return json_is_false(json_object_get(trial->report, "complete")) &&
           r + 1 == json_array_size(rows_of(trial->report));
}

/* Says the row that a GPU is not there? */
static bool is_without_gpu(const struct trial *trial, const json_t *row)
{
    const char *verdict = json_string_value(json_object_get(row, "verdict"));

    return trial->kind->by_gpu && trial->status > 1 && verdict != NULL &&
           strcmp(verdict, "unavailable") == 0;
}

/* Rows that the trial has otherwise than the run without a fault. */
static unsigned int count_wrong(const struct trial *trial, const struct trial *whole)
{
    const json_t *rows = rows_of(trial->report);
    unsigned int wrong = 0;
    json_t *row;
    size_t r;

    json_array_foreach(rows, r, row)
    {
        const json_t *right = find_row(rows_of(whole->report), row);
        bool differs = right == NULL;
        if (is_faulty(trial->kind, row) || is_without_gpu(trial, row))
            continue;
        /* The row at which a run was ended has fewer cases, and the same verdict by them. */
        for (size_t m = is_last_of_partial(trial, r) ? PARTIAL : 0; m < sizeof same / sizeof *same;
             m++)
            differs = differs || !are_equal(row, right, same[m]);
        wrong += differs;
    }
    return wrong;
}

/* Is one of the words, parted by '|', in the text? */
static bool has_one(const char *text, const char *words)
{
    while (words != NULL && *words != '\0') {
        size_t length = strcspn(words, "|");
        if (memmem(text, strlen(text), words, length) != NULL)
            return true;
        words += length + (words[length] == '|');
    }
    return false;
}

/* Rows that the trial lacks: all that there are, where it says that it is complete; else those that
 * it has printed. */
static unsigned int count_lost(const struct trial *trial, const struct trial *whole)
{
    unsigned int lost = 0;
    bool complete = trial->status <= 1;
    json_t *row;
    size_t r;

    if (trial->cut)
        return 1;
    if (!complete && has_one(trial->output, "cannot write '"))
        return 0; /* as it says; what it has found since is in its output */
    json_array_foreach(rows_of(whole->report), r, row)
    {
        if ((complete || is_printed(trial->output, row)) &&
            find_row(rows_of(trial->report), row) == NULL)
            lost++;
    }
    return lost;
}

/* Does the trial end as one without a fault? */
static bool is_whole(const struct trial *trial, const struct trial *whole)
{
    return trial->status == whole->status &&
           json_array_size(rows_of(trial->report)) == json_array_size(rows_of(whole->report));
}

/* The row of the kernel that is at fault; null: there is none. */
static const json_t *faulty_row(const struct trial *trial)
{
    json_t *row;
    size_t r;

    json_array_foreach(rows_of(trial->report), r, row) if (is_faulty(trial->kind, row)) return row;
    return NULL;
}

static bool row_fails(const struct trial *trial)
{
    const char *verdict = json_string_value(json_object_get(faulty_row(trial), "verdict"));

    return verdict != NULL && strcmp(verdict, "fault") == 0;
}

/* Cases of that row that the fault has nothing to do with, and that fail, or the other way. */
static unsigned int count_wrong_cases(const struct trial *trial)
{
    json_int_t cases = json_integer_value(json_object_get(faulty_row(trial), "cases")),
               failed = json_integer_value(json_object_get(faulty_row(trial), "mismatches")),
               must =
                   trial->kind->fails_in > 0 ? cases / (json_int_t)trial->kind->fails_in : failed;

    return (unsigned int)(failed > must ? failed - must : must - failed);
}

/* Did a worker babble on behind its last answer? Runs differ by some, for a failure is looked into
 * as far as it goes. */
static bool is_behind_last(const struct trial *trial, const struct trial *whole)
{
    enum { SOME = 16 };

    return trial->babbled_at >= 0 && trial->babbled_at + SOME >= whole->answers;
}

static bool is_named(const struct trial *trial, const struct trial *whole)
{
    const struct kind *kind = trial->kind;
    bool early = trial->status == 3 || (kind->status > 0 && trial->status == kind->status) ||
                 (trial->injected && trial->status > 128);
    bool came = (trial->injected || kind->inject == NULL) && !is_behind_last(trial, whole);
    bool said =
        !came || kind->says == NULL || trial->status > 128 || has_one(trial->output, kind->says);

    switch (kind->ends) {
    case ENDS_WHOLE:
        return is_whole(trial, whole) && said;
    case ENDS_NAMED:
        return trial->status == 1 && row_fails(trial) && said;
    case ENDS_EARLY:
        return (early && said) || (!trial->in_time && is_whole(trial, whole));
    case ENDS_EITHER:
        return (early && said) || is_whole(trial, whole);
    case ENDS_TOLD:
        return trial->status == kind->status && said;
    }
    return false;
}

struct judged trial_judge(const struct trial *trial, const struct trial *whole)
{
    bool has_rows = whole->report != NULL && trial->kind->ends != ENDS_TOLD;

    return (struct judged){
        .named = is_named(trial, whole),
        .lost = has_rows ? count_lost(trial, whole) : 0,
        .wrong = has_rows ? count_wrong(trial, whole) + count_wrong_cases(trial) : 0,
        .left = trial->left,
    };
}
