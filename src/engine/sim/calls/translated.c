/* SPDX-License-Identifier: MIT
 *
 * What kernels from PTX call besides making accesses (simt_ptx.h).
 */
#include "barrier.h"
#include "budget.h"
#include "collective.h"
#include "fault.h"
#include "memory.h"
#include "modules.h"
#include "policy.h"
#include "schedule.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

void simt_call_entry(void (*function)(void), void *const *arguments)
{
    ((void (*)(void *const *))function)(arguments);
}

uint32_t simt_warp(void)
{
    return current.thread->number / SIMT_WARP_LANES;
}

uint64_t simt_clock(void)
{
    return budget_made();
}

uint32_t simt_dynamic_bytes(void)
{
    return current.block->grid->shared_bytes;
}

uint32_t simt_total_shared(void)
{
    return simt_dynamic_shared + current.block->grid->shared_bytes;
}

uint32_t simt_present(uint32_t mask)
{
    return mask & collective_present(current.block, simt_warp());
}

bool simt_is_shared(uint64_t address)
{
    return memory_is_shared(address);
}

bool simt_is_global(uint64_t address)
{
    return memory_is_global(address);
}

bool simt_is_local(uint64_t address)
{
    return stacks_has(address);
}

_Noreturn void simt_trap(const struct simt_place *place)
{
    fault_raise_at(FAULT_TRAP, &place->site, "comes to a trap");
}

uint64_t simt_callee(const struct simt_place *place, uint64_t function)
{
    if (function == 0)
        fault_raise_at(FAULT_TRAP, &place->site, "calls a function at address 0");
    return function;
}

/* ---- Local memory ---- */

void simt_enter_frame(struct simt_frame *frame)
{
    frame->outer = current.thread->frame;
    current.thread->frame = frame;
}

void simt_leave_frame(const struct simt_frame *frame)
{
    current.thread->frame = frame->outer;
}

void simt_check_private(const struct simt_place *place, uintptr_t address, size_t size, bool writes)
{
    memory_private(address, size, writes ? ACCESS_WRITE : ACCESS_READ, place);
}

/* ---- Text ---- */

/* A string in memory that the kernel may read, for a message; at the most `size` - 1 bytes. */
static void copy_text(char *text, size_t size, uint64_t address)
{
    size_t length = 0;

    while (length + 1 < size && memory_is_readable(address + length, 1) &&
           *(const char *)(uintptr_t)(address + length) != '\0') {
        text[length] = *(const char *)(uintptr_t)(address + length);
        length++;
    }
    text[length] = '\0';
}

_Noreturn void simt_assert_failed(const struct simt_place *place, uint64_t message, uint64_t file,
                                  uint32_t line, uint64_t function)
{
    char text[96];

    (void)file;
    (void)line;
    (void)function;
    copy_text(text, sizeof text, message);
    fault_raise_at(FAULT_TRAP, &place->site, "fails the assertion `%s`", text);
}

/* One conversion of a format, from its % on; how many characters it has. */
static size_t conversion_length(const char *format)
{
    size_t length = 1 + strspn(format + 1, "-+ #0123456789.*hlLqjzt");

    return format[length] != '\0' ? length + 1 : length;
}

/* Prints one conversion with its value, which lies at *address, at a multiple of its size: CUDA C++
 * Programming Guide, formatted output. */
static void print_conversion(const struct simt_place *place, const char *conversion,
                             uint64_t *address)
{
    size_t length = strlen(conversion);
    char kind = conversion[length - 1];
    bool is_float = strchr("aAeEfFgG", kind) != NULL, is_text = kind == 's';
    bool is_long = is_float || is_text || kind == 'p' || strchr(conversion, 'l') != NULL ||
                   strchr(conversion, 'j') != NULL || strchr(conversion, 'z') != NULL ||
                   strchr(conversion, 't') != NULL;
    size_t size = is_long ? 8 : 4;
    uint64_t value = 0;
    char text[512];
    double real;

    if (length > 40 || strchr(conversion, '*') != NULL)
        fault_raise_at(FAULT_UNSUPPORTED, &place->site, "prints by the conversion `%.20s`",
                       conversion);
    *address = (*address + size - 1) / size * size;
    if (!memory_is_readable(*address, size))
        fault_raise_at(FAULT_OUT_OF_BOUNDS_READ, &place->site, "prints more values than it has");
    memcpy(&value, (const void *)(uintptr_t)*address, size);
    *address += size;
    if (is_text) {
        copy_text(text, sizeof text, value);
        simt_printf(&place->site, conversion, text);
    } else if (is_float) {
        memcpy(&real, &value, sizeof real);
        simt_printf(&place->site, conversion, real);
    } else if (kind == 'p') {
        simt_printf(&place->site, conversion, (void *)(uintptr_t)value);
    } else if (is_long) {
        simt_printf(&place->site, conversion, value);
    } else {
        simt_printf(&place->site, conversion, (uint32_t)value);
    }
}

