/* SPDX-License-Identifier: MIT
 *
 * Parses tokens into a module: its directives and functions. declarations.c parses variables and
 * registers, and operands.c the instructions.
 */
#include "parser.h"

#include <ctype.h>
#include <string.h>

/* ---- Places in the source ---- */

/* Returns the key of a location: file, line and column. The latest location of a key is the one
 * into which code is inlined. */
static char *location_key(const struct parser *parser, uint32_t file, uint32_t line,
                          uint32_t column)
{
    char key[40];
    int length = snprintf(key, sizeof key, "%u %u %u", file, line, column);

    return arena_text(parser->module->arena, key, (size_t)length);
}

/* Reads .loc 1 13 5[, function_name LABEL[+4], inlined_at 1 19 5]. */
static void read_location(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    struct location *location = arena_take(parser->module->arena, 1, sizeof *location);
    uint32_t line = lexer->token.line, at[3];

    location->file = (uint32_t)lexer_integer(lexer, "a file number");
    location->line = (uint32_t)lexer_integer(lexer, "a line number");
    location->column = (uint32_t)lexer_integer(lexer, "a column number");
    if (lexer_take(lexer, ",")) {
        lexer_expect(lexer, "function_name");
        if (!lexer_take(lexer, ".debug_str"))
            lexer_word(lexer, "a label");
        if (lexer_take(lexer, "+"))
            lexer_integer(lexer, "an offset");
        lexer_expect(lexer, ",");
        lexer_expect(lexer, "inlined_at");
        for (int i = 0; i < 3; i++)
            at[i] = (uint32_t)lexer_integer(lexer, "a file, line or column number");
        location->inlined_at =
            names_get(&parser->locations, location_key(parser, at[0], at[1], at[2]), 0);
        location->depth = location->inlined_at != NULL ? location->inlined_at->depth + 1 : 0;
        if (location->depth > MAX_INLINED)
            parser_fail(parser, line, "this location is inlined through more than %d calls",
                        MAX_INLINED);
    }
    names_enter(&parser->locations, parser->module->arena,
                location_key(parser, location->file, location->line, location->column), 0,
                location);
    parser->location = location;
}

/* Returns a copy with the bytes for which compilers write \\, \t or \303. */
static const char *unescape(struct arena *arena, const char *text)
{
    static const char pairs[] = "b\bf\fn\nr\rt\t";
    char *copy = arena_text(arena, text, strlen(text)), *to = copy;

    for (; *text != '\0'; to++) {
        const char *pair;
        unsigned int byte;
        int length = 1;
        *to = *text++;
        if (*to != '\\' || *text == '\0')
            continue;
        pair = strchr(pairs, *text);
        *to = pair != NULL ? pair[1] : *text;
        if (isdigit((unsigned char)*text) && sscanf(text, "%3o%n", &byte, &length) == 1)
            *to = (char)byte;
        text += length;
    }
    *to = '\0';
    return copy;
}

/* Reads .file 1 "kernels/x.cu"[, time, size]. */
static void read_file(struct parser *parser)
{
    struct module *module = parser->module;
    struct lexer *lexer = &parser->lexer;
    uint32_t line = lexer->token.line;
    int64_t number = lexer_integer(lexer, "a file number");
    const char *name;

    if (number < 0 || number > MAX_FILES)
        parser_fail(parser, line, "a file number must be 0 to %d", MAX_FILES);
    while (module->file_count <= (size_t)number) {
        module->files =
            arena_more(module->arena, module->files, module->file_count, sizeof *module->files);
        module->files[module->file_count++] = (struct source_file){NULL, OWNER_USER};
    }
    if (lexer->token.kind != TOKEN_STRING)
        lexer_unexpected(lexer, "a file name");
    name = unescape(module->arena, lexer->token.text);
    module->files[number] = (struct source_file){name, source_path_owner(name, parser->folders)};
    lexer_next(lexer);
    while (lexer_take(lexer, ","))
        lexer_integer(lexer, "a number");
}

/* ---- Functions ---- */

static struct variable **read_parameters(struct parser *parser, size_t *count,
                                         bool may_be_registers)
{
    struct variable **parameters = NULL;
    uint64_t bytes = 0;

    *count = 0;
    lexer_expect(&parser->lexer, "(");
    while (!lexer_take(&parser->lexer, ")")) {
        if (*count > 0)
            lexer_expect(&parser->lexer, ",");
        struct variable *parameter = parser_parameter(parser, may_be_registers);
        parameters = arena_more(parser->module->arena, parameters, *count, sizeof *parameters);
        parameters[(*count)++] = parameter;
        bytes += parameter->bytes;
        if (*count > MAX_PARAMETERS || bytes > MAX_LOCAL)
            parser_fail(parser, parameter->line,
                        "more than %d parameters, or more than %d bytes of parameters",
                        MAX_PARAMETERS, MAX_LOCAL);
    }
    return parameters;
}

