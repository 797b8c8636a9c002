/* SPDX-License-Identifier: MIT
 *
 * Findings as a person reads them: one message for each, with source lines, and one verdict for
 * each launch.
 */
#include "findings.h"

#include "engines.h"
#include "exit_status.h"
#include "message.h"
#include "verdict_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a launch is printed with. */
struct page {
    struct printer printer;
    const struct findings *findings;
    const struct launch_record *launch;
    struct list helps; /* texts that are printed */
    struct memory memory;
};

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Returns the ending of so many of them, such as "es" of an access. */
static const char *plural_of(const char *word, uint64_t count)
{
    char last = word[strlen(word) - 1];

    return count == 1 ? "" : last == 's' || last == 'h' ? "es" : "s";
}

/* Returns the name of a rule in words, in `memory`. */
static const char *title_of(struct memory *memory, const char *rule)
{
    char text[RULE_TITLE];

    return memory_copy(memory, rule_title(rule, text));
}

/* ---- One finding ---- */

static void print_title(struct page *page, const struct finding_record *finding, const char *about)
{
    message_title(&page->printer, strcmp(finding->file, ".") != 0 ? finding->file : NULL,
                  finding->line, rule_level(finding->rule),
                  memory_text(&page->memory, "%s%s%s", title_of(&page->memory, finding->rule),
                              about[0] != '\0' ? " on " : "", about));
}

const char *race_side_text(struct memory *memory, const struct race_side *side,
                           const struct race_side *other)
{
    char does[RACE_DOES], thread[THREAD_TEXT], calls[SOURCE_LINE];
    bool is_inlined = side->outer[0] != '\0';

    return memory_text(
        memory, "%s%s %s%s%s%s", thread_text(&side->thread, &side->block, other, thread),
        side->grid == other->grid ? "" : memory_text(memory, " of grid %" PRIu64, side->grid),
        race_does(side, does), is_inlined ? " (inlined at " : "",
        is_inlined ? calls_text(side->outer, calls) : "", is_inlined ? ")" : "");
}

static void print_race(struct page *page, const struct finding_record *finding,
                       const struct race *race)
{
    const struct place_record *related = finding->related.items;
    const struct printer *printer = &page->printer;
    bool is_read;

    print_title(page, finding, race->place);
    is_read = message_place(printer, finding->file, finding->line,
                            race_side_text(&page->memory, &race->first, &race->second));
    message_related(printer, finding->file, finding->line,
                    related != NULL ? related->file : finding->file,
                    related != NULL ? related->line : 0,
                    race_side_text(&page->memory, &race->second, &race->first),
                    related != NULL && (!is_read || strcmp(related->file, finding->file) != 0));
    message_note(printer, "note", race->missing);
    if (race->removed[0] != '\0')
        message_note(printer, "note", race->removed);
}

/* Returns what a fault says. Of one from a file of JSON it is the whole text. */
static const char *clause_of_fault(struct memory *memory, const struct fault *fault,
                                   enum fault_shown shown)
{
    char clause[sizeof fault->text];

    fault_clause(fault, shown, clause, sizeof clause);
    return memory_copy(memory, clause[0] != '\0' ? clause : fault->text);
}

const char *fault_does(struct memory *memory, const struct fault *fault)
{
    char thread[THREAD_TEXT];

    return memory_text(memory, "%s%s%s",
                       fault->has_thread ? thread_text(&fault->thread, &fault->block, NULL, thread)
                                         : "",
                       fault->has_thread ? " " : "", clause_of_fault(memory, fault, SHOWN_OTHER));
}

/* Prints what happens at the places: that, or else the message. */
static void print_places(struct page *page, const struct finding_record *finding)
{
    const struct evidence_record *shown = finding->evidence.items;
    const struct place_record *related = finding->related.items;
    const char *const *does = shown->does.items;
    bool is_read;

    print_title(page, finding, shown->about != NULL ? shown->about : "");
    is_read = message_place(&page->printer, finding->file, finding->line,
                            shown->does.count > 0 ? does[0] : finding->message);
    if (shown->does.count > 1 && finding->related.count > 0)
        message_related(&page->printer, finding->file, finding->line, related->file, related->line,
                        does[1], !is_read || strcmp(related->file, finding->file) != 0);
}

