/* SPDX-License-Identifier: MIT */
#include "exact.h"

#include "faults.h"
#include "field.h"
#include "undefined.h"

#include "input_values.h"
#include "lanes.h"
#include "libdevice.h"

#include <string.h>

/* ---- Values ---- */

/* What the current result needs that cannot be expressed; null: nothing. */
static const char *refused;

static const char with_nan[] = "a computation with NaN",
                  with_limit[] = "a computation with infinity or a float near it";

/* Raises a fault if the result of an atomic instruction or a function cannot be expressed. */
static void expect_expressed(uint32_t lane)
{
    const char *what = refused;

    refused = NULL;
    if (what != NULL)
        raise_fault(FAULT_UNSUPPORTED, lane, SAYS_CANNOT_EXPRESS, .object = what,
                    .reason = exact_operations.option);
}

static uint32_t element_of(uint64_t bits, uint32_t bytes)
{
    return bytes == 4 ? field_of_f32((uint32_t)bits) : field_of_f64(bits);
}

static uint64_t bits_of(uint32_t element, uint32_t bytes)
{
    return bytes == 4 ? field_bits_f32(element) : field_bits_f64(element);
}

/* Returns the element of an operand. */
static uint32_t operand(uint64_t bits, uint32_t bytes)
{
    uint32_t element = element_of(bits, bytes);

    if (element < FIELD_PRIME)
        return element;
    refused = element == FIELD_NAN ? with_nan : with_limit;
    return 0;
}

/* Returns the number that orders an operand. Infinities and the largest floats are beyond all
 * elements. */
static double order_of(uint64_t bits, uint32_t bytes)
{
    if (element_of(bits, bytes) == FIELD_NAN) {
        refused = with_nan;
        return 0;
    }
    return bytes == 4 ? (double)values_as_float((uint32_t)bits)
                      : f64_of_bits(field_canonical_f64(bits));
}

/* Returns the bits of a value that is in the order of elements. */
static uint64_t bits_in_order(double value, uint32_t bytes)
{
    value = value == 0 ? 0 : value;
    return bytes == 4 ? values_as_bits((float)value) : bits_of_f64(value);
}

static uint64_t hash_of(uint64_t function, const uint64_t *bits, const uint32_t *bytes,
                        uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        function = values_hash(function, bytes[k] == 0 ? bits[k] : operand(bits[k], bytes[k]));
    return function;
}

/* ---- One lane ---- */

/* The operands of a lane. `bytes` is the size of a float, or 0 for an integer in 64 bits. */
struct operands {
    uint64_t bits[4];
    uint32_t bytes[4], count;
};

static uint64_t opaque(uint64_t function, const struct operands *from)
{
    return hash_of(function, from->bits, from->bytes, from->count) % FIELD_PRIME;
}

static uint32_t integer(uint64_t bits, bool is_signed)
{
    bool is_negative = is_signed && (int64_t)bits < 0;

    return field_of_integer(is_negative ? 0 - bits : bits, is_negative);
}

/* Returns the result of an operation that computes with elements. */
static uint32_t computed(const struct exact_code *exact, const struct operands *from)
{
    uint32_t e[3] = {0};

    for (uint32_t k = 0; k < 3 && k < from->count; k++)
        if (from->bytes[k] != 0)
            e[k] = operand(from->bits[k], from->bytes[k]);
    switch ((enum exact_kind)exact->kind) {
    case EXACT_ADD:
        return field_add(e[0], e[1]);
    case EXACT_SUBTRACT:
        return field_add(e[0], field_negative(e[1]));
    case EXACT_MULTIPLY:
        return field_multiply(e[0], e[1]);
    case EXACT_FMA:
        return field_add(field_multiply(e[0], e[1]), e[2]);
    case EXACT_DIVIDE:
        return field_multiply(e[0], field_inverse(e[1]));
    case EXACT_INVERT:
        return field_inverse(e[0]);
    case EXACT_SCALE:
        return field_scale(e[0], (int32_t)from->bits[1]);
    case EXACT_FROM_INTEGER:
        return integer(from->bits[0], exact->is_signed);
    case EXACT_INVERSE_ROOT:
        return field_inverse((uint32_t)opaque(exact->function, from));
    default:
        return (uint32_t)opaque(exact->function, from);
    }
}

