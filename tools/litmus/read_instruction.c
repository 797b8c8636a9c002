/* SPDX-License-Identifier: MIT */
#include "read_parts.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 6, PART = 16 };

/* An opcode, split at its dots: atom.relaxed.gpu.add. */
struct mnemonic {
    char part[PARTS][PART];
    int count;
};

struct word {
    const char *text;
    int value;
};

static const struct word orders[] = {
    {"weak", ORDER_WEAK},
    {"relaxed", ORDER_RELAXED},
    {"acquire", ORDER_ACQUIRE},
    {"release", ORDER_RELEASE},
    {"acq_rel", ORDER_ACQ_REL},
    {"sc", ORDER_SC},
    {NULL, 0},
};
static const struct word scopes[] = {
    {"cta", SCOPE_CTA}, {"cluster", SCOPE_CLUSTER}, {"gpu", SCOPE_GPU}, {"sys", SCOPE_SYS},
    {NULL, 0},
};
static const struct word atomics[] = {
    {"exch", OPERATION_MOVE},
    {"add", OPERATION_ADD},
    {"and", OPERATION_AND},
    {"or", OPERATION_OR},
    {"xor", OPERATION_XOR},
    {"cas", OPERATION_CAS},
    {NULL, 0},
};
static const struct word arithmetic[] = {
    {"add", OPERATION_ADD},
    {"sub", OPERATION_SUB},
    {"mul", OPERATION_MUL},
    {"and", OPERATION_AND},
    {"or", OPERATION_OR},
    {"xor", OPERATION_XOR},
    {NULL, 0},
};
static const struct word branches[] = {
    {"beq", OPERATION_EQ},
    {"bne", OPERATION_NE},
    {"blt", OPERATION_LT},
    {"ble", OPERATION_LE},
    {"bgt", OPERATION_GT},
    {"bge", OPERATION_GE},
    {NULL, 0},
};

/* The orders that PTX has for each instruction, as bits. The sequentially consistent order is that
 * of fences alone. */
static const unsigned int orders_of[] = {
    [LITMUS_LOAD] = 1u << ORDER_WEAK | 1u << ORDER_RELAXED | 1u << ORDER_ACQUIRE,
    [LITMUS_STORE] = 1u << ORDER_WEAK | 1u << ORDER_RELAXED | 1u << ORDER_RELEASE,
    [LITMUS_ATOM] =
        1u << ORDER_RELAXED | 1u << ORDER_ACQUIRE | 1u << ORDER_RELEASE | 1u << ORDER_ACQ_REL,
    /* PTX has red.relaxed and red.release only. The model defines the others, too. */
    [LITMUS_RED] =
        1u << ORDER_RELAXED | 1u << ORDER_ACQUIRE | 1u << ORDER_RELEASE | 1u << ORDER_ACQ_REL,
    [LITMUS_FENCE] =
        1u << ORDER_ACQUIRE | 1u << ORDER_RELEASE | 1u << ORDER_ACQ_REL | 1u << ORDER_SC,
};

static bool find_word(const struct word *words, const char *text, int *value)
{
    for (; words->text != NULL; words++)
        if (strcmp(words->text, text) == 0) {
            *value = words->value;
            return true;
        }
    return false;
}

/* ---- Operands ---- */

bool litmus_read_number(struct reader *in, int *number)
{
    char *end;
    long value;

    reader_skip_blanks(in);
    errno = 0;
    value = strtol(in->at, &end, 10);
    if (end == in->at || errno != 0 || value < INT_MIN || value > INT_MAX)
        return reader_fail(in, "expected an integer here");
    in->at = end;
    *number = (int)value;
    return true;
}

static bool is_register(const struct reader *in)
{
    return in->at[0] == 'r' && isdigit((unsigned char)in->at[1]);
}

bool litmus_read_register(struct reader *in, int *number)
{
    reader_skip_blanks(in);
    if (!is_register(in))
        return reader_fail(in, "expected a register here, such as r0");
    in->at++;
    return litmus_read_number(in, number) &&
           ((*number >= 0 && *number < LITMUS_REGISTERS) ||
            reader_fail(in, "register r%d: a thread has r0 to r%d", *number, LITMUS_REGISTERS - 1));
}

static bool read_operand(struct reader *in, struct litmus_operand *operand)
{
    reader_skip_blanks(in);
    operand->is_register = is_register(in);
    return operand->is_register ? litmus_read_register(in, &operand->value)
                                : litmus_read_number(in, &operand->value);
}

bool litmus_read_variable(struct reader *in, struct litmus_test *test, int *variable)
{
    const size_t most = sizeof test->variables[0].name - 1;
    size_t length;

    reader_skip_blanks(in);
    length = reader_name_length(in->at);
    if (length == 0 || length > most)
        return reader_fail(in, "expected a variable here: a name of 1 to %zu characters", most);
    for (*variable = 0; *variable < test->variable_count; ++*variable)
        if (length == strlen(test->variables[*variable].name) &&
            strncmp(test->variables[*variable].name, in->at, length) == 0)
            break;
    if (*variable == test->variable_count) {
        struct litmus_variable *added = &test->variables[*variable];

        if (*variable == LITMUS_VARIABLES)
            return reader_fail(in, "a test has at most %d variables", LITMUS_VARIABLES);
        memcpy(added->name, in->at, length);
        added->location = test->variable_count++;
    }
    in->at += length;
    return true;
}

