/* SPDX-License-Identifier: MIT
 *
 * Functions of the CUDA runtime that kernels can call: printf, assertions, malloc, nested launches.
 */
#include "library.h"

#include "access.h"
#include "faults.h"
#include "grids.h"
#include "heap.h"
#include "modules.h"
#include "nested.h"
#include "places.h"
#include "policy.h"
#include "undefined.h"

#include "input_values.h"
#include "libdevice.h"
#include "outcome.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The errors are the CUDA runtime's numbers. MAX_OUTPUT limits the output in bytes. */
enum { ERROR_MEMORY_ALLOCATION = 2, ERROR_SYNC_DEPTH = 68, MAX_OUTPUT = 1 << 20 };

/* Copies a lane's parameter of the call to *value. */
static void parameter(const struct warp *warp, const struct frame *frame, const struct op *op,
                      uint32_t k, uint32_t lane, void *value)
{
    const struct call_variable *variable = &op->call->parameters[k];

    memcpy(value,
           variable->is_local ? warp->local[lane].bytes + frame->local + variable->slot
                              : frame->slots + variable->slot + lane * variable->bytes,
           variable->bytes);
}

static uint64_t word(const struct warp *warp, const struct frame *frame, const struct op *op,
                     uint32_t k, uint32_t lane)
{
    uint64_t value = 0;

    parameter(warp, frame, op, k, lane, &value);
    return value;
}

static void give_result(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lane,
                        uint64_t value)
{
    const struct call_variable *result = op->call->results;

    if (op->call->result_count == 0)
        return;
    memcpy(result->is_local ? warp->local[lane].bytes + frame->local + result->slot
                            : frame->slots + result->slot + lane * result->bytes,
           &value, result->bytes);
    if (result->is_local)
        memset(warp->local[lane].written + frame->local + result->slot, 1, result->bytes);
    else
        head_of(frame->slots, result->slot)->undefined &= ~(UINT32_C(1) << lane);
}

/* Raises a fault if the first parameter is undefined. */
static void use_parameter(const struct frame *frame, const struct op *op, uint32_t lane,
                          const char *use)
{
    const struct call_variable *first = op->call->parameters;

    if (!first->is_local)
        use_undefined(frame->slots, first->slot, UINT32_C(1) << lane, use);
}

/* ---- Text ---- */

/* Raises a fault if the value that is printed is in unwritten local memory. */
static void use_printed(const struct warp *warp, uint32_t lane, const char *from, uint32_t bytes)
{
    const struct lane_memory *local = &warp->local[lane];

    if (is_checked(warp->block) && from >= local->bytes && from < local->bytes + local->size &&
        memchr(local->written + (from - local->bytes), 0, bytes) != NULL)
        use_unwritten(lane, &(struct facts){.sentence = SAYS_PRINT_UNWRITTEN});
}

/* Reads a byte of a string as the thread does, so that races and unwritten bytes are found. */
static void read_printed(struct warp *warp, const struct frame *frame,
                         const struct simt_place *place, uint32_t lane, uint64_t address)
{
    const struct op read = {.space = SPACE_GENERIC, .a = 1, .bytes = 1, .count = 1, .place = place};
    struct region *region;
    const char *at = access_lane(warp, frame, &read, lane, address, &region);

    if (region != NULL && region->missing != 0 && !region->written[at - region->host] &&
        is_checked(warp->block))
        use_unwritten(lane, &(struct facts){.sentence = SAYS_PRINT_UNWRITTEN});
}

/* Copies a string from memory that the kernel may read, at most `size` - 1 bytes. `place`: of the
 * call that prints it; null: it is a format. */
static void copy_text(struct warp *warp, const struct frame *frame, const struct simt_place *place,
                      uint32_t lane, char *text, size_t size, uint64_t address)
{
    size_t length = 0;
    const char *at;

    for (; length + 1 < size; length++) {
        at = readable_text(warp, frame, lane, address + length, 1);
        if (at == NULL)
            raise_fault(FAULT_OUT_OF_BOUNDS_READ, lane, SAYS_PRINT_TEXT);
        use_printed(warp, lane, at, 1);
        if (place != NULL)
            read_printed(warp, frame, place, lane, address + length);
        if (*at == '\0')
            break;
        text[length] = *at;
    }
    text[length] = '\0';
}

