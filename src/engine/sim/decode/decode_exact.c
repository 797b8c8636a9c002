/* SPDX-License-Identifier: MIT
 *
 * --floats exact and --reference double: chooses what instructions and functions on floats do, and
 * finds those that it cannot express.
 */
#include "decoder.h"

#include "fnv.h"
#include "libdevice.h"

#include <string.h>

/* What is known of the bits in a register: they may be those of a float, or computed as an
 * integer. */
enum bits_of { BITS_OF_FLOAT = 1, BITS_OF_INTEGER = 2 };

static const char *const to_integer = "a conversion of a float to an integer";
static const char *const rounding = "rounding a float";
static const char *const other_format = "floats other than f32 and f64";
static const char *const float_bits =
    "integer operations on the bits of a float (nvcc makes them of functions such as expf(), but "
    "not with --use_fast_math)";
static const char *const made_bits = "a float with bits that integer operations computed";
static const char *const other = "an unusual floating-point operation";

static const struct exact_row {
    const char *name;
    uint8_t kind;
    const char *function;
} instructions[] = {
    {"abs", EXACT_ABSOLUTE, NULL},
    {"add", EXACT_ADD, NULL},
    {"copysign", EXACT_COPY_SIGN, NULL},
    {"cos", EXACT_OPAQUE, "cos"},
    {"div", EXACT_DIVIDE, NULL},
    {"ex2", EXACT_OPAQUE, "exp2"},
    {"fma", EXACT_FMA, NULL},
    {"lg2", EXACT_OPAQUE, "log2"},
    {"mad", EXACT_FMA, NULL},
    {"max", EXACT_MAXIMUM, NULL},
    {"min", EXACT_MINIMUM, NULL},
    {"mul", EXACT_MULTIPLY, NULL},
    {"neg", EXACT_NEGATE, NULL},
    {"rcp", EXACT_INVERT, NULL},
    {"rsqrt", EXACT_INVERSE_ROOT, "sqrt"},
    {"selp", EXACT_USUAL, NULL},
    {"set", EXACT_COMPARE, NULL},
    {"setp", EXACT_COMPARE, NULL},
    {"sin", EXACT_OPAQUE, "sin"},
    {"slct", EXACT_USUAL, NULL},
    {"sqrt", EXACT_OPAQUE, "sqrt"},
    {"sub", EXACT_SUBTRACT, NULL},
    {"tanh", EXACT_OPAQUE, "tanh"},
    {"testp", EXACT_USUAL, NULL},
    {NULL, 0, NULL},
};

/* Functions of libdevice, without __nv_, fast_, the suffix of a rounding, and an f at the end. All
 * others with a floating-point parameter are opaque if their result is a float. */
