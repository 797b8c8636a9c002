/* SPDX-License-Identifier: MIT
 *
 * Writes a trace of what the threads of a run do. The linker puts these functions around those of
 * race.h (--wrap), so the simulator calls them, and they call the race checker. They keep no state
 * of the checker and use none.
 *
 * A trace has a line for each event, in the order in which they happened. B is a block, numbered in
 * the order in which blocks start, T a thread's index in its block, G a grid, numbered in the order
 * of launches. LINE is a line of the PTX, or 0.
 *
 *     run MODEL             a launch, or several, with memory that nothing has accessed. MODEL:
 *                           lockstep or independent.
 *     block B G C N         a block of N threads starts. C: its cluster, from 1; 0: none.
 *     access B T SPACE ADDRESS BYTES KIND LINE STEP
 *                           a plain or volatile access, before it happens. SPACE: 0, or the block
 *                           whose shared memory it is. KIND: bits as in outcome.h. STEP: under
 *                           lockstep, the number of this step of its warp. Each step has one
 *                           instruction.
 *     strong B T SPACE ADDRESS BYTES KIND LINE STEP SCOPE ORDER
 *                           the same for atomic, relaxed, acquire, release and volatile accesses.
 *                           With the bit ACCESS_VOLATILE: an operation on an mbarrier. SCOPE and
 *                           ORDER: as in instructions.h.
 *     fence B T SCOPE ORDER
 *     proxy B T COVERED     a proxy fence. COVERED: as in instructions.h.
 *     barrier B             all threads of the block that have not exited pass a barrier.
 *     warp B W LANES        the lanes of that mask, hexadecimal, of warp W pass a __syncwarp().
 *     match B W LANES       the same for a match.any, if the block uses mbarriers.
 *     arrive B T N COUNT    arrives at barrier N, which COUNT threads pass.
 *     leave B T N           continues after it, if the thread waited there.
 *     cluster-arrive B T RELEASES
 *     cluster-leave B T     continues after barrier.cluster.wait.
 *     exit B T LINE
 *     end B                 all its threads have exited.
 *     renew SPACE ADDRESS BYTES   the memory has a new owner: its earlier accesses do not count.
 *     issue O B T PROXY     operation O starts, after what that thread has done. PROXY: 128: async,
 *                           0: generic. O counts up.
 *     issuers O B W LANES   the same for all these lanes.
 *     operate O SPACE ADDRESS BYTES KIND LINE SCOPE C
 *                           an access of the operation: once at its issue, once when it is made. C:
 *                           a name of the event that says that the operation is complete.
 *     signal O SPACE ADDRESS LINE
 *                           the complete operation signals the mbarrier there.
 *     waited B T C O        the thread has waited for the event C of all operations up to O.
 *     launch G B T STREAM   the thread launches grid G. STREAM: tail, none (fire and forget) or a
 *                           number, which counts within the block.
 *     first-tail G          G, the first tail launch of its parent, may start.
 *     complete G NEXT       the child grid is complete, with all its own child grids. NEXT: the
 *                           grid that waited for it in its stream, or 0.
 *     follow G NEXT         the same for grids that the host has launched.
 *     wait B T              the thread has waited for the child grids of its block.
 *     done                  the run has ended.
 *     found LINE LINE STRONG   what the checker has found, after the run. 0 0 0: races, but the
 *                           caller wants no pairs.
 *     long                  more than MOST_LINES lines, or an access of more than MOST_BYTES: the rest
 *                           is left out.
 *
 * A program with these functions writes a trace to a file in the folder SIMTCHECK_TRACE, if that is
 * set. Then it runs each case as requested, even if one run decides it.
 */
#include "record.h"
#include "machine.h"
#include "module.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

FILE *trace;

enum { MOST_LINES = 6000, MOST_BYTES = 4096 };

static struct race_memory memory;
static size_t lines;

#define CONTAINER(type, member, pointer) ((type *)((uintptr_t)(pointer)-offsetof(type, member)))

