/* SPDX-License-Identifier: MIT
 *
 * Instructions: guards, opcodes and operands. PTX ISA, chapters 6 and 9.
 */
#include "parser.h"

#include <string.h>

static void read_operand(struct parser *parser, struct operand *operand, int depth);

/* Reads operands up to the closing mark. */
static void read_parts(struct parser *parser, struct operand *operand, const char *close, int depth)
{
    struct operand *parts = NULL;
    size_t count = 0;

    while (!lexer_take(&parser->lexer, close)) {
        if (count > 0)
            lexer_expect(&parser->lexer, ",");
        parts = arena_more(parser->module->arena, parts, count, sizeof *parts);
        parts[count] = (struct operand){0};
        read_operand(parser, &parts[count++], depth + 1);
    }
    operand->parts = parts;
    operand->part_count = count;
}

/* Resolves a register with a selector, such as %r1.h0. Returns false if it is something else. */
static bool read_selected(struct parser *parser, struct operand *operand, const char *name)
{
    const char *dot = strrchr(name, '.');
    char *copy;

    if (dot == NULL || (dot[1] != 'b' && dot[1] != 'h') || dot[2] == '\0' ||
        strspn(dot + 2, "01234567") != strlen(dot + 2) || strlen(dot + 2) > 4)
        return false;
    copy = arena_take(parser->module->arena, (size_t)(dot - name) + 1, 1);
    memcpy(copy, name, (size_t)(dot - name));
    operand->reg = parser_register(parser, copy);
    if (operand->reg == NULL)
        return false;
    operand->kind = OPERAND_REGISTER;
    operand->type = operand->reg->type;
    operand->part = dot + 1;
    parser->has_signs = true;
    return true;
}

/* Resolves a name. Labels are resolved at the end of the body. */
static void read_name(struct parser *parser, struct operand *operand)
{
    const char *name = lexer_word(&parser->lexer, "an operand");

    operand->name = name;
    if (strcmp(name, "_") == 0) {
        operand->kind = OPERAND_SINK;
        return;
    }
    operand->reg = parser_register(parser, name);
    if (operand->reg != NULL) {
        operand->kind = OPERAND_REGISTER;
        operand->type = operand->reg->type;
        return;
    }
    if (read_selected(parser, operand, name))
        return;
    operand->parts = parser_vector(parser, name, &operand->part_count);
    if (operand->parts != NULL) {
        operand->kind = OPERAND_VECTOR;
        return;
    }
    operand->variable = parser_variable(parser, name);
    operand->kind = name[0] == '%' && operand->variable == NULL ? OPERAND_SPECIAL : OPERAND_SYMBOL;
    if (operand->kind == OPERAND_SPECIAL)
        return;
    if (operand->variable == NULL)
        operand->function = module_function(parser->module, name);
}

/* +4, -4, +-4 or +4*2 */
static int64_t read_offset(struct parser *parser)
{
    return lexer_is(&parser->lexer, "+") || lexer_is(&parser->lexer, "-")
               ? parser_integer(parser, "an offset")
               : 0;
}

/* Reads an address after its '['. Coordinates may follow it, as in "[%rd1, {%r1, %r2}]". */
static void read_address(struct parser *parser, struct operand *operand, int depth)
{
    if (parser->lexer.token.kind == TOKEN_INTEGER) {
        operand->offset = parser_integer(parser, "an address");
    } else {
        read_name(parser, operand);
        if ((operand->kind != OPERAND_REGISTER && operand->kind != OPERAND_SYMBOL) ||
            operand->part != NULL)
            parser_fail(parser, parser->lexer.token.line, "`%.60s` is not an address",
                        operand->name);
        operand->offset = read_offset(parser);
    }
    operand->kind = OPERAND_ADDRESS;
    if (lexer_take(&parser->lexer, ","))
        read_parts(parser, operand, "]", depth);
    else
        lexer_expect(&parser->lexer, "]");
    lexer_take(&parser->lexer, ".unified");
}

static void read_constant(struct parser *parser, struct operand *operand, char prefix)
{
    struct constant constant = parser_constant(parser, prefix, "a number");

    operand->kind = constant.is_float ? OPERAND_FLOAT : OPERAND_INTEGER;
    operand->value = constant.bits;
    if (constant.is_float)
        operand->type = constant.is_single ? type_find("f32", 3) : type_find("f64", 3);
}

static bool begins_constant(const struct lexer *lexer)
{
    return lexer->token.kind == TOKEN_INTEGER || lexer->token.kind == TOKEN_FLOAT ||
           lexer_is(lexer, "WARP_SZ") || lexer_is(lexer, "(") || lexer_is(lexer, "~") ||
           lexer_is(lexer, "+");
}

