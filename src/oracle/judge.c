/* SPDX-License-Identifier: MIT */
#include "judge.h"

#include "expected.h"
#include "float_series.h"
#include "launch_tree.h"
#include "program.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Sums ---- */

/* The values whose sum is output b of a reduction: those from `first` to before `last`. */
struct segment {
    uint64_t first, last;
};

static struct segment segment_of(const struct result *result, uint64_t b)
{
    uint64_t n = shape_elements(result->shape);
    uint64_t length =
        result->variant->adds_all ? n : variant_segment(result->variant, result->shape);
    struct segment segment = {b * length, (b + 1) * length};

    if (segment.first > n)
        segment.first = n;
    if (segment.last > n)
        segment.last = n;
    return segment;
}

/* Compares each output with the sum of its segment, and the sum of all outputs with the whole
 * sum. */
static enum judgement judge_sums_i32(struct oracle_sums *sums, const struct result *result,
                                     uint32_t buffer, struct difference *difference)
{
    const int32_t *output = result->buffers[buffer];
    uint64_t count = result->invocation->buffers[buffer].count;
    uint32_t got = 0;
    int32_t expected, before, up_to;

    for (uint64_t b = 0; b < count; b++) {
        struct segment segment = segment_of(result, b);
        if (!oracle_sums_i32(sums, result->values, segment.first, &before) ||
            !oracle_sums_i32(sums, result->values, segment.last, &up_to))
            return JUDGEMENT_FAILED;
        expected = (int32_t)((uint32_t)up_to - (uint32_t)before);
        got += (uint32_t)output[b];
        if (output[b] == expected || result_skips(result, buffer, b))
            continue;
        difference_at(difference, result->invocation, buffer, b);
        snprintf(difference->expected, sizeof difference->expected, "%" PRId32, expected);
        snprintf(difference->got, sizeof difference->got, "%" PRId32, output[b]);
        return JUDGEMENT_DIFFERS;
    }
    if (!oracle_sums_i32(sums, result->values, shape_elements(result->shape), &expected))
        return JUDGEMENT_FAILED;
    if ((int32_t)got == expected)
        return JUDGEMENT_EQUAL;
    snprintf(difference->expected, sizeof difference->expected, "%" PRId32, expected);
    snprintf(difference->got, sizeof difference->got, "%" PRId32, (int32_t)got);
    return JUDGEMENT_DIFFERS;
}

/* Does the same for floats, within the error bound of the kernel's additions. For the whole sum it
 * includes the host's additions, which add the outputs one by one as in the textbooks. */
static enum judgement judge_sums_f32(const struct float_series *series, const struct result *result,
                                     uint32_t buffer, struct difference *difference)
{
    const float *output = result->buffers[buffer];
    uint64_t count = result->invocation->buffers[buffer].count;
    uint64_t height = result->variant->height(result->variant, result->shape),
             n = shape_elements(result->shape);
    struct float_sum part;
    float got = 0;

    for (uint64_t b = 0; b < count; b++) {
        struct segment segment = segment_of(result, b);
        got = b == 0 ? output[b] : got + output[b];
        if (float_series_accepts(series, segment.first, segment.last, height, output[b]) ||
            result_skips(result, buffer, b))
            continue;
        part = float_series_sum(series, segment.first, segment.last);
        difference_at(difference, result->invocation, buffer, b);
        snprintf(difference->got, sizeof difference->got, "%.9g", (double)output[b]);
        oracle_text_f32(&part, height, difference->expected, sizeof difference->expected);
        return JUDGEMENT_DIFFERS;
    }
    height += count > 0 ? count - 1 : 0;
    if (float_series_accepts(series, 0, n, height, got)) /* including elements that no block has */
        return JUDGEMENT_EQUAL;
    part = float_series_sum(series, 0, n);
    oracle_text_f32(&part, height, difference->expected, sizeof difference->expected);
    snprintf(difference->got, sizeof difference->got, "%.9g", (double)got);
    return JUDGEMENT_DIFFERS;
}

