/* SPDX-License-Identifier: MIT */
#include "capability.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *chapter, *title;
} chapters[] = {
    {"9.7.1", "Integer arithmetic"},
    {"9.7.2", "Extended-precision integers"},
    {"9.7.3", "Floating point"},
    {"9.7.4", "Half precision"},
    {"9.7.5", "Mixed precision"},
    {"9.7.6", "Comparison and selection"},
    {"9.7.7", "Comparison of half precision"},
    {"9.7.8", "Logic and shifts"},
    {"9.7.9", "Data movement and conversion"},
    {"9.7.10", "Textures"},
    {"9.7.11", "Surfaces"},
    {"9.7.12", "Control flow"},
    {"9.7.13", "Synchronization and communication"},
    {"9.7.14", "Matrix instructions of a warp"},
    {"9.7.15", "Asynchronous matrix instructions"},
    {"9.7.16", "Tensor cores of the fifth generation"},
    {"9.7.17", "Stack"},
    {"9.7.18", "Video"},
    {"9.7.19", "Miscellaneous"},
};

static const struct form *const tables[] = {
    arithmetic_forms, lowered_forms, memory_forms, async_forms,   cluster_forms,
    group_forms,      control_forms, matrix_forms, texture_forms, unsupported_forms};

enum { TABLES = sizeof tables / sizeof *tables };

static bool is_in(const struct form *form, const char *chapter)
{
    size_t length = strlen(chapter);

    return strncmp(form->section, chapter, length) == 0 &&
           (form->section[length] == '.' || form->section[length] == '\0');
}

static size_t name_length(const struct form *form)
{
    return strcspn(form->pattern, ".[(");
}

/* Adds a form to a list that ends with null. */
static bool add_form(const struct form ***list, const struct form *form)
{
    const struct form **more;
    size_t count = 0;

    while (*list != NULL && (*list)[count] != NULL)
        count++;
    more = realloc(*list, (count + 2) * sizeof(*list)[0]);
    if (more == NULL)
        return false;
    more[count] = form;
    more[count + 1] = NULL;
    *list = more;
    return true;
}

/* Adds a form to its instruction, which is a new one if none has its name and chapter. */
static bool add(struct capability *list, size_t *count, const struct form *form, bool is_missing,
                size_t chapter)
{
    struct capability *capability = NULL;

    for (size_t k = 0; k < *count && capability == NULL; k++)
        if (list[k].chapter == chapters[chapter].chapter &&
            strlen(list[k].name) == name_length(form) &&
            strncmp(list[k].name, form->pattern, name_length(form)) == 0)
            capability = &list[k];
    if (capability == NULL) {
        capability = &list[(*count)++];
        snprintf(capability->name, sizeof capability->name, "%.*s", (int)name_length(form),
                 form->pattern);
        capability->chapter = chapters[chapter].chapter;
        capability->title = chapters[chapter].title;
    }
    return add_form(is_missing ? &capability->missing : &capability->forms, form);
}

struct capability *capabilities_list(size_t *count)
{
    size_t most = 0;
    struct capability *list;
    bool good;

    for (size_t t = 0; t < TABLES; t++)
        for (const struct form *form = tables[t]; form->pattern != NULL; form++)
            most++;
    list = calloc(most, sizeof *list);
    *count = 0;
    good = list != NULL;
    for (size_t c = 0; c < sizeof chapters / sizeof *chapters; c++)
        for (size_t t = 0; t < TABLES; t++)
            for (const struct form *form = tables[t]; good && form->pattern != NULL; form++)
                if (is_in(form, chapters[c].chapter))
                    good = add(list, count, form, tables[t] == unsupported_forms, c);
    if (good)
        return list;
    capabilities_free(list, list != NULL ? *count : 0);
    return NULL;
}

void capabilities_free(struct capability *list, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        free(list[k].forms);
        free(list[k].missing);
    }
    free(list);
}

const char *capability_status_name(enum capability_status status)
{
    static const char *const names[] = {"supported", "in part", "rejected"};

    return names[status];
}

enum capability_status capability_status(const struct capability *capability)
{
    return capability->forms == NULL     ? CAPABILITY_REJECTED
           : capability->missing != NULL ? CAPABILITY_IN_PART
                                         : CAPABILITY_SUPPORTED;
}