static void print_fault_notes(struct page *page, const struct fault *fault)
{
    char calls[SOURCE_LINE];

    if (fault->outer[0] != '\0')
        message_note(&page->printer, "note",
                     memory_text(&page->memory, "inlined at %s", calls_text(fault->outer, calls)));
    if (fault->removed[0] != '\0')
        message_note(&page->printer, "note", fault->removed);
}

/* Prints in which case it was found. */
static void print_case(struct page *page, const struct finding_record *finding)
{
    const struct evidence_record *shown = finding->evidence.items;
    struct memory *memory = &page->memory;
    const char *further = "";

    if (shown->replay == NULL)
        return;
    if (shown->cases > 1)
        further = memory_text(memory, ", also %" PRIu64 " further case%s", shown->cases - 1,
                              plural(shown->cases - 1));
    message_note(&page->printer, "case",
                 memory_text(memory, "%s%s; replay with %s", shown->input, further, shown->replay));
}

/* Adds a text to those that are printed, which several checks or findings may have. Returns false
 * if it is there. */
static bool is_new(struct page *page, struct list *printed, const char *text)
{
    const char *const *texts = printed->items;

    for (size_t k = 0; k < printed->count; k++)
        if (strcmp(texts[k], text) == 0)
            return false;
    LIST_ADD(&page->memory, printed, const char *) = text;
    return true;
}

static void print_notes(struct page *page, const struct finding_record *finding)
{
    const struct evidence_record *shown = finding->evidence.items;
    const char *const *notes = shown->notes.items;

    for (size_t k = 0; k < shown->notes.count; k++)
        message_note(&page->printer, "note", notes[k]);
    if (shown->help != NULL)
        message_note(&page->printer, "help",
                     is_new(page, &page->helps, shown->help) ? shown->help
                                                             : "the same change orders them");
}

/* Returns what the finding says, without threads and places. */
static const char *clause_of(struct memory *memory, const struct finding_record *finding)
{
    const struct evidence_record *shown = finding->evidence.items;
    const struct counterexample_record *counterexample = shown->counterexample;

    if (counterexample == NULL || counterexample->outcome.kind != OUTCOME_FAULT)
        return finding->message;
    return clause_of_fault(memory, &counterexample->outcome.fault, SHOWN_NONE);
}

static void print_consequences(struct page *page, const struct finding_record *finding)
{
    const struct finding_record *consequences = finding->consequences.items;
    const struct evidence_record *shown = finding->evidence.items;
    struct memory *memory = &page->memory;

    for (size_t k = 0; k < finding->consequences.count; k++) {
        const struct evidence_record *of = consequences[k].evidence.items;
        bool is_elsewhere = of->input != NULL && shown->input != NULL &&
                            strcmp(of->input, shown->input) != 0; /* with other sizes */
        message_note(&page->printer, "note",
                     memory_text(memory, "it explains this %s: %s%s%s%s",
                                 title_of(memory, consequences[k].rule),
                                 clause_of(memory, &consequences[k]), is_elsewhere ? " (" : "",
                                 is_elsewhere ? of->input : "", is_elsewhere ? ")" : ""));
    }
}

/* Returns whether the code of another compiler ran a check that found it. */
static bool ran_elsewhere(const struct launch_record *launch, uint64_t finding,
                          const char *compiler)
{
    const struct check_record *checks = launch->checks.items;

    for (size_t c = 0; c < launch->checks.count; c++) {
        const uint64_t *ids = checks[c].finding_ids.items;
        for (size_t k = 0; k < checks[c].finding_ids.count * launch->checks.count; k++) {
            const struct check_record *other = &checks[k % launch->checks.count];
            if (ids[k / launch->checks.count] == finding && other->kind == checks[c].kind &&
                other->model == checks[c].model && other->result != RESULT_SKIPPED &&
                other->compiler != NULL && strcmp(other->compiler, compiler) != 0)
                return true;
        }
    }
    return false;
}