static const struct exact_row functions[] = {
    {"ceil", EXACT_REFUSE, NULL},
    {"copysign", EXACT_COPY_SIGN, NULL},
    {"dadd", EXACT_ADD, NULL},
    {"ddiv", EXACT_DIVIDE, NULL},
    {"dmul", EXACT_MULTIPLY, NULL},
    {"double2float", EXACT_CONVERT, NULL},
    {"double2hiint", EXACT_USUAL, NULL},
    {"double2loint", EXACT_USUAL, NULL},
    {"double_as_longlong", EXACT_USUAL, NULL},
    {"drcp", EXACT_INVERT, NULL},
    {"dsqrt", EXACT_OPAQUE, "sqrt"},
    {"dsub", EXACT_SUBTRACT, NULL},
    {"fabs", EXACT_ABSOLUTE, NULL},
    {"fadd", EXACT_ADD, NULL},
    {"fdiv", EXACT_DIVIDE, NULL},
    {"fdivide", EXACT_DIVIDE, NULL},
    {"finite", EXACT_USUAL, NULL},
    {"float_as_int", EXACT_USUAL, NULL},
    {"float_as_uint", EXACT_USUAL, NULL},
    {"floor", EXACT_REFUSE, NULL},
    {"fma", EXACT_FMA, NULL},
    {"fmaf_ieee", EXACT_FMA, NULL},
    {"fmax", EXACT_MAXIMUM, NULL},
    {"fmin", EXACT_MINIMUM, NULL},
    {"fmod", EXACT_REFUSE, NULL},
    {"fmul", EXACT_MULTIPLY, NULL},
    {"frcp", EXACT_INVERT, NULL},
    {"frsqrt", EXACT_INVERSE_ROOT, "sqrt"},
    {"fsqrt", EXACT_OPAQUE, "sqrt"},
    {"fsub", EXACT_SUBTRACT, NULL},
    {"int2double", EXACT_FROM_INTEGER, NULL},
    {"int2float", EXACT_FROM_INTEGER, NULL},
    {"isfinited", EXACT_USUAL, NULL},
    {"isinf", EXACT_USUAL, NULL},
    {"isinfd", EXACT_USUAL, NULL},
    {"isnan", EXACT_USUAL, NULL},
    {"isnand", EXACT_USUAL, NULL},
    {"ldexp", EXACT_SCALE, NULL},
    {"ll2double", EXACT_FROM_INTEGER, NULL},
    {"ll2float", EXACT_FROM_INTEGER, NULL},
    {"logb", EXACT_REFUSE, NULL},
    {"nearbyint", EXACT_REFUSE, NULL},
    {"nextafter", EXACT_REFUSE, NULL},
    {"rcp64h", EXACT_REFUSE, NULL},
    {"remainder", EXACT_REFUSE, NULL},
    {"rint", EXACT_REFUSE, NULL},
    {"round", EXACT_REFUSE, NULL},
    {"rsqrt", EXACT_INVERSE_ROOT, "sqrt"},
    {"saturate", EXACT_CONVERT, NULL},
    {"scalbn", EXACT_SCALE, NULL},
    {"signbit", EXACT_USUAL, NULL},
    {"signbitd", EXACT_USUAL, NULL},
    {"sincos", EXACT_TWO_OPAQUE, "sin cos"},
    {"sincospi", EXACT_TWO_OPAQUE, "sinpi cospi"},
    {"trunc", EXACT_REFUSE, NULL},
    {"uint2double", EXACT_FROM_INTEGER, NULL},
    {"uint2float", EXACT_FROM_INTEGER, NULL},
    {"ull2double", EXACT_FROM_INTEGER, NULL},
    {"ull2float", EXACT_FROM_INTEGER, NULL},
    {NULL, 0, NULL},
};

static const struct exact_row *find_row(const struct exact_row *rows, const char *name,
                                        size_t length)
{
    for (; rows->name != NULL; rows++)
        if (strncmp(rows->name, name, length) == 0 && rows->name[length] == '\0')
            return rows;
    return NULL;
}

/* Sets the numbers that identify the functions: hashes of their names. */
static void set_functions(struct exact_code *exact, const char *names)
{
    size_t length = strcspn(names, " ");

    exact->function = fnv_bytes(FNV_OFFSET_BASIS, names, length);
    if (names[length] == ' ')
        exact->second = fnv_bytes(FNV_OFFSET_BASIS, names + length + 1, strlen(names + length + 1));
}

/* ---- Integer operations on the bits of floats ---- */

static uint8_t bits_in(const struct decoder *decoder, const struct operand *operand)
{
    uint8_t bits = operand->kind == OPERAND_REGISTER ? decoder->bits_of[operand->reg->number] : 0;

    for (size_t p = 0; operand->kind == OPERAND_VECTOR && p < operand->part_count; p++)
        bits |= bits_in(decoder, &operand->parts[p]);
    return bits;
}

static bool add_bits(struct decoder *decoder, const struct operand *operand, uint8_t bits)
{
    uint8_t *known;
    bool changed = false;

    for (size_t p = 0; operand->kind == OPERAND_VECTOR && p < operand->part_count; p++)
        changed = add_bits(decoder, &operand->parts[p], bits) || changed;
    if (operand->kind != OPERAND_REGISTER)
        return changed;
    known = &decoder->bits_of[operand->reg->number];
    changed = (bits & ~*known) != 0;
    *known |= bits;
    return changed;
}

static bool begins(const struct instruction *instruction, const char *name)
{
    size_t length = strlen(name);

    return strncmp(instruction->opcode, name, length) == 0 &&
           (instruction->opcode[length] == '.' || instruction->opcode[length] == '\0');
}

