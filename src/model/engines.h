/* SPDX-License-Identifier: MIT
 *
 * The table of engines. A program links at most one engine (engine.h), and this table names them
 * all.
 */
#ifndef SIMTCHECK_MODEL_ENGINES_H
#define SIMTCHECK_MODEL_ENGINES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum engine_id {
    ENGINE_SIM,
    ENGINE_CUDA,
    NAMED_ENGINES,                      /* those that options, case IDs and records can name */
    ENGINE_CUDA_STRESS = NAMED_ENGINES, /* only of `run --stress` */
    ENGINES,
};

struct engine_kind {
    enum engine_id id;
    const char *name;
    bool simulates;  /* on a CPU; cases have a model and a schedule, and can be examined */
    bool uses_a_gpu; /* a single one, however many cores there are */
};

/* Indexed by id. */
extern const struct engine_kind engine_kinds[];

/* Returns the named engine of that name, or null. */
const struct engine_kind *engine_kind_find(const char *name);

/* The selected engines, each once. */
struct engine_list {
    const struct engine_kind *kinds[ENGINES];
    size_t count;
};

bool engine_list_has(const struct engine_list *list, enum engine_id engine);

/* Adds an engine, unless the list has it. */
void engine_list_add(struct engine_list *list, enum engine_id engine);

/* Returns all names for messages: "sim or cuda". */
const char *engine_kind_names(void);

#ifdef __cplusplus
}
#endif

#endif
