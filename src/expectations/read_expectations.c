/* SPDX-License-Identifier: MIT
 *
 * The reader of expectations:
 *
 *     # A comment.
 *     [KIND TEST]
 *     key = value
 */
#include "expectations.h"

#include "error_report.h"
#include "outcome.h"
#include "record_check.h"
#include "verdict_words.h"
#include "version_range.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const kinds[EXPECTED_KINDS] = {[EXPECT_RUN] = "run",
                                                  [EXPECT_RACES] = "races",
                                                  [EXPECT_DETERMINISM] = "determinism",
                                                  [EXPECT_LITMUS] = "litmus",
                                                  [EXPECT_EXEC] = "exec"};

/* ---- Dates ---- */

enum { DATE_SIZE = sizeof "2027-01-31" };

/* Returns whether the text is a day of the calendar, as YYYY-MM-DD. */
static bool is_date(const char *text)
{
    struct tm day = {.tm_isdst = 0};
    char again[DATE_SIZE];
    const char *end = strlen(text) == DATE_SIZE - 1 ? strptime(text, "%Y-%m-%d", &day) : NULL;

    if (end == NULL || *end != '\0')
        return false;
    timegm(&day); /* moves 31 April to 1 May */
    return strftime(again, sizeof again, "%Y-%m-%d", &day) > 0 && strcmp(again, text) == 0;
}

/* Writes the date of today. Returns false after writing an error message. */
static bool read_today(char today[DATE_SIZE], char *error, size_t size)
{
    const char *given = getenv("SIMTCHECK_TODAY");
    const time_t now = time(NULL);
    struct tm parts;

    if (given != NULL && !is_date(given))
        return error_write(error, size, "SIMTCHECK_TODAY is '%s': write a date as YYYY-MM-DD",
                           given);
    gmtime_r(&now, &parts);
    if (given != NULL)
        memcpy(today, given, DATE_SIZE);
    else
        strftime(today, DATE_SIZE, "%Y-%m-%d", &parts);
    return true;
}

/* ---- Values ---- */

static char *trim(char *text)
{
    char *end;

    text += strspn(text, " \t");
    for (end = text + strlen(text); end > text && strchr(" \t\r\n", end[-1]) != NULL;)
        *--end = '\0';
    return text;
}

static bool is_link(const char *text)
{
    size_t scheme = strncmp(text, "https://", 8) == 0  ? 8
                    : strncmp(text, "http://", 7) == 0 ? 7
                                                       : 0;

    return scheme > 0 && text[scheme] != '\0' && strpbrk(text, " \t") == NULL;
}

static bool is_gpu(const char *text)
{
    return strncmp(text, "sm_", 3) != 0 ||
           (text[3] != '\0' && text[3 + strspn(text + 3, "0123456789")] == '\0');
}

static bool is_compiler(const char *text)
{
    char name[64];
    const char *versions = compiler_versions(text, name, sizeof name);

    return versions == NULL || version_range_is_valid(versions);
}

static bool is_any(const char *text)
{
    return text[0] != '\0';
}

/* The keys of an entry. */
static const struct key {
    const char *name;
    size_t offset; /* in struct expected_failure */
    bool is_required;
    bool (*is_valid)(const char *text);
    const char *right; /* what would be right */
} keys[] = {
    {"result", offsetof(struct expected_failure, results), true, is_any, "result = wrong-result"},
    {"gpu", offsetof(struct expected_failure, gpu), false, is_gpu,
     "gpu = NVIDIA H100* or gpu = sm_90"},
    {"driver", offsetof(struct expected_failure, driver), false, version_range_is_valid,
     "driver = 580.65 or driver = 580.65-580.95"},
    {"compiler", offsetof(struct expected_failure, compiler), false, is_compiler,
     "compiler = nvcc, compiler = nvcc 13.0 or compiler = nvcc 12.8-13.0"},
    {"link", offsetof(struct expected_failure, known.link), true, is_link,
     "link = https://bugs.example.com/1234"},
    {"expires", offsetof(struct expected_failure, known.expires), true, is_date,
     "expires = YYYY-MM-DD"},
    {"reason", offsetof(struct expected_failure, known.reason), false, is_any, "reason = TEXT"},
};

enum { KEYS = sizeof keys / sizeof *keys };

