/* SPDX-License-Identifier: MIT */
#include "bisect.h"

#include "compilers_report.h"
#include "error_report.h"
#include "interrupt.h"
#include "json_model.h"
#include "races_report.h"
#include "stages.h"

#include <stdio.h>
#include <string.h>

struct bisect {
    const struct bisect_request *request;
    const struct session *session;
    struct trial trial;
    struct stages stages;
    struct outcome outcomes[MAX_STAGES];
    struct race races[MAX_RACES_REPORTED];
    size_t race_count;
    bool strong;      /* strong accesses in no order, rather than races */
    enum model model; /* the model under which they occur */
};

/* Looks for races of the case on the engine, under each model until one gives races. */
static bool look_for_races(struct bisect *bisect, struct supervisor *supervisor,
                           const struct test_case *test)
{
    struct test_case tried = *test;
    struct outcome outcome;

    for (int m = 0; m < MODELS && supervisor != NULL && bisect->race_count == 0; m++) {
        enum engine_status status;
        tried.model = (enum model)m;
        status = supervisor_race(supervisor, &tried, &outcome, bisect->races, MAX_RACES_REPORTED,
                                 &bisect->race_count);
        if (status != ENGINE_OK)
            return error_report("cannot check the case for races: %s",
                                supervisor_reason(supervisor));
        bisect->strong = outcome.races == 0;
        bisect->model = (enum model)m;
    }
    return true;
}

/* ---- The verdict ---- */

static bool is_wrong(const struct bisect *bisect, enum stage_kind kind)
{
    for (size_t s = 0; s < bisect->trial.stage_count; s++)
        if (bisect->trial.stages[s].kind == kind && bisect->outcomes[s].kind != OUTCOME_PASS)
            return true;
    return false;
}

static bool is_any_wrong(const struct bisect *bisect)
{
    bool wrong = false;

    for (int kind = STAGE_SIM; kind <= STAGE_DRIVER; kind++)
        wrong = wrong || is_wrong(bisect, (enum stage_kind)kind);
    return wrong;
}

/* Returns what is at fault if PTX is wrong on the simulator; null if no PTX is wrong. */
static const char *cause_for_ptx(const struct bisect *bisect)
{
    const struct compiler *right = NULL, *wrong = NULL;
    bool is_own_wrong = is_wrong(bisect, STAGE_SIM), is_own_right = false, differ = false;

    for (size_t s = 0; s < bisect->trial.stage_count; s++) {
        const struct stage *stage = &bisect->trial.stages[s];
        if (stage->skipped[0] != '\0')
            continue;
        if (stage->kind == STAGE_SIM)
            is_own_right = !is_own_wrong;
        if (stage->kind != STAGE_FRONT_END)
            continue;
        if (bisect->outcomes[s].kind == OUTCOME_PASS)
            right = stage->compiler;
        else if (wrong == NULL)
            wrong = stage->compiler;
        else
            differ = differ || wrong->front_end != stage->compiler->front_end;
    }
    if (wrong == NULL && !is_own_wrong)
        return NULL;
    if (right != NULL && wrong != NULL)
        return right->front_end == wrong->front_end
                   ? "the front end: on the simulator, the PTX of one version is wrong, and the "
                     "PTX of another version is right"
               : wrong->front_end == FRONT_END_NVCC
                   ? "nvcc: its PTX is wrong on the simulator, and clang's is right"
                   : "clang: its PTX is wrong on the simulator, and nvcc's is right";
    if (differ)
        return "the source: the PTX of nvcc and the PTX of clang are both wrong on the simulator";
    if (is_own_right)
        return "the front end: its PTX is wrong on the simulator, and the PTX of this build is "
               "right";
    return "the source or the front end: the PTX is wrong on the simulator";
}

/* Returns what is at fault; null if nothing is wrong. No stage is at fault for a kernel that races,
 * because its result may vary. */
