/* SPDX-License-Identifier: MIT
 *
 * The rules of the race checker for proxies, asynchronous operations, clusters and their shared
 * memory. Each scenario makes accesses by calls of the checker, in one order, under both models.
 */
#include "check.h"

#include "places.h"
#include "race.h"

enum { BLOCKS = 3, THREADS = 96, MAX_RACES = 8, BYTES = 4096, PLACES = 64 };

static uint64_t global_memory[BYTES / 8], shared_memory[BLOCKS][BYTES / 8];
static const uintptr_t shared_base = UINT64_C(0x500000000000);
static struct race_block blocks[BLOCKS];
static struct race_grid grids[2];
static struct race races[MAX_RACES];
static struct simt_place *places;
static int line;
static size_t unordered; /* pairs of the last scenario that are no races */
static enum model model;

/* ---- What threads do ---- */

static uintptr_t in_global(uint32_t word)
{
    return (uintptr_t)&global_memory[word];
}

/* A word in the shared memory of that block. */
static uintptr_t in_shared(uint32_t block, uint32_t word)
{
    race_shared_owner = &blocks[block];
    race_shared_shift = (uintptr_t)shared_memory[block] - shared_base;
    return shared_base + 8 * word;
}

static const struct simt_place *next_place(void)
{
    places[line].site.line = line;
    return &places[line++];
}

/* Counts a step of a warp. */
static const struct simt_place *step(uint32_t block, uint32_t thread)
{
    for (uint32_t lane = 0; lane < 32 && model == MODEL_LOCKSTEP; lane++)
        blocks[block].threads[thread / 32 * 32 + lane].time++;
    return next_place();
}

static void access_word(uint32_t block, uint32_t thread, uintptr_t address, unsigned int access)
{
    race_access(&blocks[block], thread, address, 8, access, step(block, thread));
}

static void reads(uint32_t block, uint32_t thread, uintptr_t address)
{
    access_word(block, thread, address, ACCESS_READ);
}

static void writes(uint32_t block, uint32_t thread, uintptr_t address)
{
    access_word(block, thread, address, ACCESS_WRITE);
}

static void updates(uint32_t block, uint32_t thread, uintptr_t address, enum simt_scope scope,
                    enum simt_order order)
{
    race_strong(&blocks[block], thread, address, 8, ACCESS_ATOMIC, scope, order,
                step(block, thread));
}

static void waits(uint32_t block, uint32_t thread, uintptr_t address, enum simt_scope scope)
{
    race_strong(&blocks[block], thread, address, 8, ACCESS_READ, scope, SIMT_ACQUIRE,
                step(block, thread));
}

static void barrier(uint32_t block)
{
    race_barrier(&blocks[block], false);
}

static void fence_proxy(uint32_t block, uint32_t thread, unsigned int covered)
{
    race_proxy_fence(&blocks[block], thread, covered);
}

static const unsigned int all = SIMT_COVERS_GLOBAL | SIMT_COVERS_SHARED;

/* A thread passes something on to a thread of another warp: one arrives, the other waits. */
static void passes_on(uint32_t block, uint32_t from, uint32_t to)
{
    struct race_meeting meeting = {.before = NULL};

    race_arrive(&blocks[block], from, &meeting);
    race_leave(&blocks[block], to, &meeting);
}

/* All threads of two blocks pass a cluster barrier. */
static void cluster_barrier(uint32_t a, uint32_t b, bool releases)
{
    struct race_meeting meeting = {.before = NULL};

    for (uint32_t t = 0; t < THREADS; t++) {
        race_arrive_in_cluster(&blocks[a], t, &meeting, releases);
        race_arrive_in_cluster(&blocks[b], t, &meeting, releases);
    }
    for (uint32_t t = 0; t < THREADS; t++) {
        race_leave(&blocks[a], t, &meeting);
        race_leave(&blocks[b], t, &meeting);
    }
}

static struct race_operation issue(uint32_t block, uint32_t thread, unsigned int proxy)
{
    return race_issue(&blocks[block], thread / 32, UINT32_C(1) << thread % 32, proxy);
}

/* A bulk copy reads or writes a word. */
static void copy(const struct race_operation *operation, enum race_wait wait, uintptr_t address,
                 unsigned int access)
{
    struct race_completion completion =
        race_by_wait(wait, &blocks[operation->block - blocks[0].serial], operation->thread);

    race_operation_access(operation, completion, address, 8, access, SIMT_DEVICE, next_place());
}

static void wait_for(uint32_t thread, enum race_wait wait, const struct race_operation *operation)
{
    race_waited(&blocks[0], thread, race_by_wait(wait, &blocks[0], operation->thread),
                operation->number);
}

/* The operation writes a word, and then signals the mbarrier in word 7 of that block. */
static void load_to(const struct race_operation *operation, uint32_t block, uint32_t word)
{
    uintptr_t barrier = in_shared(block, 7);

    race_operation_access(operation, race_by_mbarrier(&blocks[block], barrier),
                          in_shared(block, word), 8, ACCESS_WRITE, SIMT_DEVICE, next_place());
    race_signal(operation, barrier, next_place());
}

static void exits(uint32_t block)
{
    for (uint32_t t = 0; t < THREADS; t++)
        race_exit(&blocks[block], t, &places[0]);
    in_shared(block, 0);
    race_end_block(&blocks[block]);
}