static const char **value_of(struct expected_failure *entry, const struct key *key)
{
    return (const char **)((char *)entry + key->offset);
}

/* Returns whether a test of that kind can have the result. */
static bool is_result(enum expected_kind kind, const char *result)
{
    for (int k = FAULT_NONE + 1; kind != EXPECT_LITMUS && k < FAULT_KINDS; k++)
        if (strcmp(result, fault_name((enum fault_kind)k)) == 0)
            return true;
    switch (kind) {
    case EXPECT_RUN:
        return strcmp(result, verdict_name(VERDICT_MISMATCH)) == 0;
    case EXPECT_RACES:
        return strcmp(result, race_verdict_name(RACE)) == 0 ||
               strcmp(result, race_verdict_name(ORDER_DEPENDENT)) == 0 ||
               strcmp(result, race_verdict_name(RACE_WRONG)) == 0;
    case EXPECT_DETERMINISM:
        return strcmp(result, rule_determinism) == 0;
    case EXPECT_LITMUS:
        return strchr(result, '=') != NULL;
    case EXPECT_EXEC:
        return strcmp(result, race_verdict_name(RACE)) == 0 ||
               strcmp(result, "invalid-call") == 0 || strcmp(result, "unsynchronized-access") == 0;
    }
    return false;
}

/* Returns the results of an entry without blanks around the commas, or null if one is not valid. */
static const char *results_read(struct memory *memory, const struct expected_failure *entry)
{
    char *rest = memory_copy(memory, entry->results), *part;
    const char *results = NULL;

    while ((part = strsep(&rest, ",")) != NULL) {
        part = trim(part);
        if (!is_result(entry->kind, part))
            return NULL;
        results = results == NULL ? part : memory_text(memory, "%s,%s", results, part);
    }
    return results;
}

/* What is_result() accepts. */
static const char *const results_of[EXPECTED_KINDS] = {
    [EXPECT_RUN] = "wrong-result, or the name of a fault, such as out-of-bounds-read",
    [EXPECT_RACES] = "race, order-dependent, or the name of a fault, such as out-of-bounds-read",
    [EXPECT_DETERMINISM] = "determinism, or the name of a fault, such as out-of-bounds-read",
    [EXPECT_LITMUS] = "the outcome as litmus prints it, such as P0:r0=0 P1:r0=0",
    [EXPECT_EXEC] = "a finding of exec, such as race, memory-leak or invalid-call"};

/* ---- Lines ---- */

struct reading {
    struct expectations *expectations;
    const char *path, *today;
    int line;
    char *error;
    size_t error_size;
};

#define FAIL(reading, at, format, ...)                                                             \
    error_write((reading)->error, (reading)->error_size, "%s:%d: " format, (reading)->path, (at),  \
                __VA_ARGS__)

static struct expected_failure *last_entry(const struct reading *reading)
{
    const struct list *entries = &reading->expectations->entries;

    return entries->count == 0 ? NULL
                               : (struct expected_failure *)entries->items + entries->count - 1;
}

/* Checks that the entry read last is whole. */
static bool end_entry(const struct reading *reading)
{
    struct expected_failure *entry = last_entry(reading);
    const char *results;

    if (entry == NULL)
        return true;
    for (size_t k = 0; k < KEYS; k++)
        if (keys[k].is_required && *value_of(entry, &keys[k]) == NULL)
            return FAIL(reading, entry->line, "[%s %s] has no %s: add '%s'", kinds[entry->kind],
                        entry->test, keys[k].name, keys[k].right);
    results = results_read(&reading->expectations->memory, entry);
    if (results == NULL)
        return FAIL(reading, entry->line, "[%s %s] has the result '%s': write %s",
                    kinds[entry->kind], entry->test, entry->results, results_of[entry->kind]);
    entry->results = results;
    entry->has_expired = strcmp(entry->known.expires, reading->today) < 0;
    return true;
}

