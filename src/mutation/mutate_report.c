/* SPDX-License-Identifier: MIT
 *
 * Reports the verdicts: on disk, so that an interrupted run can continue; and printed.
 */
#include "error_report.h"
#include "interrupt.h"
#include "json_model.h"
#include "mutate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const kind_names[] = {
    [MUTANT_UNDECIDED] = "undecided", [MUTANT_EQUIVALENT] = "equivalent",
    [MUTANT_SURVIVED] = "survived",   [MUTANT_DIFFERS] = "differs",
    [MUTANT_KILLED] = "killed",       [MUTANT_NOT_COMPILED] = "not compiled",
};

/* ---- The file ---- */

/* A mutant, by its key. */
struct mutant_entry {
    const char *key, *where, *operator;
    uint64_t line;
    const char *before, *after, *verdict, *how;
};

/* A file of kernels, by its path. */
struct source_entry {
    const char *path;
    struct source_record {
        const char *digest;
        struct list mutants; /* of struct mutant_entry */
    } source;
};

struct mutants_record {
    struct list sources; /* of struct source_entry */
};

static const struct field mutant_fields[] = {
    FIELD("where", STRING, struct mutant_entry, where),
    FIELD("operator", STRING, struct mutant_entry, operator),
    FIELD("line", COUNT, struct mutant_entry, line),
    FIELD("before", STRING, struct mutant_entry, before),
    FIELD("after", STRING, struct mutant_entry, after),
    FIELD("verdict", STRING, struct mutant_entry, verdict),
    FIELD("how", STRING, struct mutant_entry, how),
};
static const struct table mutant_table = TABLE("mutant", mutant_fields, struct mutant_entry);
static const struct field mutant_item = {.type = FIELD_OBJECT, .table = &mutant_table};

static const struct field source_fields[] = {
    FIELD("digest", STRING, struct source_record, digest),
    FIELD("mutants", MAP, struct source_record, mutants, .item = &mutant_item,
          .item_size = sizeof(struct mutant_entry)),
};
static const struct table source_table = TABLE("source", source_fields, struct source_record);
static const struct field source_item =
    FIELD(NULL, OBJECT, struct source_entry, source, .table = &source_table);

static const struct field mutants_fields[] = {
    FIELD("sources", MAP, struct mutants_record, sources, .item = &source_item,
          .item_size = sizeof(struct source_entry)),
};
static const struct table mutants_table = TABLE("mutants", mutants_fields, struct mutants_record);

/* ---- One mutant, of source or launch ---- */

/* A mutant in the form of the report. */
struct reported {
    const struct mutated *mutated;
    struct mutant_verdict *verdict;
    enum mutation_kind by;
    const char *change; /* "'<' -> '<='" */
    /* `where` is the function, or the row. `line` is 0 for a launch. */
    struct mutant_entry entry;
    struct argued_row *argued; /* argues that it is equivalent; or null */
};

/* Returns the lines of a mutant before or after the change. */
static const char *lines_of(const struct mutated *mutated, const struct mutant *mutant, bool after,
                            struct memory *memory)
{
    const struct source *source = &mutated->source.source;
    char *lines = mutant_lines(mutant, source->text, source->size, after);
    const char *copy = memory_copy(memory, lines != NULL ? lines : "");

    free(lines);
    return copy;
}

/* Returns how many earlier mutants of the function have the same lines. So the k-th removed
 * `__syncwarp();` differs from the first. */
static size_t count_alike(const struct mutated *mutated, size_t m, const struct mutant_entry *entry)
{
    const struct mutant *mutant = &mutated->mutants.all[m];
    struct memory memory = {NULL};
    size_t alike = 0;

    for (size_t k = 0; k < m; k++) {
        const struct mutant *other = &mutated->mutants.all[k];
        if (other->function == mutant->function && other->line != mutant->line &&
            other->length == mutant->length && strcmp(other->with, mutant->with) == 0)
            alike += strcmp(lines_of(mutated, other, false, &memory), entry->before) == 0 &&
                     strcmp(lines_of(mutated, other, true, &memory), entry->after) == 0;
    }
    memory_free(&memory);
    return alike;
}

