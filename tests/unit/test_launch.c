/* SPDX-License-Identifier: MIT
 *
 * Launches as users write them: expressions, types, and the location of errors.
 */
#include "check.h"

#include "input_values.h"
#include "launch_catalogue.h"
#include "reader.h"

#include <unistd.h>

static int64_t value_of(const char *text, int64_t n)
{
    const int64_t values[] = {n, n / 2, 3, 64, 1000};
    struct number variables[VARIABLES] = {{NUMBER_INTEGER, 0, 0}};
    struct expression_names names = {.count = 0};
    struct expression expression;
    char error[256] = "";
    struct reader reader = {text, error, sizeof error};
    int64_t value = 0;

    if (!expression_read(&reader, &names, &expression))
        fail_msg("%s: %s", text, error);
    assert_string_equal(reader.at, "");
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        variables[v].integer = values[v];
    assert_true(expression_value(&expression, variables, &value));
    return value;
}

TEST(expressions_follow_c_rules)
{
    assert_int_equal(value_of("(n + 255) / 256", 257), 2);
    assert_int_equal(value_of("n - 1 - 2 * 3", 100), 93);
    assert_int_equal(value_of("1 << 4 | 3 & 6 ^ 1", 0), 1 << 4 | ((3 & 6) ^ 1));
    assert_int_equal(value_of("-n % 7 + 0x10", 9), -9 % 7 + 16);
    assert_int_equal(value_of("min(n, B) * max(nx, ny)", 100), 64 * 50);
    assert_int_equal(value_of("1024u >> 3", 0), 128);
    assert_int_equal(value_of("-(2 - 5)", 0), 3);
    assert_int_equal(value_of("(edges + n) / edges", 1), 1);
    assert_int_equal(value_of("n > 3 && n != 5 ? n : -n", 4), 4);
    assert_int_equal(value_of("n > 3 && n != 5 ? n : -n", 5), -5);
    assert_int_equal(value_of("1 < 2 == true", 0), 1);
    assert_int_equal(value_of("!n | ~0", 0), -1);
    assert_int_equal(value_of("0b101 + 017 + 0x1fULL", 0), 5 + 15 + 31);
    assert_int_equal(value_of("nullptr", 0), 0);
}

/* Only the taken operand of ?:, && and || must have a value. */
TEST(untaken_operands_may_be_undefined)
{
    assert_int_equal(value_of("n == 0 ? 7 : 100 / n", 0), 7);
    assert_int_equal(value_of("n != 0 && 100 / n > 3", 0), 0);
    assert_int_equal(value_of("n == 0 || 100 / n > 3", 0), 1);
}

TEST(floats_and_casts_follow_cxx_rules)
{
    assert_int_equal(value_of("ceil(n / 256.0)", 257), 2);
    assert_int_equal(value_of("(int)ceilf((float)n / 256)", 256), 1);
    assert_int_equal(value_of("n / 256", 257), 1);
    assert_int_equal(value_of("std::max(2.5, n / 2.0) * 2", 3), 5);
    assert_int_equal(value_of("int(2.9) + int(-2.9)", 0), 0);
    assert_int_equal(value_of("(unsigned char)300 + static_cast<signed char>(200)", 0), 44 - 56);
    assert_int_equal(value_of("(unsigned int)-1", 0), 4294967295);
    assert_int_equal(value_of("bool(n) + (long long)n", 7), 8);
    assert_int_equal(value_of("log2(n) + sqrt(16.0) + floor(0.5) + round(0.5)", 8), 3 + 4 + 0 + 1);
    assert_int_equal(value_of(".5f * 4", 0), 2);
}