/* Prints a text, or adds it to the digest of what is printed. */
__attribute__((format(printf, 2, 3))) static void print_text(uint32_t lane, const char *format, ...)
{
    uint64_t *digest = &policy.digests[policy.allowed];
    va_list values;
    char *text;
    int length;

    va_start(values, format);
    length = vasprintf(&text, format, values);
    va_end(values);
    if (length < 0)
        raise_out_of_memory(lane);
    if (policy.output != NULL)
        fwrite(text, 1, (size_t)length, policy.output);
    for (int k = 0; k < length && policy.output == NULL; k++)
        *digest = values_hash(*digest, (unsigned char)text[k]);
    free(text);
    policy.printed += (uint64_t)length;
    if (policy.printed > MAX_OUTPUT)
        raise_fault(FAULT_UNEXPECTED_OUTPUT, lane, SAYS_PRINTS_TOO_MUCH, .numbers = {MAX_OUTPUT});
}

/* Returns the length of one conversion of a format, starting at its %. */
static size_t conversion_length(const char *format)
{
    size_t length = 1 + strspn(format + 1, "-+ #0123456789.*hlLqjzt");

    return format[length] != '\0' ? length + 1 : length;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
/* Prints one conversion with its value at *address, which is aligned to its size: CUDA C++
 * Programming Guide, formatted output. */
static void print_conversion(struct warp *warp, const struct frame *frame,
                             const struct simt_place *place, uint32_t lane, const char *conversion,
                             uint64_t *address)
{
    size_t length = strlen(conversion);
    char kind = conversion[length - 1];
    bool is_float = strchr("aAeEfFgG", kind) != NULL, is_text = kind == 's';
    bool is_long = is_float || is_text || kind == 'p' || strchr(conversion, 'l') != NULL ||
                   strchr(conversion, 'j') != NULL || strchr(conversion, 'z') != NULL ||
                   strchr(conversion, 't') != NULL;
    uint32_t size = is_long ? 8 : 4;
    const char *from, *point = strchr(conversion, '.');
    uint64_t value = 0, precision;
    char text[512];
    double real;

    if (length > 40 || strchr(conversion, '*') != NULL) {
        snprintf(text, sizeof text, "%.20s", conversion);
        raise_fault(FAULT_UNSUPPORTED, lane, SAYS_PRINT_CONVERSION, .object = text);
    }
    *address = (*address + size - 1) / size * size;
    from = readable_text(warp, frame, lane, *address, size);
    if (from == NULL)
        raise_fault(FAULT_OUT_OF_BOUNDS_READ, lane, SAYS_PRINT_VALUES);
    use_printed(warp, lane, from, size);
    memcpy(&value, from, size);
    *address += size;
    if (is_text) {
        precision = point != NULL ? strtoul(point + 1, NULL, 10) : sizeof text;
        copy_text(warp, frame, place, lane, text,
                  precision < sizeof text ? precision + 1 : sizeof text, value);
        print_text(lane, conversion, text);
    } else if (is_float) {
        memcpy(&real, &value, sizeof real);
        print_text(lane, conversion, real);
    } else if (kind == 'p') {
        print_text(lane, conversion, (void *)(uintptr_t)value);
    } else if (is_long) {
        print_text(lane, conversion, value);
    } else {
        print_text(lane, conversion, (uint32_t)value);
    }
}
#pragma GCC diagnostic pop

/* Returns the allowance for what that call prints, or MAX_ALLOWED. */
static uint32_t print_allowance(const struct op *op)
{
    char line[SOURCE_LINE];

    if (!allowance_has(machine.allowed, ALLOWED_PRINTS))
        return MAX_ALLOWED;
    source_text(op->place, line);
    return allowance_find(machine.allowed, ALLOWED_PRINTS, line);
}

/* Returns the number of values that it printed. */
static uint32_t print(struct warp *warp, const struct frame *frame, const struct op *op,
                      uint32_t lane)
{
    uint64_t values = word(warp, frame, op, 1, lane);
    char text[1024], piece[1024];
    uint32_t count = 0;

    if (policy.output == NULL && machine.allowed == NULL)
        raise_fault(FAULT_UNEXPECTED_OUTPUT, lane, SAYS_PRINTS);
    policy.allowed = print_allowance(op);
    if (policy.allowed == MAX_ALLOWED && policy.prints == NULL)
        policy.prints = op->place;
    copy_text(warp, frame, NULL, lane, text, sizeof text, word(warp, frame, op, 0, lane));
    for (const char *at = text; *at != '\0';) {
        size_t length = *at == '%' ? conversion_length(at) : strcspn(at, "%");
        snprintf(piece, sizeof piece, "%.*s", (int)length, at);
        if (*at != '%')
            print_text(lane, "%s", piece);
        else if (strcmp(piece, "%%") == 0)
            print_text(lane, "%%");
        else {
            print_conversion(warp, frame, op->place, lane, piece, &values);
            count++;
        }
        at += length;
    }
    return count;
}

/* ---- Nested launches ---- */

static uint64_t parameter_buffer(struct warp *warp, const struct frame *frame, const struct op *op,
                                 uint32_t lane)
{
    struct child *child = warp->children[lane];
    const struct function_code *code;

    if (child == NULL)
        child = warp->children[lane] = malloc(sizeof *child);
    if (child == NULL)
        raise_out_of_memory(lane);
    parameter(warp, frame, op, 0, lane, &child->function);
    code = modules_function_at(child->function);
    if (code != NULL)
        memset(child->parameters, 0, code->parameter_bytes);
    parameter(warp, frame, op, 1, lane, &child->grid);
    parameter(warp, frame, op, 2, lane, &child->block);
    parameter(warp, frame, op, 3, lane, &child->shared_bytes);
    return CHILD_WINDOW_BASE;
}

static uint64_t launch(struct warp *warp, const struct frame *frame, const struct op *op,
                       uint32_t lane)
{
    uint64_t stream = word(warp, frame, op, 1, lane);

    if (word(warp, frame, op, 0, lane) != CHILD_WINDOW_BASE || warp->children[lane] == NULL)
        raise_fault(FAULT_UNSUPPORTED, lane, SAYS_NO_PARAMETER_BUFFER);
    if (stream != 0 && stream != STREAM_TAIL && stream != STREAM_FIRE_AND_FORGET &&
        stream < FIRST_CREATED_STREAM)
        raise_fault(FAULT_UNSUPPORTED, lane, SAYS_NO_STREAM, .numbers = {(int64_t)stream});
    return (uint64_t)nested_launch(warp, lane, warp->children[lane], stream);
}

/* cudaDeviceSynchronize(): returns an error if the lane may not wait, and 0 otherwise. */
static uint64_t wait_error(struct warp *warp, uint32_t lane)
{
    const struct block *block = warp->block;

    if (grids.totals.waited == NULL)
        grids.totals.waited = machine.op->place;
    if (policy.nesting.profile != PROFILE_CDP1)
        raise_fault(FAULT_UNSUPPORTED, lane, SAYS_NO_DEVICE_WAIT);
    if (block->grid->depth < policy.nesting.wait_depth)
        return 0;
    warp->errors[lane] = ERROR_SYNC_DEPTH;
    record_fault_of(FAULT_CHILD_LAUNCH, block, warp->number * LANES + lane, machine.op->place,
                    SAYS_WAIT_DEPTH, .numbers = {ERROR_SYNC_DEPTH, policy.nesting.wait_depth});
    return ERROR_SYNC_DEPTH;
}

/* Returns false if the lanes must continue to wait. */
static bool device_wait(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes)
{
    const struct launcher *launcher = warp->block->launcher;

    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t error = wait_error(warp, lane);
        if (error == 0 && launcher != NULL && launcher->open > 0)
            return false;
        give_result(warp, frame, op, lane, error);
        if (launcher != NULL)
            nested_wait(warp->block, warp->number * LANES + lane);
        if (race_on && launcher != NULL)
            race_wait(&warp->block->race, warp->number * LANES + lane, &launcher->race);
    }
    return true;
}