/* Prints under which conditions alone it was found. */
static void print_conditions(struct page *page, const struct finding_record *finding)
{
    const struct evidence_record *evidence = finding->evidence.items;
    const char *compiler = evidence->compiler;

    if (page->launch->launch == NULL)
        message_note(&page->printer, "note", memory_text(&page->memory, "in %s", finding->kernel));
    if (page->findings != NULL && page->findings->unit != NULL && finding->evidence.count > 1)
        message_note(&page->printer, "note",
                     memory_text(&page->memory, "found %zu times", finding->evidence.count));
    if (finding->condition != NULL)
        message_note(&page->printer, "note",
                     memory_text(&page->memory, "only with %s", finding->condition));
    for (size_t e = 0; e < finding->evidence.count && compiler != NULL; e++)
        if (evidence[e].compiler == NULL || strcmp(evidence[e].compiler, compiler) != 0)
            compiler = NULL;
    if (compiler != NULL && ran_elsewhere(page->launch, finding->id, compiler))
        message_note(&page->printer, "note",
                     memory_text(&page->memory, "only in the code of %s", compiler));
}

static void print_finding(struct page *page, const struct finding_record *finding)
{
    const struct evidence_record *shown = finding->evidence.items;
    const struct counterexample_record *counterexample = shown->counterexample;
    bool is_race = shown->race != NULL && strcmp(finding->rule, race_verdict_name(RACE)) == 0;

    if (is_race)
        print_race(page, finding, shown->race);
    else
        print_places(page, finding);
    if (!is_race && counterexample != NULL && counterexample->outcome.kind == OUTCOME_FAULT)
        print_fault_notes(page, &counterexample->outcome.fault);
    print_notes(page, finding);
    print_consequences(page, finding);
    print_conditions(page, finding);
    print_case(page, finding);
    message_end(&page->printer);
}

char *findings_message(struct memory *memory, const struct launch_record *launch,
                       const struct finding_record *finding, const struct message_form *form)
{
    char *text = NULL, *copied;
    size_t size = 0;
    struct page page = {.printer = {.to = open_memstream(&text, &size), .form = form},
                        .launch = launch};

    if (page.printer.to == NULL)
        return memory_copy(memory, finding->message);
    print_finding(&page, finding);
    memory_free(&page.memory);
    fclose(page.printer.to);
    copied = text_for_files(memory, text != NULL ? text : finding->message);
    free(text);
    return copied;
}

const struct finding_record *findings_find(const struct launch_record *launch, uint64_t id)
{
    const struct finding_record *findings = launch->findings.items;

    for (size_t f = 0; f < launch->findings.count; f++) {
        const struct finding_record *consequences = findings[f].consequences.items;
        if (findings[f].id == id)
            return &findings[f];
        for (size_t k = 0; k < findings[f].consequences.count; k++)
            if (consequences[k].id == id)
                return &findings[f];
    }
    return NULL;
}

/* ---- The verdict ---- */

/* Returns what a launch that passes was checked for. */
static const char *checked_text(struct memory *memory, const struct launch_record *launch)
{
    const char *const words[] = {[CHECKED_RUN] = "in bounds, initialized",
                                 [CHECKED_RACES] = race_verdict_name(RACE_FREE),
                                 [CHECKED_DETERMINISM] = "deterministic"};
    const struct check_record *checks = launch->checks.items;
    unsigned int seen = 0;
    const char *text = "";

    for (size_t c = 0; c < launch->checks.count; c++)
        if (checks[c].kind <= CHECKED_DETERMINISM && checks[c].result == RESULT_PASS)
            seen |= 1u << checks[c].kind;
    for (int k = 0; k <= CHECKED_DETERMINISM; k++)
        if (seen >> k & 1)
            text = memory_text(memory, "%s%s%s", text, text[0] != '\0' ? ", " : "", words[k]);
    if (seen & 1u << CHECKED_RUN &&
        (launch->oracle != NULL || launch->against != NULL || launch->reference != NULL))
        text = memory_text(memory, "%s, as the reference", text);
    return launch->result == RESULT_BOUNDED                    ? "nothing that was tried fails"
           : launch->result == RESULT_INCOMPLETE               ? "not all was checked"
           : text[0] == '\0' && launch->result == RESULT_KNOWN ? "only known deviations"
                                                               : text;
}

