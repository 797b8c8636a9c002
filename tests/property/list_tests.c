/* SPDX-License-Identifier: MIT
 *
 * Prints the property tests of every row of the catalogue, as CTest reads them. Arguments:
 *
 *   TEST_KERNEL      The program that runs rows.
 *   ON_GPU|-         The script that runs a test on the GPU that CTest chose. "-": the tests take
 *                    turns.
 *   TEST_LARGE|-     The program that runs a row at large sizes on a GPU.
 *   SIMTCHECK_PTX|-  The program whose kernels the driver compiles.
 *   FIXTURE|-        A fixture that every test requires.
 *   TIME|- TIMES     GNU time, and the file to which it adds a line for each test.
 *
 * A row has three tests on each engine:
 *
 * - ENGINE.property.ID.VARIANT tries every block size. For kernels that launch kernels, the name
 *   has "nested" instead of "property".
 * - ENGINE.quick.ID.VARIANT tries block sizes around powers of two.
 * - ENGINE.large.ID.VARIANT tries large sizes.
 */
#include "rows.h"

#include <stdio.h>
#include <string.h>

enum { SECONDS = 900 };

static const char *test_kernel, *on_gpu, *test_large, *simtcheck_ptx, *fixture, *time_program,
    *times;

static const char *kind_of(const struct variant *variant)
{
    return variant->launches != LAUNCHES_NOTHING ? "nested" : "property";
}

/* Prints a word of the command, before the program. Prints nothing for a missing word. */
static void print_word(const char *word)
{
    if (strcmp(word, "-") != 0)
        printf(" \"%s\"", word);
}

static void print_program(const char *engine, const char *program)
{
    if (strcmp(time_program, "-") != 0)
        printf(" \"%s\" -q -a -o \"%s\" -f \"${name} %%e %%U %%S\"", time_program, times);
    if (engine[0] == 'c')
        print_word(on_gpu);
    print_word(program);
}

static const char *gpu_property(const char *engine)
{
    return engine[0] != 'c'           ? ""
           : strcmp(on_gpu, "-") != 0 ? "RESOURCE_GROUPS gpus:1"
                                      : "RESOURCE_LOCK gpu";
}

/* Prints a row's tests. Exit status 77 means skipped. The labels are the test's properties other
 * than its engine. */
static void print_properties(const struct variant *variant, const char *engine, const char *name,
                             const char *labels, const char *program)
{
    printf("set_tests_properties(%s.%s.%s.%s PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT %d "
           "LABELS \"%s;%s%s%s\" REQUIRED_FILES \"%s\" %s%s%s)\n",
           engine, name, variant->id, variant_kind_name(variant->kind), SECONDS, engine, labels,
           variant->label != NULL ? ";" : "", variant->label != NULL ? variant->label : "", program,
           gpu_property(engine), strcmp(fixture, "-") != 0 ? " FIXTURES_REQUIRED " : "",
           strcmp(fixture, "-") != 0 ? fixture : "");
}

/* The sweeps that take longest on the simulator. There, ci/nightly runs them. */
static bool is_slow(const struct variant *variant)
{
    static const char *const slow[] = {"nestedHelloWorldNew",  "nestedHelloWorldLimited",
                                       "nestedHelloWorldWait", "gpuRecursiveReduce2",
                                       "reduceModern",         "mathKernelTrips"};
    bool is = variant->block_dimensions > 1;

    for (size_t k = 0; k < sizeof slow / sizeof *slow; k++)
        is = is || strcmp(variant->id, slow[k]) == 0;
    return is;
}

