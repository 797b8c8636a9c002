/* SPDX-License-Identifier: MIT
 *
 * Compares both race checkers with the definition of a race, for all short sequences. Two lanes,
 * another warp and another block access one or two words, or meet at what orders their accesses.
 *
 * The definition is the oracle below: the list of accesses, and for each the set of those that come
 * before it. A sequence that races is not extended, because its extensions race, too.
 *
 * The argument is the length of the longest sequences.
 */
#include "check.h"

#include "outcome.h"
#include "places.h"
#include "quick.h"
#include "race.h"
#include "races.h"

#include <setjmp.h>

/* ---- Sequences ---- */

/* REST stands for lanes 2 to 31 of the first warp. */
enum actor { LANE_0, LANE_1, REST, OTHER_WARP, OTHER_BLOCK, ACTORS };

enum what { ACCESS, ROW, ALL, BEGIN_COPY, END_COPY, EXIT, SYNC_WARP, BARRIER, END_GRID };

enum { ADD = 1, MAX = 3, BYTES_4 = 1 << 3, BYTES_8 = 2 << 3 }; /* as `commutes` of struct op */

static const struct act {
    const char *name;
    enum what what;
    unsigned int access; /* ACCESS_WRITE and the like */
    uint8_t from, to;    /* bytes */
    uint8_t commutes;
    bool returns;
} acts[] = {
    {"reads", ACCESS, ACCESS_READ, 0, 4, 0, false},
    {"writes", ACCESS, ACCESS_WRITE, 0, 4, 0, false},
    {"reads volatile", ACCESS, ACCESS_VOLATILE, 0, 4, 0, false},
    {"writes volatile", ACCESS, ACCESS_VOLATILE | ACCESS_WRITE, 0, 4, 0, false},
    {"red.add", ACCESS, ACCESS_ATOMIC, 0, 4, ADD | BYTES_4, false},
    {"red.max", ACCESS, ACCESS_ATOMIC, 0, 4, MAX | BYTES_4, false},
    {"red.add.u64", ACCESS, ACCESS_ATOMIC, 0, 8, ADD | BYTES_8, false},
    {"atom.add", ACCESS, ACCESS_ATOMIC, 0, 4, ADD | BYTES_4, true},
    {"atom.exch", ACCESS, ACCESS_ATOMIC, 0, 4, 0, true},
    {"writes 2 bytes", ACCESS, ACCESS_WRITE, 2, 4, 0, false},
    {"reads 8 bytes", ACCESS, ACCESS_READ, 0, 8, 0, false},
    {"writes the next word", ACCESS, ACCESS_WRITE, 4, 8, 0, false},
    {"begins a copy", BEGIN_COPY, 0, 0, 4, 0, false},
    {"ends a copy", END_COPY, 0, 0, 4, 0, false},
    {"exits", EXIT, 0, 0, 0, 0, false},
    {"and its warp read a word each", ROW, ACCESS_READ, 0, 4, 0, false},
    {"and its warp write a word each", ROW, ACCESS_WRITE, 0, 4, 0, false},
    {"and its warp read", ALL, ACCESS_READ, 0, 4, 0, false},
    {"__syncwarp()", SYNC_WARP, 0, 0, 0, 0, false},
    {"__syncthreads()", BARRIER, 0, 0, 0, 0, false},
    {"end of the grid", END_GRID, 0, 0, 0, 0, false},
};

enum { ACTS = sizeof acts / sizeof *acts, MAX_LENGTH = 8, WORDS = 32 };

struct event {
    enum actor actor;
    const struct act *act;
};

static struct event sequence[MAX_LENGTH];
static uint32_t length, max_length = 3;
static uint32_t granule; /* of the stamps */
static enum model model; /* of the exact checker */
static bool in_shared;   /* the words are in shared memory, otherwise in global memory */

/* ---- The oracle ---- */

enum { MAX_NODES = 3 * MAX_LENGTH };

/* An access. A copy of the fast checker is an access of a thread of its own. */
struct node {
    uint32_t thread;
    const struct act *act;
    unsigned int access;
    uint8_t from, to;
    uint32_t before, observed, overwritten; /* sets of nodes */
    bool is_copying; /* a copy from global memory under way: its races count at its end */
    bool races;
};

