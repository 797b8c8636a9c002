/* SPDX-License-Identifier: MIT */
#include "launch_rows.h"

#include <unistd.h>

static void write_launches(const struct launch_set *set)
{
    FILE *file = fopen(set->path, "w");

    assert_non_null(file);
    for (size_t g = 0; g < MAX_LAUNCH_GROUPS; g++)
        for (size_t k = 0; k < set->groups[g].count; k++) {
            const struct launch_row *row = &set->groups[g].rows[k];
            assert_null(strchr(row->launch, '\n'));
            fprintf(file, "%s %s\n", row->launch, row->options != NULL ? row->options : "");
        }
    assert_int_equal(fclose(file), 0);
}

static void run_all(struct launch_set *set)
{
    char json[64];
    int fd;

    strcpy(set->path, "/tmp/simtcheck-rows-XXXXXX.launches");
    fd = mkstemps(set->path, (int)strlen(".launches"));
    assert_true(fd >= 0);
    close(fd);
    snprintf(json, sizeof json, "%s.json", set->path);
    write_launches(set);
    set->ended = run_line("check %s %s --json %s %s", set->file, set->path, json, set->options);
    set->report = json_load_file(json, 0, NULL);
    unlink(set->path);
    unlink(json);
}

/* Returns where the text about a launch ends, from 1 on: after its verdict and the notes there. */
static const char *end_of(const struct launch_set *set, size_t number)
{
    char place[64];
    const char *at;

    snprintf(place, sizeof place, " %s:%zu, ", set->path, number);
    at = strstr(set->ended.output, place);
    if (at == NULL)
        fail_msg("the output lacks '%s':\n%s", place, set->ended.output);
    do
        at += strcspn(at, "\n") + 1;
    while (strncmp(at, "   ", 3) == 0);
    return at;
}

/* Returns what the program says about a launch, from 0 on. The caller frees the text. */
static char *take_part(const struct launch_set *set, size_t number)
{
    const char *start = number > 0 ? end_of(set, number) : set->ended.output;

    return strndup(start, (size_t)(end_of(set, number + 1) - start));
}

/* Returns the exit status of a check with that result alone, or -1. */
static int status_of(const json_t *record)
{
    const char *result = report_text(record, "result");

    if (strcmp(result, "pass") == 0)
        return 0;
    return strcmp(result, "fail") == 0 ? 1 : -1;
}

static void expect_row(const struct launch_set *set, const struct launch_row *row, size_t number)
{
    const json_t *record = json_array_get(json_at(set->report, "launches"), number);
    struct ended ended = {status_of(record), take_part(set, number)};

    assert_string_equal(report_text(record, "launch"), row->launch);
    if (ended.status != row->status)
        fail_msg("%s: status %d, not %d:\n%s", row->launch, ended.status, row->status,
                 ended.output);
    expect_ended(ended, row->status, row->says);
}

void expect_rows(struct launch_set *set, const struct launch_row rows[])
{
    const struct launch_group *group = set->groups;
    size_t first = 0, all = 0, k;
    json_t *record;
    int worst = 0;

    for (size_t g = 0; g < MAX_LAUNCH_GROUPS; g++)
        all += set->groups[g].count;
    for (; group->rows != rows; group++) {
        assert_true(group->count > 0);
        first += group->count;
    }
    if (group->count != all && getenv("SIMTCHECK_TEST_PART") != NULL) {
        expect_launches(set->file, set->options, *group);
        return;
    }
    if (set->ended.output == NULL)
        run_all(set);
    if (json_array_size(json_at(set->report, "launches")) != all)
        fail_msg("exit status %d:\n%s", set->ended.status, set->ended.output);
    json_array_foreach(json_at(set->report, "launches"), k, record) worst =
        status_of(record) == 1 ? 1 : worst;
    if (set->ended.status != worst)
        fail_msg("exit status %d, not %d:\n%s", set->ended.status, worst, set->ended.output);
    for (k = 0; k < group->count; k++)
        expect_row(set, &group->rows[k], first + k);
}

void expect_launches(const char *file, const char *options, struct launch_group group)
{
    struct launch_set set = {.file = file, .options = options, .groups = {group}};

    expect_rows(&set, group.rows);
    free(set.ended.output);
    json_decref(set.report);
}
