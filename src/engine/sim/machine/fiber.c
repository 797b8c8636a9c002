/* SPDX-License-Identifier: MIT */
#include "fiber.h"

#include <stdint.h>
#include <string.h>

#ifdef FIBER_SANITIZED
#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__x86_64__)

/* System V ABI: rbx, rbp and r12 to r15 belong to the caller. */
__asm__(".text\n"
        ".globl fiber_exchange\n"
        ".type fiber_exchange, @function\n"
        "fiber_exchange:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size fiber_exchange, . - fiber_exchange\n");

enum { SAVED_WORDS = 8, ENTRY_WORD = 6 }; /* six registers, the entry, its null return address */

#elif defined(__aarch64__)

/* AAPCS64: x19 to x30 and the low halves of v8 to v15 belong to the caller. */
__asm__(".text\n"
        ".globl fiber_exchange\n"
        ".type fiber_exchange, %function\n"
        "fiber_exchange:\n"
        "    stp x19, x20, [sp, #-160]!\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    ldp x19, x20, [sp], #160\n"
        "    ret\n"
        ".size fiber_exchange, . - fiber_exchange\n");

enum { SAVED_WORDS = 20, ENTRY_WORD = 11 }; /* x30 is the twelfth word */

#else
#error "fiber_exchange is written for x86-64 and aarch64"
#endif

struct fiber fiber_home;
volatile sig_atomic_t fiber_running, fiber_held;

#ifdef FIBER_SANITIZED

/* What AddressSanitizer wants to know: before a switch where the next stack lies, after it that it
 * is made. A new stack has nothing of its own to bring back. */
static void (*first_call)(void);

static void arrive_first(void)
{
    __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
    first_call();
}

void fiber_switch(struct fiber *from, struct fiber *to)
{
    __sanitizer_start_switch_fiber(&from->fake_stack, to->low, to->size);
    fiber_exchange(&from->stack_pointer, to->stack_pointer);
    __sanitizer_finish_switch_fiber(from->fake_stack, NULL, NULL);
}

static void learn_home(void)
{
    pthread_attr_t attributes;
    void *low;

    if (fiber_home.low != NULL || pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    if (pthread_attr_getstack(&attributes, &low, &fiber_home.size) == 0)
        fiber_home.low = low;
    pthread_attr_destroy(&attributes);
}

#endif

void fiber_prepare(struct fiber *fiber, void *low, size_t size, void (*entry)(void))
{
    uintptr_t top = ((uintptr_t)low + size) & ~(uintptr_t)15;
    void **frame = (void **)top - SAVED_WORDS;

#ifdef FIBER_SANITIZED
    ASAN_UNPOISON_MEMORY_REGION(low, size); /* it may have been left in the middle of something */
    fiber->low = low;
    fiber->size = size;
    fiber->fake_stack = NULL;
    first_call = entry; /* all fibers have the same */
    entry = arrive_first;
#endif
    memset(frame, 0, SAVED_WORDS * sizeof *frame);
    memcpy(&frame[ENTRY_WORD], &entry, sizeof entry);
    fiber->stack_pointer = frame;
}

_Noreturn void fiber_leave(void)
{
    void *abandoned;

    fiber_running = false;
#ifdef FIBER_SANITIZED
    __sanitizer_start_switch_fiber(NULL, fiber_home.low, fiber_home.size);
#endif
    fiber_exchange(&abandoned, fiber_home.stack_pointer);
    __builtin_unreachable();
}

void fiber_run(struct fiber *first)
{
#ifdef FIBER_SANITIZED
    learn_home();
#endif
    fiber_running = true;
    fiber_switch(&fiber_home, first);
    fiber_running = false;
}
