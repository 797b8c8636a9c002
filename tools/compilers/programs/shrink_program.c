/* SPDX-License-Identifier: MIT */
#include "shrink_program.h"

#include <inttypes.h>

static enum program_type type_at(const struct program *program, uint32_t k)
{
    return operations[program->nodes[k].operation].result;
}

static bool is_leaf(const struct program *program, uint32_t k)
{
    return operation_is_leaf(&operations[program->nodes[k].operation]);
}

/* Makes a copy in which uses of `node` go to `instead`. Returns false if the copy is not a valid
 * program. */
static bool redirect(const struct program *program, uint32_t node, uint32_t instead,
                     struct program *copy)
{
    *copy = *program;
    for (uint32_t k = node + 1; k < copy->count; k++)
        for (size_t o = 0; o < operation_operands(&operations[copy->nodes[k].operation]); o++)
            if (copy->nodes[k].operands[o] == node)
                copy->nodes[k].operands[o] = (uint8_t)instead;
    if (node == copy->count - 1)
        copy->count = instead + 1;
    if (type_at(copy, copy->count - 1) == PRED)
        return false;
    program_tidy(copy);
    return program_is_simpler(copy, program);
}

/* Makes a copy in which a leaf replaces the node. Returns false if the copy is not a valid
 * program. */
static bool replace(const struct program *program, uint32_t node, struct node leaf,
                    struct program *copy)
{
    *copy = *program;
    copy->nodes[node] = leaf;
    program_tidy(copy);
    return program_is_simpler(copy, program);
}

size_t programs_smaller(const struct program *program, struct program *smaller)
{
    static const struct node leaves[] = {
        {.operation = INPUT_B32, .value = 0},    {.operation = INPUT_B32, .value = 1},
        {.operation = INPUT_B32, .value = 2},    {.operation = CONSTANT_B32, .value = 0},
        {.operation = CONSTANT_B32, .value = 1}, {.operation = INPUT_B64, .value = 0},
        {.operation = CONSTANT_B64, .value = 0}, {.operation = CONSTANT_B64, .value = 1},
    };
    size_t count = 0;

    for (uint32_t k = program->count; k-- > 0;) {
        for (uint32_t instead = 0; instead < k && count < MAX_SMALLER; instead++)
            if (type_at(program, instead) == type_at(program, k))
                count += redirect(program, k, instead, &smaller[count]);
        if (k == program->count - 1) /* The new result may have another type. */
            for (uint32_t last = 0; last < k && count < MAX_SMALLER; last++)
                if (type_at(program, last) != type_at(program, k))
                    count += redirect(program, k, last, &smaller[count]);
        for (size_t l = 0; l < sizeof leaves / sizeof *leaves && count < MAX_SMALLER; l++)
            if (operations[leaves[l].operation].result == type_at(program, k))
                count += replace(program, k, leaves[l], &smaller[count]);
    }
    return count;
}

size_t programs_beside(const struct program *program, struct program *beside)
{
    size_t count = 0;

    for (uint32_t k = program->count; k-- > 0 && count < MAX_BESIDE;)
        for (size_t o = 0;
             o < operation_operands(&operations[program->nodes[k].operation]) && count < MAX_BESIDE;
             o++)
            for (uint32_t other = 0; other < k && count < MAX_BESIDE; other++) {
                uint8_t old = program->nodes[k].operands[o];
                if (other == old || type_at(program, other) != type_at(program, old) ||
                    (!is_leaf(program, other) && !is_leaf(program, old)))
                    continue;
                beside[count] = *program;
                beside[count].nodes[k].operands[o] = (uint8_t)other;
                program_tidy(&beside[count]);
                count++;
            }
    return count;
}

/* Returns the total size of the constants and inputs. */
static uint64_t weight(const struct program *program)
{
    uint64_t sum = 0;

    for (uint32_t k = 0; k < program->count; k++)
        if (is_leaf(program, k))
            sum += (program->nodes[k].operation >= CONSTANT_B32 ? 0 : 8) +
                   (program->nodes[k].value < 8 ? program->nodes[k].value : 8);
    return sum;
}

bool program_is_simpler(const struct program *one, const struct program *other)
{
    uint32_t a = program_operators(one), b = program_operators(other);

    if (a != b)
        return a < b;
    if (one->count != other->count)
        return one->count < other->count;
    return weight(one) < weight(other);
}

/* ---- As text ---- */

struct text {
    char *to;
    size_t size, used;
    uint64_t names[PROGRAM_IN]; /* names of the inputs, in order of appearance */
    uint32_t named;
};

static void put(struct text *text, const char *piece)
{
    for (; *piece != '\0'; piece++, text->used++)
        if (text->used + 1 < text->size)
            text->to[text->used] = *piece;
}

static void put_input(struct text *text, const struct node *node)
{
    uint64_t key = node->operation == INPUT_B32 ? node->value : PROGRAM_IN + node->value;
    char name[16];
    uint32_t k = 0;

    while (k < text->named && text->names[k] != key)
        k++;
    if (k == text->named && text->named < PROGRAM_IN)
        text->names[text->named++] = key;
    snprintf(name, sizeof name, "%c%s", 'a' + (int)k, node->operation == INPUT_B64 ? "64" : "");
    put(text, name);
}

static void put_node(struct text *text, const struct program *program, uint32_t k)
{
    const struct node *node = &program->nodes[k];
    const struct operation *operation = &operations[node->operation];
    char number[32];

    if (node->operation == INPUT_B32 || node->operation == INPUT_B64) {
        put_input(text, node);
        return;
    }
    if (operation_is_leaf(operation)) {
        snprintf(number, sizeof number, node->value < 4096 ? "%" PRIu64 : "0x%" PRIx64,
                 node->value);
        put(text, number);
        return;
    }
    put(text, operation->name);
    for (size_t o = 0; o < operation_operands(operation); o++) {
        put(text, o == 0 ? "(" : ", ");
        put_node(text, program, node->operands[o]);
    }
    put(text, ")");
}

size_t program_shape(const struct program *program, char *text, size_t size)
{
    struct text state = {.to = text, .size = size};

    put_node(&state, program, program->count - 1);
    text[state.used < size ? state.used : size - 1] = '\0';
    return state.used;
}
