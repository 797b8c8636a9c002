/* SPDX-License-Identifier: MIT */
#include "program.h"

#include "cuda_meanings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- What operations mean ---- */

#define S32(x) ((int32_t)(x))
#define S64(x) ((int64_t)(x))
#define FLOAT(x) values_as_float(x)
#define BITS(x) values_as_bits(x)
#define ONE_NAN(x) one_nan(x)

/* PTX leaves the bits of a NaN open. Only this operation observes them, so all NaN become one. */
static uint32_t one_nan(uint32_t bits)
{
    return isnan(values_as_float(bits)) ? INT32_MAX : bits;
}

/* PTX ISA, min and max: of a NaN and a number, the result is the number; -0 is below +0. */
static uint32_t least_f32(uint32_t a, uint32_t b)
{
    if (isnan(values_as_float(a)) || isnan(values_as_float(b)))
        return isnan(values_as_float(a)) ? b : a;
    if (values_as_float(a) == values_as_float(b))
        return a | b;
    return values_as_float(a) < values_as_float(b) ? a : b;
}

static uint32_t most_f32(uint32_t a, uint32_t b)
{
    if (isnan(values_as_float(a)) || isnan(values_as_float(b)))
        return isnan(values_as_float(a)) ? b : a;
    if (values_as_float(a) == values_as_float(b))
        return a & b;
    return values_as_float(a) > values_as_float(b) ? a : b;
}

/* PTX ISA, cvt: a value beyond the integers becomes the nearest integer, and NaN becomes 0. */
static uint32_t to_s32(uint32_t a)
{
    float value = values_as_float(a);

    if (isnan(value))
        return 0;
    if (value >= 0x1p31F)
        return INT32_MAX;
    return value < -0x1p31F ? UINT32_C(0x80000000) : (uint32_t)(int32_t)value;
}

static uint32_t permute(uint32_t a, uint32_t b, uint32_t selectors)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;

    for (int k = 0; k < 4; k++)
        result |= (uint32_t)(bytes >> (selectors >> 4 * k & 7) * 8 & 0xff) << 8 * k;
    return result;
}

static uint32_t reversed(uint32_t a)
{
    uint32_t result = 0;

    for (int k = 0; k < 32; k++)
        result |= (a >> k & 1) << (31 - k);
    return result;
}

static uint32_t loop(uint32_t a, uint32_t b, uint32_t c)
{
    for (uint32_t k = 0; k < (c & 7); k++)
        a = (a ^ b) + k;
    return a;
}

/* Defines each operation for the elements of a block. */
#define OPERATION(name, result, first, second, third, ptx, cuda, meaning)                          \
    static void compute_##name(const uint64_t *x, const uint64_t *y, const uint64_t *z,            \
                               uint64_t *to)                                                       \
    {                                                                                              \
        for (int i = 0; i < PROGRAM_BLOCK; i++) {                                                  \
            first##_t a = (first##_t)x[i];                                                         \
            second##_t b = (second##_t)y[i];                                                       \
            third##_t c = (third##_t)z[i];                                                         \
            (void)b;                                                                               \
            (void)c;                                                                               \
            result##_t value = (result##_t)(meaning);                                              \
            to[i] = value;                                                                         \
        }                                                                                          \
    }
#define EXCHANGE(...)
#include "operations.h"
#undef EXCHANGE

/* Exchanges with the lane whose number differs in bits 0 and 2. */
static void compute_shuffle_b32(const uint64_t *x, const uint64_t *y, const uint64_t *z,
                                uint64_t *to)
{
    (void)y;
    (void)z;
    for (int i = 0; i < PROGRAM_BLOCK; i++)
        to[i] = x[i ^ 5];
}

/* A ballot of all lanes of the warp. */
static void compute_ballot_pred(const uint64_t *x, const uint64_t *y, const uint64_t *z,
                                uint64_t *to)
{
    (void)y;
    (void)z;
    for (int first = 0; first < PROGRAM_BLOCK; first += 32) {
        uint64_t ballot = 0;
        for (int k = 0; k < 32; k++)
            ballot |= x[first + k] << k;
        for (int k = 0; k < 32; k++)
            to[first + k] = ballot;
    }
}

/* Takes the value of the thread of the block whose number is 37 higher. */
static void compute_shared_b32(const uint64_t *x, const uint64_t *y, const uint64_t *z,
                               uint64_t *to)
{
    (void)y;
    (void)z;
    for (int i = 0; i < PROGRAM_BLOCK; i++)
        to[i] = x[(i + 37) % PROGRAM_BLOCK];
}

/* cp.async exchanges the same values. */
static void compute_async_b32(const uint64_t *x, const uint64_t *y, const uint64_t *z, uint64_t *to)
{
    compute_shared_b32(x, y, z, to);
}

