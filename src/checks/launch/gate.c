/* SPDX-License-Identifier: MIT */
#include "gate.h"

#include "build.h"
#include "check_launch.h"
#include "check_parts.h"
#include "counters.h"
#include "entry.h"
#include "error_report.h"
#include "installation.h"
#include "interrupt.h"
#include "launch_catalogue.h"
#include "machine_code.h"
#include "old_code.h"
#include "replay_line.h"
#include "row_findings.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_CHANGED = 64, MAX_SIZE = 1 << 16, SHAPES = 3 };

/* The code before the edit or after it. */
struct side {
    struct user_code code;
    struct kernel_code *kernels;
    size_t kernel_count;
    struct entries entries; /* the entries of its PTX */
};

struct gate {
    const struct gate_request *request;
    struct session session; /* the caller's, with nvcc's code of the file that is checked */
    struct compiler nvcc, ptxas;
    struct side before, after;
    struct old_files old;
    char families[MAX_CHANGED][128]; /* the changed kernel files of the catalogue, without suffix */
    size_t family_count;
    size_t unchecked; /* changed files that are not kernel files of the catalogue */
    bool is_bounded;  /* --minutes left something out */
};

/* ---- Building ---- */

static bool assemble(struct gate *gate, struct side *side)
{
    char cubin[USER_PATH], said[65536], error[4096];
    const char *architecture = gate->request->check.compilers.architecture;

    snprintf(cubin, sizeof cubin, "%s/launch.cubin", side->code.folder);
    if (!build_relocatable(&gate->ptxas, architecture, side->code.ptx, cubin, said, sizeof said,
                           error, sizeof error) ||
        !machine_code_read(cubin, &side->kernels, &side->kernel_count, error, sizeof error))
        return error_report("%s", error);
    machine_code_spills(said, side->kernels, side->kernel_count);
    return entries_open(side->code.ptx, &side->entries, error, sizeof error) ||
           error_report("%s", error);
}

/* Compiles a kernel file of the catalogue, with line information. Returns false after an error
 * message. */
static bool build_family(struct gate *gate, struct side *side, const struct user_files *files)
{
    char said[16384];

    if (build_user_ptx(&gate->nvcc, files->flags, files->flag_count, files->path[0], side->code.ptx,
                       said, sizeof said))
        return true;
    side->code.lacks_room = tool_lacks_room(said);
    return user_code_error(&gate->nvcc, files, side->code.folder, said);
}

static bool build_sides(struct gate *gate, const struct user_files *files, bool is_catalogue)
{
    struct side *before = &gate->before, *after = &gate->after;
    const struct user_files *old = &gate->old.files;

    if (!user_code_start(&before->code) || !user_code_start(&after->code))
        return false;
    if (!old_files_take(gate->request->revision, before->code.folder, files, &gate->old))
        return false;
    if (is_catalogue ? !build_family(gate, before, old) || !build_family(gate, after, files)
                     : !user_code_build(&before->code, &gate->request->check.compilers, old) ||
                           !user_code_build(&after->code, &gate->request->check.compilers, files))
        return false;
    if (!old_files_are_all_old(&gate->old))
        return false;
    return assemble(gate, before) && assemble(gate, after);
}

/* Returns the exit status, which is another one if a side could not be built on a full disk. */
static int build_status(const struct gate *gate, int status)
{
    bool lacks_room = gate->before.code.lacks_room || gate->after.code.lacks_room;

    return status == EXIT_USAGE && lacks_room ? EXIT_ENVIRONMENT : status;
}

static void remove_sides(struct gate *gate)
{
    old_files_free(&gate->old);
    user_code_remove(&gate->before.code);
    user_code_remove(&gate->after.code);
    free(gate->before.kernels);
    free(gate->after.kernels);
    entries_free(&gate->before.entries);
    entries_free(&gate->after.entries);
    gate->before = gate->after = (struct side){.kernels = NULL};
}