/* ---- Running a scenario ---- */

typedef void scenario(void);

static void name_place(uintptr_t address, const struct simt_place *at,
                       struct array_element *element)
{
    (void)at;
    *element = (struct array_element){.unit = ELEMENT_NONE};
    snprintf(element->array, sizeof element->array, "byte %u", (unsigned int)(address % BYTES));
}

static void out_of_memory(void)
{
    fail_msg("the race checker is out of memory");
}

/* Starts three blocks. The first two are a cluster. */
static void start(void)
{
    static struct race_memory memory = {.name = name_place, .out_of_memory = out_of_memory};
    const struct extent extent = {THREADS, 1, 1};

    memory.global_base = (uintptr_t)global_memory;
    memory.global_size = sizeof global_memory;
    memory.shared_base = shared_base;
    memory.shared_size = BYTES;
    line = 1;
    assert_true(race_start(&memory, sizeof global_memory, model));
    grids[0] = (struct race_grid){.kernel = "first", .block = extent, .serial = 1};
    grids[1] = (struct race_grid){.kernel = "second", .block = extent, .serial = 2};
    for (uint32_t b = 0; b < BLOCKS; b++) {
        blocks[b].cluster = b < 2 ? 1 : 2;
        race_start_block(&blocks[b], &grids[0], &(struct extent){b, 0, 0}, THREADS);
    }
}

/* Returns the number of races, each at another pair of lines. */
static size_t count_races(scenario *run, enum model under)
{
    struct race_count count;

    model = under;
    start();
    run();
    count = race_finish(races, MAX_RACES);
    unordered = count.unordered;
    return count.races;
}

/* Fails a test, and prints the races found. */
static void fail_scenario(const char *name, size_t found, const char *expected)
{
    for (size_t r = 0; r < found && r < MAX_RACES; r++)
        print_message("    %s, lines %d and %d: %s\n", races[r].place, races[r].first.line,
                      races[r].second.line, races[r].missing);
    fail_msg("%s: %zu races, expected %s", name, found, expected);
}

static void check_free(scenario *run, const char *name)
{
    for (int m = 0; m < MODELS; m++) {
        size_t found = count_races(run, (enum model)m);
        if (found != 0)
            fail_scenario(name, found, "none");
    }
}

static void check_race(scenario *run, const char *name, enum fault_sentence lacks)
{
    for (int m = 0; m < MODELS; m++) {
        size_t found = count_races(run, (enum model)m);
        if (found != 1 || races[0].lacks != lacks)
            fail_scenario(name, found, fault_sentence_name(lacks));
    }
}

#define FREE(scenario) check_free(scenario, #scenario)
#define RACE(scenario, lacks) check_race(scenario, #scenario, SAYS_##lacks)

/* ---- Proxies ---- */

static void reads_through_async_proxy(uint32_t thread, uintptr_t address)
{
    struct race_operation operation = issue(0, thread, ACCESS_ASYNC);

    copy(&operation, RACE_BULK_READS, address, ACCESS_READ);
}

static void no_proxy_fence(void)
{
    writes(0, 0, in_shared(0, 1));
    barrier(0);
    reads_through_async_proxy(32, in_shared(0, 1));
}

static void no_proxy_fence_of_own_write(void)
{
    writes(0, 0, in_shared(0, 1));
    reads_through_async_proxy(0, in_shared(0, 1));
}

static void fence_of_writer(void)
{
    writes(0, 0, in_shared(0, 1));
    fence_proxy(0, 0, SIMT_COVERS_SHARED);
    barrier(0);
    reads_through_async_proxy(32, in_shared(0, 1));
}

static void fence_of_reader(void)
{
    writes(0, 0, in_shared(0, 1));
    barrier(0);
    fence_proxy(0, 32, all);
    reads_through_async_proxy(32, in_shared(0, 1));
}

static void fence_of_another_thread(void)
{
    writes(0, 0, in_shared(0, 1));
    passes_on(0, 0, 64);
    fence_proxy(0, 64, all);
    passes_on(0, 64, 32);
    reads_through_async_proxy(32, in_shared(0, 1));
}

/* A barrier joins what two threads know. Only one of them has executed a fence. */
static void fence_after_barrier(void)
{
    writes(1, 0, in_global(1));
    updates(1, 0, in_global(2), SIMT_DEVICE, SIMT_RELEASE);
    waits(0, 32, in_global(2), SIMT_DEVICE);
    fence_proxy(0, 64, all);
    barrier(0);
    fence_proxy(0, 0, all);
    reads_through_async_proxy(0, in_global(1));
}

static void fence_of_own_write(void)
{
    writes(0, 0, in_shared(0, 1));
    fence_proxy(0, 0, all);
    reads_through_async_proxy(0, in_shared(0, 1));
}

static void fence_before_the_write(void)
{
    fence_proxy(0, 0, all);
    writes(0, 0, in_shared(0, 1));
    barrier(0);
    reads_through_async_proxy(32, in_shared(0, 1));
}

/* The fence does not come after the write, although both come before the barrier. */
static void fence_of_the_reader_too_early(void)
{
    writes(0, 0, in_shared(0, 1));
    fence_proxy(0, 32, all);
    barrier(0);
    reads_through_async_proxy(32, in_shared(0, 1));
}

