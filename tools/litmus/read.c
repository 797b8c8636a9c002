/* SPDX-License-Identifier: MIT */
#include "litmus.h"
#include "read_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMETERS = 6, VALUES = 8, WORD = 32 };

/* A parameter of a test, with the values of one line of verdicts. */
struct parameter {
    char name[WORD];
    char values[VALUES][WORD];
    int count;
};

/* A line of verdicts: allowed for scope in cta gpu, place in block. */
struct verdict_line {
    enum litmus_verdict verdict;
    struct parameter parameters[PARAMETERS];
    int count;
};

static void copy_word(char *to, size_t size, const char *from, size_t length)
{
    snprintf(to, size, "%.*s", (int)length, from);
}

/* ---- A test without parameters ---- */

/* Reads the space of a variable: global, shared or shared@P1. The owner is -1 if it has no name. */
static bool read_space(struct reader *in, bool *is_shared, int *owner)
{
    *owner = -1;
    *is_shared = reader_take_word(in, "shared");
    if (!*is_shared) {
        (void)reader_take_word(in, "global");
        return true;
    }
    if (!reader_take(in, "@"))
        return true;
    if (!reader_expect(in, "P") || !litmus_read_number(in, owner))
        return false;
    return (*owner >= 0 && *owner < LITMUS_THREADS) ||
           reader_fail(in, "a test has at most %d threads", LITMUS_THREADS);
}

/* Reads { x = 0; shared y = 1; P0:r1 = 0; z aliases x; }. Dartagnan writes z @ generic aliases x.
 */
static bool read_declaration(struct reader *in, struct litmus_test *test)
{
    struct litmus_variable *variable;
    int number, owner;
    bool is_shared;

    reader_skip_blanks(in);
    if (in->at[0] == 'P' && strspn(in->at + 1, "0123456789") > 0) {
        int thread;

        in->at++;
        if (!litmus_read_number(in, &thread) || !reader_expect(in, ":") ||
            !litmus_read_register(in, &number) || !reader_expect(in, "="))
            return false;
        if (thread >= LITMUS_THREADS)
            return reader_fail(in, "a test has at most %d threads", LITMUS_THREADS);
        return litmus_read_number(in, &test->threads[thread].initial[number]);
    }
    if (!read_space(in, &is_shared, &owner) || !litmus_read_variable(in, test, &number))
        return false;
    variable = &test->variables[number];
    variable->is_shared = is_shared;
    variable->owner = owner;
    if (reader_take(in, "@") && !reader_take_word(in, "generic"))
        return reader_fail(in, "the model has no rules for proxies other than the generic one");
    if (reader_take_word(in, "aliases")) {
        int other;

        if (!litmus_read_variable(in, test, &other))
            return false;
        variable->location = test->variables[other].location;
        variable->is_shared = test->variables[other].is_shared;
        variable->initial = test->variables[other].initial;
        return true;
    }
    return reader_expect(in, "=") && litmus_read_number(in, &variable->initial);
}

static bool read_declarations(struct reader *in, struct litmus_test *test)
{
    if (!reader_expect(in, "{"))
        return false;
    while (!reader_take(in, "}")) {
        if (reader_take(in, ";"))
            continue;
        if (!read_declaration(in, test))
            return false;
    }
    return true;
}

/* Places thread `number` by the parameter `place`: all threads in one warp, in one block, in one
 * cluster, or on one GPU. */
static bool place_thread(struct reader *in, struct litmus_thread *thread, int number,
                         const char *place)
{
    int level = place[0] == '\0' || strcmp(place, "gpu") == 0 ? 0
                : strcmp(place, "cluster") == 0               ? 1
                : strcmp(place, "block") == 0                 ? 2
                : strcmp(place, "warp") == 0                  ? 3
                                                              : 4;

    if (level == 4)
        return reader_fail(in, "place '%s': it must be warp, block, cluster or gpu", place);
    thread->cluster = level == 0 ? number : 0;
    thread->block = level <= 1 ? number : 0;
    thread->warp = level == 2 ? number : 0;
    return true;
}