/* ---- What has changed ---- */

static const struct kernel_code *find_code(const struct side *side, const char *symbol)
{
    for (size_t k = 0; k < side->kernel_count; k++)
        if (strcmp(side->kernels[k].name, symbol) == 0)
            return &side->kernels[k];
    return NULL;
}

/* Returns whether the function is missing on the other side or has different machine code there. */
static bool is_changed(const struct kernel_code *code, const struct side *other)
{
    const struct kernel_code *its = find_code(other, code->name);

    return its == NULL || its->digest != code->digest;
}

/* Returns whether a function that is not a kernel has changed. Any kernel may call it. */
static bool is_function_changed(const struct side *side, const struct side *other)
{
    for (size_t k = 0; k < side->kernel_count; k++)
        if (!entries_has_kernel(&side->entries, side->kernels[k].name) &&
            is_changed(&side->kernels[k], other))
            return true;
    return false;
}

/* Returns whether a function or variable that all kernels may use has changed. */
static bool is_common_changed(const struct gate *gate)
{
    return is_function_changed(&gate->after, &gate->before) ||
           is_function_changed(&gate->before, &gate->after) ||
           !entries_same_variables(&gate->before.entries, &gate->after.entries);
}

/* Returns whether a kernel that the variant launches is missing on the other side or differs there.
 */
static bool has_changed(const struct side *side, const struct side *other,
                        const struct variant *variant, bool is_common)
{
    if (!entries_are_of(&side->entries, variant->kernel, &other->entries))
        return true;
    for (size_t k = 0; k < side->kernel_count; k++)
        if ((is_common || is_changed(&side->kernels[k], other)) &&
            entries_is_of(&side->entries, variant->kernel, side->kernels[k].name))
            return true;
    return false;
}

/* ---- Costs ---- */

/* Counts what the cases cost with that code. */
static int measure(const struct session *session, const struct user_code *code,
                   const char *launches, const struct test_case *tests, size_t count,
                   struct case_cost costs[SHAPES])
{
    struct session own = *session;
    struct supervisor *supervisor;
    enum engine_status status = ENGINE_OK;
    int exit_status;

    own.code[ENGINE_SIM] = (struct code_files){code->ptx, launches};
    exit_status = session_open(&own, ENGINE_SIM, REQUEST_RUN, &supervisor);
    if (exit_status != EXIT_CONFORMS)
        return exit_status;
    for (size_t k = 0; k < count && status == ENGINE_OK; k++)
        status = case_cost_count(supervisor, &tests[k], &costs[k]);
    return session_ended(&own, supervisor, status);
}

/* Returns the shape that is closest to the target, a number of threads, or of elements if all
 * blocks have one size. Shapes of more than MAX_SIZE elements are farther than others. Of shapes
 * that are equally close, the one with most elements is returned. */
static const struct planned_shape *closest(const struct plan *plan, double target)
{
    const struct planned_shape *best = NULL;
    double least = 0;

    for (size_t k = 0; k < plan->shape_count; k++) {
        const struct shape *shape = &plan->shapes[k].shape;
        double elements = (double)shape_elements(shape),
               number =
                   plan->variant->block_dimensions > 0 ? (double)shape_threads(shape) : elements,
               off = fabs(number - target) +
                     (elements > MAX_SIZE ? elements : -elements / (2 * MAX_SIZE));
        if (best == NULL || off < least) {
            best = &plan->shapes[k];
            least = off;
        }
    }
    return best;
}

/* Chooses shapes inside the variant's domain: with a small, a middle and a full block, or with such
 * sizes if all blocks have one size. Returns their number. */
static size_t choose_cases(const struct plan_request *asked, const struct variant *variant,
                           struct test_case tests[SHAPES])
{
    static const double targets[][SHAPES] = {{1, 1024, MAX_SIZE},
                                             {SIMT_WARP_LANES, 256, SIMT_BLOCK_THREADS}};
    struct plan_request request = *asked;
    const struct planned_shape *last = NULL;
    struct plan plan;
    size_t count = 0;