/* Checks that the kernel leaves zeros where it found zeros, for the next launch. */
static enum judgement judge_zeros(const struct result *result, struct difference *difference)
{
    for (uint32_t k = 0; k < result->invocation->buffer_count; k++) {
        const struct buffer *buffer = &result->invocation->buffers[k];
        const unsigned char *bytes = buffer->role == ROLE_LOG ? result->buffers[k] : NULL;
        for (uint64_t i = 0; bytes != NULL && i < buffer_bytes(buffer); i++) {
            if (bytes[i] == 0 || result_skips(result, k, i / element_size(buffer->element)))
                continue;
            difference_at(difference, result->invocation, k, i / element_size(buffer->element));
            snprintf(difference->expected, sizeof difference->expected, "0 at the end");
            snprintf(difference->got, sizeof difference->got, "another value");
            return JUDGEMENT_DIFFERS;
        }
    }
    return JUDGEMENT_EQUAL;
}

/* CONTRACT_SUM: checks the outputs, and that counters are zero again. */
static enum judgement judge_sums(struct oracle_sums *sums, const struct result *result,
                                 struct difference *difference)
{
    enum judgement zeros = judge_zeros(result, difference);
    const struct float_series *series;
    uint32_t k = 0;

    if (zeros != JUDGEMENT_EQUAL)
        return zeros;
    while (k < result->invocation->buffer_count && result->buffers[k] == NULL)
        k++;
    if (k == result->invocation->buffer_count) {
        snprintf(difference->expected, sizeof difference->expected, "an output");
        snprintf(difference->got, sizeof difference->got, "none");
        return JUDGEMENT_DIFFERS;
    }
    if (result->variant->element == ELEMENT_I32)
        return judge_sums_i32(sums, result, k, difference);
    series = oracle_sums_f32(sums, result->values, shape_elements(result->shape));
    return series == NULL ? JUDGEMENT_FAILED : judge_sums_f32(series, result, k, difference);
}

/* ---- Element by element ---- */

/* Gets all inputs of a contract by element if they are stored. Returns false when memory runs
 * out. */
static bool find_inputs(struct oracle_sums *sums, const struct result *result,
                        const uint32_t **inputs)
{
    *inputs = NULL;
    return result->variant->contract != CONTRACT_MATRIX_SUM ||
           oracle_sums_words(sums, result->variant->element, result->values,
                             2 * shape_elements(result->shape), inputs);
}

/* Returns the index of the first of `count` words that differs and is compared; `count` if none
 * is. `got` begins with element `first` of the buffer. */
static uint64_t find_difference(const struct result *result, uint32_t buffer, uint64_t first,
                                const uint32_t *expected, const uint32_t *got, uint64_t count)
{
    enum element element = result->variant->element;
    uint64_t k = 0;

    if (memcmp(expected, got, count * sizeof *got) == 0)
        return count;
    while (k < count &&
           (oracle_canonical(element, expected[k]) == oracle_canonical(element, got[k]) ||
            result_skips(result, buffer, first + k)))
        k++;
    return k;
}

/* Compares every element of every output. */
static enum judgement judge_elements(const struct result *result, const uint32_t *inputs,
                                     struct difference *difference)
{
    enum { AT_ONCE = 1024 };
    enum element element = result->variant->element;
    uint32_t output = 0;

    for (uint32_t b = 0; b < result->invocation->buffer_count; b++) {
        const struct buffer *buffer = &result->invocation->buffers[b];
        const uint32_t *got = result->buffers[b];
        if (got == NULL)
            continue;
        for (uint64_t i = 0; i < buffer->count; i += AT_ONCE) {
            uint64_t count = buffer->count - i < AT_ONCE ? buffer->count - i : AT_ONCE, k;
            uint32_t expected[AT_ONCE];
            oracle_words(result->variant, result->shape, result->values, inputs, output, i, count,
                         expected);
            k = find_difference(result, b, i, expected, got + i, count);
            if (k == count)
                continue;
            difference_at(difference, result->invocation, b, i + k);
            oracle_text(element, expected[k], difference->expected);
            oracle_text(element, got[i + k], difference->got);
            return JUDGEMENT_DIFFERS;
        }
        output++;
    }
    return JUDGEMENT_EQUAL;
}

static uint64_t digest_buffer(uint64_t digest, const struct buffer *buffer, const char *contents)
{
    size_t size = element_size(buffer->element);

    for (uint64_t i = 0; contents != NULL && i < buffer->count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, contents + i * size, size);
        digest = values_hash(digest, oracle_canonical(buffer->element, bits));
    }
    return digest;
}

