/* SPDX-License-Identifier: MIT
 *
 * An asynchronous operation is a thread of its own, with its number as the time. Its thread number
 * says how others learn that it is complete: there is one for each kind of completion and issuer,
 * and one for each mbarrier of the block. The operations of such a thread are not ordered with each
 * other, but they complete in order.
 */
#include "operations.h"

#include "access_order.h"
#include "places.h"
#include "releases.h"
#include "shadow.h"
#include "synchronization.h"

enum {
    FIRST_MBARRIER = SIMT_BLOCK_THREADS * (1 + RACE_WAITS),
    /* The epoch of an operation's access is later than all barriers. Its lower bits hold the
     * issuer's number, and the distance of its block from the one that the access belongs to. */
    THREAD_BITS = 10,
    MIDDLE = 1 << 15,
};
#define OPERATION_EPOCH (UINT32_C(1) << 31)
_Static_assert(1 << THREAD_BITS >= SIMT_BLOCK_THREADS, "a number for each thread");

static uint32_t last_number;

struct race_completion race_by_wait(enum race_wait wait, const struct race_block *block,
                                    uint32_t issuer)
{
    return (struct race_completion){block->serial,
                                    (uint16_t)(SIMT_BLOCK_THREADS * (1 + (uint32_t)wait) + issuer)};
}

struct race_completion race_by_mbarrier(const struct race_block *owner, uintptr_t address)
{
    uintptr_t offset = address - order_memory->shared_base;
    return (struct race_completion){owner->serial,
                                    (uint16_t)(FIRST_MBARRIER + offset / sizeof(uint64_t))};
}

struct race_operation race_issue(struct race_block *block, uint32_t warp, uint32_t lanes,
                                 unsigned int proxy)
{
    return (struct race_operation){
        .block = block->serial,
        .thread = warp * SIMT_WARP_LANES + (uint32_t)__builtin_ctz(lanes),
        .number = ++last_number,
        .rounds = block->threads[warp * SIMT_WARP_LANES + (uint32_t)__builtin_ctz(lanes)].rounds,
        .proxy = proxy,
        .before = order_all_before(block, warp, lanes),
    };
}

static uint32_t epoch_of(const struct race_operation *operation, struct race_completion completion)
{
    uint32_t distance = operation->block - completion.block + MIDDLE;

    return OPERATION_EPOCH | (distance < 2 * MIDDLE ? distance << THREAD_BITS : 0) |
           operation->thread;
}

uint32_t operation_block(const struct access *access)
{
    uint32_t distance = (access->epoch & ~OPERATION_EPOCH) >> THREAD_BITS;
    return distance == 0 ? access->block : access->block + distance - MIDDLE;
}

uint32_t operation_thread(const struct access *access)
{
    return access->epoch & (SIMT_BLOCK_THREADS - 1);
}

static void enter(const struct race_operation *operation, struct race_completion completion,
                  uintptr_t address, size_t size, unsigned int kind, unsigned int covered,
                  const void *place)
{
    struct access now = {
        .block = completion.block,
        .epoch = epoch_of(operation, completion),
        .time = operation->number,
        .place = (uint32_t)((const char *)place - source_base),
        .rounds = operation->rounds,
        .thread = completion.thread,
        .kind = (uint8_t)kind,
        .size = (uint8_t)(size < UINT8_MAX ? size : UINT8_MAX),
    };

    order_running.operation = operation;
    order_running.covered = covered;
    cells_enter(NULL, address, size, &now);
}

void race_operation_access(const struct race_operation *operation,
                           struct race_completion completion, uintptr_t address, size_t size,
                           unsigned int kind, enum simt_scope scope, const void *place)
{
    bool in_shared = address - order_memory->shared_base < order_memory->shared_size;

    if (order_is_lost)
        return;
    if (kind & ACCESS_ATOMIC)
        kind |= (unsigned int)scope << SCOPE_SHIFT;
    enter(operation, completion, address, size, kind | operation->proxy,
          in_shared ? COVERED_SHARED : COVERED_GLOBAL, place);
}

void race_signal(const struct race_operation *operation, uintptr_t address, const void *place)
{
    const struct race_block *owner = race_shared_owner;
    struct race_completion completion = race_by_mbarrier(owner, address);
    struct fact fact = {about_thread(completion.block, completion.thread), operation->number};
    const struct happens_before *complete = happens_before_make(NULL, &fact, 1);
    unsigned int kind = SIGNAL | (unsigned int)SIMT_CLUSTER << SCOPE_SHIFT | operation->proxy;
    uint64_t word = release_word(address); /* an mbarrier has 64 bits, too */

    if (order_is_lost)
        return;
    enter(operation, completion, address, sizeof word, kind, COVERED_INIT, place);
    releases_publish(word, sizeof word, release_to_block(owner->serial), complete);
    if (owner->cluster != 0)
        releases_publish(word, sizeof word, release_to_scope(owner, SIMT_CLUSTER), complete);
}

void race_waited(struct race_block *block, uint32_t thread, struct race_completion completion,
                 uint32_t number)
{
    struct fact fact = {about_thread(completion.block, completion.thread), number};

    order_learn(block, &block->threads[thread], happens_before_make(NULL, &fact, 1));
}

void operations_forget(void)
{
    last_number = 0;
}
