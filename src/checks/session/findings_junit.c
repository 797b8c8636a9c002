/* SPDX-License-Identifier: MIT */
#include "findings.h"

#include "exit_status.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Writes a text with XML's escapes. In an attribute, a line feed would be read as a blank. */
static void put(FILE *to, const char *text, bool in_attribute)
{
    for (; *text != '\0'; text++)
        if (*text == '<' || *text == '>' || *text == '&' || *text == '"' || *text == '\r' ||
            (in_attribute && (*text == '\n' || *text == '\t')))
            fprintf(to, "&#%d;", *text);
        else
            fputc(*text, to);
}

static void put_text(FILE *to, const char *text)
{
    put(to, text, false);
}

static void put_attribute(FILE *to, const char *name, const char *value)
{
    fprintf(to, " %s=\"", name);
    put(to, value, true);
    fputc('"', to);
}

/* ---- Test cases ---- */

const char *check_name(const struct check_record *check, struct memory *memory)
{
    const char *kind = words_name(&check_kind_words, check->kind);

    if (check->kind == CHECKED_MUTANT)
        return memory_text(memory, "%s: %s", check->kernel, check->change);
    return memory_text(
        memory, "%s: %s%s%s%s%s%s%s", check->kernel, kind, check->kind == CHECKED_RUN ? " on " : "",
        check->kind == CHECKED_RUN ? words_name(&engine_words, check->engine) : "",
        check->has_model ? ", model " : "", check->has_model ? model_name(check->model) : "",
        check->compiler != NULL ? ", " : "", check->compiler != NULL ? check->compiler : "");
}

const char *check_partial(const struct check_record *check, struct memory *memory)
{
    if (check->untried > 0)
        return memory_text(memory, "PARTIAL: --minutes left out %" PRIu64 " case%s", check->untried,
                           check->untried == 1 ? "" : "s");
    if (check->result == RESULT_BOUNDED && check->note != NULL)
        return memory_text(memory, "PARTIAL: %s", check->note);
    return check->result == RESULT_BOUNDED ? "PARTIAL: --minutes left out a part of this check"
                                           : NULL;
}

/* Returns the finding of evidence k of a check, if it is among those that fail or the others, or
 * null. */
static const struct finding_record *finding_of(const struct launch_record *launch,
                                               const struct check_record *check, size_t k,
                                               bool fails)
{
    const struct evidence_record *evidence = (struct evidence_record *)check->findings.items + k;
    bool is_failure = check->result == RESULT_FAIL && evidence->allowed_by == NULL;

    return is_failure == fails ? findings_find(launch, ((uint64_t *)check->finding_ids.items)[k])
                               : NULL;
}

/* Returns whether the message of evidence k is that of earlier evidence. */
static bool is_repeated(const struct launch_record *launch, const struct check_record *check,
                        size_t k, bool fails)
{
    const struct finding_record *finding = finding_of(launch, check, k, fails);

    for (size_t e = 0; e < k; e++)
        if (finding_of(launch, check, e, fails) == finding)
            return true;
    return false;
}

/* Writes the findings that fail in one element, because many readers show only the first one. The
 * others do not fail the test case. A consequence is in the message of what explains it. Returns
 * whether there are any. */
static bool put_findings(FILE *to, const struct launch_record *launch,
                         const struct check_record *check, bool fails, struct memory *memory)
{
    const struct evidence_record *evidence = check->findings.items;
    const char *element = fails ? "failure" : "system-out";
    const char *partial = fails ? NULL : check_partial(check, memory);
    bool is_open = partial != NULL;

    if (is_open) {
        fprintf(to, "      <%s>", element);
        put_text(to, memory_text(memory, "%s\n", partial));
    }

    for (size_t k = 0; k < check->findings.count; k++) {
        const struct finding_record *finding = finding_of(launch, check, k, fails);
        char *text;
        if (finding == NULL || is_repeated(launch, check, k, fails))
            continue;
        text = findings_message(memory, launch, finding, NULL);
        if (!is_open)
            fprintf(to, "      <%s", element);
        if (!is_open && fails) {
            put_attribute(to, "type", finding->rule);
            put_attribute(to, "message",
                          memory_text(memory, "%.*s", (int)strcspn(text, "\n"), text));
        }
        if (!is_open)
            fputc('>', to);
        is_open = true;
        put_text(to, text);
        if (finding->allowed_by != NULL)
            put_text(to, memory_text(memory, "allowed: %s\n", finding->allowed_by));
        if (evidence[k].command != NULL)
            put_text(to, memory_text(memory, "run it again: %s\n", evidence[k].command));
    }
    if (is_open)
        fprintf(to, "</%s>\n", element);
    return is_open;
}

