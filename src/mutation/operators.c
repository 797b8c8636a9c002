/* SPDX-License-Identifier: MIT
 *
 * Decides which changes are made where.
 */
#include "mutant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 8 };

struct maker {
    const struct source *source;
    struct mutants *mutants;
    size_t function;
};

/* Replaces the tokens from `first` to `last`. */
static void replace(struct maker *maker, enum mutation_kind by, size_t first, size_t last,
                    const char *with)
{
    const struct source_token *from = &maker->source->tokens[first],
                              *to = &maker->source->tokens[last];
    struct mutant mutant = {.by = by,
                            .offset = from->offset,
                            .length = to->offset + to->length - from->offset,
                            .with = with,
                            .function = maker->function,
                            .line = from->line};

    mutants_add(maker->mutants, &mutant);
}

/* Replaces those tokens by `before`, their text and `after`. */
static void rewrite(struct maker *maker, enum mutation_kind by, size_t first, size_t last,
                    const char *before, const char *after)
{
    const struct source *source = maker->source;
    size_t offset = source->tokens[first].offset,
           length = source->tokens[last].offset + source->tokens[last].length - offset;

    replace(maker, by, first, last,
            memory_text(&maker->mutants->memory, "%s%.*s%s", before, (int)length,
                        source->text + offset, after));
}

static bool is(const struct maker *maker, size_t k, const char *words)
{
    return source_is(maker->source, k, words);
}

static size_t over(const struct maker *maker, size_t k)
{
    return source_close(maker->source, k);
}

/* ---- Operators by others of their family ---- */

/* Tokens of a family replace each other. */
static const struct family {
    enum mutation_kind by;
    const char *words[MAX_WORDS];
} families[] = {
    {MUTATION_RELATIONAL, {"<", "<=", ">", ">=", "==", "!="}},
    {MUTATION_LOGICAL, {"&&", "||"}},
    {MUTATION_ARITHMETIC, {"+", "-", "*", "/", "%"}},
    {MUTATION_ARITHMETIC, {"<<", ">>"}},
    {MUTATION_ARITHMETIC, {"&", "|", "^"}},
    {MUTATION_ARITHMETIC, {"+=", "-=", "*=", "/=", "%="}},
    {MUTATION_ARITHMETIC, {"<<=", ">>="}},
    {MUTATION_ARITHMETIC, {"&=", "|=", "^="}},
    {MUTATION_ARITHMETIC, {"++", "--"}},
};

static bool names_a_type(const struct maker *maker, size_t k)
{
    if (is(maker, k,
           "void bool char short int long float double half signed unsigned auto size_t "
           "int8_t uint8_t int16_t const int32_t int64_t uint16_t uint32_t uint64_t"))
        return true;
    for (size_t other = 1; other < k; other++) { /* the name of an earlier type declaration */
        const struct source_token *token = &maker->source->tokens[k],
                                  *made = &maker->source->tokens[other];
        if (made->length == token->length && is(maker, other - 1, "typename class struct using") &&
            strncmp(maker->source->text + made->offset, maker->source->text + token->offset,
                    token->length) == 0)
            return true;
    }
    return false;
}

/* Returns true if the operator has a left operand. Otherwise it makes a pointer, a sign or an
 * address. */
static bool is_binary(const struct maker *maker, size_t k)
{
    const struct source_token *before = &maker->source->tokens[k - 1];
    bool may_declare = is(maker, k, "* & &&");

    if (is(maker, k - 1, ") ]"))
        return true;
    if (is(maker, k - 1, ">")) /* After template arguments it is part of a type. */
        return before->match == NO_MATCH;
    if (before->kind == SOURCE_OPERATOR || is(maker, k - 1, "return case else sizeof"))
        return false;
    return before->kind != SOURCE_NAME || !may_declare || !names_a_type(maker, k - 1);
}