struct oracle {
    struct node nodes[MAX_NODES];
    uint32_t count, grid;
    uint32_t known[ACTORS]; /* what comes before the actor's next access */
    bool has_exited[ACTORS];
    int copy[ACTORS]; /* the node of its copy; -1: none is under way */
    bool races;
    /* One access was overwritten by what the other's thread has observed, or another lane of its
     * warp has observed it, or a thread that has observed it has read again since. The letter of
     * the rules makes this a race, but no value depends on it. The exact checker may report it or
     * not. */
    bool may_race;
};

/* Returns the strong writes to the same bytes among those nodes. */
static uint32_t strong_writes(const struct oracle *oracle, uint32_t nodes, const struct node *as)
{
    uint32_t found = 0;

    for (uint32_t k = 0; k < oracle->count; k++) {
        const struct node *node = &oracle->nodes[k];
        if (nodes >> k & 1 && node->from == as->from && node->to == as->to &&
            node->access & (ACCESS_VOLATILE | ACCESS_ATOMIC) &&
            node->access & (ACCESS_WRITE | ACCESS_ATOMIC))
            found |= UINT32_C(1) << k;
    }
    return found;
}

/* Enters the strong writes whose value a strong read returns at that byte, also through atomic
 * operations, and those that come before them. It observes what it returns at all bytes. */
static void observe(const struct oracle *oracle, struct node *read, uint8_t byte)
{
    bool is_whole = true;
    uint32_t observed = 0;

    for (uint32_t k = oracle->count; k-- > 0;) {
        const struct node *write = &oracle->nodes[k];
        if (write->to <= byte || byte < write->from ||
            !(write->access & (ACCESS_WRITE | ACCESS_ATOMIC)))
            continue;
        if (!(write->access & (ACCESS_VOLATILE | ACCESS_ATOMIC)))
            break;
        is_whole = is_whole && write->from == read->from && write->to == read->to;
        observed |= is_whole ? UINT32_C(1) << k : 0;
        read->overwritten |= UINT32_C(1) << k | strong_writes(oracle, write->before, read);
        if (!(write->access & ACCESS_ATOMIC))
            break;
    }
    read->observed = byte == read->from ? observed : read->observed & observed;
}

/* Returns true for strong accesses of one warp if warps step together. The steps order them. */
static bool are_in_step(const struct node *a, const struct node *b)
{
    return model == MODEL_LOCKSTEP && (a->access & (ACCESS_VOLATILE | ACCESS_ATOMIC)) &&
           (b->access & (ACCESS_VOLATILE | ACCESS_ATOMIC)) && a->thread % ACTORS <= REST &&
           b->thread % ACTORS <= REST && a->thread / ACTORS == b->thread / ACTORS;
}

/* Two accesses conflict for the fast checker unless they commute, and for the exact one unless they
 * are morally strong (PTX ISA, memory consistency model). */
static bool conflict(const struct node *a, const struct node *b, bool is_exact)
{
    bool both_strong = (a->access & (ACCESS_VOLATILE | ACCESS_ATOMIC)) &&
                       (b->access & (ACCESS_VOLATILE | ACCESS_ATOMIC));

    if (a->thread == b->thread || a->to <= b->from || b->to <= a->from ||
        !((a->access | b->access) & (ACCESS_WRITE | ACCESS_ATOMIC)))
        return false;
    if (is_exact)
        return !are_in_step(a, b) && (!both_strong || a->from != b->from || a->to != b->to);
    return a->act->commutes == 0 || a->act->commutes != b->act->commutes || a->act->returns ||
           b->act->returns;
}

/* Returns true if the thread of that node has made the same access again, and the second is not
 * among `known`. */
static bool is_repeated(const struct oracle *oracle, uint32_t node, uint32_t known)
{
    const struct node *first = &oracle->nodes[node];

    for (uint32_t k = node + 1; k < oracle->count; k++) {
        const struct node *next = &oracle->nodes[k];
        if (!(known >> k & 1) && next->thread == first->thread && next->access == first->access &&
            next->from == first->from && next->to == first->to)
            return true;
    }
    return false;
}

