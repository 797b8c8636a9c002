/* SPDX-License-Identifier: MIT */
#include "bounded_operations.h"

#include "faults.h"
#include "store.h"
#include "undefined.h"

#include "input_values.h"
#include "lanes.h"
#include "libdevice.h"

#include <math.h>
#include <stdlib.h>

static const char option[] = "--reference double";

/* What the current result needs that is not known; null: nothing. */
static const char *refused;

static const char unknown_result[] = "a rounding of a float that an error may change",
                  unknown_sign[] = "the sign of a float that an error may change",
                  unknown_function[] = "a function without a known error bound";
const char unknown_comparison[] = "a comparison of floats that an error may change";

static bool any_order;

/* ---- Values ---- */

static struct bounded value_of(uint64_t bits, uint32_t bytes)
{
    return bytes == 4 ? store_value_f32((uint32_t)bits) : store_value_f64(bits);
}

static uint64_t bits_of(struct bounded value, uint32_t bytes)
{
    return bytes == 4 ? store_bits_f32(value) : store_bits_f64(value);
}

static bool has_value(uint64_t bits, uint32_t bytes)
{
    return bytes == 4 ? store_has_f32((uint32_t)bits) : store_has_f64(bits);
}

static void expect_room(uint32_t lane)
{
    if (store_is_full())
        raise_fault(FAULT_UNSUPPORTED, lane, SAYS_TOO_MANY_VALUES, .reason = option);
}

/* Raises a fault if the result of an atomic instruction or a function is not known. */
static void expect_known(uint32_t lane)
{
    const char *what = refused;

    refused = NULL;
    expect_room(lane);
    if (what != NULL)
        raise_fault(FAULT_UNSUPPORTED, lane, SAYS_CANNOT_EXPRESS, .object = what, .reason = option);
}

/* The operands of a lane. `bytes` is the size of a float, or 0 for an integer. */
struct operands {
    uint64_t bits[4];
    uint32_t bytes[4], count;
};

static bool are_plain(const struct operands *from)
{
    for (uint32_t k = 0; k < from->count; k++)
        if (from->bytes[k] != 0 && has_value(from->bits[k], from->bytes[k]))
            return false;
    return true;
}

/* ---- Functions in double precision ---- */

static double call_wide(const struct libdevice_function *function, const double *at, uint32_t count,
                        const struct operands *from)
{
    struct libdevice_stores stores = {.count = 0};
    uint64_t arguments[4] = {0}, result = 0;
    double value;

    for (uint32_t k = 0; k < count; k++)
        memcpy(&arguments[k], &at[k], sizeof arguments[k]);
    for (uint32_t k = 0; k < from->count; k++)
        if (from->bytes[k] == 0)
            arguments[k] = from->bits[k];
    function->run(&result, arguments, &stores);
    memcpy(&value, &result, sizeof value);
    return value;
}

/* Returns how far the function's result may be from its value, if its operands move within their
 * errors: the greatest distance at the corners of their intervals. */
static double corner_spread(const struct libdevice_function *function,
                            const struct bounded *operands, const struct operands *from,
                            double value)
{
    double spread = 0;

    for (uint32_t corner = 0; corner < UINT32_C(1) << from->count; corner++) {
        double at[4], result;
        for (uint32_t k = 0; k < from->count; k++)
            at[k] = operands[k].value + (corner >> k & 1 ? operands[k].error : -operands[k].error);
        if (from->count > 1 && !(at[0] > 0)) /* pow() is monotone for positive bases only */
            return INFINITY;
        result = call_wide(function, at, from->count, from);
        spread = fabs(result - value) > spread ? fabs(result - value) : spread;
        spread = isnan(result) != isnan(value) ? (double)INFINITY : spread;
    }
    return spread;
}

/* The errors of sin.approx and cos.approx: PTX ISA, sections 9.7.3.18 and 9.7.3.19. */
static double circular_error(struct bounded x)
{
    double most = fabs(x.value) + x.error;

    return most <= 2 * M_PI ? 0x1.7p-21 : most <= 100 * M_PI ? 0x1.4p-15 : (double)INFINITY;
}