    request.models[MODEL_LOCKSTEP] = true;
    if (!plan_make(&request, variant, true, 0, &plan))
        return 0;
    plan_keep_inside(&plan);
    for (size_t k = 0; k < SHAPES && plan.shape_count > 0; k++) {
        const struct planned_shape *shape =
            closest(&plan, targets[variant->block_dimensions > 0][k]);
        if (shape == last)
            continue;
        plan_case(&plan, shape->first, &tests[count]);
        tests[count].values = (struct values){VALUES_ONES, 0};
        tests[count].model = MODEL_LOCKSTEP;
        tests[count++].schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
        last = shape;
    }
    plan_free(&plan);
    return count;
}

/* Takes the comparison. `text` says it, or is null if there is nothing to say. */
static void take_costs(const struct session *session, const struct test_case *test,
                       const struct case_cost *before, const struct case_cost *after,
                       const char *text, bool good)
{
    const struct engine_kind *engine = &engine_kinds[ENGINE_SIM];
    struct check_record check = check_of(session, CHECKED_COSTS, test->variant, engine);

    check.cases = 1;
    check.note = text;
    check.result = good ? RESULT_PASS : RESULT_FAIL;
    check.verdict = words_name(&check_result_words, check.result);
    check.has_cost = before->known && after->known;
    check.instructions_before = before->instructions;
    check.instructions = after->instructions;
    check.transactions_before = before->transactions;
    check.transactions = after->transactions;
    if (!good)
        check_add_finding(session, &check, rule_cost, text, NULL, engine)->case_id =
            report_case_id(&session->sinks->findings.memory, test, engine);
    findings_add_check(&session->sinks->findings, &check);
    findings_save(&session->sinks->findings);
}

/* Compares what the variant costs before and after the edit. Equal costs are no remark. If only the
 * new code fails in that case, another check must say so. Returns whether the growth is allowed. */
static bool compare_costs(const struct gate *gate, const struct test_case *test,
                          const struct case_cost *before, const struct case_cost *after,
                          const struct kernel_code *old_code, const struct kernel_code *code)
{
    const struct allowances *allow = &gate->request->check.rows.allow;
    char shape[SHAPE_TEXT], kernel[KERNEL_TEXT], costs[512], registers[128] = "", text[1024];
    double instructions = case_cost_growth(before->instructions, after->instructions),
           transactions = case_cost_growth(before->transactions, after->transactions);
    bool good = !before->known || after->known || findings_fail(&gate->session.sinks->findings),
         is_equal = before->known && after->known && instructions == 0 && transactions == 0;

    snprintf(costs, sizeof costs, " not counted, because the case fails");
    if (before->known && after->known) {
        snprintf(costs, sizeof costs,
                 " instructions %" PRIu64 " to %" PRIu64 " (%+.1f %%), transactions %" PRIu64
                 " to %" PRIu64 " (%+.1f %%)",
                 before->instructions, after->instructions, instructions, before->transactions,
                 after->transactions, transactions);
        good = case_cost_excess(allow, before, after) <= 0;
    }
    if (code != NULL && old_code != NULL) {
        is_equal = is_equal && code->registers == old_code->registers &&
                   code->spill_store_bytes == old_code->spill_store_bytes;
        snprintf(registers, sizeof registers, ", registers %u to %u, spills %u to %u bytes",
                 old_code->registers, code->registers, old_code->spill_store_bytes,
                 code->spill_store_bytes);
    }
    snprintf(text, sizeof text, "%s, %s:%s%s%s", report_kernel(test->variant, kernel),
             shape_text(test->variant, &test->shape, shape), costs, registers,
             good ? "" : ": more than --allow permits");
    if (is_equal)
        session_say(&gate->session, "%s\n", text);
    take_costs(&gate->session, test, before, after, is_equal ? NULL : text, good);
    return good;
}

