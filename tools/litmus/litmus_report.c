/* SPDX-License-Identifier: MIT */
#include "litmus_report.h"

#include <stdio.h>

static const char *allowed_word(bool is_allowed)
{
    return is_allowed ? "allowed" : "forbidden";
}

static bool is_racy(const struct litmus_outcomes *outcomes)
{
    for (size_t k = 0; k < outcomes->count; k++)
        if (outcomes->list[k].is_racy)
            return true;
    return false;
}

void litmus_places_text(const struct litmus_test *test, char *text, size_t size)
{
    size_t length = 0;

    for (int t = 0; t < test->thread_count && length < size; t++) {
        const struct litmus_thread *thread = &test->threads[t];

        length +=
            (size_t)snprintf(text + length, size - length, "%sP%d: block %d of cluster %d, warp %d",
                             t > 0 ? "; " : "", t, thread->block, thread->cluster, thread->warp);
    }
}

void litmus_scopes_text(const struct litmus_test *test, char *text, size_t size)
{
    static const char *const names[] = {"", "cta", "cluster", "gpu", "sys"};
    bool has[sizeof names / sizeof *names] = {false};
    size_t length = 0;

    for (int t = 0; t < test->thread_count; t++)
        for (int k = 0; k < test->threads[t].count; k++)
            has[test->threads[t].instructions[k].scope] = true;
    snprintf(text, size, "none");
    for (int scope = SCOPE_CTA; scope <= SCOPE_SYS && length < size; scope++)
        if (has[scope])
            length += (size_t)snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "",
                                       names[scope]);
}

void litmus_outcome_text(const struct litmus_test *test, const int *values, char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (int k = 0; k < test->term_count && length < size; k++) {
        const struct litmus_term *term = &test->terms[k];
        const char *space = k > 0 ? " " : "";

        if (term->thread >= 0)
            length += (size_t)snprintf(text + length, size - length, "%sP%d:r%d=%d", space,
                                       term->thread, term->number, values[k]);
        else
            length += (size_t)snprintf(text + length, size - length, "%s%s=%d", space,
                                       test->variables[term->number].name, values[k]);
    }
}

void litmus_print_title(void)
{
    printf("%-44s %-10s %-11s %s\n", "test", "model", "sequential", "data race");
}

bool litmus_print(const struct litmus_test *test, const struct litmus_outcomes *outcomes,
                  bool with_outcomes)
{
    const bool is_allowed = litmus_is_allowed(test, outcomes);
    const bool agrees =
        test->verdict == VERDICT_NONE || (test->verdict == VERDICT_ALLOWED) == is_allowed;

    printf("%-44s %-10s %-11s %s%s\n", test->name, allowed_word(is_allowed),
           allowed_word(litmus_is_sequential(test, outcomes)), is_racy(outcomes) ? "yes" : "no",
           agrees ? "" : "   WRONG: the file has another verdict");
    for (size_t k = 0; with_outcomes && k < outcomes->count; k++) {
        const struct litmus_outcome *outcome = &outcomes->list[k];
        char text[256];

        litmus_outcome_text(test, outcome->values, text, sizeof text);
        printf("    %-40s %s%s\n", text, outcome->is_sequential ? "sequential" : "weak",
               litmus_condition_holds(test, outcome->values) ? ", the condition holds" : "");
    }
    return agrees;
}