/* Reads P0@cta 0, gpu 0. Blocks with different numbers are in clusters of their own, unless the
 * test names clusters. */
static bool read_thread(struct reader *in, struct litmus_test *test, const char *place)
{
    struct litmus_thread *thread = &test->threads[test->thread_count];
    int number;

    if (test->thread_count == LITMUS_THREADS)
        return reader_fail(in, "a test has at most %d threads", LITMUS_THREADS);
    if (!reader_expect(in, "P") || !litmus_read_number(in, &number))
        return false;
    if (number != test->thread_count)
        return reader_fail(in, "expected P%d here", test->thread_count);
    test->thread_count++;
    if (!reader_take(in, "@"))
        return place_thread(in, thread, number, place);
    thread->warp = number;
    thread->cluster = -1;
    do {
        int *level = reader_take_word(in, "cta")       ? &thread->block
                     : reader_take_word(in, "gpu")     ? &thread->gpu
                     : reader_take_word(in, "cluster") ? &thread->cluster
                     : reader_take_word(in, "warp")    ? &thread->warp
                                                       : NULL;

        if (level == NULL)
            return reader_fail(in, "expected warp, cta, cluster or gpu here");
        if (!litmus_read_number(in, level))
            return false;
    } while (reader_take(in, ","));
    thread->cluster = thread->cluster < 0 ? thread->block : thread->cluster;
    return true;
}

static bool read_threads(struct reader *in, struct litmus_test *test, const char *place)
{
    do {
        if (!read_thread(in, test, place))
            return false;
    } while (reader_take(in, "|"));
    return reader_expect(in, ";");
}

struct label {
    char name[LITMUS_LABEL];
    int thread, instruction;
};

struct labels {
    struct label list[LITMUS_THREADS * LITMUS_INSTRUCTIONS];
    int count;
};

/* Reads a row of the table: a cell for each thread. */
static bool read_row(struct reader *in, struct litmus_test *test, struct labels *labels)
{
    const int most = (int)(sizeof labels->list / sizeof labels->list[0]);
    int number = 0;

    do {
        struct litmus_thread *thread = &test->threads[number];
        struct litmus_instruction instruction;
        struct label label = {.thread = number};
        bool is_there;

        if (number == test->thread_count)
            return reader_fail(in, "a row has more cells than there are threads");
        if (!litmus_read_instruction(in, test, &instruction, label.name, &is_there))
            return false;
        label.instruction = thread->count;
        if (label.name[0] != '\0') {
            if (labels->count == most)
                return reader_fail(in, "a test has at most %d labels", most);
            labels->list[labels->count++] = label;
        }
        if (is_there && thread->count == LITMUS_INSTRUCTIONS)
            return reader_fail(in, "a thread has at most %d instructions", LITMUS_INSTRUCTIONS);
        if (is_there)
            thread->instructions[thread->count++] = instruction;
        number++;
    } while (reader_take(in, "|"));
    return reader_expect(in, ";");
}

/* Finds where branches jump. A jump backward would be a loop. */
static bool find_labels(struct reader *in, struct litmus_test *test, const struct labels *labels)
{
    for (int t = 0; t < test->thread_count; t++)
        for (int k = 0; k < test->threads[t].count; k++) {
            struct litmus_instruction *branch = &test->threads[t].instructions[k];
            int found = 0;

            if (branch->opcode != LITMUS_BRANCH)
                continue;
            while (found < labels->count && (labels->list[found].thread != t ||
                                             strcmp(labels->list[found].name, branch->label) != 0))
                found++;
            if (found == labels->count)
                return reader_fail(in, "thread P%d has no label '%s'", t, branch->label);
            branch->jump = labels->list[found].instruction;
            if (branch->jump <= k)
                return reader_fail(in, "thread P%d jumps back to '%s': loops are not supported", t,
                                   branch->label);
        }
    return true;
}

