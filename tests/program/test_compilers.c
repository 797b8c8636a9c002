/* SPDX-License-Identifier: MIT
 *
 * Tests of the compiler tests, without toolkit or GPU. Compares the meaning of programs with what
 * the simulator computes from their PTX, and checks that a wrong compiler or assembler is detected.
 */
#include "check.h"

#include "engines.h"
#include "idioms.h"
#include "machine_code.h"
#include "program_catalogue.h"
#include "program_code.h"
#include "random_program.h"
#include "shrink_program.h"
#include "supervisor.h"
#include "tool.h"
#include "trial.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static struct supervisor *host;
static char path_before[4096]; /* the PATH before compilers_hide() */

static bool never(void)
{
    return false;
}

static int set_up(void **state)
{
    const struct supervisor_options options = {
        .engine = &engine_kinds[ENGINE_SIM], .jobs = 1, .limits = {.deadline_seconds = 20}};
    char reason[512];
    (void)state;

    setenv("CUDA_VISIBLE_DEVICES", "", 1); /* a GPU would get invalid machine code */
    unsetenv("SIMTCHECK_REQUIRE");
    if (folder_make(state) != 0)
        return -1;
    if (supervisor_open(&options, &host, reason, sizeof reason) == ENGINE_OK)
        return 0;
    print_error("%s\n", reason);
    return -1;
}

static int tear_down(void **state)
{
    supervisor_close(host);
    if (path_before[0] != '\0')
        setenv("PATH", path_before, 1); /* a test that failed has not set it */
    return folder_remove(state);
}

/* Returns a trial with PTX on the simulator as its first stage. */
static struct trial *trial_of(uint64_t seed)
{
    static struct trial trial;

    trial = (struct trial){.folder = folder,
                           .architecture = "sm_90",
                           .seed = seed,
                           .stages = {{.kind = STAGE_SIM, .supervisor = host, .name = "sim"}},
                           .stage_count = 1,
                           .stopped = never};
    return &trial;
}

static struct program read_program(const char *line)
{
    struct program program;
    char error[256];

    if (!program_read(line, &program, error, sizeof error))
        fail_msg("%s", error);
    return program;
}

/* ---- Stages ---- */

/* Writes a program that applies the operation to inputs, converted to the types that it needs. */
static void write_operation(enum operation_id id, struct program *program)
{
    static const struct node sources[] = {{.operation = INPUT_B32, .value = 0},
                                          {.operation = INPUT_B32, .value = 1},
                                          {.operation = INPUT_B32, .value = 2},
                                          {.operation = INPUT_B64, .value = 1},
                                          {.operation = INPUT_B64, .value = 2},
                                          {.operation = OPERATION_low_b32, .operands = {0}},
                                          {.operation = OPERATION_high_b32, .operands = {1}},
                                          {.operation = OPERATION_float_b32, .operands = {0}},
                                          {.operation = OPERATION_float_b32, .operands = {1}},
                                          {.operation = OPERATION_float_b32, .operands = {2}},
                                          {.operation = OPERATION_lt_s32, .operands = {0, 1}},
                                          {.operation = OPERATION_lt_u32, .operands = {1, 2}},
                                          {.operation = CONSTANT_B32, .value = 17},
                                          {.operation = CONSTANT_B32, .value = 0}};
    enum { SOURCES = sizeof sources / sizeof *sources };
    const struct operation *operation = &operations[id];
    struct node node = {.operation = id};

    *program = (struct program){.count = SOURCES + 1};
    memcpy(program->nodes, sources, sizeof sources);
    for (size_t o = 0, next = 0; o < operation_operands(operation); o++, next++) {
        while (next < SOURCES &&
               operations[sources[next].operation].result != operation->operands[o])
            next++;
        if (next >= SOURCES) { /* all sources are used: repeat the first */
            next = 0;
            while (operations[sources[next].operation].result != operation->operands[o])
                next++;
        }
        node.operands[o] = (uint8_t)next;
    }
    program->nodes[SOURCES] = node;
    if (operation->result == PRED) {
        program->nodes[SOURCES + 1] = (struct node){
            .operation = OPERATION_select_b32, .operands = {SOURCES, SOURCES - 2, SOURCES - 1}};
        program->count++;
    }
    snprintf(program->name, sizeof program->name, "of_%s", operation->name);
    program_tidy(program);
}

