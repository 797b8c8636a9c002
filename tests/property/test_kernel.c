/* SPDX-License-Identifier: MIT
 *
 * Kernels of the catalogue on one engine, by random and awkward shapes: arguments ENGINE KERNEL...
 */
#include "catalogue.h"
#include "check.h"

enum { MOST_KERNELS = 32 };

static const char *engine, *kernel, *kernels[MOST_KERNELS];
static size_t kernel_count;
static bool on_gpu, is_compiled; /* by nvcc */

/* Device-side waiting went with CUDA 12, tail launches came with it. The GPU's code and the PTX may
 * be of two toolkits. */
static bool lacks_what_it_needs(const char *form)
{
    const struct variant *variant =
        catalogue_find(&simtcheck_catalogue, kernel,
                       strcmp(form, form_name(FORM_TOTAL)) == 0 ? FORM_TOTAL : FORM_PRINTED);
    bool waits = on_gpu ? CUDA_MAJOR < 12 : PTX_MAJOR < 12;

    return is_compiled && variant != NULL &&
           variant->need == (waits ? NEEDS_TAIL_LAUNCH : NEEDS_DEVICE_WAIT);
}

/* What a run of both forms of all kernels gives, with more options up to a null. */
static json_t *run_all(int status, const char *const more[])
{
    const char *arguments[2 * MOST_KERNELS + 24] = {simtcheck_program(), "run"};
    size_t count = 2;

    for (size_t k = 0; k < kernel_count; k++) {
        arguments[count++] = "--kernel";
        arguments[count++] = kernels[k];
    }
    for (size_t k = 0; more[k] != NULL; k++)
        arguments[count++] = more[k];
    arguments[count] = NULL;
    return program_report(arguments, status);
}

/* Runs once, however many tests look at what came, which is lent: on a GPU each run costs a
 * context.
 */
static json_t *run_engine(void)
{
    static json_t *report;
    const char *const more[] = {"--engine", engine, "--level", "1", "--deadline", "3", NULL};

    if (report == NULL) {
        bool unavailable = lacks_what_it_needs("printed") && lacks_what_it_needs("total");
        report = run_all(unavailable ? 77 : 0, more);
        assert_non_null(report);
        print_message("%s on %s: %lld cases\n", kernel, engine, report_number(report, "cases"));
    }
    return report;
}

/* A toolkit that lacks what a form needs makes it unavailable, with the reason; never a pass. */
static bool is_unavailable(const json_t *row, const char *form)
{
    if (!lacks_what_it_needs(form))
        return false;
    assert_string_equal(report_text(row, "verdict"), "unavailable");
    assert_string_not_equal(report_text(row, "note"), "");
    print_message("%s %s on %s: unavailable: %s\n", kernel, form, engine, report_text(row, "note"));
    return true;
}

/* A kernel of which no form can be run: what the program says of it, and not this one, is why. */
static bool is_told_to_lack(void)
{
    return is_unavailable(report_find(run_engine(), kernel, "total"), "total");
}

/* Inside its domain the printed form equals the oracle, but for what its finding says of
 * independent threads; each condition is needed. A GPU may hide what depends on an order. */
static void printed_form_is_right(void)
{
    json_t *row = report_find(run_engine(), kernel, "printed"), *boundary;
    bool claims = json_is_string(json_object_get(row, "finding")), may_hide = on_gpu && claims;
    size_t k;

    if (is_unavailable(row, "printed"))
        return;
    if (!may_hide)
        assert_string_equal(report_text(row, "verdict"), claims ? "finding" : "conforms-in-domain");
    assert_int_equal(report_number(row, "mismatches"), 0);
    assert_true(report_number(row, "inside") >= 5);
    json_array_foreach(json_object_get(row, "boundaries"), k, boundary)
    {
        assert_true(report_number(boundary, "cases") > 0);
        if (!may_hide && !(on_gpu && json_is_true(json_object_get(boundary, "may_pass"))))
            assert_true(json_is_object(json_object_get(boundary, "witness")));
    }
    if (!on_gpu)
        assert_string_equal(report_text(row, "note"), "");
}

static void total_form_is_right(void)
{
    const json_t *row = report_find(run_engine(), kernel, "total");

    if (is_unavailable(row, "total"))
        return;
    assert_string_equal(report_text(row, "verdict"), "conforms");
    assert_true(report_number(row, "cases") >= 200);
    assert_int_equal(report_number(row, "inside"), report_number(row, "cases"));
}

