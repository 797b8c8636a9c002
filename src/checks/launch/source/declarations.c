/* SPDX-License-Identifier: MIT */
#include "declarations.h"

#include "build.h"
#include "code_arguments.h"
#include "entry.h"
#include "error_report.h"
#include "example_launch.h"
#include "included.h"
#include "near_name.h"
#include "reader.h"
#include "source_tokens.h"
#include "tool.h"
#include "whole_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading ---- */

/* Reads "const float *x = 0", the tokens from `first` to before `end`. A parameter without a name
 * has the name "". */
static struct parameter read_parameter(struct memory *memory, const struct source *source,
                                       size_t first, size_t end)
{
    struct parameter parameter = {.name = ""};
    size_t value = source_find(source, first, end, "="),
           array = source_find(source, first, value, "["), type_end = array,
           open = source_find(source, first, value, "(");

    if (value < end)
        parameter.value = source_copy(memory, source, value + 1, end);
    if (type_end > first + 1 && source->tokens[type_end - 1].kind == SOURCE_NAME &&
        !source_is(source, type_end - 2, ":: unsigned") &&
        (type_end > first + 2 || !source_is(source, type_end - 2, "const")))
        parameter.name = source_copy(memory, source, type_end - 1, type_end), type_end--;
    if (open + 2 < value && source_is(source, open + 1, "*") &&
        source->tokens[open + 2].kind == SOURCE_NAME) { /* float (*f)(float) */
        parameter.name = source_copy(memory, source, open + 2, open + 3);
        parameter.is_function = true;
    }
    parameter.type = source_copy(memory, source, first, type_end);
    parameter.is_pointer = source_find(source, first, type_end, "*") < type_end || array < value;
    if (array < value)
        parameter.type = memory_text(memory, "%s *", parameter.type);
    return parameter;
}

/* Reads the parameters between two brackets. */
static struct list read_parameters(struct memory *memory, const struct source *source, size_t open,
                                   size_t close)
{
    struct list all = {NULL, 0};
    size_t first = open + 1;

    for (size_t k = first; k <= close; k++) {
        if (k < close && source_close(source, k) > k)
            k = source_close(source, k);
        else if ((k == close || source_is(source, k, ",")) && k > first) {
            struct parameter parameter = read_parameter(memory, source, first, k);
            if (parameter.name[0] == '\0')
                parameter.name = memory_text(memory, "x%zu", all.count);
            LIST_ADD(memory, &all, struct parameter) = parameter;
            first = k + 1;
        }
    }
    return all;
}

/* Writes the namespaces around that token, and the kernel's name. */
static const char *qualified(struct memory *memory, const struct source *source, size_t name)
{
    char *text = source_copy(memory, source, name, name + 1);

    for (size_t k = name; k-- > 2;) {
        size_t first = k; /* of "a::b" in "namespace a::b {" */
        if (!source_is(source, k, "{") || source->tokens[k].match == NO_MATCH ||
            source->tokens[k].match < name)
            continue;
        while (
            first > 1 &&
            (source->tokens[first - 1].kind == SOURCE_NAME || source_is(source, first - 1, "::")) &&
            !source_is(source, first - 1, "namespace"))
            first--;
        if (first < k && source_is(source, first - 1, "namespace"))
            text = memory_text(memory, "%s::%s", source_copy(memory, source, first, k), text);
    }
    return text;
}

void declarations_add(struct declarations *declarations, const char *text)
{
    struct memory *memory = &declarations->memory;
    const struct source_function *functions;
    struct source source;
    size_t count;

    source_read(text, strlen(text), &source);
    functions = source_functions(&source, &count);
    for (size_t f = 0; f < count; f++) {
        const struct source_function *function = &functions[f];
        size_t open = source_find(&source, function->first, function->name, "template");
        struct declaration declaration = {.name = qualified(memory, &source, function->name)};
        if (!function->is_kernel)
            continue;
        if (open + 1 < function->name && source.tokens[open + 1].match != NO_MATCH)
            declaration.template_parameters =
                read_parameters(memory, &source, open + 1, source.tokens[open + 1].match);
        declaration.parameters = read_parameters(memory, &source, function->name + 1,
                                                 source.tokens[function->name + 1].match);
        if (declaration.parameters.count == 1 &&
            strcmp(((struct parameter *)declaration.parameters.items)->type, "void") == 0)
            declaration.parameters.count = 0;
        example_launch(memory, &source, function->open, function->close, &declaration);
        LIST_ADD(memory, &declarations->all, struct declaration) = declaration;
    }
    source_free(&source);
}