/* Terms that only the compiler knows are kept in C++, each once. */
TEST(terms_of_the_code_are_kept)
{
    static const char *const terms[] = {
        "sizeof(float4)", "ns::Tile<4, int>::width", "TILE", "tiles(4)[1].x", "::B", "Vec{1, 2}.y"};
    char error[256] = "", text[512];
    struct expression_names names = {.count = 0};
    struct expression expression;
    struct reader reader = {text, error, sizeof error};

    snprintf(text, sizeof text, "%s * B + %s - %s * %s + %s + %s + TILE < n", terms[0], terms[1],
             terms[2], terms[3], terms[4], terms[5]);
    if (!expression_read(&reader, &names, &expression))
        fail_msg("%s: %s", text, error);
    assert_string_equal(reader.at, "");
    assert_int_equal(names.count, 6);
    for (int k = 0; k < 6; k++)
        assert_string_equal(names.name[k].text, terms[k]);
    reader.at = "tiles(n)";
    assert_false(expression_read(&reader, &names, &expression));
    assert_non_null(strstr(error, "'tiles(n)' depends on the size n: write the formula"));
}

TEST(invalid_arithmetic_is_rejected)
{
    static const char *const none[] = {"1 / (n - n)",
                                       "9223372036854775807 + 1",
                                       "-9223372036854775807 - 2",
                                       "4611686018427387904 * 2",
                                       "1 << 63",
                                       "1 >> -1",
                                       "n % 0",
                                       "1.5 % 2",
                                       "int(1e30)",
                                       "n == 5 ? 1 / 0 : 1"};
    const struct number five = {NUMBER_INTEGER, 5, 0},
                        variables[VARIABLES] = {five, five, five, five};

    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        struct expression_names names = {.count = 0};
        struct expression expression;
        char error[256] = "";
        struct reader reader = {none[k], error, sizeof error};
        int64_t value;
        assert_true(expression_read(&reader, &names, &expression));
        assert_false(expression_value(&expression, variables, &value));
    }
}

static const struct size_names unnamed = {.count = 0};

static struct launch_text parsed(const char *text)
{
    static struct launch_text launch;
    char error[256];
    size_t column;

    if (!launch_parse(text, &unnamed, &launch, &column, error, sizeof error))
        fail_msg("%zu: %s", column, error);
    return launch;
}

/* A kernel's file may use these from the C library or define them. */
TEST(short_names_of_types_are_known)
{
    static const enum element elements[] = {ELEMENT_I8, ELEMENT_I16, ELEMENT_I32, ELEMENT_I64};
    const struct launch_text launch = parsed(
        "k<<<1, 1>>>(in uchar a[n], in ushort b[n], in uint c[n], in ulong d[n], in uint2 e[n])");

    for (int k = 0; k < 4; k++) {
        assert_int_equal(launch.arrays[k].type.element, elements[k]);
        assert_int_equal(launch.arrays[k].type.lanes, 1);
    }
    assert_int_equal(launch.arrays[4].type.lanes, 2);
}

TEST(launch_is_parsed_into_its_parts)
{
    struct launch_text launch =
        parsed("ns::sum<int, 256> <<<dim3(nx, (ny + 7) / 8), dim3(B, 1, 1), 4 * B, 0>>>(\n"
               "    n, -2.5e1f, true, in uchar4 a[ny][nx], inout unsigned long long b[n] = "
               "uniform(-1, nx),\n"
               "    out __half2 c[2], scratch double d[1], zeros int e[B]);");
    const struct shape shape = {{64, 1, 1}, {10, 9}, 0, 0, {0, 0}};
    struct invocation call;
    char error[256];
    float number;

    launch.arguments[1].type = SCALAR_F32;
    assert_string_equal(launch.calls[0].kernel, "ns::sum<int, 256>");
    assert_int_equal(launch_size_dimensions(&launch), 2);
    assert_true(launch_has(&launch, VARIABLE_B));
    assert_true(launch_invoke(&launch, &shape, &call, error, sizeof error));
    assert_int_equal(call.grid.x, 10);
    assert_int_equal(call.grid.y, 2);
    assert_int_equal(call.grid.z, 1);
    assert_int_equal(call.block.x, 64);
    assert_int_equal(call.shared_bytes, 256);
    assert_int_equal(call.argument_count, 8);
    assert_int_equal(call.buffer_count, 5);
    assert_int_equal(call.arguments[0].value, 90);
    memcpy(&number, &call.arguments[1].value, sizeof number);
    assert_true(number == -25.0f);
    assert_int_equal(call.arguments[2].value, 1);
    assert_int_equal(call.buffers[0].count, 360);
    assert_int_equal(call.buffers[0].element, ELEMENT_I8);
    assert_int_equal(call.buffers[1].count, 90);
    assert_int_equal(call.buffers[1].element, ELEMENT_I64);
    assert_int_equal(call.buffers[1].fill, FILL_UNIFORM);
    assert_int_equal(call.buffers[1].low, -1);
    assert_int_equal(call.buffers[1].high, 10);
    assert_int_equal(call.buffers[2].count, 4);
    assert_int_equal(call.buffers[2].role, ROLE_OUTPUT);
    assert_int_equal(call.buffers[3].role, ROLE_SCRATCH);
    assert_int_equal(call.buffers[4].role, ROLE_LOG);
    assert_string_equal(call.buffers[4].name, "e");
}