/* Returns true for the masks of a sign and of all other bits. */
static bool is_sign_mask(const struct operand *operand)
{
    uint32_t high = (uint32_t)(operand->value >> 32), low = (uint32_t)operand->value;

    if (operand->kind != OPERAND_INTEGER)
        return false;
    return low == UINT32_C(0x80000000) || low == UINT32_C(0x7fffffff) ||
           (low == 0 && high == UINT32_C(0x80000000)) ||
           (low == UINT32_MAX && high == UINT32_C(0x7fffffff));
}

/* Returns true for an instruction that moves one half of 64 bits. */
static bool moves_halves(const struct instruction *instruction)
{
    const struct operand *by = instruction->operand_count == 3 ? &instruction->operands[2] : NULL;

    if (strcmp(instruction->opcode, "cvt.u32.u64") == 0 ||
        strcmp(instruction->opcode, "cvt.u64.u32") == 0)
        return true;
    return by != NULL && by->kind == OPERAND_INTEGER && by->value == 32 &&
           (strcmp(instruction->opcode, "shl.b64") == 0 ||
            strcmp(instruction->opcode, "shr.u64") == 0);
}

/* Returns true for an operation that keeps the bits of floats: it moves a half of a double, joins
 * two halves, changes a sign, or joins a sign with a magnitude. */
static bool keeps_bits(const struct decoder *decoder, const struct instruction *instruction)
{
    const struct operand *a = &instruction->operands[1], *b = &instruction->operands[2];

    if (moves_halves(instruction))
        return true;
    if (instruction->operand_count != 3 ||
        !(begins(instruction, "and") || begins(instruction, "or") || begins(instruction, "xor")))
        return false;
    return is_sign_mask(a) || is_sign_mask(b) ||
           (begins(instruction, "or") && (bits_in(decoder, a) & BITS_OF_FLOAT) != 0 &&
            ((bits_in(decoder, b) & BITS_OF_FLOAT) != 0 || b->kind == OPERAND_INTEGER));
}

/* Returns what is known of the first sources, at most `most` of them. */
static uint8_t bits_of_sources(const struct decoder *decoder, const struct instruction *instruction,
                               size_t most)
{
    uint8_t bits = 0;

    for (size_t k = 1; k < instruction->operand_count && k <= most; k++)
        bits |= bits_in(decoder, &instruction->operands[k]);
    return bits;
}

/* Returns what is known of the result of an instruction. */
static uint8_t bits_of_result(const struct decoder *decoder, const struct instruction *instruction)
{
    const char *meaning = instruction->match.form->meaning, *type = instruction->match.type[0];
    bool is_float_type = strcmp(type, "f32") == 0 || strcmp(type, "f64") == 0;

    if (strcmp(meaning, "@mov") == 0 || strcmp(meaning, "@shfl") == 0)
        return bits_of_sources(decoder, instruction, 1);
    if (begins(instruction, "selp") || begins(instruction, "slct") ||
        keeps_bits(decoder, instruction))
        return bits_of_sources(decoder, instruction, 2);
    if (strcmp(meaning, "@ld") == 0 || strcmp(meaning, "@atom") == 0)
        return is_float_type ? BITS_OF_FLOAT : 0;
    if (begins(instruction, "setp") || (*meaning == '@' && !begins(instruction, "set")))
        return 0;
    return is_float_type ? BITS_OF_FLOAT : BITS_OF_INTEGER;
}

void decode_find_bits(struct decoder *decoder)
{
    const struct function *function = decoder->function;
    bool changed = decoder->links->exact != NULL;

    if (!changed)
        return;
    decoder->bits_of = arena_take(decoder->module->arena, decoder->most_registers + 1, 1);
    while (changed) {
        changed = false;
        for (size_t i = 0; i < function->instruction_count; i++) {
            const struct instruction *instruction = &function->instructions[i];
            if (instruction->label == NULL && instruction->operand_count > 1)
                changed = add_bits(decoder, &instruction->operands[0],
                                   bits_of_result(decoder, instruction)) ||
                          changed;
        }
    }
}

/* Returns true for an integer instruction that computes with the bits of a float. Comparisons and
 * extremes may in a field, because the order of elements is that of their bits. */
static bool computes_with_bits(const struct decoder *decoder)
{
    static const char *const ordered[] = {"selp", "slct", "setp", "set", "min", "max"};
    const size_t allowed = decoder->links->exact->is_bounded ? 2 : sizeof ordered / sizeof *ordered;
    const struct instruction *instruction = decoder->instruction;

    if ((bits_of_sources(decoder, instruction, SIZE_MAX) & BITS_OF_FLOAT) == 0 ||
        keeps_bits(decoder, instruction))
        return false;
    for (size_t k = 0; k < allowed; k++)
        if (begins(instruction, ordered[k]))
            return false;
    return true;
}