static void fence_of_other_space(void)
{
    writes(0, 0, in_shared(0, 1));
    fence_proxy(0, 0, SIMT_COVERS_GLOBAL);
    barrier(0);
    reads_through_async_proxy(32, in_shared(0, 1));
}

static void fence_without_order(void)
{
    writes(0, 0, in_shared(0, 1));
    fence_proxy(0, 0, all);
    reads_through_async_proxy(32, in_shared(0, 1));
}

static void fence_for_global_memory(void)
{
    writes(0, 0, in_global(1));
    fence_proxy(0, 0, SIMT_COVERS_GLOBAL);
    barrier(0);
    reads_through_async_proxy(32, in_global(1));
}

static void fence_before_release(void)
{
    writes(0, 0, in_global(1));
    fence_proxy(0, 0, all);
    updates(0, 0, in_global(2), SIMT_DEVICE, SIMT_RELEASE);
    waits(2, 32, in_global(2), SIMT_DEVICE);
    struct race_operation operation = issue(2, 32, ACCESS_ASYNC);
    copy(&operation, RACE_BULK_READS, in_global(1), ACCESS_READ);
}

static void no_fence_before_release(void)
{
    writes(0, 0, in_global(1));
    updates(0, 0, in_global(2), SIMT_DEVICE, SIMT_RELEASE);
    waits(2, 32, in_global(2), SIMT_DEVICE);
    struct race_operation operation = issue(2, 32, ACCESS_ASYNC);
    copy(&operation, RACE_BULK_READS, in_global(1), ACCESS_READ);
}

static void other_grid_reads(void)
{
    struct race_operation operation;

    writes(0, 0, in_global(1));
    exits(0);
    race_follow(&grids[0], &grids[1]);
    race_start_block(&blocks[0], &grids[1], &(struct extent){0, 0, 0}, THREADS);
    operation = issue(0, 0, ACCESS_ASYNC);
    race_operation_access(&operation, race_by_wait(RACE_BULK_READS, &blocks[0], 0), in_global(1), 8,
                          ACCESS_READ, SIMT_DEVICE, next_place());
}

static void read_before_async_write(void)
{
    struct race_operation operation;

    reads(0, 0, in_shared(0, 1));
    barrier(0);
    operation = issue(0, 32, ACCESS_ASYNC);
    load_to(&operation, 0, 1);
    waits(0, 32, in_shared(0, 7), SIMT_BLOCK);
}

static void atomics_of_two_proxies(void)
{
    struct race_operation operation = issue(0, 0, ACCESS_ASYNC);

    copy(&operation, RACE_BULK, in_global(1), ACCESS_ATOMIC);
    updates(0, 32, in_global(1), SIMT_DEVICE, SIMT_RELAXED);
}

/* The same after atomic accesses of several threads. */
static void many_atomics_of_two_proxies(void)
{
    struct race_operation operation;

    updates(0, 0, in_global(1), SIMT_DEVICE, SIMT_RELAXED);
    updates(0, 64, in_global(1), SIMT_DEVICE, SIMT_RELAXED);
    barrier(0);
    updates(0, 0, in_global(1), SIMT_DEVICE, SIMT_RELAXED);
    fence_proxy(0, 32, all);
    operation = issue(0, 32, ACCESS_ASYNC);
    copy(&operation, RACE_BULK, in_global(1), ACCESS_ATOMIC);
}

static void atomics_of_async_proxy(void)
{
    struct race_operation one = issue(0, 0, ACCESS_ASYNC), other = issue(2, 0, ACCESS_ASYNC);

    copy(&one, RACE_BULK, in_global(1), ACCESS_ATOMIC);
    copy(&other, RACE_BULK, in_global(1), ACCESS_ATOMIC);
}

TEST(generic_write_before_async_read_needs_a_proxy_fence_after_it)
{
    RACE(no_proxy_fence, READ_UNFENCED);
    RACE(no_proxy_fence_of_own_write, READ_UNFENCED);
    FREE(fence_of_writer);
    FREE(fence_of_reader);
    FREE(fence_of_another_thread);
    FREE(fence_after_barrier);
    FREE(fence_of_own_write);
    RACE(fence_before_the_write, READ_UNFENCED);
    RACE(fence_of_the_reader_too_early, READ_UNFENCED);
    RACE(fence_of_other_space, READ_UNFENCED);
    RACE(fence_without_order, OPERATION_AFTER_WRITE);
    FREE(fence_for_global_memory);
    FREE(fence_before_release);
    RACE(no_fence_before_release, READ_UNFENCED);
}

TEST(proxies_need_no_fence_between_grids_and_after_reads)
{
    FREE(other_grid_reads);
    FREE(read_before_async_write);
}

TEST(atomic_accesses_of_two_proxies_race)
{
    RACE(atomics_of_two_proxies, ATOMICS_OF_PROXIES);
    RACE(many_atomics_of_two_proxies, ATOMICS_OF_PROXIES);
    FREE(atomics_of_async_proxy);
}

/* ---- Operations ---- */

static void write_after_wait(void)
{
    struct race_operation operation = issue(0, 0, ACCESS_ASYNC);

    copy(&operation, RACE_BULK_READS, in_shared(0, 1), ACCESS_READ);
    wait_for(0, RACE_BULK_READS, &operation);
    writes(0, 0, in_shared(0, 1));
}

