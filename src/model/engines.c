/* SPDX-License-Identifier: MIT */
#include "engines.h"
#include "outcome_tables.h"

const struct engine_kind engine_kinds[] = {
    [ENGINE_SIM] = {ENGINE_SIM, "sim", .simulates = true},
    [ENGINE_CUDA] = {ENGINE_CUDA, "cuda", .uses_a_gpu = true},
    [ENGINE_CUDA_STRESS] = {ENGINE_CUDA_STRESS, "cuda-stress", .uses_a_gpu = true},
};
const struct words engine_words = {&engine_kinds[0].name, sizeof *engine_kinds, NAMED_ENGINES};
_Static_assert(sizeof engine_kinds / sizeof *engine_kinds == ENGINES, "a row for each engine");

const struct engine_kind *engine_kind_find(const char *name)
{
    unsigned int engine = words_value(&engine_words, name);

    return engine < NAMED_ENGINES ? &engine_kinds[engine] : NULL;
}

bool engine_list_has(const struct engine_list *list, enum engine_id engine)
{
    for (size_t e = 0; e < list->count; e++)
        if (list->kinds[e]->id == engine)
            return true;
    return false;
}

void engine_list_add(struct engine_list *list, enum engine_id engine)
{
    if (!engine_list_has(list, engine))
        list->kinds[list->count++] = &engine_kinds[engine];
}

const char *engine_kind_names(void)
{
    static char names[32 * ENGINES];

    return words_list(&engine_words, "", names, sizeof names);
}