static double magnitude(double value)
{
    return value < 0 ? -value : value;
}

/* Computes a result of `bytes` bytes. */
static uint64_t result_of(const struct exact_code *exact, const struct operands *from,
                          uint32_t bytes)
{
    double a = 0, b = 0;

    if (exact->kind == EXACT_REFUSE) {
        refused = exact->refusal;
        return 0;
    }
    if (exact->kind >= EXACT_NEGATE && exact->kind <= EXACT_CONVERT && exact->kind != EXACT_SCALE) {
        a = order_of(from->bits[0], from->bytes[0]);
        b = from->count > 1 ? order_of(from->bits[1], from->bytes[1]) : 0;
    }
    switch ((enum exact_kind)exact->kind) {
    case EXACT_NEGATE:
        a = -a;
        break;
    case EXACT_ABSOLUTE:
        a = magnitude(a);
        break;
    case EXACT_COPY_SIGN:
        a = b < 0 ? -magnitude(a) : magnitude(a);
        break;
    case EXACT_MINIMUM:
        a = b < a ? b : a;
        break;
    case EXACT_MAXIMUM:
        a = b > a ? b : a;
        break;
    case EXACT_CONVERT:
        break;
    default:
        if (!exact->saturates)
            return bits_of(computed(exact, from), bytes);
        a = f64_of_bits(bits_of(computed(exact, from), 8));
    }
    if (exact->saturates)
        a = a > 1 ? 1 : a > 0 ? a : 0;
    return bits_in_order(a, bytes);
}

/* ---- Instructions ---- */

static uint64_t load_bits(const char *frame, uint32_t slot, uint32_t bytes, uint32_t lane)
{
    const struct head *head = head_of((char *)(uintptr_t)frame, slot);
    uint64_t bits = 0;

    if (undefined_bytes(head, lane) == 0) /* the contents do not matter otherwise */
        copy_bytes(&bits, frame + slot + (size_t)lane * bytes, bytes);
    return bits;
}

static struct operands operands_of(const char *frame, const struct op *op, uint32_t lane)
{
    const uint32_t slots[3] = {op->a, op->b, op->c};
    struct operands from = {.count = 0};

    for (uint32_t k = 0; k < 3 && op->widths[k] != 0; k++) {
        uint64_t bits = load_bits(frame, slots[k], op->widths[k], lane);
        from.bits[k] = bits;
        from.bytes[k] = op->widths[k];
        from.count++;
    }
    if (op->exact->kind == EXACT_FROM_INTEGER) {
        uint32_t unused = 64 - 8 * from.bytes[0];
        if (op->exact->is_signed && unused > 0)
            from.bits[0] = (uint64_t)((int64_t)(from.bits[0] << unused) >> unused);
        from.bytes[0] = 0;
    }
    return from;
}

static int comparison(const struct operands *from)
{
    double a = order_of(from->bits[0], from->bytes[0]), b = order_of(from->bits[1], from->bytes[1]);

    return a < b ? EXACT_LESS : a > b ? EXACT_GREATER : EXACT_EQUAL;
}

static void run(char *frame, const struct op *op, uint32_t mask)
{
    uint32_t low = 0;

    exact_refusal.lanes = 0;
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        struct operands from = operands_of(frame, op, lane);
        uint64_t bits;
        if (op->exact->kind == EXACT_COMPARE) {
            low |= (uint32_t)((comparison(&from) & op->exact->compare) != 0) << lane;
        } else {
            bits = result_of(op->exact, &from, op->bytes);
            copy_bytes(frame + op->d + (size_t)lane * op->bytes, &bits, op->bytes);
        }
        if (unlikely(refused != NULL)) {
            exact_refusal =
                (struct exact_refusal){exact_refusal.lanes | UINT32_C(1) << lane, refused};
            refused = NULL;
        }
    }
    if (op->exact->kind == EXACT_COMPARE)
        finish_comparison(frame, op, mask, low, ~low);
}

/* ---- Atomic instructions ---- */

static void add_to(void *memory, const void *value, uint32_t bytes)
{
    uint64_t a = 0, b = 0, sum;

    memcpy(&a, memory, bytes);
    memcpy(&b, value, bytes);
    sum = bits_of(field_add(operand(a, bytes), operand(b, bytes)), bytes);
    expect_expressed((uint32_t)__builtin_ctz(machine.lanes));
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
    refused = "an atomic operation on floats other than f32 and f64";
    expect_expressed((uint32_t)__builtin_ctz(machine.lanes));
}

