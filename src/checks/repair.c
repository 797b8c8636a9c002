/* SPDX-License-Identifier: MIT
 *
 * The search begins with the strongest fence after each access. It leaves out one fence after the
 * other, as long as no execution races, and then weakens those that are left. The result is
 * minimal: no fence of it can be left out or weakened alone.
 */
#include "repair.h"

#include "executions.h"
#include "interrupt.h"
#include "tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_PLACES = 32,
    SEEDS = 64, /* random schedules before all executions */
};

/* From weak to strong. */
static const char *const fences[] = {"fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.acq_rel.sys",
                                     "fence.sc.cta",      "fence.sc.gpu",      "fence.sc.sys"};
enum { FENCES = sizeof fences / sizeof *fences, NO_FENCE = -1 };

struct place {
    const char *end; /* of the line of the access */
    uint32_t file, line;
    int fence;
};

struct repair {
    struct supervisor *supervisor;
    const struct code_files *files;
    const struct test_case *test;
    char *text; /* of the PTX */
    struct place places[MAX_PLACES];
    size_t count;
    char folder[TOOL_FOLDER];
    uint32_t trials;
    enum engine_status status;
    uint64_t executions; /* of the current trial */
    bool races;          /* one of them did */
    uint64_t passed;     /* the executions of the last trial without a race, */
    bool all;            /* and whether these were all */
};

/* ---- PTX ---- */

