/* SPDX-License-Identifier: MIT
 *
 * One kernel of the catalogue on one engine, by random and awkward shapes: arguments ENGINE KERNEL.
 */
#include "check.h"

static const char *engine, *kernel;

static json_t *run_form(const char *form)
{
    const char *const arguments[] = {SIMTCHECK, "run", "--engine", engine, "--kernel", kernel,
                                     "--form",  form,  "--level",  "1",    NULL};
    json_t *report = program_report(arguments, 0);
    assert_non_null(report);
    print_message("%s %s on %s: %lld cases\n", kernel, form, engine,
                  report_number(report, "cases"));
    return report;
}

/* Inside its domain the printed form equals the oracle; each condition is needed. */
static void printed_form_is_right_in_its_domain_only(void **state)
{
    json_t *report = run_form("printed"), *row = report_find(report, kernel, "printed"), *boundary;
    size_t k;
    (void)state;
    assert_string_equal(report_text(row, "verdict"), "conforms-in-domain");
    assert_true(report_number(row, "inside") >= 20);
    json_array_foreach(json_object_get(row, "boundaries"), k, boundary)
    {
        assert_true(report_number(boundary, "cases") > 0);
        assert_true(json_is_object(json_object_get(boundary, "witness")));
    }
    assert_string_equal(report_text(row, "note"), "");
    json_decref(report);
}

static void total_form_is_right_everywhere(void **state)
{
    json_t *report = run_form("total"), *row = report_find(report, kernel, "total");
    (void)state;
    assert_string_equal(report_text(row, "verdict"), "conforms");
    assert_true(report_number(row, "cases") >= 200);
    assert_int_equal(report_number(row, "inside"), report_number(row, "cases"));
    json_decref(report);
}

/* Another engine runs the same shapes with the same values and says the same of them. */
static void host_engine_agrees(void **state)
{
    static const char *const forms[] = {"printed", "total"};
    (void)state;
    if (strcmp(engine, "host") == 0)
        return;
    for (int f = 0; f < 2; f++) {
        const char *const arguments[] = {
            SIMTCHECK, "run",     "--engine", "host",       "--kernel",   kernel, "--form",
            forms[f],  "--model", "its",      "--schedule", "sequential", NULL};
        json_t *here = run_form(forms[f]), *there = program_report(arguments, 0);
        json_t *a = report_find(here, kernel, forms[f]), *b = report_find(there, kernel, forms[f]);
        static const char *const counts[] = {"cases", "inside", "mismatches"};
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            assert_int_equal(report_number(a, counts[i]), report_number(b, counts[i]));
        assert_string_equal(report_text(a, "verdict"), report_text(b, "verdict"));
        json_decref(here);
        json_decref(there);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_form_is_right_in_its_domain_only),
        cmocka_unit_test(total_form_is_right_everywhere),
        cmocka_unit_test(host_engine_agrees),
    };
    if (argc != 3) {
        fprintf(stderr, "usage: %s ENGINE KERNEL\n", argv[0]);
        return 2;
    }
    engine = argv[1];
    kernel = argv[2];
    if (!engine_is_available(engine))
        return 77;
    return cmocka_run_group_tests_name(kernel, tests, NULL, NULL);
}