uint32_t simt_vprintf(const struct simt_place *place, uint64_t format, uint64_t values)
{
    char text[1024], piece[1024];
    uint32_t count = 0;

    copy_text(text, sizeof text, format);
    for (const char *at = text; *at != '\0';) {
        size_t length = *at == '%' ? conversion_length(at) : strcspn(at, "%");
        snprintf(piece, sizeof piece, "%.*s", (int)length, at);
        if (*at != '%')
            simt_printf(&place->site, "%s", piece);
        else if (strcmp(piece, "%%") == 0)
            simt_printf(&place->site, "%%");
        else {
            print_conversion(place, piece, &values);
            count++;
        }
        at += length;
    }
    return count;
}

/* ---- Nested launches ---- */

int simt_peek_error(void)
{
    return current.thread->error;
}

/* cudaStreamTailLaunch and cudaStreamFireAndForget are handles of these values (cuda_runtime). */
static enum simt_stream stream_of(const struct simt_place *place, uint64_t stream)
{
    switch (stream) {
    case 0:
        return SIMT_STREAM_NULL;
    case 3:
        return SIMT_STREAM_TAIL;
    case 4:
        return SIMT_STREAM_FIRE_AND_FORGET;
    default:
        fault_raise_at(FAULT_UNSUPPORTED, &place->site, "launches in a stream that it has made");
    }
}

uint32_t simt_launch_child(const struct simt_place *place, uint64_t parameters, uint64_t stream)
{
    struct simt_child *child =
        (struct simt_child *)(uintptr_t)(parameters - offsetof(struct simt_child, parameters));
    void (*function)(void) = (void (*)(void))(uintptr_t)child->function;
    const struct simt_entry *entry = modules_entry(function);
    void *arguments[MAX_ARGUMENTS];
    size_t sizes[MAX_ARGUMENTS];

    if (entry == NULL || entry->parameter_count > MAX_ARGUMENTS)
        fault_raise_at(FAULT_UNSUPPORTED, &place->site, "launches %s",
                       entry == NULL ? "what is no kernel of this program"
                                     : "a kernel of too many parameters");
    for (uint32_t p = 0; p < entry->parameter_count; p++) {
        arguments[p] = child->parameters + entry->parameter_offsets[p];
        sizes[p] = entry->parameter_bytes[p];
    }
    schedule_step(place);
    simt_launch_at(&place->site, function, simt_call_entry, &child->grid, &child->block,
                   child->shared_bytes, stream_of(place, stream), arguments, sizes,
                   entry->parameter_count);
    return (uint32_t)current.thread->error;
}

/* ---- Barriers with numbers ---- */

/* Threads that are expected at a barrier of the block: its count, or all that have not exited. */
static uint32_t expected(const struct numbered_barrier *barrier, const struct scheduler *scheduler)
{
    return barrier->count != 0 ? barrier->count : scheduler->threads - scheduler->exited;
}

/* Is it a barrier of all threads that have not exited, and who come wait there? Then it orders as a
 * __syncthreads() does; else what came before each of those who come is told to each who goes on.
 */
static bool is_of_all(const struct numbered_barrier *barrier)
{
    return barrier->count == 0;
}

/* Is it what __syncthreads_count() and its like are? All threads of the block come to one or none,
 * as to a __syncthreads(). */
static bool is_vote(const struct resident_block *block, const struct numbered_barrier *barrier)
{
    return barrier == block->barriers && barrier->aligned && is_of_all(barrier);
}