static void write_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void write_line(const char *format, ...)
{
    va_list values;

    if (trace == NULL || ++lines > MOST_LINES)
        return;
    va_start(values, format);
    vfprintf(trace, format, values);
    va_end(values);
    putc('\n', trace);
}

static uint32_t space_of(uintptr_t address)
{
    return address - memory.shared_base < memory.shared_size ? race_shared_owner->serial : 0;
}

static uint64_t offset_in(uintptr_t address)
{
    return address - (space_of(address) != 0 ? memory.shared_base : memory.global_base);
}

static uint32_t line_of(const void *place)
{
    return place != NULL ? ((const struct simt_place *)place)->line : 0;
}

/* The linker calls __wrap_f() for f(), and __real_f() is f(). */
#define WRAP(name) extern __typeof__(name) __real_##name, __wrap_##name
WRAP(engine_open);
WRAP(module_parse);
WRAP(race_start);
WRAP(race_finish);
WRAP(race_access);
WRAP(race_strong);
WRAP(race_renew);
WRAP(race_fence);
WRAP(race_proxy_fence);
WRAP(race_barrier);
WRAP(race_sync_warp);
WRAP(race_match);
WRAP(race_arrive);
WRAP(race_leave);
WRAP(race_arrive_in_cluster);
WRAP(race_issue);
WRAP(race_operation_access);
WRAP(race_signal);
WRAP(race_waited);
WRAP(race_start_block);
WRAP(race_end_block);
WRAP(race_exit);
WRAP(race_launch);
WRAP(race_first_tail);
WRAP(race_complete);
WRAP(race_follow);
WRAP(race_wait);

/* ---- Runs ---- */

static void open_trace(void)
{
    const char *folder = getenv("SIMTCHECK_TRACE");
    char path[4096];

    if (trace != NULL || folder == NULL)
        return;
    snprintf(path, sizeof path, "%s/%d", folder, (int)getpid());
    trace = fopen(path, "w");
}

enum engine_status __wrap_engine_open(const struct engine_limits *given, struct engine **opened,
                                      char *reason, size_t reason_size)
{
    struct engine_limits limits = *given;

    limits.every_schedule = limits.every_schedule || getenv("SIMTCHECK_TRACE") != NULL;
    return __real_engine_open(&limits, opened, reason, reason_size);
}

bool __wrap_race_start(const struct race_memory *given, size_t used, enum model model)
{
    memory = *given;
    open_trace();
    lines = 0;
    write_line("run %s", model == MODEL_LOCKSTEP ? "lockstep" : "independent");
    return __real_race_start(given, used, model);
}

struct race_count __wrap_race_finish(struct race *races, size_t capacity)
{
    struct race_count count = __real_race_finish(races, capacity);

    write_line("done");
    for (size_t k = 0; races != NULL && k < count.races + count.unordered && k < capacity; k++)
        write_line("found %d %d %d", races[k].first.ptx_line, races[k].second.ptx_line,
                   races[k].strong);
    if (count.races > 0 && capacity == 0)
        write_line("found 0 0 0");
    if (trace != NULL && lines > MOST_LINES)
        fputs("long\n", trace);
    if (trace != NULL)
        fflush(trace);
    return count;
}

/* If SIMTCHECK_EDIT is a command, it changes each module of PTX, from standard input to standard
 * output. */
bool __wrap_module_parse(struct module *module, const char *path, const char *text, size_t size,
                         char *error, size_t error_size)
{
    const char *command = getenv("SIMTCHECK_EDIT");
    char line[4096], *edited = NULL;
    FILE *given = command != NULL ? tmpfile() : NULL, *answer, *copy;
    bool good;

    if (given == NULL)
        return __real_module_parse(module, path, text, size, error, error_size);
    fwrite(text, 1, size, given);
    rewind(given);
    snprintf(line, sizeof line, "%s <&%d", command, fileno(given));
    answer = popen(line, "r");
    copy = open_memstream(&edited, &size);
    for (int c; answer != NULL && copy != NULL && (c = getc(answer)) != EOF;)
        putc(c, copy);
    fclose(copy);
    pclose(answer);
    fclose(given);
    good = __real_module_parse(module, path, edited, size, error, error_size);
    free(edited);
    return good;
}