static void enter_table(struct parser *parser, struct table *table)
{
    struct arena *arena = parser->module->arena;
    struct function *function = parser->function;
    const struct table *earlier = names_get(&parser->tables, table->name, parser->scope);

    if (earlier != NULL)
        parser_fail(parser, table->line, "the label `%.60s` is already defined on line %u",
                    table->name, earlier->line);
    parser->table_scopes = arena_more(arena, parser->table_scopes, function->table_count,
                                      sizeof *parser->table_scopes);
    parser->table_scopes[function->table_count] = parser->scope;
    function->tables =
        arena_more(arena, function->tables, function->table_count, sizeof *function->tables);
    function->tables[function->table_count++] = table;
    names_enter(&parser->tables, arena, table->name, parser->scope, table);
}

/* Reads a directive that says how a function is called. Returns false if none is next. */
static bool read_call_directive(struct lexer *lexer)
{
    if (lexer_take(lexer, ".noreturn"))
        return true;
    if (!lexer_take(lexer, ".abi_preserve") && !lexer_take(lexer, ".abi_preserve_control"))
        return false;
    lexer_integer(lexer, "a number of registers");
    return true;
}

/* Reads the strings of a .pragma. None changes what the code does. */
static void skip_pragma(struct lexer *lexer)
{
    lexer_next(lexer);
    do
        lexer_next(lexer);
    while (lexer_take(lexer, ","));
    lexer_expect(lexer, ";");
}

/* Reads .callprototype (results) _ (parameters); or .branchtargets a, b; after its label. */
static bool read_table(struct parser *parser, const char *label)
{
    struct lexer *lexer = &parser->lexer;
    struct table *table;

    if (!lexer_is(lexer, ".callprototype") && !lexer_is(lexer, ".branchtargets") &&
        !lexer_is(lexer, ".calltargets"))
        return false;
    table = arena_take(parser->module->arena, 1, sizeof *table);
    *table = (struct table){.name = label,
                            .line = lexer->token.line,
                            .is_prototype = lexer_is(lexer, ".callprototype"),
                            .is_branches = lexer_is(lexer, ".branchtargets")};
    lexer_next(lexer);
    if (table->is_prototype) {
        if (lexer_is(lexer, "("))
            read_parameters(parser, &table->result_count, true);
        lexer_word(lexer, "`_`");
        if (lexer_is(lexer, "("))
            read_parameters(parser, &table->parameter_count, true);
        while (read_call_directive(lexer))
            ;
    } else {
        do {
            table->labels = arena_more(parser->module->arena, table->labels, table->label_count,
                                       sizeof *table->labels);
            table->labels[table->label_count++] = lexer_word(lexer, "a label");
        } while (lexer_take(lexer, ","));
    }
    lexer_expect(lexer, ";");
    enter_table(parser, table);
    return true;
}

static void read_statement(struct parser *parser);

/* Reads the contents of a scope. Its opening brace has been read. */
static void read_scope(struct parser *parser)
{
    size_t declared = parser->declared_count, scoped = parser->scoped_count;
    uint32_t outer = parser->scope;

    if (++parser->depth > MAX_DEPTH)
        parser_fail(parser, parser->lexer.token.line, "scopes are nested more than %d deep",
                    MAX_DEPTH);
    parser->outer_scopes =
        arena_more(parser->module->arena, parser->outer_scopes, parser->scopes, sizeof(uint32_t));
    parser->outer_scopes[parser->scopes] = outer;
    parser->scope = parser->scopes++;
    while (!lexer_take(&parser->lexer, "}"))
        read_statement(parser);
    parser->scope = outer;
    parser_leave(parser, declared, scoped);
    parser->depth--;
}

