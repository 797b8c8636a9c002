/* SPDX-License-Identifier: MIT
 *
 * Litmus tests: a few threads, each with a few memory instructions, and a question about how they
 * may end. docs/litmus.md describes the text format.
 */
#ifndef SIMTCHECK_LITMUS_LITMUS_H
#define SIMTCHECK_LITMUS_LITMUS_H

#include <stdbool.h>
#include <stddef.h>

enum {
    LITMUS_THREADS = 6,
    LITMUS_INSTRUCTIONS = 16, /* of a thread */
    LITMUS_REGISTERS = 16,    /* of a thread */
    LITMUS_VARIABLES = 8,
    LITMUS_TERMS = 16,      /* registers and variables that a condition names */
    LITMUS_CONDITIONS = 64, /* nodes of a condition */
    LITMUS_NAME = 96,
    LITMUS_LABEL = 16,
};

/* From narrow to wide. A weak operation has no scope. */
enum litmus_scope { SCOPE_NONE, SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS };

enum litmus_order {
    ORDER_WEAK,
    ORDER_RELAXED,
    ORDER_ACQUIRE,
    ORDER_RELEASE,
    ORDER_ACQ_REL,
    ORDER_SC
};

enum litmus_opcode {
    LITMUS_LOAD,
    LITMUS_STORE,
    LITMUS_ATOM,    /* a read-modify-write that returns the old value */
    LITMUS_RED,     /* a read-modify-write that returns nothing */
    LITMUS_FENCE,   /* fence.sc, fence.acq_rel, fence.acquire, fence.release */
    LITMUS_ALIAS,   /* fence.proxy.alias */
    LITMUS_BARRIER, /* bar.sync */
    LITMUS_COMPUTE, /* arithmetic in registers */
    LITMUS_BRANCH,  /* a conditional jump forward */
};

enum litmus_operation {
    OPERATION_MOVE, /* also `exch` */
    OPERATION_ADD,
    OPERATION_SUB,
    OPERATION_MUL,
    OPERATION_AND,
    OPERATION_OR,
    OPERATION_XOR,
    OPERATION_CAS,
    OPERATION_EQ, /* comparisons of branches */
    OPERATION_NE,
    OPERATION_LT,
    OPERATION_LE,
    OPERATION_GT,
    OPERATION_GE,
    OPERATION_ALWAYS,
};

struct litmus_operand {
    bool is_register;
    int value; /* a constant, or the number of a register */
};

struct litmus_instruction {
    enum litmus_opcode opcode;
    enum litmus_order order;
    enum litmus_scope scope;
    enum litmus_operation operation;
    bool is_volatile;
    int target;   /* the register of the result */
    int variable; /* of a memory operation */
    bool has_offset;
    int offset; /* a register whose value in bytes is added to the address */
    struct litmus_operand a, b;
    int barrier;
    char label[LITMUS_LABEL]; /* where a branch jumps */
    int jump;                 /* the number of the instruction there */
};

/* Where a thread runs. Threads of one block with the same warp share a warp. */
struct litmus_thread {
    int gpu, cluster, block, warp;
    struct litmus_instruction instructions[LITMUS_INSTRUCTIONS];
    int count;
    int initial[LITMUS_REGISTERS];
};

/* A virtual address. Aliases share the location of another variable. */
struct litmus_variable {
    char name[16];
    bool is_shared; /* in the shared memory of a block */
    int owner;      /* of a shared variable: a thread of that block */
    int initial;
    int location; /* the number of the variable whose memory this is */
};

/* A register (thread >= 0) or the final value of a variable (thread == -1). */
struct litmus_term {
    int thread, number;
};

enum condition_kind { CONDITION_EQUAL, CONDITION_AND, CONDITION_OR, CONDITION_NOT };

/* A node of a condition. Sides are numbers of nodes; of an equality, operands. */
struct litmus_condition {
    enum condition_kind kind;
    int left, right;
    struct litmus_operand a, b; /* is_register: the number of a term */
};

enum litmus_quantifier { QUANTIFIER_EXISTS, QUANTIFIER_NOT_EXISTS, QUANTIFIER_FORALL };

/* What the file says about `exists`. A file of others says nothing. */
enum litmus_verdict { VERDICT_NONE, VERDICT_ALLOWED, VERDICT_FORBIDDEN };

struct litmus_test {
    char name[LITMUS_NAME]; /* with the values of its parameters: SB/gpu/block */
    int line;               /* where the test begins */
    struct litmus_thread threads[LITMUS_THREADS];
    int thread_count;
    struct litmus_variable variables[LITMUS_VARIABLES];
    int variable_count;
    struct litmus_term terms[LITMUS_TERMS];
    int term_count;
    struct litmus_condition conditions[LITMUS_CONDITIONS];
    int condition_count; /* the last one is the root */
    enum litmus_quantifier quantifier;
    enum litmus_verdict verdict;
};

struct litmus_tests {
    struct litmus_test *list;
    size_t count;
};

/* Reads the tests of a text. A mistake is written to `error`, with its line. */
bool litmus_read(const char *text, struct litmus_tests *tests, char *error, size_t size);

/* Returns whether the condition holds for these values of the test's terms. */
bool litmus_condition_holds(const struct litmus_test *test, const int *values);

/* Returns whether the thread is in the scope of the other thread. */
bool litmus_in_scope(const struct litmus_thread *thread, const struct litmus_thread *other,
                     enum litmus_scope scope);

/* Returns the result of arithmetic, a comparison, or a read-modify-write whose old value is `a`. */
int litmus_compute(enum litmus_operation operation, int a, int b);

#endif
