/* SPDX-License-Identifier: MIT
 *
 * A barrier is right where all threads come by, and where it orders the accesses. Instead of
 * analysing the control flow, each candidate is tried: a barrier that some threads do not reach is
 * a fault, and one that orders nothing leaves the race.
 */
#include "barriers.h"

#include "interrupt.h"
#include "tool.h"
#include "whole_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_STARTS = 4096,
    MAX_LINES = 16, /* that are tried */
    MAX_CASES = 32, /* of the plan, besides the racing one */
};

/* Where the code of a line of the source begins. */
struct start {
    const char *at;
    uint32_t file, line;
};

struct trial {
    const struct session *session;
    struct supervisor *supervisor;
    const struct test_case *test;
    const struct plan *plan;
    char *text;
    struct start starts[MAX_STARTS]; /* of the function */
    size_t start_count;
    char folder[TOOL_FOLDER];
    uint32_t number;
    uint64_t cases;
    bool is_right;
    enum engine_status status;
};

/* ---- Lines ---- */

/* Returns the line with that number, from 1, or null. */
static const char *line_at(const char *text, int number)
{
    for (; text != NULL && number > 1; number--) {
        text = strchr(text, '\n');
        text = text != NULL ? text + 1 : NULL;
    }
    return text;
}

/* Reads ".loc FILE LINE COLUMN", and where that is inlined. Returns false for another line. */
static bool read_location(const char *at, const char *end, struct start *start)
{
    const char *inlined = memmem(at, (size_t)(end - at), "inlined_at", strlen("inlined_at"));

    at += strspn(at, " \t");
    if (strncmp(at, ".loc", 4) != 0)
        return false;
    start->at = end + 1;
    at = inlined != NULL ? inlined + strlen("inlined_at") : at + 4;
    return sscanf(at, " %" SCNu32 " %" SCNu32, &start->file, &start->line) == 2 && start->line > 0;
}

/* Finds where the code of lines begins in a function, which begins at `from`. Returns false if
 * there are too many places. */
static bool find_starts(struct trial *trial, const char *from)
{
    const char *end = strstr(from, "\n}");
    struct start last = {NULL, 0, 0}, next;

    for (const char *at = from; end != NULL && at < end; at = strchr(at, '\n') + 1) {
        if (!read_location(at, strchr(at, '\n'), &next))
            continue;
        if (next.file != last.file || next.line != last.line) {
            if (trial->start_count == MAX_STARTS)
                return false;
            trial->starts[trial->start_count++] = next;
        }
        last = next;
    }
    return end != NULL;
}

/* Returns the start of the code that has that line of the PTX. */
static const struct start *start_of(const struct trial *trial, int ptx_line)
{
    const char *at = line_at(trial->text, ptx_line);
    const struct start *found = NULL;

    for (size_t k = 0; k < trial->start_count && trial->starts[k].at <= at; k++)
        found = &trial->starts[k];
    return found;
}

static bool has_line(const struct trial *trial, uint32_t file, uint32_t line)
{
    for (size_t k = 0; k < trial->start_count; k++)
        if (trial->starts[k].file == file && trial->starts[k].line == line)
            return true;
    return false;
}

/* Lists the lines of the source before which a barrier is tried: from that of the later access
 * back to the other one, then those after both, and then the first one, for accesses in a loop. */
static size_t list_lines(const struct trial *trial, uint32_t file, uint32_t low, uint32_t high,
                         uint32_t lines[MAX_LINES])
{
    enum { AFTER = 4, NEAR = 20 };
    size_t count = 0, after = 0;

    for (uint32_t line = high; line > low && count < MAX_LINES - AFTER - 1; line--)
        if (has_line(trial, file, line))
            lines[count++] = line;
    for (uint32_t line = high + 1; line <= high + NEAR && after < AFTER; line++)
        if (has_line(trial, file, line)) {
            lines[count++] = line;
            after++;
        }
    lines[count++] = low;
    return count;
}

/* ---- Trials ---- */

/* Writes the PTX with the barrier at each place where the code of the line begins. */
static bool write_code(const struct trial *trial, uint32_t file, uint32_t line, const char *barrier,
                       const char *path)
{
    const char *from = trial->text;
    FILE *to = fopen(path, "w");

    if (to == NULL)
        return false;
    for (size_t k = 0; k < trial->start_count; k++) {
        const struct start *start = &trial->starts[k];
        if (start->file != file || start->line != line)
            continue;
        fprintf(to, "%.*s\t%s;\n", (int)(start->at - from), from, barrier);
        from = start->at;
    }
    fputs(from, to);
    return fclose(to) == 0;
}