static struct bounded function_value(const struct error_code *error,
                                     const struct libdevice_function *function,
                                     const struct operands *from, struct rounding_error by)
{
    struct bounded operands[4] = {{.value = 0}};
    double at[4] = {0}, errors = 0, spread = 0, value;

    for (uint32_t k = 0; k < from->count; k++) {
        if (from->bytes[k] != 0)
            operands[k] = value_of(from->bits[k], from->bytes[k]);
        if (error->flushes)
            operands[k] = bounded_flushed(operands[k]);
        at[k] = operands[k].value;
        errors += operands[k].error;
    }
    value = call_wide(function, at, from->count, from);
    if (errors > 0) {
        if (error->moves == MOVES_UNKNOWN)
            refused = unknown_function;
        spread = error->moves == MOVES_MONOTONE ? corner_spread(function, operands, from, value)
                                                : errors;
    }
    if (error->moves == MOVES_CIRCULAR)
        by.absolute += circular_error(operands[0]);
    by.relative += error->growth * (fabs(operands[0].value) + operands[0].error);
    if (!isfinite(value))
        return spread == 0 ? bounded_exact(value) : (struct bounded){.error = INFINITY};
    return bounded_round(bounded_exact(value), spread, &by);
}

/* ---- One lane ---- */

static struct bounded flushed(const struct error_code *error, struct bounded value)
{
    return error->flushes ? bounded_flushed(value) : value;
}

static struct rounding_error rounding_of(const struct error_code *error, uint32_t bytes)
{
    return (struct rounding_error){.relative = error->relative,
                                   .absolute = error->absolute,
                                   .is_nearest = error->is_nearest,
                                   .flushes = error->flushes,
                                   .is_double = bytes == 8,
                                   .any_order = any_order};
}

static struct bounded integer(uint64_t bits, bool is_signed)
{
    double value = is_signed ? (double)(int64_t)bits : (double)bits;

    return (struct bounded){.value = value,
                            .error = fabs(value) > 0x1p53 ? fabs(value) * 0x1p-53 : 0};
}

static struct bounded with_sign(struct bounded magnitude, struct bounded sign)
{
    if (sign.error > 0 && fabs(sign.value) <= sign.error)
        refused = unknown_sign;
    magnitude = bounded_absolute(magnitude);
    return signbit(sign.value) ? bounded_negate(magnitude) : magnitude;
}

/* Returns the result of an operation on values. */
static struct bounded computed(const struct exact_code *exact, const struct operands *from,
                               uint32_t bytes)
{
    struct rounding_error by = rounding_of(&exact->error, bytes);
    struct bounded x[3] = {{.value = 0}};

    for (uint32_t k = 0; k < 3 && k < from->count; k++)
        if (from->bytes[k] != 0)
            x[k] = flushed(&exact->error, value_of(from->bits[k], from->bytes[k]));
    switch ((enum exact_kind)exact->kind) {
    case EXACT_ADD:
        return bounded_add(x[0], x[1], &by);
    case EXACT_SUBTRACT:
        return bounded_add(x[0], bounded_negate(x[1]), &by);
    case EXACT_MULTIPLY:
        return bounded_multiply(x[0], x[1], &by);
    case EXACT_FMA:
        return bounded_fma(x[0], x[1], x[2], &by);
    case EXACT_DIVIDE:
        if (exact->error.has_small_divisor && fabs(x[1].value) + x[1].error > 0x1p126)
            x[1].error = INFINITY;
        return bounded_divide(x[0], x[1], &by);
    case EXACT_INVERT:
        return bounded_divide(bounded_exact(1), x[0], &by);
    case EXACT_NEGATE:
        return bounded_negate(x[0]);
    case EXACT_ABSOLUTE:
        return bounded_absolute(x[0]);
    case EXACT_COPY_SIGN:
        return with_sign(x[0], x[1]);
    case EXACT_MINIMUM:
    case EXACT_MAXIMUM:
        return bounded_extreme(x[0], x[1], exact->kind == EXACT_MAXIMUM, exact->error.keeps_nan);
    case EXACT_SCALE:
        x[0].error = ldexp(x[0].error, (int32_t)from->bits[1]);
        x[0].value = ldexp(x[0].value, (int32_t)from->bits[1]);
        x[0].terms = 0;
        return bounded_round(x[0], 0, &by);
    case EXACT_FROM_INTEGER:
        return bounded_round(integer(from->bits[0], exact->is_signed), 0, &by);
    case EXACT_CONVERT:
        return bytes < from->bytes[0] ? bounded_round(x[0], 0, &by) : x[0];
    default:
        return function_value(&exact->error, exact->error.wide, from, by);
    }
}

