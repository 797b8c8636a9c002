/* SPDX-License-Identifier: MIT */
#include "points.h"

#include "decoder.h"
#include "entry_variable.h"

#include <stdlib.h>
#include <string.h>

uint32_t points_guard_mark(const struct function *function, uint32_t k)
{
    return function->blocks + 2 * k;
}

uint32_t points_mark_count(const struct function *function)
{
    uint32_t guards = 0;

    for (size_t i = 0; i < function->instruction_count; i++)
        guards += function->instructions[i].guard != NULL;
    return points_guard_mark(function, guards);
}

/* ---- The functions of a kernel ---- */

struct making {
    struct kernel_points *points;
    struct marked_point {
        struct source_point point;
        const uint32_t *mark;
    } * marked;
    size_t count;
    /* Conditional branches of the PTX: the place of the condition, and where its two paths
     * continue. */
    struct branch {
        struct source_point way[2];
        const uint32_t *marks;
    } * branches;
    size_t branch_count;
    bool is_full; /* out of memory */
};

/* Returns the array with room for one more item. It grows at powers of two. */
static void *with_room(struct making *making, void *array, size_t count, size_t size)
{
    void *grown =
        (count & (count - 1)) != 0 ? array : realloc(array, (count == 0 ? 1 : 2 * count) * size);

    making->is_full = making->is_full || grown == NULL;
    return grown != NULL ? grown : array;
}

static void add_function(struct making *making, const struct function_code *code)
{
    struct kernel_points *points = making->points;

    for (size_t f = 0; f < points->function_count; f++)
        if (points->functions[f] == code)
            return;
    if (code->ops == NULL)
        return;
    points->functions = with_room(making, points->functions, points->function_count,
                                  sizeof(const struct function_code *));
    if (!making->is_full)
        points->functions[points->function_count++] = code;
}

static void add_named(struct making *making, const struct module_code *module,
                      const struct function *function)
{
    for (size_t f = 0; function != NULL && f < module->module.function_count; f++)
        if (module->module.functions[f] == function)
            add_function(making, &module->functions[f]);
}

/* Adds functions whose address an instruction uses, to call or to launch them. */
static void add_operands(struct making *making, const struct module_code *module,
                         const struct operand *operands, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        add_named(making, module, operands[k].function);
        add_operands(making, module, operands[k].parts, operands[k].part_count);
    }
}

/* Adds functions whose address is in a variable, such as a table of virtual functions. */
static void add_relocations(struct making *making, const struct module_code *module)
{
    for (size_t v = 0; v < module->module.variable_count; v++) {
        const struct variable *variable = module->module.variables[v];
        if (entry_variable_name(variable->name) != NULL)
            continue;
        for (size_t r = 0; r < variable->relocation_count; r++)
            add_named(making, module,
                      module_function(&module->module, variable->relocations[r].symbol));
    }
}

static void add_callees(struct making *making, const struct function_code *code)
{
    for (uint32_t i = 0; i < code->op_count; i++) {
        if (code->ops[i].kind != OP_CALL)
            continue;
        if (code->ops[i].callee != NULL)
            add_function(making, code->ops[i].callee);
        else
            add_relocations(making, code->module);
    }
    for (size_t i = 0; i < code->function->instruction_count; i++)
        add_operands(making, code->module, code->function->instructions[i].operands,
                     code->function->instructions[i].operand_count);
}

/* ---- The points of a function ---- */

static void add_point(struct making *making, struct source_point point, const uint32_t *mark)
{
    struct marked_point *marked =
        with_room(making, making->marked, making->count, sizeof *making->marked);

    making->marked = marked;
    if (!making->is_full)
        marked[making->count++] = (struct marked_point){point, mark};
}

/* Adds the line of an instruction, and those of the calls into which it was inlined. */
static void add_lines(struct making *making, const struct module *module, struct location *location,
                      const uint32_t *mark)
{
    while ((location = decode_user_location(module, location)) != NULL) {
        add_point(making,
                  (struct source_point){.kind = POINT_LINE,
                                        .file = module_file(module, location).name,
                                        .line = location->line,
                                        .name = ""},
                  mark);
        location = location->inlined_at;
    }
}