/* Reads the kernels of a header. Only a text with the word has some. */
static void add_header(void *declarations, const char *text)
{
    if (strstr(text, "__global__") != NULL)
        declarations_add(declarations, text);
}

bool declarations_read(struct declarations *declarations, const char *path,
                       const char *const *flags, size_t flag_count)
{
    size_t size = 0;
    char *text = read_whole_file(path, &size);

    if (text == NULL)
        return false;
    text[size] = '\0';
    declarations_add(declarations, text);
    included_each(path, text, flags, flag_count, &declarations->headers, &declarations->memory,
                  add_header, declarations);
    free(text);
    return true;
}

static void add_entries(struct declarations *declarations, const struct entries *entries)
{
    char *text;

    for (size_t k = 0; (text = entries_declare(entries, k)) != NULL; k++) {
        declarations_add(declarations, text);
        free(text);
    }
}

static bool read_ptx(struct declarations *declarations, const char *path)
{
    char folder[TOOL_FOLDER], ptx[TOOL_FOLDER + 16], said[1024] = "";
    struct entries entries = {.text = NULL};
    bool good;

    if (!tool_make_folder("ptx", folder))
        return error_report("cannot make a folder for temporary files: %s", strerror(errno));
    snprintf(ptx, sizeof ptx, "%s/kernels.ptx", folder);
    good = build_take_ptx(path, ptx, said, sizeof said) &&
           entries_open(ptx, &entries, said, sizeof said);
    if (good)
        add_entries(declarations, &entries);
    entries_free(&entries);
    tool_remove_folder(folder);
    return good || error_report("cannot read '%s': %s", path, said);
}

bool declarations_of(struct declarations *declarations, const char *path, const char *const *flags,
                     size_t flag_count)
{
    if (build_is_ptx(path))
        return read_ptx(declarations, path);
    return declarations_read(declarations, path, flags, flag_count) ||
           error_report("cannot read '%s': %s", path, strerror(errno));
}

void declarations_free(struct declarations *declarations)
{
    memory_free(&declarations->memory);
    *declarations = (struct declarations){.all = {NULL, 0}};
}

/* ---- Finding ---- */

static bool is_exactly(const struct declaration *declaration, const char *name, size_t length)
{
    return strlen(declaration->name) == length && strncmp(declaration->name, name, length) == 0;
}

/* Returns true if a name of that length, as a launch has it, may mean that declaration: with or
 * without its namespaces. A kernel of exactly that name comes before those of other namespaces,
 * such as a library's. */
static bool is_called(const struct declaration *declaration, const char *name, size_t length)
{
    size_t whole = strlen(declaration->name);

    if (strncmp(name, "::", 2) == 0)
        return whole == length - 2 && strncmp(declaration->name, name + 2, whole) == 0;
    return length <= whole && strncmp(declaration->name + whole - length, name, length) == 0 &&
           (length == whole || declaration->name[whole - length - 1] == ':');
}

/* ---- Choosing ---- */

enum { MAX_DEDUCED = 8, TYPE_TEXT = TERM_TEXT + 32 };

/* Writes the type of an argument's elements, or of a number, in C++, without the '*' of the
 * parameter. */
static void argument_type(const struct launch_text *launch, const struct launch_argument *argument,
                          const struct parameter *parameter, char type[TYPE_TEXT])
{
    const struct step *number = &argument->value.steps[0];
    uint32_t name = launch_constant(launch, argument);
    char term[TERM_TEXT];

    if (name < MAX_NAMES) {
        code_argument_term(launch, name, term);
        snprintf(type, TYPE_TEXT, "decltype(simt_decayed(%s))", term);
    } else if (argument->is_view) {
        strcpy(type, "unsigned long long");
    } else if (argument->is_array) {
        const struct launch_array *array = &launch->arrays[argument->array];
        type[0] = '\0';
        if (array->members == 0 || array->has_pointers)
            launch_type_name(&array->type, type, NAME_TEXT);
        if (array->has_pointers && !parameter_is_to_pointer(parameter))
            strcat(type, " *");
    } else if (!launch_is_floating(launch, &argument->value))
        strcpy(type, "int");
    else /* 0.1 is a double, 0.1f is a float */
        strcpy(type,
               number->number.floating == (float)number->number.floating ? "float" : "double");
}

