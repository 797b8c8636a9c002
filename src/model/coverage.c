/* SPDX-License-Identifier: MIT */
#include "coverage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Points ---- */

static int compare_numbers(uint32_t one, uint32_t other)
{
    return (one > other) - (one < other);
}

int point_compare(const struct source_point *one, const struct source_point *other)
{
    bool are_functions = one->kind == POINT_FUNCTION && other->kind == POINT_FUNCTION;
    const int by[] = {
        strcmp(one->file, other->file),
        compare_numbers(one->kind, other->kind),
        are_functions ? strcmp(one->name, other->name) : compare_numbers(one->line, other->line),
        compare_numbers(one->column, other->column),
        compare_numbers(one->to, other->to),
        compare_numbers(one->way, other->way),
    };

    for (size_t k = 0; k < sizeof by / sizeof *by; k++)
        if (by[k] != 0)
            return by[k];
    return 0;
}

/* Names of templates can have any length, so longer ones are cut. */
enum { MAX_NAME = 200, MAX_FILE = 600 };

static void write_text(FILE *stream, const char *text, size_t most)
{
    for (size_t k = 0; text[k] != '\0' && k < most; k++)
        fputc(text[k] >= 0 && text[k] < ' ' ? ' ' : text[k], stream);
}

void point_write(FILE *stream, const struct source_point *point)
{
    fprintf(stream, "%d\t%d\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t",
            (int)point->kind, (int)point->reached, point->line, point->column, point->to,
            point->way);
    write_text(stream, point->name, MAX_NAME);
    fputc('\t', stream);
    write_text(stream, point->file, MAX_FILE);
}

bool point_read(char *text, struct source_point *point)
{
    uint32_t numbers[6];

    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const char *number = strsep(&text, "\t");
        char *end;
        unsigned long value = strtoul(number, &end, 10);
        if (text == NULL || end == number || *end != '\0' || value > UINT32_MAX)
            return false;
        numbers[k] = (uint32_t)value;
    }
    *point = (struct source_point){.kind = (enum point_kind)numbers[0],
                                   .reached = numbers[1] != 0,
                                   .line = numbers[2],
                                   .column = numbers[3],
                                   .to = numbers[4],
                                   .way = numbers[5]};
    point->name = strsep(&text, "\t");
    point->file = text;
    return text != NULL && numbers[0] <= POINT_BRANCH && numbers[1] <= 1;
}

const char *point_text(const struct source_point *point, char text[POINT_TEXT])
{
    const char *slash = strrchr(point->file, '/');
    int used = snprintf(text, POINT_TEXT, "%.64s:%" PRIu32, slash != NULL ? slash + 1 : point->file,
                        point->line);

    if (point->kind == POINT_BRANCH)
        snprintf(text + used, POINT_TEXT - (size_t)used, " to %" PRIu32, point->to);
    return text;
}

/* ---- Sets ---- */

static void free_texts(const struct source_point *point)
{
    free((char *)(uintptr_t)point->file);
    free((char *)(uintptr_t)point->name);
}

bool coverage_add(struct coverage *coverage, const struct source_point *point)
{
    struct source_point added = *point;

    if (coverage->count == coverage->room) {
        size_t room = coverage->room == 0 ? 64 : 2 * coverage->room;
        struct source_point *grown = realloc(coverage->points, room * sizeof *grown);
        if (grown == NULL)
            return false;
        coverage->points = grown;
        coverage->room = room;
    }
    added.file = strdup(point->file);
    added.name = strdup(point->name);
    if (added.file == NULL || added.name == NULL) {
        free_texts(&added);
        return false;
    }
    coverage->points[coverage->count++] = added;
    coverage->is_sorted = false;
    return true;
}

bool coverage_merge(struct coverage *coverage, const struct coverage *other)
{
    for (size_t k = 0; k < other->count; k++)
        if (!coverage_add(coverage, &other->points[k]))
            return false;
    coverage_sort(coverage);
    return true;
}