/* Returns true if control always continues elsewhere after the instruction. */
static bool is_jump(const struct instruction *instruction)
{
    return instruction->label == NULL && instruction->guard == NULL &&
           strcmp(instruction->match.form->meaning, "@bra") == 0;
}

/* Returns the user's line at which the function continues from an instruction, or 0 if none
 * exists. */
static uint32_t line_from(const struct module *module, const struct function *function, size_t from)
{
    const struct location *location = NULL;
    size_t jumps = 0;

    for (size_t i = from; location == NULL && i < function->instruction_count; i++) {
        const struct instruction *instruction = &function->instructions[i];
        if (is_jump(instruction) && jumps++ < function->blocks)
            i = instruction->operands[0].value - 1;
        else if (instruction->label == NULL)
            location = decode_user_location(module, instruction->location);
    }
    return location != NULL ? location->line : 0;
}

/* Returns true for the branch that skips a launch if there is no memory for its parameters. The
 * source has no such condition. */
static bool is_of_launch(const struct function *function, size_t i)
{
    for (size_t k = i;
         k-- > 0 && function->instructions[k].block == function->instructions[i].block;)
        for (size_t o = 0; o < function->instructions[k].operand_count; o++) {
            const struct function *called = function->instructions[k].operands[o].function;
            if (called != NULL && strstr(called->name, "GetParameterBuffer") != NULL)
                return true;
        }
    return false;
}

static void add_branch(struct making *making, const struct module *module,
                       const struct function *function, size_t i, const uint32_t *marks)
{
    const struct instruction *branch = &function->instructions[i];
    const struct location *location = decode_user_location(module, branch->location);
    const size_t targets[] = {branch->operands[0].value, i + 1};
    struct branch *branches;

    if (location == NULL || is_of_launch(function, i))
        return;
    branches = with_room(making, making->branches, making->branch_count, sizeof *branches);
    making->branches = branches;
    if (making->is_full)
        return;
    branches += making->branch_count++;
    branches->marks = marks;
    for (int w = 0; w < 2; w++)
        branches->way[w] = (struct source_point){.kind = POINT_BRANCH,
                                                 .file = module_file(module, location).name,
                                                 .line = location->line,
                                                 .column = location->column,
                                                 .to = line_from(module, function, targets[w]),
                                                 .name = ""};
}

/* Adds the function itself, at the line of its first instruction. */
static void add_head(struct making *making, const struct function_code *code)
{
    const struct module *module = &code->module->module;
    struct location *location = NULL;

    for (size_t i = 0; location == NULL && i < code->function->instruction_count; i++) {
        location = code->function->instructions[i].location;
        while (location != NULL && location->inlined_at != NULL)
            location = location->inlined_at;
        location = decode_user_location(module, location);
    }
    if (location != NULL)
        add_point(making,
                  (struct source_point){.kind = POINT_FUNCTION,
                                        .file = module_file(module, location).name,
                                        .line = location->line,
                                        .name = code->name},
                  &code->marks[0]);
}

static void add_points(struct making *making, const struct function_code *code)
{
    const struct module *module = &code->module->module;
    const struct function *function = code->function;
    uint32_t guards = 0;

    add_head(making, code);
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct instruction *instruction = &function->instructions[i];
        const uint32_t *mark = &code->marks[instruction->block];
        if (instruction->label != NULL)
            continue;
        if (instruction->guard != NULL) {
            const uint32_t *marks = &code->marks[points_guard_mark(function, guards++)];
            if (strcmp(instruction->match.form->meaning, "@bra") == 0)
                add_branch(making, module, function, i, marks);
            else
                mark = marks;
        }
        add_lines(making, module, instruction->location, mark);
    }
}

/* ---- Conditions ---- */

/* Merges two branches of one condition. Compilers make several when they rotate, unroll and
 * unswitch loops. These have the place of the condition in common, but may continue at different
 * lines. If two of their paths continue at the same line, the other two paths are the same path
 * too. Both then get the lower of their lines. A path to the line of the condition itself is not
 * merged, because it may lead to the rest of it, as in `a && b`. */
