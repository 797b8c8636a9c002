/* SPDX-License-Identifier: MIT
 *
 * Edits of the wait in every row of the catalogue that launches, on the simulator. A waiting row
 * fails without its wait, with the wait before the launch, with a wait by a thread that need not
 * come after the launch, and without the barrier that makes the block wait. A row that does not
 * wait fails with a wait. Arguments: a command that compiles kernels to PTX.
 */
#include "check.h"

#include "case.h"
#include "checker.h"

#include <ctype.h>
#include <unistd.h>

#define WAIT "cudaDeviceSynchronize();"
#define BARRIER "__syncthreads();"

enum { MAX_COPIES = 64, MAX_KERNEL = 4096 };

/* An edited copy of a row's kernel. */
static struct copy {
    struct variant variant;
    char kernel[96];
    int line;         /* of the launch, or of a wait where none may be */
    const char *says; /* null: it passes */
} copies[MAX_COPIES];
static size_t copy_count;

static char *texts, *source; /* the catalogue's files, and the file of the copies */
static size_t source_size;
static FILE *to;
static const char *const *command;
static struct checker *checker;
static bool has_lines = true;

/* ---- Edits ---- */

/* Replaces the last `from` of the text, which must have one. */
static void put(char text[MAX_KERNEL], const char *from, const char *with)
{
    char *at = NULL, rest[MAX_KERNEL];

    for (char *next = strstr(text, from); next != NULL; next = strstr(next + 1, from))
        at = next;
    if (at == NULL)
        fail_msg("no '%s' in %s", from, text);
    snprintf(rest, sizeof rest, "%s", at + strlen(from));
    snprintf(at, MAX_KERNEL - (size_t)(at - text), "%s%s", with, rest);
}

/* Gives `name` a suffix wherever it stands as a word. */
static void rename_kernel(char text[MAX_KERNEL], const char *name, const char *with)
{
    char result[MAX_KERNEL] = "", *to_here = result;
    size_t length = strlen(name);

    for (const char *at = text; *at != '\0';) {
        if (strncmp(at, name, length) == 0 && !isalnum((unsigned char)at[length]))
            to_here += sprintf(to_here, "%s", with), at += length;
        else
            *to_here++ = *at++;
    }
    *to_here = '\0';
    strcpy(text, result);
}

static int count_lines(const char *from, const char *end)
{
    int lines = 0;

    while (from < end)
        lines += *from++ == '\n';
    return lines;
}

static void invoke_unprinted(const struct variant *variant, const struct shape *shape,
                             struct invocation *out)
{
    catalogue_find(&simtcheck_catalogue, variant->id, variant->kind)->invoke(variant, shape, out);
    if (out->prints) /* the last argument asks for it */
        out->arguments[out->argument_count - 1] = (struct argument){ARGUMENT_VALUE, 0};
    out->prints = false;
}

/* Writes the kernel with its edit. `says` begins what a failure says after the line. */
static void add_copy(const struct variant *variant, char text[MAX_KERNEL], const char *edit,
                     const char *says)
{
    struct copy *copy = &copies[copy_count++];

    assert_true(copy_count < MAX_COPIES);
    *copy = (struct copy){.variant = *variant, .says = says};
    snprintf(copy->kernel, sizeof copy->kernel, "%s_%s%zu", variant->kernel, edit, copy_count);
    rename_kernel(text, variant->kernel, copy->kernel);
    copy->variant.kernel = copy->kernel;
    copy->variant.invoke = invoke_unprinted;
    fflush(to);
    copy->line = 1 + count_lines(source, source + source_size) +
                 count_lines(text, strstr(text, variant->waits != WAITS_NEVER ? "LAUNCH(" : WAIT));
    fprintf(to, "%s\nEXPORT_KERNEL(%s);\n", text, copy->kernel);
}

/* Copies the text of a kernel. */
static void take(const struct variant *variant, char text[MAX_KERNEL])
{
    char head[96];
    const char *from, *end;

    snprintf(head, sizeof head, "__global__ void %s(", variant->kernel);
    from = strstr(texts, head);
    assert_non_null(from);
    end = strstr(from, "\n}\n");
    snprintf(text, MAX_KERNEL, "%.*s\n}\n", (int)(end - from), from);
}