static uint64_t assert_failed(struct warp *warp, const struct frame *frame, const struct op *op,
                              uint32_t lane)
{
    char text[96];

    copy_text(warp, frame, NULL, lane, text, sizeof text, word(warp, frame, op, 0, lane));
    raise_fault(FAULT_TRAP, lane, SAYS_ASSERTION, .reason = text);
}

/* ---- libdevice ---- */

struct device_call {
    struct warp *warp;
    const struct frame *frame;
    const struct op *op;
    uint32_t lane;
};

static char *device_access(const struct device_call *call, uint64_t address, uint32_t bytes,
                           uint8_t access)
{
    const struct op made = {.space = SPACE_GENERIC,
                            .a = 1,
                            .bytes = (uint8_t)bytes,
                            .count = 1,
                            .access = access,
                            .place = call->op->place};
    struct region *region;

    return access_lane(call->warp, call->frame, &made, call->lane, address, &region);
}

static bool device_load(void *context, uint64_t address, unsigned int bytes, uint64_t *bits)
{
    *bits = 0;
    memcpy(bits, device_access(context, address, bytes, ACCESS_READ), bytes);
    return true;
}

static uint64_t call_device(struct warp *warp, const struct frame *frame, const struct op *op,
                            uint32_t lane)
{
    struct device_call call = {warp, frame, op, lane};
    struct libdevice_stores stores = {.load = device_load, .context = &call};
    uint64_t arguments[4] = {0}, result = 0;

    for (uint32_t p = 0; p < op->call->parameter_count && p < 4; p++)
        arguments[p] = word(warp, frame, op, p, lane);
    if (op->exact != NULL)
        result = machine.floats->call(op, lane, arguments, &stores);
    else
        op->device->run(&result, arguments, &stores);
    for (unsigned int s = 0; s < stores.count; s++)
        memcpy(device_access(&call, stores.store[s].address, stores.store[s].bytes, ACCESS_WRITE),
               &stores.store[s].bits, stores.store[s].bytes);
    return result;
}