static void read_statement(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    enum space space =
        lexer->token.kind == TOKEN_DOT ? parser_space(lexer->token.text) : SPACE_GENERIC;

    if (lexer_take(lexer, ".reg")) {
        parser_registers(parser);
    } else if (space != SPACE_GENERIC) {
        lexer_next(lexer);
        parser_variables(parser, space, LINKAGE_LOCAL);
    } else if (lexer_take(lexer, ".loc")) {
        read_location(parser);
    } else if (lexer_is(lexer, ".pragma")) {
        skip_pragma(lexer);
    } else if (lexer_take(lexer, "{")) {
        read_scope(parser);
    } else if (lexer_is(lexer, "@") || lexer->token.kind == TOKEN_WORD) {
        const char *word = lexer->token.text;
        uint32_t line = lexer->token.line;
        if (lexer->token.kind == TOKEN_WORD) {
            lexer_next(lexer);
            if (!lexer_take(lexer, ":"))
                parser_instruction(parser, word, line, NULL);
            else if (!read_table(parser, word))
                parser_label(parser, word, line);
        } else {
            parser_guarded(parser);
        }
    } else if (!lexer_take(lexer, ";")) {
        lexer_unexpected(lexer, "an instruction");
    }
}

/* Reads the dimensions and the largest size of a cluster. Returns false if none are next. */
static bool read_cluster_directive(struct lexer *lexer, struct function *function)
{
    if (lexer_is(lexer, ".blocksareclusters")) {
        lexer_unexpected(lexer, "a supported directive");
    } else if (lexer_take(lexer, ".explicitcluster")) {
        function->needs_cluster = true;
    } else if (lexer_take(lexer, ".maxclusterrank")) {
        function->most_cluster = (uint32_t)lexer_integer(lexer, "a number");
    } else if (lexer_take(lexer, ".reqnctapercluster")) {
        for (int i = 0; i < 3; i++)
            function->cluster[i] =
                i == 0 || lexer_take(lexer, ",") ? (uint32_t)lexer_integer(lexer, "a number") : 1;
    } else {
        return false;
    }
    return true;
}

/* Reads directives between a function's header and its body. */
static void read_function_directives(struct parser *parser, struct function *function)
{
    struct lexer *lexer = &parser->lexer;

    for (;;) {
        if (read_cluster_directive(lexer, function))
            continue;
        if (lexer_is(lexer, ".maxntid") || lexer_is(lexer, ".reqntid") ||
            lexer_is(lexer, ".minnctapersm") || lexer_is(lexer, ".maxnctapersm") ||
            lexer_is(lexer, ".maxnreg")) {
            bool required = lexer_is(lexer, ".reqntid"), limits = lexer_is(lexer, ".maxntid");
            uint64_t threads = 1;
            lexer_next(lexer);
            for (int i = 0; i == 0 || lexer_take(lexer, ","); i++) {
                uint64_t value = (uint64_t)lexer_integer(lexer, "a number");
                if (required && i < 3)
                    function->threads[i] = (uint32_t)value;
                threads = value < MAX_THREADS ? threads * value : MAX_THREADS;
                threads = threads < MAX_THREADS ? threads : MAX_THREADS;
            }
            for (int i = 0; required && i < 3; i++)
                function->threads[i] += function->threads[i] == 0;
            if (limits)
                function->most_threads = (uint32_t)threads;
        } else if (lexer_is(lexer, ".pragma")) {
            skip_pragma(lexer);
        } else if (!read_call_directive(lexer)) {
            return;
        }
    }
}

/* Returns the function that a header declares or defines: a new one, or the one declared before. */
static struct function *enter_function(struct parser *parser, const struct function *header)
{
    struct module *module = parser->module;
    struct function *earlier = module_function(module, header->name), *function;
    const struct variable *variable = module_variable(module, header->name);

    if (variable != NULL)
        parser_fail(parser, header->line, "`%.60s` is already a variable, declared on line %u",
                    header->name, variable->line);
    if (earlier == NULL) {
        function = arena_take(module->arena, 1, sizeof *function);
        *function = *header;
        module->functions = arena_more(module->arena, module->functions, module->function_count,
                                       sizeof *module->functions);
        module->functions[module->function_count++] = function;
        names_enter(&module->function_names, module->arena, function->name, 0, function);
        return function;
    }
    if (earlier->is_entry != header->is_entry ||
        earlier->parameter_count != header->parameter_count ||
        earlier->result_count != header->result_count)
        parser_fail(parser, header->line, "`%.60s` differs from its declaration on line %u",
                    header->name, earlier->line);
    if (!lexer_is(&parser->lexer, "{")) /* another declaration */
        return earlier;
    if (earlier->has_body)
        parser_fail(parser, header->line, "`%.60s` is already defined on line %u", header->name,
                    earlier->line);
    *earlier = *header;
    return earlier;
}

static void enter_parameter(struct parser *parser, struct variable *parameter)
{
    if (parameter->is_register)
        parser_register_parameter(parser, parameter);
    else
        parser_enter(parser, parameter);
}