static uint32_t oracle_add(struct oracle *oracle, uint32_t thread, uint32_t known,
                           const struct act *act, unsigned int access, uint8_t from, bool is_exact)
{
    struct node *node = &oracle->nodes[oracle->count];
    uint32_t observed = 0, overwritten = 0;

    *node = (struct node){.thread = thread,
                          .act = act,
                          .access = access,
                          .from = from,
                          .to = (uint8_t)(from + act->to - act->from),
                          .before = known,
                          .is_copying = act->what == BEGIN_COPY && !is_exact && !in_shared};
    if (is_exact && (access & ACCESS_ATOMIC || access == ACCESS_VOLATILE))
        for (uint8_t byte = node->from; byte < node->to; byte++)
            observe(oracle, node, byte);
    for (uint32_t k = 0; k < oracle->count; k++)
        if (known >> k & 1) {
            observed |= is_repeated(oracle, k, known) ? 0 : oracle->nodes[k].observed;
            overwritten |= oracle->nodes[k].observed | oracle->nodes[k].overwritten;
        } else if (is_exact && are_in_step(&oracle->nodes[k], node)) {
            overwritten |= oracle->nodes[k].observed | oracle->nodes[k].overwritten;
        }
    for (uint32_t k = 0; k < oracle->count; k++)
        if (!((known | observed) >> k & 1) && conflict(&oracle->nodes[k], node, is_exact))
            *(oracle->nodes[k].is_copying ? &oracle->nodes[k].races
              : node->is_copying          ? &node->races
              : overwritten >> k & 1      ? &oracle->may_race
                                          : &oracle->races) = true;
    return UINT32_C(1) << oracle->count++;
}

static void oracle_access(struct oracle *oracle, enum actor actor, const struct act *act,
                          unsigned int access, uint8_t from, bool is_exact)
{
    oracle->known[actor] |= oracle_add(oracle, oracle->grid * ACTORS + actor, oracle->known[actor],
                                       act, access, from, is_exact);
}

static void oracle_meet(struct oracle *oracle, enum actor last)
{
    uint32_t known = 0;

    for (int a = 0; a <= (int)last; a++)
        known |= oracle->has_exited[a] ? 0 : oracle->known[a];
    for (int a = 0; a <= (int)last; a++)
        oracle->known[a] |= oracle->has_exited[a] ? 0 : known;
}

/* The exact checker takes a copy for two accesses of its thread. */
static void oracle_copy(struct oracle *oracle, enum actor actor, const struct act *act,
                        bool is_exact)
{
    unsigned int access = in_shared ? ACCESS_WRITE : ACCESS_READ;

    if (is_exact)
        oracle_access(oracle, actor, act, access, 0, true);
    if (act->what == BEGIN_COPY)
        oracle->copy[actor] = (int)oracle->count;
    if (act->what == BEGIN_COPY && !is_exact)
        oracle_add(oracle, MAX_LENGTH * ACTORS + oracle->count, oracle->known[actor], act, access,
                   0, false);
    if (act->what == END_COPY && !is_exact) {
        struct node *copy = &oracle->nodes[oracle->copy[actor]];
        oracle->races |= copy->races;
        copy->is_copying = false;
        oracle->known[actor] |= UINT32_C(1) << oracle->copy[actor];
    }
    if (act->what == END_COPY)
        oracle->copy[actor] = -1;
}

static void oracle_event(struct oracle *oracle, struct event event, bool is_exact)
{
    const struct act *act = event.act;

    switch (act->what) {
    case ACCESS:
        oracle_access(oracle, event.actor, act, act->access, act->from, is_exact);
        break;
    case ROW:
    case ALL:
        for (enum actor a = LANE_0; a <= REST; a++)
            oracle_access(oracle, a, act, act->access, act->what == ROW ? (uint8_t)(4 * a) : 0,
                          is_exact);
        break;
    case BEGIN_COPY:
    case END_COPY:
        oracle_copy(oracle, event.actor, act, is_exact);
        break;
    case EXIT:
        oracle->has_exited[event.actor] = true;
        break;
    case SYNC_WARP: /* for the fast checker, it orders only if the whole warp takes part */
        if (is_exact || !oracle->has_exited[LANE_1])
            oracle_meet(oracle, REST);
        break;
    case BARRIER:
        oracle_meet(oracle, OTHER_WARP);
        break;
    case END_GRID:
        oracle->grid++;
        for (int a = 0; a < ACTORS; a++) {
            oracle->known[a] = (UINT32_C(1) << oracle->count) - 1;
            oracle->has_exited[a] = false;
        }
        break;
    }
}