/* Takes that there was no time to compare the costs. */
static void take_no_costs(struct gate *gate, const struct variant *variant)
{
    const struct session *session = &gate->session;
    struct check_record check =
        check_of(session, CHECKED_COSTS, variant, &engine_kinds[ENGINE_SIM]);

    check.result = RESULT_SKIPPED;
    check.verdict = words_name(&check_result_words, check.result);
    check.note = "--minutes left no time for a case";
    check.untried = 1;
    findings_add_check(&session->sinks->findings, &check);
    findings_save(&session->sinks->findings);
    gate->is_bounded = true;
}

static int compare_variant(struct gate *gate, const struct variant *variant, const char *symbol,
                           const char *before_launches, const char *after_launches)
{
    const struct session *session = &gate->session;
    const struct allowances *allow = &gate->request->check.rows.allow;
    struct case_cost before[SHAPES], after[SHAPES];
    struct test_case tests[SHAPES];
    size_t count, worst = 0;
    int status;

    if (bound_is_over(&session->sinks->bound)) {
        take_no_costs(gate, variant);
        return EXIT_CONFORMS;
    }

    count = choose_cases(&gate->request->check.rows.selection.cases, variant, tests);
    if (count == 0) {
        error_report(
            "%s: no shape of --block and --size is inside the domain, so its cost was not compared",
            variant->id);
        return EXIT_UNAVAILABLE;
    }
    status = measure(session, &gate->before.code, before_launches, tests, count, before);
    if (status == EXIT_CONFORMS)
        status = measure(session, &gate->after.code, after_launches, tests, count, after);
    if (status != EXIT_CONFORMS)
        return status;
    for (size_t k = 1; k < count; k++)
        if (case_cost_excess(allow, &before[k], &after[k]) >=
            case_cost_excess(allow, &before[worst], &after[worst]))
            worst = k;
    return compare_costs(gate, &tests[worst], &before[worst], &after[worst],
                         find_code(&gate->before, symbol), find_code(&gate->after, symbol))
               ? EXIT_CONFORMS
               : EXIT_DIFFERS;
}

/* ---- The catalogue's kernels ---- */

/* Selects the variants of a family whose kernels have changed. Returns their number. */
static size_t select_changed(const struct gate *gate, const char *family,
                             const struct variant **changed)
{
    const struct catalogue *catalogue = gate->session.catalogue;
    bool is_common = is_common_changed(gate);
    size_t count = 0;

    for (size_t v = 0; v < catalogue->count && count < MAX_CHANGED; v++) {
        const struct variant *variant = &catalogue->variants[v];
        if (strcmp(variant->family, family) == 0 && variant->kernel != NULL &&
            (has_changed(&gate->after, &gate->before, variant, is_common) ||
             has_changed(&gate->before, &gate->after, variant, is_common)))
            changed[count++] = variant;
    }
    return count;
}

/* Runs these variants and looks for races. */
static int run_and_races(struct gate *gate, const struct variant **changed, size_t count)
{
    struct rows_request rows = gate->request->check.rows;

    rows.selection.glob_count = 0;
    for (size_t k = 0; k < count; k++)
        if (k == 0 || strcmp(changed[k]->id, changed[k - 1]->id) != 0)
            rows.selection.globs[rows.selection.glob_count++] = changed[k]->id;
    gate->session.code[ENGINE_SIM] = (struct code_files){gate->after.code.ptx, ""};
    rows.engines.count = 0;
    engine_list_add(&rows.engines, ENGINE_SIM);
    return check_rows(&rows, CHECK_RUN | CHECK_RACES, &gate->session);
}

static int check_variants(struct gate *gate, const struct variant **changed, size_t count)
{
    int status = run_and_races(gate, changed, count);

    for (size_t k = 0; k < count && !interrupt_came(); k++) {
        const char *symbol = entries_symbol(&gate->after.entries, changed[k]->kernel);
        status = session_worse(
            status, compare_variant(gate, changed[k], symbol != NULL ? symbol : "", "", ""));
    }
    return status;
}