static const char *cause(const struct bisect *bisect)
{
    if (bisect->race_count > 0 && !bisect->strong)
        return "the source: it races, and a compiler may reorder racing accesses";
    if (bisect->race_count > 0 && is_any_wrong(bisect))
        return "the source: strong accesses are unordered, and their order affects the result";
    if (cause_for_ptx(bisect) != NULL)
        return cause_for_ptx(bisect);
    if (is_wrong(bisect, STAGE_UNOPTIMISED) && is_wrong(bisect, STAGE_OPTIMISED) &&
        is_wrong(bisect, STAGE_DRIVER))
        return "the GPU, or an error common to all assemblers: all machine code of this PTX is "
               "wrong";
    if (is_wrong(bisect, STAGE_UNOPTIMISED))
        return "the assembler: its code is wrong even with -O0";
    if (is_wrong(bisect, STAGE_OPTIMISED))
        return "the assembler's optimiser: the code is right with -O0";
    if (is_wrong(bisect, STAGE_DRIVER))
        return "the driver's compiler";
    return NULL;
}

/* Returns true if all stages were available and ran. */
static bool is_complete(const struct stages *stages, const struct trial *trial)
{
    bool complete = stages->sim != NULL && stages->gpu != NULL && stages->ptxas.count > 0;

    for (size_t s = 0; s < trial->stage_count; s++)
        complete =
            complete && trial->stages[s].supervisor != NULL && trial->stages[s].skipped[0] == '\0';
    return complete;
}

/* ---- Output ---- */

static const char *text_of(const struct bisect *bisect, size_t s, char text[OUTCOME_TEXT])
{
    const struct stage *stage = &bisect->trial.stages[s];

    if (stage->supervisor == NULL)
        return "not run: it needs a GPU";
    if (stage->skipped[0] != '\0')
        snprintf(text, OUTCOME_TEXT, "not run: %s", stage->skipped);
    else if (bisect->outcomes[s].kind == OUTCOME_PASS)
        return "right";
    else
        outcome_text(&bisect->outcomes[s], text, OUTCOME_TEXT);
    return text;
}

static void print_all(const struct bisect *bisect)
{
    const char *name = cause(bisect);

    for (size_t s = 0; s < bisect->trial.stage_count; s++) {
        char text[OUTCOME_TEXT];
        printf("%-26s %s\n", bisect->trial.stages[s].name, text_of(bisect, s, text));
    }
    if (bisect->race_count > 0) {
        const struct race *race = &bisect->races[0];
        const struct race_side *first = &race->first, *second = &race->second;
        const struct printer printer = {.to = stdout};
        struct memory memory = {NULL};
        message_title(&printer, first->file, (uint64_t)first->line, "error",
                      memory_text(&memory, "%s on %s under %s",
                                  bisect->strong ? "unordered accesses" : "data race", race->place,
                                  model_name(bisect->model)));
        message_place(&printer, first->file, (uint64_t)first->line,
                      race_side_text(&memory, first, second));
        message_related(&printer, first->file, (uint64_t)first->line, second->file,
                        (uint64_t)second->line, race_side_text(&memory, second, first), true);
        message_note(&printer, "note", race->missing);
        memory_free(&memory);
    }
    if (name != NULL)
        printf("cause: %s\n", name);
    else
        printf("right in every stage that ran\n");
}

/* The outcome of a stage. */
struct bisect_stage {
    const char *stage, *outcome;
};

struct bisect_record {
    const char *case_id;
    struct list stages; /* of struct bisect_stage */
    struct list races;  /* of struct race */
    const char *cause;  /* null: no stage */
};

static const struct field stage_fields[] = {
    MEMBER(STRING, struct bisect_stage, stage),
    MEMBER(STRING, struct bisect_stage, outcome),
};
static const struct table stage_table_of_bisect =
    TABLE("bisect_stage", stage_fields, struct bisect_stage);