static char *read_text(const char *path)
{
    FILE *from = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0;
    FILE *to = from != NULL ? open_memstream(&text, &size) : NULL;

    for (int c; to != NULL && (c = getc(from)) != EOF;)
        putc(c, to);
    if (from != NULL)
        fclose(from);
    if (to != NULL && fclose(to) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

/* Returns true for a line with an access to memory that other threads may access. */
static bool is_access(const char *line)
{
    static const char *const opcodes[] = {"ld.", "st.", "atom.", "red."};
    static const char *const others[] = {".param", ".local", ".const", ".nc"};
    char opcode[64];
    bool is = false;

    line += strspn(line, " \t");
    if (*line == '@') {
        line += strcspn(line, " \t\n");
        line += strspn(line, " \t");
    }
    snprintf(opcode, sizeof opcode, "%.*s", (int)strcspn(line, " \t\n"), line);
    for (size_t k = 0; k < sizeof opcodes / sizeof *opcodes; k++)
        is = is || strncmp(opcode, opcodes[k], strlen(opcodes[k])) == 0;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        is = is && strstr(opcode, others[k]) == NULL;
    return is;
}

/* Reads ".loc FILE LINE COLUMN", and where that is inlined. */
static void read_location(const char *line, uint32_t *file, uint32_t *number)
{
    const char *end = line + strcspn(line, "\n"), *at = strstr(line, "inlined_at");

    if (at == NULL || at > end)
        at = line + strlen(".loc");
    else
        at += strlen("inlined_at");
    sscanf(at, " %" SCNu32 " %" SCNu32, file, number);
}

/* Returns false if there are no accesses, or too many. */
static bool find_places(struct repair *repair)
{
    uint32_t file = 0, number = 0;

    for (const char *line = repair->text, *next; *line != '\0'; line = next) {
        const char *first = line + strspn(line, " \t");
        next = line + strcspn(line, "\n");
        next += *next == '\n';
        if (strncmp(first, ".loc", 4) == 0)
            read_location(first, &file, &number);
        if (!is_access(line))
            continue;
        if (repair->count == MAX_PLACES)
            return false;
        repair->places[repair->count++] = (struct place){next, file, number, FENCES - 1};
    }
    return repair->count > 0;
}

static bool write_ptx(const struct repair *repair, const char *path)
{
    const char *from = repair->text;
    FILE *to = fopen(path, "w");

    if (to == NULL)
        return false;
    for (size_t k = 0; k < repair->count; k++) {
        if (repair->places[k].fence == NO_FENCE)
            continue;
        fwrite(from, 1, (size_t)(repair->places[k].end - from), to);
        fprintf(to, "%s;\n", fences[repair->places[k].fence]);
        from = repair->places[k].end;
    }
    fputs(from, to);
    return fclose(to) == 0;
}

/* ---- Trials ---- */

static bool take_execution(void *context, const struct test_case *test,
                           const struct outcome *outcome)
{
    struct repair *repair = context;

    (void)test;
    repair->executions++;
    repair->races = outcome->kind == OUTCOME_FAULT || outcome->races > outcome->same_value;
    return !repair->races;
}

/* Runs random executions, which find most races soon. */
static void run_some(struct repair *repair)
{
    struct test_case cases[SEEDS];
    struct outcome outcomes[SEEDS];

    for (uint64_t k = 0; k < SEEDS; k++) {
        cases[k] = *repair->test;
        cases[k].schedule = (struct schedule){SCHEDULE_WEAK, k, {0}};
    }
    repair->status = supervisor_run_array(repair->supervisor, cases, SEEDS, outcomes);
    for (size_t k = 0; repair->status == ENGINE_OK && k < SEEDS && !repair->races; k++)
        take_execution(repair, &cases[k], &outcomes[k]);
}

/* Returns whether no execution races with the fences as they are now. */
static bool passes(struct repair *repair)
{
    char path[TOOL_FOLDER + 32];
    bool all = false;

    snprintf(path, sizeof path, "%s/%" PRIu32 ".ptx", repair->folder, repair->trials++);
    if (repair->status != ENGINE_OK || interrupt_came() || !write_ptx(repair, path))
        return false;
    supervisor_use(repair->supervisor, path, repair->files->launches);
    supervisor_ask(repair->supervisor, REQUEST_RACE);
    repair->races = false;
    run_some(repair);
    repair->executions = 0;
    if (repair->status == ENGINE_OK && !repair->races)
        repair->status =
            executions_run(repair->supervisor, *repair->test, take_execution, repair, &all);
    if (repair->status != ENGINE_OK || repair->races)
        return false;
    repair->passed = repair->executions;
    repair->all = all;
    return true;
}

/* Tries another fence at a place, and keeps it if that passes. */
static bool try_fence(struct repair *repair, struct place *place, int fence)
{
    int kept = place->fence;

    place->fence = fence;
    if (!passes(repair))
        place->fence = kept;
    return place->fence == fence;
}

static void find_weakest(struct repair *repair)
{
    for (size_t k = repair->count; k-- > 0;)
        try_fence(repair, &repair->places[k], NO_FENCE);
    for (size_t k = 0; k < repair->count; k++)
        for (int fence = 0; fence < repair->places[k].fence; fence++)
            if (try_fence(repair, &repair->places[k], fence))
                break;
}

/* ---- The report ---- */

/* Writes where the access is: a source line, or a line of the PTX. */
static void write_place(const struct repair *repair, const struct place *place, char *text,
                        size_t size)
{
    char head[32], path[512] = "";
    uint32_t line = 0;
    const char *at;

    snprintf(head, sizeof head, ".file\t%" PRIu32 " \"", place->file);
    at = place->line != 0 ? strstr(repair->text, head) : NULL;
    if (at != NULL) {
        snprintf(path, sizeof path, "%.*s", (int)strcspn(at + strlen(head), "\""),
                 at + strlen(head));
        snprintf(text, size, "%s:%" PRIu32,
                 strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path, place->line);
        return;
    }
    for (const char *c = repair->text; c < place->end; c++)
        line += *c == '\n';
    snprintf(text, size, "line %" PRIu32 " of the PTX", line);
}

static void write_report(const struct repair *repair, char text[REPAIR_TEXT])
{
    size_t used = 0;

    for (size_t k = 0; k < repair->count && used < REPAIR_TEXT; k++) {
        char place[256];
        if (repair->places[k].fence == NO_FENCE)
            continue;
        write_place(repair, &repair->places[k], place, sizeof place);
        used += (size_t)snprintf(text + used, REPAIR_TEXT - used, "%s%s after the access at %s",
                                 used > 0 ? ", and " : "", fences[repair->places[k].fence], place);
    }
    if (used < REPAIR_TEXT)
        snprintf(text + used, REPAIR_TEXT - used, ": no race in %s %" PRIu64 " executions",
                 repair->all ? "all" : "the first", repair->passed);
}

enum engine_status repair_search(struct supervisor *supervisor, const struct code_files *files,
                                 const struct test_case *test, char text[REPAIR_TEXT])
{
    static struct repair repair;

    text[0] = '\0';
    repair = (struct repair){.supervisor = supervisor, .files = files, .test = test};
    repair.text = files->code != NULL ? read_text(files->code) : NULL;
    if (repair.text == NULL || !find_places(&repair) ||
        !tool_make_folder("repair", repair.folder)) {
        free(repair.text);
        return ENGINE_OK;
    }
    if (passes(&repair)) {
        find_weakest(&repair);
        write_report(&repair, text);
    } else if (repair.status == ENGINE_OK) {
        snprintf(text, REPAIR_TEXT, "none by a fence after an access");
    }
    supervisor_use(supervisor, files->code, files->launches);
    tool_remove_folder(repair.folder);
    free(repair.text);
    return repair.status;
}
