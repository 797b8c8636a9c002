/* SPDX-License-Identifier: MIT
 *
 * `list`: every variant of the catalogue, as a table or as JSON.
 */
#include "report.h"
#include "session.h"

#include <stdio.h>

static json_t *variant_json(const struct variant *variant)
{
    const struct finding *finding = variant->finding;
    char domain[256];

    report_domain(variant, domain, sizeof domain);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s?, s:o, s:o}", "id", variant->id, "form",
                     form_name(variant->form), "family", variant->family, "domain", domain,
                     "kernel", variant->kernel, "source", variant->source, "finding",
                     variant->finding != NULL ? variant->finding->text : NULL, "races",
                     report_models_json(finding != NULL ? finding->races : 0), "order",
                     report_models_json(finding != NULL ? finding->order : 0));
}

static void print_variant(const struct variant *variant)
{
    char domain[256];

    report_domain(variant, domain, sizeof domain);
    printf("%-39s %-8s %-16s %s\n", variant->id, form_name(variant->form), variant->family, domain);
    if (variant->finding != NULL) {
        report_finding(variant, domain, sizeof domain);
        printf("%66s%s\n", "", domain);
    }
}

static bool list_json(const struct catalogue *catalogue)
{
    json_t *array = json_array();
    bool good;

    for (size_t i = 0; i < catalogue->count; i++)
        json_array_append_new(array, variant_json(&catalogue->variants[i]));
    for (size_t i = 0; i < catalogue->calculation_count; i++) {
        const struct calculation *calculation = &catalogue->calculations[i];
        json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:s, s:n, s:s, s:n, s:[], s:[]}",
                                               "id", calculation->id, "form", form_name(FORM_TOTAL),
                                               "family", calculation->family, "domain",
                                               calculation->domain, "kernel", "source",
                                               calculation->source, "finding", "races", "order"));
    }
    good = session_dump(array, stdout);
    json_decref(array);
    return good;
}

static void list_text(const struct catalogue *catalogue)
{
    printf("%-39s %-8s %-16s %s\n", "kernel", "form", "family", "domain");
    for (size_t i = 0; i < catalogue->count; i++)
        print_variant(&catalogue->variants[i]);
    for (size_t i = 0; i < catalogue->calculation_count; i++)
        printf("%-39s %-8s %-16s %s\n", catalogue->calculations[i].id, form_name(FORM_TOTAL),
               catalogue->calculations[i].family, catalogue->calculations[i].domain);
}

static int list(const struct options *options, const struct catalogue *catalogue)
{
    bool good = true;

    if (options->list_json)
        good = list_json(catalogue);
    else
        list_text(catalogue);
    return good && fflush(stdout) == 0 ? EXIT_CONFORMS : EXIT_ENVIRONMENT;
}

const struct command list_command = {
    .name = "list",
    .arguments = "[--json]",
    .help = "show every kernel variant with its domain",
    .run = list,
};