/* Reads the body of a function. Its opening brace has been read. */
static void read_body(struct parser *parser, struct function *function)
{
    *parser = (struct parser){.lexer = parser->lexer,
                              .folders = parser->folders,
                              .module = parser->module,
                              .function = function,
                              .variables = parser->variables,
                              .inlined = parser->inlined};
    function->has_body = true;
    for (size_t p = 0; p < function->parameter_count; p++)
        enter_parameter(parser, function->parameters[p]);
    for (size_t r = 0; r < function->result_count; r++)
        enter_parameter(parser, function->results[r]);
    read_scope(parser);
    parser_resolve(parser);
    parser_leave(parser, 0, 0);
    parser->function = NULL;
}

static void read_function(struct parser *parser, bool is_entry, enum linkage linkage)
{
    struct lexer *lexer = &parser->lexer;
    struct function header = {.is_entry = is_entry, .linkage = linkage, .line = lexer->token.line},
                    *function;

    if (!is_entry)
        parser_attribute(parser, NULL);
    if (lexer_is(lexer, "("))
        header.results = read_parameters(parser, &header.result_count, !is_entry);
    header.name = parser_name(parser, "a function name");
    if (is_entry && header.result_count > 0)
        parser_fail(parser, header.line,
                    "the kernel `%.60s` has a result: only a .func may have one", header.name);
    if (lexer_is(lexer, "("))
        header.parameters = read_parameters(parser, &header.parameter_count, !is_entry);
    read_function_directives(parser, &header);
    function = enter_function(parser, &header);
    if (lexer_take(lexer, ";"))
        return;
    lexer_expect(lexer, "{");
    read_body(parser, function);
}

/* ---- The module ---- */

/* Reads .alias name, function; after the directive. */
static void read_alias(struct parser *parser)
{
    struct module *module = parser->module;
    struct alias *alias;

    module->aliases =
        arena_more(module->arena, module->aliases, module->alias_count, sizeof *module->aliases);
    alias = &module->aliases[module->alias_count++];
    alias->line = parser->lexer.token.line;
    alias->name = parser_name(parser, "a function name");
    lexer_expect(&parser->lexer, ",");
    alias->target = parser_name(parser, "a function name");
    lexer_expect(&parser->lexer, ";");
}

/* Gives each alias the body of its function. Both may be declared after the directive. */
static void resolve_aliases(struct parser *parser)
{
    const struct module *module = parser->module;

    for (size_t k = 0; k < module->alias_count; k++) {
        const struct alias *alias = &module->aliases[k];
        struct function *function = module_function(module, alias->name);
        const struct function *target = module_function(module, alias->target);
        if (function == NULL || function->is_entry || function->has_body)
            parser_fail(parser, alias->line,
                        "`%.60s` must be a .func that is declared and has no body of its own",
                        alias->name);
        if (target == NULL || target->is_entry || !target->has_body)
            parser_fail(parser, alias->line, "`%.60s` must be a .func with a body", alias->target);
        *function = *target;
        function->name = alias->name;
    }
}

static void skip_section(struct parser *parser)
{
    int depth = 0;

    do {
        if (parser->lexer.token.kind == TOKEN_END)
            lexer_unexpected(&parser->lexer, "`}`");
        depth += lexer_is(&parser->lexer, "{");
        depth -= lexer_is(&parser->lexer, "}");
        lexer_next(&parser->lexer);
    } while (depth > 0 ||
             !(lexer_is(&parser->lexer, ".section") || parser->lexer.token.kind == TOKEN_END ||
               parser->lexer.token.kind == TOKEN_DOT));
}

static void read_version(struct parser *parser)
{
    const char *text = parser->lexer.token.text;
    unsigned int major, minor;

    if (parser->lexer.token.kind != TOKEN_FLOAT || sscanf(text, "%u.%u", &major, &minor) != 2 ||
        major > 99 || minor > 9)
        lexer_unexpected(&parser->lexer, "a version such as 8.0");
    parser->module->version = 10 * major + minor;
    lexer_next(&parser->lexer);
}

static void read_target(struct parser *parser)
{
    enum { OLDEST_TARGET = 20 }; /* the first with generic addresses and functions */
    uint32_t line = parser->lexer.token.line;
    const char *target = lexer_word(&parser->lexer, "a target such as sm_90");
    unsigned int number;

    if ((sscanf(target, "sm_%u", &number) != 1 && sscanf(target, "compute_%u", &number) != 1) ||
        number > 999)
        parser_fail(parser, line, "`%.40s` is not a target: write sm_90, for example", target);
    if (number < OLDEST_TARGET)
        parser_fail(parser, line, "`%.40s` is not supported: write sm_%d or newer", target,
                    OLDEST_TARGET);
    parser->module->target = number;
    while (lexer_take(&parser->lexer, ","))
        lexer_word(&parser->lexer, "a target option");
}