static void write_before_wait(void)
{
    struct race_operation operation = issue(0, 0, ACCESS_ASYNC);

    copy(&operation, RACE_BULK_READS, in_shared(0, 1), ACCESS_READ);
    writes(0, 0, in_shared(0, 1));
}

/* A wait for the first of two operations. */
static void write_after_early_wait(void)
{
    struct race_operation one = issue(0, 0, ACCESS_ASYNC), other = issue(0, 0, ACCESS_ASYNC);

    copy(&one, RACE_BULK_READS, in_shared(0, 1), ACCESS_READ);
    copy(&other, RACE_BULK_READS, in_shared(0, 2), ACCESS_READ);
    wait_for(0, RACE_BULK_READS, &one);
    writes(0, 0, in_shared(0, 1));
    writes(0, 0, in_shared(0, 2));
}

static void write_of_other_thread_after_wait(void)
{
    struct race_operation operation = issue(0, 0, ACCESS_ASYNC);

    copy(&operation, RACE_BULK_READS, in_shared(0, 1), ACCESS_READ);
    barrier(0);
    wait_for(0, RACE_BULK_READS, &operation);
    writes(0, 32, in_shared(0, 1));
}

static void write_after_wait_and_barrier(void)
{
    struct race_operation operation = issue(0, 0, ACCESS_ASYNC);

    copy(&operation, RACE_BULK_READS, in_shared(0, 1), ACCESS_READ);
    wait_for(0, RACE_BULK_READS, &operation);
    barrier(0);
    writes(0, 32, in_shared(0, 1));
}

static void wait_for_reads_only(void)
{
    struct race_operation operation = issue(0, 0, ACCESS_ASYNC);

    copy(&operation, RACE_BULK, in_global(1), ACCESS_WRITE);
    wait_for(0, RACE_BULK_READS, &operation);
    reads(0, 0, in_global(1));
}

static void two_writes_at_once(void)
{
    struct race_operation one = issue(0, 0, ACCESS_ASYNC), other = issue(0, 0, ACCESS_ASYNC);

    copy(&one, RACE_BULK, in_global(1), ACCESS_WRITE);
    copy(&other, RACE_BULK, in_global(1), ACCESS_WRITE);
}

static void one_write_at_two_times(void)
{
    struct race_operation operation = issue(0, 0, ACCESS_ASYNC);

    copy(&operation, RACE_BULK, in_global(1), ACCESS_WRITE);
    copy(&operation, RACE_BULK, in_global(1), ACCESS_WRITE);
}

static void read_after_acquire(void)
{
    struct race_operation operation = issue(0, 0, ACCESS_ASYNC);

    load_to(&operation, 0, 1);
    waits(0, 32, in_shared(0, 7), SIMT_BLOCK);
    reads(0, 32, in_shared(0, 1));
}

static void read_without_acquire(void)
{
    struct race_operation operation = issue(0, 0, ACCESS_ASYNC);

    load_to(&operation, 0, 1);
    waits(0, 32, in_shared(0, 7), SIMT_BLOCK);
    reads(0, 64, in_shared(0, 1));
}

/* The load of the next stage begins before the reader is done. */
static void load_over_read(void)
{
    struct race_operation one = issue(0, 0, ACCESS_ASYNC), other;

    load_to(&one, 0, 1);
    waits(0, 32, in_shared(0, 7), SIMT_BLOCK);
    reads(0, 32, in_shared(0, 1));
    waits(0, 0, in_shared(0, 7), SIMT_BLOCK);
    other = issue(0, 0, ACCESS_ASYNC);
    load_to(&other, 0, 1);
}

static void load_after_read(void)
{
    struct race_operation one = issue(0, 0, ACCESS_ASYNC), other;

    load_to(&one, 0, 1);
    waits(0, 32, in_shared(0, 7), SIMT_BLOCK);
    reads(0, 32, in_shared(0, 1));
    updates(0, 32, in_shared(0, 8), SIMT_BLOCK, SIMT_RELEASE);
    waits(0, 0, in_shared(0, 8), SIMT_BLOCK);
    other = issue(0, 0, ACCESS_ASYNC);
    load_to(&other, 0, 1);
}

/* st.async: in the generic proxy. */
static void async_store(unsigned int covered)
{
    struct race_operation operation = issue(1, 0, 0);

    load_to(&operation, 0, 1);
    waits(0, 32, in_shared(0, 7), SIMT_BLOCK);
    reads(0, 32, in_shared(0, 1));
    fence_proxy(0, 32, covered);
    reads_through_async_proxy(32, in_shared(0, 1));
}

static void async_store_without_fence(void)
{
    async_store(0);
}

static void async_store_with_fence(void)
{
    async_store(SIMT_COVERS_SHARED);
}

TEST(operation_ends_when_somebody_has_waited_for_it)
{
    FREE(write_after_wait);
    RACE(write_before_wait, OPERATION_FIRST);
    RACE(write_after_early_wait, OPERATION_FIRST);
    RACE(write_of_other_thread_after_wait, OPERATION_FIRST);
    FREE(write_after_wait_and_barrier);
    RACE(wait_for_reads_only, OPERATION_FIRST);
    RACE(two_writes_at_once, OPERATION_FIRST);
    FREE(one_write_at_two_times);
}