/* Returns how well a parameter takes an argument: 0 not at all, 2 exactly. */
static int fit(const struct launch_text *launch, const struct launch_argument *argument,
               const struct parameter *parameter)
{
    char own[TYPE_TEXT], wanted[NAME_TEXT];
    struct launch_type type;
    struct reader reader = {wanted, own, 0};

    argument_type(launch, argument, parameter, own);
    parameter_bare_type(parameter->type, wanted);
    if (launch_constant(launch, argument) < MAX_NAMES)
        return !parameter->is_pointer || parameter->is_function;
    if (argument->members > 0 || argument->is_map)
        return 1;
    if (argument->is_view)
        return !parameter->is_pointer;
    if (!argument->is_array && parameter->is_pointer)
        return expression_is_constant(&argument->value, 0);
    if (!launch_type_take(&reader, &type)) /* a type of the code, which may be any */
        return 1;
    if (argument->is_array && !parameter->is_pointer)
        return 0;
    if (argument->is_array && launch->arrays[argument->array].members > 0)
        return parameter_is_to_pointer(parameter);
    launch_type_name(&type, wanted, sizeof wanted);
    if (strcmp(own, wanted) == 0)
        return 2;
    return !argument->is_array ||
           element_size(type.element) == element_size(launch->arrays[argument->array].type.element);
}

/* Returns the sum of how well the parameters fit, from 1 on, or 0 if they do not. */
static int fits(const struct launch_text *launch, const struct launch_call *call,
                const struct declaration *declaration)
{
    const struct parameter *parameters = declaration->parameters.items;
    int sum = 1;

    if (call->argument_count > declaration->parameters.count)
        return 0;
    for (size_t p = 0; p < declaration->parameters.count; p++) {
        int own = p < call->argument_count
                      ? fit(launch, &launch->arguments[call->first_argument + p], &parameters[p])
                      : parameters[p].value != NULL;
        if (own == 0)
            return 0;
        sum += own;
    }
    return sum;
}

/* What the template parameters of a kernel stand for. */
struct deduced {
    size_t count;
    char type[MAX_DEDUCED][TYPE_TEXT];
};

/* Takes the template arguments that the launch gives, such as "<float, 4>". */
static void take_given(const char *list, struct deduced *deduced)
{
    int depth = 0;
    const char *start = list + 1;

    for (const char *at = list; *at != '\0' && deduced->count < MAX_DEDUCED; at++) {
        depth += (strchr("<({[", *at) != NULL) - (strchr(">)}]", *at) != NULL);
        if (depth != (*at == ','))
            continue;
        start += strspn(start, " ");
        if (at > start)
            snprintf(deduced->type[deduced->count++], TYPE_TEXT, "%.*s", (int)(at - start), start);
        start = at + 1;
    }
}

/* Finds the types of the other template parameters by the arguments' types. Returns false if a
 * template parameter is no type of a parameter. */
static bool deduce(const struct launch_text *launch, const struct launch_call *call,
                   const struct declaration *declaration, struct deduced *deduced)
{
    const struct parameter *names = declaration->template_parameters.items;
    const struct parameter *parameters = declaration->parameters.items;

    for (size_t t = deduced->count; t < declaration->template_parameters.count && t < MAX_DEDUCED;
         t++) {
        char *type = deduced->type[t], bare[NAME_TEXT];
        type[0] = '\0';
        for (size_t p = 0; p < call->argument_count && type[0] == '\0'; p++) {
            const struct launch_argument *argument = &launch->arguments[call->first_argument + p];
            parameter_bare_type(parameters[p].type, bare);
            if (strcmp(bare, names[t].name) == 0 && argument->members == 0 && !argument->is_map)
                argument_type(launch, argument, &parameters[p], type);
        }
        if (type[0] == '\0')
            return t > 0 && names[t].value != NULL; /* it and the later ones have defaults */
        deduced->count++;
    }
    return deduced->count == declaration->template_parameters.count;
}

/* Returns "&kernel<float, int>". */
static const char *instance_of(struct memory *memory, const struct declaration *declaration,
                               const struct deduced *deduced)
{
    const char *text = memory_text(memory, "&::%s<", declaration->name);

    for (size_t t = 0; t < deduced->count; t++)
        text = memory_text(memory, "%s%s%s", text, t > 0 ? ", " : "", deduced->type[t]);
    return memory_text(memory, "%s>", text);
}

/* Copies C++ with template parameters replaced by their types. */
static void replace_names(const char *from, const struct declaration *declaration,
                          const struct deduced *deduced, char *text, size_t size)
{
    const struct parameter *names = declaration->template_parameters.items;
    size_t used = 0;

    while (*from != '\0' && used < size) {
        size_t length = reader_name_length(from), t = 0;
        length = length > 0 ? length : 1;
        while (t < deduced->count &&
               (strlen(names[t].name) != length || strncmp(from, names[t].name, length) != 0))
            t++;
        used += (size_t)snprintf(text + used, size - used, "%.*s",
                                 t < deduced->count ? TYPE_TEXT : (int)length,
                                 t < deduced->count ? deduced->type[t] : from);
        from += length;
    }
}