static uint64_t result_of(const struct exact_code *exact, const struct operands *from,
                          uint32_t bytes)
{
    struct bounded value;

    if (exact->kind == EXACT_REFUSE) {
        refused = exact->refusal;
        return 0;
    }
    value = computed(exact, from, bytes);
    if (exact->saturates)
        value = bounded_saturate(value);
    return bits_of(value, bytes);
}

/* ---- Instructions ---- */

static uint64_t load_bits(const char *frame, uint32_t slot, uint32_t bytes, uint32_t lane)
{
    uint64_t bits = 0;

    if (undefined_bytes(head_of((char *)(uintptr_t)frame, slot), lane) == 0)
        copy_bytes(&bits, frame + slot + (size_t)lane * bytes, bytes);
    return bits;
}

static struct operands operands_of(const char *frame, const struct op *op, uint32_t lane)
{
    const uint32_t slots[3] = {op->a, op->b, op->c};
    const struct exact_code *exact = op->exact;
    struct operands from = {.count = 0};

    for (uint32_t k = 0; k < 3 && op->widths[k] != 0; k++) {
        uint32_t source = exact->kind == EXACT_COPY_SIGN ? 1 - k : k;
        from.bits[k] = load_bits(frame, slots[k], op->widths[k], lane);
        from.bytes[k] = exact->error.bytes[source];
        from.count++;
    }
    if (exact->kind == EXACT_FROM_INTEGER && exact->is_signed && op->widths[0] < 8) {
        uint32_t unused = 64 - 8u * op->widths[0];
        from.bits[0] = (uint64_t)((int64_t)(from.bits[0] << unused) >> unused);
    }
    return from;
}

/* Writes an end of an operand's interval as a float or double outside of it. */
static void put_end(char *to, struct bounded value, uint32_t bytes, bool upper)
{
    double end = upper ? value.value + value.error : value.value - value.error;
    float narrow = (float)end;

    if (bytes == 8) {
        end = value.error == 0 ? end : nextafter(end, upper ? INFINITY : -INFINITY);
        memcpy(to, &end, sizeof end);
        return;
    }
    if (value.error != 0 && (upper ? (double)narrow < end : (double)narrow > end))
        narrow = nextafterf(narrow, upper ? INFINITY : -INFINITY);
    memcpy(to, &narrow, sizeof narrow);
}

/* Returns the value between two results that are floats. */
static uint64_t between(uint64_t low, uint64_t high, uint32_t bytes)
{
    struct bounded one = value_of(low, bytes), other = value_of(high, bytes);
    double value = one.value + (other.value - one.value) / 2;

    if (!isfinite(value))
        return bits_of((struct bounded){.value = 0, .error = INFINITY}, bytes);
    return bits_of((struct bounded){.value = value, .error = fabs(other.value - one.value)}, bytes);
}