static void oracle_start(struct oracle *oracle)
{
    memset(oracle, 0, sizeof *oracle);
    for (int a = 0; a < ACTORS; a++)
        oracle->copy[a] = -1;
}

/* Returns true if the event can follow, and adds something to what others show. */
static bool is_possible(const struct oracle *oracle, struct event event, bool is_exact)
{
    bool is_copying = oracle->copy[event.actor] >= 0, any_copies = false;

    for (int a = 0; a < ACTORS; a++)
        any_copies = any_copies || oracle->copy[a] >= 0;
    if (event.actor == REST || (in_shared && event.actor == OTHER_BLOCK))
        return false;
    switch (event.act->what) {
    case ACCESS:
        return !oracle->has_exited[event.actor];
    case ROW:
    case ALL:
        return !is_exact && event.actor == LANE_0 && !oracle->has_exited[LANE_1];
    case BEGIN_COPY:
        return !oracle->has_exited[event.actor] && !is_copying;
    case END_COPY:
        return is_copying;
    case EXIT:
        return event.actor == LANE_1 && !oracle->has_exited[LANE_1] && !is_copying && length > 0;
    case END_GRID:
        return event.actor == LANE_0 && !any_copies && length > 0;
    default:
        return event.actor == LANE_0 && length > 0;
    }
}

/* ---- The fast checker ---- */

enum { BLOCKS = 2, WARPS = 2 };

static struct warp warps[BLOCKS][WARPS];
static struct block blocks[BLOCKS];
static struct region region;

static struct quick {
    uint64_t stamps[2][2 * WORDS], serial, base;
    struct {
        uint64_t serial;
        uint32_t epoch, touched[WARPS], warp_epochs[WARPS];
        bool touched_exits;
    } blocks[BLOCKS];
    struct quick_time requested[ACTORS];
} now;

static struct block *block_of(enum actor actor)
{
    return &blocks[actor == OTHER_BLOCK];
}

static struct warp *warp_of(enum actor actor)
{
    return &block_of(actor)->warps[actor == OTHER_WARP];
}

static uint32_t lane_of(enum actor actor)
{
    return actor == LANE_1 || actor == REST ? (uint32_t)actor : 0;
}

static void save(struct quick *to)
{
    now.serial = quick_races.serial;
    now.base = quick_races.base;
    for (int b = 0; b < BLOCKS; b++) {
        now.blocks[b].serial = blocks[b].serial;
        now.blocks[b].epoch = blocks[b].epoch;
        now.blocks[b].touched_exits = blocks[b].touched_exits;
        memcpy(now.blocks[b].touched, blocks[b].touched, sizeof now.blocks[b].touched);
        for (int w = 0; w < WARPS; w++)
            now.blocks[b].warp_epochs[w] = warps[b][w].epoch;
    }
    *to = now;
}

static void restore(const struct quick *from)
{
    now = *from;
    region.granule = granule; /* leave_narrow() changes it */
    quick_races.serial = now.serial;
    quick_races.base = now.base;
    for (int b = 0; b < BLOCKS; b++) {
        blocks[b].serial = now.blocks[b].serial;
        blocks[b].epoch = now.blocks[b].epoch;
        blocks[b].touched_exits = now.blocks[b].touched_exits;
        memcpy(blocks[b].touched, now.blocks[b].touched, sizeof now.blocks[b].touched);
        for (int w = 0; w < WARPS; w++)
            warps[b][w].epoch = now.blocks[b].warp_epochs[w];
    }
}

