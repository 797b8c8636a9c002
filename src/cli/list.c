/* SPDX-License-Identifier: MIT
 *
 * `list`: prints every variant of the catalogue as a table or as JSON, and writes its tests for
 * CTest.
 */
#include "command.h"
#include "error_report.h"
#include "outcome_tables.h"
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A variant, or a calculation. */
struct variant_record {
    const char *id;
    enum variant_kind kind;
    const char *family, *domain, *kernel, *source, *known_defect;
    unsigned int races, order; /* bits by enum model */
};

static const struct field variant_fields[] = {
    FIELD("id", STRING, struct variant_record, id),
    FIELD("variant", WORD, struct variant_record, kind, .words = &variant_kind_words),
    FIELD("family", STRING, struct variant_record, family),
    FIELD("domain", STRING, struct variant_record, domain),
    FIELD("kernel", STRING, struct variant_record, kernel, .flags = FIELD_NULLABLE),
    FIELD("source", STRING, struct variant_record, source),
    FIELD("known_defect", STRING, struct variant_record, known_defect, .flags = FIELD_NULLABLE),
    FIELD("races", SET, struct variant_record, races, .words = &model_words),
    FIELD("order", SET, struct variant_record, order, .words = &model_words),
};
static const struct table variant_table = TABLE("variant", variant_fields, struct variant_record);

static json_t *variant_json(const struct variant *variant)
{
    const struct known_defect *known_defect = variant->known_defect;
    char domain[256];

    report_domain(variant, domain, sizeof domain);
    return model_json(&variant_table,
                      &(struct variant_record){
                          .id = variant->id,
                          .kind = variant->kind,
                          .family = variant->family,
                          .domain = domain,
                          .kernel = variant->kernel,
                          .source = variant->source,
                          .known_defect = known_defect != NULL ? known_defect->text : NULL,
                          .races = known_defect != NULL ? known_defect->races : 0,
                          .order = known_defect != NULL ? known_defect->order : 0,
                      });
}

static void print_variant(const struct variant *variant)
{
    const struct plan_request usual = {.profile_chosen = false};
    char domain[256];

    report_domain(variant, domain, sizeof domain);
    printf("%-39s %-8s %-16s %s\n", variant->id, variant_kind_name(variant->kind), variant->family,
           domain);
    if (variant->known_defect != NULL) {
        report_known_defect(variant, domain, sizeof domain);
        printf("%66s%s\n", "", domain);
    }
    if (report_limits(variant, plan_profile(&usual, variant), domain, sizeof domain))
        printf("%66s%s\n", "", domain);
}

static bool list_json(const struct catalogue *catalogue)
{
    json_t *array = json_array();
    bool good;

    for (size_t i = 0; i < catalogue->count; i++)
        json_array_append_new(array, variant_json(&catalogue->variants[i]));
    for (size_t i = 0; i < catalogue->calculation_count; i++) {
        const struct calculation *calculation = &catalogue->calculations[i];
        json_array_append_new(array, model_json(&variant_table, &(struct variant_record){
                                                                    .id = calculation->id,
                                                                    .kind = VARIANT_CORRECTED,
                                                                    .family = calculation->family,
                                                                    .domain = calculation->domain,
                                                                    .source = calculation->source,
                                                                }));
    }
    good = report_file_dump(array, stdout);
    json_decref(array);
    return good;
}

static void list_text(const struct catalogue *catalogue)
{
    printf("%-39s %-8s %-16s %s\n", "kernel", "variant", "family", "domain");
    for (size_t i = 0; i < catalogue->count; i++)
        print_variant(&catalogue->variants[i]);
    for (size_t i = 0; i < catalogue->calculation_count; i++)
        printf("%-39s %-8s %-16s %s\n", catalogue->calculations[i].id,
               variant_kind_name(VARIANT_CORRECTED), catalogue->calculations[i].family,
               catalogue->calculations[i].domain);
}

/* ---- Tests ---- */

/* The kinds of tests, and the command that each one runs. */
static const struct kind {
    const char *name, *command, *engine; /* the option before the engine's name */
} kinds[] = {{"run", "run", "--engine "},
             {"races", "races", "--engine "},
             {"determinism", "cross-check", NULL}};