TEST(those_who_acquire_an_mbarrier_see_the_operations_that_signal_it)
{
    FREE(read_after_acquire);
    RACE(read_without_acquire, OPERATION_FIRST);
    RACE(load_over_read, OPERATION_SECOND);
    FREE(load_after_read);
    RACE(async_store_without_fence, READ_UNFENCED);
    FREE(async_store_with_fence);
}

/* ---- mbarrier.init ---- */

static void init_and_signal(unsigned int covered)
{
    struct race_operation operation;

    writes(0, 0, in_shared(0, 7));
    fence_proxy(0, 0, covered);
    barrier(0);
    operation = issue(0, 32, ACCESS_ASYNC);
    load_to(&operation, 0, 1);
    waits(0, 32, in_shared(0, 7), SIMT_BLOCK);
}

static void init_without_fence(void)
{
    init_and_signal(0);
}

static void init_by_issuer(void)
{
    struct race_operation operation;

    writes(0, 32, in_shared(0, 7));
    operation = issue(0, 32, ACCESS_ASYNC);
    load_to(&operation, 0, 1);
    waits(0, 32, in_shared(0, 7), SIMT_BLOCK);
}

static void init_with_fence_of_init(void)
{
    init_and_signal(SIMT_COVERS_INIT);
}

static void init_with_proxy_fence(void)
{
    init_and_signal(SIMT_COVERS_SHARED);
}

/* A relaxed cluster barrier after the fence lets the other block use the mbarrier. */
static void init_for_cluster(unsigned int covered)
{
    writes(0, 0, in_shared(0, 7));
    fence_proxy(0, 0, covered);
    cluster_barrier(0, 1, false);
    updates(1, 0, in_shared(0, 7), SIMT_CLUSTER, SIMT_RELEASE);
    waits(0, 32, in_shared(0, 7), SIMT_CLUSTER);
}

static void init_for_cluster_without_fence(void)
{
    init_for_cluster(0);
}

static void init_for_cluster_with_fence(void)
{
    init_for_cluster(SIMT_COVERS_INIT);
}

/* The fence for initializations orders no other writes. */
static void data_with_fence_of_init(void)
{
    writes(0, 0, in_shared(0, 1));
    fence_proxy(0, 0, SIMT_COVERS_INIT);
    cluster_barrier(0, 1, false);
    reads(1, 0, in_shared(0, 1));
    cluster_barrier(0, 1, true);
}

/* Two threads, of which one updates a word and the other reads it. */
static void update_and_read(unsigned int mark)
{
    race_strong(&blocks[0], 0, in_shared(0, 7), 8, ACCESS_ATOMIC | mark, SIMT_CLUSTER, SIMT_RELEASE,
                step(0, 0));
    race_strong(&blocks[0], 32, in_shared(0, 7), 8, ACCESS_READ | mark, SIMT_CLUSTER, SIMT_RELAXED,
                step(0, 32));
}

static void strong_accesses(void)
{
    update_and_read(0);
}

static void operations_on_mbarrier(void)
{
    update_and_read(ACCESS_VOLATILE);
}

TEST(order_of_operations_on_an_mbarrier_does_not_matter)
{
    FREE(strong_accesses);
    assert_int_equal(unordered, 1);
    FREE(operations_on_mbarrier);
    assert_int_equal(unordered, 0);
}

TEST(mbarrier_needs_a_fence_after_its_initialization)
{
    RACE(init_without_fence, SIGNAL_UNFENCED);
    FREE(init_by_issuer);
    FREE(init_with_fence_of_init);
    FREE(init_with_proxy_fence);
    for (int m = 0; m < MODELS; m++)
        assert_int_equal(count_races(init_for_cluster_without_fence, (enum model)m), 2);
    FREE(init_for_cluster_with_fence);
    RACE(data_with_fence_of_init, NO_CLUSTER_BARRIER);
}

/* ---- The invalidation of an mbarrier ---- */

static void uses_mbarrier(uint32_t thread, unsigned int kind)
{
    race_strong(&blocks[0], thread, in_shared(0, 7), 8, kind | ACCESS_VOLATILE, SIMT_CLUSTER,
                SIMT_RELAXED, step(0, thread));
}

static void invalidates(uint32_t thread)
{
    access_word(0, thread, in_shared(0, 7), ACCESS_WRITE | ACCESS_INVALIDATES);
}

/* Lanes 0 and 1 meet. */
static void matches(void)
{
    race_match(&blocks[0], 0, 3);
}

static void arrival_and_match(void)
{
    uses_mbarrier(1, ACCESS_READ);
    uses_mbarrier(1, ACCESS_ATOMIC);
    matches();
}

static void inval_after_match(void)
{
    arrival_and_match();
    invalidates(0);
}

static void inval_without_match(void)
{
    uses_mbarrier(1, ACCESS_ATOMIC);
    invalidates(0);
}

static void wait_and_inval_without_match(void)
{
    uses_mbarrier(1, ACCESS_READ);
    invalidates(0);
}

static void arrival_after_match(void)
{
    matches();
    inval_without_match();
}

static void arrival_outside_of_mask(void)
{
    uses_mbarrier(2, ACCESS_ATOMIC);
    matches();
    invalidates(0);
}

