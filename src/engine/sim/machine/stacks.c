/* SPDX-License-Identifier: MIT */
#include "stacks.h"

#include <string.h>
#include <sys/mman.h>

/* Room below the lowest stack, for a thread that overruns it to be caught at its next access; and
 * pages at both ends which nothing may touch, for one that makes none, or writes upwards. */
enum {
    STACK_PAD = 8 * STACK_STRIDE,
    STACK_GUARD = 65536,
    STACK_ROOM = (STACK_PAD + STACK_STRIDE * SIMT_BLOCK_THREADS + STACK_GUARD - 1) / STACK_GUARD *
                 STACK_GUARD,
    STACK_MEMORY = STACK_GUARD + STACK_ROOM + STACK_GUARD,
};

/* What stands at the low end of each stack, until a thread with too deep a stack overwrites it, and
 * between its top and the next one, until one that writes upwards does. */
enum { CANARY_WORDS = 32, CANARY_WORDS_ABOVE = (STACK_STRIDE - STACK_BYTES) / sizeof(uint64_t) };
static const uint64_t CANARY_WORD = UINT64_C(0x5157ac4b0bb1e5ed);

static struct stacks *all;

bool stacks_make(struct stacks *stacks)
{
    void *memory = mmap(NULL, STACK_MEMORY, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        return false;
    if (mprotect(memory, STACK_GUARD, PROT_NONE) != 0 ||
        mprotect((char *)memory + STACK_GUARD + STACK_ROOM, STACK_GUARD, PROT_NONE) != 0) {
        munmap(memory, STACK_MEMORY);
        return false;
    }
    *stacks = (struct stacks){memory, (char *)memory + STACK_GUARD + STACK_PAD, all};
    all = stacks;
    return true;
}

void stacks_free(struct stacks *stacks)
{
    struct stacks **link = &all;

    while (*link != stacks)
        link = &(*link)->next;
    *link = stacks->next;
    munmap(stacks->memory, STACK_MEMORY);
}

static char *low_end(const struct stacks *stacks, uint32_t k)
{
    return stacks->low + (size_t)k * STACK_STRIDE;
}

static void set_canary(char *at, int words)
{
    for (int i = 0; i < words; i++)
        memcpy(at + (size_t)i * sizeof CANARY_WORD, &CANARY_WORD, sizeof CANARY_WORD);
}

static bool has_canary(const char *at, int words)
{
    for (int i = 0; i < words; i++)
        if (memcmp(at + (size_t)i * sizeof CANARY_WORD, &CANARY_WORD, sizeof CANARY_WORD) != 0)
            return false;
    return true;
}

char *stacks_prepare(const struct stacks *stacks, uint32_t k)
{
    char *stack = low_end(stacks, k);

    set_canary(stack, CANARY_WORDS);
    set_canary(stack + STACK_BYTES, CANARY_WORDS_ABOVE);
    return stack;
}

bool stacks_low_is_whole(const struct stacks *stacks, uint32_t k)
{
    return has_canary(low_end(stacks, k), CANARY_WORDS);
}

bool stacks_top_is_whole(const struct stacks *stacks, uint32_t k)
{
    return has_canary(low_end(stacks, k) + STACK_BYTES, CANARY_WORDS_ABOVE);
}

bool stacks_is_guard(const void *address)
{
    for (const struct stacks *stacks = all; stacks != NULL; stacks = stacks->next)
        if ((uintptr_t)address - (uintptr_t)stacks->memory < STACK_GUARD)
            return true;
    return false;
}

size_t stacks_owner(const struct stacks *stacks, uintptr_t address)
{
    return (address - (uintptr_t)stacks->low) / STACK_STRIDE;
}

bool stacks_has(uintptr_t address)
{
    for (const struct stacks *stacks = all; stacks != NULL; stacks = stacks->next)
        if (stacks_owner(stacks, address) < SIMT_BLOCK_THREADS)
            return true;
    return false;
}
