/* SPDX-License-Identifier: MIT */
#include "soak.h"

#include "exit_status.h"

#include <inttypes.h>
#include <stdio.h>

/* At most that many differences of a GPU are printed. The file of --json has all. */
enum { SHOWN = 20 };

static const struct soak_gpu_record *gpu_of(const struct soak_record *record, size_t k)
{
    return (const struct soak_gpu_record *)record->gpus.items + k;
}

static const struct soak_sm_record *sm_of(const struct soak_gpu_record *gpu, size_t k)
{
    return (const struct soak_sm_record *)gpu->covered.items + k;
}

/* Returns how many SMs ran every instruction. */
static uint64_t whole_sms(const struct soak_gpu_record *gpu)
{
    uint64_t whole = 0;

    for (size_t k = 0; k < gpu->covered.count; k++)
        whole += gpu->instructions > 0 && sm_of(gpu, k)->instructions == gpu->instructions;
    return whole;
}

static bool is_complete(const struct soak_gpu_record *gpu)
{
    return gpu->error == NULL && gpu->sms > 0 && whole_sms(gpu) == gpu->sms;
}

int soak_status(const struct soak_record *record)
{
    bool all = record->error == NULL && record->gpus.count > 0;

    for (size_t k = 0; k < record->gpus.count; k++) {
        if (gpu_of(record, k)->wrong.count > 0)
            return EXIT_DIFFERS;
        all = all && is_complete(gpu_of(record, k));
    }
    return all ? EXIT_CONFORMS : EXIT_ENVIRONMENT;
}

static void print_wrong(const struct soak_gpu_record *gpu, const struct soak_wrong_record *wrong)
{
    printf("WRONG: GPU %" PRIu64 " (%s), SM %" PRIu64 ": %s, %" PRIu64 " times\n"
           "    first: %s\n    word %" PRIu64 ": expected %s, computed %s\n",
           gpu->index, gpu->uuid, wrong->sm, wrong->instruction, wrong->count, wrong->operands,
           wrong->word, wrong->expected, wrong->computed);
}

/* Prints the SMs that did not run every instruction. SMs that ran none have no record. */
static void print_missing(const struct soak_gpu_record *gpu)
{
    printf("    not checked: %" PRIu64 " SMs\n", gpu->sms - whole_sms(gpu));
    for (size_t k = 0; k < gpu->covered.count; k++)
        if (sm_of(gpu, k)->instructions < gpu->instructions)
            printf("    SM %" PRIu64 " ran only %" PRIu64 " of %" PRIu64 " instructions\n",
                   sm_of(gpu, k)->sm, sm_of(gpu, k)->instructions, gpu->instructions);
}

static void print_gpu(const struct soak_gpu_record *gpu)
{
    uint64_t tuples = 0;

    for (size_t k = 0; k < gpu->covered.count; k++)
        tuples += sm_of(gpu, k)->tuples;
    printf("GPU %" PRIu64 ": %s, %s, compute capability %s, driver for CUDA %s\n", gpu->index,
           gpu->name, gpu->uuid, gpu->capability, gpu->driver);
    for (size_t k = 0; k < gpu->skipped.count; k++)
        printf("    skipped: %s\n", ((const char *const *)gpu->skipped.items)[k]);
    if (gpu->error != NULL)
        printf("    not checked: %s\n", gpu->error);
    printf("    %" PRIu64 " rounds of %" PRIu64 " instructions on %" PRIu64 " of %" PRIu64
           " SMs; %" PRIu64 " results compared, %zu instructions wrong\n",
           gpu->rounds, gpu->instructions, whole_sms(gpu), gpu->sms, tuples, gpu->wrong.count);
    if (gpu->error == NULL && !is_complete(gpu))
        print_missing(gpu);
    for (size_t k = 0; k < gpu->wrong.count && k < SHOWN; k++)
        print_wrong(gpu, (const struct soak_wrong_record *)gpu->wrong.items + k);
    if (gpu->wrong.count > SHOWN)
        printf("    and %zu more: --json FILE writes all\n", gpu->wrong.count - SHOWN);
}

void soak_print(const struct soak_record *record)
{
    static const char *const verdicts[] = {
        [EXIT_CONFORMS] = "PASS: every SM computes as expected",
        [EXIT_DIFFERS] = "FAIL: results differ",
        [EXIT_ENVIRONMENT] = "NOT CHECKED: some or all SMs were not checked",
    };

    for (size_t k = 0; k < record->gpus.count; k++)
        print_gpu(gpu_of(record, k));
    if (record->error != NULL)
        printf("soak: %s\n", record->error);
    printf("%s (%.0f s)\n", verdicts[soak_status(record)], record->seconds);
}
