/* SPDX-License-Identifier: MIT
 *
 * Programs as data: written and read, drawn at random, shrunk, and printed as expressions.
 */
#include "check.h"

#include "idioms.h"
#include "program_catalogue.h"
#include "random_program.h"
#include "shrink_program.h"

#include <unistd.h>

static struct program read_program(const char *line)
{
    struct program program;
    char error[256];

    if (!program_read(line, &program, error, sizeof error))
        fail_msg("%s", error);
    return program;
}

TEST(written_programs_are_read_back)
{
    for (uint64_t k = 0; k < 300; k++) {
        struct program drawn, again;
        char *line = NULL, *second = NULL;
        size_t size;
        FILE *to = open_memstream(&line, &size);
        program_draw(7, k, &drawn);
        program_write(to, &drawn);
        fclose(to);
        again = read_program(line);
        to = open_memstream(&second, &size);
        program_write(to, &again);
        fclose(to);
        assert_string_equal(line, second);
        free(line);
        free(second);
    }
}

TEST(invalid_programs_are_rejected)
{
    static const struct {
        const char *line, *says;
    } bad[] = {
        {"", "must begin with a name"},
        {"input_b32 0;", "must begin with a name"},
        {": input_b32 0;", "must begin with a name"},
        {"p:", "the last node must be a number"},
        {"p: input_b32 0; eq_s32 0 0;", "the last node must be a number"},
        {"p: input_b32 6;", "'input_b32 6' is not an operation"},
        {"p: input_b64 3;", "'input_b64 3' is not an operation"},
        {"p: input_b32 0", "'input_b32 0' is not an operation"},
        {"p: input_b32 0; min_s32 0;", "'min_s32 0' is not an operation"},
        {"p: input_b32 0; neg_b32 1;", "'neg_b32 1' is not an operation"},
        {"p: input_b32 0; neg_b64 0;", "'neg_b64 0' is not an operation"},
        {"p: input_b32 0; neg_b32 0 0;", "'neg_b32 0 0' is not an operation"},
        {"p: add 0 0;", "'add 0 0' is not an operation"},
        {"p: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;",
         "is not an operation"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct program program;
        char error[256] = "";
        if (program_read(bad[k].line, &program, error, sizeof error) ||
            strstr(error, bad[k].says) == NULL)
            fail_msg("'%s' is reported as: %s", bad[k].line, error);
    }
}

TEST(program_file_errors_have_line_numbers)
{
    struct program_catalogue rows;
    char error[512], path[128];

    snprintf(path, sizeof path, "/tmp/simtcheck-programs-%d", (int)getpid());
    assert_false(program_catalogue_read(path, &rows, error, sizeof error));
    assert_non_null(strstr(error, "cannot read"));
    text_write(path, "a: input_b32 0;\n");
    assert_false(program_catalogue_read(path, &rows, error, sizeof error));
    assert_non_null(strstr(error, ":1: this is not a list of programs"));
    text_write(path, PROGRAMS_TAG "a: input_b32 0;\nb: input_b32 0; neg_b32 0;\nc: input_b33 0;\n");
    assert_false(program_catalogue_read(path, &rows, error, sizeof error));
    assert_non_null(strstr(error, ":4: c: 'input_b33 0'"));
    assert_int_equal(truncate(path, 52), 0);
    assert_true(program_catalogue_read(path, &rows, error, sizeof error));
    assert_int_equal(rows.catalogue.count, 2);
    assert_string_equal(rows.catalogue.variants[1].id, "b");
    program_catalogue_free(&rows);
    remove(path);
}

/* The same seed and number give the same program. Another seed or number gives another program. */
TEST(same_seed_generates_same_programs)
{
    unsigned int same = 0;

    for (uint64_t k = 0; k < 100; k++) {
        struct program one, again, other;
        program_draw(5, k, &one);
        program_draw(5, k, &again);
        program_draw(6, k, &other);
        assert_memory_equal(&one, &again, sizeof one);
        same += program_operators(&one) == program_operators(&other);
    }
    assert_true(same < 60);
}

/* Drawn programs multiply matrices, load them, and copy asynchronously. */
TEST(programs_use_the_operations_of_warps)
{
    unsigned int uses[OPERATIONS] = {0};

    for (uint64_t k = 0; k < 1000; k++) {
        struct program drawn;
        program_draw(1, k, &drawn);
        assert_true(program_has_ptx(&drawn));
        for (uint32_t n = 0; n < drawn.count; n++)
            uses[drawn.nodes[n].operation]++;
    }
    assert_in_range(uses[OPERATION_product_b32], 10, 100);
    assert_in_range(uses[OPERATION_transposed_b32], 10, 100);
    assert_in_range(uses[OPERATION_async_b32], 10, 100);
}

TEST(shrunk_programs_are_smaller_and_valid)
{
    static struct program smaller[MAX_SMALLER], beside[MAX_BESIDE];

    for (uint64_t k = 0; k < 100; k++) {
        struct program drawn;
        size_t count;
        program_draw(9, k, &drawn);
        count = programs_smaller(&drawn, smaller);
        for (size_t s = 0; s < count; s++) {
            char *line = NULL;
            size_t size;
            FILE *to = open_memstream(&line, &size);
            assert_true(program_is_simpler(&smaller[s], &drawn));
            assert_false(program_is_simpler(&drawn, &smaller[s]));
            program_write(to, &smaller[s]);
            fclose(to);
            read_program(line);
            free(line);
        }
        count = programs_beside(&drawn, beside);
        for (size_t b = 0; b < count; b++)
            assert_true(memcmp(&beside[b], &drawn, sizeof drawn) != 0);
    }
}

TEST(program_shapes_ignore_names)
{
    const struct program one = read_program(
                             "p: input_b32 1; input_b32 0; max_s32 0 1; constant_b32 4294967295; "
                             "eq_s32 2 0; select_b32 4 3 1;"),
                         other = read_program(
                             "q: input_b32 0; input_b32 2; max_s32 0 1; constant_b32 4294967295; "
                             "eq_s32 2 0; select_b32 4 3 1;");
    char shape[256], again[256];

    program_shape(&one, shape, sizeof shape);
    program_shape(&other, again, sizeof again);
    assert_string_equal(shape, again);
    assert_string_equal(shape, "select_b32(eq_s32(max_s32(a, b), a), 0xffffffff, b)");
    assert_true(program_shape(&one, again, 8) > 8);
    assert_int_equal(strlen(again), 7);
}

/* ---- Operations of CUDA C++ alone ---- */

/* Checks that the program's text can be read back. */
static void assert_is_program(const struct program *program)
{
    char *line = NULL;
    size_t size;
    FILE *to = open_memstream(&line, &size);

    program_write(to, program);
    fclose(to);
    read_program(line);
    free(line);
}

static bool has(const struct program *program, enum operation_id id)
{
    bool found = false;

    for (uint32_t k = 0; k < program->count; k++)
        found = found || program->nodes[k].operation == id;
    return found;
}

TEST(cuda_operations_appear_only_in_idioms)
{
    for (int id = FIRST_CUDA_OPERATION; id < OPERATIONS; id++) {
        bool found = false;
        for (size_t k = 0; idioms_cuda[k] != NULL && !found; k++) {
            const struct program program = read_program(idioms_cuda[k]);
            found = has(&program, (enum operation_id)id);
        }
        if (!found)
            fail_msg("no idiom has %s", operations[id].name);
        assert_null(operations[id].ptx);
    }
    for (uint64_t k = 0; k < 500; k++) {
        struct program drawn;
        program_draw(3, k, &drawn);
        assert_true(program_has_ptx(&drawn));
    }
}

/* Their results depend on their inputs, and exist for any input. */
TEST(idiom_results_are_defined_for_all_inputs)
{
    for (size_t k = 0; idioms_cuda[k] != NULL; k++) {
        const struct program program = read_program(idioms_cuda[k]);
        uint32_t first[PROGRAM_OUT] = {0};
        bool differ = false;
        assert_false(program_has_ptx(&program));
        for (uint64_t block = 0; block < 32; block++) {
            uint32_t in[PROGRAM_IN][PROGRAM_BLOCK], out[PROGRAM_OUT][PROGRAM_BLOCK];
            program_inputs((struct values){VALUES_EDGES, 1 + block / 8}, 8 * PROGRAM_BLOCK,
                           block % 8 * PROGRAM_BLOCK, in);
            program_evaluate(&program, in, out);
            if (block == 0)
                memcpy(first, (uint32_t[]){out[0][0], out[1][0]}, sizeof first);
            for (int i = 0; i < PROGRAM_BLOCK; i++)
                differ = differ || out[0][i] != first[0] || out[1][i] != first[1];
        }
        if (!differ)
            fail_msg("%s gives the same for all", program.name);
    }
}

TEST(idioms_can_be_shrunk)
{
    static struct program smaller[MAX_SMALLER], beside[MAX_BESIDE];

    for (size_t k = 0; idioms_cuda[k] != NULL; k++) {
        const struct program program = read_program(idioms_cuda[k]);
        char shape[256];
        size_t count = programs_smaller(&program, smaller);
        assert_true(count > 0);
        for (size_t s = 0; s < count; s++) {
            assert_true(program_is_simpler(&smaller[s], &program));
            assert_is_program(&smaller[s]);
        }
        count = programs_beside(&program, beside);
        for (size_t b = 0; b < count; b++)
            assert_is_program(&beside[b]);
        assert_true(program_shape(&program, shape, sizeof shape) < sizeof shape);
        assert_non_null(strchr(shape, '('));
    }
}

/* The results were computed by hand. */
TEST(idioms_give_hand_computed_results)
{
    static const struct {
        const char *line;
        uint64_t result;
    } known[] = {
        {"p: constant_b32 1073741824; switch_sparse 0;", 14},
        {"p: constant_b32 4294967295; loop_square_root 0;", 65535},
        {"p: constant_b32 48; constant_b32 36; loop_common_divisor 0 1;", 12},
        {"p: constant_b32 0; table_of_bytes 0;", 0xffffee00}, /* -128 * 36 */
        {"p: constant_b32 2147483648; carry_and_overflow 0 0;", 3},
        {"p: constant_b64 9223372036854775808; product_high 0 0;", UINT64_C(0xc000000000000000)},
        /* bytes 255 and 1: sums 0, differences 254; products -1, or 255 */
        {"p: constant_b32 4294967295; constant_b32 16843009; adds_of_bytes 0 1;", 0xfefefefe},
        {"p: constant_b32 4294967295; constant_b32 16843009; constant_b32 5; dot_products 0 1 2;",
         UINT64_C(0x100000401)},
        /* 1 and 2^-30: the second is lost completely */
        {"p: constant_b32 1065353216; constant_b32 813694976; error_of_sum 0 1;", 0x30800000},
        /* a NaN and 1.0 */
        {"p: constant_b32 2143289344; constant_b32 1065353216; comparisons 0 1;", 0xcc8},
        /* 65520: infinity, 65504, 65504, and infinity times 3 */
        {"p: constant_b32 1199566848; constant_b32 1; half_from_float 0 1;",
         UINT64_C(0x7c007c00efff)},
        /* infinity * 1 - infinity */
        {"p: constant_b32 31744; constant_b32 15360; constant_b32 64512; half_fused 0 1 2;",
         0x7fff},
        /* 1 + 2^-10 squared is 1 + 2^-9 + 2^-20; and 2^-24 more */
        {"p: constant_b32 15361; constant_b32 1; half_fused 0 0 1;", 0x3c003c02},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const struct program program = read_program(known[k].line);
        static uint32_t in[PROGRAM_IN][PROGRAM_BLOCK];
        uint32_t out[PROGRAM_OUT][PROGRAM_BLOCK];
        program_evaluate(&program, in, out);
        if ((out[0][0] | (uint64_t)out[1][0] << 32) != known[k].result)
            fail_msg("%s gives 0x%08x%08x", known[k].line, out[1][0], out[0][0]);
    }
}

TEST_MAIN("program", NULL, NULL)
