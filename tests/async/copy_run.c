/* SPDX-License-Identifier: MIT */
#include "copy_run.h"

#include "check.h"
#include "fault_members.h"

enum { SCHEDULES = 4, MAX_RACES = 4 };

unsigned char array_in[ARRAY_BYTES], array_out[ARRAY_BYTES];

static char *text; /* the loaded PTX */
static struct race races[MAX_RACES];

int copy_tear_down(void **state)
{
    free(text);
    return engine_tear_down(state);
}

void fill_arrays(void)
{
    uint64_t state = 1;

    for (uint32_t k = 0; k < ARRAY_BYTES; k++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        array_in[k] = (unsigned char)(state >> 56);
    }
    memset(array_out, 0, sizeof array_out);
}

/* ---- PTX ---- */

static char *text_of(const struct copy_run *run)
{
    char *written = NULL;
    size_t size;
    FILE *to = open_memstream(&written, &size);

    assert_non_null(to);
    fprintf(to, ".version 8.7\n.target sm_90a\n.address_size 64\n"
                ".visible .entry run(.param .u64 in, .param .u64 out,\n"
                "    .param .align 64 .b8 map[128]");
    for (int k = 0; k < NUMBERS; k++)
        fprintf(to, ", .param .u32 n%d", k);
    fprintf(to,
            ")\n{\n.shared .align 1024 .b8 tile[%d];\n.shared .align 8 .b8 full[32];\n"
            ".reg .b64 %%in, %%out, %%map, %%d<10>;\n.reg .pred %%p<4>;\n.reg .b16 %%h<10>;\n"
            ".reg .b32 %%t, %%rank, %%tile, %%full, %%n<%d>, %%r<10>;\n"
            "ld.param.u64 %%in, [in];\ncvta.to.global.u64 %%in, %%in;\n"
            "ld.param.u64 %%out, [out];\ncvta.to.global.u64 %%out, %%out;\n"
            "mov.b64 %%d0, map;\ncvta.param.u64 %%map, %%d0;\nmov.u32 %%t, %%tid.x;\n"
            "mov.u32 %%rank, %%cluster_ctarank;\nmov.u32 %%tile, tile;\nmov.u32 %%full, full;\n",
            TILE_BYTES, NUMBERS);
    for (int k = 0; k < NUMBERS; k++)
        fprintf(to, "ld.param.u32 %%n%d, [n%d];\n", k, k);
    fprintf(to, "%sret;\n}\n", run->body);
    fclose(to);
    return written;
}

/* Loads the kernel, unless it is loaded already. */
static void load(const struct copy_run *run)
{
    char *wanted = text_of(run), reason[512];
    FILE *to;

    if (text != NULL && strcmp(text, wanted) == 0) {
        free(wanted);
        return;
    }
    free(text);
    text = wanted;
    to = fopen(in_folder("run.ptx"), "w");
    assert_non_null(to);
    assert_true(fputs(text, to) >= 0);
    assert_int_equal(fclose(to), 0);
    if (!engine_load(in_folder("run.ptx"), reason, sizeof reason))
        fail_msg("%s\n%s", reason, text);
}

/* ---- Runs ---- */

static struct schedule schedule_of(int k)
{
    if (k < 2)
        return (struct schedule){k == 0 ? SCHEDULE_SEQUENTIAL : SCHEDULE_REVERSE, 0, {0}};
    return (struct schedule){SCHEDULE_RANDOM, (uint64_t)k, {0}};
}

static struct engine_outcome run_once(const struct copy_run *run, int model, int schedule,
                                      bool with_races, void *out)
{
    static const struct tensor_map none = {
        .type = TENSOR_U8, .rank = 1, .sizes = {16}, .box = {16}, .steps = {1}};
    static const struct extent one = {1, 1, 1};
    struct extent grid = run->grid.x == 0 ? one : run->grid;
    struct invocation invocation = {
        .kernel = "run",
        .grid = grid,
        .block = {COPY_THREADS, 1, 1},
        .cluster = run->cluster.x == 0 ? grid : run->cluster,
        .buffer_count = 2,
        .buffers = {integers("in", ROLE_INPUT, ARRAY_BYTES / 4, array_in),
                    integers("out", run->writes_out ? ROLE_OUTPUT : ROLE_INOUT, ARRAY_BYTES / 4,
                             array_out)},
        .map_count = 1,
        .maps = {run->map != NULL ? *run->map : none},
        .argument_count = 3 + NUMBERS,
        .arguments = {{ARGUMENT_BUFFER, 0}, {ARGUMENT_BUFFER, 1}, {ARGUMENT_MAP, 0}},
    };
    const struct engine_job job = {.invocation = &invocation,
                                   .model = (enum model)model,
                                   .schedule = schedule_of(schedule),
                                   .races = with_races ? races : NULL,
                                   .race_capacity = MAX_RACES,
                                   .results = {NULL, out}};

    for (int k = 0; k < NUMBERS; k++)
        invocation.arguments[3 + k] = (struct argument){ARGUMENT_VALUE, run->numbers[k]};
    return engine_run_one(&job);
}

static _Noreturn void fail_run(int model, int schedule, const char *what)
{
    fail_msg("%s, schedule %d: %s\n%s", model_name((enum model)model), schedule, what,
             strstr(text, "%n9, [n9]"));
    abort();
}

static void check_run(const struct copy_run *run, int model, int schedule, bool with_races,
                      const unsigned char *expected)
{
    static unsigned char out[ARRAY_BYTES];
    struct engine_outcome outcome = run_once(run, model, schedule, with_races, out);
    char what[256];

    if (outcome.fault.kind != FAULT_NONE)
        fail_run(model, schedule, outcome.fault.text);
    if (with_races && outcome.race_count != 0)
        fail_run(model, schedule, races[0].missing);
    for (uint32_t k = 0; k < ARRAY_BYTES; k++) {
        if (out[k] == expected[k])
            continue;
        snprintf(what, sizeof what, "byte %u is %02x instead of %02x", k, out[k], expected[k]);
        fail_run(model, schedule, what);
    }
}

void expect_bytes(const struct copy_run *run, const void *expected)
{
    load(run);
    for (int model = 0; model < MODELS; model++)
        for (int schedule = 0; schedule < SCHEDULES; schedule++)
            check_run(run, model, schedule, schedule != 2, expected);
}

/* Returns the line of the text with "// here", or 0. */
static int line_here(void)
{
    const char *here = strstr(text, "// here");
    int line = 1;

    for (const char *at = text; here != NULL && at < here; at++)
        line += *at == '\n';
    return here == NULL ? 0 : line;
}

void expect_fault(const struct copy_run *run, const struct fault *expected)
{
    struct fault here = *expected;

    load(run);
    here.line = line_here();
    for (int model = 0; model < MODELS; model++)
        for (int schedule = 0; schedule < SCHEDULES; schedule++) {
            struct fault fault = run_once(run, model, schedule, schedule % 2 == 0, NULL).fault;
            if (fault_has(&fault, &here))
                continue;
            print_message("%s in line %d, and not %s in line %d\n", fault_name(fault.kind),
                          fault.line, fault_name(here.kind), here.line);
            fail_run(model, schedule, fault.text);
        }
}

void expect_race(const struct copy_run *run, enum fault_sentence lacks)
{
    load(run);
    for (int model = 0; model < MODELS; model++) {
        struct engine_outcome outcome = run_once(run, model, 0, true, NULL);
        if (outcome.race_count == 0)
            fail_run(model, 0, "no race");
        if (races[0].lacks != lacks)
            fail_run(model, 0, races[0].missing);
    }
}
