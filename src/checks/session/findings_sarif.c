/* SPDX-License-Identifier: MIT
 *
 * SARIF, the Static Analysis Results Interchange Format, version 2.1.0 (OASIS, 2020).
 */
#include "findings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
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

static json_t *properties(const struct launch_record *launch, const struct finding_record *finding)
{
    const struct evidence_record *evidence = finding->evidence.items;
    json_t *checks = json_array();

    for (size_t k = 0; k < finding->evidence.count; k++)
        json_array_append_new(checks, json_string(evidence[k].check));
    return json_pack("{s:o, s:s*, s:s*, s:s*}", "checks", checks, "launch", launch->launch, "case",
                     finding->case_id, "command", finding->command);
}

/* Adds the other places of a finding, and its consequences. */
static void add_related(json_t *places, const struct finding_record *finding)
{
    const struct place_record *related = finding->related.items;
    const struct finding_record *consequences = finding->consequences.items;
    struct memory memory = {NULL};

    for (size_t k = 0; k < finding->related.count; k++)
        json_array_append_new(places, location(related[k].file, related[k].line, related[k].text));
    for (size_t k = 0; k < finding->consequences.count; k++)
        json_array_append_new(places,
                              location(consequences[k].file, consequences[k].line,
                                       memory_text(&memory, "consequence: %s: %s",
                                                   consequences[k].rule, consequences[k].message)));
    memory_free(&memory);
}

/* The message: its source lines are in `locations`. */
static void put_title(FILE *to, const char *file, uint64_t line, const char *level,
                      const char *text)
{
    (void)file, (void)line, (void)level;
    fputs(text, to);
}

static void put_place(FILE *to, const char *file, uint64_t line, const char *text)
{
    fprintf(to, "\n%s:%" PRIu64 ": %s", file, line, text);
}

static void put_note(FILE *to, const char *word, const char *text)
{
    fprintf(to, "\n%s: %s", word, text);
}

static void put_end(FILE *to)
{
    (void)to;
}

static json_t *result_of(const struct launch_record *launch, const struct finding_record *finding,
                         json_t *rules)
{
    size_t index = rule_index(rules, finding->rule);
    static const struct message_form form = {put_title, put_place, put_note, put_end};
    struct memory memory = {NULL};
    json_t *places = json_array(),
           *json = json_pack("{s:s, s:I, s:s, s:{s:s}, s:[o], s:I, s:o}", "ruleId", finding->rule,
                             "ruleIndex", (json_int_t)index, "level", rule_level(finding->rule),
                             "message", "text", findings_message(&memory, launch, finding, &form),
                             "locations", location(finding->file, finding->line, NULL),
                             "occurrenceCount", (json_int_t)finding->evidence.count, "properties",
                             properties(launch, finding));

    memory_free(&memory);
    add_related(places, finding);
    json_object_set_new(json, "relatedLocations", places);
    if (finding->allowed_by != NULL)
        json_object_set_new(
            json, "suppressions",
            json_pack("[{s:s, s:s}]", "kind", "external", "justification", finding->allowed_by));
    return json;
}

/* ---- The whole ---- */

static void add_notification(json_t *notifications, const char *level, const char *text)
{
    json_array_append_new(notifications,
                          json_pack("{s:s, s:{s:s}}", "level", level, "message", "text", text));
}

/* Adds why the code of a compiler was not checked, and what --minutes left out. */
static void add_gaps(json_t *notifications, const struct launch_record *launch)
{
    const struct check_record *checks = launch->checks.items;
    struct memory memory = {NULL};

    for (size_t k = 0; k < launch->checks.count; k++) {
        const char *partial = check_partial(&checks[k], &memory);
        if (checks[k].kind == CHECKED_COMPILATION)
            add_notification(notifications, "warning", checks[k].note);
        if (partial != NULL)
            add_notification(
                notifications, "warning",
                memory_text(&memory, "%s: %s", check_name(&checks[k], &memory), partial));
    }
    memory_free(&memory);
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
        add_gaps(messages, &launches[k]);
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
    bool good;

    for (size_t k = 0; k < results->launches.count; k++) {
        const struct finding_record *findings = launches[k].findings.items;
        for (size_t f = 0; f < launches[k].findings.count; f++)
            json_array_append_new(found, result_of(&launches[k], &findings[f], rules));
    }
    json = json_pack("{s:s, s:s, s:[o]}", "$schema", SCHEMA, "version", "2.1.0", "runs",
                     run_of(results, rules, found));
    good = json != NULL && json_dumpf(json, to, JSON_INDENT(2)) == 0 && fputc('\n', to) != EOF &&
           fflush(to) == 0;
    json_decref(json);
    return good;
}
