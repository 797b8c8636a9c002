/* SPDX-License-Identifier: MIT
 *
 * A stronger access or fence never allows more executions. So if a set of strengths races, then
 * every set that is nowhere stronger races too. The search keeps sets that race. It tries the
 * cheapest set that is stronger than each of them at some place. If that races, it is strengthened
 * where it still races, and kept. If not, it is the repair, and all cheaper sets race.
 *
 * The method is that of implicit hitting sets: Moreno-Centeno and Karp, Operations Research 61(2),
 * 2013.
 */
#include "repair.h"

#include "executions.h"
#include "interrupt.h"
#include "places.h"
#include "shrink.h"
#include "tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MIN_SEEDS = 64,   /* random schedules before all executions */
    MAX_SEEDS = 4096, /* the same, if fewer did not suffice or there are too many executions */
    MAX_TRIALS = 1000,
    MAX_SETS = 128,
    TOO_MUCH = (MAX_CHANGES + 1) * COST_OF_CHANGE,
};

static const uint64_t BUDGET = UINT64_C(50000) * CASE_COST; /* of all trials */

/* Sets of strengths: one for each place. */
struct sets {
    struct strength of[MAX_SETS][MAX_PLACES];
    size_t count;
};

struct search {
    const struct session *session;
    struct supervisor *supervisor;
    const struct code_files *files;
    const struct test_case *test;
    char *text; /* of the PTX */
    struct place places[MAX_PLACES];
    size_t count;
    struct sets racing;               /* that race */
    struct sets quiet;                /* for which no random execution raced */
    struct strength best[MAX_PLACES]; /* the cheapest set that may not race */
    uint64_t best_cost;
    char folder[TOOL_FOLDER];
    uint32_t trials;
    uint64_t cost;  /* of all trials, as in struct shrink_bounds */
    uint64_t seeds; /* of a trial */
    enum engine_status status;
    struct executions_record executions; /* of the current trial */
    bool races;                          /* one of them did */
};

/* ---- Sets of strengths ---- */

static void set_strongest(struct place *places, size_t count)
{
    for (size_t k = 0; k < count; k++)
        places[k].now = places[k].strengths[places[k].count - 1];
}

static void set_original(struct place *places, size_t count)
{
    for (size_t k = 0; k < count; k++)
        places[k].now = places[k].strengths[0];
}

/* Keeps the current set. */
static void keep(const struct search *search, struct sets *sets)
{
    if (sets->count == MAX_SETS)
        return;
    for (size_t k = 0; k < search->count; k++)
        sets->of[sets->count][k] = search->places[k].now;
    sets->count++;
}

/* Returns a racing set that includes the current one, or null. */
static const struct strength *find_racing(const struct search *search)
{
    for (size_t r = 0; r < search->racing.count; r++) {
        const struct strength *set = search->racing.of[r];
        size_t k = 0;
        while (k < search->count && strength_includes(set[k], search->places[k].now))
            k++;
        if (k == search->count)
            return set;
    }
    return NULL;
}

/* Returns whether the current set includes a quiet one. */
static bool is_quiet(const struct search *search)
{
    for (size_t q = 0; q < search->quiet.count; q++) {
        const struct strength *set = search->quiet.of[q];
        size_t k = 0;
        while (k < search->count && strength_includes(search->places[k].now, set[k]))
            k++;
        if (k == search->count)
            return true;
    }
    return false;
}

/* ---- Trials ---- */

static bool take_execution(void *context, const struct test_case *test,
                           const struct outcome *outcome)
{
    struct search *search = context;

    search->executions.number++;
    search->cost += outcome->instructions + CASE_COST;
    if (progress_is_due(&search->session->sinks->progress))
        progress_say(&search->session->sinks->progress,
                     "%s: looking for a repair: trial %" PRIu32 ", execution %" PRIu64,
                     test->variant->id, search->trials, search->executions.number);
    search->races = outcome->kind == OUTCOME_FAULT || outcome->races > outcome->same_value;
    return !search->races;
}

static void source_seed(void *context, uint64_t index, struct test_case *test)
{
    const struct search *search = context;

    *test = *search->test;
    test->schedule = (struct schedule){SCHEDULE_WEAK, index, {0}};
}

static bool sink_seed(void *context, uint64_t index, const struct test_case *test,
                      const struct outcome *outcome)
{
    (void)index;
    return take_execution(context, test, outcome);
}

static bool may_go_on(const struct search *search)
{
    return search->status == ENGINE_OK && search->trials < MAX_TRIALS && search->cost < BUDGET &&
           !interrupt_came() && !bound_is_over(&search->session->sinks->bound);
}

