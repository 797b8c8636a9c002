/* SPDX-License-Identifier: MIT */
#include "fiber.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)

/* System V ABI: rbx, rbp and r12 to r15 belong to the caller. */
__asm__(".text\n"
        ".globl fiber_switch\n"
        ".type fiber_switch, @function\n"
        "fiber_switch:\n"
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
        ".size fiber_switch, . - fiber_switch\n");

enum { SAVED_WORDS = 8, ENTRY_WORD = 6 }; /* six registers, the entry, its null return address */

#elif defined(__aarch64__)

/* AAPCS64: x19 to x30 and the low halves of v8 to v15 belong to the caller. */
__asm__(".text\n"
        ".globl fiber_switch\n"
        ".type fiber_switch, %function\n"
        "fiber_switch:\n"
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
        ".size fiber_switch, . - fiber_switch\n");

enum { SAVED_WORDS = 20, ENTRY_WORD = 11 }; /* x30 is the twelfth word */

#else
#error "fiber_switch is written for x86-64 and aarch64"
#endif

void *fiber_prepare(void *low, size_t size, void (*entry)(void))
{
    uintptr_t top = ((uintptr_t)low + size) & ~(uintptr_t)15;
    void **frame = (void **)top - SAVED_WORDS;

    memset(frame, 0, SAVED_WORDS * sizeof *frame);
    memcpy(&frame[ENTRY_WORD], &entry, sizeof entry);
    return frame;
}