static const struct field bisect_fields[] = {
    FIELD("case", STRING, struct bisect_record, case_id),
    MEMBER(LIST, struct bisect_record, stages, .table = &stage_table_of_bisect),
    MEMBER(LIST, struct bisect_record, races, OF(race)),
    MEMBER(STRING, struct bisect_record, cause, NULLABLE),
};
static const struct table bisect_table = TABLE("bisect", bisect_fields, struct bisect_record);

static bool save(const struct bisect *bisect)
{
    struct memory memory = {NULL};
    struct bisect_record record = {
        .case_id = bisect->request->case_id,
        .stages = list_take(&memory, bisect->trial.stage_count, sizeof(struct bisect_stage)),
        .races = {(struct race *)(uintptr_t)bisect->races, bisect->race_count},
        .cause = cause(bisect),
    };
    json_t *json;

    for (size_t s = 0; s < record.stages.count; s++) {
        struct bisect_stage *stage = (struct bisect_stage *)record.stages.items + s;
        char text[OUTCOME_TEXT];
        stage->stage = bisect->trial.stages[s].name;
        stage->outcome = memory_copy(&memory, text_of(bisect, s, text));
    }
    json = model_json(&bisect_table, &record);
    memory_free(&memory);
    return session_save(bisect->session, json);
}

/* ---- The check ---- */

static int open_stages(struct bisect *bisect)
{
    enum { SEED = 1 };

    return stages_open(&bisect->stages, &bisect->request->compilers, SEED, bisect->session,
                       &bisect->trial);
}

static int verdict(const struct bisect *bisect)
{
    if (cause(bisect) != NULL)
        return EXIT_DIFFERS;
    return is_complete(&bisect->stages, &bisect->trial) ? EXIT_CONFORMS : EXIT_UNAVAILABLE;
}

static int failed(const struct trial *trial)
{
    error_report("%s", interrupt_came() ? "interrupted" : trial->error);
    return EXIT_ENVIRONMENT;
}

/* Runs a program as `compilers` prints it, and reports what `compilers` would report. */
static int bisect_program(struct bisect *bisect)
{
    struct trial *trial = &bisect->trial;
    struct program program;
    bool good;
    int status;

    if (!program_read(bisect->request->case_id, &program, trial->error, sizeof trial->error)) {
        error_report("%s", trial->error);
        return EXIT_USAGE;
    }
    status = open_stages(bisect);
    if (status != EXIT_CONFORMS)
        return status;
    good = !interrupt_came() && trial_of_programs(trial, &program, 1) && trial_settle(trial);
    stages_close(&bisect->stages, bisect->session);
    good = good && !interrupt_came();
    if (trial->family_count > 0)
        status = EXIT_DIFFERS;
    else if (!is_complete(&bisect->stages, trial))
        status = EXIT_UNAVAILABLE;
    if (good && !session_save(bisect->session, compilers_report_json(trial)))
        status = EXIT_ENVIRONMENT;
    compilers_report_print(trial);
    compilers_report_verdict(trial);
    return good ? status : failed(trial);
}

int bisect_check(const struct bisect_request *request, const struct session *session)
{
    static struct bisect bisect;
    struct trial *trial = &bisect.trial;
    const struct engine_kind *engine;
    struct test_case test;
    bool good;
    int status;

    bisect = (struct bisect){.request = request, .session = session};
    if (strchr(request->case_id, ';') != NULL)
        return bisect_program(&bisect);
    if (!session_case(session->catalogue, request->case_id, &test, &engine))
        return EXIT_USAGE;
    status = open_stages(&bisect);
    if (status != EXIT_CONFORMS)
        return status;
    good = !interrupt_came() && look_for_races(&bisect, bisect.stages.sim, &test);
    good = good && trial_case(trial, &test, bisect.outcomes);
    stages_close(&bisect.stages, session);
    if (!good || interrupt_came())
        return failed(trial);
    status = save(&bisect) ? verdict(&bisect) : EXIT_ENVIRONMENT;
    print_all(&bisect);
    return status;
}
