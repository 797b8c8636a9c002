/* SPDX-License-Identifier: MIT */
#include "example_launch.h"

#include "launch_types.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_RANK = 8, BLOCK_RANK = 64, MOST_GUARDS = 4000 };

/* How far an index reaches: a product. Its rank is the sum of those of its factors: SIZE_RANK of a
 * size, 1 of another one. */
struct reach {
    const char *text; /* "rows * 16" */
    int rank;
};

static const struct reach one = {"1", 0};

struct example {
    const struct source *source;
    struct memory *memory;
    size_t open, close; /* the braces of the kernel's body */
    const struct declaration *declaration;
    const char *size[MAX_SIZES]; /* the parameters that are sizes */
    size_t size_count, guards;   /* guards: how many variables were evaluated */
    struct reach block[3], grid[3];
};

/* ---- Names ---- */

static const char *word(const struct example *example, size_t k)
{
    return source_copy(example->memory, example->source, k, k + 1);
}

static bool is(const struct example *example, size_t k, const char *words)
{
    return source_is(example->source, k, words);
}

/* Returns the `=` after the definition of a variable in the body, else NO_MATCH. */
static size_t definition(const struct example *example, const char *name)
{
    for (size_t k = example->open + 1; k < example->close; k++)
        if (is(example, k, name) && is(example, k + 1, "=") &&
            (example->source->tokens[k - 1].kind == SOURCE_NAME || is(example, k - 1, "* ,")))
            return k + 1;
    return NO_MATCH;
}

/* Returns what a template parameter, a macro, a constant or a type of the file is in the launch,
 * else null. */
static const char *meaning(const struct example *example, const char *name)
{
    const struct list *list = &example->declaration->template_parameters;
    const struct parameter *all = list->items;

    for (size_t t = 0; t < list->count; t++)
        if (strcmp(all[t].name, name) == 0)
            return all[t].value != NULL                            ? all[t].value
                   : strstr("typename class", all[t].type) != NULL ? "float"
                   : strcmp(all[t].type, "bool") == 0              ? "true"
                   : example->declaration->block_dimensions > 1    ? "16"
                                                                   : "256";
    if (definition(example, name) != NO_MATCH)
        return NULL;
    for (size_t k = 2; k + 2 < example->source->count; k++)
        if (!is(example, k, name))
            continue;
        else if (is(example, k - 1, "using") || is(example, k - 2, "typedef"))
            return word(example, is(example, k - 1, "using") ? k + 2 : k - 1);
        else if (is(example, k + 1, "=") &&
                 (is(example, k - 2, "const constexpr") || is(example, k - 3, "const constexpr")))
            return name;
    return strstr(example->source->text, memory_text(example->memory, "define %s ", name)) != NULL
               ? name
               : NULL;
}

/* Returns the size of that name, as it is in the launch, else null. One size is `n`, and B has
 * another meaning there. */
static const char *size_name(const struct example *example, const char *name)
{
    for (size_t s = 0; s < example->size_count; s++)
        if (strcmp(example->size[s], name) == 0)
            return example->size_count == 1 ? "n" : strcmp(name, "B") == 0 ? "batch" : name;
    return NULL;
}

/* Returns a reach for what no index tells. */
static struct reach first_size(const struct example *example)
{
    return (struct reach){example->size_count > 0 ? size_name(example, example->size[0]) : "n",
                          SIZE_RANK};
}

/* ---- Reaches ---- */

static struct reach larger(struct reach left, struct reach right)
{
    return left.rank < right.rank ? right : left;
}

static const char *operand(const struct example *example, struct reach reach, const char *unless)
{
    return strpbrk(reach.text, unless) != NULL ? memory_text(example->memory, "(%s)", reach.text)
                                               : reach.text;
}

/* Returns left * right, left / right, or the right one of left % right. */
static struct reach combined(const struct example *example, struct reach left, char sign,
                             struct reach right)
{
    const char *unless = sign == '/' ? "+-*/" : "+-/";

    if (right.rank == 0 || (sign == '/' && left.rank == 0))
        return left;
    if (left.rank == 0 || sign == '%')
        return right;
    return (struct reach){memory_text(example->memory, "%s %c %s", operand(example, left, unless),
                                      sign, operand(example, right, unless)),
                          left.rank + (sign == '/' ? 0 : right.rank)};
}

static struct reach evaluate(struct example *example, size_t first);

/* Returns the largest reach that a comparison with the variable permits. Of equal ones, it is the
 * last one before the use at token `use`. */
static struct reach guard_of(struct example *example, const char *name, size_t use)
{
    struct reach most = one, reach;