/* Reads what follows a - or !: a register, or a constant. */
static void read_signed(struct parser *parser, struct operand *operand, char sign, int depth)
{
    struct lexer *lexer = &parser->lexer;

    if (begins_constant(lexer)) {
        read_constant(parser, operand, sign);
        return;
    }
    read_operand(parser, operand, depth + 1);
    if (sign == '!') {
        if (operand->kind != OPERAND_REGISTER || operand->negated)
            parser_fail(parser, lexer->token.line, "`!` must precede a predicate");
        operand->negated = true;
        return;
    }
    if (operand->kind != OPERAND_REGISTER)
        lexer_unexpected(lexer, "a number");
    operand->minus = true;
    parser->has_signs = true;
}

static void read_operand(struct parser *parser, struct operand *operand, int depth)
{
    struct lexer *lexer = &parser->lexer;

    if (depth > 3)
        parser_fail(parser, lexer->token.line, "operands are nested more than 3 deep");
    if (lexer_take(lexer, "{")) {
        operand->kind = OPERAND_VECTOR;
        read_parts(parser, operand, "}", depth);
    } else if (depth == 0 && parser->has_lists && lexer_take(lexer, "(")) {
        operand->kind = OPERAND_LIST;
        read_parts(parser, operand, ")", depth);
    } else if (lexer_take(lexer, "[")) {
        read_address(parser, operand, depth);
    } else if (begins_constant(lexer)) {
        read_constant(parser, operand, '\0');
    } else if (lexer_take(lexer, "!")) {
        read_signed(parser, operand, '!', depth);
    } else if (lexer_take(lexer, "-")) {
        read_signed(parser, operand, '-', depth);
    } else {
        read_name(parser, operand);
        if (operand->kind == OPERAND_SYMBOL)
            operand->offset = read_offset(parser);
    }
    if (lexer_take(lexer, "|")) {
        operand->pair = arena_take(parser->module->arena, 1, sizeof *operand->pair);
        read_operand(parser, operand->pair, depth + 1);
    }
}

static struct instruction *new_instruction(struct parser *parser, uint32_t line)
{
    struct function *function = parser->function;
    struct instruction *instruction;

    function->instructions = arena_more(parser->module->arena, function->instructions,
                                        function->instruction_count, sizeof *instruction);
    parser->instruction_scopes =
        arena_more(parser->module->arena, parser->instruction_scopes, function->instruction_count,
                   sizeof *parser->instruction_scopes);
    parser->instruction_scopes[function->instruction_count] = parser->scope;
    instruction = &function->instructions[function->instruction_count++];
    *instruction = (struct instruction){.line = line, .location = parser->location};
    return instruction;
}

void parser_instruction(struct parser *parser, const char *opcode, uint32_t line,
                        const struct operand *guard)
{
    struct instruction *instruction = new_instruction(parser, line);
    struct operand operands[MAX_OPERANDS];
    size_t count = 0;

    instruction->opcode = opcode;
    parser->has_signs = false;
    parser->has_lists = strncmp(opcode, "call", strlen("call")) == 0;
    if (guard != NULL) {
        instruction->guard = guard->reg;
        instruction->guard_negated = guard->negated;
    }
    if (!forms_match(opcode, &instruction->match)) {
        instruction->match.form = &unsupported_form;
        while (!lexer_is(&parser->lexer, ";")) {
            if (parser->lexer.token.kind == TOKEN_END)
                lexer_unexpected(&parser->lexer, "`;`");
            lexer_next(&parser->lexer);
        }
    }
    while (!lexer_take(&parser->lexer, ";")) {
        if (count > 0)
            lexer_expect(&parser->lexer, ",");
        if (count == MAX_OPERANDS)
            parser_fail(parser, line, "`%.80s` has more than %d operands", opcode, MAX_OPERANDS);
        operands[count] = (struct operand){0};
        read_operand(parser, &operands[count++], 0);
    }
    /* Reading operands does not add instructions. */
    instruction->operands = arena_take(parser->module->arena, count + 1, sizeof *operands);
    memcpy(instruction->operands, operands, count * sizeof *operands);
    instruction->operand_count = count;
    instruction->has_signs = parser->has_signs;
}