/* Returns the address of one of several kernels, or templates, that `address` may be. If the
 * preprocessor removed the others, it is that of the only one, whatever its type: simt_type() is in
 * user_code.c. */
static const char *cast_to(struct memory *memory, const struct declaration *declaration,
                           const struct deduced *deduced, const char *address)
{
    const struct parameter *parameters = declaration->parameters.items;
    const char *text = "static_cast<decltype(simt_type<void (*)(";
    char type[NAME_TEXT];

    for (size_t p = 0; p < declaration->parameters.count; p++) {
        replace_names(parameters[p].type, declaration, deduced, type, sizeof type);
        text = memory_text(memory, "%s%s%s", text, p > 0 ? ", " : "", type);
    }
    return memory_text(memory, "%s)>(%s, 0))>(%s)", text, address, address);
}

/* Adds the defaults of template parameters. */
static void add_defaults(const struct declaration *declaration, struct deduced *deduced)
{
    const struct parameter *names = declaration->template_parameters.items;

    for (size_t t = deduced->count;
         t < declaration->template_parameters.count && t < MAX_DEDUCED && names[t].value != NULL;
         t++)
        snprintf(deduced->type[deduced->count++], TYPE_TEXT, "%s", names[t].value);
}

/* Adds default arguments. */
static void complete(struct launch_text *launch, uint32_t call,
                     const struct declaration *declaration, struct deduced *deduced)
{
    const struct parameter *parameters = declaration->parameters.items;
    char text[2 * NAME_TEXT] = "", error[256];
    bool good = true;

    add_defaults(declaration, deduced);

    for (size_t p = launch->calls[call].argument_count; good && p < declaration->parameters.count;
         p++) {
        replace_names(parameters[p].value, declaration, deduced, text, sizeof text);
        good = launch_add_argument(launch, call, text, error, sizeof error);
    }
}

/* The kernels that a call may mean. */
struct choice {
    const struct declaration *first, *best; /* the first of its name; the one that fits best */
    size_t count, same;                     /* of its name; of them, those that fit as well */
};

/* Returns whether an earlier kernel has the same name and parameters, as in another branch of the
 * preprocessor. */
static bool is_repeated(const struct declarations *declarations, size_t d)
{
    const struct declaration *all = declarations->all.items;
    const struct parameter *own = all[d].parameters.items;

    for (size_t e = 0; e < d; e++) {
        const struct parameter *its = all[e].parameters.items;
        bool is_same = strcmp(all[e].name, all[d].name) == 0 &&
                       all[e].parameters.count == all[d].parameters.count;
        for (size_t p = 0; is_same && p < all[d].parameters.count; p++)
            is_same = strcmp(own[p].type, its[p].type) == 0;
        if (is_same)
            return true;
    }
    return false;
}

static struct choice choose(const struct declarations *declarations,
                            const struct launch_text *launch, const struct launch_call *call)
{
    const struct declaration *all = declarations->all.items;
    struct choice choice = {NULL, NULL, 0, 0};
    size_t length = strcspn(call->kernel, "<");
    bool has_exact = false;
    int most = 0;

    while (length > 0 && call->kernel[length - 1] == ' ')
        length--;
    for (size_t d = 0; d < declarations->all.count; d++)
        has_exact = has_exact || is_exactly(&all[d], call->kernel, length);
    for (size_t d = 0; d < declarations->all.count; d++) {
        int sum;
        if (!is_called(&all[d], call->kernel, length) || is_repeated(declarations, d) ||
            (has_exact && !is_exactly(&all[d], call->kernel, length)))
            continue;
        choice.first = choice.first == NULL ? &all[d] : choice.first;
        choice.count++;
        sum = fits(launch, call, &all[d]);
        if (sum > most)
            choice.same = 0, choice.best = &all[d], most = sum;
        choice.same += sum > 0 && sum == most;
    }
    return choice;
}

/* Writes that no kernel has that name, and the names of those there are. */
static void list_kernels(const struct declarations *declarations, const char *name, char *text,
                         size_t size)
{
    const struct declaration *all = declarations->all.items;
    struct near_name near = {.word = name};
    size_t used;

    for (size_t d = 0; d < declarations->all.count; d++) {
        const char *colon = strrchr(all[d].name, ':');
        near_name_offer(&near, all[d].name);
        near_name_offer(&near, colon != NULL ? colon + 1 : all[d].name);
    }
    used = (size_t)snprintf(text, size, "the text of the files has no kernel '%s'%s It has", name,
                            near.text[0] != '\0' ? near.text : ".");
    for (size_t d = 0; d < declarations->all.count && used < size; d++)
        if (d == 0 || strcmp(all[d].name, all[d - 1].name) != 0) /* it is not overloaded */
            used +=
                (size_t)snprintf(text + used, size - used, "%s %s", d > 0 ? "," : "", all[d].name);
}

