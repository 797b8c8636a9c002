/* SPDX-License-Identifier: MIT
 *
 * A barrier is right where all threads come by, and where it orders the accesses. Instead of
 * analysing the control flow, each candidate is tried: a barrier that some threads do not reach is
 * a fault, and one that orders nothing leaves the race. A barrier before a statement of the source
 * is in the PTX wherever code of that statement, or of a later one of its block, follows other
 * code.
 */
#include "barriers.h"

#include "barrier_places.h"
#include "case_id.h"
#include "identity.h"
#include "interrupt.h"
#include "shrink.h"
#include "source_path.h"
#include "tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_LINES = 16, /* that are tried for a race */
    MAX_CASES = 32, /* of the plan, besides the racing ones */
    MAX_TRIALS = 64,
    BUDGET = 256 * CASE_COST, /* of all trials, as in struct shrink_bounds */
};

/* A barrier that was tried. */
struct trial {
    struct barrier barriers[MAX_BARRIERS]; /* the last one is new */
    uint32_t count, helps;                 /* helps: how many were right before */
    uint64_t gone; /* bit k: no case has race k; 0 if a case fails in another way */
    bool others;   /* some case has another race */
    uint64_t cases;
    struct counterexample fault; /* that ended the trial; a pass: none did */
};

struct search {
    const struct session *session;
    struct supervisor *supervisor;
    const struct racing *racing;
    struct test_case tests[MAX_RACES_REPORTED]; /* the racing ones */
    size_t test_count;
    struct list stays; /* of struct staying, in that memory */
    struct memory *memory;
    struct barrier_code *code;
    char folder[TOOL_FOLDER];
    struct trial trials[MAX_TRIALS], helps[MAX_BARRIERS]; /* helps: those that are right */
    uint32_t count, help_count;
    uint64_t cost;
    enum engine_status status;
};

/* ---- Trials ---- */

/* The racing cases come first. The others are spread over the plan, large ones first. */
static void source_case(void *context, uint64_t index, struct test_case *test)
{
    const struct search *search = context;
    uint64_t all = plan_count(search->racing->plan), count = all < MAX_CASES ? all : MAX_CASES;

    if (index < search->test_count)
        *test = search->tests[index];
    else
        plan_case(search->racing->plan, (search->test_count + count - 1 - index) * all / count,
                  test);
}

/* Removes the races that the case still has. All are removed if it has another failure. */
static bool sink_case(void *context, uint64_t index, const struct test_case *test,
                      const struct outcome *outcome)
{
    struct search *search = context;
    struct trial *trial = &search->trials[search->count];

    (void)index;
    trial->cases++;
    search->cost += outcome->instructions + CASE_COST;
    for (int i = 0; i < RACE_IDENTITIES && outcome->race_identities[i] != 0; i++) {
        uint64_t same = 0;
        for (size_t k = 0; k < search->racing->count; k++) {
            const struct identity known = identity_of_race(&search->racing->races[k]);
            if (identity_hash(&known) == outcome->race_identities[i])
                same |= 1ull << k;
        }
        trial->others = true;
        trial->gone = same != 0 ? trial->gone & ~same : 0;
    }
    if (outcome->kind == OUTCOME_FAULT)
        trial->fault = (struct counterexample){.test = *test, .outcome = *outcome};
    if (outcome->kind == OUTCOME_FAULT ||
        (outcome->kind == OUTCOME_MISMATCH && outcome->race_identities[0] == 0) ||
        search->cost > BUDGET)
        trial->gone = 0;
    return trial->gone != 0;
}

static bool is_same(const struct trial *trial, const struct barrier *barrier, uint32_t helps)
{
    const struct barrier *last = &trial->barriers[trial->count - 1];

    return trial->helps == helps && last->place.function == barrier->place.function &&
           last->place.number == barrier->place.number && last->place.line == barrier->place.line &&
           last->place.level == barrier->place.level && last->is_of_warp == barrier->is_of_warp;
}

/* Makes a trial of the barrier and those of the same function that are right. */
static struct trial start_trial(const struct search *search, const struct barrier *barrier)
{
    struct trial trial = {.helps = search->help_count,
                          .gone = UINT64_MAX >> (64 - search->racing->count)};
    const struct trial *right = search->helps + search->help_count;

    for (uint32_t b = 0; trial.helps > 0 && b < right[-1].count; b++)
        if (right[-1].barriers[b].place.function == barrier->place.function)
            trial.barriers[trial.count++] = right[-1].barriers[b];
    trial.barriers[trial.count++] = *barrier;
    return trial;
}

/* Returns where the barriers of a trial are, in words. */
static const char *places_text(struct memory *memory, const struct trial *trial, const char *from)
{
    const char *text = "";
    char file[SOURCE_FILE];

    for (uint32_t b = 0; b < trial->count; b++) {
        const struct barrier *barrier = &trial->barriers[b];
        bool is_here;
        source_path_shorten(barrier->place.file, file, sizeof file);
        is_here = strcmp(file, from) == 0;
        text = memory_text(memory, "%s%s%s before %s%s%" PRIu32, text, b > 0 ? " and " : "",
                           barrier->is_of_warp ? "__syncwarp()" : "__syncthreads()",
                           is_here ? "line" : file, is_here ? " " : ":", barrier->place.line);
    }
    return text;
}

/* Takes the fault that ended a trial, if no race is left in its case. */
static void take_fault(struct search *search, const struct trial *trial)
{
    const struct outcome *outcome = &trial->fault.outcome;
    struct explanation explanation;

    if (outcome->kind == OUTCOME_FAULT && outcome->fault.kind == FAULT_UNINITIALIZED_READ &&
        supervisor_explain_case(search->supervisor, &trial->fault.test, &explanation) ==
            ENGINE_OK &&
        explanation.race_count == 0)
        LIST_ADD(search->memory, &search->stays, struct staying) =
            (struct staying){trial->fault, places_text(search->memory, trial, outcome->fault.file)};
}