/* Returns a number of findings of a rule, such as "2 uses after free", in `memory`. */
static const char *counted_text(struct memory *memory, const char *rule, uint64_t count)
{
    const char *title = title_of(memory, rule), *rest = strstr(title, " after "), *noun;

    if (rest == NULL)
        rest = strstr(title, " by ");
    if (rest == NULL)
        rest = title + strlen(title);
    noun = memory_text(memory, "%.*s", (int)(rest - title), title);
    return memory_text(memory, "%" PRIu64 " %s%s%s", count, noun, plural_of(noun, count), rest);
}

/* Counts the findings that nothing excuses, by their rules: "1 data race, 2 out-of-bounds reads".
 */
static const char *count_text(struct memory *memory, const struct launch_record *launch)
{
    const struct finding_record *findings = launch->findings.items;
    const char *text = "";

    for (size_t f = 0; f < launch->findings.count; f++) {
        uint64_t count = 0, earlier = 0;
        for (size_t k = 0; k < launch->findings.count; k++)
            if (findings[k].allowed_by == NULL && strcmp(findings[k].rule, findings[f].rule) == 0) {
                count++;
                earlier += k < f;
            }
        if (findings[f].allowed_by == NULL && earlier == 0)
            text = memory_text(memory, "%s%s%s", text, text[0] != '\0' ? ", " : "",
                               counted_text(memory, findings[f].rule, count));
    }
    return text;
}

/* Returns the check that says how many cases ran: that of results, or the one with the most. */
static const struct check_record *largest_check(const struct launch_record *launch)
{
    const struct check_record *checks = launch->checks.items, *largest = checks;

    for (size_t c = 0; c < launch->checks.count; c++) {
        bool is_known = checks[c].planned > 0, was_known = largest->planned > 0;
        if (is_known == was_known ? checks[c].cases > largest->cases : is_known)
            largest = &checks[c];
    }
    return largest;
}

/* Returns which cases ran, such as "n = 0..1025 (38 of 1536 cases)". */
static const char *cases_text(struct memory *memory, const struct findings *findings,
                              const struct launch_record *launch)
{
    const struct check_record *check = largest_check(launch);
    bool has_mutants = check->kind == CHECKED_MUTANT;
    const char *unit = has_mutants ? "mutant" : findings->unit != NULL ? findings->unit : "case";
    bool has_sizes = check->sizes != NULL && check->sizes[0] != '\0';
    uint64_t cases = has_mutants ? launch->checks.count : check->cases,
             all = check->planned > cases ? check->planned : cases;
    const char *of = all > cases ? memory_text(memory, " of %" PRIu64, all) : "",
               *end = plural_of(unit, all),
               *until = all > cases && launch->result == RESULT_FAIL && findings->unit == NULL
                            ? " until it failed"
                            : "";

    return memory_text(memory, "%s%s%" PRIu64 "%s %s%s%s%s", has_sizes ? check->sizes : "",
                       has_sizes ? " (" : "", cases, of, unit, end, until, has_sizes ? ")" : "");
}

/* Returns how many rows of a catalogue ran, and whether they are right. */
static const char *rows_text(struct memory *memory, const struct launch_record *launch)
{
    const struct check_record *checks = launch->checks.items;
    uint64_t cases = 0;

    for (size_t c = 0; c < launch->checks.count; c++)
        cases += checks[c].cases;
    return memory_text(memory, "%zu row%s, %" PRIu64 " case%s", launch->checks.count,
                       plural(launch->checks.count), cases, plural(cases));
}

