/* SPDX-License-Identifier: MIT
 *
 * `gate`: may an edit of kernels go in? Of the files that have changed since a revision, the
 * kernels whose machine code is another one are held to what the catalogue, or the old code, says
 * of them; and what they cost is held to what they cost before.
 */
#include "build.h"
#include "command.h"
#include "complain.h"
#include "entry.h"
#include "installation.h"
#include "interrupt.h"
#include "launch_catalogue.h"
#include "machine_code.h"
#include "old_code.h"
#include "session.h"
#include "supervisor.h"
#include "token.h"
#include "tool.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct command run_command, races_command, replay_command, check_command;

enum { MOST_CHANGED = 64, MOST_SIZE = 1 << 16 };

/* The code before the edit, or after it. */
struct side {
    struct user_code code;
    struct kernel_code *kernels;
    size_t kernel_count;
    struct entries entries; /* of its PTX */
};

struct gate {
    const struct options *options;
    const char *revision;
    struct compiler nvcc, ptxas;
    struct side before, after;
    struct user_files old;
    char families[MOST_CHANGED][128]; /* of the catalogue's files that have changed */
    size_t family_count;
    size_t unheld; /* files that have changed, and are no kernels of it */
};

/* ---- Building ---- */

static bool assemble(struct gate *gate, struct side *side)
{
    char cubin[USER_PATH], said[65536], error[4096];
    const char *architecture =
        gate->options->architecture != NULL ? gate->options->architecture : "sm_90";

    snprintf(cubin, sizeof cubin, "%s/launch.cubin", side->code.folder);
    if (!build_relocatable(&gate->ptxas, architecture, side->code.ptx, cubin, said, sizeof said,
                           error, sizeof error) ||
        !machine_code_read(cubin, &side->kernels, &side->kernel_count, error, sizeof error))
        return complain("%s", error);
    machine_code_spills(said, side->kernels, side->kernel_count);
    return entries_open(side->code.ptx, &side->entries, error, sizeof error) ||
           complain("%s", error);
}

/* A file of the catalogue's kernels, with the source's lines. */
static bool build_family(struct gate *gate, struct side *side, const struct user_files *files)
{
    char error[4096];

    return (build_user_ptx(&gate->nvcc, files->flags, files->flag_count, files->path[0],
                           side->code.ptx, error, sizeof error) &&
            build_host_code(side->code.ptx, false, side->code.object, error, sizeof error)) ||
           complain("%s", error);
}