    for (size_t k = example->open; k < example->close; k++) {
        size_t sign = k + (is(example, k + 1, "+ -") ? 3 : 1); /* i + 1 < n */
        if (is(example, k, name) && is(example, sign, "< <= > >=") &&
            source_close(example->source, sign) == sign) {
            reach = evaluate(example, sign + 1);
            most = k < use && reach.rank == most.rank ? reach : larger(most, reach);
        }
    }
    return most;
}

static struct reach evaluate_name(struct example *example, size_t k)
{
    size_t d = is(example, k + 2, "y") + 2u * is(example, k + 2, "z");
    const char *name = word(example, k), *size = size_name(example, name);
    size_t equals = definition(example, name);
    struct reach guard, value = one;

    if (is(example, k, "threadIdx blockDim blockIdx gridDim"))
        return is(example, k, "blockIdx gridDim") ? example->grid[d] : example->block[d];
    if (is(example, k + 1, "[")) /* an element may have the value of any byte */
        return (struct reach){"256", 1};
    if (size != NULL)
        return (struct reach){size, SIZE_RANK};
    if (meaning(example, name) != NULL)
        return (struct reach){meaning(example, name), 1};
    if (++example->guards > MOST_GUARDS)
        return one;
    guard = guard_of(example, name, k);
    if (equals != NO_MATCH)
        value = evaluate(example, equals + 1);
    return guard.rank >= SIZE_RANK && value.rank < BLOCK_RANK ? guard : larger(value, guard);
}

/* Evaluates the expression that begins there. A sum reaches as far as its largest term. So does a
 * list of arguments, but that of a macro such as INDEX(row, column, width) as far as their product.
 */
static struct reach evaluate(struct example *example, size_t first)
{
    bool is_list = is(example, first - 1, "("),
         is_macro = is_list && isupper((unsigned char)*word(example, first - 2));
    struct reach most = one, term = one;
    char sign = '*';

    for (size_t k = first; k < example->close && !is(example, k, "; ) ] } { && || ? :");
         k = source_close(example->source, k) + 1) {
        const struct source_token *token = &example->source->tokens[k];
        const char *text = word(example, k);
        struct reach own = one;
        if (*text == '(')
            own = evaluate(example, k + 1);
        else if (token->kind == SOURCE_NAME && !is(example, k + 1, "( <") &&
                 !is(example, k - 1, ". ->"))
            own = evaluate_name(example, k);
        else if (strtol(text, NULL, 0) > 1 && strspn(text, "0123456789") == strlen(text))
            own = (struct reach){text, 1};
        else if (is(example, k, "* / %"))
            sign = *text;
        else if (*text == ',' && !is_list)
            break;
        else if (strncmp(text, "atomic", 6) == 0)
            return first_size(example);
        else if (token->kind == SOURCE_OPERATOR && token->match == NO_MATCH && *text != '.') {
            if (is_macro && *text == ',' && strstr(most.text, term.text) == NULL)
                most = combined(example, most, '*', term);
            most = larger(most, term);
            term = one;
            sign = '*';
        }
        term = combined(example, term, sign, own);
        sign = own.rank > 0 ? '*' : sign;
    }
    return larger(most, term);
}

/* ---- Arrays ---- */

enum { READS = 1, WRITES = 2, UPDATES = 4 }; /* UPDATES: atomically */

struct use {
    unsigned int how;
    struct reach reach;
};

/* Returns how the code uses the element whose text is from `first` to before `after`. */
static unsigned int access_of(const struct example *example, size_t first, size_t after)
{
    size_t open = first - 1 - is(example, first - 1, "&");

    if (is(example, open, "(") && strncmp(word(example, open - 1), "atomic", 6) == 0)
        return UPDATES;
    while (is(example, after, "."))
        after += 2;
    if (is(example, after, "+= -= *= /= |= &= ^= ++ --") || is(example, first - 1, "& ++ --"))
        return READS | WRITES;
    return is(example, after, "=") ? WRITES : READS;
}

/* Adds the uses of an array, or of a pointer into it. */
static void use_name(struct example *example, const char *name, int depth, struct use *use)
{
    for (size_t k = example->open + 1; k < example->close; k++) {
        struct reach reach = one;
        size_t at = k + 1, equals = k;
        unsigned int how;
        if (!is(example, k, name) || is(example, at, "=") || is(example, k - 1, ". ->"))
            continue;
        for (; is(example, at, "["); at = source_close(example->source, at) + 1)
            reach = combined(example, reach, '*', evaluate(example, at + 1));
        while (!is(example, equals, "= ; {"))
            equals--;
        if (at == k + 1 && is(example, at, "+"))
            reach = evaluate(example, at + 1);
        how = access_of(example, k - (at == k + 1 && is(example, k - 1, "*")), at);
        if (at == k + 1 && is(example, equals - 2, "*") && depth < 2) /* T *row = x + i */
            use_name(example, word(example, equals - 1), depth + 1, use);
        else if (at > k + 1 || is(example, k - 1, "*") || how == UPDATES)
            use->how |= how;
        else {
            use->how |= READS | WRITES;
            if (example->size_count > 0 && is(example, at, ", )"))
                reach = first_size(example);
        }
        use->reach = larger(use->reach, reach);
    }
}