static struct reported report_source(const struct mutated *mutated, size_t m, struct memory *memory)
{
    struct mutant *mutant = &mutated->mutants.all[m];
    const struct source *source = &mutated->source.source;
    const struct source_token *name =
        &source->tokens[mutated->source.functions[mutant->function].name];
    const char *function = source->text + name->offset;
    struct mutant_entry entry = {
        .key = memory_text(memory, "%zu %zu %s", mutant->offset, mutant->length, mutant->with),
        .line = (uint64_t)mutant->line,
        .before = lines_of(mutated, mutant, false, memory),
        .after = lines_of(mutated, mutant, true, memory)};
    size_t alike = count_alike(mutated, m, &entry);

    entry.where = alike > 0
                      ? memory_text(memory, "%.*s (%zu)", (int)name->length, function, alike + 1)
                      : memory_text(memory, "%.*s", (int)name->length, function);
    return (struct reported){.mutated = mutated,
                             .verdict = &mutant->verdict,
                             .by = mutant->by,
                             .change = memory_text(memory, "'%.*s' -> '%s'", (int)mutant->length,
                                                   source->text + mutant->offset, mutant->with),
                             .entry = entry};
}

static struct reported report_launch(const struct mutated *mutated, size_t k, struct memory *memory)
{
    struct launch_mutant *mutant = &mutated->launches[k];
    const struct variant *variant = mutated->source.targets[mutant->target].variant;

    return (struct reported){.mutated = mutated,
                             .verdict = &mutant->verdict,
                             .by = MUTATION_LAUNCH,
                             .change = mutant->change,
                             .entry = {.key = memory_text(memory, "%s %s %s", variant->id,
                                                          variant->kernel, mutant->after),
                                       .where = variant->id,
                                       .before = mutant->before,
                                       .after = mutant->after}};
}

/* Calls `take` with each mutant of a file, in order. Its texts are in `memory`. */
static void report_each(const struct mutation *mutation, const struct mutated *mutated,
                        struct memory *memory, void (*take)(void *, const struct reported *),
                        void *context)
{
    size_t sources = mutated->mutants.count;

    for (size_t k = 0; k < sources + mutated->launch_count; k++) {
        struct reported reported = k < sources ? report_source(mutated, k, memory)
                                               : report_launch(mutated, k - sources, memory);
        reported.entry.operator= mutation_names[reported.by];
        reported.entry.verdict = kind_names[reported.verdict->kind];
        reported.entry.how = reported.verdict->how;
        if (!mutation->is_users)
            reported.argued = argued_find(&mutation->argued, reported.entry.where,
                                          reported.entry.before, reported.entry.after);
        take(context, &reported);
    }
}

/* ---- On disk ---- */

/* Fills `known`. Its texts belong to mutation->known. */
static bool read_known(const struct mutation *mutation, struct mutants_record *known,
                       struct memory *memory, char *why, size_t size)
{
    *known = (struct mutants_record){{NULL, 0}};
    return mutation->known == NULL ||
           model_read(&mutants_table, mutation->known, known, memory, why, size);
}

/* Returns the entry of that path, or null. */
static struct source_entry *source_of(const struct mutants_record *known, const char *path)
{
    struct source_entry *sources = known->sources.items;

    for (size_t k = 0; k < known->sources.count; k++)
        if (strcmp(sources[k].path, path) == 0)
            return &sources[k];
    return NULL;
}

bool report_mutants_open(struct mutation *mutation)
{
    const char *path = mutation->session->sinks->file.path;
    struct memory memory = {NULL};
    struct mutants_record known;
    struct stat status;
    char why[256] = "it is not JSON";
    bool good;

    if (path == NULL || stat(path, &status) != 0)
        return true;
    mutation->known = S_ISREG(status.st_mode) ? json_load_file(path, 0, NULL) : NULL; /* no pipe */
    good = mutation->known != NULL && read_known(mutation, &known, &memory, why, sizeof why);
    memory_free(&memory);
    if (good)
        return true;
    json_decref(mutation->known);
    mutation->known = NULL;
    return error_report("--out '%s' exists and is not a report of mutants (%s): name another file, "
                        "or remove this one",
                        path, why);
}

static void resume_one(void *context, const struct reported *reported)
{
    const struct list *mutants = context;
    const struct mutant_entry *known = mutants->items;
    size_t m = 0;

    while (m < mutants->count && strcmp(known[m].key, reported->entry.key) != 0)
        m++;
    if (m == mutants->count)
        return;
    for (int k = MUTANT_UNDECIDED + 1; k < MUTANT_KINDS; k++)
        if (strcmp(known[m].verdict, kind_names[k]) == 0)
            reported->verdict->kind = (enum mutant_kind)k;
    snprintf(reported->verdict->how, sizeof reported->verdict->how, "%s", known[m].how);
}