static bool build_catalogue_sides(struct gate *gate, const char *family)
{
    char folder[USER_PATH - 160], path[USER_PATH], include[USER_PATH];
    const char *const paths[] = {path};
    const char *flags[KERNEL_FLAGS + 1];
    const struct user_files files = {
        .path = paths, .count = 1, .flags = flags, .flag_count = KERNEL_FLAGS + 1};

    memcpy(flags, kernel_flags, sizeof kernel_flags);
    flags[KERNEL_FLAGS] = include;
    installation_data("include", include, sizeof include);
    installation_data("kernels", folder, sizeof folder);
    snprintf(path, sizeof path, "%s/%.127s.cu", folder, family);
    check_take_launch(&gate->request->check, paths, 1, &gate->session);
    return build_sides(gate, &files, true);
}

static int check_family(struct gate *gate, const char *family)
{
    const struct variant *changed[MAX_CHANGED];
    int status = EXIT_CONFORMS;
    size_t count;

    if (!build_catalogue_sides(gate, family)) {
        status = build_status(gate, EXIT_USAGE);
        remove_sides(gate);
        return status;
    }
    count = select_changed(gate, family, changed);
    session_say(&gate->session,
                "%s.cu: the machine code of %zu row%s of the catalogue has changed since %s\n",
                family, count, report_plural(count), gate->request->revision);
    fflush(stdout);
    if (count > 0)
        status = check_variants(gate, changed, count);
    remove_sides(gate);
    return status;
}

/* Checks a family in its share of the time. */
static int check_in_time(struct gate *gate, size_t family)
{
    struct bound *bound = &gate->session.sinks->bound;
    double end = bound_share(bound, gate->family_count - family);
    int status = check_family(gate, gate->families[family]);

    bound_restore(bound, end);
    gate->is_bounded = gate->is_bounded || bound->left_out.count > 0;
    status = bound_end(bound, status);
    findings_end_launch(&gate->session.sinks->findings, status);
    return status;
}

/* Runs the case of a case ID with the edited kernel. Returns the exit status. */
static int replay_edited(struct gate *gate)
{
    const struct session *session = &gate->session;
    const struct engine_kind *engine;
    struct test_case test;
    int status = EXIT_USAGE;

    if (!session_case(session->catalogue, gate->request->check.case_id, &test, &engine))
        return EXIT_USAGE;
    if (engine->id != ENGINE_SIM) {
        error_report("the case ID is for the engine %s: gate runs only cases of the engine sim",
                     engine->name);
    } else if (build_catalogue_sides(gate, test.variant->family)) {
        gate->session.code[ENGINE_SIM] = (struct code_files){gate->after.code.ptx, ""};
        status = replay_case(&test, engine, session);
        findings_end_launch(&session->sinks->findings, status);
    }
    remove_sides(gate);
    return status;
}

/* Runs git in the folder. Returns false after an error message. */
static bool ask_about(const char *revision, const char *folder, const char *const *words,
                      char *said, size_t size)
{
    return git_ask(folder, words, said, size) == 0 ||
           error_report("%s: git says '%.*s': give a revision of the repository that contains the "
                        "catalogue's kernels",
                        revision, (int)strcspn(said, "\n"), said);
}

/* Checks that git tracks the folder, and that the current folder is not in another repository.
 * Returns false after an error message. */
static bool is_kept(const char *folder, const char *revision)
{
    char kept[65536], here[USER_PATH], there[USER_PATH];
    const char *const top[] = {"rev-parse", "--show-toplevel", NULL};

    if (!ask_about(revision, folder, (const char *const[]){"ls-files", NULL}, kept, sizeof kept))
        return false;
    if (kept[0] == '\0')
        return error_report(
            "%s: git does not track the catalogue's kernels in %s: run gate in a source tree of "
            "simtcheck, or give files and a launch",
            revision, folder);
    if (git_ask(".", top, here, sizeof here) == 0 &&
        git_ask(folder, top, there, sizeof there) == 0 && strcmp(here, there) != 0)
        return error_report(
            "%s: the current repository is %s, but the catalogue's kernels are in %s: run gate "
            "there, or give files and a launch",
            revision, here, there);
    return true;
}