/* Arguments, with the types of their parameters. */
TEST(scalars_are_converted_to_the_parameter_type)
{
    struct launch_text launch = parsed("k<<<1, 1>>>(3, 2.75, 2.75, n)");
    const struct shape shape = {{1, 1, 1}, {7, 1}, 0, 0, {0, 0}};
    struct invocation call;
    char error[256];
    double wide;
    float narrow;

    launch.arguments[0].type = SCALAR_F32;
    launch.arguments[1].type = SCALAR_F64;
    launch.arguments[2].type = SCALAR_INTEGER;
    launch.arguments[3].type = SCALAR_F64;
    assert_true(launch_invoke(&launch, &shape, &call, error, sizeof error));
    memcpy(&narrow, &call.arguments[0].value, sizeof narrow);
    assert_true(narrow == 3.0f);
    memcpy(&wide, &call.arguments[1].value, sizeof wide);
    assert_true(wide == 2.75);
    assert_int_equal(call.arguments[2].value, 2);
    memcpy(&wide, &call.arguments[3].value, sizeof wide);
    assert_true(wide == 7.0);
}

TEST(syntax_errors_are_reported_with_their_column)
{
    static const struct {
        const char *text;
        size_t column;
        const char *says;
    } bad[] = {
        {"", 1, "the kernel's name"},
        {"k(1)", 1, "'<<<' is missing"},
        {"k<<<1, 1>>()", 5, "'>>>' is missing"},
        {"k<<<1>>>()", 6, "','"},
        {"k<<<n+, 1>>>()", 7, "expected a number, a size"},
        {"k<<<(n, 1>>>()", 7, "')'"},
        {"k<<<1, 1>>>", 12, "'('"},
        {"k<<<1, 1>>>(in float x)", 23, "'['"},
        {"k<<<1, 1>>>(in floot x[1])", 16, "expected a type here"},
        {"k<<<1, 1>>>(in float4)", 22, "the array's name"},
        {"k<<<1, 1>>>(in float9 x[1])", 16, "expected a type here"},
        {"k<<<1, 1>>>(in int x[n], out int x[n])", 34, "another array already has the name 'x'"},
        {"k<<<1, 1>>>({int 1, float4 2})", 27, "a member cannot be a vector"},
        {"k<<<1, 1>>>({int 1 float 2})", 20, "'}'"},
        {"k<<<1, 1>>>({int[0] 1})", 18, "from 1 to"},
        {"k<<<1, 1>>>(in int x[n] = ones)", 27, "uniform(low, high)"},
        {"k<<<1, 1>>>(out int x[n] = permutation)", 27, "only 'in' and 'inout' arrays"},
        {"k<<<1, 1>>>(in int x[n] = uniform(0))", 36, "','"},
        {"k<<<1, 1>>>(n n)", 15, "',' and an argument, or ')'"},
        {"k<<<1, 1>>>(f(n))", 13, "'f(n)' depends on the size n"},
        {"k<<<1, 1>>>(sizeof(int)", 24, "',' and an argument, or ')'"},
        {"k<<<1, 1>>>() k", 15, "unexpected text after the launch: separate launches with ';'"},
        {"k<<<1, 1, 0, 7>>>()", 14, "expected a stream here"},
        {"k<<<1, 1, 0, a>>>(); cudaEventRecord()", 38, "expected an event here"},
        {"k<<<1, 1, 0, a>>>(); cudaStreamWaitEvent(a)", 43, "','"},
        {"k<<<1, 1>>>(out int x[n] unordered, in int y[n] unordered)", 58, "'unordered' is for"},
        {"k; k<<<1, 1>>>()", 1, "'<<<' is missing"},
        {"in int x[n]", 12, "expected a launch here"},
        {"k<<<1, 1>>>(in int x[n] = @)", 28, "expected a file name here"},
        {"k<<<1, 1>>>(x, in int x[n])", 28, "x is an array: name it only after its declaration"},
        {"k<<<dim3(1, 2, 3, 4), 1>>>()", 17, "')'"},
        {"k<<<min(n), 1>>>()", 10, "','"},
        {"k<<<99999999999999999999, 1>>>()", 5, "too large"},
        {"k<<<1, 1>>>(n, float x[n])", 16, "'in', 'out', 'inout', 'zeros' or 'scratch'"},
        {"k<<<1, 1>>>(float *x[n])", 13, "'in', 'out', 'inout', 'zeros' or 'scratch'"},
        {"float x[4]; k<<<1, 1>>>()", 1, "'in', 'out', 'inout', 'zeros' or 'scratch'"},
        {"inuot int x[4]; k<<<1, 1>>>()", 1, "did you mean 'inout'?"},
        {"k<<<1, 1>>>(n, inn float *x[4][n])", 16, "did you mean 'in'?"},
        {"k<<<1, 1>>>(output float x[n])", 13, "did you mean 'out'?"},
        {"k<<<1, 1>>>({int 1, uot float x[n]})", 21, "did you mean 'out'?"},
        {"k<<<1, 1>>>(in flaot x[n])", 16, "vector such as float4: did you mean 'float'?"},
    };

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct launch_text launch;
        char error[256];
        size_t column;
        assert_false(launch_parse(bad[k].text, &unnamed, &launch, &column, error, sizeof error));
        if (column != bad[k].column || strstr(error, bad[k].says) == NULL)
            fail_msg("%s: %zu, %s", bad[k].text, column, error);
    }
}