static const char *rows_right_text(struct memory *memory, const struct launch_record *launch)
{
    const struct check_record *checks = launch->checks.items;
    size_t right = 0, skipped = 0;

    for (size_t c = 0; c < launch->checks.count; c++) {
        right += checks[c].result == RESULT_PASS || checks[c].result == RESULT_KNOWN;
        skipped += checks[c].result == RESULT_SKIPPED;
    }
    if (right == launch->checks.count)
        return right == 1 ? "the row is as it should be"
                          : memory_text(memory, "all %zu rows are as they should be", right);
    return memory_text(memory, "%zu of %zu rows are as they should be, %zu skipped", right,
                       launch->checks.count, skipped);
}

/* Returns what all cases executed, such as "all 5 lines and 2 branches", or null. Code of one
 * compiler may have lines or branches that nothing reaches. */
static const char *reached_text(struct memory *memory, const struct launch_record *launch)
{
    const struct check_record *checks = launch->checks.items;
    const struct reached_record *shown = NULL;

    for (size_t c = 0; c < launch->checks.count; c++) {
        const struct reached_record *reached = checks[c].reached;
        if (reached != NULL && (shown == NULL || (reached->lines_reached == reached->lines &&
                                                  reached->branches_reached == reached->branches)))
            shown = reached;
    }
    if (shown == NULL)
        return NULL;
    if (shown->lines_reached < shown->lines || shown->branches_reached < shown->branches)
        return memory_text(
            memory, "%" PRIu64 " of %" PRIu64 " lines, %" PRIu64 " of %" PRIu64 " branches",
            shown->lines_reached, shown->lines, shown->branches_reached, shown->branches);
    return shown->branches == 0
               ? memory_text(memory, "all %" PRIu64 " line%s", shown->lines, plural(shown->lines))
               : memory_text(memory, "all %" PRIu64 " line%s and %" PRIu64 " branch%s",
                             shown->lines, plural(shown->lines), shown->branches,
                             plural_of("branch", shown->branches));
}

/* Returns the compilers: "nvcc 13.0.88 and clang 14.0.6". */
static const char *compilers_text(struct memory *memory, const struct launch_record *launch)
{
    const char *const *names = launch->compilers.items;
    const char *text = NULL;

    for (size_t k = 0; k < launch->compilers.count; k++)
        text = text == NULL ? names[k] : memory_text(memory, "%s and %s", text, names[k]);
    return text;
}

/* Returns where the checks ran, or null if none did. */
static const char *engines_text(const struct launch_record *launch)
{
    const struct check_record *checks = launch->checks.items;
    bool simulates = false, on_gpu = false;

    for (size_t c = 0; c < launch->checks.count; c++) {
        if (checks[c].result == RESULT_SKIPPED)
            continue;
        simulates = simulates || engine_kinds[checks[c].engine].simulates;
        on_gpu = on_gpu || engine_kinds[checks[c].engine].uses_a_gpu;
    }
    return simulates && on_gpu ? "simulator and GPU"
           : on_gpu            ? "GPU"
           : simulates         ? "simulator"
                               : NULL;
}

/* Prints which findings are accepted, and why: one line for each reason. */
static void print_allowed(struct page *page)
{
    const struct finding_record *findings = page->launch->findings.items;
    struct memory *memory = &page->memory;

    for (size_t f = 0; f < page->launch->findings.count; f++) {
        uint64_t count = 0, earlier = 0;
        for (size_t k = 0; findings[f].allowed_by != NULL && k < page->launch->findings.count; k++)
            if (findings[k].allowed_by != NULL && strcmp(findings[k].rule, findings[f].rule) == 0 &&
                strcmp(findings[k].allowed_by, findings[f].allowed_by) == 0) {
                count++;
                earlier += k < f;
            }
        if (count > 0 && earlier == 0)
            message_note(&page->printer, "note",
                         memory_text(memory, "%s accepted: %s",
                                     counted_text(memory, findings[f].rule, count),
                                     findings[f].allowed_by));
    }
}

static void print_once(struct page *page, struct list *printed, const char *text)
{
    if (is_new(page, printed, text))
        message_note(&page->printer, "note", text);
}