/* Makes the workers use the current set. */
static void use_set(struct search *search)
{
    char path[TOOL_FOLDER + 32], last[TOOL_FOLDER + 32];

    snprintf(last, sizeof last, "%s/%" PRIu32 ".ptx", search->folder, search->trials - 1);
    snprintf(path, sizeof path, "%s/%" PRIu32 ".ptx", search->folder, search->trials++);
    if (!places_write(search->text, search->places, search->count, path))
        search->status = supervisor_out_of_memory(search->supervisor);
    supervisor_use(search->supervisor, path, search->files->launches);
    supervisor_ask(search->supervisor, REQUEST_RACE);
    remove(last);
    search->races = false;
}

/* Runs random executions of the set in use. They find most races soon. */
static void run_seeds(struct search *search, uint64_t count)
{
    if (may_go_on(search))
        search->status = supervisor_run(search->supervisor, count, source_seed, sink_seed, search);
}

/* Returns whether a random execution of the current set races. */
static bool races_by_chance(struct search *search)
{
    if (find_racing(search) != NULL)
        return true;
    if (is_quiet(search) || !may_go_on(search))
        return false;
    use_set(search);
    run_seeds(search, search->seeds);
    if (!search->races)
        keep(search, &search->quiet);
    return search->races;
}

/* Returns whether no execution of the current set races. */
static bool is_repaired(struct search *search)
{
    if (races_by_chance(search) || !may_go_on(search))
        return false;
    use_set(search);
    search->executions = (struct executions_record){.number = 0};
    search->status = executions_run(search->supervisor, *search->test, take_execution, search,
                                    &search->executions.all);
    if (!search->races && !search->executions.all) {
        const struct executions_record first = search->executions;
        run_seeds(search, MAX_SEEDS);
        search->executions = first;
        search->executions.random = MAX_SEEDS;
    }
    if (search->races && search->seeds < MAX_SEEDS) { /* too few seeds */
        search->seeds *= 4;
        search->quiet.count = 0;
    }
    return may_go_on(search) && !search->races;
}

/* ---- The cheapest set ---- */

/* Strengthens the places as far as the set still races. */
static void strengthen(struct search *search, size_t first, size_t count)
{
    struct place *places = &search->places[first];
    struct strength before[MAX_PLACES];

    for (size_t k = 0; k < count; k++)
        before[k] = places[k].now;
    set_strongest(places, count);
    if (races_by_chance(search))
        return;
    for (size_t k = 0; k < count; k++)
        places[k].now = before[k];
    if (count > 1) {
        strengthen(search, first, count / 2);
        strengthen(search, first + count / 2, count - count / 2);
        return;
    }
    for (size_t k = places->count; k-- > 1;) {
        places->now = places->strengths[k];
        if (strength_includes(before[0], places->now) ||
            (strength_includes(places->now, before[0]) && races_by_chance(search)))
            return;
    }
    places->now = before[0];
}

/* Finds the cheapest set that includes the current one, whose cost is given, and is in no racing
 * set. */
static void find_cheapest(struct search *search, uint64_t cost)
{
    const struct strength *racing = find_racing(search);

    if (racing == NULL) {
        search->best_cost = cost;
        for (size_t k = 0; k < search->count; k++)
            search->best[k] = search->places[k].now;
        return;
    }
    for (size_t k = 0; k < search->count; k++) {
        struct place *place = &search->places[k];
        const struct strength before = place->now;
        uint64_t others = cost - strength_cost(place->operation, place->strengths[0], before);
        for (size_t s = 1; s < place->count; s++) {
            struct strength now = place->strengths[s];
            uint64_t all = others + strength_cost(place->operation, place->strengths[0], now);
            if (all >= search->best_cost || !strength_includes(now, before) ||
                strength_includes(racing[k], now))
                continue;
            place->now = now;
            find_cheapest(search, all);
        }
        place->now = before;
    }
}

/* Sets the cheapest strengths that may not race. Returns false if all race. */
static bool set_cheapest(struct search *search)
{
    set_original(search->places, search->count);
    search->best_cost = TOO_MUCH;
    find_cheapest(search, 0);
    for (size_t k = 0; search->best_cost < TOO_MUCH && k < search->count; k++)
        search->places[k].now = search->best[k];
    return search->best_cost < TOO_MUCH;
}

/* Leaves the cheapest repair in the places. Returns null, or why there is none. */
static const char *search_all(struct search *search)
{
    static const char none[] = "no scope, order or fence repairs it";

    set_strongest(search->places, search->count);
    if (races_by_chance(search))
        return none;
    set_original(search->places, search->count);
    do {
        strengthen(search, 0, search->count);
        keep(search, &search->racing);
        if (!set_cheapest(search))
            return none;
        if (is_repaired(search))
            return NULL;
    } while (may_go_on(search) && search->racing.count < MAX_SETS);
    return "the search for a repair was cut because it takes too long";
}