/* An address is a variable, with or without brackets, and optionally a register: [x + r1]. */
static bool read_address(struct reader *in, struct litmus_test *test,
                         struct litmus_instruction *instruction)
{
    bool has_bracket = reader_take(in, "[");

    if (!litmus_read_variable(in, test, &instruction->variable))
        return false;
    instruction->has_offset = reader_take(in, "+");
    if (instruction->has_offset && !litmus_read_register(in, &instruction->offset))
        return false;
    return !has_bracket || reader_expect(in, "]");
}

static bool read_comma_operand(struct reader *in, struct litmus_operand *operand)
{
    return reader_expect(in, ",") && read_operand(in, operand);
}

/* ---- Instructions ---- */

static bool unsupported(struct reader *in, const struct mnemonic *mnemonic)
{
    char text[PARTS * (PART + 1) + 1] = "";

    for (int k = 0; k < mnemonic->count; k++) {
        strcat(text, k > 0 ? "." : "");
        strcat(text, mnemonic->part[k]);
    }
    return reader_fail(
        in, "instruction '%s' is not supported (docs/litmus.md lists those that are)", text);
}

/* Reads the order and scope of a memory operation or fence, which begin at part 1. Returns the
 * number of the part after them, or 0 after a mistake. */
static int read_order(struct reader *in, const struct mnemonic *mnemonic,
                      struct litmus_instruction *instruction)
{
    int order, scope;

    if (strcmp(mnemonic->part[1], "volatile") == 0 && instruction->opcode <= LITMUS_STORE) {
        instruction->is_volatile = true; /* as relaxed at system scope: PTX ISA 8.4.2 */
        instruction->order = ORDER_RELAXED;
        instruction->scope = SCOPE_SYS;
        return 2;
    }
    if (!find_word(orders, mnemonic->part[1], &order) ||
        !(orders_of[instruction->opcode] >> order & 1))
        return unsupported(in, mnemonic);
    instruction->order = (enum litmus_order)order;
    if (order == ORDER_WEAK)
        return 2;
    if (!find_word(scopes, mnemonic->part[2], &scope))
        return reader_fail(in, "%s.%s needs a scope: cta, cluster, gpu or sys", mnemonic->part[0],
                           mnemonic->part[1]);
    instruction->scope = (enum litmus_scope)scope;
    return 3;
}

static bool read_load_or_store(struct reader *in, struct litmus_test *test,
                               const struct mnemonic *mnemonic,
                               struct litmus_instruction *instruction)
{
    int parts = read_order(in, mnemonic, instruction);

    if (parts == 0)
        return false;
    if (parts != mnemonic->count)
        return unsupported(in, mnemonic);
    if (instruction->opcode == LITMUS_LOAD)
        return litmus_read_register(in, &instruction->target) && reader_expect(in, ",") &&
               read_address(in, test, instruction);
    return read_address(in, test, instruction) && read_comma_operand(in, &instruction->a);
}

static bool read_atomic(struct reader *in, struct litmus_test *test,
                        const struct mnemonic *mnemonic, struct litmus_instruction *instruction)
{
    int parts = read_order(in, mnemonic, instruction), operation;

    if (parts == 0)
        return false;
    if (parts + 1 != mnemonic->count || !find_word(atomics, mnemonic->part[parts], &operation))
        return unsupported(in, mnemonic);
    instruction->operation = (enum litmus_operation)operation;
    if (instruction->opcode == LITMUS_RED &&
        (operation == OPERATION_MOVE || operation == OPERATION_CAS))
        return unsupported(in, mnemonic);
    if (instruction->opcode == LITMUS_ATOM &&
        (!litmus_read_register(in, &instruction->target) || !reader_expect(in, ",")))
        return false;
    return read_address(in, test, instruction) && read_comma_operand(in, &instruction->a) &&
           (operation != OPERATION_CAS || read_comma_operand(in, &instruction->b));
}

static bool read_fence(struct reader *in, const struct mnemonic *mnemonic,
                       struct litmus_instruction *instruction)
{
    if (mnemonic->count == 3 && strcmp(mnemonic->part[1], "proxy") == 0 &&
        strcmp(mnemonic->part[2], "alias") == 0) {
        instruction->opcode = LITMUS_ALIAS;
        return true;
    }
    if (strcmp(mnemonic->part[1], "proxy") == 0)
        return unsupported(in, mnemonic);
    return read_order(in, mnemonic, instruction) != 0;
}