/* Prints what does not change the result. The note of a check that fails is in its message. */
static void print_remarks(struct page *page)
{
    const struct check_record *checks = page->launch->checks.items;
    const char *const *remarks = page->launch->remarks.items;
    struct memory *memory = &page->memory;
    struct list printed = {NULL, 0};

    for (size_t k = 0; k < page->launch->remarks.count; k++)
        print_once(page, &printed, remarks[k]);
    for (size_t c = 0; c < page->launch->checks.count; c++) {
        const struct check_record *check = &checks[c];
        if (check->note != NULL && check->result != RESULT_FAIL && check->kind != CHECKED_MUTANT)
            print_once(page, &printed, check->note);
        if (check->more_failures > 0)
            print_once(page, &printed,
                       memory_text(memory,
                                   "%" PRIu64 " case%s with further findings, which are not listed",
                                   check->more_failures, plural(check->more_failures)));
        if (check->inexact != NULL)
            print_once(page, &printed,
                       memory_text(memory, "a GPU may round the texture read at %s in another way",
                                   check->inexact));
        if (check->clock != NULL)
            print_once(page, &printed,
                       memory_text(memory, "what depends on the clock read at %s is not compared",
                                   check->clock));
        if (check->left_out > 0 && check->kind != CHECKED_RUN)
            print_once(page, &printed,
                       memory_text(memory,
                                   "%" PRIu64 " case%s with special values not judged, because the "
                                   "kernel may reject them",
                                   check->left_out, plural(check->left_out)));
    }
}

static const char *const result_words[] = {
    [RESULT_PASS] = "PASS",       [RESULT_FAIL] = "FAIL",       [RESULT_KNOWN] = "PASS",
    [RESULT_SKIPPED] = "SKIPPED", [RESULT_BOUNDED] = "PARTIAL", [RESULT_INCOMPLETE] = "PARTIAL"};

/* Returns the verdict of a launch. One without a check has an error in its text. */
static const char *word_of(const struct launch_record *launch)
{
    return launch->checks.count > 0 && !launch->has_error ? result_words[launch->result] : "ERROR";
}

/* Prints the first line of a verdict. */
static void print_word(const struct page *page, const char *name, const char *word,
                       const char *about)
{
    message_mark(&page->printer, MARK_BOLD);
    fprintf(page->printer.to, "%s  ", name);
    message_mark(&page->printer, strcmp(word, "PASS") == 0   ? MARK_GREEN
                                 : strcmp(word, "FAIL") == 0 ? MARK_RED
                                                             : MARK_YELLOW);
    fputs(word, page->printer.to);
    message_mark(&page->printer, MARK_NONE);
    fprintf(page->printer.to, "%s%s\n", about[0] != '\0' ? "  " : "", about);
}

/* Returns the name of a launch in its verdict. */
static const char *name_of(const struct findings *findings, const struct launch_record *launch)
{
    const struct check_record *checks = launch->checks.items;
    const char *file, *slash;

    if (launch->launch != NULL)
        return launch->checks.count > 0 ? checks->kernel : launch->launch;
    if (launch->files.count == 0)
        return findings->command;
    file = *(const char *const *)launch->files.items;
    slash = strrchr(file, '/');
    return slash != NULL ? slash + 1 : file;
}

struct launch_verdict findings_verdict(const struct findings *findings,
                                       const struct launch_record *launch, struct memory *memory)
{
    const struct check_record *checks = launch->checks.items;
    bool is_catalogue = launch->launch == NULL;
    struct launch_verdict verdict = {
        .name = name_of(findings, launch), .word = word_of(launch), .about = "", .facts = ""};

    if (launch->checks.count == 0)
        return verdict;
    const char *const facts[] = {
        launch->from,
        is_catalogue ? rows_text(memory, launch) : cases_text(memory, findings, launch),
        launch->result == RESULT_PASS && !is_catalogue ? reached_text(memory, launch) : NULL,
        compilers_text(memory, launch),
        engines_text(launch),
        launch->seconds > 0 ? memory_text(memory, "%.1f s", launch->seconds) : NULL};
    verdict.about = launch->result == RESULT_FAIL ? count_text(memory, launch)
                    : launch->has_error           ? ""
                    : findings->unit != NULL      ? checks->verdict
                    : is_catalogue                ? rows_right_text(memory, launch)
                                                  : checked_text(memory, launch);
    if (launch->result == RESULT_FAIL && findings->unit != NULL && checks->note != NULL)
        verdict.about = memory_text(memory, "%s%s%s", verdict.about,
                                    verdict.about[0] != '\0' ? ", " : "", checks->note);
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
        if (facts[k] != NULL)
            verdict.facts = memory_text(memory, "%s%s%s", verdict.facts,
                                        verdict.facts[0] != '\0' ? ", " : "", facts[k]);
    return verdict;
}