TEST(every_operation_matches_its_ptx)
{
    static struct program programs[FIRST_CUDA_OPERATION];
    struct trial *trial = trial_of(1);
    size_t count = 0;

    for (int k = CONSTANT_B64 + 1; k < FIRST_CUDA_OPERATION; k++)
        write_operation((enum operation_id)k, &programs[count++]);
    if (!trial_of_programs(trial, programs, count))
        fail_msg("%s", trial->error);
    for (size_t k = 0; k < trial->family_count; k++)
        print_error("%s: expected %s, got %s\n", trial->families[k].shape,
                    trial->families[k].outcome.difference.expected,
                    trial->families[k].outcome.difference.got);
    assert_string_equal(trial->stages[0].skipped, "");
    assert_int_equal(trial->stages[0].run, count);
    assert_int_equal(trial->stages[0].wrong, 0);
}

/* There are at least 60, all different. */
TEST(idioms_match_their_ptx)
{
    struct trial *trial = trial_of(1);

    if (!trial_idioms(trial))
        fail_msg("%s", trial->error);
    assert_string_equal(trial->stages[0].skipped, "");
    assert_true(trial->stages[0].run >= 60);
    assert_int_equal(trial->stages[0].wrong, 0);
    for (size_t k = 0; idioms[k] != NULL; k++)
        for (size_t other = 0; other < k; other++)
            assert_true(strcmp(strchr(idioms[k], ':'), strchr(idioms[other], ':')) != 0);
}

TEST(generated_programs_match_their_ptx)
{
    struct trial *trial = trial_of(3);

    if (!trial_run(trial, 0, 150) || !trial_run(trial, 150, 50))
        fail_msg("%s", trial->error);
    assert_string_equal(trial->stages[0].skipped, "");
    assert_int_equal(trial->stages[0].run, 200);
    assert_int_equal(trial->stages[0].wrong, 0);
    assert_int_equal(trial->programs, 200);
}

/* Makes a stand-in for a front end. For any CUDA C++ it writes the PTX of the same programs,
 * changed by the sed script `edit`. */
static const char *front_end_script(const char *edit)
{
    char text[512];

    snprintf(text, sizeof text,
             "if [ \"$1\" = --version ]; then echo ', V1.2.3'; exit; fi\n"
             "while [ $# -gt 1 ]; do case $1 in *.cu) cu=$1 ;; -o) ptx=$2 ;; esac; shift; done\n"
             "sed '%s' \"${cu%%.cu}.ptx\" > \"$ptx\"\n",
             edit);
    return script_make("nvcc", text);
}

/* The code has other programs than the list. */
TEST(missing_kernel_is_reported)
{
    const struct program there = read_program("there: input_b32 0;"),
                         missing = read_program("missing: input_b32 0;");
    char ptx[64], list[64];
    struct program_catalogue rows;
    struct outcome outcome = {.kind = OUTCOME_PASS};
    enum engine_status status;
    struct test_case test;
    FILE *to;

    snprintf(ptx, sizeof ptx, "%s/there.ptx", folder);
    snprintf(list, sizeof list, "%s/missing.txt", folder);
    to = fopen(ptx, "w");
    program_ptx_head(to);
    program_ptx(to, &there);
    fclose(to);
    to = fopen(list, "w");
    fputs(PROGRAMS_TAG, to);
    program_write(to, &missing);
    fclose(to);
    assert_true(program_catalogue_make(&missing, 1, &rows));
    test = (struct test_case){.variant = rows.catalogue.variants,
                              .shape = {{PROGRAM_BLOCK, 1, 1}, {PROGRAM_BLOCK, 1}, 0, 0, {0, 0}},
                              .values = {VALUES_EDGES, 1},
                              .model = MODEL_INDEPENDENT};
    supervisor_use(host, ptx, list);
    status = supervisor_run_array(host, &test, 1, &outcome);
    print_message("%s%s\n", supervisor_reason(host), outcome.fault.text);
    assert_true(status == ENGINE_ERROR || outcome.kind == OUTCOME_FAULT);
    assert_non_null(
        strstr(status == ENGINE_ERROR ? supervisor_reason(host) : outcome.fault.text, "no kernel"));
    supervisor_use(host, "/nowhere/there.ptx", list);
    status = supervisor_run_array(host, &test, 1, &outcome);
    assert_int_equal(status, ENGINE_ERROR);
    assert_non_null(strstr(supervisor_reason(host), "cannot read /nowhere/there.ptx"));
    program_catalogue_free(&rows);
}

/* ---- Machine code ---- */

/* Makes a stand-in for an assembler. The code of an entry is a number, which `code` computes from
 * the PTX between its braces. */