/* ---- The block and the grid ---- */

/* Chooses the block: TILE of "__shared__ float tile[TILE][TILE]" or "blockIdx.x * TILE". */
static void choose_block(struct example *example)
{
    static const struct reach usual[3][3] = {{{"256", 1}, {"1", 0}, {"1", 0}},
                                             {{"16", 1}, {"16", 1}, {"1", 0}},
                                             {{"8", 1}, {"8", 1}, {"4", 1}}};
    int count = example->declaration->block_dimensions;

    memcpy(example->block, usual[count - 1], sizeof example->block);
    for (size_t k = example->open; k < example->close && count < 3; k++) {
        size_t side = is(example, k, "__shared__")
                          ? source_find(example->source, k, example->close, "[ ;")
                          : k + 3;
        const char *name = word(example, side + 1);
        long number;
        name = meaning(example, name) != NULL ? meaning(example, name) : name;
        number = strtol(name, NULL, 0);
        if (is(example, k, "__shared__ blockIdx") && is(example, side, "[ *") &&
            (number > 0 ? number * count >= 32 && number <= (count > 1 ? 32 : 1024)
                        : meaning(example, name) != NULL))
            for (int d = 0; d < count; d++)
                example->block[d] = (struct reach){name, 1};
    }
}

/* Chooses a dimension of the grid, so that the coordinates made of blockIdx reach what bounds them.
 * Without a bound, the dimension is that of a size. */
static void choose_grid(struct example *example, int d)
{
    const char *block = example->block[d].text, *less;
    int size = (size_t)d < example->size_count ? d : (int)example->size_count - 1;
    struct reach bound = one;
    bool has_body = example->close > example->open + 1, is_counted; /* PTX has none */
    bool reads = !has_body, has_threads = !has_body;

    for (size_t k = example->open + 1; k < example->close; k++) {
        struct reach value, limit;
        reads = reads || (is(example, k - 1, "blockIdx") && *word(example, k + 1) == "xyz"[d]);
        example->grid[d] = (struct reach){"blocks", BLOCK_RANK};
        if (!is(example, k, "=") || definition(example, word(example, k - 1)) != k)
            continue;
        value = evaluate(example, k + 1);
        limit = guard_of(example, word(example, k - 1), k);
        if (value.rank < BLOCK_RANK || value.rank >= BLOCK_RANK + SIZE_RANK ||
            limit.rank >= BLOCK_RANK || limit.rank < bound.rank)
            continue;
        has_threads = value.rank > BLOCK_RANK || (limit.rank == bound.rank && has_threads);
        bound = limit;
    }
    is_counted = bound.rank == 0 && size < 0; /* the size of the case counts the blocks */
    if (bound.rank == 0 && reads)
        bound = (struct reach){size >= 0 ? size_name(example, example->size[size])
                               : d == 0  ? "n"
                                         : "2",
                               SIZE_RANK};
    less = isdigit((unsigned char)*block)
               ? memory_text(example->memory, "%ld", strtol(block, NULL, 0) - 1)
               : memory_text(example->memory, "%s - 1", block);
    if (has_threads && !is_counted)
        bound.text = memory_text(example->memory, "(%s + %s) / %s", bound.text, less, block);
    example->grid[d] = bound;
}

/* Returns the bytes of dynamic shared memory, after a comma, or "". */
static const char *shared_bytes(struct example *example)
{
    struct use use = {0, example->block[0]};
    size_t first = source_find(example->source, example->open, example->close, "extern"),
           name = source_find(example->source, first, example->close, "[") - 1;

    if (first == example->close)
        return "";
    use_name(example, word(example, name), 0, &use);
    first += is(example, first + 2, "__align__") ? 6 : 2;
    return memory_text(example->memory, ", %s * sizeof(%s)", operand(example, use.reach, "/"),
                       source_copy(example->memory, example->source, first, name));
}

/* ---- The launch ---- */

static const char *array_argument(struct example *example, const struct parameter *parameter,
                                  const char *type)
{
    bool is_const =
        strncmp(parameter->type, "const ", 6) == 0 || strstr(parameter->type, " const *") != NULL;
    bool is_double = parameter_is_to_pointer(parameter);
    struct reader reader = {type, NULL, 0};
    struct launch_type read;
    struct use use = {0, one};
    const char *role;

    use_name(example, parameter->name, 0, &use);
    role = is_const || use.how == READS ? "in"
           : use.how == WRITES          ? "out"
           : use.how == UPDATES         ? "zeros"
                                        : "inout";
    if (is_double || use.how == 0)
        use.reach = first_size(example);
    if (strcmp(type, "void") == 0)
        type = "char";
    else if (!launch_type_take(&reader, &read)) { /* a struct */
        use.reach.text =
            memory_text(example->memory, "%s * sizeof(%s)", operand(example, use.reach, "/"), type);
        type = "char";
    }
    return memory_text(example->memory, "%s %s %s%s%s[%s]", role, type, is_double ? "*" : "",
                       parameter->name, is_double ? "[4]" : "", use.reach.text);
}

