/* SPDX-License-Identifier: MIT */
#include "blame.h"

#include "complain.h"
#include "interrupt.h"
#include "json_model.h"
#include "races_report.h"
#include "stages.h"
#include "toolchain_report.h"

#include <stdio.h>
#include <string.h>

struct blame {
    const struct blame_request *request;
    struct session *session;
    struct trial trial;
    struct stages stages;
    struct outcome outcomes[MOST_STAGES];
    struct race races[MOST_RACES_TOLD];
    size_t race_count;
    bool strong;      /* those are strong accesses: no race, but their order is not told */
    enum model model; /* under which that was */
};

/* Looks for races of the case on the engine, under both models, until there are some. */
static bool look_for_races(struct blame *blame, struct supervisor *supervisor,
                           const struct test_case *test)
{
    struct test_case tried = *test;
    struct outcome outcome;

    for (int m = 0; m < MODELS && supervisor != NULL && blame->race_count == 0; m++) {
        enum engine_status status;
        tried.model = (enum model)m;
        status = supervisor_race(supervisor, &tried, &outcome, blame->races, MOST_RACES_TOLD,
                                 &blame->race_count);
        if (status != ENGINE_OK)
            return complain("looking for races: %s", supervisor_reason(supervisor));
        blame->strong = outcome.races == 0;
        blame->model = (enum model)m;
    }
    return true;
}

/* ---- The verdict ---- */

static bool is_wrong(const struct blame *blame, enum stage_kind kind)
{
    for (size_t s = 0; s < blame->trial.stage_count; s++)
        if (blame->trial.stages[s].kind == kind && blame->outcomes[s].kind != OUTCOME_PASS)
            return true;
    return false;
}

static bool is_any_wrong(const struct blame *blame)
{
    bool wrong = false;

    for (int kind = STAGE_SOURCE; kind <= STAGE_DRIVER; kind++)
        wrong = wrong || is_wrong(blame, (enum stage_kind)kind);
    return wrong;
}

/* Null: nothing is wrong. What races may come out in any way: no stage is to blame for it. */
static const char *blamed(const struct blame *blame)
{
    if (blame->race_count > 0 && !blame->strong)
        return "the source: it races, and a compiler may order what races as it likes";
    if (blame->race_count > 0 && is_any_wrong(blame))
        return "the source: strong accesses are ordered by nothing, and their order matters";
    if (is_wrong(blame, STAGE_SOURCE))
        return "the source: it is wrong on the host engine";
    if (is_wrong(blame, STAGE_HOST) || is_wrong(blame, STAGE_FRONT_END))
        return "the front end: its PTX is wrong on the host engine";
    if (is_wrong(blame, STAGE_UNOPTIMISED) && is_wrong(blame, STAGE_OPTIMISED) &&
        is_wrong(blame, STAGE_DRIVER))
        return "the GPU, or what all assemblers share: no machine code of this PTX is right";
    if (is_wrong(blame, STAGE_UNOPTIMISED))
        return "the assembler: it is wrong at -O0";
    if (is_wrong(blame, STAGE_OPTIMISED))
        return "the assembler's optimiser: -O0 is right";
    if (is_wrong(blame, STAGE_DRIVER))
        return "the driver's compiler";
    return NULL;
}

/* Were all stages there, and did they run? */
static bool is_complete(const struct stages *stages, const struct trial *trial)
{
    bool complete = stages->host != NULL && stages->gpu != NULL && stages->ptxas.count > 0;

    for (size_t s = 0; s < trial->stage_count; s++)
        complete = complete && trial->stages[s].supervisor != NULL &&
                   trial->stages[s].unavailable[0] == '\0';
    return complete;
}

/* ---- What is told ---- */

static const char *text_of(const struct blame *blame, size_t s, char text[512])
{
    const struct stage *stage = &blame->trial.stages[s];

    if (stage->supervisor == NULL)
        return "not run: it needs a GPU";
    if (stage->unavailable[0] != '\0')
        snprintf(text, 512, "not run: %s", stage->unavailable);
    else if (blame->outcomes[s].kind == OUTCOME_PASS)
        return "right";
    else
        outcome_text(&blame->outcomes[s], text, 512);
    return text;
}

static void print_all(const struct blame *blame)
{
    const char *name = blamed(blame);

    for (size_t s = 0; s < blame->trial.stage_count; s++) {
        char text[512];
        printf("%-26s %s\n", blame->trial.stages[s].name, text_of(blame, s, text));
    }
    if (blame->race_count > 0) {
        printf("%s under %s:\n", blame->strong ? "unordered" : "races", model_name(blame->model));
        races_print_pair(&blame->races[0]);
    }
    if (name != NULL)
        printf("to blame is %s\n", name);
    else
        printf("right in every stage that ran\n");
}