TEST(excessive_counts_are_rejected)
{
    char text[4096] = "k<<<1, 1>>>(1", error[256];
    struct launch_text launch;
    size_t column;

    for (int k = 0; k < MAX_ARGUMENTS; k++)
        strcat(text, ", 1");
    strcat(text, ")");
    assert_false(launch_parse(text, &unnamed, &launch, &column, error, sizeof error));
    assert_non_null(strstr(error, "more than 128 arguments"));
    strcpy(text, "k<<<1, 1>>>(in int a0[1]");
    for (int k = 1; k <= MAX_ARRAYS; k++)
        snprintf(text + strlen(text), 32, ", in int a%d[1]", k);
    strcat(text, ")");
    assert_false(launch_parse(text, &unnamed, &launch, &column, error, sizeof error));
    assert_non_null(strstr(error, "more than 32 arrays"));
    strcpy(text, "k<<<1");
    for (int k = 0; k < MAX_STEPS; k++)
        strcat(text, "+1");
    assert_false(
        launch_parse(strcat(text, ", 1>>>()"), &unnamed, &launch, &column, error, sizeof error));
    assert_non_null(strstr(error, "more than 48 operations"));
}

/* A grid without blocks is not launched. The engine rejects an invalid grid. */
TEST(empty_and_invalid_launches_are_handled)
{
    const struct shape empty = {{1, 1, 1}, {0, 1}, 0, 0, {0, 0}};
    struct launch_text launch = parsed("k<<<n, 1>>>()");
    struct launch_catalogue catalogue;
    struct invocation call;
    char error[256];

    assert_true(launch_catalogue_make(&launch, &catalogue, error, sizeof error));
    catalogue.row->variant.invoke(&catalogue.row->variant, &empty, &call);
    assert_null(call.kernel);
    launch_catalogue_free(&catalogue);
    launch = parsed("k<<<n - 1, 1>>>()");
    assert_true(launch_catalogue_make(&launch, &catalogue, error, sizeof error));
    catalogue.row->variant.invoke(&catalogue.row->variant, &empty, &call);
    assert_string_equal(call.refusal, "the grid is -1: it must be from 0 to 4294967295");
    launch_catalogue_free(&catalogue);
    launch = parsed("k<<<n, B>>>()"); /* it gets no extra block either */
    assert_true(launch_catalogue_make(&launch, &catalogue, error, sizeof error));
    assert_int_equal(catalogue.row->variant.block_dimensions, 1);
    assert_false(variant_takes_surplus(&catalogue.row->variant));
    launch_catalogue_free(&catalogue);
}

