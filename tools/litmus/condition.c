/* SPDX-License-Identifier: MIT */
#include "read_parts.h"

#include <string.h>

/* ---- Reading ---- */

static bool add_node(struct reader *in, struct litmus_test *test, struct litmus_condition node)
{
    if (test->condition_count == LITMUS_CONDITIONS)
        return reader_fail(in, "a condition has at most %d parts", LITMUS_CONDITIONS);
    test->conditions[test->condition_count++] = node;
    return true;
}

/* Returns the number of a term, which is new if the condition did not name it before. */
static bool add_term(struct reader *in, struct litmus_test *test, struct litmus_term term,
                     int *number)
{
    for (*number = 0; *number < test->term_count; ++*number)
        if (test->terms[*number].thread == term.thread &&
            test->terms[*number].number == term.number)
            return true;
    if (test->term_count == LITMUS_TERMS)
        return reader_fail(in, "a condition names at most %d values", LITMUS_TERMS);
    test->terms[test->term_count++] = term;
    return true;
}

/* Reads P0:r1, 0:r1, a variable, or a constant. */
static bool read_side(struct reader *in, struct litmus_test *test, struct litmus_operand *side)
{
    struct litmus_term term = {.thread = -1};
    const char *begin;

    reader_skip_blanks(in);
    begin = in->at;
    if (*in->at == 'P')
        in->at++;
    if (strspn(in->at, "0123456789") > 0 && in->at[strspn(in->at, "0123456789")] == ':') {
        if (!litmus_read_number(in, &term.thread) || !reader_expect(in, ":") ||
            !litmus_read_register(in, &term.number))
            return false;
        if (term.thread >= test->thread_count)
            return reader_fail(in, "there is no thread P%d", term.thread);
        side->is_register = true;
        return add_term(in, test, term, &side->value);
    }
    in->at = begin;
    side->is_register = reader_name_length(in->at) > 0 || *in->at == '[';
    if (!side->is_register)
        return litmus_read_number(in, &side->value);
    bool has_bracket = reader_take(in, "[");

    return litmus_read_variable(in, test, &term.number) &&
           (!has_bracket || reader_expect(in, "]")) && add_term(in, test, term, &side->value);
}

static bool read_joined(struct reader *in, struct litmus_test *test, enum condition_kind kind,
                        int depth);

static bool read_factor(struct reader *in, struct litmus_test *test, int depth)
{
    struct litmus_condition node = {.kind = CONDITION_EQUAL};
    bool is_negated;

    if (depth > LITMUS_CONDITIONS)
        return reader_fail(in, "a condition has at most %d levels", LITMUS_CONDITIONS);
    if (reader_take(in, "~") || reader_take_word(in, "not")) {
        if (!read_factor(in, test, depth + 1))
            return false;
        return add_node(
            in, test,
            (struct litmus_condition){.kind = CONDITION_NOT, .left = test->condition_count - 1});
    }
    if (reader_take(in, "("))
        return read_joined(in, test, CONDITION_OR, depth + 1) && reader_expect(in, ")");
    if (!read_side(in, test, &node.a))
        return false;
    is_negated = reader_take(in, "!=");
    if (!is_negated && !reader_take(in, "==") && !reader_expect(in, "="))
        return false;
    if (!read_side(in, test, &node.b) || !add_node(in, test, node))
        return false;
    return !is_negated || add_node(in, test,
                                   (struct litmus_condition){.kind = CONDITION_NOT,
                                                             .left = test->condition_count - 1});
}

/* Reads factors that /\ joins, or such terms that \/ joins. */
static bool read_joined(struct reader *in, struct litmus_test *test, enum condition_kind kind,
                        int depth)
{
    const bool is_and = kind == CONDITION_AND;
    struct litmus_condition node = {.kind = kind};

    for (bool is_first = true; is_first || reader_take(in, is_and ? "/\\" : "\\/");
         is_first = false) {
        node.left = test->condition_count - 1;
        if (is_and ? !read_factor(in, test, depth) : !read_joined(in, test, CONDITION_AND, depth))
            return false;
        node.right = test->condition_count - 1;
        if (!is_first && !add_node(in, test, node))
            return false;
    }
    return true;
}

bool litmus_read_condition(struct reader *in, struct litmus_test *test)
{
    test->quantifier = QUANTIFIER_EXISTS;
    if (reader_take_word(in, "forall"))
        test->quantifier = QUANTIFIER_FORALL;
    else if (reader_take(in, "~"))
        test->quantifier = QUANTIFIER_NOT_EXISTS;
    if (test->quantifier != QUANTIFIER_FORALL && !reader_take_word(in, "exists"))
        return reader_fail(in, "expected 'exists', '~exists' or 'forall' here");
    return read_joined(in, test, CONDITION_OR, 0);
}

/* ---- Evaluation ---- */

static int side_value(const struct litmus_operand *side, const int *values)
{
    return side->is_register ? values[side->value] : side->value;
}

static bool node_holds(const struct litmus_test *test, int number, const int *values)
{
    const struct litmus_condition *node = &test->conditions[number];

    switch (node->kind) {
    case CONDITION_EQUAL:
        return side_value(&node->a, values) == side_value(&node->b, values);
    case CONDITION_AND:
        return node_holds(test, node->left, values) && node_holds(test, node->right, values);
    case CONDITION_OR:
        return node_holds(test, node->left, values) || node_holds(test, node->right, values);
    default:
        return !node_holds(test, node->left, values);
    }
}

bool litmus_condition_holds(const struct litmus_test *test, const int *values)
{
    return node_holds(test, test->condition_count - 1, values);
}

bool litmus_in_scope(const struct litmus_thread *thread, const struct litmus_thread *other,
                     enum litmus_scope scope)
{
    if (scope == SCOPE_SYS)
        return true;
    if (scope == SCOPE_NONE || thread->gpu != other->gpu)
        return false;
    return scope == SCOPE_GPU || (thread->cluster == other->cluster &&
                                  (scope == SCOPE_CLUSTER || thread->block == other->block));
}