static bool join(struct branch *one, struct branch *other)
{
    for (int w = 0; w < 2; w++)
        for (int v = 0; v < 2; v++) {
            uint32_t *a = &one->way[1 - w].to, *b = &other->way[1 - v].to;
            if (one->way[w].to != other->way[v].to || *a == *b || *a == one->way[w].line ||
                *b == one->way[w].line)
                continue;
            *a = *b = *a < *b ? *a : *b;
            return true;
        }
    return false;
}

static int compare_branches(const void *one, const void *other)
{
    return point_compare(&((const struct branch *)one)->way[0],
                         &((const struct branch *)other)->way[0]);
}

static bool has_one_place(const struct branch *one, const struct branch *other)
{
    return one->way[0].line == other->way[0].line && one->way[0].column == other->way[0].column &&
           strcmp(one->way[0].file, other->way[0].file) == 0;
}

static void join_all(struct branch *branches, size_t count)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (size_t k = 0; k < count; k++)
            for (size_t m = k + 1; m < count; m++)
                changed = join(&branches[k], &branches[m]) || changed;
    }
}

static void add_conditions(struct making *making)
{
    struct branch *branches = making->branches;
    size_t count;

    if (making->branch_count > 0)
        qsort(branches, making->branch_count, sizeof *branches, compare_branches);
    for (size_t first = 0; first < making->branch_count; first += count) {
        for (count = 1; first + count < making->branch_count &&
                        has_one_place(&branches[first], &branches[first + count]);)
            count++;
        join_all(branches + first, count);
    }
    for (size_t k = 0; k < making->branch_count; k++) {
        branches[k].way[1].way = branches[k].way[0].to == branches[k].way[1].to;
        add_point(making, branches[k].way[0], &branches[k].marks[0]);
        add_point(making, branches[k].way[1], &branches[k].marks[1]);
    }
}

/* ---- All together ---- */

static int compare(const void *one, const void *other)
{
    const struct marked_point *a = one, *b = other;
    int order = point_compare(&a->point, &b->point);

    return order != 0 ? order : (a->mark > b->mark) - (a->mark < b->mark);
}

/* Keeps each point once, with all its marks. */
static void settle(struct making *making)
{
    struct kernel_points *points = making->points;
    const struct marked_point *marked = making->marked;

    points->points = malloc((making->count + 1) * sizeof *points->points);
    points->reached = malloc((making->count + 1) * sizeof *points->reached);
    points->marks = malloc((making->count + 1) * sizeof *points->marks);
    making->is_full = making->is_full || points->points == NULL || points->reached == NULL ||
                      points->marks == NULL;
    if (making->is_full)
        return;
    if (making->count > 0)
        qsort(making->marked, making->count, sizeof *marked, compare);
    for (size_t k = 0; k < making->count; k++) {
        bool is_new = k == 0 || point_compare(&marked[k - 1].point, &marked[k].point) != 0;
        if (is_new)
            points->points[points->count++] = marked[k].point;
        if (is_new || marked[k - 1].mark != marked[k].mark)
            points->marks[points->mark_count++] =
                (struct point_mark){(uint32_t)points->count - 1, marked[k].mark};
    }
}

struct kernel_points *points_make(const struct function_code *kernel)
{
    struct making making = {.points = calloc(1, sizeof *making.points)};

    if (making.points == NULL)
        return NULL;
    add_function(&making, kernel);
    for (size_t f = 0; f < making.points->function_count; f++) {
        add_callees(&making, making.points->functions[f]);
        add_points(&making, making.points->functions[f]);
    }
    add_conditions(&making);
    settle(&making);
    free(making.marked);
    free(making.branches);
    if (!making.is_full)
        return making.points;
    points_free(making.points);
    return NULL;
}

void points_free(struct kernel_points *points)
{
    if (points == NULL)
        return;
    free(points->points);
    free(points->reached);
    free(points->marks);
    free(points->functions);
    free(points);
}

void points_read(const struct kernel_points *points)
{
    bool *reached = points->reached;

    memset(reached, 0, points->count * sizeof *reached);
    for (size_t k = 0; k < points->mark_count; k++)
        if (*points->marks[k].mark != 0)
            reached[points->marks[k].point] = true;
}

void points_clear(const struct kernel_points *points)
{
    for (size_t f = 0; f < points->function_count; f++) {
        const struct function_code *code = points->functions[f];
        memset(code->marks, 0, code->mark_count * sizeof *code->marks);
    }
}