/* Several launches share arrays. Launches without blocks are omitted, and the arguments of the
 * others are concatenated. */
TEST(consecutive_launches_are_parsed)
{
    struct launch_text launch =
        parsed("in float weights[9]; inout int x[n];\n"
               "first<<<n / 64, 64, 0, s>>>(x, 7);\n"
               "second<<<1, 32, optin 4, s>>>(x, {int 1, int n}, out int y[1]);\n"
               "first<<<n, 1, 0, s>>>(y, 8);");
    struct invocation call;
    char error[256];

    for (uint32_t c = 0; c < launch.call_count; c++)
        launch.calls[c].symbol = launch.calls[c].kernel;
    assert_int_equal(launch.call_count, 3);
    assert_true(launch.arrays[0].is_variable);
    assert_false(launch.arrays[1].is_variable);
    assert_false(launch.arrays[2].is_variable);
    assert_true(launch_invoke(&launch, &(struct shape){{1, 1, 1}, {64, 1}, 0, 0, {0, 0}}, &call,
                              error, sizeof error));
    assert_int_equal(call.more_count, 2);
    assert_string_equal(call.kernel, "first");
    assert_string_equal(call.more[0].kernel, "second");
    assert_int_equal(call.more[0].shared_bytes, 4);
    assert_true(call.more[0].opts_in && !call.opts_in && !call.more[1].opts_in);
    assert_int_equal(call.more[0].first_argument, 2);
    assert_int_equal(call.more[1].first_argument, 5);
    assert_int_equal(call.arguments[5].kind, ARGUMENT_BUFFER);
    assert_int_equal(call.arguments[5].value, 2);
    assert_int_equal(call.arguments[6].value, 8);
    assert_true(invocation_has_variables(&call));
    call.buffers[0].variable = NULL;
    assert_false(invocation_has_variables(&call));
    assert_true(launch_invoke(&launch, &(struct shape){{1, 1, 1}, {63, 1}, 0, 0, {0, 0}}, &call,
                              error, sizeof error));
    assert_string_equal(call.kernel, "second");
    assert_int_equal(call.more_count, 1);
    assert_int_equal(call.arguments[0].value, 1);
    assert_int_equal(call.arguments[3].value, 2);
    assert_int_equal(invocation_launch(&call, 1).first_argument, 3);
}

/* An array may have its file's length, and other arrays may have that array's length. */
TEST(array_value_ranges_are_checked)
{
    static const struct {
        const char *array, *says; /* null: valid */
    } rows[] = {
        {"int x[1] = uniform(7, 3)", "array x has values from 7 to below 3: the second"},
        {"float x[1] = sorted(1, 0)", "array x has values from 1 to below 0: the second"},
        {"int x[1] = offsets(0 - 1)", "array x has offsets(-1): the last offset must be 0 or"},
        {"char x[1] = uniform(0, 300)",
         "array x has values from 0 to 299, which do not fit in elements of 8"},
        {"short x[1] = uniform(0 - 40000, 0)", "array x has values from -40000 to -1"},
        {"char x[1] = offsets(256)", "array x has values from 0 to 256"},
        {"char x[1] = uniform(0 - 128, 256)", NULL},
        {"char x[1] = offsets(255)", NULL},
        {"float x[1] = uniform(0, 1000000)", NULL},
        {"int x[0] = uniform(0, 0)", NULL},
    };

    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char text[128], error[256] = "";
        struct launch_text launch;
        struct invocation call;
        bool good;
        snprintf(text, sizeof text, "k<<<1, 1>>>(in %s)", rows[k].array);
        launch = parsed(text);
        good = launch_invoke(&launch, &(struct shape){{1, 1, 1}, {5, 1}, 0, 0, {0, 0}}, &call,
                             error, sizeof error);
        if (good != (rows[k].says == NULL) || (!good && strstr(error, rows[k].says) == NULL))
            fail_msg("%s: %s", text, error);
    }
}

