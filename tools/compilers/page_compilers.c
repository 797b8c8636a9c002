/* SPDX-License-Identifier: MIT
 *
 * The section of a page on compilers.
 */
#include "compilers_wing.h"
#include "difference.h"
#include "members.h"
#include "record_compilers.h"

/* True if a stage generates wrong code, or the same code for two different programs. */
static bool stage_is_wrong(const json_t *stage)
{
    return number_in(stage, "wrong") > 0 || number_in(stage, "same_code_pairs") > 0 ||
           json_array_size(json_object_get(stage, "kernels_wrong")) > 0;
}

/* True if a stage did not try all programs and kernels. */
static bool stage_is_untried(const json_t *stage)
{
    return !page_is(stage, "skipped", "") || !page_is(stage, "kernels_skipped", "");
}

static const struct page_column stage_columns[] = {
    PAGE_COLUMN("stage", struct stage_record, stage),
    PAGE_COLUMN("programs", struct stage_record, programs),
    PAGE_COLUMN("wrong", struct stage_record, wrong, .is_bad = stage_is_wrong),
    PAGE_COLUMN("same-code pairs", struct stage_record, same_code_pairs),
    PAGE_COLUMN("kernels", struct stage_record, kernels),
    PAGE_COLUMN("remarks", struct stage_record, skipped,
                .markup =
                    "{skipped}{?kernels_skipped}<span class=\"detail\">Kernels of the catalogue: "
                    "{kernels_skipped}</span>{/}{*kernels_wrong}<span class=\"detail\"><b>{id}</b> "
                    "{variant}: {outcome}</span>{/}"),
    {.head = NULL},
};

/* Writes that no program is wrong, if that is so. */
static void write_all_right(FILE *to, const json_t *compilers)
{
    const json_t *all = json_object_get(compilers, "stages");

    if (json_array_size(json_object_get(compilers, "families")) > 0 ||
        json_array_size(json_object_get(compilers, "unsteady")) > 0 ||
        json_array_size(json_object_get(compilers, "same_code")) > 0 ||
        number_in(compilers, "same_code_pairs") > 0 || page_count(all, stage_is_wrong) > 0)
        return;
    if (json_array_size(all) == 0 || number_in(compilers, "programs") == 0)
        fputs("<p>No program was tested.</p>\n", to);
    else
        fprintf(to, "<p>No program was miscompiled%s.</p>\n",
                page_count(all, stage_is_untried) > 0 ? " in the stages that ran" : "");
}

static const struct page_part parts[] = {
    {"stages", NULL, "Stages, {#programs} programs", "stages", &stage_table, stage_columns},
    {.name = "all-right", .write = write_all_right},
    {.name = NULL},
};

#define PROGRAM(name)                                                                              \
    "<pre class=\"command\" tabindex=\"0\" role=\"region\" aria-label=\"Program\">{" name          \
    "}</pre>\n"

static const char markup[] =
    "{*compilers}{@stages}{@all-right}"
    "{*families}<details class=\"card\"><summary><code>{shape}</code> <span class=\"sign bad\">"
    "{cause}</span> <span class=\"soft\">{#members} program{~members}</span></summary>\n"
    "<p>Smallest program:</p>\n" PROGRAM(
        "program") "<p>{place}: expected <code>{expected}</code>, got <code>{got}</code></p>\n"
                   "<p>Wrong stages:</p><ul "
                   "class=\"plain\">{*wrong}<li>{.}</li>{/}</ul></details>\n{/}"
                   "{?same_code_pairs}<p>Pairs of programs with the same machine code: "
                   "{#same_code_pairs}.</p>\n"
                   "{/}{?same_code}<details class=\"card\"><summary>Same machine code for two "
                   "programs that "
                   "differ in meaning <span class=\"soft\">{#same_code}</span></summary>\n<ul "
                   "class=\"plain\">\n"
                   "{*same_code:<24}<li>ptxas {ptxas}" PROGRAM("one")
                       PROGRAM("other") "</li>\n{/}</ul>\n"
                                        "{?same_code:>24}<p class=\"note\">And {#same_code:>24} "
                                        "more in the file.</p>\n{/}"
                                        "</details>\n{/}"
                                        "{*unsteady}<p class=\"note\"><b class=\"alarm\">{.}</b> "
                                        "generates different code for the same "
                                        "source the second time.</p>\n{/}{/}";

static void note(json_t *page, const char *path, const json_t *compilers)
{
    if (json_array_size(json_object_get(compilers, "stages")) == 0)
        page_note(page, "lacks", "%s: any compiler", path);
    page_note_code(page, json_object_get(compilers, "code"), path);
}

static const struct page_line lines[] = {
    {false, "compilers", "stages", stage_is_wrong, "compiler stage generates wrong code",
     "compiler stages generate wrong code"},
    {false, "compilers", "families", NULL, "family of programs is miscompiled",
     "families of programs are miscompiled"},
    {false, "compilers", "same_code_pairs", NULL,
     "pair of different programs has the same machine code",
     "pairs of different programs have the same machine code"},
    {false, "compilers", "unsteady", NULL,
     "compiler generates different code for the same source the second time",
     "compilers generate different code for the same source the second time"},
    {true, "compilers", "stages", stage_is_untried,
     "compiler stage was skipped completely or in part",
     "compiler stages were skipped completely or in part"},
    {.rows = NULL},
};

/* The results as one row. */
static const struct part_rows rows[] = {
    {"compilers", "compilers", .table = &compilers_table, .only = "compilers"},
    {.name = NULL},
};

const struct page_section compilers_sections[] = {
    {"compilers", "Compilers", markup, parts, lines, rows, note},
    {.id = NULL},
};
