/* SPDX-License-Identifier: MIT
 *
 * Prints the property tests of all kernels of the catalogue, as CTest reads them: list_tests
 * TEST_KERNEL 1|0 ON_GPU [SIMTCHECK_PTX]: is there the engine ptx; the script that runs a test on
 * the GPU that CTest has chosen, or "-", and they take turns; the program simtcheck-ptx. Kernels
 * that launch kernels have nested tests instead, and none by the driver's own compiler, which does
 * not link the relocatable device code that they are made of.
 */
#include "catalogue.h"

#include <stdio.h>
#include <string.h>

enum { SECONDS = 300 };

static const char *kind_of(const struct variant *variant)
{
    return variant->launches != LAUNCHES_NOTHING ? "nested" : "property";
}

static void print_label(const struct variant *variant)
{
    if (variant->label != NULL)
        printf(";%s", variant->label);
}

static const char *gpu_property(const char *on_gpu)
{
    return strcmp(on_gpu, "-") != 0 ? "RESOURCE_GROUPS gpus:1" : "RESOURCE_LOCK gpu";
}

/* A word of the command, in front of the program; nothing where there is none. */
static void print_word(const char *word)
{
    if (strcmp(word, "-") != 0)
        printf(" \"%s\"", word);
}

/* A program that exits 77 is skipped. */
static void print_test(const struct variant *variant, const char *engine, const char *program,
                       const char *on_gpu)
{
    const char *id = variant->id, *kind = kind_of(variant);
    bool runs_on_gpu = engine[0] == 'c';

    printf("add_test(%s.%s.%s", engine, kind, id);
    if (runs_on_gpu)
        print_word(on_gpu);
    print_word(program);
    printf(" %s %s)\n", engine, id);
    printf("set_tests_properties(%s.%s.%s PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT %d LABELS \"%s;%s",
           engine, kind, id, SECONDS, engine, kind);
    print_label(variant);
    printf("\" %s)\n", runs_on_gpu ? gpu_property(on_gpu) : "");
}

static bool is_jitted(const struct variant *variant)
{
    return variant->form == FORM_PRINTED && variant->launches == LAUNCHES_NOTHING;
}

/* All kernels of a file through the driver's own compiler, which is what a driver upgrade changes:
 * it is to compile them each time, and to keep nothing. */
static void print_ptx_test(const char *family, const char *program, const char *on_gpu,
                           const char *simtcheck)
{
    printf("add_test(cuda.property.%s.ptx", family);
    print_word(on_gpu);
    print_word(program);
    printf(" cuda");
    for (size_t i = 0; i < simtcheck_catalogue.count; i++)
        if (is_jitted(&simtcheck_catalogue.variants[i]) &&
            strcmp(simtcheck_catalogue.variants[i].family, family) == 0)
            printf(" %s", simtcheck_catalogue.variants[i].id);
    printf(")\n");
    printf("set_tests_properties(cuda.property.%s.ptx PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT %d "
           "%s ENVIRONMENT \"CUDA_CACHE_DISABLE=1;SIMTCHECK_PROGRAM=%s\" "
           "LABELS \"cuda;property;jit\")\n",
           family, SECONDS, gpu_property(on_gpu), simtcheck);
}

/* Is it the first of its family of those? */
static bool is_first(size_t i)
{
    const struct variant *variants = simtcheck_catalogue.variants;

    for (size_t k = 0; k < i; k++)
        if (is_jitted(&variants[k]) && strcmp(variants[k].family, variants[i].family) == 0)
            return false;
    return is_jitted(&variants[i]);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 3 && i < simtcheck_catalogue.count; i++) {
        const struct variant *variant = &simtcheck_catalogue.variants[i];
        if (variant->form != FORM_PRINTED)
            continue;
        print_test(variant, "host", argv[1], argv[3]);
        print_test(variant, "cuda", argv[1], argv[3]);
        if (strcmp(argv[2], "1") == 0)
            print_test(variant, "ptx", argv[1], argv[3]);
        if (argc > 4 && is_first(i))
            print_ptx_test(variant->family, argv[1], argv[3], argv[4]);
    }
    return argc > 3 && fflush(stdout) == 0 ? 0 : 2;
}
