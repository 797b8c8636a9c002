/* SPDX-License-Identifier: MIT
 *
 * The idioms of CUDA C++, compiled to PTX by an nvcc, must compute what they mean. Argument: the
 * nvcc.
 */
#include "check.h"

#include "engines.h"
#include "idioms.h"
#include "shrink_program.h"
#include "supervisor.h"
#include "trial.h"

enum { MAX_IDIOMS = 256, SEEDS = 4 };

static const char *nvcc;
static struct supervisor *host;

static bool never(void)
{
    return false;
}

static int set_up(void **state)
{
    const struct supervisor_options options = {
        .engine = &engine_kinds[ENGINE_SIM], .jobs = 1, .limits = {.deadline_seconds = 60}};
    char reason[512];
    (void)state;

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
    return folder_remove(state);
}

static size_t read_idioms(struct program *programs)
{
    size_t count = 0;

    for (; idioms_cuda[count] != NULL; count++) {
        char error[256];
        assert_true(count < MAX_IDIOMS);
        if (!program_read(idioms_cuda[count], &programs[count], error, sizeof error))
            fail_msg("%s", error);
        assert_false(program_has_ptx(&programs[count]));
    }
    return count;
}

/* Returns true for a known defect: before 13.0, nvcc adds products of 8 and 16 bits to 64 in only
 * 32 bits, by dp2a and dp4a. Seen in 11.8 and 12.4. */
static bool is_known(const struct family *family, const struct compiler *compiler)
{
    return atoi(compiler->version) < 13 &&
           (strncmp(family->shape, "sum_of_short_products(", 22) == 0 ||
            strncmp(family->shape, "sum_of_byte_products(", 21) == 0);
}

TEST(idiom_ptx_matches_the_idioms)
{
    static struct program programs[MAX_IDIOMS];
    static struct trial trial;
    const size_t count = read_idioms(programs);
    struct compiler compiler;
    char error[512];

    if (!compiler_open(nvcc, "nvcc", &compiler, error, sizeof error))
        fail_msg("%s", error);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t known = 0;
        trial = (struct trial){.folder = folder,
                               .seed = seed,
                               .stages = {{.kind = STAGE_FRONT_END,
                                           .compiler = &compiler,
                                           .supervisor = host,
                                           .name = "front end"}},
                               .stage_count = 1,
                               .stopped = never};
        if (!trial_of_programs(&trial, programs, count))
            fail_msg("%s", trial.error);
        for (size_t k = 0; k < trial.family_count; k++) {
            known += is_known(&trial.families[k], &compiler) ? trial.families[k].members : 0;
            print_message("%s: %s: expected %s, got %s\n", trial.families[k].shape,
                          trial.families[k].outcome.difference.place,
                          trial.families[k].outcome.difference.expected,
                          trial.families[k].outcome.difference.got);
        }
        assert_string_equal(trial.stages[0].skipped, "");
        assert_int_equal(trial.stages[0].run, count);
        assert_int_equal(trial.stages[0].wrong, known);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s NVCC\n", argv[0]);
        return 2;
    }
    nvcc = argv[1];
    return tests_run("idioms", set_up, tear_down);
}
