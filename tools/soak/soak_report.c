/* SPDX-License-Identifier: MIT */
#include "soak.h"

#include "exit_status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

static const struct soak_skip_record *skip_of(const struct soak_gpu_record *gpu, size_t k)
{
    return (const struct soak_skip_record *)gpu->skipped.items + k;
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
        if (gpu_of(record, k)->wrong.count > 0 || gpu_of(record, k)->failed)
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
        printf("    skipped: %s: %s\n", skip_of(gpu, k)->cases, skip_of(gpu, k)->reason);
    if (gpu->failed)
        printf("FAILED: GPU %" PRIu64 " (%s): %s\n", gpu->index, gpu->uuid, gpu->error);
    else if (gpu->error != NULL)
        printf("    not checked to the end: %s\n", gpu->error);
    printf("    %" PRIu64 " rounds of %" PRIu64 " instructions on %" PRIu64 " of %" PRIu64
           " SMs; %" PRIu64 " results compared, %zu instructions wrong; prepared in %.1f s\n",
           gpu->rounds, gpu->instructions, whole_sms(gpu), gpu->sms, tuples, gpu->wrong.count,
           gpu->prepare_seconds);
    if (gpu->error == NULL && !is_complete(gpu))
        print_missing(gpu);
    for (size_t k = 0; k < gpu->wrong.count && k < SHOWN; k++)
        print_wrong(gpu, (const struct soak_wrong_record *)gpu->wrong.items + k);
    if (gpu->wrong.count > SHOWN)
        printf("    and %zu more: --json FILE writes all\n", gpu->wrong.count - SHOWN);
}

/* Prints what the checked GPUs lack, each once. */
static void print_skipped(const struct soak_record *record)
{
    const char *last = "";

    for (size_t g = 0; g < record->gpus.count; g++)
        for (size_t k = 0; k < gpu_of(record, g)->skipped.count; k++) {
            const char *cases = skip_of(gpu_of(record, g), k)->cases;

            if (strcmp(cases, last) != 0)
                printf("%s%s", *last == '\0' ? "; not included: " : ", ", cases);
            last = cases;
        }
}

void soak_print(const struct soak_record *record)
{
    const int status = soak_status(record);
    bool differs = false;

    for (size_t k = 0; k < record->gpus.count; k++) {
        print_gpu(gpu_of(record, k));
        differs = differs || gpu_of(record, k)->wrong.count > 0;
    }
    if (record->error != NULL)
        printf("soak: %s\n", record->error);
    printf("%s", status == EXIT_CONFORMS ? "PASS: every SM computes as expected"
                 : status != EXIT_DIFFERS
                     ? "NOT CHECKED: some or all SMs were not checked to the end"
                 : differs ? "FAIL: results differ"
                           : "FAIL: a GPU failed");
    if (status == EXIT_CONFORMS)
        print_skipped(record);
    printf(" (%.0f s, of which %.0f s for the expected results)\n", record->seconds,
           record->expected_seconds);
}