/* Writes why a check without a finding did not pass. */
static void put_reason(FILE *to, const char *element, const struct check_record *check)
{
    fprintf(to, "      <%s", element);
    put_attribute(to, "message", check->note != NULL ? check->note : check->verdict);
    fputs("/>\n", to);
}

/* Writes a test case. Jenkins and others show the parts of its class as a tree. */
static void put_check(FILE *to, const struct launch_record *launch,
                      const struct check_record *check, const char *command)
{
    struct memory memory = {NULL};

    fputs("    <testcase", to);
    put_attribute(to, "classname", memory_text(&memory, "%s.%s", command, check->kernel));
    put_attribute(to, "name", check_name(check, &memory));
    fprintf(to, " time=\"%.3f\">\n", check->seconds);
    if (check->result == RESULT_SKIPPED)
        put_reason(to, "skipped", check);
    if (check->result == RESULT_KNOWN) {
        fputs("      <skipped", to);
        put_attribute(to, "message",
                      memory_text(&memory, "known deviation until %s: %s",
                                  check->known_deviation->expires, check->known_deviation->link));
        fputs("/>\n", to);
    }
    if (!put_findings(to, launch, check, true, &memory) && check->result == RESULT_FAIL)
        put_reason(to, "failure", check);
    put_findings(to, launch, check, false, &memory);
    fputs("    </testcase>\n", to);
    memory_free(&memory);
}

/* ---- Test suites ---- */

struct tally {
    size_t tests, failures, skipped, known; /* known: failures with a known deviation */
    double seconds;
};

static struct tally tally_of(const struct launch_record *launch)
{
    const struct check_record *checks = launch->checks.items;
    struct tally tally = {.tests = launch->checks.count};

    for (size_t k = 0; k < launch->checks.count; k++) {
        tally.failures += checks[k].result == RESULT_FAIL;
        tally.skipped += checks[k].result == RESULT_SKIPPED;
        tally.known += checks[k].result == RESULT_KNOWN;
        tally.seconds += checks[k].seconds;
    }
    return tally;
}

static void put_launch(FILE *to, const struct launch_record *launch, const char *command)
{
    const struct check_record *checks = launch->checks.items;
    const char *file = launch->files.count > 0 ? *(const char **)launch->files.items : "catalogue";
    const struct tally tally = tally_of(launch);

    fputs("  <testsuite", to);
    put_attribute(to, "name", launch->launch != NULL ? launch->launch : file);
    put_attribute(to, "file", file);
    fprintf(to, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.3f\">\n",
            tally.tests, tally.failures, tally.skipped + tally.known, tally.seconds);
    for (size_t k = 0; k < launch->checks.count; k++)
        put_check(to, launch, &checks[k], command);
    fputs("  </testsuite>\n", to);
}

/* Writes a test case for what kept the command from a result: an error, or nothing to check. Many
 * readers take a file without test cases as a pass. */
static void put_rest(FILE *to, const struct check_results *results, bool is_error)
{
    const char *element = is_error ? "error" : "skipped";

    fputs("  <testsuite", to);
    put_attribute(to, "name", results->command);
    fprintf(to, " tests=\"1\" failures=\"0\" errors=\"%d\" skipped=\"%d\">\n    <testcase",
            is_error, !is_error);
    put_attribute(to, "classname", results->command);
    fprintf(to, " name=\"all work is done\">\n      <%s message=\"%s\">", element,
            results->complete ? "nothing was checked" : "not all work was done");
    for (size_t k = 0; k < results->messages.count; k++) {
        put_text(to, ((const char **)results->messages.items)[k]);
        fputc('\n', to);
    }
    fprintf(to, "</%s>\n    </testcase>\n  </testsuite>\n", element);
}

bool junit_write(const void *what, FILE *to)
{
    const struct check_results *results = what;
    const struct launch_record *launches = results->launches.items;
    bool is_error = !results->complete &&
                    !(results->has_status && results->status == (uint64_t)EXIT_UNAVAILABLE);
    struct tally all = {.tests = 0};
    size_t verdicts = 0;
    bool has_rest;

    for (size_t k = 0; k < results->launches.count; k++) {
        const struct tally tally = tally_of(&launches[k]);
        all.tests += tally.tests;
        all.failures += tally.failures;
        verdicts += tally.tests - tally.skipped;
    }
    has_rest = !results->complete || verdicts == 0;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", to);
    fprintf(to,
            " name=\"simtcheck %s\" tests=\"%zu\" failures=\"%zu\" errors=\"%d\" time=\"%.3f\">\n",
            results->command, all.tests + has_rest, all.failures, has_rest && is_error,
            results->seconds);
    for (size_t k = 0; k < results->launches.count; k++)
        put_launch(to, &launches[k], results->command);
    if (has_rest)
        put_rest(to, results, is_error);
    fputs("</testsuites>\n", to);
    return fflush(to) == 0 && !ferror(to);
}
