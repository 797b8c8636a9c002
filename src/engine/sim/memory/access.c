/* SPDX-License-Identifier: MIT
 *
 * The compiler's callbacks. A kernel file is compiled with -fsanitize=thread and linked without
 * that sanitizer's run-time library: each memory access of a kernel becomes a call of one of the
 * functions below, made just before the access. Volatile accesses come apart from plain ones.
 */
#include "budget.h"
#include "busy_wait.h"
#include "fault.h"
#include "memory.h"
#include "policy.h"
#include "schedule.h"
#include "simt_ptx.h"

#include <string.h>

static inline uint64_t repeat(unsigned int state, size_t size)
{
    return UINT64_C(0x0101010101010101) * state >> (64 - 8 * size);
}

/* Is every byte of the access in a state that allows it? Marks bytes written. */
static inline bool allowed(uint8_t *shadow, size_t size, unsigned int access)
{
    if (size <= 8) {
        uint64_t state = 0, wanted;
        memcpy(&state, shadow, size);
        wanted = repeat(access & ACCESS_WRITE ? SHADOW_WRITABLE : SHADOW_READABLE | SHADOW_WRITTEN,
                        size);
        if (unlikely((state & wanted) != wanted))
            return false;
        if (access & ACCESS_WRITE) {
            state |= repeat(SHADOW_WRITTEN, size);
            memcpy(shadow, &state, size);
        }
        return true;
    }
    for (size_t done = 0; done < size; done += 8)
        if (!allowed(shadow + done, size - done < 8 ? size - done : 8, access))
            return false;
    return true;
}

static inline void check_allowed(uintptr_t address, size_t size, unsigned int access,
                                 const void *site)
{
    if (unlikely(race_unsettled))
        race_settle();
    if (unlikely(--steps.countdown < 0))
        schedule_event(address, size, access, site);
    if (likely(memory_is_global(address))) {
        if (unlikely(!allowed(memory.global_shadow + (address - memory.global_base), size, access)))
            memory_fault(address, size, access, site);
    } else if (memory_is_shared(address)) {
        memory.shared_dirty = true;
        if (unlikely(!allowed(memory.shared_shadow + (address - memory.shared_base), size, access)))
            memory_fault(address, size, access, site);
    } else {
        memory_other(address, size, access, site);
    }
}

/* Before a strong access: a thread that waits lets others run. */
static inline void look_or_wait(uintptr_t address, size_t size, const void *code,
                                const struct simt_site *site)
{
    if (unlikely(busy_wait_waits(address, size))) {
        schedule_spin(code, site);
        busy_wait_waited();
    }
}

static inline void check(void *pointer, size_t size, unsigned int access, const void *site)
{
    uintptr_t address = memory_known(pointer);

    if (access == (ACCESS_READ | ACCESS_VOLATILE))
        look_or_wait(address, size, site, NULL);
    else if (access & ACCESS_VOLATILE)
        busy_wait_forget();
    check_allowed(address, size, access, site);
    if (access & ACCESS_VOLATILE)
        rules.after_strong = true;
    if (unlikely(race_on))
        race_access(&current.block->race, current.thread->number, address, size, access, site);
}

/* Before an atomic access: it reads and writes. */
static void before_atomic(uintptr_t address, size_t size, const void *code)
{
    look_or_wait(address, size, code, current.thread->atomic);
    check_allowed(address, size, ACCESS_ATOMIC, code);
    rules.after_strong = true;
    if (memory_is_global(address)) {
        if (unlikely(!allowed(memory.global_shadow + (address - memory.global_base), size,
                              ACCESS_WRITE)))
            memory_fault(address, size, ACCESS_WRITE, code);
    } else if (memory_is_shared(address)) {
        if (unlikely(!allowed(memory.shared_shadow + (address - memory.shared_base), size,
                              ACCESS_WRITE)))
            memory_fault(address, size, ACCESS_WRITE, code);
    }
}

/* A GPU makes no access but at a multiple of its size, or of the parts that are accessed. */
static inline void check_alignment(uintptr_t address, size_t size, size_t unit, const void *place)
{
    if (unlikely((address & (unit - 1)) != 0))
        fault_raise(FAULT_MISALIGNED, place, "makes an access of %zu bytes at no multiple of that",
                    size);
}

#pragma GCC visibility push(default) /* kernels of a shared object call them too */

/* `unit`: of what its address is to be a multiple. Those of which the compiler knows that they are
 * at no multiple of their size have names of their own: parts of packed structs, and several
 * accesses that it has made one. A struct of 16 bytes may be at a multiple of 8. */
#define CALLBACK(name, size, unit, access)                                                         \
    void __tsan_##name(void *pointer);                                                             \
    void __tsan_##name(void *pointer)                                                              \
    {                                                                                              \
        check_alignment((uintptr_t)pointer, size, unit, __builtin_return_address(0));              \
        check(pointer, size, access, __builtin_return_address(0));                                 \
    }