static void mutate_operator(struct maker *maker, size_t k)
{
    if (maker->source->tokens[k].match != NO_MATCH)
        return;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        const struct family *family = &families[f];
        size_t own = 0;
        while (own < MAX_WORDS && family->words[own] != NULL && !is(maker, k, family->words[own]))
            own++;
        if (own == MAX_WORDS || family->words[own] == NULL ||
            (!is(maker, k, "++ --") && !is_binary(maker, k)))
            continue;
        for (size_t w = 0; w < MAX_WORDS && family->words[w] != NULL; w++)
            if (!is(maker, k, family->words[w]))
                replace(maker, family->by, k, k, family->words[w]);
    }
}

/* ---- Constants ---- */

/* Mutates a number and keeps its suffix, such as "u" or "f". */
static void mutate_number(struct maker *maker, size_t k)
{
    const struct source_token *token = &maker->source->tokens[k];
    char text[64], with[96], *end;
    bool floating, hexadecimal;
    double value;

    if (token->length >= sizeof text)
        return;
    memcpy(text, maker->source->text + token->offset, token->length);
    text[token->length] = '\0';
    hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    floating = !hexadecimal && strpbrk(text, ".eE") != NULL;
    for (int change = 1; change >= -1; change -= 2) {
        if (floating) {
            value = strtod(text, &end);
            snprintf(with, sizeof with, "%.17g", value + change);
            snprintf(with + strlen(with), sizeof with - strlen(with), "%s%s",
                     strpbrk(with, ".e") != NULL ? "" : ".0", end);
        } else {
            unsigned long long whole = strtoull(text, &end, 0);
            value = (double)whole;
            snprintf(with, sizeof with, hexadecimal ? "0x%llx%s" : "%llu%s",
                     whole + (unsigned long long)change, end);
        }
        if (value > 0 || change > 0) /* 0 - 1 would depend on the sign. */
            replace(maker, MUTATION_CONSTANT, k, k, with);
    }
}

/* ---- Indices ---- */

static void mutate_name(struct maker *maker, size_t k)
{
    static const char *const built_in[][2] = {{"threadIdx", "blockIdx"},
                                              {"blockIdx", "threadIdx"},
                                              {"blockDim", "gridDim"},
                                              {"gridDim", "blockDim"}};
    static const char *const dimensions[][2] = {{"x", "y"}, {"y", "x"}, {"z", "x"}};

    for (size_t b = 0; b < 4 && is(maker, k + 1, "."); b++) {
        if (!is(maker, k, built_in[b][0]))
            continue;
        replace(maker, MUTATION_INDEX, k, k, built_in[b][1]);
        for (size_t d = 0; d < 3; d++)
            if (is(maker, k + 2, dimensions[d][0]))
                replace(maker, MUTATION_INDEX, k + 2, k + 2, dimensions[d][1]);
    }
}

/* Mutates a subscript, but not in a declaration. There the number is a constant, and the array
 * would only change its size. */
static void mutate_subscript(struct maker *maker, size_t open)
{
    size_t close = maker->source->tokens[open].match;
    bool declares = open >= 2 && maker->source->tokens[open - 1].kind == SOURCE_NAME &&
                    names_a_type(maker, open - 2);

    if (close == NO_MATCH || close <= open + 1 || declares ||
        (maker->source->tokens[open - 1].kind != SOURCE_NAME && !is(maker, open - 1, "] )")))
        return;
    rewrite(maker, MUTATION_INDEX, open + 1, close - 1, "(", ") + 1");
    rewrite(maker, MUTATION_INDEX, open + 1, close - 1, "(", ") - 1");
}

/* ---- Guards ---- */

/* Removes each operand of the && or || between those tokens, at one depth. */
static void mutate_operands(struct maker *maker, size_t first, size_t end)
{
    size_t start = first;
    bool both = false, either = false;

    for (size_t k = first; k < end; k = over(maker, k) + 1) {
        both = both || (is(maker, k, "&&") && is_binary(maker, k));
        either = either || is(maker, k, "||");
    }
    if (both == either) /* none; or both, with different precedence */
        return;
    for (size_t k = first; k <= end; k = k < end ? over(maker, k) + 1 : k + 1) {
        if (k < end && !is(maker, k, both ? "&&" : "||"))
            continue;
        if (k > start)
            replace(maker, MUTATION_GUARD, start, k - 1, both ? "true" : "false");
        start = k + 1;
    }
}

