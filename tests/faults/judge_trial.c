/* SPDX-License-Identifier: MIT */
#include "faults.h"

#include <stdio.h>
#include <string.h>

/* Members of a row that are the same in every run. */
static const char *const same[] = {"cases",   "mismatches", "races", "verdict", "pairs",
                                   "defined", "equal",      "runs",  "wrong",   "as_expected"};

enum { PARTIAL = 3 }; /* a row that was cut short compares members from here on */

static bool are_equal(const json_t *row, const json_t *other, const char *member)
{
    const json_t *a = json_object_get(row, member), *b = json_object_get(other, member);

    return (a == NULL && b == NULL) || (a != NULL && b != NULL && json_equal(a, b));
}

/* Returns the row with the same kernel, variant, engine, model, block and part, or null. */
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

/* Returns true if `word` is the value of the row's member. */
static bool is_member(const json_t *row, const char *name, const char *word)
{
    const json_t *member = json_object_get(row, name);
    const char *text = json_string_value(member);
    char number[32];

    snprintf(number, sizeof number, "%lld", (long long)json_integer_value(member));
    return json_is_integer(member) ? strcmp(number, word) == 0
                                   : text != NULL && strcmp(text, word) == 0;
}

/* Returns true if the output has a line for the row; the line ends with a verdict. The line's first
 * three words are members of the row, in the order of `keys`. `cross-check` prints the kernel and
 * two numbers, and `run --stress` a block, too. */
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

/* Returns true if the row says that the GPU is missing. */
static bool is_without_gpu(const struct trial *trial, const json_t *row)
{
    const char *verdict = json_string_value(json_object_get(row, "verdict"));

    return trial->kind->by_gpu && trial->status > 1 && verdict != NULL &&
           strcmp(verdict, "skipped") == 0;
}

/* Counts the trial's rows that differ from the clean run. */
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
        /* A row that was cut short has fewer cases. Its verdict must follow from them. */
        for (size_t m = partial ? PARTIAL : 0; m < sizeof same / sizeof *same; m++)
            differs = differs || !are_equal(row, right, same[m]);
        wrong += differs;
    }
    return wrong;
}

/* ---- The end ---- */

/* Returns true if the trial ends like the clean run. */
static bool is_whole(const struct trial *trial, const struct trial *whole)
{
    return trial->status == whole->status &&
           json_array_size(trial->rows) == json_array_size(whole->rows);
}

/* Returns true if the right signal ended the program. It is the fault's signal, or one that was
 * sent before the program could catch it. Any other signal is an error under every fault. */
static bool dies_as_expected(const struct trial *trial)
{
    const struct kind *kind = trial->kind;
    int number = trial->status - 128;
    bool was_sent = kind->inject == NULL || trial->sent == number;

    return number > 0 && was_sent &&
           (number == kind->dies_of || (trial->unhandled && trial->sent == number));
}

static bool ends_early(const struct trial *trial)
{
    return trial->status == 3 ||
           (trial->kind->status > 0 && trial->status == trial->kind->status) ||
           dies_as_expected(trial);
}

/* ---- What is lost ---- */

/* Returns true if the last line of `compilers` counts more programs than the report has. */
static bool has_missing_programs(const struct trial *trial)
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

/* Returns true if a missing report is acceptable. That is so if the fault ended the program, or if
 * it ended early and writes its whole report at its end. */
static bool may_have_no_report(const struct trial *trial)
{
    return !trial->has_report &&
           (dies_as_expected(trial) || (trial->kind->all_or_none && ends_early(trial)));
}

/* Counts the rows that the trial lacks. A trial that is complete, or must be, needs all rows. Any
 * other trial needs the rows that it has printed. */