static void read_directive(struct parser *parser)
{
    struct lexer *lexer = &parser->lexer;
    enum linkage linkage = LINKAGE_LOCAL;
    enum space space;

    if (lexer_take(lexer, ".visible"))
        linkage = LINKAGE_VISIBLE;
    else if (lexer_take(lexer, ".extern"))
        linkage = LINKAGE_EXTERN;
    else if (lexer_take(lexer, ".weak") || lexer_take(lexer, ".common"))
        linkage = LINKAGE_WEAK;
    space = lexer->token.kind == TOKEN_DOT ? parser_space(lexer->token.text) : SPACE_GENERIC;
    if (lexer_take(lexer, ".func")) {
        read_function(parser, false, linkage);
    } else if (lexer_take(lexer, ".entry")) {
        read_function(parser, true, linkage);
    } else if (space == SPACE_GLOBAL || space == SPACE_CONST || space == SPACE_SHARED) {
        lexer_next(lexer);
        parser_variables(parser, space, linkage);
    } else if (linkage != LINKAGE_LOCAL) {
        lexer_unexpected(lexer, "a function or variable");
    } else if (lexer_take(lexer, ".version")) {
        read_version(parser);
    } else if (lexer_take(lexer, ".target")) {
        read_target(parser);
    } else if (lexer_take(lexer, ".address_size")) {
        uint32_t line = lexer->token.line;
        if (lexer_integer(lexer, "64") != 64)
            parser_fail(parser, line, "32-bit addresses are not supported");
    } else if (lexer_take(lexer, ".file")) {
        read_file(parser);
    } else if (lexer_is(lexer, ".pragma")) {
        skip_pragma(lexer);
    } else if (lexer_take(lexer, ".alias")) {
        read_alias(parser);
    } else if (lexer_take(lexer, ".section")) {
        if (lexer_is(lexer, ".debug_abbrev") || lexer_is(lexer, ".debug_info"))
            inlined_read(parser);
        else
            skip_section(parser);
    } else {
        lexer_unexpected(lexer, "a supported directive");
    }
}

/* Returns the path of the file, or of its original if it is a copy. */
static const char *take_path(struct arena *arena, const char *path, const char *text, size_t size)
{
    static const char mark[] = MODULE_COPY_OF;
    const char *end = size > 0 ? memrchr(text, '\n', size - 1) : NULL;

    if (end == NULL || (size_t)(text + size - end) < sizeof mark ||
        strncmp(end, mark, sizeof mark - 1) != 0)
        return arena_text(arena, path, strlen(path));
    end += sizeof mark - 1;
    return arena_text(arena, end, (size_t)(text + size - 1 - end));
}

/* Returns the folders of MODULE_SYSTEM_FOLDERS, or null. */
static const char *take_folders(struct arena *arena, const char *text, size_t size)
{
    static const char mark[] = MODULE_SYSTEM_FOLDERS;
    const char *found = memmem(text, size, mark, sizeof mark - 1), *end;

    end = found != NULL ? memchr(found + 1, '\n', (size_t)(text + size - found) - 1) : NULL;
    return end != NULL ? arena_text(arena, found + sizeof mark - 1,
                                    (size_t)(end - found) - (sizeof mark - 1))
                       : NULL;
}

bool module_parse(struct module *module, const char *path, const char *text, size_t size,
                  char *error, size_t error_size)
{
    struct arena *arena = calloc(1, sizeof *arena);
    struct parser *parser;

    *module = (struct module){.path = path, .arena = arena};
    if (arena == NULL) {
        snprintf(error, error_size, "out of memory");
        return false;
    }
    arena->error = error;
    arena->error_size = error_size;
    if (setjmp(arena->out) != 0)
        return false;
    path = take_path(arena, path, text, size); /* places of instructions keep it */
    module->path = path;
    parser = arena_take(arena, 1, sizeof *parser);
    parser->module = module;
    parser->folders = take_folders(arena, text, size);
    lexer_start(&parser->lexer, path, text, size, arena);
    while (parser->lexer.token.kind != TOKEN_END)
        read_directive(parser);
    inlined_resolve(parser);
    resolve_aliases(parser);
    if (module->version == 0 || module->target == 0)
        arena_fail(arena, path, 1, "this is not PTX: .version or .target is missing");
    return true;
}

void module_free(struct module *module)
{
    if (module->arena != NULL)
        arena_free(module->arena);
    free(module->arena);
    *module = (struct module){0};
}