/* Adds a changed file, such as "reduce.cu", that git lists. A header counts as a change of every
 * kernel file. Other files contain no kernel code. */
static void add_changed(struct gate *gate, const char *name)
{
    const struct catalogue *catalogue = gate->session.catalogue;
    const char *end = strrchr(name, '.');
    bool is_header = end != NULL && strcmp(end, ".h") == 0 && strchr(name, '/') == NULL;
    bool is_checked = is_header;

    for (size_t v = 0; v < catalogue->count; v++) {
        const char *family = catalogue->variants[v].family;
        bool is_own = end != NULL && strcmp(end, ".cu") == 0 &&
                      strlen(family) == (size_t)(end - name) &&
                      strncmp(family, name, strlen(family)) == 0;
        bool known = false;
        for (size_t f = 0; f < gate->family_count; f++)
            known = known || strcmp(gate->families[f], family) == 0;
        if ((is_own || is_header) && !known && gate->family_count < MAX_CHANGED)
            snprintf(gate->families[gate->family_count++], sizeof gate->families[0], "%s", family);
        is_checked = is_checked || is_own;
    }
    if (!is_checked)
        printf("%s has changed but is not checked: it is not a kernel file of the catalogue\n",
               name);
    gate->unchecked += !is_checked;
}

static bool find_changed(struct gate *gate)
{
    const char *revision = gate->request->revision;
    const char *const words[] = {
        "diff", "--name-only", "--relative", "--no-renames", "--end-of-options", revision,
        "--",   ".",           NULL};
    char folder[USER_PATH], said[65536];
    size_t count;

    installation_data("kernels", folder, sizeof folder);
    if (!is_kept(folder, revision))
        return false;
    if (!ask_about(revision, folder, words, said, sizeof said))
        return false;
    count = said[0] != '\0';
    for (const char *end = said; (end = strchr(end, '\n')) != NULL; end++)
        count++;
    session_say(&gate->session, "%zu file%s of %s %s changed since %s\n", count,
                count == 1 ? "" : "s", folder, count == 1 ? "has" : "have", revision);
    for (char *name = strtok(said, "\n"); name != NULL; name = strtok(NULL, "\n"))
        add_changed(gate, name);
    return true;
}

/* Returns whether a kernel file was deleted or renamed. Its kernels are gone as well. */
static bool is_gone(const char *family)
{
    char folder[USER_PATH], path[USER_PATH + 132];

    installation_data("kernels", folder, sizeof folder);
    snprintf(path, sizeof path, "%s/%.127s.cu", folder, family);
    return access(path, F_OK) != 0;
}

/* Returns whether a kernel file is gone, and takes that for other programs. */
static bool is_reported_gone(struct gate *gate, const char *family)
{
    const struct session *session = &gate->session;
    struct check_record check = {.kind = CHECKED_RUN,
                                 .kernel = family,
                                 .compiler = session->compiler,
                                 .result = RESULT_FAIL};
    char path[USER_PATH];
    const char *const paths[] = {path};

    if (!is_gone(family))
        return false;
    snprintf(path, sizeof path, "%.127s.cu", family);
    check_take_launch(&gate->request->check, paths, 1, session);
    check.verdict = verdict_name(VERDICT_MISMATCH);
    check_add_finding(session, &check, check.verdict,
                      "the file no longer exists, but the catalogue has kernels from it", NULL,
                      NULL);
    findings_add_check(&session->sinks->findings, &check);
    findings_end_launch(&session->sinks->findings, EXIT_DIFFERS);
    return true;
}