#define CALLBACKS(size, unit)                                                                      \
    CALLBACK(read##size, size, unit, ACCESS_READ)                                                  \
    CALLBACK(write##size, size, unit, ACCESS_WRITE)                                                \
    CALLBACK(unaligned_read##size, size, 1, ACCESS_READ)                                           \
    CALLBACK(unaligned_write##size, size, 1, ACCESS_WRITE)                                         \
    CALLBACK(volatile_read##size, size, unit, ACCESS_READ | ACCESS_VOLATILE)                       \
    CALLBACK(volatile_write##size, size, unit, ACCESS_WRITE | ACCESS_VOLATILE)                     \
    CALLBACK(unaligned_volatile_read##size, size, 1, ACCESS_READ | ACCESS_VOLATILE)                \
    CALLBACK(unaligned_volatile_write##size, size, 1, ACCESS_WRITE | ACCESS_VOLATILE)

CALLBACKS(1, 1)
CALLBACKS(2, 2)
CALLBACKS(4, 4)
CALLBACKS(8, 8)
CALLBACKS(16, 8)

#pragma GCC visibility pop

/* ---- Accesses of kernels from PTX: simt_ptx.h ---- */

#define PLACED(name, size, access)                                                                 \
    void simt_##name##size(const struct simt_place *place, uintptr_t address)                      \
    {                                                                                              \
        check_alignment(address, size, size, place);                                               \
        check((void *)address, size, access, place);                                               \
    }
#define PLACED_ALL(size)                                                                           \
    PLACED(read_w, size, ACCESS_READ)                                                              \
    PLACED(write_w, size, ACCESS_WRITE)                                                            \
    PLACED(read_v, size, ACCESS_READ | ACCESS_VOLATILE)                                            \
    PLACED(read_c, size, ACCESS_READ | ACCESS_CONSTANT)                                            \
    PLACED(write_v, size, ACCESS_WRITE | ACCESS_VOLATILE)

PLACED_ALL(1)
PLACED_ALL(2)
PLACED_ALL(4)
PLACED_ALL(8)
PLACED_ALL(16)

static void strong(const struct simt_place *place, uintptr_t address, size_t size,
                   unsigned int access, enum simt_scope scope, enum simt_order order)
{
    check_alignment(address, size, size, place);
    if (access & ACCESS_WRITE)
        busy_wait_forget();
    else
        look_or_wait(address, size, place, NULL);
    check_allowed(address, size, access | ACCESS_VOLATILE, place);
    rules.after_strong = true;
    if (unlikely(race_on))
        race_strong(&current.block->race, current.thread->number, address, size, access, scope,
                    order, place);
}

void simt_strong_read(const struct simt_place *place, uintptr_t address, size_t size,
                      enum simt_scope scope, enum simt_order order)
{
    strong(place, address, size, ACCESS_READ, scope, order);
}

void simt_strong_write(const struct simt_place *place, uintptr_t address, size_t size,
                       enum simt_scope scope, enum simt_order order)
{
    strong(place, address, size, ACCESS_WRITE, scope, order);
}

void simt_atomic_access(const struct simt_place *place, uintptr_t address, size_t size,
                        enum simt_scope scope, enum simt_order order)
{
    check_alignment(address, size, size, place);
    before_atomic(address, size, place);
    if (race_on)
        race_strong(&current.block->race, current.thread->number, address, size, ACCESS_ATOMIC,
                    scope, order, place);
}

#pragma GCC visibility push(default)

#define RANGE_CALLBACK(name, access)                                                               \
    void __tsan_##name(void *pointer, size_t size);                                                \
    void __tsan_##name(void *pointer, size_t size)                                                 \
    {                                                                                              \
        if (size > 0)                                                                              \
            check(pointer, size, access, __builtin_return_address(0));                             \
    }

RANGE_CALLBACK(read_range, ACCESS_READ)
RANGE_CALLBACK(write_range, ACCESS_WRITE)

/* Before an atomic access, which a kernel makes by the dialect. Between this call and the access
 * nothing else runs, for GPU threads take turns on one thread of the host. */
void simt_atomic(const struct simt_site *site, void *pointer, size_t size, enum simt_scope scope)
{
    const void *code = __builtin_return_address(0);
    uintptr_t address = memory_known(pointer);

    current.thread->atomic = site;
    before_atomic(address, size, code);
    if (race_on)
        race_atomic(&current.block->race, current.thread->number, address, size, scope, site);
    current.thread->atomic = NULL;
}

/* The pointer by which an object has its virtual functions. */
void __tsan_vptr_read(void **pointer);
void __tsan_vptr_update(void **pointer, void *value);

void __tsan_vptr_read(void **pointer)
{
    check(pointer, sizeof *pointer, ACCESS_READ, __builtin_return_address(0));
}

void __tsan_vptr_update(void **pointer, void *value)
{
    (void)value;
    check(pointer, sizeof *pointer, ACCESS_WRITE, __builtin_return_address(0));
}

/* Emitted by the compiler too; there is nothing to do. */
void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void)
{
}

#pragma GCC visibility pop

/* Kernels' calls of memcpy() and the like end here (dialect.h). */
void *simt_memcpy(void *to, const void *from, size_t size)
{
    if (size > 0) {
        check((void *)(uintptr_t)from, size, ACCESS_READ, __builtin_return_address(0));
        check(to, size, ACCESS_WRITE, __builtin_return_address(0));
    }
    return memcpy(to, from, size);
}

void *simt_memmove(void *to, const void *from, size_t size)
{
    if (size > 0) {
        check((void *)(uintptr_t)from, size, ACCESS_READ, __builtin_return_address(0));
        check(to, size, ACCESS_WRITE, __builtin_return_address(0));
    }
    return memmove(to, from, size);
}

void *simt_memset(void *to, int byte, size_t size)
{
    if (size > 0)
        check(to, size, ACCESS_WRITE, __builtin_return_address(0));
    return memset(to, byte, size);
}