static void quick_access(enum actor actor, const struct act *act, unsigned int access)
{
    struct op op = {.access = (uint8_t)access,
                    .commutes = act->commutes,
                    .returns = act->returns,
                    .is_strong = (access & (ACCESS_VOLATILE | ACCESS_ATOMIC)) != 0,
                    .bytes = (uint8_t)(act->to - act->from),
                    .count = 1};
    struct group group = {
        .region = &region, .lanes = UINT32_C(1) << lane_of(actor), .bytes = op.bytes};

    group.offsets[lane_of(actor)] = act->from;
    if (act->what == ROW || act->what == ALL)
        group.lanes = UINT32_MAX;
    group.is_contiguous = act->what == ROW;
    for (uint32_t l = 0; act->what == ROW && l < LANES; l++)
        group.offsets[l] = 4 * l;
    check_races(warp_of(actor), &op, &group);
}

static void quick_start_grid(void)
{
    quick_start();
    for (int b = 0; b < BLOCKS; b++) {
        assert_true(quick_start_block(&blocks[b]));
        for (int w = 0; w < WARPS; w++)
            warps[b][w].epoch = 0;
    }
}

static void quick_event(struct event event)
{
    switch (event.act->what) {
    case ACCESS:
    case ROW:
    case ALL:
        quick_access(event.actor, event.act, event.act->access);
        break;
    case BEGIN_COPY: /* as in async.c */
        if (in_shared)
            quick_access(event.actor, event.act, ACCESS_WRITE);
        now.requested[event.actor] =
            in_shared
                ? quick_begin_copy(warp_of(event.actor), &region, 0, 4)
                : (struct quick_time){block_of(event.actor)->epoch, warp_of(event.actor)->epoch};
        break;
    case END_COPY:
        if (in_shared)
            quick_complete_copy(&region, 0, 4);
        else
            quick_expect_unchanged(warp_of(event.actor), &region, 0, 4, now.requested[event.actor]);
        quick_access(event.actor, event.act, in_shared ? ACCESS_WRITE : ACCESS_READ);
        break;
    case EXIT:
        quick_leave(warp_of(event.actor), UINT32_C(1) << lane_of(event.actor));
        warps[0][0].alive &= ~(UINT32_C(1) << lane_of(event.actor));
        break;
    case SYNC_WARP:
        quick_sync_warp(&warps[0][0], warps[0][0].alive);
        break;
    case BARRIER:
        quick_barrier(&blocks[0]);
        break;
    case END_GRID:
        quick_start_grid();
        break;
    }
}

/* Returns false if the checker abandons the run. */
static bool quick_decides(struct event event, const struct oracle *before)
{
    warps[0][0].alive = before->has_exited[LANE_1] ? UINT32_MAX & ~UINT32_C(2) : UINT32_MAX;
    if (setjmp(machine.out) != 0)
        return false;
    quick_event(event);
    return true;
}

/* ---- Comparisons ---- */

static struct {
    uint64_t tried, decided, free;
} counted;

static _Noreturn void fail_sequence(const char *why)
{
    static const char *const names[] = {"lane 0", "lane 1", "", "another warp", "another block"};

    for (uint32_t k = 0; k < length; k++)
        print_message("    %u. %s %s\n", k + 1,
                      sequence[k].act->what >= SYNC_WARP ? "" : names[sequence[k].actor],
                      sequence[k].act->name);
    print_message("%s memory: %s\n", in_shared ? "shared" : "global", why);
    fail();
    abort();
}

/* Returns true if the fast checker may abandon a sequence that does not race: docs/races.md, "One
 * run for all schedules". */
static bool may_be_abandoned(void)
{
    bool may_be = false;

    for (uint32_t k = 0; k < length; k++) {
        const struct act *act = sequence[k].act;
        may_be |= act->returns || act->what == EXIT || act->what == BEGIN_COPY ||
                  (act->what == ACCESS && act->to - act->from < 1 << granule);
    }
    return may_be;
}

static void try_quickly(const struct oracle *before, const struct quick *start)
{
    for (int a = 0; a < ACTORS; a++)
        for (int k = 0; k < ACTS; k++) {
            struct event event = {(enum actor)a, &acts[k]};
            struct oracle oracle = *before;
            struct quick after;
            bool decides;

            if (!is_possible(before, event, false))
                continue;
            restore(start);
            sequence[length++] = event;
            oracle_event(&oracle, event, false);
            decides = quick_decides(event, before);
            counted.tried++;
            counted.free += !oracle.races;
            counted.decided += decides;
            if (decides && oracle.races)
                fail_sequence("the fast checker takes a race for ordered");
            if (!decides && !oracle.races && !may_be_abandoned())
                fail_sequence("the fast checker abandons a run without a race");
            if (decides && length < max_length) {
                save(&after);
                try_quickly(&oracle, &after);
            }
            length--;
        }
}