/* ---- Functions of libdevice ---- */

/* Sign-extends an argument of that type, such as "s32". */
static uint64_t extended(uint64_t bits, const char *type)
{
    if (type[1] != '3')
        return bits;
    return type[0] == 's' ? (uint64_t)(int32_t)bits : (uint32_t)bits;
}

static void store_opaque(struct libdevice_stores *stores, uint64_t address, uint64_t function,
                         const struct operands *from)
{
    stores->store[stores->count].address = address;
    stores->store[stores->count].bytes = from->bytes[0];
    stores->store[stores->count++].bits = bits_of((uint32_t)opaque(function, from), from->bytes[0]);
}

static uint64_t call(const struct op *op, uint32_t lane, const uint64_t *arguments,
                     struct libdevice_stores *stores)
{
    const char *types = op->device->parameters;
    struct operands from = {.count = 0};
    uint64_t result;

    for (; *types != '\0' && from.count < 4; from.count++) {
        size_t length = strcspn(types, " ");
        from.bytes[from.count] = types[0] != 'f' ? 0 : types[1] == '3' ? 4 : 8;
        from.bits[from.count] = extended(arguments[from.count], types);
        types += length + (types[length] == ' ');
    }
    if (op->exact->kind == EXACT_TWO_OPAQUE) {
        from.count = 1;
        store_opaque(stores, arguments[1], op->exact->function, &from);
        store_opaque(stores, arguments[2], op->exact->second, &from);
        result = 0;
    } else {
        result = result_of(op->exact, &from, strcmp(op->device->result, "f64") == 0 ? 8 : 4);
    }
    expect_expressed(lane);
    return result;
}

/* ---- Arrays ---- */

/* Returns which random element has index i, or false for a pattern of chosen values. */
static bool is_random(enum value_pattern pattern, uint64_t i, uint64_t *index)
{
    *index = i;
    switch (pattern) {
    case VALUES_HASH:
    case VALUES_SUBNORMAL:
    case VALUES_MIXED:
    case VALUES_LARGE:
    case VALUES_EDGES:
        return true;
    case VALUES_CANCEL:
        *index = i / 2;
        return true;
    case VALUES_MINIMUM:
    case VALUES_MAXIMUM:
    case VALUES_FILLED: /* all equal */
        *index = 0;
        return true;
    case VALUES_ALTERNATE:
        *index = i % 2;
        return true;
    default:
        return false;
    }
}

static uint64_t input(const struct filling *filling, uint64_t i)
{
    uint64_t bits = values_filled(filling, i), index;
    uint32_t bytes = filling->element == ELEMENT_F32 ? 4 : 8, element;

    if (filling->element != ELEMENT_F32 && filling->element != ELEMENT_F64)
        return bits;
    if (filling->fill == FILL_DATA)
        return bits;
    element = element_of(bits, bytes);
    if (filling->fill == FILL_VALUES &&
        (is_random(filling->values.pattern, filling->first + i, &index) ||
         element >= FIELD_PRIME)) {
        element = field_random(values_key(filling->values), index);
        if (filling->values.pattern == VALUES_CANCEL && (filling->first + i) % 2 == 1)
            element = field_negative(element);
    }
    return bits_of(element, bytes);
}

/* Makes an array of floats canonical: equal elements have equal bits. */
static void finish(uint32_t k, const struct buffer *buffer, void *contents)
{
    uint32_t *narrow = contents;
    uint64_t *wide = contents;

    (void)k;
    for (uint64_t i = 0; buffer->element == ELEMENT_F32 && i < buffer->count; i++)
        narrow[i] = field_canonical_f32(narrow[i]);
    for (uint64_t i = 0; buffer->element == ELEMENT_F64 && i < buffer->count; i++)
        wide[i] = field_canonical_f64(wide[i]);
}

const struct exact_functions exact_operations = {.option = "--floats exact",
                                                 .run = run,
                                                 .add_f32 = add_f32,
                                                 .add_f64 = add_f64,
                                                 .refuse = refuse_atomic,
                                                 .call = call,
                                                 .input = input,
                                                 .finish = finish};