/* Barriers must be reached by each thread of the block. */
static bool check_barriers(struct reader *in, const struct litmus_test *test)
{
    for (int t = 0; t < test->thread_count; t++) {
        bool has_barrier = false, has_branch = false;

        for (int k = 0; k < test->threads[t].count; k++) {
            has_barrier |= test->threads[t].instructions[k].opcode == LITMUS_BARRIER;
            has_branch |= test->threads[t].instructions[k].opcode == LITMUS_BRANCH;
        }
        if (has_barrier && has_branch)
            return reader_fail(in, "thread P%d has a barrier and a branch: that is not supported",
                               t);
    }
    return true;
}

/* Checks that thread `t` can reach a variable. A shared variable without an owner is in the block
 * of the first thread that uses it. */
static bool check_variable(struct reader *in, struct litmus_test *test, int t, int number)
{
    struct litmus_variable *variable = &test->variables[test->variables[number].location];
    const struct litmus_thread *threads = test->threads;

    if (!variable->is_shared)
        return true;
    if (variable->owner < 0)
        variable->owner = t;
    return litmus_in_scope(&threads[t], &threads[variable->owner], SCOPE_CLUSTER) ||
           reader_fail(in, "variable '%s' is shared memory of P%d, but P%d is in another cluster",
                       variable->name, variable->owner, t);
}

static bool check_variables(struct reader *in, struct litmus_test *test)
{
    for (int v = 0; v < test->variable_count; v++)
        if (test->variables[v].owner >= test->thread_count)
            return reader_fail(in, "there is no thread P%d", test->variables[v].owner);
    for (int t = 0; t < test->thread_count; t++)
        for (int k = 0; k < test->threads[t].count; k++) {
            const struct litmus_instruction *instruction = &test->threads[t].instructions[k];

            if (instruction->opcode <= LITMUS_RED &&
                !check_variable(in, test, t, instruction->variable))
                return false;
        }
    for (int v = 0; v < test->variable_count; v++)
        if (test->variables[v].owner < 0) /* no thread uses it */
            test->variables[v].owner = 0;
    return true;
}

static bool at_condition(struct reader *in)
{
    const char *words[] = {"exists", "~", "forall", "locations"};

    reader_skip_blanks(in);
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (strncmp(in->at, words[k], strlen(words[k])) == 0)
            return true;
    return *in->at == '\0';
}

/* Skips the title and descriptions in quotes. */
static void skip_title(struct reader *in)
{
    in->at += strcspn(in->at, "\n");
    for (reader_skip_blanks(in); *in->at == '"'; reader_skip_blanks(in)) {
        in->at += 1 + strcspn(in->at + 1, "\"");
        in->at += *in->at == '"';
    }
}

static bool read_test(struct reader *in, struct litmus_test *test, const char *place)
{
    struct labels labels = {.count = 0};

    skip_title(in);
    if (!read_declarations(in, test) || !read_threads(in, test, place))
        return false;
    while (!at_condition(in))
        if (!read_row(in, test, &labels))
            return false;
    if (!find_labels(in, test, &labels) || !check_barriers(in, test) || !check_variables(in, test))
        return false;
    if (!litmus_read_condition(in, test))
        return false;
    reader_skip_blanks(in);
    return *in->at == '\0' || reader_fail(in, "unexpected text after the condition");
}

/* ---- Parameters ---- */

static const struct parameter *find_parameter(const struct verdict_line *line, const char *name,
                                              size_t length)
{
    for (int k = 0; k < line->count; k++)
        if (strlen(line->parameters[k].name) == length &&
            strncmp(line->parameters[k].name, name, length) == 0)
            return &line->parameters[k];
    return NULL;
}

/* Copies the text of a test with each $NAME replaced by its value. Line breaks stay where they are.
 * Returns null after a mistake. */
