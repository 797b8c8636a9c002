/* SPDX-License-Identifier: MIT
 *
 * What simtcheck reads about kernels from a cubin, compared with the output of `ptxas -v`. Usage:
 * test_machine_code PTXAS... Exit status 77 if none of them exists.
 */
#include "check.h"

#include "build.h"
#include "machine_code.h"

#include <unistd.h>

enum { SAID = 1 << 16, MAX_PTXAS = 24 };

static struct compiler ptxas[MAX_PTXAS];
static size_t ptxas_count;

/* Writes kernels that need many registers, more than there are, a stack, or shared memory. */
static void write_ptx(const char *path)
{
    enum { VALUES = 40 };
    FILE *to = fopen(path, "w");

    assert_non_null(to);
    fprintf(to, ".version 7.0\n.target sm_75\n.address_size 64\n");
    for (int spills = 0; spills < 2; spills++) {
        fprintf(to,
                ".visible .entry %s(.param .u64 p)\n%s{\n.reg .b32 %%r<%d>;\n.reg .b64 %%rd<2>;\n"
                "ld.param.u64 %%rd1, [p];\n",
                spills ? "spills" : "registers", spills ? ".maxnreg 24\n" : "", VALUES);
        for (int k = 0; k < VALUES; k++)
            fprintf(to, "ld.volatile.global.u32 %%r%d, [%%rd1+%d];\n", k, 4 * k);
        fprintf(to, "bar.sync 0;\n");
        for (int k = 0; k < VALUES; k++)
            fprintf(to, "st.volatile.global.u32 [%%rd1+%d], %%r%d;\n", 4 * k, VALUES - 1 - k);
        fprintf(to, "ret;\n}\n");
    }
    fprintf(to,
            ".visible .entry memory(.param .u64 p)\n{\n.local .align 8 .b8 stack[160];\n"
            ".shared .align 4 .b8 shared[492];\n.reg .b32 %%r<4>;\n.reg .b64 %%rd<6>;\n"
            "ld.param.u64 %%rd1, [p];\nld.global.u32 %%r1, [%%rd1];\n"
            "mul.wide.u32 %%rd2, %%r1, 4;\nmov.u64 %%rd3, stack;\nadd.s64 %%rd3, %%rd3, %%rd2;\n"
            "st.local.u32 [%%rd3], %%r1;\nmov.u64 %%rd4, shared;\nadd.s64 %%rd4, %%rd4, %%rd2;\n"
            "st.shared.u32 [%%rd4], %%r1;\nbar.sync 0;\nld.local.u32 %%r2, [stack+8];\n"
            "ld.shared.u32 %%r3, [shared+4];\nadd.s32 %%r2, %%r2, %%r3;\n"
            "st.global.u32 [%%rd1], %%r2;\nret;\n}\n");
    assert_int_equal(fclose(to), 0);
}

static const struct kernel_code *find(const struct kernel_code *kernels, size_t count,
                                      const char *name)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(kernels[k].name, name) == 0)
            return &kernels[k];
    fail_msg("there is no kernel %s", name);
    return NULL;
}

/* Compares a kernel with what ptxas printed after "Function properties for NAME". */
static void compare_with_ptxas(const struct kernel_code *kernel, const char *said)
{
    char head[320];
    const char *found, *used, *shared;
    unsigned int stack, stores, loads, registers, bytes = 0;

    snprintf(head, sizeof head, "Function properties for %s\n", kernel->name);
    found = strstr(said, head);
    assert_non_null(found);
    found += strlen(head);
    assert_int_equal(sscanf(found, " %u bytes stack frame, %u bytes spill stores, %u bytes spill",
                            &stack, &stores, &loads),
                     3);
    used = strstr(found, "Used ");
    assert_non_null(used);
    assert_int_equal(sscanf(used, "Used %u registers", &registers), 1);
    shared = strstr(used, " bytes smem");
    if (shared != NULL && shared < used + strcspn(used, "\n")) {
        while (shared[-1] != ' ')
            shared--;
        bytes = (unsigned int)atoi(shared);
    }
    assert_int_equal(kernel->registers, registers);
    assert_int_equal(kernel->stack_bytes, stack);
    assert_int_equal(kernel->shared_bytes, bytes);
    assert_true(kernel->has_spills);
    assert_int_equal(kernel->spill_store_bytes, stores);
    assert_int_equal(kernel->spill_load_bytes, loads);
}

TEST(resource_usage_matches_ptxas_output)
{
    static const char *const names[] = {"registers", "spills", "memory"};
    static char said[SAID];
    char ptx[64], cubin[64], error[512];

    snprintf(ptx, sizeof ptx, "%s/k.ptx", folder);
    snprintf(cubin, sizeof cubin, "%s/k.cubin", folder);
    write_ptx(ptx);
    for (size_t v = 0; v < ptxas_count; v++) {
        struct kernel_code *kernels = NULL;
        size_t count = 0;
        if (!build_relocatable(&ptxas[v], "sm_90", ptx, cubin, said, sizeof said, error,
                               sizeof error) ||
            !machine_code_read(cubin, &kernels, &count, error, sizeof error))
            fail_msg("%s", error);
        assert_false(kernels[0].has_spills);
        machine_code_spills(said, kernels, count);
        assert_int_equal(count, sizeof names / sizeof *names);
        for (size_t k = 0; k < count; k++)
            compare_with_ptxas(find(kernels, count, names[k]), said);
        assert_true(find(kernels, count, "registers")->registers > 40);
        assert_int_equal(find(kernels, count, "registers")->spill_store_bytes, 0);
        assert_true(find(kernels, count, "spills")->registers <= 24);
        assert_true(find(kernels, count, "spills")->spill_store_bytes > 0);
        assert_true(find(kernels, count, "spills")->stack_bytes > 0);
        assert_int_equal(find(kernels, count, "memory")->stack_bytes, 160);
        assert_int_equal(find(kernels, count, "memory")->shared_bytes, 492);
        assert_true(find(kernels, count, "memory")->constant_bytes > 8);
        print_message("ptxas %s: as it says\n", ptxas[v].version);
        free(kernels);
    }
}

int main(int argc, char **argv)
{
    char error[512];

    for (int a = 1; a < argc && ptxas_count < MAX_PTXAS; a++)
        ptxas_count += compiler_open(argv[a], "ptxas", &ptxas[ptxas_count], error, sizeof error);
    if (ptxas_count == 0)
        return 77;
    return tests_run("machine code", folder_make, folder_remove);
}
