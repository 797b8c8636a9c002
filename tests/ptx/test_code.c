/* SPDX-License-Identifier: MIT
 *
 * nvcc's code for the reductions: what the textbooks say about compiled code, checked in the PTX
 * and in instruction counts on the simulator. Argument: the ptx_folder of the catalogue's PTX.
 */
#include "check.h"

#include "module.h"

static const char *ptx_folder;

/* ---- The PTX itself ---- */

struct contents {
    unsigned int loads, stores, volatile_loads, volatile_stores, branches, barriers;
    unsigned int together; /* independent loads in one basic block */
};

static struct module module;

/* Reads the module of a family of kernels. */
static void read_module(const char *family)
{
    char path[4096], error[512], *text = NULL;
    FILE *file;
    long size;

    snprintf(path, sizeof path, "%s/%s.ptx", ptx_folder, family);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size = ftell(file);
    rewind(file);
    text = malloc((size_t)size);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    if (!module_parse(&module, path, text, (size_t)size, error, sizeof error))
        fail_msg("%s", error);
    free(text);
}

/* Returns the entry of a kernel of the catalogue. */
static const struct function *entry_of(const char *kernel)
{
    char name[96];

    snprintf(name, sizeof name, "simt_entry_%s", kernel);
    for (size_t v = 0; v < module.variable_count; v++)
        if (strcmp(module.variables[v]->name, name) == 0)
            return module_function(&module, module.variables[v]->relocations[0].symbol);
    fail_msg("there is no %s", name);
    return NULL;
}

static bool begins(const struct instruction *instruction, const char *opcode)
{
    return strncmp(instruction->opcode, opcode, strlen(opcode)) == 0;
}

/* Returns true if the instruction reads a register that depends on a load. */
static bool depends(const struct instruction *instruction, const bool *loaded)
{
    for (size_t o = 1; o < instruction->operand_count; o++)
        if (instruction->operands[o].reg != NULL && loaded[instruction->operands[o].reg->number])
            return true;
    return false;
}

static struct contents contents_of(const char *kernel)
{
    const struct function *entry = entry_of(kernel);
    bool *loaded = calloc(entry->register_count, sizeof *loaded);
    struct contents contents = {0};
    unsigned int together = 0;

    assert_non_null(loaded);
    for (size_t i = 0; i < entry->instruction_count; i++) {
        const struct instruction *instruction = &entry->instructions[i];
        bool is_load, is_dependent;
        if (instruction->label != NULL || begins(instruction, "bra")) {
            contents.branches += instruction->label == NULL;
            memset(loaded, 0, entry->register_count * sizeof *loaded);
            together = 0;
            continue;
        }
        is_load = begins(instruction, "ld.global");
        is_dependent = depends(instruction, loaded);
        contents.loads += is_load;
        contents.stores += begins(instruction, "st.global");
        contents.volatile_loads += begins(instruction, "ld.volatile");
        contents.volatile_stores += begins(instruction, "st.volatile");
        contents.barriers += begins(instruction, "bar.sync");
        together += is_load && !is_dependent;
        contents.together = together > contents.together ? together : contents.together;
        if (instruction->operand_count > 0 && instruction->operands[0].reg != NULL &&
            (is_load || is_dependent))
            loaded[instruction->operands[0].reg->number] = true;
    }
    free(loaded);
    return contents;
}

/* The book, reduceCompleteUnroll: the compiler evaluates the test of the block's size. Each smaller
 * size loses one test's two loads, store and branch. The barriers that follow the tests stay. */
TEST(template_instances_omit_excluded_code)
{
    static const char *const sizes[] = {"1024", "512", "256", "128", "64"};
    struct contents larger = {0};

    read_module("reduce_warp_tail");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        char kernel[64];
        snprintf(kernel, sizeof kernel, "reduceCompleteUnroll%s", sizes[k]);
        struct contents contents = contents_of(kernel);
        assert_int_equal(contents.barriers, 5);
        assert_int_equal(contents.volatile_loads, 12);
        assert_int_equal(contents.volatile_stores, 6);
        if (k > 0) {
            assert_int_equal(larger.loads - contents.loads, 2);
            assert_int_equal(larger.stores - contents.stores, 1);
            assert_int_equal(larger.branches - contents.branches, 1);
        }
        larger = contents;
    }
    assert_int_equal(contents_of("reduceCompleteUnrollWarps8Sync").volatile_loads, 0);
    assert_int_equal(contents_of("reduceCompleteUnrollWarps8Sync").volatile_stores, 0);
    module_free(&module);
}

/* ---- Executed instructions ---- */

/* Returns a counter for n = 16384 at 1024 threads per block, as in the K80 profiles. */
static double counted(const char *kernel, const char *counter)
{
    const char *const arguments[] = {
        simtcheck_program(), "counters", "--engine", "sim",   "--kernel", kernel,
        "--block",           "1024",     "--size",   "16384", NULL};
    json_t *report = program_report(arguments, 0);
    double value;

    assert_non_null(report);
    value = json_number_value(json_object_get(report, counter));
    print_message("%s: %s %.2f\n", kernel, counter, value);
    json_decref(report);
    return value;
}

/* The book: unrolling saves branches and gives more independent loads. */
TEST(unrolling_removes_branches_and_groups_loads)
{
    static const char *const kernels[] = {"reduceUnrolling2", "reduceUnrolling4",
                                          "reduceUnrolling8", "reduceUnrolling16"};
    double branches = counted("reduceInterleaved", "branches");

    read_module("reduce_unrolled");
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        struct contents contents = contents_of(kernels[k]);
        double fewer = counted(kernels[k], "branches");
        assert_true(fewer < branches);
        assert_int_equal(contents.together, 2 << k);
        branches = fewer;
    }
    module_free(&module);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    ptx_folder = argv[1];
    return tests_run("code", NULL, NULL);
}