static bool build_sides(struct gate *gate, const struct user_files *files, bool is_catalogue)
{
    char folder[USER_PATH];
    struct side *before = &gate->before, *after = &gate->after;

    before->code.engine = after->code.engine = ENGINE_PTX;
    if (!user_code_start(&before->code) || !user_code_start(&after->code))
        return false;
    snprintf(folder, sizeof folder, "%s/old", before->code.folder);
    if (!old_files_take(gate->revision, folder, files, &gate->old))
        return false;
    if (is_catalogue ? !build_family(gate, before, &gate->old) || !build_family(gate, after, files)
                     : !user_code_build(&before->code, gate->options, &gate->old) ||
                           !user_code_build(&after->code, gate->options, files))
        return false;
    return assemble(gate, before) && assemble(gate, after);
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

/* Is that function's machine code another one on the other side, or does it not exist there? */
static bool is_changed(const struct kernel_code *code, const struct side *other)
{
    const struct kernel_code *its = find_code(other, code->name);

    return its == NULL || its->digest != code->digest;
}

/* Has one of this side's functions that are no kernels changed? Kernels may call any. */
static bool is_function_changed(const struct side *side, const struct side *other)
{
    for (size_t k = 0; k < side->kernel_count; k++)
        if (!entries_has_kernel(&side->entries, side->kernels[k].name) &&
            is_changed(&side->kernels[k], other))
            return true;
    return false;
}

/* What any kernel may call or read. */
static bool is_common_changed(const struct gate *gate)
{
    return is_function_changed(&gate->after, &gate->before) ||
           is_function_changed(&gate->before, &gate->after) ||
           !entries_same_variables(&gate->before.entries, &gate->after.entries);
}

/* Is one of this side's kernels that the variant launches another one on the other side, or gone?
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

struct cost {
    bool known;
    uint64_t instructions, transactions;
};

static enum engine_status measure(const struct options *options, const struct user_code *code,
                                  const char *launches, const struct test_case *test,
                                  struct cost *cost, char *reason, size_t reason_size)
{
    struct options own = *options;
    struct supervisor *supervisor;
    static struct engine_counters counters;
    struct outcome outcome;
    enum engine_status status;

    own.code[ENGINE_PTX] = (struct code_files){code->object, launches};
    status = session_start(&own, ENGINE_PTX, REQUEST_RUN, &supervisor, reason, reason_size);
    if (status != ENGINE_OK)
        return status;
    status = supervisor_count(supervisor, test, &outcome, &counters, reason, reason_size);
    session_close(supervisor);
    *cost = (struct cost){.known = status == ENGINE_OK && outcome.kind != OUTCOME_FAULT};
    for (int c = 0; c < SIMT_CLASSES; c++)
        cost->instructions += counters.all.instructions[c];
    cost->transactions = counters.all.access[0].sectors + counters.all.access[1].sectors;
    return status;
}

/* A large shape inside the variant's domain, but none that takes long if there is another. */
static bool choose_case(const struct options *options, const struct variant *variant,
                        struct test_case *test)
{
    struct plan_request request = options->selection.cases;
    struct plan plan;
    uint64_t largest = 0;
    bool found = false;

    request.models[MODEL_LOCKSTEP] = true;
    if (!plan_make(&request, variant, true, 0, &plan))
        return false;
    plan_keep_inside(&plan);
    for (size_t k = 0; k < plan.shape_count; k++) {
        uint64_t elements = shape_elements(&plan.shapes[k].shape);
        bool is_large = elements > MOST_SIZE;
        if (found && (is_large ? elements > largest : elements < largest && largest <= MOST_SIZE))
            continue;
        plan_case(&plan, plan.shapes[k].first, test);
        largest = elements;
        found = true;
    }
    plan_free(&plan);
    test->values = (struct values){VALUES_ONES, 0};
    test->model = MODEL_LOCKSTEP;
    test->schedule = (struct schedule){SCHEDULE_SEQUENTIAL, 0, {0}};
    return found;
}

static double growth(uint64_t before, uint64_t after)
{
    return before == 0 ? (after > 0) * 100.0 : 100.0 * ((double)after / (double)before - 1);
}

/* One line of what the variant costs; is that as much as is allowed? */
static bool compare_costs(const struct options *options, const struct variant *variant,
                          const struct test_case *test, const struct cost *before,
                          const struct cost *after, const struct kernel_code *old_code,
                          const struct kernel_code *code)
{
    char block[WORD_SIZE], size[WORD_SIZE];
    double instructions = growth(before->instructions, after->instructions),
           transactions = growth(before->transactions, after->transactions);
    bool good = true;

    block_format(&test->shape.block, block);
    size_format(&test->shape, size);
    printf("%s %s, block %s, size %s:", variant->id, form_name(variant->form), block, size);
    if (before->known && after->known) {
        printf(" instructions %" PRIu64 " to %" PRIu64 " (%+.1f %%), transactions %" PRIu64
               " to %" PRIu64 " (%+.1f %%)",
               before->instructions, after->instructions, instructions, before->transactions,
               after->transactions, transactions);
        good = instructions <= (double)options->allow_instructions &&
               transactions <= (double)options->allow_transactions;
    } else {
        printf(" not counted, for it fails");
        good = !before->known;
    }
    if (code != NULL && old_code != NULL)
        printf(", registers %u to %u, spills %u to %u bytes", old_code->registers, code->registers,
               old_code->spill_store_bytes, code->spill_store_bytes);
    printf("%s\n", good ? "" : ": MORE than --allow says");
    return good;
}

static int compare_variant(struct gate *gate, const struct variant *variant, const char *symbol,
                           const char *before_launches, const char *after_launches)
{
    const struct options *options = gate->options;
    struct cost before, after;
    struct test_case test;
    char reason[512];
    enum engine_status status;

    if (!choose_case(options, variant, &test)) {
        complain("%s: no size is left at which to compare what it costs", variant->id);
        return EXIT_UNAVAILABLE;
    }
    status = measure(options, &gate->before.code, before_launches, &test, &before, reason,
                     sizeof reason);
    if (status == ENGINE_OK)
        status = measure(options, &gate->after.code, after_launches, &test, &after, reason,
                         sizeof reason);
    if (status != ENGINE_OK)
        return session_failed(options, ENGINE_PTX, status, reason);
    return compare_costs(options, variant, &test, &before, &after, find_code(&gate->before, symbol),
                         find_code(&gate->after, symbol))
               ? EXIT_CONFORMS
               : EXIT_DIFFERS;
}

/* ---- The catalogue's kernels ---- */

/* Selects the variants of a family whose kernels have changed; how many there are. */
static size_t select_changed(const struct gate *gate, const struct catalogue *catalogue,
                             const char *family, const struct variant **changed)
{
    bool is_common = is_common_changed(gate);
    size_t count = 0;

    for (size_t v = 0; v < catalogue->count && count < MOST_CHANGED; v++) {
        const struct variant *variant = &catalogue->variants[v];
        if (strcmp(variant->family, family) == 0 && variant->kernel != NULL &&
            (has_changed(&gate->after, &gate->before, variant, is_common) ||
             has_changed(&gate->before, &gate->after, variant, is_common)))
            changed[count++] = variant;
    }
    return count;
}

static int hold_variants(struct gate *gate, const struct catalogue *catalogue,
                         const struct variant **changed, size_t count)
{
    struct options own = *gate->options;
    int status;

    own.selection.glob_count = 0;
    for (size_t k = 0; k < count; k++)
        if (k == 0 || strcmp(changed[k]->id, changed[k - 1]->id) != 0)
            own.selection.globs[own.selection.glob_count++] = changed[k]->id;
    own.code[ENGINE_PTX] = (struct code_files){gate->after.code.object, ""};
    own.engines[0] = &engine_kinds[ENGINE_PTX];
    own.engine_count = 1;
    status = run_command.run(&own, catalogue);
    if (!interrupt_came())
        status = session_worse(status, races_command.run(&own, catalogue));
    for (size_t k = 0; k < count && !interrupt_came(); k++) {
        char symbol[512] = "";
        entries_symbol(&gate->after.entries, changed[k]->kernel, symbol);
        status = session_worse(status, compare_variant(gate, changed[k], symbol, "", ""));
    }
    return status;
}

static bool build_catalogue_sides(struct gate *gate, const char *family)
{
    char folder[USER_PATH - 160], path[USER_PATH], include[USER_PATH];
    const char *const paths[] = {path};
    const char *flags[KERNEL_FLAGS + 1];
    const struct user_files files = {paths, 1, flags, KERNEL_FLAGS + 1};

    memcpy(flags, kernel_flags, sizeof kernel_flags);
    flags[KERNEL_FLAGS] = include;
    installation_data("include", include, sizeof include);
    installation_data("kernels", folder, sizeof folder);
    snprintf(path, sizeof path, "%s/%.127s.cu", folder, family);
    return build_sides(gate, &files, true);
}

static int hold_family(struct gate *gate, const struct catalogue *catalogue, const char *family)
{
    const struct variant *changed[MOST_CHANGED];
    int status = EXIT_CONFORMS;
    size_t count;

    if (!build_catalogue_sides(gate, family)) {
        remove_sides(gate);
        return EXIT_USAGE;
    }
    count = select_changed(gate, catalogue, family, changed);
    printf("%s.cu: %zu rows of the catalogue have other machine code than in %s\n", family, count,
           gate->revision);
    fflush(stdout);
    if (count > 0)
        status = hold_variants(gate, catalogue, changed, count);
    remove_sides(gate);
    return status;
}

/* The case of --token by the kernel as it is edited. */
static int replay_edited(struct gate *gate, const struct catalogue *catalogue)
{
    struct options own = *gate->options;
    const struct engine_kind *engine;
    struct test_case test;
    char reason[512];
    int status = EXIT_USAGE;

    if (!token_parse(own.token, catalogue, &test, &engine, reason, sizeof reason)) {
        complain("%s", reason);
    } else if (engine->id != ENGINE_PTX) {
        complain("the token is of the engine %s: gate runs those of ptx", engine->name);
    } else if (build_catalogue_sides(gate, test.variant->family)) {
        own.code[ENGINE_PTX] = (struct code_files){gate->after.code.object, ""};
        status = replay_command.run(&own, catalogue);
    }
    remove_sides(gate);
    return status;
}

/* What git says to these words; false when it refuses. */
static bool ask_git(const char *folder, const char *const words[4], char *said, size_t size)
{
    const char *const git[] = {"git", "-C", folder, words[0], words[1], words[2], words[3], NULL};
    bool good = tool_run(git, said, size) == 0;

    said[strlen(said) - (said[0] != '\0' && said[strlen(said) - 1] == '\n')] = '\0';
    return good;
}

/* Does git keep that folder, and is the repository here no other one? */
static bool is_kept(const char *folder, const char *revision)
{
    char kept[65536], here[USER_PATH], there[USER_PATH];
    const char *const top[4] = {"rev-parse", "--show-toplevel", NULL};

    if (!ask_git(folder, (const char *const[4]){"ls-files", NULL}, kept, sizeof kept))
        return complain("%s: git says '%.*s': gate takes a revision of the repository that has the "
                        "catalogue's kernels",
                        revision, (int)strcspn(kept, "\n"), kept);
    if (kept[0] == '\0')
        return complain("%s: the catalogue's kernels, in %s, are not kept by git: gate takes a "
                        "revision alone in a tree of simtcheck, and one with files and a launch "
                        "elsewhere",
                        revision, folder);
    if (ask_git(".", top, here, sizeof here) && ask_git(folder, top, there, sizeof there) &&
        strcmp(here, there) != 0)
        return complain("%s: the repository here is %s, and that of the catalogue's kernels %s: "
                        "start gate there, or give files and a launch",
                        revision, here, there);
    return true;
}

/* Of a line "reduce.cu" that git has: a file of the catalogue. A header is in all of them. What is
 * neither holds no kernel's code. */
static void add_changed(struct gate *gate, const struct catalogue *catalogue, const char *name)
{
    const char *end = strrchr(name, '.');
    bool is_header = end != NULL && strcmp(end, ".h") == 0 && strchr(name, '/') == NULL;
    bool is_held = is_header;

    for (size_t v = 0; v < catalogue->count; v++) {
        const char *family = catalogue->variants[v].family;
        bool is_own = end != NULL && strcmp(end, ".cu") == 0 &&
                      strlen(family) == (size_t)(end - name) &&
                      strncmp(family, name, strlen(family)) == 0;
        bool known = false;
        for (size_t f = 0; f < gate->family_count; f++)
            known = known || strcmp(gate->families[f], family) == 0;
        if ((is_own || is_header) && !known && gate->family_count < MOST_CHANGED)
            snprintf(gate->families[gate->family_count++], sizeof gate->families[0], "%s", family);
        is_held = is_held || is_own;
    }
    if (!is_held)
        printf("%s has changed, and is not held to anything: it is no kernel of the catalogue\n",
               name);
    gate->unheld += !is_held;
}

static bool find_changed(struct gate *gate, const struct catalogue *catalogue)
{
    char folder[USER_PATH], said[65536];
    const char *const git[] = {"git",        "-C",           folder,         "diff", "--name-only",
                               "--relative", "--no-renames", gate->revision, "--",   ".",
                               NULL};
    size_t count = 0;

    installation_data("kernels", folder, sizeof folder);
    if (!is_kept(folder, gate->revision))
        return false;
    if (tool_run(git, said, sizeof said) != 0)
        return complain("%s: git says '%.*s': gate takes a revision of the repository that has the "
                        "catalogue's kernels",
                        gate->revision, (int)strcspn(said, "\n"), said);
    for (const char *end = strchr(said, '\n'); end != NULL; end = strchr(end + 1, '\n'))
        count++;
    printf("%zu file%s of %s %s changed since %s\n", count, count == 1 ? "" : "s", folder,
           count == 1 ? "has" : "have", gate->revision);
    for (char *name = strtok(said, "\n"); name != NULL; name = strtok(NULL, "\n"))
        add_changed(gate, catalogue, name);
    return true;
}

/* A file that is gone, perhaps to another name, has taken its kernels along. */
static bool is_gone(const char *family)
{
    char folder[USER_PATH], path[USER_PATH + 132];

    installation_data("kernels", folder, sizeof folder);
    snprintf(path, sizeof path, "%s/%.127s.cu", folder, family);
    if (access(path, F_OK) == 0)
        return false;
    printf("%s.cu is gone, and the catalogue has kernels of it\n", family);
    return true;
}

static int gate_catalogue(struct gate *gate, const struct catalogue *catalogue)
{
    int status = EXIT_CONFORMS;

    session_replay_by(gate->options);
    if (gate->options->token != NULL)
        return replay_edited(gate, catalogue);
    if (!find_changed(gate, catalogue))
        return EXIT_USAGE;
    for (size_t f = 0; f < gate->family_count && !interrupt_came(); f++)
        status = session_worse(status, is_gone(gate->families[f])
                                           ? EXIT_DIFFERS
                                           : hold_family(gate, catalogue, gate->families[f]));
    return status;
}

/* ---- A user's launch ---- */

static int gate_launch(struct gate *gate)
{
    const struct options *options = gate->options;
    const char *text = options->files[options->file_count - 1];
    const struct user_files files = {options->files + 1, options->file_count - 2, options->flags,
                                     options->flag_count};
    struct options own = *options;
    struct launch_catalogue catalogue;
    char against[256], error[512] = "", symbol[512] = "";
    int status = EXIT_USAGE;

    if (!user_launch_read(text, &gate->before.code.launch))
        return EXIT_USAGE;
    gate->after.code.launch = gate->before.code.launch;
    snprintf(against, sizeof against, "git:%s", gate->revision);
    own.command = &check_command;
    own.files++;
    own.file_count--;
    own.against = against;
    if (own.token != NULL)
        return check_command.run(&own, NULL);
    if (build_sides(gate, &files, false) &&
        entries_symbol(&gate->after.entries, "launch0", symbol) &&
        launch_catalogue_make(&gate->after.code.launch, &catalogue, error, sizeof error)) {
        status = check_command.run(&own, NULL);
        if (!interrupt_came())
            status = session_worse(status,
                                   compare_variant(gate, &catalogue.row->variant, symbol,
                                                   gate->before.code.list, gate->after.code.list));
        launch_catalogue_free(&catalogue);
    } else if (error[0] != '\0')
        complain("%s", error);
    remove_sides(gate);
    return status;
}

/* ---- The command ---- */

static int gate(const struct options *options, const struct catalogue *catalogue)
{
    static struct gate gate;
    char error[512];
    int status;

    gate = (struct gate){.options = options, .revision = options->files[0]};
    if (options->file_count == 2) {
        complain("gate takes a revision alone, or one, files and a launch");
        return EXIT_USAGE;
    }
    interrupt_catch();
    if (!compiler_open(options->nvcc_count > 0 ? options->nvcc[0] : "nvcc", "nvcc", &gate.nvcc,
                       error, sizeof error) ||
        !compiler_open(options->ptxas_count > 0 ? options->ptxas[0] : "ptxas", "ptxas", &gate.ptxas,
                       error, sizeof error)) {
        if (!interrupt_came())
            complain("%s", error);
        return session_interrupted(EXIT_ENVIRONMENT);
    }
    status = options->file_count == 1 ? gate_catalogue(&gate, catalogue) : gate_launch(&gate);
    status = session_interrupted(status);
    if (options->token != NULL)
        return status;
    printf("gate: %s\n", status == EXIT_DIFFERS    ? "the edit does harm"
                         : status != EXIT_CONFORMS ? "no verdict"
                         : options->file_count == 1 && gate.family_count == 0
                             ? "no kernel is edited, and none was held to anything"
                         : gate.unheld > 0 ? "the edit may go in, but for what is not held"
                                           : "the edit may go in");
    return status;
}

const struct command gate_command = {
    .name = "gate",
    .arguments = "REVISION [FILE.cu ... LAUNCH]",
    .help = "may an edit go in? What has changed since a revision of git of the\n"
            "catalogue's kernels, or of files of your own, held to their oracles, or\n"
            "to the old code; and what they cost, to what they cost before",
    .takes_files = true,
    .takes_flags = true,
    .files = "a revision, and of files of your own these and a launch",
    .least_files = 1,
    .most_files = 18,
    .run = gate,
};