uint64_t oracle_digest(const struct result *result, uint64_t order[MAX_ALLOWED])
{
    uint64_t digest = 0;

    for (uint32_t k = 0; k < result->invocation->buffer_count; k++) {
        const struct buffer *buffer = &result->invocation->buffers[k];
        uint32_t allowed = allowance_find(result->invocation->allowed, ALLOWED_ORDER, buffer->name);
        if (allowed < MAX_ALLOWED)
            order[allowed] = digest_buffer(order[allowed], buffer, result->buffers[k]);
        else
            digest = digest_buffer(digest, buffer, result->buffers[k]);
    }
    return digest;
}

bool oracle_equal(const struct invocation *invocation, void *const *first, void *const *second,
                  struct difference *difference)
{
    for (uint32_t k = 0; k < invocation->buffer_count; k++) {
        const struct buffer *buffer = &invocation->buffers[k];
        size_t size = element_size(buffer->element);
        if (first[k] == NULL || second[k] == NULL ||
            allowance_find(invocation->allowed, ALLOWED_ORDER, buffer->name) < MAX_ALLOWED)
            continue;
        for (uint64_t i = 0; i < buffer->count; i++) {
            uint64_t one = 0, other = 0;
            memcpy(&one, (const char *)first[k] + i * size, size);
            memcpy(&other, (const char *)second[k] + i * size, size);
            if (oracle_canonical(buffer->element, one) == oracle_canonical(buffer->element, other))
                continue;
            difference_at(difference, invocation, k, i);
            oracle_text_of(buffer, one, difference->expected);
            oracle_text_of(buffer, other, difference->got);
            return false;
        }
    }
    return true;
}

/* ---- Nested launches ---- */

/* Checks which threads said hello, and which lines were printed. */
static enum judgement judge_log(const struct result *result, const struct launch_tree *tree,
                                struct difference *difference)
{
    enum contract contract = result->variant->contract;
    enum log_order order = contract == CONTRACT_HELLO_NESTED  ? LOG_CHILDREN_IN_BETWEEN
                           : contract == CONTRACT_HELLO_FIRST ? LOG_PARENTS_FIRST
                                                              : LOG_ANY_ORDER;
    const char *place = NULL;

    if (!oracle_check_log(tree, result->buffers[0], result->invocation->buffers[0].count, order,
                          difference->expected, difference->got, sizeof difference->got))
        place = "log";
    else if (result->printed != NULL &&
             !oracle_check_printed(tree, result->buffers[0], result->printed, difference->expected,
                                   difference->got, sizeof difference->got))
        place = "printed";
    if (place == NULL)
        return JUDGEMENT_EQUAL;
    snprintf(difference->place, sizeof difference->place, "%s", place);
    return JUDGEMENT_DIFFERS;
}

/* Compares each element's words with those that the program computes from its inputs, block by
 * block. */
static enum judgement judge_program(const struct result *result, struct difference *difference)
{
    const uint64_t n = result->shape->size[0];
    const uint32_t *got = result->buffers[1];

    for (uint64_t first = 0; first < n; first += PROGRAM_BLOCK) {
        uint32_t in[PROGRAM_IN][PROGRAM_BLOCK], expected[PROGRAM_OUT][PROGRAM_BLOCK];
        program_inputs(result->values, n, first, in);
        program_evaluate(result->variant->program, in, expected);
        for (uint64_t i = 0; i < PROGRAM_BLOCK; i++) {
            uint32_t low = got[first + i], high = got[n + first + i];
            if (low == expected[0][i] && high == expected[1][i])
                continue;
            snprintf(difference->place, sizeof difference->place, "element %" PRIu64, first + i);
            snprintf(difference->expected, sizeof difference->expected, "0x%08" PRIx32 "%08" PRIx32,
                     expected[1][i], expected[0][i]);
            snprintf(difference->got, sizeof difference->got, "0x%08" PRIx32 "%08" PRIx32, high,
                     low);
            return JUDGEMENT_DIFFERS;
        }
    }
    return JUDGEMENT_EQUAL;
}

