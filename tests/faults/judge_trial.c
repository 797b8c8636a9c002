/* SPDX-License-Identifier: MIT */
#include "faults.h"

#include <stdio.h>
#include <string.h>

/* Members of a row that are the same in every run. */
static const char *const same[] = {"cases",   "mismatches", "races", "verdict", "pairs",
                                   "defined", "equal",      "runs",  "wrong",   "as_expected"};

enum { PARTIAL = 3 }; /* from here on, in a row that was not brought to its end */

static bool are_equal(const json_t *row, const json_t *other, const char *member)
{
    const json_t *a = json_object_get(row, member), *b = json_object_get(other, member);

    return (a == NULL && b == NULL) || (a != NULL && b != NULL && json_equal(a, b));
}

/* The same kernel, form, engine, model and block of the same part; null: there is none. */
static const json_t *find_row(const json_t *rows, const json_t *like)
{
    static const char *const keys[] = {"id", "variant", "engine", "model", "block", "part"};
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
 * row, in this order: of `cross-check` the kernel and two numbers, of `stress` a block, too. */
static bool is_printed(const char *output, const json_t *row)
{
    static const char *const keys[] = {"id",    "variant", "engine", "model",
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

/* Says the row that a GPU is not there? */
static bool is_without_gpu(const struct trial *trial, const json_t *row)
{
    const char *verdict = json_string_value(json_object_get(row, "verdict"));

    return trial->kind->by_gpu && trial->status > 1 && verdict != NULL &&
           strcmp(verdict, "skipped") == 0;
}

/* Rows that the trial has otherwise than the run without a fault. */
static unsigned int count_wrong(const struct trial *trial, const struct trial *whole)
{
    unsigned int wrong = 0;
    json_t *row;
    size_t r;

    json_array_foreach(trial->rows, r, row)
    {
        const json_t *right = find_row(whole->rows, row);
        bool differs = right == NULL,
             partial = trial->status > 1 && json_is_true(json_object_get(row, "partial"));
        if (is_faulty(trial->kind, row) || is_without_gpu(trial, row))
            continue;
        /* The row at which a run was ended has fewer cases, and the same verdict by them. */
        for (size_t m = partial ? PARTIAL : 0; m < sizeof same / sizeof *same; m++)
            differs = differs || !are_equal(row, right, same[m]);
        wrong += differs;
    }
    return wrong;
}

/* ---- The end ---- */

/* Does the trial end as one without a fault? */
static bool is_whole(const struct trial *trial, const struct trial *whole)
{
    return trial->status == whole->status &&
           json_array_size(trial->rows) == json_array_size(whole->rows);
}

/* Did the program die of what the fault is, or of what it was sent before it could catch it? Of
 * anything else it is to die under no fault. */
static bool dies_rightly(const struct trial *trial)
{
    const struct kind *kind = trial->kind;
    int number = trial->status - 128;
    bool came = kind->inject == NULL || trial->sent == number;

    return number > 0 && came &&
           (number == kind->dies_of || (trial->unheard && trial->sent == number));
}

static bool ends_early(const struct trial *trial)
{
    return trial->status == 3 ||
           (trial->kind->status > 0 && trial->status == trial->kind->status) || dies_rightly(trial);
}

/* ---- What is lost ---- */

/* More programs than the report has, by what `compilers` says at its end. */
static bool lacks_programs(const struct trial *trial)
{
    const char *line = strstr(trial->output, "\ncompilers: ");
    json_int_t most = 0;
    json_t *row;
    long long said;
    size_t r;

    if (line == NULL || sscanf(line, "\ncompilers: %lld programs", &said) != 1)
        return false;
    json_array_foreach(trial->rows, r, row) if (is_member(row, "part", "programs")) most =
        json_integer_value(json_object_get(row, "cases"));
    return said > most;
}

/* May there be no report? A program that was ended before it had anything to tell has none, nor one
 * that tells all at once, at its end, or has not begun. */
static bool may_lack_report(const struct trial *trial)
{
    return !trial->has_report &&
           (dies_rightly(trial) || (trial->kind->all_or_none && ends_early(trial)));
}

/* Rows that the trial lacks: all that there are, where it says that it is complete, or ought to be;
 * else those that it has printed. */
static unsigned int count_lost(const struct trial *trial, const struct trial *whole)
{
    bool must_be_whole = trial->status <= 1 || trial->kind->keeps || trial->complete;
    unsigned int lost = must_be_whole && trial->partial;
    json_t *row;
    size_t r;

    if (trial->kind->unwritten && trial->status > 1 && has_one(trial->output, "cannot write '"))
        return trial->has_report && trial->rows == NULL; /* what was found since is in its output */
    if (trial->rows == NULL && !may_lack_report(trial))
        lost++;
    json_array_foreach(whole->rows, r, row)
    {
        if ((must_be_whole || is_printed(trial->output, row)) && find_row(trial->rows, row) == NULL)
            lost++;
    }
    return lost + lacks_programs(trial);
}

/* ---- Whose fault it is ---- */

/* The row of the kernel that is at fault; null: there is none. */
static const json_t *faulty_row(const struct trial *trial)
{
    json_t *row;
    size_t r;

    json_array_foreach(trial->rows, r, row) if (is_faulty(trial->kind, row)) return row;
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

/* ---- Judgement ---- */

/* Is the trial as if there had been no fault, without a word of one? */
static bool is_unhurt(const struct trial *trial, const struct trial *whole)
{
    const char *says = trial->kind->says;

    return is_whole(trial, whole) && (says == NULL || !has_one(trial->output, says));
}

/* Was there a fault to name? None came that hit nobody, or that came too late, or before the
 * program heard of any; any other end is to be named. */
static bool has_come(const struct trial *trial, const struct trial *whole)
{
    const struct kind *kind = trial->kind;

    if (kind->by_proxy && (!trial->injected || is_behind_last(trial, whole)))
        return !is_unhurt(trial, whole);
    if (kind->inject == NULL)
        return true;
    if (trial->unheard && dies_rightly(trial))
        return false;
    return (kind->borne && trial->injected) || !is_unhurt(trial, whole);
}

/* Ought a fault that seems to have hit nobody to have hit somebody? What a worker on a GPU is at
 * cannot be told: it may be about to end, for long. */
static bool is_sure(const struct trial *trial)
{
    if (!trial->injected || trial->unheard || trial->kind->by_gpu)
        return false;
    return trial->kind->ends == ENDS_WHOLE ? trial->at_work : trial->in_time;
}

static bool is_named(const struct trial *trial, const struct trial *whole)
{
    const struct kind *kind = trial->kind;
    bool done = trial->injected || (kind->inject == NULL && !kind->by_proxy),
         said = dies_rightly(trial) || kind->speechless || has_one(trial->output, kind->says);

    switch (kind->ends) {
    case ENDS_WHOLE:
        return done && is_whole(trial, whole) && (said || kind->says == NULL);
    case ENDS_NAMED:
        return trial->status == 1 && row_fails(trial) && said;
    case ENDS_EARLY:
        return done && ends_early(trial) && said;
    case ENDS_EITHER:
        return done && ((ends_early(trial) && said) || is_whole(trial, whole));
    case ENDS_TOLD:
        return trial->status == kind->status && said;
    }
    return false;
}

struct judged trial_judge(const struct trial *trial, const struct trial *whole)
{
    bool has_rows = whole->rows != NULL && trial->kind->ends != ENDS_TOLD;

    return (struct judged){
        .came = has_come(trial, whole),
        .is_sure = is_sure(trial),
        .named = is_named(trial, whole),
        .lost = has_rows ? count_lost(trial, whole) : 0,
        .wrong = has_rows ? count_wrong(trial, whole) + count_wrong_cases(trial) : 0,
        .left = trial->left,
    };
}

static bool asks_for_report(const struct kind *kind)
{
    for (size_t w = 0; kind->command.words[w] != NULL; w++)
        if (strcmp(kind->command.words[w], "%results/report.json") == 0)
            return true;
    return kind->tells != NULL;
}

const char *whole_lacks(const struct trial *whole)
{
    const struct kind *kind = whole->kind;
    bool as_by_fault = kind->by_gpu && whole->status == kind->status; /* there is no GPU anyway */

    if (whole->status > 1 && !as_by_fault)
        return "it ends early";
    if (whole->left > 0)
        return "it leaves something behind";
    if (asks_for_report(kind) && (json_array_size(whole->rows) == 0 || whole->partial))
        return "it has no verdicts";
    return NULL;
}