TEST(arrays_are_filled_from_files)
{
    static const int32_t numbers[] = {5, -6, 7, 8};
    char path[] = "/tmp/simtcheck-numbers-XXXXXX", text[256], error[1024];
    struct launch_text launch;
    struct invocation call;
    struct filling filling;
    int file = mkstemp(path);

    assert_true(file >= 0);
    assert_int_equal(write(file, numbers, sizeof numbers), sizeof numbers);
    snprintf(text, sizeof text, "k<<<edges, 2>>>(in int2 x[edges] = @%s, out int y[2 * edges])",
             path);
    launch = parsed(text);
    assert_true(launch_load_files(&launch, error, sizeof error));
    assert_true(launch_invoke(&launch, &(struct shape){{1, 1, 1}, {9, 1}, 0, 0, {0, 0}}, &call,
                              error, sizeof error));
    assert_int_equal(call.grid.x, 2);
    assert_int_equal(call.buffers[0].count, 4);
    assert_int_equal(call.buffers[1].count, 4);
    filling = values_filling(&call.buffers[0], (struct values){VALUES_ONES, 0});
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal((int32_t)values_filled(&filling, i), numbers[i]);

    snprintf(text, sizeof text, "k<<<1, 2>>>(in int x[n] = @%s)", path);
    launch = parsed(text);
    assert_true(launch_load_files(&launch, error, sizeof error));
    assert_false(launch_invoke(&launch, &(struct shape){{1, 1, 1}, {5, 1}, 0, 0, {0, 0}}, &call,
                               error, sizeof error));
    assert_non_null(strstr(error, "has 4 elements, but array x needs 5"));
    assert_int_equal(ftruncate(file, 15), 0);
    snprintf(text, sizeof text, "k<<<1, 2>>>(in int x[n] = @/tmp/../%s)", path);
    launch = parsed(text);
    assert_false(launch_load_files(&launch, error, sizeof error));
    assert_non_null(strstr(error, "has 15 bytes, but an element of x has 4"));
    assert_int_equal(ftruncate(file, 0), 0); /* under a name not used before */
    snprintf(text, sizeof text, "k<<<1, 2>>>(in int x[n] = @/tmp/../../%s)", path);
    launch = parsed(text);
    assert_false(launch_load_files(&launch, error, sizeof error));
    assert_non_null(strstr(error, "has 0 bytes, but an element of x has 4"));
    launch = parsed("k<<<1, 2>>>(in int x[n] = @/nowhere)");
    assert_false(launch_load_files(&launch, error, sizeof error));
    assert_non_null(strstr(error, "cannot read '/nowhere'"));
    close(file);
    unlink(path);
}

TEST(launch_round_trips_to_workers)
{
    struct launch_text launch = parsed("sum<int, 3><<<n, 64>>>(n, in half x[n])");
    struct launch_catalogue there, back;
    char error[256];
    FILE *file = tmpfile();

    assert_non_null(file);
    launch.calls[0].symbol = kept_text("symbol", 6);
    assert_true(launch_catalogue_make(&launch, &there, error, sizeof error));
    assert_string_equal(there.row->id, "sumint3");
    assert_int_equal(there.row->variant.element, ELEMENT_F32);
    assert_true(launch_catalogue_write(file, &launch));
    rewind(file);
    assert_true(launch_catalogue_read(file, &back, error, sizeof error));
    assert_memory_equal(&there.row->launch, &back.row->launch, sizeof back.row->launch);
    assert_string_equal(back.row->variant.kernel, "symbol");
    assert_false(launch_catalogue_read(file, &back, error, sizeof error));
    launch_catalogue_free(&there);
    launch_catalogue_free(&back);
    fclose(file);
}