/* Where only thread 0 is left before the launch, lets the other threads come along. */
static void keep_threads(const struct variant *variant, char text[MAX_KERNEL])
{
    if (strcmp(variant->kernel, "nestedHelloWorldWaitCorrected") != 0)
        return;
    put(text, " || threadIdx.x != 0)", ")");
    put(text, "LAUNCH(", "if (threadIdx.x == 0) { LAUNCH(");
    put(text, "\n}\n", "}\n}\n");
}

static void add_waiting(const struct variant *variant)
{
    static const char alone[] = "launch without a wait";
    char text[MAX_KERNEL];

    take(variant, text);
    add_copy(variant, text, "same", NULL);
    take(variant, text);
    put(text, WAIT, "");
    add_copy(variant, text, "deleted", alone);
    take(variant, text);
    put(text, WAIT, "");
    put(text, "LAUNCH(", WAIT " LAUNCH(");
    add_copy(variant, text, "before", alone);
    for (int barrier = 0; barrier < 2; barrier++) {
        take(variant, text);
        keep_threads(variant, text);
        put(text, WAIT,
            barrier ? "} " BARRIER " if (threadIdx.x == blockDim.x - 1) " WAIT " " BARRIER
                      " if (threadIdx.x == 0) {"
                    : "} if (threadIdx.x == blockDim.x - 1) " WAIT " " BARRIER
                      " if (threadIdx.x == 0) {");
        add_copy(variant, text, "other", barrier ? NULL : alone);
    }
    if (variant->waits != WAITS_BLOCK)
        return;
    take(variant, text);
    put(text, BARRIER, "");
    add_copy(variant, text, "alone", "no barrier after the wait");
}

static void add_nosync(const struct variant *variant)
{
    char text[MAX_KERNEL], launch[512];
    const char *from;

    take(variant, text);
    if (variant->known_defect == NULL)
        add_copy(variant, text, "same", NULL);
    take(variant, text);
    from = strstr(text, "LAUNCH(");
    snprintf(launch, sizeof launch, "%.*s;", (int)strcspn(from, ";"), from);
    put(text, launch, "{ LAUNCH_AND_WAIT }");
    put(text, "_AND_WAIT", launch + strlen("LAUNCH"));
    put(text, " }", " " WAIT " }");
    add_copy(variant, text, "waits", "a wait for children");
}

/* ---- Running ---- */

static bool open_checker(void)
{
    const struct engine_limits limits = {.deadline_seconds = 30};
    char reason[256];

    return checker_open(&limits, &checker, reason, sizeof reason) == ENGINE_OK;
}

static void run(const struct copy *copy, const struct test_case *test)
{
    struct outcome outcome;
    char text[OUTCOME_TEXT], says[96];

    assert_int_equal(checker_run(checker, test, 1, false, &outcome), ENGINE_OK);
    outcome_text(&outcome, text, sizeof text);
    if (copy->says == NULL) {
        if (outcome.kind != OUTCOME_PASS)
            fail_msg("%s: %s", copy->kernel, text);
        return;
    }
    if (has_lines)
        snprintf(says, sizeof says, "waits.cu:%d, %s: expected", copy->line, copy->says);
    else
        snprintf(says, sizeof says, ", %s: expected", copy->says);
    if (outcome.kind != OUTCOME_MISMATCH ||
        strncmp(has_lines ? text : text + strcspn(text, ","), says, strlen(says)) != 0)
        fail_msg("%s: '%s', not '%s...'", copy->kernel, text, says);
}