/* ---- Accesses ---- */

static void write_access(const char *what, const struct race_block *block, uint32_t thread,
                         uintptr_t address, size_t size, unsigned int kind, const void *place)
{
    if (size > MOST_BYTES)
        lines = MOST_LINES;
    if (trace != NULL && lines < MOST_LINES)
        fprintf(trace, "%s %u %u %u %" PRIu64 " %zu %u %u %u", what, block->serial, thread,
                space_of(address), offset_in(address), size, kind, line_of(place),
                machine.by_lane
                    ? 0
                    : CONTAINER(const struct block, race, block)->warps[thread / LANES].steps);
}

void __wrap_race_access(struct race_block *block, uint32_t thread, uintptr_t address, size_t size,
                        unsigned int access, const void *code)
{
    write_access("access", block, thread, address, size, access, code);
    write_line("%s", "");
    __real_race_access(block, thread, address, size, access, code);
}

void __wrap_race_strong(struct race_block *block, uint32_t thread, uintptr_t address, size_t size,
                        unsigned int kind, enum simt_scope scope, enum simt_order order,
                        const void *place)
{
    write_access("strong", block, thread, address, size, kind, place);
    write_line(" %d %d", scope, order);
    __real_race_strong(block, thread, address, size, kind, scope, order, place);
}

void __wrap_race_renew(uintptr_t address, size_t size)
{
    write_line("renew %u %" PRIu64 " %zu", space_of(address), offset_in(address), size);
    __real_race_renew(address, size);
}

/* ---- Fences ---- */

void __wrap_race_fence(struct race_block *block, uint32_t thread, enum simt_scope scope,
                       enum simt_order order)
{
    write_line("fence %u %u %d %d", block->serial, thread, scope, order);
    __real_race_fence(block, thread, scope, order);
}

void __wrap_race_proxy_fence(struct race_block *block, uint32_t thread, unsigned int covered)
{
    write_line("proxy %u %u %u", block->serial, thread, covered);
    __real_race_proxy_fence(block, thread, covered);
}

/* ---- Barriers ---- */

void __wrap_race_barrier(struct race_block *block, bool exited)
{
    write_line("barrier %u", block->serial);
    __real_race_barrier(block, exited);
}

void __wrap_race_sync_warp(struct race_block *block, uint32_t warp, uint32_t lanes)
{
    write_line("warp %u %u %x", block->serial, warp, lanes);
    __real_race_sync_warp(block, warp, lanes);
}

void __wrap_race_match(struct race_block *block, uint32_t warp, uint32_t lanes)
{
    write_line("match %u %u %x", block->serial, warp, lanes);
    __real_race_match(block, warp, lanes);
}

/* Returns the barrier of that block with the meeting, or null if it is that of a cluster. */
static const struct barrier *barrier_of(struct race_block *race, const struct race_meeting *meeting)
{
    const struct block *block = CONTAINER(struct block, race, race);
    const struct barrier *barrier = CONTAINER(const struct barrier, came, meeting);

    return barrier >= block->barriers && barrier < block->barriers + BARRIERS ? barrier : NULL;
}

static int number_of(struct race_block *race, const struct barrier *barrier)
{
    return (int)(barrier - CONTAINER(struct block, race, race)->barriers);
}

void __wrap_race_arrive(struct race_block *block, uint32_t thread, struct race_meeting *meeting)
{
    const struct barrier *barrier = barrier_of(block, meeting);

    write_line("arrive %u %u %d %u", block->serial, thread, number_of(block, barrier),
               barrier->count);
    __real_race_arrive(block, thread, meeting);
}

void __wrap_race_leave(struct race_block *block, uint32_t thread,
                       const struct race_meeting *meeting)
{
    const struct barrier *barrier = barrier_of(block, meeting);

    if (barrier != NULL)
        write_line("leave %u %u %d", block->serial, thread, number_of(block, barrier));
    else
        write_line("cluster-leave %u %u", block->serial, thread);
    __real_race_leave(block, thread, meeting);
}