void parser_guarded(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    uint32_t line = lexer->token.line;
    struct operand guard = {0};
    const char *opcode;

    lexer_next(lexer);
    guard.negated = lexer_take(lexer, "!");
    read_name(parser, &guard);
    if (guard.kind != OPERAND_REGISTER || guard.type->kind != 'p')
        parser_fail(parser, line, "`%.60s` is not a predicate", guard.name);
    opcode = lexer_word(lexer, "an instruction");
    parser_instruction(parser, opcode, line, &guard);
}

/* ---- Labels ---- */

struct label {
    uint64_t at; /* index among the instructions of its function */
    uint32_t line;
};

void parser_label(struct parser *parser, const char *name, uint32_t line)
{
    const struct label *earlier = names_get(&parser->labels, name, parser->scope);
    struct label *label = arena_take(parser->module->arena, 1, sizeof *label);

    if (earlier != NULL)
        parser_fail(parser, line, "the label `%.60s` is already defined on line %u", name,
                    earlier->line);
    *label = (struct label){parser->function->instruction_count, line};
    names_enter(&parser->labels, parser->module->arena, name, parser->scope, label);
    new_instruction(parser, line)->label = name;
}

/* Returns what a name stands for in a scope or the scopes around it, or null if it is unknown. */
static void *find_outward(const struct parser *parser, const struct names *names, const char *name,
                          uint32_t scope)
{
    for (;;) {
        void *thing = names_get(names, name, scope);
        if (thing != NULL || scope == 0)
            return thing;
        scope = parser->outer_scopes[scope];
    }
}

static uint64_t find_label(const struct parser *parser, const char *name, uint32_t line,
                           uint32_t scope)
{
    const struct label *label = find_outward(parser, &parser->labels, name, scope);

    if (label == NULL)
        parser_fail(parser, line, "the label `%.60s` is not defined", name);
    return label->at;
}

static void resolve_branch(struct parser *parser, const struct instruction *branch, uint32_t scope)
{
    struct operand *operand = &branch->operands[0];

    if (operand->kind != OPERAND_SYMBOL || operand->offset != 0)
        parser_fail(parser, branch->line, "the operand of `%.80s` must be a label", branch->opcode);
    operand->value = find_label(parser, operand->name, branch->line, scope);
}

/* Resolves the .branchtargets of brx.idx. */
static void resolve_switch(struct parser *parser, const struct instruction *branch, uint32_t scope)
{
    struct operand *operand = &branch->operands[1];
    const char *name = operand->kind == OPERAND_SYMBOL ? operand->name : "";

    operand->table = find_outward(parser, &parser->tables, name, scope);
    if (operand->table == NULL || !operand->table->is_branches)
        parser_fail(parser, branch->line,
                    "the last operand of brx.idx must be the label of a .branchtargets");
    parser->branches += operand->table->label_count;
    if (parser->branches > MAX_BRANCHES)
        parser_fail(parser, branch->line,
                    "the brx instructions of one function have more than %d targets", MAX_BRANCHES);
}

/* Resolves the .callprototype or .calltargets of an indirect call, which is its last operand. */
static void resolve_call(struct parser *parser, const struct instruction *call, uint32_t scope)
{
    struct operand *last = &call->operands[call->operand_count - 1];

    if (last->kind == OPERAND_SYMBOL)
        last->table = find_outward(parser, &parser->tables, last->name, scope);
}

static void resolve_instruction(struct parser *parser, const struct instruction *instruction,
                                uint32_t scope)
{
    const char *meaning = instruction->match.form->meaning;

    if (strcmp(meaning, "@bra") == 0 && instruction->operand_count == 1)
        resolve_branch(parser, instruction, scope);
    else if (strcmp(meaning, "@brx") == 0 && instruction->operand_count == 2)
        resolve_switch(parser, instruction, scope);
    else if (strcmp(meaning, "@call") == 0 && instruction->operand_count > 0)
        resolve_call(parser, instruction, scope);
}

static void resolve_table(struct parser *parser, struct table *table, uint32_t scope)
{
    if (!table->is_branches)
        return;
    table->targets = arena_take(parser->module->arena, table->label_count, sizeof *table->targets);
    for (size_t l = 0; l < table->label_count; l++)
        table->targets[l] = find_label(parser, table->labels[l], table->line, scope);
}

void parser_resolve(struct parser *parser)
{
    const struct function *function = parser->function;

    for (size_t t = 0; t < function->table_count; t++)
        resolve_table(parser, function->tables[t], parser->table_scopes[t]);
    for (size_t i = 0; i < function->instruction_count; i++)
        if (function->instructions[i].label == NULL)
            resolve_instruction(parser, &function->instructions[i], parser->instruction_scopes[i]);
}