/* Runs the usual operation on the ends of the operands' intervals. */
static void run_endpoints(char *frame, const struct op *op, const struct operands *from,
                          uint32_t lane)
{
    const uint32_t slots[3] = {op->a, op->b, op->c};
    uint64_t ends[2] = {0};
    char *d = frame + op->d + (size_t)lane * op->bytes;

    for (uint32_t end = 0; end < 2; end++) {
        for (uint32_t k = 0; k < from->count; k++)
            if (from->bytes[k] != 0)
                put_end(frame + slots[k] + (size_t)lane * from->bytes[k],
                        value_of(from->bits[k], from->bytes[k]), from->bytes[k], end == 1);
        op->exact->error.usual(frame, op, UINT32_C(1) << lane);
        copy_bytes(&ends[end], d, op->bytes);
    }
    for (uint32_t k = 0; k < from->count; k++)
        if (from->bytes[k] != 0)
            copy_bytes(frame + slots[k] + (size_t)lane * from->bytes[k], &from->bits[k],
                       from->bytes[k]);
    if (ends[0] != ends[1] && op->exact->error.is_float)
        ends[0] = between(ends[0], ends[1], op->bytes);
    else if (ends[0] != ends[1])
        refused = unknown_result;
    copy_bytes(d, &ends[0], op->bytes);
}

/* Returns whether the comparison is true. */
static bool compare(const struct exact_code *exact, const struct operands *from)
{
    struct bounded a = flushed(&exact->error, value_of(from->bits[0], from->bytes[0])),
                   b = flushed(&exact->error, value_of(from->bits[1], from->bytes[1]));
    unsigned int may = bounded_compare(a, b);

    if ((may & exact->compare) != 0 && (may & ~(unsigned int)exact->compare) != 0) {
        refused = unknown_comparison;
        a.error = b.error = 0;
        may = bounded_compare(a, b);
    }
    return (may & exact->compare) != 0;
}

/* Returns true for an operation on values without errors whose result PTX defines in the same
 * way. */
static bool is_usual(const struct op *op, const struct operands *from)
{
    const struct exact_code *exact = op->exact;

    if (exact->kind == EXACT_REFUSE || exact->kind == EXACT_COPY_SIGN || !are_plain(from))
        return false;
    if (exact->kind >= EXACT_NEGATE && exact->kind <= EXACT_COMPARE)
        return true;
    return exact->kind == EXACT_ENDPOINTS ||
           (op->bytes == 8 && exact->error.is_nearest && !any_order);
}

static void run_lane(char *frame, const struct op *op, uint32_t lane, uint32_t *low)
{
    struct operands from = operands_of(frame, op, lane);
    uint64_t bits;

    if (op->exact->kind == EXACT_COMPARE) {
        *low |= (uint32_t)compare(op->exact, &from) << lane;
    } else if (is_usual(op, &from)) {
        op->exact->error.usual(frame, op, UINT32_C(1) << lane);
    } else if (op->exact->kind == EXACT_ENDPOINTS) {
        run_endpoints(frame, op, &from, lane);
    } else {
        bits = result_of(op->exact, &from, op->bytes);
        copy_bytes(frame + op->d + (size_t)lane * op->bytes, &bits, op->bytes);
    }
}

static void run(char *frame, const struct op *op, uint32_t mask)
{
    uint32_t low = 0;

    exact_refusal.lanes = 0;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        run_lane(frame, op, lane, &low);
        if (unlikely(refused != NULL)) {
            exact_refusal =
                (struct exact_refusal){exact_refusal.lanes | UINT32_C(1) << lane, refused};
            refused = NULL;
        }
    }
    if (op->exact->kind == EXACT_COMPARE)
        finish_comparison(frame, op, mask, low, ~low);
    expect_room((uint32_t)__builtin_ctz(mask));
}

static void choose(char *frame, const struct op *op, uint32_t lanes)
{
    uint32_t first = *(const uint32_t *)(const void *)(frame + op->c) ^ op->flip_c;

    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct bounded a = value_of(load_bits(frame, op->a, op->bytes, lane), op->bytes),
                       b = value_of(load_bits(frame, op->b, op->bytes, lane), op->bytes);
        uint64_t bits =
            bits_of(first >> lane & 1 ? bounded_either(a, b) : bounded_either(b, a), op->bytes);
        copy_bytes(frame + op->d + (size_t)lane * op->bytes, &bits, op->bytes);
    }
}

/* ---- Atomic instructions ---- */

