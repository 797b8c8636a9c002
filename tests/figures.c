/* SPDX-License-Identifier: MIT */
#include "figures.h"

#include "check.h"

enum { MAX_GROUPS = 48, LINE = 256 };

static struct {
    const char *source, *place;
    size_t values;
} groups[MAX_GROUPS];

static size_t group_count;

void figures_asserted(const char *source, const char *place, size_t values)
{
    size_t g = 0;

    while (g < group_count &&
           (strcmp(groups[g].source, source) != 0 || strcmp(groups[g].place, place) != 0))
        g++;
    if (g == group_count) {
        assert_true(group_count < MAX_GROUPS);
        groups[group_count].source = source;
        groups[group_count++].place = place;
    }
    groups[g].values += values;
}

static size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part))
        count++;
    return count;
}

void figures_match_the_page(const char *test)
{
    char *text = NULL, line[LINE];
    size_t capacity = 0, published = 0, worked_out = 0, missing = 0;
    FILE *page = fopen(FIGURES_PAGE, "r");

    assert_non_null(page);
    assert_true(getdelim(&text, &capacity, '\0', page) > 0);
    fclose(page);
    for (size_t g = 0; g < group_count; g++) {
        bool is_worked_out = strncmp(groups[g].source, "worked out: ", 12) == 0;
        *(is_worked_out ? &worked_out : &published) += groups[g].values;
        snprintf(line, sizeof line, "| %s | %s | %zu | %s |\n", groups[g].source, groups[g].place,
                 groups[g].values, test);
        if (strstr(text, line) == NULL) {
            print_error("docs/results/figures.md lacks the row: %s", line);
            missing++;
        }
    }
    print_message("%s: asserted %zu figures that the textbooks print, %zu worked out from them\n",
                  test, published, worked_out);
    assert_int_equal(missing, 0);
    snprintf(line, sizeof line, "| %s |\n", test);
    assert_int_equal(occurrences(text, line), group_count);
    free(text);
}