void __wrap_race_arrive_in_cluster(struct race_block *block, uint32_t thread,
                                   struct race_meeting *meeting, bool releases)
{
    write_line("cluster-arrive %u %u %d", block->serial, thread, releases);
    __real_race_arrive_in_cluster(block, thread, meeting, releases);
}

/* ---- Asynchronous operations ---- */

struct race_operation __wrap_race_issue(struct race_block *block, uint32_t warp, uint32_t lanes,
                                        unsigned int proxy)
{
    struct race_operation operation = __real_race_issue(block, warp, lanes, proxy);

    if (is_one(lanes))
        write_line("issue %u %u %u %u", operation.number, block->serial,
                   warp * LANES + (uint32_t)__builtin_ctz(lanes), proxy);
    else
        write_line("issuers %u %u %u %x %u", operation.number, block->serial, warp, lanes, proxy);
    return operation;
}

void __wrap_race_operation_access(const struct race_operation *operation,
                                  struct race_completion completion, uintptr_t address, size_t size,
                                  unsigned int kind, enum simt_scope scope, const void *place)
{
    write_line("operate %u %u %" PRIu64 " %zu %u %u %d %u:%u", operation->number, space_of(address),
               offset_in(address), size, kind, line_of(place), scope, completion.block,
               completion.thread);
    __real_race_operation_access(operation, completion, address, size, kind, scope, place);
}

void __wrap_race_signal(const struct race_operation *operation, uintptr_t address,
                        const void *place)
{
    write_line("signal %u %u %" PRIu64 " %u", operation->number, space_of(address),
               offset_in(address), line_of(place));
    __real_race_signal(operation, address, place);
}

void __wrap_race_waited(struct race_block *block, uint32_t thread,
                        struct race_completion completion, uint32_t number)
{
    write_line("waited %u %u %u:%u %u", block->serial, thread, completion.block, completion.thread,
               number);
    __real_race_waited(block, thread, completion, number);
}

/* ---- Threads, blocks and grids ---- */

void __wrap_race_start_block(struct race_block *block, struct race_grid *grid,
                             const struct extent *index, uint32_t thread_count)
{
    __real_race_start_block(block, grid, index, thread_count);
    write_line("block %u %" PRIu64 " %u %u", block->serial, grid->serial, block->cluster,
               thread_count);
}

void __wrap_race_end_block(struct race_block *block)
{
    write_line("end %u", block->serial);
    __real_race_end_block(block);
}

void __wrap_race_exit(struct race_block *block, uint32_t thread, const void *place)
{
    write_line("exit %u %u %u", block->serial, thread, line_of(place));
    __real_race_exit(block, thread, place);
}

void __wrap_race_launch(struct race_grid *child, const struct race_stream *stream,
                        struct race_block *block, uint32_t thread)
{
    char name[24];

    if (stream != NULL)
        snprintf(name, sizeof name, "%" PRIu64,
                 CONTAINER(struct child_stream, race, stream)->handle);
    __real_race_launch(child, stream, block, thread);
    write_line("launch %" PRIu64 " %u %u %s", child->serial, block->serial, thread,
               stream != NULL   ? name
               : child->is_tail ? "tail"
                                : "none");
}

void __wrap_race_first_tail(struct race_grid *tail)
{
    write_line("first-tail %" PRIu64, tail->serial);
    __real_race_first_tail(tail);
}

void __wrap_race_complete(struct race_grid *grid, struct race_launcher *launcher,
                          struct race_stream *stream, struct race_grid *parent,
                          struct race_grid *next)
{
    write_line("complete %" PRIu64 " %" PRIu64, grid->serial, next != NULL ? next->serial : 0);
    __real_race_complete(grid, launcher, stream, parent, next);
}

void __wrap_race_follow(const struct race_grid *grid, struct race_grid *next)
{
    write_line("follow %" PRIu64 " %" PRIu64, grid->serial, next->serial);
    __real_race_follow(grid, next);
}

void __wrap_race_wait(struct race_block *block, uint32_t thread,
                      const struct race_launcher *launcher)
{
    write_line("wait %u %u", block->serial, thread);
    __real_race_wait(block, thread, launcher);
}