/* The same cases outside the domain; and where they fail for certain, both have a witness. */
static void assert_boundaries_agree(const json_t *a, const json_t *b)
{
    json_t *here = json_object_get(a, "boundaries"), *there = json_object_get(b, "boundaries");

    assert_int_equal(json_array_size(here), json_array_size(there));
    for (size_t k = 0; k < json_array_size(here); k++) {
        const json_t *mine = json_array_get(here, k), *other = json_array_get(there, k);
        const json_t *witness = json_object_get(mine, "witness"),
                     *other_witness = json_object_get(other, "witness");
        assert_int_equal(report_number(mine, "cases"), report_number(other, "cases"));
        if (!json_is_object(witness) || json_is_true(json_object_get(mine, "may_pass")))
            continue; /* hidden by the GPU, and that is for the verdict to judge */
        assert_string_equal(report_text(witness, "block"), report_text(other_witness, "block"));
        assert_string_equal(report_text(witness, "size"), report_text(other_witness, "size"));
        assert_string_equal(report_text(witness, "values"), report_text(other_witness, "values"));
    }
}

static void reports_agree(const char *form, const json_t *here, const json_t *there)
{
    static const char *const counts[] = {"cases", "inside", "mismatches"};
    const json_t *a = report_find(here, kernel, form), *b = report_find(there, kernel, form);

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_int_equal(report_number(a, counts[i]), report_number(b, counts[i]));
    if (!json_is_string(json_object_get(a, "finding"))) {
        assert_boundaries_agree(a, b);
        assert_string_equal(report_text(a, "verdict"), report_text(b, "verdict"));
    }
}

/* Another engine runs the same shapes with the same values and says the same of them. */
static void host_engine_agrees(void **state)
{
    static const char *const forms[] = {"printed", "total"};
    const char *const more[] = {
        "--engine", "host", on_gpu ? "--model" : NULL, "its", "--schedule", "sequential", NULL};
    json_t *there;
    (void)state;

    if (!is_compiled)
        return;
    kernel = kernels[0];
    there = run_all(0, more);
    assert_non_null(there);
    for (size_t k = 0; k < kernel_count; k++) {
        kernel = kernels[k];
        for (int f = 0; f < 2; f++)
            if (!lacks_what_it_needs(forms[f]))
                reports_agree(forms[f], run_engine(), there);
    }
    json_decref(there);
}

static void printed_form_is_right_in_its_domain_only(void **state)
{
    (void)state;
    for (size_t k = 0; k < kernel_count; k++) {
        kernel = kernels[k];
        printed_form_is_right();
    }
}

static void total_form_is_right_everywhere(void **state)
{
    (void)state;
    for (size_t k = 0; k < kernel_count; k++) {
        kernel = kernels[k];
        total_form_is_right();
    }
}

/* Where the driver's compiler is on trial, nothing runs without it. */
static void the_driver_compiles_the_kernels(void **state)
{
    const char *const arguments[] = {
        simtcheck_program(), "run",     "--engine", engine,   "--form", "total", "--kernel",
        kernels[0],          "--block", "4",        "--size", "4",      NULL};
    struct ended ended;
    (void)state;

    setenv("CUDA_DISABLE_PTX_JIT", "1", 1);
    ended = program_run(arguments);
    unsetenv("CUDA_DISABLE_PTX_JIT");
    assert_int_not_equal(ended.status, 0);
    assert_null(strstr(ended.output, " conforms"));
    free(ended.output);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_form_is_right_in_its_domain_only),
        cmocka_unit_test(total_form_is_right_everywhere),
        cmocka_unit_test(host_engine_agrees),
    };
    const struct CMUnitTest tests_of_driver[] = {cmocka_unit_test(the_driver_compiles_the_kernels)};
    int failed;

    if (argc < 3 || argc > 2 + MOST_KERNELS) {
        fprintf(stderr, "usage: %s ENGINE KERNEL...\n", argv[0]);
        return 2;
    }
    engine = argv[1];
    while (kernel_count < (size_t)argc - 2) {
        kernels[kernel_count] = argv[2 + kernel_count];
        kernel_count++;
    }
    kernel = kernels[0];
    on_gpu = strncmp(engine, "cuda", 4) == 0;
    is_compiled = on_gpu || strcmp(engine, "ptx") == 0;
    if (!engine_is_available(engine) ||
        (lacks_what_it_needs("printed") && lacks_what_it_needs("total") && is_told_to_lack()))
        return 77;
    failed = cmocka_run_group_tests_name(kernel, tests, NULL, NULL);
    if (on_gpu && getenv("SIMTCHECK_PROGRAM") != NULL)
        failed += cmocka_run_group_tests_name("driver", tests_of_driver, NULL, NULL);
    return failed;
}