/* Case 0 is the racing one. The others are spread over the plan. */
static void source_case(void *context, uint64_t index, struct test_case *test)
{
    const struct trial *trial = context;
    uint64_t all = plan_count(trial->plan), count = all < MAX_CASES ? all : MAX_CASES;

    if (index == 0)
        *test = *trial->test;
    else
        plan_case(trial->plan, (index - 1) * all / count, test);
}

static bool sink_case(void *context, uint64_t index, const struct test_case *test,
                      const struct outcome *outcome)
{
    struct trial *trial = context;

    (void)index;
    (void)test;
    trial->cases++;
    trial->is_right = outcome->kind == OUTCOME_PASS && outcome->races <= outcome->same_value;
    return trial->is_right;
}

static bool is_right_with(struct trial *trial, uint32_t file, uint32_t line, const char *barrier)
{
    uint64_t all = plan_count(trial->plan);
    char path[TOOL_FOLDER + 32];

    snprintf(path, sizeof path, "%s/%" PRIu32 ".ptx", trial->folder, trial->number++);
    trial->is_right = false;
    trial->cases = 0;
    if (trial->status != ENGINE_OK || interrupt_came() ||
        bound_is_over(&trial->session->sinks->bound) ||
        !write_code(trial, file, line, barrier, path))
        return false;
    supervisor_use(trial->supervisor, path,
                   trial->session->code[supervisor_engine(trial->supervisor)->id].launches);
    supervisor_ask(trial->supervisor, REQUEST_RACE);
    trial->status = supervisor_run(trial->supervisor, 1 + (all < MAX_CASES ? all : MAX_CASES),
                                   source_case, sink_case, trial);
    return trial->status == ENGINE_OK && trial->is_right;
}

/* Tries the barriers that can order the threads before that line. Returns which one does, or null.
 */
static const char *try_line(struct trial *trial, uint32_t file, uint32_t line,
                            enum race_relation relation)
{
    if (relation == RELATION_LANES && is_right_with(trial, file, line, "bar.warp.sync 0xffffffff"))
        return "__syncwarp()";
    return is_right_with(trial, file, line, "bar.sync 0") ? "__syncthreads()" : NULL;
}

/* Tries all lines. Returns the help, or null. */
static const char *try_all(struct trial *trial, const struct race *race, struct memory *memory)
{
    const struct start *one = start_of(trial, race->first.ptx_line),
                       *other = start_of(trial, race->second.ptx_line);
    uint32_t lines[MAX_LINES];
    size_t count;

    if (one == NULL || other == NULL || one->file != other->file)
        return NULL;
    count = list_lines(trial, one->file, one->line < other->line ? one->line : other->line,
                       one->line < other->line ? other->line : one->line, lines);
    for (size_t k = 0; k < count; k++) {
        const char *barrier = try_line(trial, one->file, lines[k], race->relation);
        if (barrier != NULL)
            return memory_text(memory,
                               "%s before line %" PRIu32 " orders them: %" PRIu64
                               " case%s without a race or a fault",
                               barrier, lines[k], trial->cases, trial->cases == 1 ? "" : "s");
    }
    return NULL;
}

/* Returns where the function begins that has both lines of the PTX, or null. */
static const char *function_of(const char *text, const struct race *race)
{
    int low = race->first.ptx_line, high = race->second.ptx_line;
    const char *first = line_at(text, low < high ? low : high),
               *last = line_at(text, low < high ? high : low), *start = first, *end;

    if (low <= 0 || high <= 0 || first == NULL || last == NULL)
        return NULL;
    while (start > text && strncmp(start, "\n{", 2) != 0)
        start--;
    end = strstr(start, "\n}");
    return start > text && end != NULL && last < end ? start + 1 : NULL;
}

const char *barriers_search(const struct session *session, enum engine_id engine,
                            const struct test_case *test, const struct plan *plan,
                            const struct race *race, struct memory *memory)
{
    struct session own = *session;
    struct memory large = {NULL};
    struct trial *trial = memory_take(&large, sizeof *trial);
    const char *function = NULL, *help = NULL;
    size_t size = 0;

    own.limits.strict_barriers = true;
    own.jobs = 1;
    trial->session = &own;
    trial->test = test;
    trial->plan = plan;
    if (own.code[engine].code != NULL && race->relation <= RELATION_WARPS)
        trial->text = read_whole_file(own.code[engine].code, &size);
    if (trial->text != NULL)
        function = function_of(trial->text, race);
    if (function != NULL && find_starts(trial, function) &&
        session_open_beside(&own, engine, &trial->supervisor)) {
        if (tool_make_folder("barrier", trial->folder)) {
            help = try_all(trial, race, memory);
            tool_remove_folder(trial->folder);
        }
        session_close(&own, trial->supervisor);
    }
    free(trial->text);
    memory_free(&large);
    return help;
}