/* What a stage gives. */
struct blame_stage {
    const char *stage, *outcome;
};

struct blame_record {
    const char *token;
    struct list stages; /* of struct blame_stage */
    struct list races;  /* of struct race */
    const char *blamed; /* null: no stage */
};

static const struct field stage_fields[] = {
    FIELD("stage", STRING, struct blame_stage, stage),
    FIELD("outcome", STRING, struct blame_stage, outcome),
};
static const struct table stage_table_of_blame =
    TABLE("blame_stage", stage_fields, struct blame_stage);

static const struct field blame_fields[] = {
    FIELD("token", STRING, struct blame_record, token),
    FIELD("stages", LIST, struct blame_record, stages, .table = &stage_table_of_blame),
    FIELD("races", LIST, struct blame_record, races, .table = &race_table),
    FIELD("blamed", STRING, struct blame_record, blamed, .flags = FIELD_NULLABLE),
};
static const struct table blame_table = TABLE("blame", blame_fields, struct blame_record);

static bool save(const struct blame *blame)
{
    struct memory memory = {NULL};
    struct blame_record record = {
        .token = blame->request->token,
        .stages = list_take(&memory, blame->trial.stage_count, sizeof(struct blame_stage)),
        .races = {(struct race *)(uintptr_t)blame->races, blame->race_count},
        .blamed = blamed(blame),
    };
    json_t *json;

    for (size_t s = 0; s < record.stages.count; s++) {
        struct blame_stage *stage = (struct blame_stage *)record.stages.items + s;
        char text[512];
        stage->stage = blame->trial.stages[s].name;
        stage->outcome = memory_copy(&memory, text_of(blame, s, text));
    }
    json = model_json(&blame_table, &record);
    memory_free(&memory);
    return session_save(blame->session, json);
}

/* ---- The check ---- */

static int open_stages(struct blame *blame, bool with_source)
{
    enum { SEED = 1 };

    return stages_open(&blame->stages, &blame->request->compilers, SEED, blame->session,
                       &blame->trial, with_source);
}

static int verdict(const struct blame *blame)
{
    if (blamed(blame) != NULL)
        return EXIT_DIFFERS;
    return is_complete(&blame->stages, &blame->trial) && blame->stages.source != NULL
               ? EXIT_CONFORMS
               : EXIT_UNAVAILABLE;
}

static int failed(const struct trial *trial)
{
    complain("%s", interrupt_came() ? "interrupted" : trial->error);
    return EXIT_ENVIRONMENT;
}

/* Of a program, as `toolchain` prints it: what that would tell of it. */
static int blame_program(struct blame *blame)
{
    struct trial *trial = &blame->trial;
    struct program program;
    bool good;
    int status;

    if (!program_read(blame->request->token, &program, trial->error, sizeof trial->error)) {
        complain("%s", trial->error);
        return EXIT_USAGE;
    }
    status = open_stages(blame, false);
    if (status != EXIT_CONFORMS)
        return status;
    good = !interrupt_came() && trial_of_programs(trial, &program, 1) && trial_settle(trial);
    stages_close(&blame->stages, blame->session);
    good = good && !interrupt_came();
    if (trial->family_count > 0)
        status = EXIT_DIFFERS;
    else if (!is_complete(&blame->stages, trial))
        status = EXIT_UNAVAILABLE;
    if (good && !session_save(blame->session, toolchain_report_json(trial)))
        status = EXIT_ENVIRONMENT;
    toolchain_report_print(trial);
    toolchain_report_verdict(trial);
    return good ? status : failed(trial);
}

int blame_check(const struct blame_request *request, struct session *session)
{
    static struct blame blame;
    struct trial *trial = &blame.trial;
    const struct engine_kind *engine;
    struct test_case test;
    bool good;
    int status;

    blame = (struct blame){.request = request, .session = session};
    if (strchr(request->token, ';') != NULL)
        return blame_program(&blame);
    if (!session_case(session->catalogue, request->token, &test, &engine))
        return EXIT_USAGE;
    status = open_stages(&blame, true);
    if (status != EXIT_CONFORMS)
        return status;
    good = !interrupt_came() && look_for_races(&blame, blame.stages.source, &test) &&
           look_for_races(&blame, blame.stages.host, &test);
    good = good && trial_case(trial, &test, blame.outcomes);
    stages_close(&blame.stages, session);
    if (!good || interrupt_came())
        return failed(trial);
    status = save(&blame) ? verdict(&blame) : EXIT_ENVIRONMENT;
    print_all(&blame);
    return status;
}