static char *substitute(struct reader *in, const char *text, const struct verdict_line *line,
                        const int *choice)
{
    size_t size = strlen(text) * WORD + 1, length = 0;
    char *copy = malloc(size);

    while (copy != NULL && *text != '\0') {
        size_t name = *text == '$' ? reader_name_length(text + 1) : 0;
        const struct parameter *found = find_parameter(line, text + 1, name);

        if (name > 0 && found == NULL) {
            in->at = text;
            reader_fail(in, "no line of verdicts gives '$%.*s' a value", (int)name, text + 1);
            free(copy);
            return NULL;
        }
        if (name > 0)
            length += (size_t)snprintf(copy + length, size - length, "%s",
                                       found->values[choice[found - line->parameters]]);
        else
            copy[length++] = *text;
        text += name + 1;
    }
    if (copy != NULL)
        copy[length] = '\0';
    return copy;
}

static bool take_value(struct reader *in, char *value)
{
    size_t length;

    reader_skip_blanks(in);
    length = strcspn(in->at, " \t\n,");
    if (length == 0 || length >= WORD)
        return reader_fail(in, "expected a value of 1 to %d characters here", WORD - 1);
    copy_word(value, WORD, in->at, length);
    in->at += length;
    return true;
}

/* Reads the rest of: allowed for scope in cta gpu, place in block. */
static bool read_verdict_line(struct reader *in, struct verdict_line *line)
{
    in->at += strspn(in->at, " \t");
    if (*in->at == '\n' || *in->at == '\0')
        return true;
    if (!reader_take_word(in, "for"))
        return reader_fail(in, "expected 'for' or the end of the line here");
    do {
        struct parameter *parameter = &line->parameters[line->count];

        if (line->count == PARAMETERS)
            return reader_fail(in, "a test has at most %d parameters", PARAMETERS);
        if (!take_value(in, parameter->name) || !reader_take_word(in, "in"))
            return reader_fail(in, "expected NAME in VALUE ... here");
        line->count++;
        do {
            if (parameter->count == VALUES)
                return reader_fail(in, "a parameter has at most %d values", VALUES);
            if (!take_value(in, parameter->values[parameter->count++]))
                return false;
            in->at += strspn(in->at, " \t");
        } while (*in->at != ',' && *in->at != '\n' && *in->at != '\0');
    } while (reader_take(in, ","));
    return true;
}