/* Mutates a condition, from token `first` to that before `end`. A loop condition never becomes
 * "true", since no test ends an endless loop. */
static void mutate_condition(struct maker *maker, size_t first, size_t end, bool loops)
{
    if (end <= first)
        return;
    if (!loops)
        replace(maker, MUTATION_GUARD, first, end - 1, "true");
    replace(maker, MUTATION_GUARD, first, end - 1, "false");
    mutate_operands(maker, first, end);
}

/* Mutates the condition of a `for`, between the two semicolons. */
static void mutate_for(struct maker *maker, size_t open)
{
    size_t close = maker->source->tokens[open].match, first = 0;

    for (size_t k = open + 1; k < close; k = over(maker, k) + 1) {
        if (is(maker, k, ";") && first != 0) {
            mutate_condition(maker, first, k, true);
            return;
        }
        if (is(maker, k, ";"))
            first = k + 1;
    }
}

/* Mutates the condition before the `?`, back to the start of its expression. */
static void mutate_choice(struct maker *maker, size_t question)
{
    size_t first = question;

    while (first > 0 && !is(maker, first - 1, "= ( , ; { } : ? [ return += -=")) {
        first--;
        if (maker->source->tokens[first].match < first)
            first = maker->source->tokens[first].match;
    }
    mutate_condition(maker, first, question, false);
}

static void mutate_guard(struct maker *maker, size_t k)
{
    size_t open = is(maker, k + 1, "constexpr") ? k + 2 : k + 1;
    bool has_condition = is(maker, open, "(") && maker->source->tokens[open].match != NO_MATCH;

    if (is(maker, k, "if") && has_condition)
        mutate_condition(maker, open + 1, maker->source->tokens[open].match, false);
    else if (is(maker, k, "while") && has_condition)
        mutate_condition(maker, open + 1, maker->source->tokens[open].match, true);
    else if (is(maker, k, "for") && has_condition)
        mutate_for(maker, open);
    else if (is(maker, k, "?"))
        mutate_choice(maker, k);
    else if (is(maker, k, "return") && is(maker, k + 1, ";"))
        replace(maker, MUTATION_GUARD, k, k, "");
}

/* ---- Barriers, fences, atomics ---- */

/* Moves a call before the statement in front of it. */
static void move_call(struct maker *maker, size_t call, size_t end)
{
    const struct source_token *tokens = maker->source->tokens;
    const char *text = maker->source->text;
    size_t first = call - 1;

    while (first > 0 && !is(maker, first - 1, "; { }"))
        first--;
    if (is(maker, call - 1, ";") && first < call - 1)
        replace(maker, MUTATION_BARRIER, first, end,
                memory_text(&maker->mutants->memory, "%.*s; %.*s",
                            (int)(tokens[end].offset + tokens[end].length - tokens[call].offset),
                            text + tokens[call].offset,
                            (int)(tokens[call - 1].offset - tokens[first].offset),
                            text + tokens[first].offset));
}

/* Removes calls that are statements. A wait for child grids also moves. */
static void mutate_call(struct maker *maker, size_t k)
{
    size_t first = k, end = maker->source->tokens[k + 1].match;
    bool waits = is(maker, k, "cudaDeviceSynchronize"),
         is_barrier =
             waits || is(maker, k, "__syncthreads __syncwarp sync __barrier_sync arrive_and_wait");

    if (!is_barrier && !is(maker, k,
                           "__threadfence __threadfence_block __threadfence_system "
                           "atomic_thread_fence"))
        return;
    while (first >= 2 && is(maker, first - 1, ". ::"))
        first -= 2; /* block.sync(), cg::sync(block) */
    if (!is(maker, k + 1, "(") || end == NO_MATCH || !is(maker, end + 1, ";"))
        return;
    replace(maker, is_barrier ? MUTATION_BARRIER : MUTATION_FENCE, first, end, "");
    if (waits)
        move_call(maker, first, end);
}