/* A struct's pointers are at their offsets in C, and point to their arrays, including known ones.
 */
TEST(structs_can_contain_pointers)
{
    struct launch_text launch =
        parsed("k<<<1, 1>>>(1, {int n, in float x[n], char 1, out int y[1]}, {short 2, x})");
    const struct shape shape = {{1, 1, 1}, {7, 1}, 0, 0, {0, 0}};
    struct invocation call;
    char error[256];

    assert_true(launch_invoke(&launch, &shape, &call, error, sizeof error));
    assert_int_equal(call.buffer_count, 2);
    assert_int_equal(call.argument_count, 3);
    assert_int_equal(launch.arguments[1].bytes, 32);
    assert_int_equal(call.pointer_count, 3);
    assert_int_equal(call.pointers[0].at, call.arguments[1].value + 8);
    assert_int_equal(call.pointers[0].to.value, 0);
    assert_int_equal(call.pointers[1].at, call.arguments[1].value + 24);
    assert_int_equal(call.pointers[1].to.value, 1);
    assert_int_equal(call.pointers[2].at, call.arguments[2].value + 8);
    assert_int_equal(call.pointers[2].to.value, 0);
    assert_int_equal(call.bytes[call.arguments[1].value + 16], 1);
    launch = parsed("k<<<1, 1>>>({char 1, short[3] n, int 2})");
    assert_true(launch_invoke(&launch, &shape, &call, error, sizeof error));
    assert_int_equal(launch.arguments[0].bytes, 12);
    assert_memory_equal(call.bytes, "\1\0\7\0\7\0\7\0\2\0\0\0", 12);
}

/* Tensor maps and views are members, too. An array that a member declares does not part the members
 * of the struct. The views of rows follow all others. */
TEST(structs_can_contain_maps_and_views)
{
    struct launch_text launch =
        parsed("k<<<1, 1>>>({int 1, map(in float x[4][4], box=[4, 4]), texture float a[2], int 5}, "
               "in {texture float b[n], texture a, int n} jobs[3], {in float *p[2][n], int 9})");
    const struct launch_argument *first = &launch.arguments[0];
    struct invocation call;
    char error[256];

    assert_int_equal(launch_lay_out(&launch, first->first, first->members, MAP_BYTES / 2), 256);
    assert_int_equal(launch.members[first->first + 3].offset, 200);
    assert_int_equal(launch_lay_out(&launch, first->first, first->members, MAP_BYTES), 384);
    assert_true(launch_invoke(&launch, &(struct shape){{1, 1, 1}, {7, 1}, 0, 0, {0, 0}}, &call,
                              error, sizeof error));
    assert_int_equal(call.bytes[call.arguments[0].value + 264], 5);
    assert_int_equal(call.bytes[call.arguments[2].value + 8], 9);
    assert_int_equal(call.view_count, 5);
    assert_int_equal(invocation_view(&call, 1, 0), 1);
    assert_int_equal(invocation_view(&call, 1, 2), 4);
    assert_int_equal(call.views[4].row, 2);
    assert_int_equal(call.views[4].buffer, call.views[1].buffer);
    assert_int_equal(invocation_view(&call, 2, 2), 2);
    launch = parsed("in {in float x[n], texture float a[n]} jobs[2]; k<<<1, 1>>>(jobs)");
    assert_int_equal(launch.arrays[launch.arguments[0].array].bytes, 16);
}