/* ---- Input and output ---- */

static char *read_text(const char *path)
{
    FILE *from = fopen(path, "rb");
    char *text = NULL;
    size_t size = 0;
    FILE *to = from != NULL ? open_memstream(&text, &size) : NULL;

    for (int c; to != NULL && (c = getc(from)) != EOF;)
        putc(c, to);
    if (from != NULL)
        fclose(from);
    if (to != NULL && fclose(to) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

static bool is_strong_side(const struct race_side *side)
{
    return (side->access & (ACCESS_ATOMIC | ACCESS_VOLATILE)) != 0 || side->scope[0] != '\0';
}

/* Leaves plain accesses plain, unless they race with a strong one. */
static void keep_plain(struct search *search, const struct list *racing)
{
    const struct race *races = racing->items;

    for (size_t k = 0; k < search->count; k++) {
        struct place *place = &search->places[k];
        bool may_change = !place->is_plain;
        for (size_t r = 0; r < racing->count; r++)
            may_change = may_change ||
                         (is_strong_side(&races[r].first) != is_strong_side(&races[r].second) &&
                          (races[r].first.ptx_line == (int)place->ptx_line ||
                           races[r].second.ptx_line == (int)place->ptx_line));
        if (!may_change)
            place->count = 1;
    }
}

static bool has_strong(const struct search *search)
{
    for (size_t k = 0; k < search->count; k++)
        if (search->places[k].strengths[0].order != ORDER_NONE &&
            search->places[k].operation != OPERATION_FENCE)
            return true;
    return false;
}

static void take_changes(const struct search *search, struct memory *memory,
                         struct repair_record *repair)
{
    for (size_t k = 0; k < search->count && repair->changes.count < MAX_CHANGES; k++) {
        const struct place *place = &search->places[k];
        struct repair_change *change;

        if (strength_cost(place->operation, place->strengths[0], place->now) == 0)
            continue;
        change = list_add(memory, &repair->changes, sizeof *change);
        places_locate(search->text, place, change->place, sizeof change->place);
        change->ptx_line = place->ptx_line;
        if (!place->is_new)
            strength_format(place->operation, place->strengths[0], change->from);
        strength_format(place->operation, place->now, change->to);
    }
    repair->executions = search->executions;
}

/* Finds the places. Returns null, or why there are none. */
static const char *find_places(struct search *search)
{
    search->text = read_text(search->files->code);
    if (search->text == NULL)
        return "not searched, because the PTX cannot be read";
    search->count = places_find(search->text, search->test->variant->launch, search->places);
    return search->count > MAX_PLACES ? "not searched, because the PTX has too many accesses"
           : search->count == 0       ? "not searched, because the PTX has no access"
                                      : NULL;
}

/* Searches a repair that leaves plain data plain, and then any. Returns null, or why there is none.
 */
static const char *search_twice(struct search *search, const struct list *races, bool *unordered)
{
    const char *reason;

    keep_plain(search, races);
    reason = search_all(search);
    if (reason == NULL || !may_go_on(search) || !has_strong(search))
        return reason;
    places_find(search->text, search->test->variant->launch, search->places); /* as they were */
    reason = search_all(search);
    *unordered = reason == NULL;
    return reason;
}

enum engine_status repair_search(const struct session *session, struct supervisor *supervisor,
                                 const struct test_case *test, const struct list *races,
                                 struct memory *memory, struct repair_record **repair)
{
    struct search search = {.session = session,
                            .supervisor = supervisor,
                            .files = &session->code[supervisor_engine(supervisor)->id],
                            .test = test,
                            .seeds = MIN_SEEDS};
    struct repair_record *found;

    *repair = NULL;
    if (search.files->code == NULL)
        return ENGINE_OK;
    *repair = found = memory_take(memory, sizeof *found);
    found->changes = list_take(memory, 0, sizeof(struct repair_change));
    found->reason = find_places(&search);
    if (found->reason == NULL && !tool_make_folder("repair", search.folder))
        found->reason = "not searched, because there is no folder for temporary files";
    if (found->reason == NULL) {
        found->reason = search_twice(&search, races, &found->unordered);
        if (found->reason == NULL)
            take_changes(&search, memory, found);
        supervisor_use(supervisor, search.files->code, search.files->launches);
        tool_remove_folder(search.folder);
    }
    free(search.text);
    return search.status;
}