static enum judgement judge_count(const char *what, uint64_t expected, uint64_t got,
                                  struct difference *difference)
{
    if (got == expected)
        return JUDGEMENT_EQUAL;
    snprintf(difference->place, sizeof difference->place, "%s", what);
    snprintf(difference->expected, sizeof difference->expected, "%" PRIu64, expected);
    snprintf(difference->got, sizeof difference->got, "%" PRIu64, got);
    return JUDGEMENT_DIFFERS;
}

/* Compares how many grids the kernels launched, and their blocks and threads. */
static enum judgement judge_children(const struct result *result, const struct launch_tree *tree,
                                     struct difference *difference)
{
    enum judgement judgement =
        judge_count("child grids", tree->children, result->children, difference);

    if (judgement == JUDGEMENT_EQUAL)
        judgement = judge_count("blocks of child grids", tree->child_blocks, result->child_blocks,
                                difference);
    if (judgement == JUDGEMENT_EQUAL)
        judgement = judge_count("threads of child grids", tree->child_threads,
                                result->child_threads, difference);
    return judgement;
}

/* Returns the name of the file, and the line: "nested_reduce.cu:33". */
static const char *short_line(const char *line)
{
    const char *slash = strrchr(line, '/');

    return slash != NULL ? slash + 1 : line;
}

/* Checks whether a launching kernel waits for its children, as its variant says. */
static enum judgement judge_waits(const struct result *result, struct difference *difference)
{
    enum waits waits = result->variant->waits;
    const char *what = NULL, *line = result->unwaited, *expected = "",
               *got = "one that goes on before";

    if (waits == WAITS_NEVER && result->waited[0] != '\0') {
        what = "a wait for children";
        line = result->waited;
        expected = "a parent that goes on at once";
        got = "one that waits";
    } else if (waits != WAITS_NEVER && result->unwaited[0] != '\0') {
        what = "launch without a wait";
        expected = "a parent that goes on after its child completes";
    } else if (waits == WAITS_BLOCK && result->unjoined[0] != '\0') {
        what = "no barrier after the wait";
        line = result->unjoined;
        expected = "a block that goes on after its child completes";
    }
    if (what == NULL)
        return JUDGEMENT_EQUAL;
    snprintf(difference->place, sizeof difference->place, "%s, %s", short_line(line), what);
    snprintf(difference->expected, sizeof difference->expected, "%s", expected);
    snprintf(difference->got, sizeof difference->got, "%s", got);
    return JUDGEMENT_DIFFERS;
}

enum judgement oracle_judge(struct oracle_sums *sums, const struct result *result,
                            struct difference *difference)
{
    enum judgement judgement = JUDGEMENT_EQUAL;
    struct launch_tree tree = {0};
    const uint32_t *inputs;

    *difference = (struct difference){0};
    if (result->variant->launches != LAUNCHES_NOTHING) {
        oracle_launch_tree(result->variant, result->shape, &tree);
        judgement = judge_waits(result, difference);
    }
    if (judgement != JUDGEMENT_EQUAL)
        return judgement;
    switch (result->variant->contract) {
    case CONTRACT_SUM:
        judgement = judge_sums(sums, result, difference);
        break;
    case CONTRACT_HELLO:
    case CONTRACT_HELLO_FIRST:
    case CONTRACT_HELLO_NESTED:
        judgement = judge_log(result, &tree, difference);
        break;
    case CONTRACT_MATRIX_SUM:
    case CONTRACT_SPLIT_LANES:
    case CONTRACT_SPLIT_WARPS:
    case CONTRACT_TRIPS:
    case CONTRACT_SPLIT_WAYS:
    case CONTRACT_WARP_MAP:
        judgement = find_inputs(sums, result, &inputs) ? judge_elements(result, inputs, difference)
                                                       : JUDGEMENT_FAILED;
        break;
    case CONTRACT_PROGRAM:
        judgement = judge_program(result, difference);
        break;
    case CONTRACT_EXPECTED:
        judgement = judge_expected(result, difference);
        break;
    case CONTRACT_NONE:
        break;
    }
    if (judgement == JUDGEMENT_EQUAL && result->variant->launches != LAUNCHES_NOTHING)
        judgement = judge_children(result, &tree, difference);
    if (judgement == JUDGEMENT_EQUAL && result->variant->stores > 0 &&
        result->accesses != UINT64_MAX)
        judgement = judge_count("stores", result->shape->size[0] * result->variant->stores,
                                result->accesses, difference);
    return judgement;
}