/* Sizes with names are numbered in their order, also from the third on. n may be one of them. */
TEST(sizes_can_have_names)
{
    static const struct size_names sizes = {.count = 3, .name = {"rows", "n", "deep"}};
    struct launch_text launch;
    struct shape shape = {{1, 1, 1}, {3, 4}, 0, 0, {6, 0}};
    struct invocation call;
    char error[256];
    size_t column;

    assert_true(launch_parse("k<<<rows, deep>>>(n, in float x[rows][n][deep])", &sizes, &launch,
                             &column, error, sizeof error));
    assert_int_equal(launch_size_dimensions(&launch), 3);
    assert_true(launch_invoke(&launch, &shape, &call, error, sizeof error));
    assert_int_equal(call.grid.x, 3);
    assert_int_equal(call.block.x, 5);
    assert_int_equal(call.arguments[0].value, 4);
    assert_int_equal(call.buffers[0].count, 60);
    assert_int_equal(shape_elements(&shape), 60);
    shape.further[0] = 1; /* the third size is 0 */
    assert_int_equal(shape_elements(&shape), 0);
    assert_false(launch_parse("k<<<rows, nx>>>(n)", &sizes, &launch, &column, error, sizeof error));
    assert_non_null(strstr(error, "the launch uses nx, but --size gives values to other names only: add nx=1-33"));
    assert_false(
        launch_parse("k<<<f(deep), 1>>>(n)", &sizes, &launch, &column, error, sizeof error));
    assert_non_null(strstr(error, "depends on the size deep"));
}

/* Which launches must be complete before each launch of the text begins. */
TEST(streams_and_events_order_launches)
{
    static const struct {
        const char *text;
        uint32_t after[4];
        bool is_sequence;
    } rows[] = {
        {"k<<<1, 1>>>(); k<<<1, 1>>>(); k<<<1, 1>>>()", {0, 1, 3}, true},
        {"k<<<1, 1, 0, s>>>(); k<<<1, 1, 0, s>>>(); k<<<1, 1, 0, s>>>()", {0, 1, 2}, true},
        {"k<<<1, 1, 0, s>>>(); k<<<1, 1, 0, t>>>()", {0, 0}, false},
        {"k<<<1, 1, 0, s>>>(); k<<<1, 1, 0, t>>>(); k<<<1, 1, 0, 0>>>(); k<<<1, 1, 0, s>>>()",
         {0, 0, 3, 5},
         false},
        {"k<<<1, 1, 0, s>>>(); cudaEventRecord(e, s); k<<<1, 1, 0, s>>>(); "
         "cudaStreamWaitEvent(t, e, 0); k<<<1, 1, 0, t>>>()",
         {0, 1, 1},
         false},
        {"k<<<1, 1, 0, s>>>(); cudaStreamSynchronize(s); k<<<1, 1, 0, t>>>()", {0, 1}, true},
        {"k<<<1, 1, 0, s>>>(); cudaDeviceSynchronize(); k<<<1, 1, 0, t>>>()", {0, 1}, true},
        {"k<<<1, 1, 0, s>>>(); cudaEventRecord(e, s); cudaEventSynchronize(e); "
         "k<<<1, 1, 0, t>>>()",
         {0, 1},
         true},
    };
    const struct shape shape = {{1, 1, 1}, {1, 1}, 0, 0, {0, 0}};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct launch_text launch = parsed(rows[r].text);
        struct invocation call;
        char error[256];
        assert_true(launch_invoke(&launch, &shape, &call, error, sizeof error));
        for (uint32_t k = 0; k <= call.more_count; k++)
            if (invocation_launch(&call, k).after != rows[r].after[k])
                fail_msg("%s: launch %u waits for %x", rows[r].text, k,
                         invocation_launch(&call, k).after);
        assert_int_equal(invocation_is_sequence(&call), rows[r].is_sequence);
    }
}

/* A launch without blocks is left out, and what waits for it waits for what it waited for. */
TEST(launches_without_blocks_keep_the_order)
{
    const struct launch_text launch = parsed("k<<<1, 1, 0, s>>>(); k<<<n, 1, 0, s>>>(); "
                                             "k<<<1, 1, 0, s>>>()");
    struct invocation call;
    char error[256];

    assert_true(launch_invoke(&launch, &(struct shape){{1, 1, 1}, {0, 1}, 0, 0, {0, 0}}, &call,
                              error, sizeof error));
    assert_int_equal(call.more_count, 1);
    assert_int_equal(call.more[0].after, 1);
}

TEST_MAIN("launch", NULL, NULL)