/* Runs the cases of a copy inside its row's domain. */
static size_t run_copy(const struct copy *copy)
{
    static const struct schedule schedules[] = {{.kind = SCHEDULE_SEQUENTIAL},
                                                {.kind = SCHEDULE_REVERSE}};
    const struct variant *variant = &copy->variant;
    bool is_tree = variant->sizes == SIZES_TREE;
    struct test_case test = {.variant = variant,
                             .shape = {.block = {8, 1, 1},
                                       .size = {is_tree ? 2 : 16, is_tree ? 8 : 1},
                                       .depth = variant_deepest(variant) > 0 ? 3 : 0},
                             .values = {VALUES_HASH, 1}};
    size_t count = 0;

    if (strncmp(variant->id, "gpuRecursiveReduce2", 19) == 0)
        test.shape.size[0] = 8;
    assert_int_equal(variant_violations(variant, &test.shape), 0);
    for (int p = 0; p < 2; p++)
        for (int m = 0; m < MODELS; m++)
            for (int s = 0; s < 2; s++) {
                test.profile = p == 0 ? PROFILE_CDP1 : PROFILE_CDP2;
                test.model = (enum model)m;
                test.schedule = schedules[s];
                if ((p == 0 && variant->need == NEEDS_TAIL_LAUNCH) ||
                    (p == 1 && variant->need == NEEDS_DEVICE_WAIT))
                    continue;
                run(copy, &test);
                count++;
            }
    return count;
}

TEST(every_launching_row_notices_its_edits)
{
    size_t cases = 0;

    for (size_t c = 0; c < copy_count; c++)
        cases += run_copy(&copies[c]);
    print_message("%zu copies, %zu cases\n", copy_count, cases);
    assert_true(copy_count > 40);
}

/* Lines are only for the message: the same edits fail in code without them. */
TEST(edits_are_noticed_without_line_information)
{
    char *text = text_read(in_folder("waits.ptx")), *line = text, reason[256];
    FILE *without;

    text_write(in_folder("bare.ptx"), "");
    without = fopen(in_folder("bare.ptx"), "w");
    for (char *next; (next = strchr(line, '\n')) != NULL; line = next + 1)
        if (strncmp(line, "\t.loc\t", 6) != 0)
            fwrite(line, 1, (size_t)(next - line) + 1, without);
    fclose(without);
    free(text);
    if (!engine_load(in_folder("bare.ptx"), reason, sizeof reason))
        fail_msg("%s", reason);
    has_lines = false;
    for (size_t c = 0; c < copy_count; c++)
        run_copy(&copies[c]);
}

/* ---- Compiling ---- */

/* Reads the kernels' files. Returns how many bytes come before the first kernel. */
static int read_kernels(void)
{
    static const char *const names[] = {"nested_hello.cu", "nested_reduce.cu"};
    size_t size;
    FILE *all = open_memstream(&texts, &size);
    int helpers = 0;

    for (int f = 0; f < 2; f++) {
        char path[512], *text;
        snprintf(path, sizeof path, KERNELS "/%s", names[f]);
        text = text_read(path);
        helpers = f == 0 ? (int)(strstr(text, "/* Every thread says hello.") - text) : helpers;
        fputs(text, all);
        free(text);
    }
    fclose(all);
    return helpers;
}

static int compile_copies(void **state)
{
    const struct catalogue *catalogue = &simtcheck_catalogue;
    const char *arguments[64] = {NULL};
    char reason[256];
    struct ended ended;
    size_t count = 0;
    int helpers = read_kernels();

    if (folder_make(state) != 0)
        return -1;
    to = open_memstream(&source, &source_size);
    fprintf(to, "%.*s", helpers, texts);
    for (size_t v = 0; v < catalogue->count; v++)
        if (catalogue->variants[v].launches != LAUNCHES_NOTHING)
            (catalogue->variants[v].waits != WAITS_NEVER ? add_waiting
                                                         : add_nosync)(&catalogue->variants[v]);
    fclose(to);
    while (command[count] != NULL)
        count++;
    assert_true(count + 3 < sizeof arguments / sizeof *arguments);
    memcpy(arguments, command, count * sizeof *arguments);
    arguments[count++] = text_write(in_folder("waits.cu"), source);
    arguments[count++] = "-o";
    arguments[count++] = in_folder("waits.ptx");
    ended = program_run(arguments);
    expect_ended(ended, 0, "");
    return open_checker() && engine_load(in_folder("waits.ptx"), reason, sizeof reason) ? 0 : -1;
}

static int close_copies(void **state)
{
    checker_close(checker);
    free(source);
    free(texts);
    return folder_remove(state);
}

int main(int argc, char **argv)
{
    (void)argc;
    command = (const char *const *)argv + 1;
    return tests_run("waits", compile_copies, close_copies);
}