static const char *assembler_script(const char *name, const char *code)
{
    char text[2048];

    snprintf(text, sizeof text,
             "if [ \"$1\" = --version ]; then echo 'release 1.2, V1.2.3'; exit; fi\n"
             "if [ \"$1\" = -v ]; then shift; fi # and -c stands for -O3\n"
             "awk '/^.visible .entry/ { name = $3; sub(/\\(.*/, \"\", name); body = \"\"; next }\n"
             "     { body = body $0 } /^}/ { code = 0; %s\n"
             "       printf \".section .text.%%s,\\\"ax\\\"\\n.quad %%d\\n\", name, code }' \"$3\" "
             "> \"$5.s\"\ncc -c \"$5.s\" -o \"$5\"\n",
             code);
    return script_make(name, text);
}

/* Different text gets different code. */
#define OF_TEXT                                                                                    \
    "for (i = 1; i <= length(body); i++) code = (code * 31 + "                                     \
    "index(\"0123456789abcdefghijklmnopqrstuvwxyz\", substr(body, i, 1))) % 1000003;"

static struct trial *trial_by(const char *path, struct compiler *compiler)
{
    struct trial *trial = trial_of(1);
    char error[512];

    if (!compiler_open(path, "ptxas", compiler, error, sizeof error))
        fail_msg("%s", error);
    assert_string_equal(compiler->version, "1.2.3");
    trial->stages[0] = (struct stage){.kind = STAGE_OPTIMISED, .compiler = compiler};
    return trial;
}

/* Every program gets the same code, or each its own. */
TEST(equal_code_for_different_programs_is_detected)
{
    struct compiler compiler;
    struct trial *trial = trial_by(assembler_script("same", ""), &compiler);

    if (!trial_twins(trial, 0, 40))
        fail_msg("%s", trial->error);
    assert_true(trial->twins_seen > 40);
    assert_true(trial->twin_count <= MAX_TWINS);
    for (size_t k = 0; k < trial->twin_count; k++)
        assert_true(trial->twins[k].expected[0] != trial->twins[k].expected[1]);
    trial = trial_by(assembler_script("other", OF_TEXT), &compiler);
    if (!trial_twins(trial, 0, 40))
        fail_msg("%s", trial->error);
    assert_int_equal(trial->twins_seen, 0);
}

static struct trial *trial_by_front_end(const char *path, struct compiler *compiler)
{
    struct trial *trial = trial_by(path, compiler);

    trial->stages[0] = (struct stage){.kind = STAGE_SIM, .supervisor = host};
    trial->stages[1] =
        (struct stage){.kind = STAGE_FRONT_END, .compiler = compiler, .supervisor = host};
    trial->stage_count = 2;
    return trial;
}

/* A comparison `lt` becomes `le`. */
TEST(wrong_front_end_is_detected_and_shrunk)
{
    struct compiler compiler;
    struct trial *trial =
        trial_by_front_end(front_end_script("s/setp.lt.s32/setp.le.s32/"), &compiler);

    if (!trial_run(trial, 0, 60))
        fail_msg("%s", trial->error);
    assert_int_equal(trial->stages[0].run, 60);
    assert_int_equal(trial->stages[0].wrong, 0);
    assert_int_equal(trial->stages[1].run, 60);
    assert_true(trial->stages[1].wrong > 0);
    assert_true(trial->family_count > 0);
    for (size_t k = 0; k < trial->family_count; k++) /* as if they had not been tested there */
        trial->families[k].wrong[0] = true;
    assert_true(trial_settle(trial));
    for (size_t k = 0; k < trial->family_count; k++) {
        assert_non_null(strstr(trial->families[k].shape, "lt_s32("));
        assert_true(program_operators(&trial->families[k].program) <= 3);
        assert_true(!trial->families[k].wrong[0] && trial->families[k].wrong[1]);
    }
}

/* Two stages are wrong for the same programs. */
TEST(program_with_two_wrong_stages_counts_once)
{
    struct compiler compiler;
    struct trial *trial =
        trial_by_front_end(front_end_script("s/setp.lt.s32/setp.le.s32/"), &compiler);
    uint64_t members = 0;

    trial->stages[2] = trial->stages[1];
    trial->stage_count = 3;
    if (!trial_run(trial, 0, 60))
        fail_msg("%s", trial->error);
    for (size_t k = 0; k < trial->family_count; k++)
        members += trial->families[k].members;
    assert_true(members > 0);
    assert_int_equal(trial->stages[2].wrong, trial->stages[1].wrong);
    assert_int_equal(members, trial->stages[1].wrong);
}