void coverage_free(struct coverage *coverage)
{
    for (size_t k = 0; k < coverage->count; k++)
        free_texts(&coverage->points[k]);
    free(coverage->points);
    *coverage = (struct coverage){.points = NULL};
}

static int compare(const void *one, const void *other)
{
    return point_compare(one, other);
}

void coverage_sort(struct coverage *coverage)
{
    struct source_point *points = coverage->points;
    size_t kept = 0;

    if (coverage->is_sorted || coverage->count == 0)
        return;
    qsort(points, coverage->count, sizeof *points, compare);
    for (size_t k = 1; k < coverage->count; k++) {
        if (point_compare(&points[kept], &points[k]) != 0) {
            points[++kept] = points[k];
            continue;
        }
        points[kept].reached = points[kept].reached || points[k].reached;
        if (points[k].line < points[kept].line)
            points[kept].line = points[k].line; /* the smallest line of a function */
        free_texts(&points[k]);
    }
    coverage->count = kept + 1;
    coverage->is_sorted = true;
}

struct coverage_counts coverage_count(const struct coverage *coverage)
{
    struct coverage_counts counts = {0};

    for (size_t k = 0; k < coverage->count; k++) {
        const struct source_point *point = &coverage->points[k];
        counts.lines += point->kind == POINT_LINE;
        counts.lines_reached += point->kind == POINT_LINE && point->reached;
        counts.branches += point->kind == POINT_BRANCH;
        counts.branches_reached += point->kind == POINT_BRANCH && point->reached;
    }
    return counts;
}

/* ---- lcov ---- */

/* Writes the branches of one condition, from `first` on. "-" means that the condition was never
 * evaluated. Returns how many there are. */
static size_t write_condition(FILE *stream, const struct source_point *first, size_t left)
{
    size_t count = 0;
    bool evaluated = false;

    for (; count < left && first[count].kind == POINT_BRANCH && first[count].line == first->line &&
           first[count].column == first->column && strcmp(first[count].file, first->file) == 0;
         count++)
        evaluated = evaluated || first[count].reached;
    for (size_t k = 0; k < count; k++)
        fprintf(stream, "BRDA:%" PRIu32 ",%" PRIu32 ",%zu,%s\n", first->line, first->column, k,
                !evaluated         ? "-"
                : first[k].reached ? "1"
                                   : "0");
    return count;
}

/* Writes the points of the first point's file. Returns how many the file has. */
static size_t write_file(FILE *stream, const struct source_point *points, size_t left)
{
    struct coverage file = {.points = (struct source_point *)(uintptr_t)points};
    struct coverage_counts counts;
    size_t functions = 0, called = 0;

    fprintf(stream, "TN:\nSF:%s\n", points->file);
    while (file.count < left && strcmp(points[file.count].file, points->file) == 0)
        file.count++;
    for (; functions < file.count && points[functions].kind == POINT_FUNCTION; functions++)
        fprintf(stream, "FN:%" PRIu32 ",%s\n", points[functions].line, points[functions].name);
    for (size_t k = 0; k < functions; k++) {
        fprintf(stream, "FNDA:%d,%s\n", (int)points[k].reached, points[k].name);
        called += points[k].reached;
    }
    fprintf(stream, "FNF:%zu\nFNH:%zu\n", functions, called);
    counts = coverage_count(&file);
    for (size_t k = functions + counts.lines; k < file.count;)
        k += write_condition(stream, points + k, file.count - k);
    fprintf(stream, "BRF:%" PRIu64 "\nBRH:%" PRIu64 "\n", counts.branches, counts.branches_reached);
    for (size_t k = functions; k < functions + counts.lines; k++)
        fprintf(stream, "DA:%" PRIu32 ",%d\n", points[k].line, (int)points[k].reached);
    fprintf(stream, "LF:%" PRIu64 "\nLH:%" PRIu64 "\nend_of_record\n", counts.lines,
            counts.lines_reached);
    return file.count;
}

void coverage_write(FILE *stream, const struct coverage *coverage)
{
    for (size_t k = 0; k < coverage->count;)
        k += write_file(stream, coverage->points + k, coverage->count - k);
}