/* ---- The exact checker ---- */

enum { THREADS = 64, MAX_GRIDS = MAX_LENGTH + 1 };

static const uintptr_t shared_base = UINT64_C(0x500000000000);
static uint64_t memory[WORDS / 2];
static struct race_block race_blocks[BLOCKS];
static struct race_grid race_grids[MAX_GRIDS];
static struct simt_place *place;

static void exact_access(enum actor actor, const struct act *act, unsigned int access)
{
    struct race_block *block = &race_blocks[actor == OTHER_BLOCK];
    uint32_t thread = actor == OTHER_WARP ? LANES : lane_of(actor);
    uintptr_t address = (in_shared ? shared_base : (uintptr_t)memory) + act->from;
    size_t bytes = act->to - act->from;

    if (model == MODEL_LOCKSTEP)
        block->threads[thread].time = ++warp_of(actor)->steps;
    if (access & ACCESS_ATOMIC)
        race_strong(block, thread, address, bytes, ACCESS_ATOMIC, SIMT_DEVICE, SIMT_RELAXED, place);
    else
        race_access(block, thread, address, bytes, access, place);
}

static void exact_start_grid(uint32_t grid)
{
    race_grids[grid] =
        (struct race_grid){.kernel = "kernel", .block = {THREADS, 1, 1}, .serial = grid + 1};
    if (grid > 0)
        race_follow(&race_grids[grid - 1], &race_grids[grid]);
    for (uint32_t b = 0; b < BLOCKS; b++)
        race_start_block(&race_blocks[b], &race_grids[grid], &(struct extent){b, 0, 0}, THREADS);
    for (int b = 0; b < BLOCKS; b++)
        for (int w = 0; w < WARPS; w++)
            warps[b][w].steps = 1; /* the times of race.h start at 1 */
    race_shared_owner = &race_blocks[0];
    race_shared_shift = (uintptr_t)memory - shared_base;
}

static void exact_end_grid(bool has_exited)
{
    for (int b = 0; b < BLOCKS; b++) {
        race_shared_owner = &race_blocks[b];
        for (uint32_t t = 0; t < THREADS; t++)
            if (b > 0 || t != LANE_1 || !has_exited)
                race_exit(&race_blocks[b], t, place);
        race_end_block(&race_blocks[b]);
    }
}

static void exact_event(struct event event, bool *has_exited, uint32_t *grid)
{
    switch (event.act->what) {
    case BEGIN_COPY:
    case END_COPY:
        exact_access(event.actor, event.act, in_shared ? ACCESS_WRITE : ACCESS_READ);
        break;
    case EXIT:
        race_exit(&race_blocks[0], LANE_1, place);
        *has_exited = true;
        break;
    case SYNC_WARP:
        race_sync_warp(&race_blocks[0], 0, *has_exited ? ~UINT32_C(2) : UINT32_MAX);
        break;
    case BARRIER:
        race_barrier(&race_blocks[0], *has_exited);
        break;
    case END_GRID:
        exact_end_grid(*has_exited);
        exact_start_grid(++*grid);
        *has_exited = false;
        break;
    default:
        exact_access(event.actor, event.act, event.act->access);
    }
}

static void name_byte(uintptr_t address, const struct simt_place *at, struct array_element *element)
{
    (void)at;
    *element = (struct array_element){.unit = ELEMENT_NONE};
    snprintf(element->array, sizeof element->array, "byte %u", (unsigned int)(address % 8));
}

static void out_of_memory(void)
{
    fail_msg("the race checker is out of memory");
}