static void print_test(const struct variant *variant, const char *engine, const char *mode)
{
    bool sweeps = strcmp(mode, "sweep") == 0;
    const char *kind = variant_kind_name(variant->kind), *sort = kind_of(variant),
               *name = sweeps ? sort : mode;
    char labels[32];

    printf("set(name %s.%s.%s.%s)\nadd_test(${name}", engine, name, variant->id, kind);
    print_program(engine, test_kernel);
    printf(" %s %s %s.%s)\n", engine, mode, variant->id, kind);
    /* On the simulator, large sizes are slow, and show little that smaller ones do not. */
    snprintf(labels, sizeof labels, "%s;%s%s", sort, mode,
             strcmp(engine, "sim") == 0 &&
                     (strcmp(mode, "large") == 0 || (sweeps && is_slow(variant)))
                 ? ";nightly"
                 : "");
    print_properties(variant, engine, name, labels, test_kernel);
}

/* Prints the row's test at large sizes. On a GPU it has its own program, whose oracle also runs on
 * the GPU. On a simulator, a row with a known defect shows nothing new at these sizes. */
static void print_large(const struct variant *variant, const char *engine)
{
    enum { MILLION = 1 << 20 };
    struct shape shape;

    if (!row_large_shape(variant, MILLION, 0, &shape))
        return;
    if (strcmp(engine, "cuda") != 0) {
        if (variant->known_defect == NULL)
            print_test(variant, engine, "large");
        return;
    }
    if (strcmp(test_large, "-") == 0)
        return;
    printf("set(name cuda.large.%s.%s)\nadd_test(${name}", variant->id,
           variant_kind_name(variant->kind));
    print_program("cuda", test_large);
    printf(" %s.%s)\n", variant->id, variant_kind_name(variant->kind));
    print_properties(variant, "cuda", "large", "large", test_large);
}

/* ---- The driver's JIT compiler ---- */

/* Returns true if the driver can compile the row. It does not link relocatable device code, which
 * kernels that launch kernels need. */
static bool is_jitted(const struct variant *variant)
{
    return variant->launches == LAUNCHES_NOTHING;
}

/* Prints a test of all rows of a file. The driver must compile them each time, without a cache. */
static void print_jit_test(const char *family)
{
    printf("set(name cuda.property.%s.ptx)\nadd_test(${name}", family);
    print_program("cuda", test_kernel);
    printf(" cuda quick");
    for (size_t i = 0; i < simtcheck_catalogue.count; i++) {
        const struct variant *variant = &simtcheck_catalogue.variants[i];
        if (is_jitted(variant) && strcmp(variant->family, family) == 0)
            printf(" %s.%s", variant->id, variant_kind_name(variant->kind));
    }
    printf(")\n");
    printf("set_tests_properties(cuda.property.%s.ptx PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT %d "
           "%s ENVIRONMENT \"CUDA_CACHE_DISABLE=1;SIMTCHECK_PROGRAM=%s\" "
           "LABELS \"cuda;property;quick;jit\")\n",
           family, SECONDS, gpu_property("cuda"), simtcheck_ptx);
}

static bool is_first_of_its_family(size_t i)
{
    const struct variant *variants = simtcheck_catalogue.variants;

    for (size_t k = 0; k < i; k++)
        if (is_jitted(&variants[k]) && strcmp(variants[k].family, variants[i].family) == 0)
            return false;
    return is_jitted(&variants[i]);
}

int main(int argc, char **argv)
{
    static const char *const engines[] = {"sim", "cuda"};

    if (argc != 8)
        return 2;
    test_kernel = argv[1];
    on_gpu = argv[2];
    test_large = argv[3];
    simtcheck_ptx = argv[4];
    fixture = argv[5];
    time_program = argv[6];
    times = argv[7];
    for (size_t i = 0; i < simtcheck_catalogue.count; i++) {
        const struct variant *variant = &simtcheck_catalogue.variants[i];
        for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
            print_test(variant, engines[e], "sweep");
            print_test(variant, engines[e], "quick");
            print_large(variant, engines[e]);
        }
        if (strcmp(simtcheck_ptx, "-") != 0 && is_first_of_its_family(i))
            print_jit_test(variant->family);
    }
    return fflush(stdout) == 0 ? 0 : 2;
}