TEST(failing_front_end_is_dropped)
{
    struct compiler compiler;
    struct trial *trial = trial_by_front_end(
        script_make("nvcc", "if [ \"$1\" = --version ]; then echo ', V1.2.3'; exit; "
                            "fi\necho no such day >&2; exit 1\n"),
        &compiler);

    assert_true(trial_run(trial, 0, 10));
    assert_non_null(strstr(trial->stages[1].skipped, "exit status 1: no such day"));
    assert_int_equal(trial->stages[0].run, 10);
    assert_int_equal(trial->stages[1].run, 0);
}

/* Either each PTX contains the number of the process that made it, or none does. */
TEST(nondeterministic_front_end_is_detected)
{
    for (int unsteady = 0; unsteady < 2; unsteady++) {
        struct compiler compiler;
        struct trial *trial = trial_by(front_end_script(unsteady ? "$a// '$$'" : ""), &compiler);
        trial->stages[0] =
            (struct stage){.kind = STAGE_FRONT_END, .compiler = &compiler, .supervisor = host};
        assert_true(trial_idioms(trial));
        assert_int_equal(trial->unsteady_count, unsteady);
    }
}

/* The code differs each time. */
TEST(nondeterministic_assembler_is_detected)
{
    struct compiler compiler;
    struct trial *trial = trial_by(assembler_script("steady", OF_TEXT), &compiler);

    assert_true(trial_twins(trial, 0, 2));
    assert_int_equal(trial->unsteady_count, 0);
    trial = trial_by(assembler_script("random", "\"od -An -N4 -tu4 /dev/urandom\" | getline code; "
                                                "close(\"od -An -N4 -tu4 /dev/urandom\");"),
                     &compiler);
    assert_true(trial_twins(trial, 0, 2));
    assert_int_equal(trial->unsteady_count, 1);
    assert_ptr_equal(trial->unsteady[0].compiler, &compiler);
    trial = trial_by(assembler_script("by name", OF_TEXT " code += length(name) > 9;"), &compiler);
    assert_true(trial_twins(trial, 0, 2));
    assert_int_equal(trial->unsteady_count, 1);
    assert_string_equal(trial->unsteady[0].how, "under another name, later in the same process");
}

TEST(tool_failures_are_reported)
{
    static const char *const none[] = {"/nowhere/ptxas", "--version", NULL};
    const char *killed[] = {NULL, NULL};
    struct compiler compiler;
    struct kernel_code *kernels;
    struct trial *trial;
    char said[256], error[512];
    size_t count;

    assert_int_equal(tool_run(none, said, sizeof said), 127);
    assert_non_null(strstr(said, "cannot run /nowhere/ptxas"));
    killed[0] = script_make("killed", "echo last words; kill -9 $$\n");
    assert_int_equal(tool_run(killed, said, sizeof said), 137);
    assert_string_equal(said, "last words\nended by a signal: Killed\n");
    assert_int_equal(tool_run(killed, said, 5), 137);
    assert_string_equal(said, "last");
    killed[0] =
        script_make("leaves", "cd ${TMPDIR:-${0%/*}}; echo > left; echo -n $PWD; kill -9 $$\n");
    assert_int_equal(tool_run(killed, said, sizeof said), 137);
    said[strcspn(said, "\n")] = '\0';
    assert_int_not_equal(access(said, F_OK), 0); /* its files went with its folder */
    assert_false(compiler_open("/bin/echo", "ptxas", &compiler, error, sizeof error));
    assert_non_null(strstr(error, "/bin/echo is not ptxas"));
    trial = trial_by(script_make("refuses",
                                 "if [ \"$1\" = --version ]; then echo ', V1.2.3'; exit; fi\n"
                                 "echo line 1: what is that; exit 255\n"),
                     &compiler);
    assert_true(trial_twins(trial, 0, 2));
    assert_non_null(strstr(trial->stages[0].skipped, "exit status 255: line 1: what is that"));
    assert_false(machine_code_read("/nowhere/k.cubin", &kernels, &count, error, sizeof error));
    assert_non_null(strstr(error, "cannot read /nowhere/k.cubin"));
    assert_false(machine_code_read(compiler.path, &kernels, &count, error, sizeof error));
    assert_non_null(strstr(error, "is not a cubin"));
}

/* ---- The command ---- */