static void arrival_of_other_warp(void)
{
    uses_mbarrier(32, ACCESS_ATOMIC);
    matches();
    invalidates(0);
}

static void inval_by_other_warp(void)
{
    uses_mbarrier(1, ACCESS_ATOMIC);
    matches();
    invalidates(32);
}

/* Lane 1 arrives after another thread, but knows nothing of it. */
static void arrival_before_that_of_lane(void)
{
    uses_mbarrier(2, ACCESS_ATOMIC);
    arrival_and_match();
    invalidates(0);
}

static void arrival_that_lane_knows(void)
{
    uses_mbarrier(32, ACCESS_ATOMIC);
    passes_on(0, 32, 1);
    matches();
    race_match(&blocks[0], 0, 5);
    invalidates(2);
}

static void inval_by_other_warp_that_knows(void)
{
    arrival_and_match();
    passes_on(0, 0, 64);
    updates(0, 64, in_global(1), SIMT_DEVICE, SIMT_RELEASE);
    waits(0, 32, in_global(1), SIMT_DEVICE);
    invalidates(32);
}

static void other_warp_knew_before_match(void)
{
    uses_mbarrier(1, ACCESS_ATOMIC);
    passes_on(0, 0, 32);
    matches();
    invalidates(32);
}

static void plain_store_after_match(void)
{
    uses_mbarrier(1, ACCESS_ATOMIC);
    matches();
    writes(0, 0, in_shared(0, 7));
}

static void inval_after_plain_read(void)
{
    reads(0, 1, in_shared(0, 7));
    matches();
    invalidates(0);
}

static void inval_after_atomic(void)
{
    updates(0, 1, in_shared(0, 7), SIMT_DEVICE, SIMT_RELAXED);
    matches();
    invalidates(0);
}

static void data_after_match(void)
{
    writes(0, 1, in_shared(0, 1));
    arrival_and_match();
    invalidates(0);
    reads(0, 0, in_shared(0, 1));
}

TEST(match_orders_only_operations_on_an_mbarrier_before_its_invalidation)
{
    static scenario *const racing[] = {
        inval_without_match,     wait_and_inval_without_match, arrival_after_match,
        arrival_outside_of_mask, arrival_before_that_of_lane,  arrival_of_other_warp,
        inval_by_other_warp,     other_warp_knew_before_match, plain_store_after_match,
        inval_after_plain_read,  inval_after_atomic,           data_after_match};

    FREE(inval_after_match);
    FREE(arrival_that_lane_knows);
    FREE(inval_by_other_warp_that_knows);
    for (size_t k = 0; k < sizeof racing / sizeof *racing; k++)
        for (int m = 0; m < MODELS; m++)
            if (count_races(racing[k], (enum model)m) != 1)
                fail_msg("scenario %zu has no race", k);
}

/* ---- Cluster scope ---- */

static void atomics_in_cluster(void)
{
    updates(0, 0, in_global(1), SIMT_CLUSTER, SIMT_RELAXED);
    updates(1, 0, in_global(1), SIMT_CLUSTER, SIMT_RELAXED);
}

static void atomics_of_two_clusters(void)
{
    updates(0, 0, in_global(1), SIMT_CLUSTER, SIMT_RELAXED);
    updates(2, 0, in_global(1), SIMT_CLUSTER, SIMT_RELAXED);
}

static void atomic_of_block_in_cluster(void)
{
    updates(0, 0, in_global(1), SIMT_CLUSTER, SIMT_RELAXED);
    updates(1, 0, in_global(1), SIMT_BLOCK, SIMT_RELAXED);
}

/* Thread 0 of block 0 hands word 1 on to a block by word 2. */
static void hand_on(uint32_t to, enum simt_scope released, enum simt_scope acquired)
{
    writes(0, 0, in_global(1));
    updates(0, 0, in_global(2), released, SIMT_RELEASE);
    updates(to, 0, in_global(2), acquired, SIMT_ACQUIRE);
    reads(to, 0, in_global(1));
}

static void release_in_cluster(void)
{
    hand_on(1, SIMT_CLUSTER, SIMT_DEVICE);
}

static void release_to_other_cluster(void)
{
    hand_on(2, SIMT_CLUSTER, SIMT_DEVICE);
}

static void acquire_of_other_cluster(void)
{
    hand_on(2, SIMT_DEVICE, SIMT_CLUSTER);
}

/* The wide read finds what was released, but the acquire after it is too narrow. It does not race
 * itself, because it comes after the wide read (PTX ISA, causality order). */
static void narrow_acquire_after_a_wide_read(void)
{
    writes(0, 0, in_global(1));
    updates(0, 0, in_global(2), SIMT_DEVICE, SIMT_RELEASE);
    race_strong(&blocks[2], 0, in_global(2), 8, ACCESS_READ, SIMT_DEVICE, SIMT_RELAXED, step(2, 0));
    waits(2, 0, in_global(2), SIMT_CLUSTER);
    reads(2, 0, in_global(1));
}

static void release_in_block(void)
{
    hand_on(1, SIMT_BLOCK, SIMT_DEVICE);
}

