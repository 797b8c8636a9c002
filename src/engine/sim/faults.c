/* SPDX-License-Identifier: MIT */
#include "faults.h"

#include "places.h"

#include "source_path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct fault first, postponed;
static struct fault passed; /* the first after which a launch went on */

void reset_fault(void)
{
    first = postponed = (struct fault){0};
}

void postpone_fault(void)
{
    postponed = postponed.kind == FAULT_NONE ? first : postponed;
    first = (struct fault){0};
}

void keep_postponed(bool finds_more)
{
    if (first.kind == FAULT_NONE && !finds_more)
        first = postponed;
}

const struct fault *recorded_fault(void)
{
    return first.kind != FAULT_NONE ? &first : NULL;
}

/* Returns the host's launch of the grid, or of its ancestor. */
static uint32_t launch_of(const struct grid *grid)
{
    while (grid->parent != NULL)
        grid = grid->parent;
    return (uint32_t)grid->serial;
}

static bool is_of(uint32_t launches, const struct block *block)
{
    return launches != 0 && (launches >> (machine.launch + launch_of(block->grid)) & 1);
}

bool is_checked(const struct block *block)
{
    return !is_of(machine.unchecked, block);
}

bool is_copy(const struct block *block)
{
    return is_of(machine.copies, block);
}

static void set_thread(const struct block *block, uint32_t thread)
{
    const struct extent *b = &block->grid->block;

    first.launch += launch_of(block->grid);
    first.has_thread = true;
    first.block = block->index;
    first.thread = (struct extent){thread % b->x, thread / b->x % b->y, thread / b->x / b->y};
    first.depth = block->grid->depth;
}

static void set_place(const struct simt_place *place, char *file, int *line, char *outer)
{
    if (place == NULL || place->site.line == 0)
        return;
    source_path_shorten(place->site.file, file, SOURCE_FILE);
    *line = place->site.line;
    source_outer(&place->site, outer, SOURCE_LINE);
}

static void set_text(char *text, size_t size, const char *from)
{
    if (from != NULL)
        snprintf(text, size, "%s", from);
}

/* Appends the calls that led to the lane's current function. */
static void add_calls(const struct frame *frame, char *outer, size_t size)
{
    size_t used = strlen(outer);

    for (; frame != NULL && frame->call != NULL && used < size; frame = frame->outer) {
        char file[SOURCE_FILE] = "", more[SOURCE_LINE] = "";
        size_t start = used;
        int line = 0;
        set_place(frame->call->place, file, &line, more);
        if (line == 0)
            continue;
        if (strcmp(file, first.file) == 0)
            file[0] = '\0'; /* as source_outer() does */
        used += (size_t)snprintf(outer + used, size - used, "%s%s:%d%s%s", used > 0 ? ", " : "",
                                 file, line, more[0] != '\0' ? ", " : "", more);
        if (used >= size)
            outer[start] = '\0';
    }
}

void record_facts(enum fault_kind kind, const struct block *block, uint32_t thread,
                  const struct simt_place *place, const struct facts *facts)
{
    if (first.kind != FAULT_NONE)
        return;
    first.kind = kind;
    first.launch = machine.launch;
    if (block != NULL)
        set_thread(block, thread);
    set_place(place, first.file, &first.line, first.outer);
    if (place != NULL)
        source_library(&place->site, first.library, sizeof first.library);
    first.sentence = facts->sentence;
    first.writes = facts->writes;
    first.bytes = facts->bytes;
    if (facts->element != NULL)
        first.element = *facts->element;
    if (facts->stored != NULL)
        first.stored = *facts->stored;
    set_text(first.element.array, sizeof first.element.array, facts->array);
    first.origin = facts->origin;
    set_text(first.object, sizeof first.object, facts->object);
    set_text(first.reason, sizeof first.reason, facts->reason);
    memcpy(first.numbers, facts->numbers, sizeof first.numbers);
    for (int k = 0; k < FAULT_PLACES; k++) {
        struct fault_place *other = &first.others[k];
        set_place(facts->others[k], other->file, &other->line, other->outer);
        other->threads = facts->threads != NULL ? facts->threads[k] : 0;
    }
    fault_render(&first);
}

void record_reason(enum fault_kind kind, const char *format, ...)
{
    char reason[sizeof first.reason];
    va_list values;

    va_start(values, format);
    vsnprintf(reason, sizeof reason, format, values);
    va_end(values);
    record_fault(kind, SAYS_REASON, .reason = reason);
}

_Noreturn void leave_faulty(void)
{
    longjmp(machine.out, 1);
}

/* Returns whether no line of the user's is known for the code. */
static bool is_in_library(const struct simt_place *place)
{
    return place != NULL && place->site.library == place->site.file &&
           place->site.library_line == place->site.line;
}

/* Moves the place of a fault in functions of a library to the user's call of them, if it is known.
 * Returns the frame of the function that has the place. */
static const struct frame *leave_library(const struct frame *frame)
{
    const struct simt_place *place = machine.op->place;
    const struct frame *left = frame;

    for (; is_in_library(place) && left != NULL && left->call != NULL; left = left->outer)
        place = left->call->place;
    if (is_in_library(place) || place->site.line == 0)
        return frame;
    set_place(place, first.file, &first.line, first.outer);
    return left;
}

/* Records a fault of a lane at the current op. */
static void record_at_op(enum fault_kind kind, uint32_t lane, const struct facts *facts)
{
    bool is_first = first.kind == FAULT_NONE;

    record_facts(kind, machine.block,
                 machine.warp != NULL ? machine.warp->number * LANES + lane : 0,
                 machine.op != NULL ? machine.op->place : NULL, facts);
    if (is_first && machine.warp != NULL && first.line != 0) {
        add_calls(leave_library(frame_of(machine.warp, lane)), first.outer, sizeof first.outer);
        fault_render(&first);
    }
}

_Noreturn void raise_facts(enum fault_kind kind, uint32_t lane, const struct facts *facts)
{
    record_at_op(kind, lane, facts);
    leave_faulty();
}

void leave_unwritten(void)
{
    if (!machine.goes_on || first.kind != FAULT_UNINITIALIZED_READ)
        leave_faulty();
    machine.unchecked |= UINT32_C(1) << first.launch;
    if (passed.kind == FAULT_NONE)
        passed = first;
    first = (struct fault){0};
}

void use_unwritten(uint32_t lane, const struct facts *facts)
{
    record_at_op(FAULT_UNINITIALIZED_READ, lane, facts);
    leave_unwritten();
}

struct fault take_passed_fault(void)
{
    struct fault taken = passed;

    passed = (struct fault){0};
    return taken;
}

_Noreturn void raise_out_of_memory(uint32_t lane)
{
    raise_fault(FAULT_CRASH, lane, SAYS_OUT_OF_MEMORY);
}