/* Returns a variable of the kernel that is always 0, because the launch lacks its dimension. */
static const char *unused_dimension(const struct declaration *declaration,
                                    const struct launch_call *call)
{
    static const char *const names[] = {"threadIdx.y", "threadIdx.z", "blockIdx.y", "blockIdx.z"};

    for (int k = 0; k < 4; k++)
        if (k % 2 + 1 < (k < 2 ? declaration->block_dimensions : declaration->grid_dimensions) &&
            expression_is_constant(&(k < 2 ? call->block : call->grid)[k % 2 + 1], 1))
            return names[k];
    return NULL;
}

/* Notes an array of integers for a pointer to floats of that size, or the reverse: the compiler
 * does not see the array's type. */
static void compare_elements(struct launch_text *launch, struct launch_call *call,
                             const struct declaration *declaration)
{
    const struct parameter *parameters = declaration->parameters.items;

    for (uint32_t a = 0; a < call->argument_count && a < declaration->parameters.count; a++) {
        const struct launch_argument *argument = &launch->arguments[call->first_argument + a];
        const struct launch_array *array = &launch->arrays[argument->array % MAX_ARRAYS];
        char wanted[NAME_TEXT], own[NAME_TEXT], error[256];
        struct reader reader = {wanted, error, sizeof error};
        struct launch_type type;
        parameter_bare_type(parameters[a].type, wanted);
        if (!argument->is_array || array->members > 0 || !launch_type_take(&reader, &type) ||
            element_size(type.element) != element_size(array->type.element) ||
            element_size(type.element) == 1 ||
            element_is_float(type.element) == element_is_float(array->type.element))
            continue;
        launch_type_name(&array->type, own, sizeof own);
        snprintf(error, sizeof error,
                 "'%.64s' has elements of type %.32s, but the parameter of %.64s points to %.32s",
                 array->name, own, call->kernel, wanted);
        call->unlike = kept_text(error, strlen(error));
    }
}

const char *declarations_resolve(struct declarations *declarations, struct launch_text *launch,
                                 uint32_t call, char *hint, size_t hint_size)
{
    struct memory *memory = &declarations->memory;
    const struct launch_call *own = &launch->calls[call];
    const char *list = strchr(own->kernel, '<');
    size_t length = list != NULL ? (size_t)(list - own->kernel) : strlen(own->kernel);
    const struct choice choice = choose(declarations, launch, own);
    const struct declaration *best = choice.best;
    struct deduced deduced = {.count = 0};
    const char *address = memory_text(memory, "&%s", own->kernel);
    bool is_part;

    if (choice.first == NULL && declarations->all.count > 0)
        list_kernels(declarations, kept_text(own->kernel, length), hint, hint_size);
    if (choice.first == NULL)
        return address;
    if (strlen(choice.first->name) > length) /* it is in a namespace that the launch leaves out */
        address = memory_text(memory, "&::%s%s", choice.first->name, list != NULL ? list : "");
    launch->calls[call].unused = unused_dimension(best != NULL ? best : choice.first, own);
    if (best == NULL) {
        snprintf(hint, hint_size, "a launch of %s: %s", choice.first->name, choice.first->launch);
        return address;
    }
    if (list == NULL && choice.count > 1 && choice.same == 1)
        address = cast_to(memory, best, &deduced, memory_text(memory, "&::%s", best->name));
    else if (list == NULL && choice.count > 1)
        snprintf(hint, hint_size,
                 "the launch fits several kernels of the name %s: declare each array with the type "
                 "of its parameter, and cast numbers, as in (float)n",
                 own->kernel);
    if (list != NULL)
        take_given(list, &deduced);
    is_part = deduced.count < best->template_parameters.count;
    if (is_part && best->template_parameters.count > 0) {
        if (deduce(launch, own, best, &deduced))
            address = instance_of(memory, best, &deduced);
        else if (list == NULL)
            snprintf(hint, hint_size,
                     "%s is a template: give its arguments, as in %s<float><<<...>>>(...)",
                     own->kernel, own->kernel);
    }
    if (list != NULL && choice.count > 1 && choice.same == 1)
        address = cast_to(memory, best, &deduced, address);
    complete(launch, call, best, &deduced);
    compare_elements(launch, &launch->calls[call], best);
    return address;
}