void report_mutants_resume(struct mutation *mutation, struct mutated *mutated)
{
    struct memory memory = {NULL};
    struct mutants_record known;
    struct source_entry *entry;

    read_known(mutation, &known, &memory, NULL, 0);
    entry = source_of(&known, mutated->source.path);
    if (entry != NULL && strcmp(entry->source.digest, mutated->digest) == 0)
        report_each(mutation, mutated, &memory, resume_one, &entry->source.mutants);
    else if (entry != NULL)
        printf("%s, its launch, the compiler or simtcheck has changed since '%s' was written: all "
               "its mutants run again\n",
               basename(mutated->source.path), mutation->session->sinks->file.path);
    memory_free(&memory);
}

/* The mutants of a file while they are saved. */
struct saving {
    struct memory *memory;
    struct list mutants;
};

static void save_one(void *context, const struct reported *reported)
{
    struct saving *saving = context;

    if (reported->verdict->kind != MUTANT_UNDECIDED)
        LIST_ADD(saving->memory, &saving->mutants, struct mutant_entry) = reported->entry;
}

bool report_mutants_save(struct mutation *mutation)
{
    struct memory memory = {NULL};
    struct mutants_record record;
    json_t *json;

    if (mutation->session->sinks->file.path == NULL)
        return true;
    read_known(mutation, &record, &memory, NULL, 0);
    for (size_t f = 0; f < mutation->file_count; f++) {
        const struct mutated *mutated = &mutation->files[f];
        struct saving saving = {.memory = &memory};
        struct source_entry *entry = source_of(&record, mutated->source.path);
        if (mutated->source.reached == NULL) /* No mutants yet: the earlier results stay. */
            continue;
        report_each(mutation, mutated, &memory, save_one, &saving);
        if (entry == NULL)
            entry = list_add(&memory, &record.sources, sizeof *entry);
        *entry = (struct source_entry){mutated->source.path, {mutated->digest, saving.mutants}};
    }
    json = model_json(&mutants_table, &record);
    memory_free(&memory);
    return session_save(mutation->session, json);
}

/* ---- For other programs ---- */

static enum check_result result_of(enum mutant_kind kind, bool is_argued)
{
    return kind == MUTANT_SURVIVED && !is_argued             ? RESULT_FAIL
           : kind == MUTANT_KILLED || kind == MUTANT_DIFFERS ? RESULT_PASS
                                                             : RESULT_SKIPPED;
}

/* Adds the mutant that no check notices, or that only a reference would detect. */
static void add_mutant(struct memory *memory, struct check_record *check,
                       const struct reported *reported, bool is_argued)
{
    const struct mutant_entry *entry = &reported->entry;
    bool survives = reported->verdict->kind == MUTANT_SURVIVED;

    LIST_ADD(memory, &check->findings, struct evidence_record) = (struct evidence_record){
        .rule = survives ? rule_survivor : rule_undetected,
        .message = memory_text(memory, "%s%s, %s: %s%s%s%s",
                               survives ? "no check notices this change: "
                                        : "only a reference would detect this change: ",
                               mutation_names[reported->by], reported->change, entry->after,
                               entry->how[0] != '\0' ? " (" : "", entry->how,
                               entry->how[0] != '\0' ? ")" : ""),
        .file = reported->mutated->source.path,
        .line = entry->line,
        .allowed_by = is_argued ? "docs/results/mutants.md argues that it is equivalent" : NULL,
    };
}