static int gate_catalogue(struct gate *gate)
{
    int status = EXIT_CONFORMS;

    if (gate->request->check.case_id != NULL)
        return replay_edited(gate);
    if (!find_changed(gate))
        return EXIT_USAGE;
    for (size_t f = 0; f < gate->family_count && !interrupt_came(); f++)
        status = session_worse(status, is_reported_gone(gate, gate->families[f])
                                           ? EXIT_DIFFERS
                                           : check_in_time(gate, f));
    return status;
}

/* ---- A user's launch ---- */

static int gate_launch(struct gate *gate)
{
    const struct check_request *request = &gate->request->check;
    struct launch_catalogue catalogue;
    const char *symbol = NULL;
    char error[512] = "";
    int status = EXIT_USAGE;

    if (!user_launch_read(request->launch, &request->rows.selection.cases.size_names,
                          &gate->before.code.launch))
        return EXIT_USAGE;
    gate->after.code.launch = gate->before.code.launch;
    if (request->case_id != NULL)
        return check_launch(request, &gate->session);
    if (build_sides(gate, &request->files, false) &&
        (symbol = entries_symbol(&gate->after.entries, gate->after.code.launch.calls[0].symbol)) !=
            NULL &&
        launch_catalogue_make(&gate->after.code.launch, &catalogue, error, sizeof error)) {
        status = check_launch_begin(request, &gate->session);
        gate->is_bounded = gate->session.sinks->bound.is_bounded;
        gate->session.limits.floats = FLOATS_OF_PTX; /* costs are those of the real values */
        if (!interrupt_came())
            status = session_worse(status,
                                   compare_variant(gate, &catalogue.row->variant, symbol,
                                                   gate->before.code.list, gate->after.code.list));
        findings_end_launch(&gate->session.sinks->findings, status);
        launch_catalogue_free(&catalogue);
    } else if (error[0] != '\0')
        error_report("%s", error);
    status = build_status(gate, status);
    remove_sides(gate);
    return status;
}

/* ---- The check ---- */

static bool open_compilers(struct gate *gate)
{
    const struct compiler_paths *paths = &gate->request->check.compilers;
    char error[512];

    return (compiler_list_open(&paths->nvcc, "nvcc", 0, &gate->nvcc, error, sizeof error) &&
            compiler_list_open(&paths->ptxas, "ptxas", 0, &gate->ptxas, error, sizeof error)) ||
           (!interrupt_came() && error_report("%s", error));
}

/* Prints the verdict on the catalogue, or that there is none. That on a launch was printed. */
static void print_verdict(const struct gate *gate, int status)
{
    findings_print_verdict(&gate->session.sinks->findings, "gate", status, gate->is_bounded,
                           status != EXIT_CONFORMS ? ""
                           : gate->family_count == 0
                               ? "no kernel has changed, so nothing was checked"
                           : gate->unchecked > 0 ? "some changed files are not checked"
                           : gate->is_bounded    ? "--minutes left something out"
                                                 : "");
}

int gate_check(const struct gate_request *request, const struct session *session)
{
    struct memory memory = {NULL};
    struct gate *gate;
    int status = EXIT_ENVIRONMENT;

    interrupt_catch();
    if (!revision_is_no_option(request->revision))
        return EXIT_USAGE;
    gate = memory_take(&memory, sizeof *gate);
    gate->request = request;
    gate->session = *session;
    gate->session.compiler = front_end_names[FRONT_END_NVCC];
    if (!open_compilers(gate)) {
        status = session_interrupted(status);
    } else {
        status = request->check.launch == NULL ? gate_catalogue(gate) : gate_launch(gate);
        status = session_interrupted(status);
        if (request->check.case_id == NULL &&
            (request->check.launch == NULL || !findings_has_verdict(&session->sinks->findings)))
            print_verdict(gate, status);
    }
    memory_free(&memory);
    return status;
}