/* Returns true if a floating-point operand has bits that integer operations computed. */
static bool takes_made_bits(const struct decoder *decoder, const struct type *const *types,
                            size_t count)
{
    for (size_t k = 1; k < count; k++)
        if (decode_is_float(types[k]) &&
            (bits_in(decoder, &decoder->instruction->operands[k]) & BITS_OF_INTEGER) != 0)
            return true;
    return false;
}

/* ---- Instructions ---- */

static uint8_t compare_of(const struct decoder *decoder)
{
    static const char *const names[] = {"lt",  "eq",  "le",  "gt",  "ne",  "ge",  "num", "nan",
                                        "ltu", "equ", "leu", "gtu", "neu", "geu", NULL};
    int k = decode_which(decoder, names);

    return (uint8_t)(k + 1);
}

static const char *classify_conversion(const struct decoder *decoder, struct exact_code *exact,
                                       const struct type *const *types)
{
    static const char *const whole[] = {"rni", "rzi", "rmi", "rpi", NULL};

    if (!decode_is_float(types[0]))
        return to_integer;
    if (decode_which(decoder, whole) >= 0)
        return rounding;
    exact->kind = decode_is_float(types[1]) ? EXACT_CONVERT : EXACT_FROM_INTEGER;
    exact->is_signed = types[1]->kind == 's';
    return NULL;
}

/* Sets what an instruction does. Returns why that cannot be expressed, or null. */
static const char *classify(const struct decoder *decoder, struct exact_code *exact,
                            const struct type *const *types, size_t count, bool has_floats)
{
    const char *opcode = decoder->instruction->opcode;
    const struct exact_row *row = find_row(instructions, opcode, strcspn(opcode, "."));

    if (strstr(opcode, "f16") != NULL || strstr(opcode, "tf32") != NULL ||
        decode_has(decoder, "e4m3x2") || decode_has(decoder, "e5m2x2"))
        return other_format;
    if (!has_floats)
        return computes_with_bits(decoder) ? float_bits : NULL;
    if (takes_made_bits(decoder, types, count))
        return made_bits;
    exact->saturates = decode_has(decoder, "sat");
    if (begins(decoder->instruction, "cvt"))
        return classify_conversion(decoder, exact, types);
    if (row == NULL || decode_has(decoder, "xorsign") || decode_has(decoder, "relu"))
        return other;
    exact->kind = row->kind;
    if (row->function != NULL)
        set_functions(exact, row->function);
    if (exact->kind == EXACT_COMPARE)
        exact->compare = decode_is_float(types[1]) ? compare_of(decoder) : 0;
    return NULL;
}

void decode_exact(struct decoder *decoder, struct op *op, const struct type *const *types,
                  size_t count)
{
    struct exact_code exact = {.kind = EXACT_USUAL};
    bool has_floats = false;
    struct exact_code *kept;

    if (decoder->links->exact == NULL)
        return;
    for (size_t k = 0; k < count; k++)
        has_floats = has_floats || decode_is_float(types[k]);
    exact.refusal = classify(decoder, &exact, types, count, has_floats);
    if (decoder->links->exact->is_bounded)
        exact.refusal = decode_bounded(decoder, &exact, op, types, count, exact.refusal);
    if (exact.refusal != NULL)
        exact.kind = EXACT_REFUSE;
    if (exact.kind == EXACT_COMPARE && exact.compare == 0) /* of integers */
        exact.kind = EXACT_USUAL;
    if (exact.kind == EXACT_USUAL) {
        if (has_floats)
            memset(op->mode, 0, sizeof op->mode); /* no .ftz */
        return;
    }
    if (exact.kind == EXACT_COPY_SIGN) { /* PTX has the sign first */
        uint32_t sign = op->a;
        op->a = op->b;
        op->b = sign;
    }
    kept = arena_take(decoder->module->arena, 1, sizeof *kept);
    *kept = exact;
    op->exact = kept;
    if (exact.kind == EXACT_SELECT) /* it runs as usual, unless the choice is unknown */
        return;
    op->kind = OP_EXACT;
    op->by_bytes = 0;
    op->run = decoder->links->exact->run;
}