static void add_to(void *memory, const void *value, uint32_t bytes)
{
    const struct rounding_error by = {.relative = bytes == 4 ? UNIT_F32 : UNIT_F64,
                                      .is_nearest = true,
                                      .is_double = bytes == 8,
                                      .flushes = bytes == 4,
                                      .any_order = true};
    uint64_t a = 0, b = 0, sum;

    memcpy(&a, memory, bytes);
    memcpy(&b, value, bytes);
    sum = bits_of(bounded_add(value_of(a, bytes), value_of(b, bytes), &by), bytes);
    expect_known((uint32_t)__builtin_ctz(machine.lanes));
    memcpy(memory, &sum, bytes);
}

static void add_f32(void *memory, const void *b, const void *c, bool shared)
{
    (void)c;
    (void)shared;
    add_to(memory, b, 4);
}

static void add_f64(void *memory, const void *b, const void *c, bool shared)
{
    (void)c;
    (void)shared;
    add_to(memory, b, 8);
}

static void refuse_atomic(void *memory, const void *b, const void *c, bool shared)
{
    (void)memory;
    (void)b;
    (void)c;
    (void)shared;
    refused = "an atomic operation on floats other than a sum of f32 or f64";
    expect_known((uint32_t)__builtin_ctz(machine.lanes));
}

/* ---- Functions of libdevice ---- */

static uint64_t run_device(const struct op *op, const uint64_t *arguments,
                           struct libdevice_stores *stores)
{
    uint64_t result = 0;

    op->device->run(&result, arguments, stores);
    return result;
}

static uint64_t call_endpoints(const struct op *op, const struct operands *from,
                               struct libdevice_stores *stores)
{
    uint64_t ends[2];

    for (uint32_t end = 0; end < 2; end++) {
        uint64_t arguments[4] = {0};
        memcpy(arguments, from->bits, sizeof arguments);
        for (uint32_t k = 0; k < from->count; k++)
            if (from->bytes[k] != 0) {
                arguments[k] = 0;
                put_end((char *)&arguments[k], value_of(from->bits[k], from->bytes[k]),
                        from->bytes[k], end == 1);
            }
        ends[end] = run_device(op, arguments, stores);
    }
    if (ends[0] == ends[1])
        return ends[0];
    if (op->exact->error.is_float)
        return between(ends[0], ends[1], from->bytes[0]);
    refused = unknown_result;
    return 0;
}

/* sincos() */
static void store_both(const struct op *op, const struct operands *from, const uint64_t *arguments,
                       struct libdevice_stores *stores)
{
    const struct error_code *error = &op->exact->error;
    const struct libdevice_function *functions[2] = {error->wide, error->second};
    uint32_t bytes = from->bytes[0];

    for (uint32_t k = 0; k < 2; k++) {
        struct bounded value = function_value(error, functions[k], from, rounding_of(error, bytes));
        stores->store[k].address = arguments[k + 1];
        stores->store[k].bytes = bytes;
        stores->store[k].bits = bits_of(value, bytes);
    }
    stores->count = 2;
}

static struct operands arguments_of(const struct op *op, const uint64_t *arguments)
{
    const char *types = op->device->parameters;
    struct operands from = {.count = 0};

    for (; *types != '\0' && from.count < 4; from.count++) {
        size_t length = strcspn(types, " ");
        from.bytes[from.count] = types[0] != 'f' ? 0 : types[1] == '3' ? 4 : 8;
        from.bits[from.count] = arguments[from.count];
        if (types[0] == 's' && types[1] == '3')
            from.bits[from.count] = (uint64_t)(int32_t)arguments[from.count];
        else if (types[1] == '3')
            from.bits[from.count] = (uint32_t)arguments[from.count];
        types += length + (types[length] == ' ');
    }
    return from;
}

static uint64_t call(const struct op *op, uint32_t lane, const uint64_t *arguments,
                     struct libdevice_stores *stores)
{
    struct operands from = arguments_of(op, arguments);
    const struct exact_code *exact = op->exact;
    uint32_t bytes = strcmp(op->device->result, "f64") == 0 ? 8 : 4;
    bool is_exact = exact->kind == EXACT_ENDPOINTS || exact->error.is_nearest;
    uint64_t result = 0;