static unsigned int count_lost(const struct trial *trial, const struct trial *whole)
{
    bool must_be_whole = trial->status <= 1 || trial->kind->keeps || trial->complete;
    unsigned int lost = must_be_whole && trial->partial;
    json_t *row;
    size_t r;

    if (trial->kind->unwritten && trial->status > 1 && has_one(trial->output, "cannot write '"))
        return trial->has_report && trial->rows == NULL; /* the output has the later results */
    if (trial->rows == NULL && !may_have_no_report(trial))
        lost++;
    json_array_foreach(whole->rows, r, row)
    {
        if ((must_be_whole || is_printed(trial->output, row)) && find_row(trial->rows, row) == NULL)
            lost++;
    }
    return lost + has_missing_programs(trial);
}

/* ---- The faulty kernel ---- */

/* Returns the row of the faulty kernel, or null. */
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

/* Counts the cases of that row whose result is not the expected one. */
static unsigned int count_wrong_cases(const struct trial *trial)
{
    json_int_t cases = json_integer_value(json_object_get(faulty_row(trial), "cases")),
               failed = json_integer_value(json_object_get(faulty_row(trial), "mismatches")),
               must =
                   trial->kind->fails_in > 0 ? cases / (json_int_t)trial->kind->fails_in : failed;

    return (unsigned int)(failed > must ? failed - must : must - failed);
}

/* Returns true if a worker kept on writing after its last answer. The number of answers varies a
 * little between runs, because simtcheck investigates failures for a limited time. */
static bool is_after_last_answer(const struct trial *trial, const struct trial *whole)
{
    enum { SOME = 16 };

    return trial->extra_output_at >= 0 && trial->extra_output_at + SOME >= whole->answers;
}

/* ---- Verdict ---- */

/* Returns true if the trial looks like the clean run and its output does not name a fault. */
static bool is_unaffected(const struct trial *trial, const struct trial *whole)
{
    const char *says = trial->kind->says;

    return is_whole(trial, whole) && (says == NULL || !has_one(trial->output, says));
}

/* Returns true if there is a fault that must be named. A fault does not count if it hit nothing,
 * came too late, or ended the program before that could catch it. Any deviation from the clean run
 * counts. */
static bool had_effect(const struct trial *trial, const struct trial *whole)
{
    const struct kind *kind = trial->kind;

    if (kind->by_proxy && (!trial->injected || is_after_last_answer(trial, whole)))
        return !is_unaffected(trial, whole);
    if (kind->inject == NULL)
        return true;
    if (trial->unhandled && dies_as_expected(trial))
        return false;
    return (kind->may_have_no_effect && trial->injected) || !is_unaffected(trial, whole);
}

/* Returns true if a fault without effect should have had one. For a worker on a GPU that is
 * unknown: such a worker may spend a long time in its exit. */
static bool is_sure(const struct trial *trial)
{
    if (!trial->injected || trial->unhandled || trial->kind->by_gpu)
        return false;
    return trial->kind->ends == ENDS_WHOLE ? trial->at_work : trial->in_time;
}

static bool is_named(const struct trial *trial, const struct trial *whole)
{
    const struct kind *kind = trial->kind;
    bool done = trial->injected || (kind->inject == NULL && !kind->by_proxy),
         said =
             dies_as_expected(trial) || kind->cannot_report || has_one(trial->output, kind->says);

    switch (kind->ends) {
    case ENDS_WHOLE:
        return done && is_whole(trial, whole) && (said || kind->says == NULL);
    case ENDS_NAMED:
        return trial->status == 1 && row_fails(trial) && said;
    case ENDS_EARLY:
        return done && ends_early(trial) && said;
    case ENDS_EITHER:
        return done && ((ends_early(trial) && said) || is_whole(trial, whole));
    case ENDS_STATUS:
        return trial->status == kind->status && said;
    }
    return false;
}

struct judged trial_judge(const struct trial *trial, const struct trial *whole)
{
    bool has_rows = whole->rows != NULL && trial->kind->ends != ENDS_STATUS;

    return (struct judged){
        .had_effect = had_effect(trial, whole),
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
    return kind->verdict_words != NULL;
}

const char *reference_obstacle(const struct trial *whole)
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