static void print_verdict(struct page *page)
{
    const struct launch_verdict verdict =
        findings_verdict(page->findings, page->launch, &page->memory);

    print_word(page, verdict.name, verdict.word, verdict.about);
    if (page->findings->is_quiet)
        return;
    fprintf(page->printer.to, "%*s  %s\n", (int)strlen(verdict.name), "", verdict.facts);
    print_allowed(page);
    print_remarks(page);
}

bool findings_has_verdict(const struct findings *findings)
{
    return memchr(findings->has_printed, true, sizeof findings->has_printed) != NULL;
}

/* Prints the findings that nothing accepts, and that were not printed before. */
static void print_findings(struct page *page)
{
    const struct finding_record *found = page->launch->findings.items;

    bool follows = findings_has_verdict(page->findings) && page->printer.form == NULL;

    for (size_t f = 0; f < page->launch->findings.count; f++) {
        const struct evidence_record *evidence = found[f].evidence.items;
        size_t e = 0;
        while (e < found[f].evidence.count && !evidence[e].is_printed)
            e++;
        if (found[f].allowed_by != NULL || e < found[f].evidence.count)
            continue;
        if (follows)
            fputc('\n', page->printer.to);
        follows = false;
        print_finding(page, &found[f]);
    }
}

void findings_print_launch(const struct findings *findings, const struct launch_record *launch)
{
    struct page page = {.printer = {.to = findings->to != NULL ? findings->to : stdout,
                                    .has_colour = findings->has_colour,
                                    .hides_source = launch->is_changed},
                        .findings = findings,
                        .launch = launch};

    if (!findings->is_quiet)
        print_findings(&page);
    print_verdict(&page);
    fflush(page.printer.to);
    memory_free(&page.memory);
}

void findings_print_messages(const struct findings *findings, const struct launch_record *launch,
                             const struct printer *printer)
{
    struct page page = {.printer = *printer, .findings = findings, .launch = launch};

    print_findings(&page);
    print_allowed(&page);
    print_remarks(&page);
    memory_free(&page.memory);
}

void findings_print_verdict(struct findings *findings, const char *name, int status,
                            bool is_bounded, const char *text)
{
    const struct page page = {.printer = {.to = findings->to != NULL ? findings->to : stdout,
                                          .has_colour = findings->has_colour},
                              .findings = findings};

    print_word(&page, name,
               status == EXIT_CONFORMS      ? is_bounded ? "PARTIAL" : "PASS"
               : status == EXIT_DIFFERS     ? "FAIL"
               : status == EXIT_USAGE       ? "ERROR"
               : status == EXIT_UNAVAILABLE ? "SKIPPED"
                                            : "PARTIAL",
               text);
    findings->has_printed[status] = true;
    fflush(page.printer.to);
}

void findings_print_sum(const struct findings *findings)
{
    static const char *const words[] = {"PASS", "FAIL", "PARTIAL", "SKIPPED", "ERROR"};
    const struct launch_record *launches = findings->results.launches.items;
    size_t count = findings->results.launches.count;
    const char *between = ": ";

    if (count < 2)
        return;
    printf("\n%zu launches", count);
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        size_t found = 0;
        for (size_t k = 0; k < count; k++)
            found += strcmp(word_of(&launches[k]), words[w]) == 0;
        if (found > 0)
            printf("%s%zu %s", between, found, words[w]);
        between = found > 0 ? ", " : between;
    }
    putchar('\n');
    fflush(stdout);
}