#define CUDA_OPERATION(name, result, first, second, third, cuda, parameters, meaning)              \
    OPERATION(name, result, first, second, third, NULL, cuda, meaning)
#define CUDA_EXCHANGE(name, result, first, second, third, cuda)                                    \
    static void compute_##name(const uint64_t *x, const uint64_t *y, const uint64_t *z,            \
                               uint64_t *to)                                                       \
    {                                                                                              \
        for (int i = 0; i < PROGRAM_BLOCK; i++)                                                    \
            to[i] = mean_##name(&(struct threads){x, y, z}, i);                                    \
    }
CUDA_EXCHANGE(transposed_b32, B32, B32, NONE, NONE, NULL)
CUDA_EXCHANGE(product_b32, B32, B32, NONE, NONE, NULL)
#include "cuda_operations.h"
#undef CUDA_OPERATION
#undef CUDA_EXCHANGE
#undef OPERATION

static void (*const computations[OPERATIONS])(const uint64_t *x, const uint64_t *y,
                                              const uint64_t *z, uint64_t *to) = {
#define OPERATION(name, ...) [OPERATION_##name] = compute_##name,
#define EXCHANGE(name, ...) [OPERATION_##name] = compute_##name,
#define CUDA_OPERATION(name, ...) [OPERATION_##name] = compute_##name,
#define CUDA_EXCHANGE(name, ...) [OPERATION_##name] = compute_##name,
#include "cuda_operations.h"
#include "operations.h"
#undef OPERATION
#undef EXCHANGE
#undef CUDA_OPERATION
#undef CUDA_EXCHANGE
};