/* bar.sync or bar.cta.sync, with the number of a barrier: all threads of the block take part. */
static bool read_barrier(struct reader *in, const struct mnemonic *mnemonic,
                         struct litmus_instruction *instruction)
{
    if (mnemonic->count < 2 || mnemonic->count > 3 ||
        (mnemonic->count == 3 && strcmp(mnemonic->part[1], "cta") != 0) ||
        strcmp(mnemonic->part[mnemonic->count - 1], "sync") != 0)
        return unsupported(in, mnemonic);
    if (!litmus_read_number(in, &instruction->barrier))
        return false;
    if (instruction->barrier < 0 || instruction->barrier > 15)
        return reader_fail(in, "barrier %d: a block has barriers 0 to 15", instruction->barrier);
    return !reader_take(in, ",") ||
           reader_fail(in, "a barrier with a number of threads is not supported");
}

static bool read_branch(struct reader *in, struct litmus_instruction *instruction)
{
    size_t length;

    instruction->opcode = LITMUS_BRANCH;
    if (instruction->operation != OPERATION_ALWAYS &&
        (!read_operand(in, &instruction->a) || !read_comma_operand(in, &instruction->b) ||
         !reader_expect(in, ",")))
        return false;
    reader_skip_blanks(in);
    length = reader_name_length(in->at);
    if (length == 0 || length >= LITMUS_LABEL)
        return reader_fail(in, "expected a label of 1 to %d characters here", LITMUS_LABEL - 1);
    memcpy(instruction->label, in->at, length);
    in->at += length;
    return true;
}

/* mov r0, 1 (Dartagnan also writes ld r0, 1), or add r0, r1, 1. */
static bool read_compute(struct reader *in, struct litmus_instruction *instruction)
{
    instruction->opcode = LITMUS_COMPUTE;
    return litmus_read_register(in, &instruction->target) &&
           read_comma_operand(in, &instruction->a) &&
           (instruction->operation == OPERATION_MOVE || read_comma_operand(in, &instruction->b));
}

static bool read_operands(struct reader *in, struct litmus_test *test,
                          const struct mnemonic *mnemonic, struct litmus_instruction *instruction)
{
    const char *first = mnemonic->part[0];
    int operation = OPERATION_MOVE;
    static const struct word opcodes[] = {
        {"ld", LITMUS_LOAD}, {"st", LITMUS_STORE},    {"atom", LITMUS_ATOM},
        {"red", LITMUS_RED}, {"bar", LITMUS_BARRIER}, {"fence", LITMUS_FENCE},
        {NULL, 0},
    };
    int opcode = LITMUS_COMPUTE;

    if (mnemonic->count == 1) {
        bool is_move = strcmp(first, "mov") == 0 || strcmp(first, "ld") == 0;
        bool is_branch = strcmp(first, "goto") == 0 || find_word(branches, first, &operation);

        if (!is_move && !is_branch && !find_word(arithmetic, first, &operation))
            return unsupported(in, mnemonic);
        instruction->operation =
            strcmp(first, "goto") == 0 ? OPERATION_ALWAYS : (enum litmus_operation)operation;
        return is_branch ? read_branch(in, instruction) : read_compute(in, instruction);
    }
    if (!find_word(opcodes, first, &opcode))
        return unsupported(in, mnemonic);
    instruction->opcode = (enum litmus_opcode)opcode;
    switch (instruction->opcode) {
    case LITMUS_LOAD:
    case LITMUS_STORE:
        return read_load_or_store(in, test, mnemonic, instruction);
    case LITMUS_ATOM:
    case LITMUS_RED:
        return read_atomic(in, test, mnemonic, instruction);
    case LITMUS_BARRIER:
        return read_barrier(in, mnemonic, instruction);
    default:
        return read_fence(in, mnemonic, instruction);
    }
}

static bool read_mnemonic(struct reader *in, struct mnemonic *mnemonic)
{
    memset(mnemonic, 0, sizeof *mnemonic);
    do {
        size_t length = reader_name_length(in->at);

        if (mnemonic->count == PARTS || length == 0 || length >= PART)
            return reader_fail(in, "expected an instruction here");
        memcpy(mnemonic->part[mnemonic->count++], in->at, length);
        in->at += length;
    } while (*in->at == '.' && in->at++ != NULL);
    return true;
}

bool litmus_read_instruction(struct reader *in, struct litmus_test *test,
                             struct litmus_instruction *instruction, char label[LITMUS_LABEL],
                             bool *is_there)
{
    struct mnemonic mnemonic;

    memset(instruction, 0, sizeof *instruction);
    label[0] = '\0';
    *is_there = false;
    reader_skip_blanks(in);
    size_t length = reader_name_length(in->at);
    if (length > 0 && length < LITMUS_LABEL && in->at[length] == ':') {
        memcpy(label, in->at, length);
        label[length] = '\0';
        in->at += length + 1;
        reader_skip_blanks(in);
    }
    if (*in->at == '|' || *in->at == ';')
        return true;
    *is_there = true;
    return read_mnemonic(in, &mnemonic) && read_operands(in, test, &mnemonic, instruction);
}