enum { SECONDS = 300 };

/* Returns whether the engine has tests of that kind. Races are found on the simulator.
 * `cross-check` compares a GPU with it where an original variant is outside its domain. */
static bool has_test(const struct catalogue *catalogue, const char *id,
                     const struct engine_kind *engine, const struct kind *kind)
{
    const struct variant *printed = catalogue_find(catalogue, id, VARIANT_ORIGINAL);

    if (strcmp(kind->name, "races") == 0)
        return engine->simulates;
    if (strcmp(kind->name, "determinism") == 0)
        return engine->uses_a_gpu && printed != NULL && domain_count(printed->domain) > 0;
    return true;
}

/* Returns whether this is the first variant of its kernel. Variants share their tests. */
static bool is_first(const struct catalogue *catalogue, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(catalogue->variants[k].id, catalogue->variants[i].id) == 0)
            return false;
    return true;
}

static void write_test(FILE *to, const char *program, const struct variant *variant,
                       const struct engine_kind *engine, const struct kind *kind)
{
    const char *name = strrchr(program, '/') + 1;

    fprintf(to, "add_test([==[%s.%s.%s.%s]==] [==[%s]==] %s %s%s --kernel [==[%s]==])\n", name,
            engine->name, kind->name, variant->id, program, kind->command,
            kind->engine != NULL ? kind->engine : "", kind->engine != NULL ? engine->name : "",
            variant->id);
    fprintf(to,
            "set_tests_properties([==[%s.%s.%s.%s]==] PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT %d "
            "LABELS \"%s;%s;%s%s%s\"%s)\n",
            name, engine->name, kind->name, variant->id, SECONDS, name, engine->name, kind->name,
            variant->label != NULL ? ";" : "", variant->label != NULL ? variant->label : "",
            engine->id == ENGINE_CUDA ? " RESOURCE_LOCK gpu" : "");
}

static bool write_tests(const char *path, const struct engine_list *engines,
                        const struct catalogue *catalogue)
{
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    FILE *to = length > 0 ? fopen(path, "w") : NULL;

    if (to == NULL)
        return error_report("cannot write '%s': %s", path, strerror(errno));
    program[length] = '\0';
    for (size_t i = 0; i < catalogue->count; i++)
        for (size_t e = 0; is_first(catalogue, i) && e < engines->count; e++)
            for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
                if (has_test(catalogue, catalogue->variants[i].id, engines->kinds[e], &kinds[k]))
                    write_test(to, program, &catalogue->variants[i], engines->kinds[e], &kinds[k]);
    return fclose(to) == 0 || error_report("cannot write '%s': %s", path, strerror(errno));
}

static int list(const struct command_line *line, const struct session *session)
{
    const struct engine_list *engines = &((const struct rows_request *)line->request)->engines;
    const char *tests = line->common->output;
    bool good = true;

    if (tests != NULL && engines->count == 0) {
        error_report("--ctest needs an engine for the tests: give --engine sim");
        return EXIT_USAGE;
    }
    if (tests != NULL)
        good = write_tests(tests, engines, session->catalogue);
    else if (line->common->prints_json)
        good = list_json(session->catalogue);
    else
        list_text(session->catalogue);
    return good && fflush(stdout) == 0 ? EXIT_CONFORMS : EXIT_ENVIRONMENT;
}

static const struct option_row rows[] = {
    {"ctest", "FILE", &option_text, COMMON_AT(output, const char *),
     .help = "write a test of each kernel to FILE, for CTest", .usual = "print the table"},
    {"engine", "E", &option_engines, REQUEST_AT(struct rows_request, engines, struct engine_list),
     .help = "an engine that the tests use; repeatable",
     .usual = "none: one is required with --ctest"},
    {.name = NULL},
};

static const struct option_part parts[] = {
    {printing_rows, 0, NULL, NULL}, {rows, 0, NULL, NULL}, {NULL, 0, NULL, NULL}};

const struct command list_command = {
    .name = "list",
    .summary = "list the kernels of the catalogue, with their domains",
    .example = "simtcheck list",
    .parts = parts,
    .size = sizeof(struct rows_request),
    .run = list,
};