/* Stores 8 bytes at the address that is the first parameter of the call. */
static void store_at_first(struct warp *warp, const struct frame *frame, const struct op *op,
                           uint32_t lane, uint64_t value)
{
    struct device_call call = {warp, frame, op, lane};

    memcpy(device_access(&call, word(warp, frame, op, 0, lane), sizeof value, ACCESS_WRITE), &value,
           sizeof value);
}

/* cudaMalloc(). Returns its error. */
static uint64_t allocate(struct warp *warp, const struct frame *frame, const struct op *op,
                         uint32_t lane)
{
    uint64_t address = heap_allocate(warp, lane, word(warp, frame, op, 1, lane));

    store_at_first(warp, frame, op, lane, address);
    return address != 0 ? 0 : ERROR_MEMORY_ALLOCATION;
}

/* Makes the result undefined if an argument is undefined. */
static void carry_arguments(struct frame *frame, const struct op *op, uint32_t lanes)
{
    struct head result = {.bytes = ALL_BYTES};

    for (uint32_t p = 0; p < op->call->parameter_count; p++) {
        const struct call_variable *parameter = &op->call->parameters[p];
        const struct head *head = head_of(frame->slots, parameter->slot);
        if (parameter->is_local || !(head->undefined & lanes))
            continue;
        result.undefined |= head->undefined & lanes;
        result.origin = head->origin;
    }
    if (op->call->result_count == 0 || op->call->results[0].is_local)
        return;
    note_undefined(frame->slots, op->call->results[0].slot, result.undefined, &result);
}

bool call_library(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes)
{
    struct frame *frame = party->frame;

    if (op->what == LIBRARY_WAIT) {
        if (device_wait(warp, frame, op, lanes))
            return false;
        if (lanes != party->lanes) {
            part_party(warp, party, party->lanes & ~lanes, op + 1);
        }
        party->state = PARTY_SYNCING;
        return true;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t result = 0;
        switch ((enum library)op->what) {
        case LIBRARY_PRINTF:
            result = print(warp, frame, op, lane);
            break;
        case LIBRARY_ASSERT:
            result = assert_failed(warp, frame, op, lane);
            break;
        case LIBRARY_PARAMETERS:
            result = parameter_buffer(warp, frame, op, lane);
            break;
        case LIBRARY_LAUNCH:
            result = launch(warp, frame, op, lane);
            break;
        case LIBRARY_PEEK_ERROR:
            result = (uint64_t)warp->errors[lane];
            break;
        case LIBRARY_LAST_ERROR:
            result = (uint64_t)warp->errors[lane];
            warp->errors[lane] = 0;
            break;
        case LIBRARY_DEVICE:
            result = call_device(warp, frame, op, lane);
            break;
        case LIBRARY_MALLOC:
            use_parameter(frame, op, lane, "allocates memory of a size");
            result = heap_allocate(warp, lane, word(warp, frame, op, 0, lane));
            break;
        case LIBRARY_FREE:
            use_parameter(frame, op, lane, "frees an address");
            heap_free(warp, lane, word(warp, frame, op, 0, lane));
            break;
        case LIBRARY_CUDA_MALLOC:
            result = allocate(warp, frame, op, lane);
            break;
        case LIBRARY_CREATE_STREAM:
            store_at_first(warp, frame, op, lane, nested_create_stream());
            break;
        case LIBRARY_DESTROY_STREAM: /* Its grids go on. */
        case LIBRARY_WAIT:
            break;
        }
        give_result(warp, frame, op, lane, result);
    }
    if (op->what == LIBRARY_DEVICE) {
        carry_arguments(frame, op, lanes);
        return false;
    }
    if (machine.gives_way) {
        party->op = op + 1;
        if (lanes != party->lanes)
            part_party(warp, party, party->lanes & ~lanes, op + 1);
        return true;
    }
    return false;
}