/* Reads "[KIND TEST]". */
static bool read_head(struct reading *reading, char *text)
{
    struct memory *memory = &reading->expectations->memory;
    size_t length = strlen(text), word;
    char *test;
    struct expected_failure *entry;

    if (!end_entry(reading))
        return false;
    if (text[length - 1] != ']')
        return FAIL(reading, reading->line, "'%s' has no ']' at its end", text);
    text[length - 1] = '\0';
    text = trim(text + 1);
    word = strcspn(text, " \t");
    test = trim(text + word);
    entry = list_add(memory, &reading->expectations->entries, sizeof *entry);
    entry->line = reading->line;
    text[word] = '\0';
    while (entry->kind < (enum expected_kind)EXPECTED_KINDS &&
           strcmp(text, kinds[entry->kind]) != 0)
        entry->kind++;
    if (entry->kind == (enum expected_kind)EXPECTED_KINDS)
        return FAIL(reading, reading->line,
                    "'%s' is no kind of test: write [run TEST], [races TEST], [determinism TEST], "
                    "[litmus TEST] or [exec KERNEL]",
                    text);
    if (test[0] == '\0')
        return FAIL(reading, reading->line, "the entry names no test: write %s",
                    entry->kind == EXPECT_LITMUS ? "[litmus NAME], such as [litmus SB/weak/gpu]"
                    : entry->kind == EXPECT_EXEC ? "[exec KERNEL]"
                                                 : "[run ENGINE:KERNEL:VARIANT]");
    entry->test = memory_copy(memory, test);
    return true;
}

/* Reads "key = value". */
static bool read_value(struct reading *reading, char *text)
{
    struct expected_failure *entry = last_entry(reading);
    char *equals = strchr(text, '='), *value;
    const struct key *key = keys;

    if (equals == NULL)
        return FAIL(reading, reading->line, "'%s' is neither '[KIND TEST]' nor 'key = value'",
                    text);
    *equals = '\0';
    text = trim(text);
    value = trim(equals + 1);
    if (entry == NULL)
        return FAIL(reading, reading->line,
                    "'%s' comes before the first entry: write '[run TEST]' "
                    "above it",
                    text);
    while (key < keys + KEYS && strcmp(key->name, text) != 0)
        key++;
    if (key == keys + KEYS)
        return FAIL(reading, reading->line,
                    "unknown key '%s': write result, gpu, driver, compiler, "
                    "link, expires or reason",
                    text);
    if (*value_of(entry, key) != NULL)
        return FAIL(reading, reading->line, "the entry has two values of '%s': remove one", text);
    if (!key->is_valid(value))
        return FAIL(reading, reading->line, "%s '%s' is not valid: write '%s'", text, value,
                    key->right);
    *value_of(entry, key) = memory_copy(&reading->expectations->memory, value);
    return true;
}

/* Returns whether JSON and XML can hold the line. */
static bool is_text(const char *line, size_t length)
{
    json_t *text = json_stringn(line, length); /* null: not UTF-8 */
    bool good = text != NULL;

    json_decref(text);
    for (size_t k = 0; k < length; k++)
        good = good && (!iscntrl((unsigned char)line[k]) || strchr("\t\r\n", line[k]) != NULL) &&
               line[k] != '\0';
    return good;
}

static bool read_line(struct reading *reading, char *line, size_t length)
{
    char *text;

    reading->line++;
    if (!is_text(line, length))
        return FAIL(reading, reading->line, "the line is not text: %s",
                    "remove control characters, and write UTF-8");
    text = trim(line);
    return text[0] == '\0' || text[0] == '#' ||
           (text[0] == '[' ? read_head(reading, text) : read_value(reading, text));
}

static bool read_lines(struct reading *reading, FILE *file)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    bool good = true;

    while (good && (length = getline(&line, &size, file)) >= 0)
        good = read_line(reading, line, (size_t)length);
    free(line);
    if (good && ferror(file))
        return error_write(reading->error, reading->error_size, "cannot read '%s': %s",
                           reading->path, strerror(errno));
    return good && end_entry(reading);
}

bool expectations_read(const char *path, struct expectations *expectations, char *error,
                       size_t size)
{
    char today[DATE_SIZE];
    struct reading reading = {.expectations = expectations,
                              .path = path,
                              .today = today,
                              .error = error,
                              .error_size = size};
    FILE *file;
    bool good;

    if (!read_today(today, error, size))
        return false;
    file = fopen(path, "r");
    if (file == NULL)
        return error_write(error, size, "cannot read '%s': %s", path, strerror(errno));
    expectations->path = path;
    good = read_lines(&reading, file);
    fclose(file);
    return good;
}