/* Tells those who wait there what those who have come did. */
static void release_waiters(struct resident_block *block, struct numbered_barrier *barrier)
{
    for (uint32_t t = 0; t < block->scheduler.threads; t++)
        if (block->threads[t].meets_at == barrier) {
            race_leave(&block->race, t, &barrier->came);
            block->threads[t].meets_at = NULL;
        }
    barrier->came = (struct race_meeting){.before = NULL};
}

static void complete(struct resident_block *block, struct numbered_barrier *barrier)
{
    if (is_vote(block, barrier) && block->scheduler.exited > 0 &&
        !barrier_nobody_passed(block, barrier->site))
        fiber_leave();
    if (race_on && is_of_all(barrier))
        race_barrier(&block->race, block->scheduler.exited > 0);
    barrier->rounds++;
    barrier->result = barrier->arrived << 16 | barrier->trues;
    if (race_on && !is_of_all(barrier))
        release_waiters(block, barrier);
    barrier->arrived = barrier->trues = 0;
    schedule_wake(block);
}

void numbered_barriers_exit(struct resident_block *block)
{
    for (int b = 0; b < NUMBERED_BARRIERS; b++) {
        struct numbered_barrier *barrier = &block->barriers[b];
        if (barrier->arrived > 0 && barrier->arrived >= expected(barrier, &block->scheduler))
            complete(block, barrier);
    }
}

void numbered_barriers_blame(const struct resident_block *block)
{
    for (int b = 0; b < NUMBERED_BARRIERS; b++)
        for (uint32_t t = 0; block->barriers[b].arrived > 0 && t < block->scheduler.threads; t++) {
            const struct thread *thread = &block->threads[t];
            if (thread->exited || thread->collective_site == NULL)
                continue;
            fault_record_of(block, thread, FAULT_DIVERGENT_BARRIER, thread->collective_site,
                            "waits at barrier %d for threads that do not come: %u of %u are there",
                            b, block->barriers[b].arrived,
                            expected(&block->barriers[b], &block->scheduler));
            return;
        }
}

static bool is_one_line(const struct simt_site *one, const struct simt_site *other)
{
    bool same_file = one->file == other->file || (one->file != NULL && other->file != NULL &&
                                                  strcmp(one->file, other->file) == 0);
    return one->line == other->line && same_file;
}

uint32_t simt_barrier(const struct simt_place *place, enum simt_arrival arrival, bool aligned,
                      uint32_t number, uint32_t count, bool vote)
{
    struct resident_block *block = current.block;
    struct numbered_barrier *barrier = &block->barriers[number % NUMBERED_BARRIERS];
    uint32_t round;

    if (number >= NUMBERED_BARRIERS || count % SIMT_WARP_LANES != 0)
        fault_raise_at(FAULT_DIVERGENT_BARRIER, &place->site,
                       "comes to barrier %u for %u threads: numbers end at 15, and counts are "
                       "multiples of 32",
                       number, count);
    schedule_step(place);
    if (barrier->arrived > 0 && (barrier->count != count || barrier->aligned != aligned))
        fault_raise_at(FAULT_DIVERGENT_BARRIER, &place->site,
                       "comes to barrier %u for %u threads, where others wait for %u", number,
                       count, barrier->count);
    if (barrier->arrived > 0 && is_vote(block, barrier) &&
        !is_one_line(barrier->site, &place->site))
        fault_raise_at(FAULT_DIVERGENT_BARRIER, &place->site,
                       "waits at a barrier of its block while others wait at another one, line %d",
                       barrier->site->line);
    if (barrier->arrived == 0)
        barrier->site = &place->site;
    round = barrier->rounds;
    barrier->count = count;
    barrier->aligned = aligned;
    barrier->arrived++;
    barrier->trues += vote;
    if (race_on && !is_of_all(barrier))
        race_arrive(&block->race, current.thread->number, &barrier->came);
    if (race_on && !is_of_all(barrier) && arrival != SIMT_ARRIVE)
        current.thread->meets_at = barrier;
    if (barrier->arrived >= expected(barrier, &block->scheduler))
        complete(block, barrier);
    if (arrival == SIMT_ARRIVE)
        return 0;
    current.thread->collective_site = &place->site;
    while (barrier->rounds == round)
        schedule_wait();
    current.thread->collective_site = NULL;
    return barrier->result;
}