static void fences(uint32_t to, enum simt_scope first, enum simt_scope second)
{
    writes(0, 0, in_global(1));
    race_fence(&blocks[0], 0, first, SIMT_ACQ_REL);
    updates(0, 0, in_global(2), SIMT_DEVICE, SIMT_RELAXED);
    updates(to, 0, in_global(2), SIMT_DEVICE, SIMT_RELAXED);
    race_fence(&blocks[to], 0, second, SIMT_ACQ_REL);
    reads(to, 0, in_global(1));
}

static void fences_in_cluster(void)
{
    fences(1, SIMT_CLUSTER, SIMT_CLUSTER);
}

static void fences_of_two_clusters(void)
{
    fences(2, SIMT_CLUSTER, SIMT_DEVICE);
}

static void fence_of_block_in_cluster(void)
{
    fences(1, SIMT_DEVICE, SIMT_BLOCK);
}

/* What thread 1 knows of thread 0 from the barrier is newer than what it knows from __syncwarp().
 */
static void handed_on_after_syncwarp_and_barrier(void)
{
    race_sync_warp(&blocks[0], 0, 3);
    writes(0, 0, in_global(0));
    cluster_barrier(0, 1, true);
    race_strong(&blocks[0], 1, in_global(1), 8, ACCESS_WRITE, SIMT_DEVICE, SIMT_RELEASE,
                step(0, 1));
    waits(2, 0, in_global(1), SIMT_DEVICE);
    writes(2, 0, in_global(0));
}

TEST(cluster_scope_includes_the_blocks_of_one_cluster)
{
    FREE(handed_on_after_syncwarp_and_barrier);
    FREE(atomics_in_cluster);
    RACE(atomics_of_two_clusters, ATOMICS_OF_SCOPES);
    RACE(atomic_of_block_in_cluster, ATOMICS_OF_SCOPES);
    FREE(release_in_cluster);
    for (int m = 0; m < MODELS; m++) {
        assert_int_equal(count_races(release_to_other_cluster, (enum model)m), 2);
        assert_int_equal(count_races(acquire_of_other_cluster, (enum model)m), 2);
        assert_int_equal(count_races(narrow_acquire_after_a_wide_read, (enum model)m), 1);
        assert_int_equal(count_races(release_in_block, (enum model)m), 2);
    }
    FREE(fences_in_cluster);
    RACE(fences_of_two_clusters, NO_GRID_ORDER);
    RACE(fence_of_block_in_cluster, NO_CLUSTER_BARRIER);
}

/* ---- Shared memory of another block ---- */

static void own_words_at_one_address(void)
{
    writes(0, 0, in_shared(0, 1));
    writes(1, 0, in_shared(1, 1));
}

static void write_to_other_block(void)
{
    writes(0, 0, in_shared(0, 1));
    writes(1, 0, in_shared(0, 1));
    cluster_barrier(0, 1, true);
}

static void barrier_between(bool releases, bool fences)
{
    writes(0, 0, in_shared(0, 1));
    if (fences)
        race_fence(&blocks[0], 0, SIMT_CLUSTER, SIMT_ACQ_REL);
    cluster_barrier(0, 1, releases);
    reads(1, 0, in_shared(0, 1));
}

static void released_barrier(void)
{
    barrier_between(true, false);
}

static void relaxed_barrier(void)
{
    barrier_between(false, false);
}

static void fence_and_relaxed_barrier(void)
{
    barrier_between(false, true);
}

static void write_between_arrival_and_wait(void)
{
    struct race_meeting meeting = {.before = NULL};

    race_arrive_in_cluster(&blocks[0], 0, &meeting, true);
    writes(0, 0, in_shared(0, 1));
    race_arrive_in_cluster(&blocks[1], 0, &meeting, true);
    race_leave(&blocks[1], 0, &meeting);
    reads(1, 0, in_shared(0, 1));
}

/* Releases at one address of two blocks do not mix. */
static void release_at_other_blocks_word(void)
{
    writes(0, 0, in_global(1));
    updates(0, 0, in_shared(0, 2), SIMT_CLUSTER, SIMT_RELEASE);
    waits(1, 0, in_shared(1, 2), SIMT_CLUSTER);
    reads(1, 0, in_global(1));
}

static void release_at_this_blocks_word(void)
{
    writes(0, 0, in_global(1));
    updates(0, 0, in_shared(1, 2), SIMT_CLUSTER, SIMT_RELEASE);
    waits(1, 0, in_shared(1, 2), SIMT_CLUSTER);
    reads(1, 0, in_global(1));
}

static void multicast(uint32_t reader)
{
    struct race_operation operation = issue(0, 0, ACCESS_ASYNC);

    load_to(&operation, 0, 1);
    load_to(&operation, 1, 1);
    waits(reader, 0, in_shared(reader, 7), SIMT_BLOCK);
    reads(1, 0, in_shared(1, 1));
}

static void multicast_with_wait(void)
{
    multicast(1);
}

static void multicast_without_wait(void)
{
    multicast(0);
}

TEST(blocks_of_a_cluster_share_their_shared_memory)
{
    FREE(own_words_at_one_address);
    RACE(write_to_other_block, NO_CLUSTER_BARRIER);
    FREE(released_barrier);
    RACE(relaxed_barrier, NO_CLUSTER_BARRIER);
    FREE(fence_and_relaxed_barrier);
    RACE(write_between_arrival_and_wait, NO_CLUSTER_BARRIER);
    RACE(release_at_other_blocks_word, NO_CLUSTER_BARRIER);
    FREE(release_at_this_blocks_word);
    FREE(multicast_with_wait);
    RACE(multicast_without_wait, OPERATION_FIRST);
}