static void take_one(void *context, const struct reported *reported)
{
    struct mutation *mutation = context;
    struct findings *findings = &mutation->session->sinks->findings;
    const struct mutant_entry *entry = &reported->entry;
    enum mutant_kind kind = reported->verdict->kind;
    bool is_argued = kind == MUTANT_SURVIVED && reported->argued != NULL;
    struct check_record check = {
        .kind = CHECKED_MUTANT,
        .kernel = entry->where,
        .function = mutation->is_users ? mutation->launch.calls[0].kernel : NULL,
        .engine = ENGINE_SIM,
        .change = entry->line > 0
                      ? memory_text(&findings->memory, "%s:%" PRIu64 ": %s, %s",
                                    basename(reported->mutated->source.path), entry->line,
                                    mutation_names[reported->by], reported->change)
                      : memory_text(&findings->memory, "%s, %s", mutation_names[reported->by],
                                    reported->change),
        .result = result_of(kind, is_argued),
        .verdict = kind_names[kind],
        .compiler = front_end_names[mutation->tools.compiler.front_end],
        .untried = kind == MUTANT_UNDECIDED,
        .note = entry->how};

    if (kind == MUTANT_SURVIVED || kind == MUTANT_DIFFERS)
        add_mutant(&findings->memory, &check, reported, is_argued);
    findings_add_check(findings, &check);
}

void report_mutants_take(struct mutation *mutation)
{
    struct findings *findings = &mutation->session->sinks->findings;
    const struct mutate_request *request = mutation->request;
    const char **paths = memory_take(&findings->memory, (mutation->file_count + 1) * sizeof *paths);

    for (size_t f = 0; f < mutation->file_count; f++)
        paths[f] = mutation->files[f].source.path;
    findings_add_launch(findings,
                        &(const struct launch_record){
                            .launch = request->launch,
                            .files = findings_texts(findings, paths, mutation->file_count),
                            .flags = findings_texts(findings, request->flags, request->flag_count),
                            .has_ended = true,
                            .is_complete = mutation->error[0] == '\0' && !interrupt_came()});
    for (size_t f = 0; f < mutation->file_count; f++)
        report_each(mutation, &mutation->files[f], &findings->memory, take_one, mutation);
    findings_save(findings);
}

/* ---- Printed ---- */

struct summary {
    struct mutation *mutation;
    struct memory memory;
    size_t by_kind[MUTANT_KINDS], argued, all;
    size_t by_operator[MUTATIONS][MUTANT_KINDS]; /* without those argued equivalent */
    enum mutant_kind shown;
};

static void count_one(void *context, const struct reported *reported)
{
    struct summary *summary = context;
    enum mutant_kind kind = reported->verdict->kind;
    struct argued_row *row = reported->argued;

    summary->by_kind[kind]++;
    summary->all++;
    if (row != NULL) {
        row->used += kind == MUTANT_SURVIVED || kind == MUTANT_EQUIVALENT;
        row->was_killed = row->was_killed || kind == MUTANT_KILLED;
        summary->argued += kind == MUTANT_SURVIVED;
    }
    summary->by_operator[reported->by][kind] += row == NULL || kind != MUTANT_SURVIVED;
}

static void show_one(void *context, const struct reported *reported)
{
    struct summary *summary = context;

    if (reported->verdict->kind != summary->shown ||
        (summary->shown == MUTANT_SURVIVED && reported->argued != NULL))
        return;
    if (reported->entry.line > 0)
        session_say(summary->mutation->session, "%s:%" PRIu64 ": %s, %s, in %s\n",
                    basename(reported->mutated->source.path), reported->entry.line,
                    mutation_names[reported->by], reported->change, reported->entry.where);
    else
        session_say(summary->mutation->session, "%s: %s, %s\n", reported->entry.where,
                    mutation_names[reported->by], reported->change);
    if (reported->entry.line > 0)
        session_say(summary->mutation->session, "    %s\n", reported->entry.after);
    if (reported->verdict->how[0] != '\0')
        session_say(summary->mutation->session, "    %s\n", reported->verdict->how);
}

static void show(struct summary *summary, enum mutant_kind kind, const char *title)
{
    size_t count = summary->by_kind[kind] - (kind == MUTANT_SURVIVED ? summary->argued : 0);

    if (count == 0)
        return;
    session_say(summary->mutation->session, "\n%s\n\n", title);
    summary->shown = kind;
    for (size_t f = 0; f < summary->mutation->file_count; f++)
        report_each(summary->mutation, &summary->mutation->files[f], &summary->memory, show_one,
                    summary);
}

/* Reports rows of the table whose mutant was killed. In a complete run, also reports rows without a
 * mutant. Returns false if it reports any. */