static const char *argument(struct example *example, const struct parameter *parameter)
{
    const char *size = size_name(example, parameter->name), *type;
    char bare[NAME_TEXT];

    parameter_bare_type(parameter->type, bare);
    type = meaning(example, bare) != NULL ? meaning(example, bare) : bare;
    if (parameter->is_function)
        return parameter->name;
    if (parameter->is_pointer)
        return array_argument(example, parameter, type);
    if (strcmp(type, "cudaTextureObject_t") == 0 || strcmp(type, "cudaSurfaceObject_t") == 0)
        return memory_text(example->memory, "%s float %s[%s][%s]",
                           type[4] == 'T' ? "texture" : "surface inout", parameter->name,
                           first_size(example).text, first_size(example).text);
    if (strcmp(type, "float") == 0 || strcmp(type, "double") == 0)
        return type[0] == 'f' ? "1.5f" : "1.5";
    return size != NULL ? size : "3";
}

/* Takes the first integers among the parameters as sizes. */
static void find_sizes(struct example *example)
{
    const struct list *list = &example->declaration->parameters;

    for (size_t p = 0; p < list->count && example->size_count < MAX_SIZES; p++) {
        const struct parameter *parameter = (const struct parameter *)list->items + p;
        struct reader reader = {parameter->type, NULL, 0};
        struct launch_type type;
        if (!parameter->is_pointer && launch_type_take(&reader, &type) &&
            (type.element == ELEMENT_I32 || type.element == ELEMENT_I64))
            example->size[example->size_count++] = parameter->name;
    }
}

/* Returns the launch with the values of the sizes. One size `n` of a line has the usual values. */
static const char *with_sizes(const struct example *example, const char *launch)
{
    if (example->size_count < 2)
        return strstr(launch, "<<<(n") != NULL && strstr(launch, "n * n") == NULL
                   ? launch
                   : memory_text(example->memory, "%s --size 1,2,33,100", launch);
    for (size_t s = 0; s < example->size_count; s++)
        launch = memory_text(example->memory, "%s%s%s=%s", launch, s > 0 ? "," : " --size ",
                             size_name(example, example->size[s]),
                             example->size_count > 2 ? "1,8,17" : "1,16,33,100");
    return launch;
}

static const char *dimensions(const struct example *example, const struct reach all[3], int count)
{
    return count == 1
               ? all[0].text
               : memory_text(example->memory, count == 2 ? "dim3(%s, %s)" : "dim3(%s, %s, %s)",
                             all[0].text, all[1].text, all[2].text);
}

static int count_dimensions(const struct example *example, const char *words)
{
    int most = 1;

    for (size_t k = example->open; k < example->close; k++)
        if (is(example, k, words) && is(example, k + 2, most == 1 ? "y z" : "z"))
            most = is(example, k + 2, "z") ? 3 : 2;
    return most;
}

void example_launch(struct memory *memory, const struct source *source, size_t open, size_t close,
                    struct declaration *declaration)
{
    struct example all = {source, memory,      open,
                          close,  declaration, .grid = {{"1", 0}, {"1", 0}, {"1", 0}}};
    const struct parameter *names = declaration->template_parameters.items,
                           *parameters = declaration->parameters.items;
    size_t name_count = declaration->template_parameters.count;
    const char *launch = declaration->name;

    declaration->block_dimensions = count_dimensions(&all, "threadIdx");
    declaration->grid_dimensions = count_dimensions(&all, "blockIdx");
    find_sizes(&all);
    choose_block(&all);
    for (int d = 0; d < declaration->grid_dimensions; d++)
        choose_grid(&all, d);
    for (size_t t = 0; t < name_count; t++)
        launch =
            memory_text(memory, "%s%s%s", launch, t > 0 ? ", " : "<", meaning(&all, names[t].name));
    launch =
        memory_text(memory, "%s%s<<<%s, %s%s>>>(", launch, name_count > 0 ? ">" : "",
                    dimensions(&all, all.grid, declaration->grid_dimensions),
                    dimensions(&all, all.block, declaration->block_dimensions), shared_bytes(&all));
    for (size_t p = 0; p < declaration->parameters.count; p++)
        launch = memory_text(memory, "%s%s%s", launch, p > 0 ? ", " : "",
                             argument(&all, &parameters[p]));
    declaration->launch = with_sizes(&all, memory_text(memory, "%s)", launch));
}
