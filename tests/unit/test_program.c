/* SPDX-License-Identifier: MIT
 *
 * Programs as data: written and read, drawn, made smaller, told as expressions.
 */
#include "check.h"

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

static void what_was_written_is_read(void **state)
{
    (void)state;
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

static void what_is_no_program_is_refused(void **state)
{
    static const struct {
        const char *line, *says;
    } bad[] = {
        {"", "does not begin with a name"},
        {"input_b32 0;", "does not begin with a name"},
        {": input_b32 0;", "does not begin with a name"},
        {"p:", "the last node is to be a number"},
        {"p: input_b32 0; eq_s32 0 0;", "the last node is to be a number"},
        {"p: input_b32 6;", "'input_b32 6' is no operation"},
        {"p: input_b64 3;", "'input_b64 3' is no operation"},
        {"p: input_b32 0", "'input_b32 0' is no operation"},
        {"p: input_b32 0; min_s32 0;", "'min_s32 0' is no operation"},
        {"p: input_b32 0; neg_b32 1;", "'neg_b32 1' is no operation"},
        {"p: input_b32 0; neg_b64 0;", "'neg_b64 0' is no operation"},
        {"p: input_b32 0; neg_b32 0 0;", "'neg_b32 0 0' is no operation"},
        {"p: add 0 0;", "'add 0 0' is no operation"},
        {"p: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;",
         "is no operation"},
    };
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct program program;
        char error[256] = "";
        if (program_read(bad[k].line, &program, error, sizeof error) ||
            strstr(error, bad[k].says) == NULL)
            fail_msg("'%s' is told: %s", bad[k].line, error);
    }
}

static void files_of_programs_are_told_by_line(void **state)
{
    struct program_catalogue rows;
    char error[512], path[128];
    FILE *to;
    (void)state;

    snprintf(path, sizeof path, "/tmp/simtcheck-programs-%d", (int)getpid());
    assert_false(program_catalogue_read(path, &rows, error, sizeof error));
    assert_non_null(strstr(error, "cannot read"));
    to = fopen(path, "w");
    assert_non_null(to);
    fputs("a: input_b32 0;\nb: input_b32 0; neg_b32 0;\nc: input_b33 0;\n", to);
    fclose(to);
    assert_false(program_catalogue_read(path, &rows, error, sizeof error));
    assert_non_null(strstr(error, ":3: c: 'input_b33 0'"));
    assert_int_equal(truncate(path, 43), 0);
    assert_true(program_catalogue_read(path, &rows, error, sizeof error));
    assert_int_equal(rows.catalogue.count, 2);
    assert_string_equal(rows.catalogue.variants[1].id, "b");
    program_catalogue_free(&rows);
    remove(path);
}

/* Another seed or number is another program, and the same is the same. */
static void a_seed_draws_the_same_programs(void **state)
{
    unsigned int same = 0;
    (void)state;

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

static void smaller_programs_are_smaller_and_programs(void **state)
{
    static struct program smaller[MOST_SMALLER], beside[MOST_BESIDE];
    (void)state;

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

static void shapes_forget_names(void **state)
{
    const struct program one = read_program(
                             "p: input_b32 1; input_b32 0; max_s32 0 1; constant_b32 4294967295; "
                             "eq_s32 2 0; select_b32 4 3 1;"),
                         other = read_program(
                             "q: input_b32 0; input_b32 2; max_s32 0 1; constant_b32 4294967295; "
                             "eq_s32 2 0; select_b32 4 3 1;");
    char shape[256], again[256];
    (void)state;

    program_shape(&one, shape, sizeof shape);
    program_shape(&other, again, sizeof again);
    assert_string_equal(shape, again);
    assert_string_equal(shape, "select_b32(eq_s32(max_s32(a, b), a), 0xffffffff, b)");
    assert_true(program_shape(&one, again, 8) > 8);
    assert_int_equal(strlen(again), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(what_is_no_program_is_refused),
        cmocka_unit_test(files_of_programs_are_told_by_line),
        cmocka_unit_test(a_seed_draws_the_same_programs),
        cmocka_unit_test(smaller_programs_are_smaller_and_programs),
        cmocka_unit_test(shapes_forget_names),
    };

    return cmocka_run_group_tests_name("program", tests, NULL, NULL);
}
