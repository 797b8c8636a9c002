/* SPDX-License-Identifier: MIT
 *
 * SARIF, the Static Analysis Results Interchange Format, version 2.1.0 (OASIS, 2020).
 */
#include "findings.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

static const char SCHEMA[] = "https://json.schemastore.org/sarif-2.1.0.json",
                  HERE[] = "%SRCROOT%"; /* the current folder */

/* ---- Places ---- */

/* Returns the path as a URI. A relative one has no scheme. */
static const char *uri_of(const char *path, struct memory *memory)
{
    char *uri = memory_take(memory, 3 * strlen(path) + sizeof "file://"), *to = uri;

    if (path[0] == '/')
        to = stpcpy(to, "file://");
    for (; *path != '\0'; path++)
        if (isalnum((unsigned char)*path) || strchr("/-._~", *path) != NULL)
            *to++ = *path;
        else
            to += sprintf(to, "%%%02X", (unsigned char)*path);
    return uri;
}

/* Returns a location. Without a line it is the first one, because GitHub needs a line. */
static json_t *location(const char *path, uint64_t line, const char *text)
{
    struct memory memory = {NULL};
    const char *base = path[0] == '/' ? NULL : HERE;
    json_t *json = json_pack("{s:{s:{s:s, s:s*}, s:{s:I}}}", "physicalLocation", "artifactLocation",
                             "uri", uri_of(path, &memory), "uriBaseId", base, "region", "startLine",
                             line > 0 ? (json_int_t)line : (json_int_t)1);

    if (text != NULL)
        json_object_set_new(json, "message", json_pack("{s:s}", "text", text));
    memory_free(&memory);
    return json;
}

/* ---- Rules ---- */

/* Returns the index of the rule in the list, and adds it if it is new. */
static size_t rule_index(json_t *rules, const char *rule)
{
    json_t *known;
    size_t k;

    json_array_foreach(rules, k, known) if (strcmp(json_string_value(json_object_get(known, "id")),
                                                   rule) == 0) return k;
    json_array_append_new(rules, json_pack("{s:s, s:{s:s}, s:{s:s}}", "id", rule,
                                           "shortDescription", "text", rule_meaning(rule),
                                           "defaultConfiguration", "level", rule_level(rule)));
    return k;
}

/* ---- Results ---- */

/* A result while equal findings are merged into it. */
struct merged {
    const struct check_record *check;
    const struct finding_record *finding;
    json_t *result;
    json_int_t count;
};

/* Returns whether two checks of a kernel, such as by two compilers, found the same. */
static bool is_same(const struct merged *known, const struct check_record *check,
                    const struct finding_record *b)
{
    const struct finding_record *a = known->finding;
    const struct related_record *x = a->related.items, *y = b->related.items;

    for (size_t k = 0; k < a->related.count && k < b->related.count; k++)
        if (x[k].line != y[k].line || strcmp(x[k].file, y[k].file) != 0)
            return false;
    return check->kind != CHECKED_MUTANT && strcmp(known->check->kernel, check->kernel) == 0 &&
           a->related.count == b->related.count && a->line == b->line &&
           strcmp(a->rule, b->rule) == 0 && strcmp(a->file, b->file) == 0 &&
           (a->allowed_by != NULL) == (b->allowed_by != NULL);
}

static json_t *properties(const struct launch_record *launch, const struct check_record *check,
                          const struct finding_record *finding)
{
    struct memory memory = {NULL};
    json_t *json =
        json_pack("{s:s, s:s*, s:s*, s:s*}", "check", check_name(check, &memory), "launch",
                  launch->launch, "case", finding->case_id, "command", finding->command);

    memory_free(&memory);
    return json;
}

static json_t *result_of(const struct launch_record *launch, const struct check_record *check,
                         const struct finding_record *finding, json_t *rules)
{
    const struct related_record *related = finding->related.items;
    size_t index = rule_index(rules, finding->rule);
    json_t *places = json_array(),
           *json = json_pack("{s:s, s:I, s:s, s:{s:s}, s:[o], s:o}", "ruleId", finding->rule,
                             "ruleIndex", (json_int_t)index, "level", rule_level(finding->rule),
                             "message", "text", finding->message, "locations",
                             location(finding->file, finding->line, NULL), "properties",
                             properties(launch, check, finding));

    for (size_t k = 0; k < finding->related.count; k++)
        json_array_append_new(places, location(related[k].file, related[k].line, related[k].text));
    json_object_set_new(json, "relatedLocations", places);
    if (finding->allowed_by != NULL)
        json_object_set_new(
            json, "suppressions",
            json_pack("[{s:s, s:s}]", "kind", "external", "justification", finding->allowed_by));
    return json;
}