/* Returns whether the exact checker finds a race in the sequence. */
static bool exact_finds_race(void)
{
    const struct race_memory checked = {.global_base = (uintptr_t)memory,
                                        .global_size = sizeof memory,
                                        .shared_base = shared_base,
                                        .shared_size = sizeof memory,
                                        .name = name_byte,
                                        .out_of_memory = out_of_memory};
    bool has_exited = false;
    uint32_t grid = 0;

    assert_true(race_start(&checked, sizeof memory, model));
    exact_start_grid(0);
    for (uint32_t k = 0; k < length; k++)
        exact_event(sequence[k], &has_exited, &grid);
    race_settle();
    return race_finish(NULL, 0).races > 0;
}

static void try_exactly(const struct oracle *before)
{
    for (int a = 0; a < ACTORS; a++)
        for (int k = 0; k < ACTS; k++) {
            struct event event = {(enum actor)a, &acts[k]};
            struct oracle oracle = *before;
            bool races;

            if (!is_possible(before, event, true))
                continue;
            sequence[length++] = event;
            oracle_event(&oracle, event, true);
            races = exact_finds_race();
            counted.tried++;
            counted.free += !oracle.races;
            if (races && !oracle.races && !oracle.may_race)
                fail_sequence("the exact checker finds a race where there is none");
            if (!races && oracle.races)
                fail_sequence("the exact checker misses a race");
            if (!oracle.races && length < max_length)
                try_exactly(&oracle);
            length--;
        }
}

static void check_exactly(bool shared, enum model under)
{
    struct oracle oracle;

    in_shared = shared;
    model = under;
    length = 0;
    memset(&counted, 0, sizeof counted);
    oracle_start(&oracle);
    try_exactly(&oracle);
    print_message("    %ju sequences, %ju of them without a race\n", (uintmax_t)counted.tried,
                  (uintmax_t)counted.free);
    assert_true(counted.free > 0 && counted.tried > counted.free);
}

static void check_quickly(bool shared, uint32_t to)
{
    struct oracle oracle;
    struct quick start;

    in_shared = shared;
    granule = to;
    length = 0;
    memset(&now, 0, sizeof now);
    memset(&counted, 0, sizeof counted);
    region = (struct region){.bytes = 4 * WORDS,
                             .stamps = {now.stamps[0], now.stamps[1]},
                             .is_writable = true,
                             .is_shared = shared,
                             .owner = shared ? &blocks[0] : NULL};
    for (int b = 0; b < BLOCKS; b++) {
        blocks[b].warps = warps[b];
        blocks[b].warp_count = WARPS;
        for (uint32_t w = 0; w < WARPS; w++)
            warps[b][w] = (struct warp){.block = &blocks[b], .number = w, .lanes = UINT32_MAX};
    }
    quick_races.is_on = true;
    quick_races.serial = 1;
    quick_start_grid();
    save(&start);
    oracle_start(&oracle);
    try_quickly(&oracle, &start);
    quick_races.is_on = false;
    print_message("    %ju sequences, %ju of them without a race, %ju decided\n",
                  (uintmax_t)counted.tried, (uintmax_t)counted.free, (uintmax_t)counted.decided);
    assert_true(counted.decided > 0 && counted.free > counted.decided);
}

TEST(fast_checker_in_global_memory)
{
    check_quickly(false, 2);
}

TEST(fast_checker_with_narrow_elements)
{
    check_quickly(false, 1);
}

TEST(fast_checker_in_shared_memory)
{
    check_quickly(true, 2);
}

TEST(exact_checker_in_global_memory)
{
    check_exactly(false, MODEL_INDEPENDENT);
}

TEST(exact_checker_in_shared_memory)
{
    check_exactly(true, MODEL_INDEPENDENT);
}

TEST(exact_checker_of_warps_that_step_together)
{
    check_exactly(false, MODEL_LOCKSTEP);
}

int main(int count, char **arguments)
{
    if (count > 1)
        max_length = (uint32_t)atoi(arguments[1]);
    if (max_length < 1 || max_length > MAX_LENGTH) {
        fprintf(stderr, "%s: write the length of the longest sequences, 1 to %d\n", arguments[0],
                MAX_LENGTH);
        return 2;
    }
    place = places_take(1);
    if (place == NULL)
        return 1;
    *place = (struct simt_place){.site = {.file = "sequences.cu", .line = 1}, .element = 4};
    return tests_run("race_sequences", NULL, NULL);
}