    if (exact->kind == EXACT_TWO_OPAQUE) {
        from.count = 1;
        store_both(op, &from, arguments, stores);
    } else if (exact->kind != EXACT_REFUSE && are_plain(&from) && is_exact && !any_order &&
               (bytes == 8 || !exact->error.is_float)) {
        result = run_device(op, arguments, stores);
    } else if (exact->kind == EXACT_ENDPOINTS) {
        result = call_endpoints(op, &from, stores);
    } else {
        result = result_of(exact, &from, bytes);
    }
    expect_known(lane);
    return result;
}

/* ---- Arrays ---- */

static uint64_t input(const struct filling *filling, uint64_t i)
{
    uint64_t bits = values_filled(filling, i);

    if (filling->element == ELEMENT_F32)
        return store_bits_f32(bounded_exact((double)values_as_float((uint32_t)bits)));
    return filling->element == ELEMENT_F64 ? store_bits_f64(store_value_f64(bits)) : bits;
}

/* Error bounds of the elements of each buffer; null: it has none. */
static double *bounds[MAX_BUFFERS];

static void start(void)
{
    any_order = machine.floats == &bounded_in_any_order;
    store_clear();
    refused = NULL;
    for (uint32_t k = 0; k < MAX_BUFFERS; k++) {
        free(bounds[k]);
        bounds[k] = NULL;
    }
}

static const double *bounds_of(uint32_t k)
{
    return bounds[k];
}

/* Replaces an element by the nearest float or double. Returns how far the kernel's result may be
 * from it. */
static double take_element(char *at, uint32_t bytes)
{
    uint64_t bits = 0;
    struct bounded value;
    float narrow;

    memcpy(&bits, at, bytes);
    value = value_of(bits, bytes);
    if (isnan(value.value))
        return 0;
    narrow = (float)value.value;
    memcpy(at, bytes == 4 ? (const void *)&narrow : (const void *)&value.value, bytes);
    if (bytes == 8 || (double)narrow == value.value)
        return value.error;
    return (value.error + fabs((double)narrow - value.value)) * (1 + 0x1p-40);
}

static void refuse_element(const struct buffer *buffer, uint64_t i, const char *what)
{
    struct array_element element = {
        .unit = ELEMENT_INDEX, .index = (int64_t)i, .count = buffer->count};

    snprintf(element.array, sizeof element.array, "%s", buffer->name);
    record_fault(FAULT_UNSUPPORTED, SAYS_VALUE_NOT_EXPRESSED, .element = &element, .object = what,
                 .reason = option);
}

static void finish(uint32_t k, const struct buffer *buffer, void *contents)
{
    bool is_float = buffer->element == ELEMENT_F32 || buffer->element == ELEMENT_F64;
    uint32_t bytes = (uint32_t)element_size(buffer->element);

    if (recorded_fault() != NULL || buffer->role == ROLE_INPUT || buffer->role == ROLE_SCRATCH)
        return;
    if (is_float)
        bounds[k] = malloc((buffer->count + 1) * sizeof *bounds[k]);
    if (is_float && bounds[k] == NULL) {
        record_reason(FAULT_CRASH, "out of memory");
        return;
    }
    for (uint64_t i = 0; i < buffer->count; i++) {
        char *at = (char *)contents + i * bytes;
        uint64_t bits = 0;
        memcpy(&bits, at, bytes);
        if (is_float) {
            bounds[k][i] = take_element(at, bytes);
            if (isinf(bounds[k][i])) {
                refuse_element(buffer, i, "may overflow, or divide by a number near 0");
                return;
            }
        } else if (bytes >= 4 && has_value(bits, bytes)) {
            refuse_element(buffer, i, "is the bits of a float");
            return;
        }
    }
}

#define FUNCTIONS                                                                                  \
    {                                                                                              \
        .option = option, .is_bounded = true, .run = run, .add_f32 = add_f32, .add_f64 = add_f64,  \
        .refuse = refuse_atomic, .call = call, .input = input, .start = start, .finish = finish,   \
        .bounds = bounds_of, .select = choose                                                      \
    }

const struct exact_functions bounded_operations = FUNCTIONS, bounded_in_any_order = FUNCTIONS;