static bool check_argued(struct summary *summary)
{
    struct mutation *mutation = summary->mutation;
    bool all = mutation->request->selection.glob_count == 0 && !interrupt_came() &&
               summary->by_kind[MUTANT_UNDECIDED] == 0;
    bool good = true;

    for (size_t r = 0; !mutation->is_users && r < mutation->argued.count; r++) {
        const struct argued_row *row = &mutation->argued.rows[r];
        if (row->was_killed || (all && row->used == 0)) {
            session_say(
                summary->mutation->session, "docs/results/mutants.md:%d: %s: %s\n", row->line,
                row->was_killed ? "this mutant is argued to be equivalent, but it was killed"
                                : "no mutant matches this row",
                row->after);
            good = false;
        }
    }
    return good;
}

/* Prints the counted mutants by operator. */
static void print_operators(const struct summary *summary)
{
    session_say(summary->mutation->session, "\n%-12s %8s %8s %8s %8s\n", "operator", "mutants",
                "killed", "differ", "survive");
    for (int o = 0; o < MUTATIONS; o++) {
        const size_t *by_kind = summary->by_operator[o];
        size_t counted =
            by_kind[MUTANT_KILLED] + by_kind[MUTANT_DIFFERS] + by_kind[MUTANT_SURVIVED];
        if (counted > 0)
            session_say(summary->mutation->session, "%-12s %8zu %8zu %8zu %8zu\n",
                        mutation_names[o], counted, by_kind[MUTANT_KILLED], by_kind[MUTANT_DIFFERS],
                        by_kind[MUTANT_SURVIVED]);
    }
}

int report_mutants_print(struct mutation *mutation)
{
    struct summary summary = {.mutation = mutation};
    size_t killed, counted, survived;
    const char *from;
    char score[512];
    bool good;
    int status;

    for (size_t f = 0; f < mutation->file_count; f++)
        report_each(mutation, &mutation->files[f], &summary.memory, count_one, &summary);
    show(&summary, MUTANT_DIFFERS,
         "Not detected by 'check', because only the results differ. An oracle or the old kernel "
         "would detect these mutants:");
    show(&summary, MUTANT_SURVIVED, "Survivors:");
    print_operators(&summary);
    good = check_argued(&summary);
    memory_free(&summary.memory);
    killed = summary.by_kind[MUTANT_KILLED] + summary.by_kind[MUTANT_DIFFERS];
    survived = summary.by_kind[MUTANT_SURVIVED] - summary.argued;
    counted = killed + survived;
    if (mutation->is_users && killed > 0)
        session_say(
            mutation->session,
            "\ncheck alone kills %zu, and comparing results with the original kernel kills %zu "
            "more\n",
            summary.by_kind[MUTANT_KILLED], summary.by_kind[MUTANT_DIFFERS]);
    session_say(mutation->session,
                "\nmutation score: %zu of %zu (%zu equivalent by proof, %zu argued, %zu did not "
                "compile)\n",
                killed, counted, summary.by_kind[MUTANT_EQUIVALENT], summary.argued,
                summary.by_kind[MUTANT_NOT_COMPILED]);
    if (summary.by_kind[MUTANT_UNDECIDED] > 0)
        session_say(mutation->session, "%zu of %zu mutants were not tried%s\n",
                    summary.by_kind[MUTANT_UNDECIDED], summary.all,
                    mutation->session->sinks->bound.minutes > 0 && !interrupt_came()
                        ? ": the time of --minutes is over"
                        : "");
    if (mutation->session->sinks->bound.minutes > 0 && !interrupt_came() && counted == 0 &&
        summary.by_kind[MUTANT_UNDECIDED] > 0) {
        error_report("no mutant was tried in the time of --minutes %g: give more",
                     mutation->session->sinks->bound.minutes);
        return EXIT_UNAVAILABLE;
    }
    if (counted + summary.by_kind[MUTANT_EQUIVALENT] + summary.by_kind[MUTANT_UNDECIDED] == 0) {
        error_report("the code that runs has nothing to mutate");
        return EXIT_UNAVAILABLE;
    }
    status = survived > 0 || !good ? EXIT_DIFFERS : EXIT_CONFORMS;
    from = mutation->session->sinks->findings.from;
    snprintf(score, sizeof score, "%s%s%zu of %zu mutants killed", from != NULL ? from : "",
             from != NULL ? ": " : "", killed, counted);
    if (!interrupt_came())
        findings_print_verdict(&mutation->session->sinks->findings, "mutate", status,
                               summary.by_kind[MUTANT_UNDECIDED] > 0, score);
    return status;
}
