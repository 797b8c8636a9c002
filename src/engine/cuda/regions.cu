/* SPDX-License-Identifier: MIT */
#include "regions.h"

#include <cstdio>
#include <cstring>

namespace
{

constexpr unsigned int FILL_THREADS = 256;

/* Returns a word that differs from place to place, so that no value with which a kernel fills
 * memory looks like poison. For floats it is a NaN, so that a sum that includes it shows it. */
__device__ uint32_t poison(uint64_t salt, element type, const uint32_t *place)
{
    uint32_t word = (uint32_t)(values_hash(salt, (uint64_t)(uintptr_t)place) >> 16);
    return type == ELEMENT_F32 ? word | 0x7fc00000u : word;
}

__device__ uint32_t prepared_word(const region &region, uint64_t salt, uint64_t word)
{
    bool guard = word < region.guard || word >= region.guard + region.count;
    if (guard || region.purpose == ROLE_OUTPUT || region.purpose == ROLE_SCRATCH ||
        region.purpose == ROLE_INITIAL)
        return poison(salt, region.input.element, region.words + word);
    if (region.purpose == ROLE_LOG)
        return 0;
    uint64_t i = word - region.guard;
    if (i >= region.count - region.padding)
        return 0;
    return values_word(&region.input, i);
}

/* Returns the region with the block's piece: the last one whose first piece is not later. */
__device__ const region &region_of_block(const region *regions, uint32_t count)
{
    uint32_t first = 0;

    while (count > 1) {
        uint32_t half = count / 2;
        if (regions[first + half].first_piece <= blockIdx.x) {
            first += half;
            count -= half;
        } else {
            count = half;
        }
    }
    return regions[first];
}

/* The words of a block's piece: `first` <= word < `last`. */
struct piece {
    uint64_t first, last;
};

__device__ piece piece_of_block(const region &region)
{
    uint64_t words = region.count + 2 * region.guard,
             first = (blockIdx.x - region.first_piece) * PIECE_WORDS, last = first + PIECE_WORDS;
    return {first, last < words ? last : words};
}

__global__ void prepare(const region *regions, uint32_t count, uint64_t salt)
{
    const region region = region_of_block(regions, count);
    const piece piece = piece_of_block(region);

    for (uint64_t w = piece.first + threadIdx.x; w < piece.last; w += blockDim.x)
        region.words[w] = prepared_word(region, salt, w);
}

__global__ void inspect(const region *regions, uint32_t count, violations *found, uint64_t salt)
{
    const region region = region_of_block(regions, count);
    const piece piece = piece_of_block(region);
    violations *job = &found[region.job];

    for (uint64_t w = piece.first + threadIdx.x; w < piece.last; w += blockDim.x) {
        bool guard = w < region.guard || w >= region.guard + region.count;
        bool unchanged = region.words[w] == prepared_word(region, salt, w);
        unsigned long long place = (unsigned long long)region.buffer << 48 | w;
        if (guard && !unchanged)
            atomicMin(&job->stray, place);
        else if (!guard && region.purpose == ROLE_OUTPUT && unchanged)
            atomicMin(&job->unwritten, place);
        else if (!guard && region.purpose == ROLE_INPUT && !unchanged)
            atomicMin(&job->read_only, place);
        if (!guard && region.packed != nullptr)
            region.packed[w - region.guard] = region.words[w];
    }
}

} // namespace

uint64_t guard_words(size_t jobs)
{
    return jobs == 1 ? WIDE_GUARD_WORDS : GUARD_WORDS;
}

uint64_t words_of(const buffer &buffer)
{
    return (buffer_bytes(&buffer) + sizeof(uint32_t) - 1) / sizeof(uint32_t);
}

uint32_t pieces_of(const region &region)
{
    return (uint32_t)((region.count + 2 * region.guard + PIECE_WORDS - 1) / PIECE_WORDS);
}

size_t region_bytes(const buffer &buffer, uint64_t guard)
{
    size_t bytes = buffer_room(&buffer) + 2 * guard * sizeof(uint32_t);
    return (bytes + 511) / 512 * 512; /* a texture of memory begins at a multiple of 512 */
}

void *row_in_region(const buffer &buffer, const region &region, uint64_t row)
{
    return reinterpret_cast<char *>(region.words + region.guard) +
           row * buffer.row * element_size(buffer.element);
}

room room_for(const engine_job &job, uint64_t guard)
{
    room needed = {0, 0};
    for (uint32_t k = 0; k < job.invocation->buffer_count; k++) {
        const buffer &buffer = job.invocation->buffers[k];
        needed.slab += region_bytes(buffer, guard);
        if (job.results[k] != nullptr)
            needed.packed_words += words_of(buffer);
    }
    return needed;
}

cudaError_t regions_open()
{
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, prepare);
}

cudaError_t regions_prepare(const region *regions, uint32_t count, uint32_t pieces, uint64_t salt,
                            cudaStream_t stream)
{
    if (count > 0)
        prepare<<<pieces, FILL_THREADS, 0, stream>>>(regions, count, salt);
    return cudaGetLastError();
}

cudaError_t regions_inspect(const region *regions, uint32_t count, uint32_t pieces, uint64_t salt,
                            violations *found, cudaStream_t stream)
{
    if (count > 0)
        inspect<<<pieces, FILL_THREADS, 0, stream>>>(regions, count, found, salt);
    return cudaGetLastError();
}

void regions_judge(const violations &found, const invocation &invocation, uint64_t guard,
                   fault *fault)
{
    unsigned long long place;

    if (found.stray != NOTHING_FOUND) {
        place = found.stray;
        fault->kind = FAULT_OUT_OF_BOUNDS_WRITE;
    } else if (found.read_only != NOTHING_FOUND) {
        place = found.read_only;
        fault->kind = FAULT_READ_ONLY;
    } else if (found.unwritten != NOTHING_FOUND) {
        place = found.unwritten;
        fault->kind = FAULT_UNWRITTEN_OUTPUT;
    } else {
        return;
    }
    const buffer &buffer = invocation.buffers[place >> 48];
    long long word = (long long)(place & ((1ull << 48) - 1)) - (long long)guard;
    long long index = word * (long long)sizeof(uint32_t) / (long long)element_size(buffer.element);
    if (index >= 0 && index < (long long)buffer.count)
        buffer_place(&buffer, (uint64_t)index, fault->object, sizeof fault->object);
    else
        snprintf(fault->object, sizeof fault->object, "%s[%lld]", buffer.name, index);
    fault->sentence = fault->kind == FAULT_OUT_OF_BOUNDS_WRITE ? SAYS_GUARD_WRITTEN
                      : fault->kind == FAULT_READ_ONLY         ? SAYS_INPUT_WRITTEN
                                                               : SAYS_ELEMENT_UNWRITTEN;
    fault->writes = fault->kind != FAULT_UNWRITTEN_OUTPUT;
    fault->element.unit = ELEMENT_INDEX;
    fault->element.side = index < 0                          ? SIDE_BEFORE
                          : index >= (long long)buffer.count ? SIDE_AFTER
                                                             : SIDE_INSIDE;
    fault->element.index = index;
    fault->element.count = buffer.count;
    snprintf(fault->element.array, sizeof fault->element.array, "%s", buffer.name);
    fault_render(fault);
}