/* Adds the findings of a check to the results. */
static void add_check(json_t *results, json_t *rules, struct list *merged, struct memory *memory,
                      const struct launch_record *launch, const struct check_record *check)
{
    const struct finding_record *findings = check->findings.items;

    for (size_t k = 0; k < check->findings.count; k++) {
        struct merged *known = merged->items;
        size_t m = 0;
        while (m < merged->count && !is_same(&known[m], check, &findings[k]))
            m++;
        if (m < merged->count) {
            json_object_set_new(known[m].result, "occurrenceCount", json_integer(++known[m].count));
            continue;
        }
        LIST_ADD(memory, merged, struct merged) =
            (struct merged){check, &findings[k], result_of(launch, check, &findings[k], rules), 1};
        known = merged->items;
        json_array_append_new(results, known[m].result);
    }
}

/* ---- The whole ---- */

static void add_notification(json_t *notifications, const char *level, const char *text)
{
    json_array_append_new(notifications,
                          json_pack("{s:s, s:{s:s}}", "level", level, "message", "text", text));
}

/* Adds why the code of a compiler was not checked. */
static void add_rejections(json_t *notifications, const struct launch_record *launch)
{
    const struct check_record *checks = launch->checks.items;

    for (size_t k = 0; k < launch->checks.count; k++)
        if (checks[k].kind == CHECKED_COMPILATION)
            add_notification(notifications, "warning", checks[k].note);
}

static json_t *invocation(const struct check_results *results)
{
    const struct launch_record *launches = results->launches.items;
    json_t *messages = json_array(),
           *json = json_pack("{s:b, s:o}", "executionSuccessful", results->complete,
                             "toolExecutionNotifications", messages);

    for (size_t k = 0; k < results->messages.count; k++)
        add_notification(messages, results->complete ? "warning" : "error",
                         ((const char **)results->messages.items)[k]);
    for (size_t k = 0; k < results->launches.count; k++)
        add_rejections(messages, &launches[k]);
    if (results->has_status)
        json_object_set_new(json, "exitCode", json_integer((json_int_t)results->status));
    return json;
}

static json_t *run_of(const struct check_results *results, json_t *rules, json_t *found)
{
    struct memory memory = {NULL};
    char *folder = getcwd(NULL, 0);
    json_t *json =
        json_pack("{s:{s:{s:s, s:s, s:o}}, s:[o], s:{s:{s:s}}, s:o}", "tool", "driver", "name",
                  "simtcheck", "version", results->simtcheck, "rules", rules, "invocations",
                  invocation(results), "originalUriBaseIds", HERE, "uri",
                  uri_of(memory_text(&memory, "%s/", folder != NULL ? folder : ""), &memory),
                  "results", found);

    free(folder);
    memory_free(&memory);
    return json;
}

bool sarif_write(const void *what, FILE *to)
{
    const struct check_results *results = what;
    const struct launch_record *launches = results->launches.items;
    json_t *found = json_array(), *rules = json_array(), *json;
    struct memory memory = {NULL};
    struct list merged = {NULL, 0}; /* of struct merged */
    bool good;

    for (size_t k = 0; k < results->launches.count; k++)
        for (size_t c = 0; c < launches[k].checks.count; c++)
            add_check(found, rules, &merged, &memory, &launches[k],
                      (const struct check_record *)launches[k].checks.items + c);
    json = json_pack("{s:s, s:s, s:[o]}", "$schema", SCHEMA, "version", "2.1.0", "runs",
                     run_of(results, rules, found));
    good = json != NULL && json_dumpf(json, to, JSON_INDENT(2)) == 0 && fputc('\n', to) != EOF &&
           fflush(to) == 0;
    json_decref(json);
    memory_free(&memory);
    return good;
}