/* Leaves only what the scripts need on the PATH, so that the command runs no nvcc and no clang. */
static void compilers_hide(void)
{
    char command[512];

    if (path_before[0] == '\0')
        snprintf(path_before, sizeof path_before, "%s", getenv("PATH"));
    setenv("PATH", path_before, 1);
    snprintf(command, sizeof command,
             "mkdir -p %s/tools && for tool in awk cc as; do ln -sf \"$(command -v $tool)\" "
             "%s/tools/ || exit 1; done",
             folder, folder);
    assert_int_equal(system(command), 0);
    setenv("PATH", in_folder("tools"), 1);
}

TEST(compilers_command_prints_and_writes_failures)
{
    char json[64];
    struct ended ended;
    json_t *report, *pairs, *stages;

    compilers_hide();
    snprintf(json, sizeof json, "%s/report.json", folder);
    ended =
        run_line("compilers --count 30 --ptxas '%s' --json %s", assembler_script("same", ""), json);
    setenv("PATH", path_before, 1);
    report = json_load_file(json, 0, NULL);
    assert_int_equal(ended.status, 1);
    assert_non_null(strstr(ended.output, "ptxas 1.2.3: same machine code, 8 bytes"));
    assert_null(strstr(ended.output, "cannot remove"));
    free(ended.output);
    assert_non_null(report);
    assert_true(json_is_true(json_object_get(report, "complete")));
    assert_true(report_number(report, "programs") >= 30 + 60);
    pairs = json_object_get(report, "same_code");
    assert_true(json_array_size(pairs) > 0);
    assert_string_equal(report_text(json_array_get(pairs, 0), "ptxas"), "1.2.3");
    stages = json_object_get(report, "stages");
    for (size_t k = 0; k < json_array_size(stages); k++)
        assert_int_equal(report_number(json_array_get(stages, k), "wrong"), 0);
    json_decref(report);
}

/* An assembler without detectable errors passes. A wrong front end fails the command. */
TEST(wrong_compiler_fails_the_command)
{
    struct ended ended;

    expect_run(0, "", "compilers --count 20 --ptxas '%s'", assembler_script("steady", OF_TEXT));
    if (!engine_is_available("sim"))
        return;
    ended = run_line("compilers --count 20 --no-idioms --nvcc '%s'",
                     front_end_script("s/max.s32/min.s32/"));
    expect_ended(ended, 1, "cause: front end|    wrong: PTX of nvcc 1.2.3");
}

/* An engine that crashes, an assembler that omits kernels, a missing required GPU, and an
 * interrupt: none of these may pass. */
TEST(unchecked_parts_do_not_pass)
{
    char json[64];
    const char *const required[] = {SIMTCHECK,   "compilers", "--count", "0",
                                    "--require", "cuda",      NULL};
    const char *const stopped[] = {SIMTCHECK, "compilers", "--count",
                                   "1000000", "--ptxas",   assembler_script("steady", OF_TEXT),
                                   "--json",  json,        NULL};
    struct ended ended = program_run(required);
    json_t *report;

    expect_ended(ended, 3, "the GPU is required");
    expect_run(0, "", "/bin/cp %s %s", SIMTCHECK, in_folder("simtcheck"));
    script_make("simtcheck-worker-sim", "kill -SEGV $$");
    expect_run(3, "engine sim: the worker |Segmentation fault|!PASS", "%s compilers --count 20",
               in_folder("simtcheck"));
    compilers_hide();
    expect_run(77, "made code of 6 kernels from PTX of", "compilers --count 0 --ptxas '%s'",
               assembler_script("none", "if (n++ > 5) next;"));
    snprintf(json, sizeof json, "%s/stopped.json", folder);
    ended = program_interrupt(stopped, json, "\"programs\"", SIGINT);
    setenv("PATH", path_before, 1);
    expect_ended(ended, 3, "interrupted: ");
    report = json_load_file(json, 0, NULL);
    assert_true(json_is_false(json_object_get(report, "complete")));
    json_decref(report);
}

TEST(invalid_options_are_rejected)
{
    static const struct {
        const char *option, *value, *says;
    } bad[] = {
        {"--ptxas", "/bin/echo", "--ptxas: /bin/echo is not ptxas"},
        {"--arch", "90", "--arch '90' is not an architecture: write it as sm_90"},
        {"--count", "-1", "--count"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        expect_run(2, bad[k].says, "compilers --seed 1 '%s' '%s'", bad[k].option, bad[k].value);
    }
}

TEST_MAIN("compilers", set_up, tear_down)