void decode_exact_atomic(struct decoder *decoder, struct op *op, const char *type, bool is_sum)
{
    const struct exact_functions *exact = decoder->links->exact;
    bool computes = !decode_has(decoder, "cas") && !decode_has(decoder, "exch"),
         is_float_type = strchr(type, 'f') != NULL;

    if (exact == NULL ||
        (!is_float_type &&
         !(exact->is_bounded && computes &&
           (bits_of_sources(decoder, decoder->instruction, SIZE_MAX) & BITS_OF_FLOAT) != 0)))
        return;
    op->atomic = exact->refuse;
    if (!is_sum || (strcmp(type, "f32") != 0 && strcmp(type, "f64") != 0))
        return;
    op->atomic = op->bytes == 4 ? exact->add_f32 : exact->add_f64;
    op->commutes = atomic_commuting(0, type, op->bytes);
}

void decode_exact_matrix(struct decoder *decoder, struct op *op)
{
    static const struct exact_code refused = {.kind = EXACT_REFUSE,
                                              .refusal = "a matrix instruction on floats"};

    if (decoder->links->exact != NULL)
        op->exact = &refused;
}

void decode_exact_texture(struct decoder *decoder, struct op *op)
{
    static const struct exact_code refused = {.kind = EXACT_REFUSE,
                                              .refusal = "a texture at coordinates of floats"};

    if (decoder->links->exact != NULL)
        op->exact = &refused;
}

/* ---- Functions of libdevice ---- */

/* Writes the name of the function without what makes no difference. */
static void base_name(const struct libdevice_function *device, char *name, size_t size)
{
    static const char *const suffixes[] = {"_rn", "_rz", "_ru", "_rd"};
    const char *from = device->name + strlen("__nv_");
    size_t length;

    from += strncmp(from, "fast_", 5) == 0 ? 5 : 0;
    length = strlen(from);
    for (size_t s = 0; s < sizeof suffixes / sizeof *suffixes; s++)
        if (length > 3 && strcmp(from + length - 3, suffixes[s]) == 0) {
            length -= 3;
            break;
        }
    if (length > 3 && from[length - 1] == 'f' && strcmp(device->name, "__nv_erf") != 0)
        length--;
    snprintf(name, size, "%.*s", (int)length, from);
}

/* Sets what the function does. Returns why that cannot be expressed, or null. */
static const char *classify_function(const struct libdevice_function *device,
                                     struct exact_code *exact)
{
    bool takes_float = strchr(device->parameters, 'f') != NULL,
         takes_pointer = strstr(device->parameters, "u64") != NULL;
    const struct exact_row *row;
    char name[32];

    base_name(device, name, sizeof name);
    if (strstr(name, "half") != NULL)
        return other_format;
    row = find_row(functions, name, strlen(name));
    exact->is_signed = device->parameters[0] == 's';
    exact->saturates = strcmp(name, "saturate") == 0;
    if (row != NULL) {
        exact->kind = row->kind;
        if (row->function != NULL)
            set_functions(exact, row->function);
        return row->kind == EXACT_REFUSE ? rounding : NULL;
    }
    if (takes_float && device->result[0] != 'f' && device->result[0] != '\0')
        return to_integer;
    if (takes_pointer && (takes_float || strstr(name, "norm") != NULL))
        return other;
    if (takes_float)
        exact->kind = EXACT_OPAQUE;
    set_functions(exact, name);
    return NULL;
}

void decode_exact_call(struct decoder *decoder, struct op *op)
{
    struct exact_code exact = {.kind = EXACT_USUAL}, *kept;

    if (decoder->links->exact == NULL)
        return;
    exact.refusal = classify_function(op->device, &exact);
    if (decoder->links->exact->is_bounded) {
        char name[32];
        base_name(op->device, name, sizeof name);
        exact.refusal = decode_bounded_call(op->device, name, &exact, exact.refusal);
    }
    if (exact.refusal != NULL)
        exact.kind = EXACT_REFUSE;
    if (exact.kind == EXACT_USUAL)
        return;
    kept = arena_take(decoder->module->arena, 1, sizeof *kept);
    *kept = exact;
    op->exact = kept;
}
