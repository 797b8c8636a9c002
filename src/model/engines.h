/* SPDX-License-Identifier: MIT
 *
 * The engines there are. A program is linked with one of them at the most (engine.h); this table is
 * for those who choose among them.
 */
#ifndef SIMTCHECK_ENGINE_ENGINES_H
#define SIMTCHECK_ENGINE_ENGINES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum engine_id {
    ENGINE_SIM,
    ENGINE_CUDA,
    ENGINE_CUDA_STRESS,
    ENGINES,
};

struct engine_kind {
    enum engine_id id;
    const char *name;
    bool simulates;    /* on a CPU: cases have a model and a schedule, and can be looked into */
    bool uses_a_gpu;   /* which is one, however many cores there are */
    bool runs_unasked; /* where nobody names an engine */
};

/* By id. */
extern const struct engine_kind engine_kinds[];

/* The engine of that name; null when there is none. */
const struct engine_kind *engine_kind_find(const char *name);

/* Engines that were chosen, each once. */
struct engine_list {
    const struct engine_kind *kinds[ENGINES];
    size_t count;
};

bool engine_list_has(const struct engine_list *list, enum engine_id engine);

/* Adds an engine, unless the list has it. */
void engine_list_add(struct engine_list *list, enum engine_id engine);

/* "sim, cuda or cuda-stress": all names, for messages. */
const char *engine_kind_names(void);

#ifdef __cplusplus
}
#endif

#endif