/* Replaces an atomic by a plain function of the mutant's text (batch.c). */
static void mutate_atomic(struct maker *maker, size_t k)
{
    static const char *const atomics[] = {"atomicAdd", "atomicSub", "atomicExch", "atomicMin",
                                          "atomicMax", "atomicInc", "atomicDec",  "atomicCAS",
                                          "atomicAnd", "atomicOr",  "atomicXor"};
    char with[64];

    for (size_t a = 0; a < sizeof atomics / sizeof *atomics; a++)
        for (size_t scope = 0; scope < 3; scope++) {
            static const char *const scopes[] = {"", "_block", "_system"};
            snprintf(with, sizeof with, "%s%s", atomics[a], scopes[scope]);
            if (!is(maker, k, with) || !is(maker, k + 1, "("))
                continue;
            snprintf(with, sizeof with, "simt_plain_%s", atomics[a]);
            replace(maker, MUTATION_ATOMIC, k, k, with);
        }
}

static void mutate_token(struct maker *maker, size_t k)
{
    switch (maker->source->tokens[k].kind) {
    case SOURCE_NUMBER:
        mutate_number(maker, k);
        break;
    case SOURCE_NAME:
        mutate_name(maker, k);
        mutate_guard(maker, k);
        mutate_call(maker, k);
        mutate_atomic(maker, k);
        if (is(maker, k, "volatile") && !is(maker, k - 1, "asm"))
            replace(maker, MUTATION_VOLATILE, k, k, "");
        break;
    case SOURCE_OPERATOR:
        mutate_operator(maker, k);
        if (is(maker, k, "["))
            mutate_subscript(maker, k);
        if (is(maker, k, "?"))
            mutate_guard(maker, k);
        break;
    case SOURCE_TEXT:
        break;
    }
}

void mutants_of_source(const struct source *source, const struct source_function *functions,
                       const bool *wanted, size_t function_count, struct mutants *mutants)
{
    struct maker maker = {.source = source, .mutants = mutants};

    *mutants = (struct mutants){.all = NULL};
    for (size_t f = 0; f < function_count; f++) {
        maker.function = f;
        for (size_t k = functions[f].name + 1; wanted[f] && k < functions[f].open; k++)
            if (source_is(source, k, "volatile")) /* of a parameter */
                mutate_token(&maker, k);
        for (size_t k = functions[f].open + 1; wanted[f] && k < functions[f].close; k++)
            mutate_token(&maker, k);
    }
}

/* ---- Launches ---- */

static void mutate_extent(struct maker *maker, size_t first, size_t end)
{
    if (first + 1 < end && is(maker, first, "dim3") && is(maker, first + 1, "(")) {
        size_t close = maker->source->tokens[first + 1].match, start = first + 2;
        for (size_t k = start; close != NO_MATCH && k <= close; k++) {
            if (k == close || is(maker, k, ",")) {
                mutate_extent(maker, start, k);
                start = k + 1;
            } else if (maker->source->tokens[k].match != NO_MATCH) {
                k = maker->source->tokens[k].match;
            }
        }
        return;
    }
    if (first >= end)
        return;
    rewrite(maker, MUTATION_LAUNCH, first, end - 1, "(", ") + 1");
    rewrite(maker, MUTATION_LAUNCH, first, end - 1, "(", ") - 1");
}

static void mutate_shared(struct maker *maker, size_t first, size_t end)
{
    if (first >= end || (end == first + 1 && is(maker, first, "0")))
        return;
    replace(maker, MUTATION_LAUNCH, first, end - 1, "0");
    rewrite(maker, MUTATION_LAUNCH, first, end - 1, "(", ") - 1");
}

void mutants_of_launch(const struct source *launch, struct mutants *mutants)
{
    struct maker maker = {.source = launch, .mutants = mutants};
    size_t open = 0, start, part = 0;

    *mutants = (struct mutants){.all = NULL};
    while (open < launch->count && !source_is(launch, open, "<<<"))
        open++;
    start = open + 1;
    for (size_t k = start; k < launch->count; k = over(&maker, k) + 1) {
        bool ends = source_is(launch, k, ">>>");
        if (ends || source_is(launch, k, ",")) {
            (part < 2 ? mutate_extent : mutate_shared)(&maker, start, k);
            start = k + 1;
            part++;
        }
        if (ends)
            break;
    }
}