/* ---- The end of a block ---- */

static void read_of_other_block(bool waits, bool ends_first)
{
    writes(0, 0, in_shared(0, 1));
    cluster_barrier(0, 1, true);
    if (ends_first)
        exits(0);
    reads(1, 0, in_shared(0, 1));
    if (waits)
        cluster_barrier(0, 1, true);
    if (!ends_first)
        exits(0);
}

static void end_after_barrier(void)
{
    read_of_other_block(true, false);
}

static void end_without_barrier(void)
{
    read_of_other_block(false, false);
}

static void read_after_end(void)
{
    read_of_other_block(false, true);
}

static void store_and_end(bool waits)
{
    struct race_operation operation;

    writes(0, 0, in_shared(0, 1));
    fence_proxy(0, 0, all);
    operation = issue(0, 0, ACCESS_ASYNC);
    copy(&operation, RACE_BULK_READS, in_shared(0, 1), ACCESS_READ);
    if (waits)
        wait_for(0, RACE_BULK_READS, &operation);
    exits(0);
}

static void end_after_wait(void)
{
    store_and_end(true);
}

static void end_without_wait(void)
{
    store_and_end(false);
}

TEST(shared_memory_of_a_block_ends_with_the_block)
{
    FREE(end_after_barrier);
    RACE(end_without_barrier, BLOCK_DOES_NOT_WAIT);
    RACE(read_after_end, BLOCK_DOES_NOT_WAIT);
    assert_int_equal(races[0].first.access, ACCESS_EXIT);
    FREE(end_after_wait);
    RACE(end_without_wait, BLOCK_LEAVES_OPERATION);
}

/* ---- Reports ---- */

TEST(report_names_the_thread_that_issued_an_operation)
{
    RACE(multicast_without_wait, OPERATION_FIRST);
    assert_int_equal(races[0].first.block.x, 0);
    assert_int_equal(races[0].first.number, 0);
    assert_int_equal(races[0].first.access, ACCESS_WRITE | ACCESS_ASYNC);
    assert_int_equal(races[0].second.block.x, 1);
    RACE(no_proxy_fence, READ_UNFENCED);
    assert_int_equal(races[0].second.number, 32);
    assert_int_equal(races[0].second.access, ACCESS_READ | ACCESS_ASYNC);
    RACE(atomics_of_two_clusters, ATOMICS_OF_SCOPES);
    assert_string_equal(races[0].first.scope, "cluster");
}

/* ---- Many readers of one word ---- */

/* All threads of a block load the word with ld.volatile, and update it if `atomics`. */
static void all_use(uint32_t block, bool atomics)
{
    const struct simt_place *load = next_place(), *update = next_place();

    for (uint32_t t = 0; t < THREADS; t++) {
        blocks[block].threads[t].time++;
        race_access(&blocks[block], t, in_global(0), 8, ACCESS_VOLATILE, load);
        if (atomics)
            race_strong(&blocks[block], t, in_global(0), 8, ACCESS_ATOMIC, SIMT_DEVICE,
                        SIMT_RELAXED, update);
    }
}

static void many_before_a_barrier(void)
{
    for (int k = 0; k < 3; k++)
        all_use(0, true);
    barrier(0);
    writes(0, 5, in_global(0));
}

static void one_of_many_in_another_block(void)
{
    for (int k = 0; k < 3; k++)
        all_use(0, true);
    barrier(0);
    reads(2, 7, in_global(0));
    writes(0, 5, in_global(0));
}

static void loads_and_updates_of_all_blocks(void)
{
    for (uint32_t b = 0; b < BLOCKS; b++)
        all_use(b, false);
    all_use(0, true);
    for (int k = 0; k < 40; k++)
        updates(1, 0, in_global(0), SIMT_DEVICE, SIMT_RELAXED);
}

static void read_after_updates_of_all_blocks(void)
{
    all_use(0, true);
    all_use(1, true);
    race_barrier(&blocks[0], false);
    race_barrier(&blocks[1], false);
    reads(0, 3, in_global(0));
}

/* A list of many readers gives the same races as a short one. */
TEST(many_readers)
{
    FREE(many_before_a_barrier);
    assert_int_equal(count_races(one_of_many_in_another_block, MODEL_INDEPENDENT), 2);
    assert_int_equal(races[1].first.block.x, 2); /* the first race is its read, after updates */
    assert_int_equal(races[1].first.number, 7);
    FREE(loads_and_updates_of_all_blocks);
    assert_true(unordered > 0);
    RACE(read_after_updates_of_all_blocks, NO_CLUSTER_BARRIER_ATOMIC);
    assert_int_equal(races[0].first.block.x, 1);
}

static int set_up(void **state)
{
    (void)state;
    places = places_take(PLACES);
    for (int k = 0; places != NULL && k < PLACES; k++)
        places[k] = (struct simt_place){.site = {.file = "rules.cu"}, .element = 4};
    return places == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    for (int b = 0; b < BLOCKS; b++)
        race_free_block(&blocks[b]);
    race_close();
    return 0;
}

TEST_MAIN("race_rules", set_up, tear_down)
