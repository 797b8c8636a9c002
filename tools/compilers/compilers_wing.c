/* SPDX-License-Identifier: MIT
 *
 * How tests of compilers plug in.
 */
#include "compilers_wing.h"

#include "compilers.h"
#include "difference.h"
#include "kinds.h"
#include "part.h"
#include "record_compilers.h"
#include "snapshot.h"
#include "wing.h"

/* ---- The part of a snapshot ---- */

/* Runs the idioms only. Random programs are the job of `compilers`. */
static int run(const struct snapshot_request *request, const struct engine_list *engines,
               const struct engine_kind *engine, const struct session *session)
{
    const struct compilers_request compilers = {.compilers = request->compilers,
                                                .selection = request->selection};

    (void)engines, (void)engine;
    return compilers_check(&compilers, session);
}

static const struct part_rows rows[] = {
    {"compilers", "compilers", WITHIN(compilers_table, struct compilers_record, stages),
     .table = &stage_table, OF_VERSION(struct stage_record, stage)},
    {"idioms", "compilers", WITHIN(compilers_table, struct compilers_record, families),
     .table = &family_table, .is_wrong = true},
    {"same-code", "compilers", WITHIN(compilers_table, struct compilers_record, same_code),
     .table = &twins_table, OF_VERSION(struct twins_record, ptxas), .is_wrong = true},
    {"unsteady", "compilers", WITHIN(compilers_table, struct compilers_record, unsteady),
     .is_wrong = true},
    {.name = NULL},
};

static const struct field member = {.type = FIELD_POINTER, OF(compilers), NULLABLE};

static const struct part parts[] = {
    {"compilers", &member, PART_WHOLE, run, rows, NULL, NULL, NULL},
    {.name = NULL},
};

/* ---- Files ---- */

static bool is_partial(const void *record)
{
    return !((const struct compilers_record *)record)->complete;
}

static void note(struct page *page, const struct compilers_record *compilers, const char *path)
{
    if (compilers->stages.count == 0)
        page_note(page->lacks, "%s: any compiler", path);
    page_note_code(page, compilers->code, path);
}

static void add(struct page *page, const json_t *document)
{
    json_t *one = json_pack("[O]", document);

    page_add_rows(page, "compilers", one);
    json_decref(one);
}

static bool show(struct page *page, const char *path, const json_t *document, const void *record)
{
    note(page, record, path);
    add(page, document);
    return true;
}

static const struct results_kind kinds[] = {
    {"compilers", &compilers_table, false, NULL, is_partial, show, NULL, NULL, merge_compilers},
    {.name = NULL},
};

/* ---- The page ---- */

static void take(struct page *page, const json_t *snapshot, const char *path)
{
    const json_t *document = json_object_get(snapshot, parts->name);
    struct compilers_record record;
    struct memory memory = {NULL};

    if (!json_is_object(document))
        return;
    model_read(&compilers_table, document, &record, &memory, NULL, 0);
    note(page, &record, path);
    add(page, document);
    memory_free(&memory);
}

static const struct page_section sections[] = {
    {"compilers", "Compilers", page_compilers, page_compilers_lines, take},
    {.id = NULL},
};

/* ---- The wing ---- */

extern const struct command compilers_command, bisect_command;
static const struct command *const commands[] = {&compilers_command, &bisect_command, NULL};

const struct wing compilers_wing = {
    .commands = commands, .parts = parts, .kinds = kinds, .sections = sections};
