/* SPDX-License-Identifier: MIT
 *
 * Prints the property tests of all kernels of the catalogue, as CTest reads them: list_tests
 * TEST_KERNEL ON|OFF [SIMTCHECK_PTX]: is there the engine ptx; the program simtcheck-ptx. Kernels
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

/* A program that exits 77 is skipped. Tests on the GPU take turns. */
static void print_test(const struct variant *variant, const char *engine, const char *program)
{
    const char *id = variant->id, *kind = kind_of(variant);
    bool on_gpu = engine[0] == 'c';

    printf("add_test(%s.%s.%s \"%s\" %s %s)\n", engine, kind, id, program, engine, id);
    printf("set_tests_properties(%s.%s.%s PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT %d LABELS \"%s;%s",
           engine, kind, id, SECONDS, engine, kind);
    print_label(variant);
    printf("\"%s)\n", on_gpu ? " RESOURCE_LOCK gpu" : "");
}

/* The same through the driver's own compiler, which is what a driver upgrade changes. */
static void print_ptx_test(const struct variant *variant, const char *program,
                           const char *simtcheck)
{
    const char *id = variant->id;

    printf("add_test(cuda.property.%s.ptx \"%s\" cuda %s)\n", id, program, id);
    printf("set_tests_properties(cuda.property.%s.ptx PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT %d "
           "RESOURCE_LOCK gpu ENVIRONMENT \"CUDA_FORCE_PTX_JIT=1;SIMTCHECK_PROGRAM=%s\" "
           "LABELS \"cuda;property;jit",
           id, SECONDS, simtcheck);
    print_label(variant);
    printf("\")\n");
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < simtcheck_catalogue.count; i++) {
        const struct variant *variant = &simtcheck_catalogue.variants[i];
        if (variant->form != FORM_PRINTED)
            continue;
        print_test(variant, "host", argv[1]);
        print_test(variant, "cuda", argv[1]);
        if (argc > 2 && strcmp(argv[2], "ON") == 0)
            print_test(variant, "ptx", argv[1]);
        if (argc > 3 && variant->launches == LAUNCHES_NOTHING)
            print_ptx_test(variant, argv[1], argv[3]);
    }
    return argc > 1 && fflush(stdout) == 0 ? 0 : 2;
}
