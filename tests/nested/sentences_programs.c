/* SPDX-License-Identifier: MIT
 *
 * What a host program must do to keep the output of its kernels. Only the CUDA runtime shows that,
 * because the simulator runs a launch at once.
 */
#include "sentences.h"

#ifdef SIMTCHECK_ON_GPU
#include <cuda_runtime_api.h>
#include <unistd.h>
#endif

/* The host continues while a kernel runs, and its wait covers all kernels. */
static enum verdict launches_are_asynchronous(const struct place *place, char evidence[EVIDENCE])
{
#ifdef SIMTCHECK_ON_GPU
    unsigned int *words = NULL, signed_up[3] = {0};
    enum verdict verdict;

    (void)place;
    assert_int_equal(cudaMalloc((void **)&words, sizeof signed_up), cudaSuccess);
    assert_int_equal(cudaMemset(words, 0, sizeof signed_up), cudaSuccess);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    assert_int_equal(launch_on_gpu("signBlocks", 2, 1, 0, words), cudaSuccess);
    verdict = holds_if(
        cudaStreamQuery(NULL) == cudaErrorNotReady && cudaDeviceSynchronize() == cudaSuccess &&
        cudaStreamQuery(NULL) == cudaSuccess &&
        cudaMemcpy(signed_up, words, sizeof signed_up, cudaMemcpyDeviceToHost) == cudaSuccess &&
        signed_up[0] == 2);
    cudaFree(words);
    snprintf(evidence, EVIDENCE, "the stream is busy after the launch, and idle after the wait");
    return verdict;
#else
    (void)place;
    snprintf(evidence, EVIDENCE, "the simulator runs a launch at once");
    return UNTRIED;
#endif
}

/* Two blocks sign, one of them late. The copy follows the launch directly, and nothing else waits.
 */
static enum verdict copies_synchronise(const struct place *place, char evidence[EVIDENCE])
{
    (void)place;
#ifdef SIMTCHECK_ON_GPU
    unsigned int *words = NULL, signed_up[3] = {0};

    assert_int_equal(cudaMalloc((void **)&words, sizeof signed_up), cudaSuccess);
    assert_int_equal(cudaMemset(words, 0, sizeof signed_up), cudaSuccess);
    assert_int_equal(launch_on_gpu("signBlocks", 2, 1, 0, words), cudaSuccess);
    assert_int_equal(cudaMemcpy(signed_up, words, sizeof signed_up, cudaMemcpyDeviceToHost),
                     cudaSuccess);
    cudaFree(words);
    snprintf(evidence, EVIDENCE, "%u of 2 blocks have signed", signed_up[0]);
    return holds_if(signed_up[0] == 2);
#else
    snprintf(evidence, EVIDENCE, "the simulator runs a launch at once");
    return UNTRIED;
#endif
}

#ifdef SIMTCHECK_ON_GPU
int end_program(const char *way)
{
    if (launch_on_gpu("printLate", 1, 1, 0, NULL) != cudaSuccess)
        return 1;
    if (strcmp(way, "wait") == 0)
        return cudaDeviceSynchronize() != cudaSuccess;
    if (strcmp(way, "reset") == 0)
        return cudaDeviceReset() != cudaSuccess;
    return 0;
}
#endif

/* Runs this program again, and makes it end as `way` says. Returns whether its kernel's output
 * appears, or -1 without a CUDA runtime. */
static int prints_before_it_ends(const char *way, char evidence[EVIDENCE])
{
#ifdef SIMTCHECK_ON_GPU
    char self[4096] = "";
    struct ended ended;
    bool has_output;

    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    ended = run_line("%s --end '%s'", self, way);
    has_output = strstr(ended.output, "printed late") != NULL;
    snprintf(evidence, EVIDENCE, "%s: it printed '%.40s'", way, ended.output);
    expect_ended(ended, 0, "");
    return has_output;
#else
    (void)way;
    snprintf(evidence, EVIDENCE, "the simulator runs a launch at once");
    return -1;
#endif
}

static enum verdict ending_early_loses_output(const struct place *place, char evidence[EVIDENCE])
{
    int early, waits = prints_before_it_ends("wait", evidence);

    (void)place;
    if (waits < 0)
        return UNTRIED;
    early = prints_before_it_ends("early", evidence);
    return holds_if(waits == 1 && early == 0);
}

static enum verdict reset_keeps_output(const struct place *place, char evidence[EVIDENCE])
{
    int resets = prints_before_it_ends("reset", evidence);

    (void)place;
    return resets < 0 ? UNTRIED : holds_if(resets == 1);
}

/* clang-format off */
const struct sentence program_sentences[] = {
    {"book: launches",
     "kernel launches are asynchronous, and one wait of the host covers all of them",
     launches_are_asynchronous, "----h",
     "a query of the stream answers busy after the launch and idle after the wait. The simulator completes a "
     "launch at once"},
    {"mapping notes: synchronization",
     "cudaMemcpy waits for the kernels before it",
     copies_synchronise, "----h",
     "two blocks record their arrival, one of them late. A copy directly after the launch has both records"},
    {"mapping notes: host programs",
     "if a host program ends early, the output of its kernel is lost",
     ending_early_loses_output, "----h",
     "a program that ends directly after the launch prints nothing. A program that first calls "
     "cudaDeviceSynchronize() prints"},
    {"mapping notes: host programs",
     "if a host program calls cudaDeviceReset() before its end, the output of its kernel is not lost",
     reset_keeps_output, "----h",
     "a program that calls cudaDeviceReset() after the launch prints"},
};
/* clang-format on */

const size_t program_sentence_count = sizeof program_sentences / sizeof *program_sentences;