/* Runs the cases with a barrier, unless they ran before. Returns null if no further one may run. */
static struct trial *try_barrier(struct search *search, const struct barrier *barrier)
{
    struct trial *trial = search->trials, *end = trial + search->count;
    uint64_t all = plan_count(search->racing->plan);
    char path[TOOL_FOLDER + 32];

    while (trial < end && !is_same(trial, barrier, search->help_count))
        trial++;
    if (trial < end)
        return trial;
    if (search->count == MAX_TRIALS || search->help_count == MAX_BARRIERS ||
        search->cost > BUDGET || search->status != ENGINE_OK || interrupt_came() ||
        bound_is_over(&search->session->sinks->bound))
        return NULL;
    *trial = start_trial(search, barrier);
    snprintf(path, sizeof path, "%s/%" PRIu32 ".ptx", search->folder, search->count);
    if (!barrier_write(search->code, trial->barriers, trial->count, path))
        return NULL;
    supervisor_use(search->supervisor, path,
                   search->session->code[supervisor_engine(search->supervisor)->id].launches);
    supervisor_ask(search->supervisor, REQUEST_RACE);
    search->status =
        supervisor_run(search->supervisor, search->test_count + (all < MAX_CASES ? all : MAX_CASES),
                       source_case, sink_case, search);
    search->count++;
    if (search->status == ENGINE_OK)
        take_fault(search, trial);
    return search->status == ENGINE_OK ? trial : NULL;
}

/* ---- Races ---- */

/* Tries barriers for race k, at best one that leaves no other race. Where __syncthreads() is right,
 * __syncwarp() may be, too. Returns the trial that is right, or null. */
static const struct trial *try_all(struct search *search, size_t k)
{
    const struct race *race = &search->racing->races[k];
    const struct trial *found = NULL, *of_warp = NULL;
    struct barrier barriers[MAX_BARRIER_PLACES];
    size_t count =
        barrier_places(search->code, race->first.ptx_line, race->second.ptx_line, barriers);

    for (size_t b = 0; b < count && (found == NULL || found->others); b++) {
        const struct trial *trial = try_barrier(search, &barriers[b]);
        if (trial != NULL && trial->gone >> k & 1 && (found == NULL || !trial->others))
            found = trial;
    }
    if (found != NULL && race->relation == RELATION_LANES) {
        struct barrier barrier = found->barriers[found->count - 1];
        barrier.is_of_warp = true;
        of_warp = try_barrier(search, &barrier);
    }
    return of_warp != NULL && of_warp->gone == found->gone && of_warp->others == found->others
               ? of_warp
               : found;
}

/* Returns the barriers that are right for race k, or null: those for an earlier race, or others. */
static const struct trial *find_help(struct search *search, size_t k)
{
    const struct race *race = &search->racing->races[k];
    const struct trial *found;

    for (uint32_t h = 0; h < search->help_count; h++)
        if (search->helps[h].gone >> k & 1)
            return &search->helps[h];
    if (race->strong || race->same_value || race->relation > RELATION_WARPS)
        return NULL;
    found = try_all(search, k);
    if (found == NULL)
        return NULL;
    search->helps[search->help_count] = *found;
    return &search->helps[search->help_count++];
}

static const char *help_text(const struct race *race, const struct trial *trial,
                             struct memory *memory)
{
    return memory_text(memory, "%s order%s them%s: %" PRIu64 " case%s without %s race or a fault",
                       places_text(memory, trial, race->first.file), trial->count == 1 ? "s" : "",
                       trial->others ? " (the other races stay)" : "", trial->cases,
                       trial->cases == 1 ? "" : "s", trial->others ? "this" : "a");
}

/* Searches again while further barriers are found, because they may be right only together. */
static void search_all(struct search *search, const char **help, struct memory *memory)
{
    uint32_t before;

    do {
        before = search->help_count;
        for (size_t k = 0; k < search->racing->count; k++) {
            const struct trial *found = help[k] == NULL ? find_help(search, k) : NULL;
            if (found != NULL)
                help[k] = help_text(&search->racing->races[k], found, memory);
        }
    } while (search->help_count > before);
}

struct list barriers_search(const struct session *session, enum engine_id engine,
                            const struct racing *racing, const char **help, struct memory *memory)
{
    struct session own = *session;
    struct memory large = {NULL};
    struct list stays;
    struct search *search = memory_take(&large, sizeof *search);
    char ids[2][CASE_ID_SIZE] = {"", ""}; /* of this case and the one before */

    for (size_t k = 0; k < racing->count; k++) {
        case_id_format(&racing->tests[k], &engine_kinds[engine], ids[k % 2]);
        if (strcmp(ids[0], ids[1]) != 0)
            search->tests[search->test_count++] = racing->tests[k];
    }
    own.limits.strict_barriers = true;
    own.jobs = 1;
    search->session = &own;
    search->racing = racing;
    search->memory = memory;
    if (own.code[engine].code != NULL)
        search->code = barrier_code_read(own.code[engine].code);
    if (search->code != NULL && session_open_beside(&own, engine, &search->supervisor)) {
        if (tool_make_folder("barrier", search->folder)) {
            search_all(search, help, memory);
            tool_remove_folder(search->folder);
        }
        session_close(&own, search->supervisor);
    }
    barrier_code_free(search->code);
    stays = search->stays;
    memory_free(&large);
    return stays;
}