const struct operation operations[OPERATIONS] = {
    [INPUT_B32] = {"input_b32", B32, {NONE, NONE, NONE}, NULL, NULL},
    [INPUT_B64] = {"input_b64", B64, {NONE, NONE, NONE}, NULL, NULL},
    [CONSTANT_B32] = {"constant_b32", B32, {NONE, NONE, NONE}, NULL, NULL},
    [CONSTANT_B64] = {"constant_b64", B64, {NONE, NONE, NONE}, NULL, NULL},
#define OPERATION(name, result, first, second, third, ptx, cuda, meaning)                          \
    [OPERATION_##name] = {#name, result, {first, second, third}, ptx, cuda},
#define EXCHANGE(name, result, first, ptx, cuda)                                                   \
    [OPERATION_##name] = {#name, result, {first, NONE, NONE}, ptx, cuda},
#define CUDA_OPERATION(name, result, first, second, third, cuda, parameters, meaning)              \
    [OPERATION_##name] = {#name, result, {first, second, third}, NULL, cuda},
#define CUDA_EXCHANGE(name, result, first, second, third, cuda)                                    \
    [OPERATION_##name] = {#name, result, {first, second, third}, NULL, cuda},
#include "cuda_operations.h"
#include "operations.h"
#undef OPERATION
#undef EXCHANGE
#undef CUDA_OPERATION
#undef CUDA_EXCHANGE
};

size_t operation_operands(const struct operation *operation)
{
    size_t count = 0;

    while (count < 3 && operation->operands[count] != NONE)
        count++;
    return count;
}

bool operation_is_leaf(const struct operation *operation)
{
    return operation->cuda == NULL;
}

void program_inputs(struct values values, uint64_t n, uint64_t first,
                    uint32_t in[PROGRAM_IN][PROGRAM_BLOCK])
{
    for (uint64_t w = 0; w < PROGRAM_IN; w++)
        for (uint64_t i = 0; i < PROGRAM_BLOCK; i++)
            in[w][i] = (uint32_t)values_i32(values, w * n + first + i);
}

static void compute_leaf(const struct node *node, uint32_t in[PROGRAM_IN][PROGRAM_BLOCK],
                         uint64_t *to)
{
    uint64_t k = node->value;

    for (int i = 0; i < PROGRAM_BLOCK; i++)
        to[i] = node->operation == INPUT_B32   ? in[k][i]
                : node->operation == INPUT_B64 ? in[2 * k][i] | (uint64_t)in[2 * k + 1][i] << 32
                                               : node->value;
}

void program_evaluate(const struct program *program, uint32_t in[PROGRAM_IN][PROGRAM_BLOCK],
                      uint32_t out[PROGRAM_OUT][PROGRAM_BLOCK])
{
    uint64_t values[PROGRAM_NODES][PROGRAM_BLOCK], *last = values[program->count - 1];
    bool is_float = operations[program->nodes[program->count - 1].operation].result == F32;

    for (uint32_t k = 0; k < program->count; k++) {
        const struct node *node = &program->nodes[k];
        if (computations[node->operation] == NULL)
            compute_leaf(node, in, values[k]);
        else
            computations[node->operation](values[node->operands[0]], values[node->operands[1]],
                                          values[node->operands[2]], values[k]);
    }
    for (int i = 0; i < PROGRAM_BLOCK; i++) {
        out[0][i] = is_float ? one_nan((uint32_t)last[i]) : (uint32_t)last[i];
        out[1][i] = (uint32_t)(last[i] >> 32);
    }
}

/* ---- Shape ---- */

void program_tidy(struct program *program)
{
    bool used[PROGRAM_NODES] = {0};
    uint8_t place[PROGRAM_NODES];
    uint32_t count = 0;

    used[program->count - 1] = true;
    for (uint32_t k = program->count; k-- > 0;)
        for (size_t o = 0;
             used[k] && o < operation_operands(&operations[program->nodes[k].operation]); o++)
            used[program->nodes[k].operands[o]] = true;
    for (uint32_t k = 0; k < program->count; k++) {
        struct node node = program->nodes[k];
        if (!used[k])
            continue;
        for (size_t o = 0; o < operation_operands(&operations[node.operation]); o++)
            node.operands[o] = place[node.operands[o]];
        place[k] = (uint8_t)count;
        program->nodes[count++] = node;
    }
    program->count = count;
}

uint32_t program_operators(const struct program *program)
{
    uint32_t count = 0;

    for (uint32_t k = 0; k < program->count; k++)
        count += !operation_is_leaf(&operations[program->nodes[k].operation]);
    return count;
}

bool program_has_ptx(const struct program *program)
{
    uint32_t k = 0;

    while (k < program->count && program->nodes[k].operation < FIRST_CUDA_OPERATION)
        k++;
    return k == program->count;
}

/* ---- Text ---- */

void program_write(FILE *to, const struct program *program)
{
    fprintf(to, "%s:", program->name);
    for (uint32_t k = 0; k < program->count; k++) {
        const struct node *node = &program->nodes[k];
        const struct operation *operation = &operations[node->operation];
        fprintf(to, " %s", operation->name);
        if (operation_is_leaf(operation))
            fprintf(to, " %" PRIu64, node->value);
        for (size_t o = 0; o < operation_operands(operation); o++)
            fprintf(to, " %u", node->operands[o]);
        fputc(';', to);
    }
    fputc('\n', to);
}

static bool read_node(const char *text, size_t length, const struct program *program,
                      struct node *node)
{
    char word[64], *end;
    size_t name = strcspn(text, " ;");
    const struct operation *operation = NULL;

    if (length >= sizeof word)
        return false;
    memcpy(word, text, length);
    word[length] = '\0';
    *node = (struct node){.operation = INPUT_B32};
    for (int k = 0; k < OPERATIONS; k++)
        if (strlen(operations[k].name) == name && strncmp(operations[k].name, word, name) == 0) {
            operation = &operations[k];
            node->operation = (enum operation_id)k;
        }
    if (operation == NULL)
        return false;
    end = word + name;
    if (operation_is_leaf(operation)) {
        node->value = strtoull(end, &end, 10);
        if ((node->operation == INPUT_B32 && node->value >= PROGRAM_IN) ||
            (node->operation == INPUT_B64 && node->value >= PROGRAM_IN / 2))
            return false;
    }
    for (size_t o = 0; o < operation_operands(operation); o++) {
        const char *number = end;
        unsigned long operand = strtoul(number, &end, 10);
        if (end == number || operand >= program->count ||
            operations[program->nodes[operand].operation].result != operation->operands[o])
            return false;
        node->operands[o] = (uint8_t)operand;
    }
    return *end == '\0';
}

bool program_read(const char *line, struct program *program, char *error, size_t error_size)
{
    size_t name = strcspn(line, ":\n");
    const char *at = line + name;

    *program = (struct program){.count = 0};
    if (*at != ':' || name == 0 || name >= sizeof program->name) {
        snprintf(error, error_size, "'%.40s' must begin with a name and a colon", line);
        return false;
    }
    memcpy(program->name, line, name);
    for (at++; *at != '\0' && *at != '\n';) {
        size_t length;
        at += strspn(at, " ");
        length = strcspn(at, ";\n");
        if (at[length] != ';' || program->count == PROGRAM_NODES ||
            !read_node(at, length, program, &program->nodes[program->count])) {
            snprintf(error, error_size, "%s: '%.*s' is not an operation on earlier nodes",
                     program->name, (int)(length < 60 ? length : 60), at);
            return false;
        }
        program->count++;
        at += length + 1;
    }
    if (program->count == 0 ||
        operations[program->nodes[program->count - 1].operation].result == PRED) {
        snprintf(error, error_size, "%s: the last node must be a number, not a predicate",
                 program->name);
        return false;
    }
    return true;
}