/* Returns the line number of the reader's place in the text. */
static int line_of(const char *text, const char *at)
{
    int line = 1;

    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

static struct litmus_test *new_test(struct litmus_tests *tests)
{
    struct litmus_test *list = realloc(tests->list, (tests->count + 1) * sizeof *list);

    if (list == NULL)
        return NULL;
    tests->list = list;
    memset(&list[tests->count], 0, sizeof *list);
    return &list[tests->count++];
}

/* Adds the test with one choice of values. `text` begins at the line `first`. */
static bool add_test(struct litmus_tests *tests, const char *text, int first,
                     const struct verdict_line *line, const int *choice, char *error, size_t size)
{
    char mistake[256] = "";
    struct reader in = {.at = text, .error = mistake, .error_size = sizeof mistake};
    const struct parameter *place = find_parameter(line, "place", strlen("place"));
    char *copy = substitute(&in, text, line, choice);
    struct litmus_test *test = new_test(tests);
    const char *title = text + strcspn(text, " \t") + 1;
    int failed_line = line_of(text, in.at);
    bool good = copy != NULL && test != NULL;

    if (good) {
        copy_word(test->name, sizeof test->name, title, strcspn(title, " \t\r\n"));
        for (int k = 0; k < line->count; k++)
            snprintf(test->name + strlen(test->name), sizeof test->name - strlen(test->name), "/%s",
                     line->parameters[k].values[choice[k]]);
        test->line = first;
        test->verdict = line->verdict;
        in.at = copy;
        good = read_test(&in, test,
                         place != NULL ? place->values[choice[place - line->parameters]] : "");
        failed_line = line_of(copy, in.at);
    }
    free(copy);
    if (!good)
        snprintf(error, size, "%d: %s", first + failed_line - 1,
                 mistake[0] != '\0' ? mistake : "out of memory");
    return good;
}

/* Adds the test for each combination of the values of a line. */
static bool add_tests(struct litmus_tests *tests, const char *text, int first,
                      const struct verdict_line *line, char *error, size_t size)
{
    int choice[PARAMETERS] = {0}, k;

    do {
        if (!add_test(tests, text, first, line, choice, error, size))
            return false;
        for (k = line->count - 1; k >= 0 && ++choice[k] == line->parameters[k].count; k--)
            choice[k] = 0;
    } while (k >= 0);
    return true;
}

/* ---- A file ---- */

/* Overwrites text with blanks, but keeps its line breaks. */
static void blank(char *text, size_t length)
{
    for (size_t k = 0; k < length; k++)
        if (text[k] != '\n')
            text[k] = ' ';
}

static void blank_comments(char *text)
{
    for (char *begin = strstr(text, "(*"); begin != NULL; begin = strstr(begin, "(*")) {
        const char *end = strstr(begin, "*)");

        blank(begin, end != NULL ? (size_t)(end + 2 - begin) : strlen(begin));
    }
}

static bool is_title(const char *line)
{
    return (strncmp(line, "PTX", 3) == 0 || strncmp(line, "ptx", 3) == 0) &&
           isblank((unsigned char)line[3]);
}

/* Reads one test of the file: `text`, which begins at the line `first`. */
static bool read_tests(struct litmus_tests *tests, char *text, int first, char *error, size_t size)
{
    struct verdict_line none = {.verdict = VERDICT_NONE}, lines[VALUES] = {{.count = 0}};
    int count = 0;

    for (char *at = text; *at != '\0'; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] != '\0')) {
        char mistake[256] = "";
        struct reader in = {.at = at, .error = mistake, .error_size = sizeof mistake};
        struct verdict_line line = {.verdict = reader_take_word(&in, "allowed") ? VERDICT_ALLOWED
                                               : reader_take_word(&in, "forbidden")
                                                   ? VERDICT_FORBIDDEN
                                                   : VERDICT_NONE};

        if (line.verdict == VERDICT_NONE)
            continue;
        if (count == VALUES)
            reader_fail(&in, "a test has at most %d lines of verdicts", VALUES);
        else if (read_verdict_line(&in, &line))
            lines[count++] = line;
        if (mistake[0] != '\0') {
            snprintf(error, size, "%d: %s", first + line_of(text, in.at) - 1, mistake);
            return false;
        }
        at = strstr(at, line.verdict == VERDICT_ALLOWED ? "allowed" : "forbidden");
        blank(at, (size_t)(in.at - at));
    }
    for (int k = 0; k < count; k++)
        if (!add_tests(tests, text, first, &lines[k], error, size))
            return false;
    return count > 0 || add_tests(tests, text, first, &none, error, size);
}

/* Returns the line of the next title at or after `at`, or the end of the text. */
static char *next_title(char *at)
{
    while (*at != '\0' && !is_title(at)) {
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return at;
}

bool litmus_read(const char *text, struct litmus_tests *tests, char *error, size_t size)
{
    char *copy = strdup(text), *at;
    bool good = copy != NULL;

    if (copy == NULL)
        return (snprintf(error, size, "1: out of memory"), false);
    blank_comments(copy);
    at = next_title(copy);
    if (*at == '\0') {
        snprintf(error, size, "1: no test: a test begins with 'PTX NAME'");
        good = false;
    }
    while (good && *at != '\0') {
        char *end = next_title(at + strcspn(at, "\n")), first = *end;
        int line = line_of(copy, at);

        *end = '\0';
        good = read_tests(tests, at, line, error, size);
        *end = first;
        at = end;
    }
    free(copy);
    return good;
}
