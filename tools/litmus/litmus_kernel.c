/* SPDX-License-Identifier: MIT */
#include "litmus_kernel.h"

static const char *const scope_names[] = {"", "cta", "cluster", "gpu", "sys"};
static const char *const order_names[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc"};
static const char *const operation_names[] = {
    [OPERATION_MOVE] = "exch.b32",  [OPERATION_ADD] = "add.u32", [OPERATION_SUB] = "sub.u32",
    [OPERATION_MUL] = "mul.lo.u32", [OPERATION_AND] = "and.b32", [OPERATION_OR] = "or.b32",
    [OPERATION_XOR] = "xor.b32",    [OPERATION_CAS] = "cas.b32", [OPERATION_EQ] = "eq.s32",
    [OPERATION_NE] = "ne.s32",      [OPERATION_LT] = "lt.s32",   [OPERATION_LE] = "le.s32",
    [OPERATION_GT] = "gt.s32",      [OPERATION_GE] = "ge.s32",
};

/* The kernel that is being written. */
struct writer {
    const struct litmus_test *test;
    const struct litmus_layout *layout;
    FILE *file;
};

#define PUT(...) fprintf(writer->file, __VA_ARGS__)

static void put_parameters(const struct writer *writer, const char *name)
{
    static const char *const wide[] = {"variables", "results", "meeting", "scratch"};
    static const char *const narrow[] = {
        "variable_bytes", "instance_bytes", "iteration_bytes", "iterations", "blocks", "multiplier",
        "delay",          "busy",           "shift",           "rotation"};

    PUT("\n.visible .entry %s(.param .align 8 .b8 parameters[72])\n{\n", name);
    for (int k = 0; k < 4; k++)
        PUT("    .reg .b64 %%%s;\n", wide[k]);
    for (int k = 0; k < 10; k++)
        PUT("    .reg .b32 %%%s;\n", narrow[k]);
    PUT("    .reg .b32 %%thread, %%block, %%instance, %%instances, %%iteration, %%count, %%a, "
        "%%b;\n"
        "    .reg .b64 %%address, %%result, %%offset;\n"
        "    .reg .pred %%p;\n");
    for (int v = 0; v < writer->test->variable_count; v++)
        PUT("    .reg .b64 %%v%d;\n", v);
    for (int t = 0; t < writer->test->thread_count; t++)
        PUT("    .reg .b32 %%t%dr<%d>;\n", t, LITMUS_REGISTERS);
    for (int k = 0; k < 4; k++)
        PUT("    ld.param.u64 %%%s, [parameters+%d];\n", wide[k], 8 * k);
    for (int k = 0; k < 10; k++)
        PUT("    ld.param.u32 %%%s, [parameters+%d];\n", narrow[k], 32 + 4 * k);
    PUT("    mov.u32 %%thread, %%tid.x;\n"
        "    mov.u32 %%block, %%ctaid.x;\n"
        "    div.u32 %%instances, %%blocks, %d;\n"
        "    mul.lo.u32 %%instances, %%instances, %d;\n",
        writer->layout->blocks, writer->layout->per_block);
}

/* Puts the address of each global variable of the instance in this iteration into %vN. */
static void put_addresses(const struct writer *writer)
{
    PUT("    mul.wide.u32 %%address, %%iteration, %%iteration_bytes;\n"
        "    add.u64 %%address, %%address, %%variables;\n"
        "    mul.wide.u32 %%offset, %%instance, %%instance_bytes;\n"
        "    add.u64 %%address, %%address, %%offset;\n");
    for (int v = 0; v < writer->test->variable_count; v++) {
        const int location = writer->test->variables[v].location;

        PUT("    mul.wide.u32 %%offset, %%variable_bytes, %d;\n"
            "    add.u64 %%v%d, %%address, %%offset;\n",
            location, v);
        if (location != v)
            PUT("    add.u64 %%v%d, %%v%d, %lld;\n", v, v, LITMUS_MEMORY * v);
    }
    PUT("    mad.lo.u32 %%a, %%iteration, %%instances, %%instance;\n"
        "    mul.wide.u32 %%result, %%a, %d;\n"
        "    add.u64 %%result, %%result, %%results;\n",
        4 * writer->test->term_count);
}

/* Begins a kernel with one thread for each iteration and instance. */
static void put_one_thread_each(const struct writer *writer, const char *name)
{
    put_parameters(writer, name);
    PUT("    mov.u32 %%a, %%ntid.x;\n"
        "    mad.lo.u32 %%a, %%a, %%block, %%thread;\n"
        "    div.u32 %%iteration, %%a, %%instances;\n"
        "    rem.u32 %%instance, %%a, %%instances;\n"
        "    setp.ge.u32 %%p, %%iteration, %%iterations;\n"
        "    @%%p ret;\n");
    put_addresses(writer);
}

static void put_begin(const struct writer *writer)
{
    put_one_thread_each(writer, "begin");
    for (int v = 0; v < writer->test->variable_count; v++)
        if (!writer->test->variables[v].is_shared && writer->test->variables[v].location == v)
            PUT("    st.global.u32 [%%v%d], %d;\n", v, writer->test->variables[v].initial);
    PUT("    ret;\n}\n");
}

/* Returns whether the term is the final value of a shared variable. */
static bool is_shared_term(const struct litmus_test *test, int term)
{
    return test->terms[term].thread < 0 && test->variables[test->terms[term].number].is_shared;
}

static void put_finish(const struct writer *writer)
{
    put_one_thread_each(writer, "finish");
    for (int k = 0; k < writer->test->term_count; k++)
        if (writer->test->terms[k].thread < 0 && !is_shared_term(writer->test, k))
            PUT("    ld.global.u32 %%a, [%%v%d];\n"
                "    st.global.u32 [%%result+%d], %%a;\n",
                writer->test->terms[k].number, 4 * k);
    PUT("    ret;\n}\n");
}

/* Blocks that do not run the test load and store until all others have ended. */
static void put_stress(const struct writer *writer)
{
    PUT("STRESS:\n"
        "    mad.lo.u32 %%a, %%block, %d, %%thread;\n"
        "    mul.lo.u32 %%a, %%a, 1664525;\n"
        "    mov.u32 %%count, 64;\n"
        "STRESS_NEXT:\n"
        "    mad.lo.u32 %%a, %%a, 1664525, 1013904223;\n"
        "    shr.u32 %%b, %%a, 14;\n"
        "    mul.wide.u32 %%offset, %%b, 4;\n" /* 1 MiB of scratch memory */
        "    add.u64 %%offset, %%offset, %%scratch;\n"
        "    ld.relaxed.gpu.global.u32 %%b, [%%offset];\n"
        "    st.relaxed.gpu.global.u32 [%%offset], %%a;\n"
        "    sub.u32 %%count, %%count, 1;\n"
        "    setp.ne.u32 %%p, %%count, 0;\n"
        "    @%%p bra STRESS_NEXT;\n"
        "    mov.u32 %%count, 64;\n"
        "    ld.relaxed.gpu.global.u32 %%b, [%%meeting+4];\n"
        "    setp.lt.u32 %%p, %%b, %%blocks;\n"
        "    @%%p bra STRESS_NEXT;\n"
        "    ret;\n",
        LITMUS_BLOCK);
}

/* All blocks of the test meet. Then each thread waits for a few steps, in which it may store
 * elsewhere: the test's accesses then wait, too. */
static void put_meeting(const struct writer *writer)
{
    PUT("    barrier.sync 15;\n"
        "    setp.ne.u32 %%p, %%thread, 0;\n"
        "    @%%p bra MET;\n"
        "    add.u32 %%a, %%iteration, 1;\n"
        "    mul.lo.u32 %%a, %%a, %%blocks;\n"
        "    fence.acq_rel.gpu;\n"
        "    red.relaxed.gpu.global.add.u32 [%%meeting], 1;\n"
        "MEET:\n"
        "    ld.relaxed.gpu.global.u32 %%b, [%%meeting];\n"
        "    setp.lt.u32 %%p, %%b, %%a;\n"
        "    @%%p bra MEET;\n"
        "    fence.acq_rel.gpu;\n"
        "MET:\n"
        "    barrier.sync 15;\n"
        "    mad.lo.u32 %%a, %%block, %d, %%thread;\n"
        "    mad.lo.u32 %%a, %%a, 1664525, %%iteration;\n"
        "    mul.lo.u32 %%a, %%a, 22695477;\n"
        "    shr.u32 %%a, %%a, 20;\n"
        "    and.b32 %%count, %%a, %%delay;\n"
        "WAIT:\n"
        "    setp.eq.u32 %%p, %%count, 0;\n"
        "    @%%p bra WAITED;\n"
        "    mov.u32 %%b, %%clock;\n" /* keeps the loop */
        "    mad.lo.u32 %%a, %%a, 1664525, %%b;\n"
        "    shr.u32 %%b, %%a, 14;\n"
        "    mul.wide.u32 %%offset, %%b, 4;\n"
        "    add.u64 %%offset, %%offset, %%scratch;\n"
        "    setp.ne.u32 %%p, %%busy, 0;\n"
        "    @%%p st.relaxed.gpu.global.u32 [%%offset], %%a;\n"
        "    sub.u32 %%count, %%count, 1;\n"
        "    bra WAIT;\n"
        "WAITED:\n",
        LITMUS_BLOCK);
}

static void put_operand(const struct writer *writer, int thread, struct litmus_operand operand)
{
    if (operand.is_register)
        PUT("%%t%dr%d", thread, operand.value);
    else
        PUT("%d", operand.value);
}

/* Puts the opcode of a memory operation, up to the operation of an atomic. */
static void put_opcode(const struct writer *writer, int thread,
                       const struct litmus_instruction *instruction)
{
    static const char *const names[] = {"ld", "st", "atom", "red"};
    const char *space = !writer->test->variables[instruction->variable].is_shared ? "global"
                        : litmus_is_remote(writer->test, thread, instruction->variable)
                            ? "shared::cluster"
                            : "shared";

    PUT("    %s.", names[instruction->opcode]);
    if (instruction->is_volatile)
        PUT("volatile.");
    else
        PUT("%s.", order_names[instruction->order]);
    if (instruction->order != ORDER_WEAK && !instruction->is_volatile)
        PUT("%s.", scope_names[instruction->scope]);
    PUT("%s.", space);
    if (instruction->opcode >= LITMUS_ATOM)
        PUT("%s ", operation_names[instruction->operation]);
    else
        PUT("u32 ");
}

static void put_memory(const struct writer *writer, int thread,
                       const struct litmus_instruction *instruction)
{
    if (instruction->has_offset)
        PUT("    cvt.u64.u32 %%offset, %%t%dr%d;\n"
            "    add.u64 %%offset, %%offset, %%v%d;\n",
            thread, instruction->offset, instruction->variable);
    put_opcode(writer, thread, instruction);
    if (instruction->opcode == LITMUS_LOAD || instruction->opcode == LITMUS_ATOM)
        PUT("%%t%dr%d, ", thread, instruction->target);
    if (instruction->has_offset)
        PUT("[%%offset]");
    else
        PUT("[%%v%d]", instruction->variable);
    if (instruction->opcode != LITMUS_LOAD) {
        PUT(", ");
        put_operand(writer, thread, instruction->a);
    }
    if (instruction->operation == OPERATION_CAS) {
        PUT(", ");
        put_operand(writer, thread, instruction->b);
    }
    PUT(";\n");
}

/* Puts arithmetic or a branch. */
static void put_computation(const struct writer *writer, int thread,
                            const struct litmus_instruction *instruction)
{
    if (instruction->opcode == LITMUS_BRANCH) {
        if (instruction->operation != OPERATION_ALWAYS) {
            PUT("    setp.%s %%p, ", operation_names[instruction->operation]);
            put_operand(writer, thread, instruction->a);
            PUT(", ");
            put_operand(writer, thread, instruction->b);
            PUT(";\n    @%%p");
        } else
            PUT("   ");
        PUT(" bra T%d_%d;\n", thread, instruction->jump);
        return;
    }
    PUT("    %s %%t%dr%d, ",
        instruction->operation == OPERATION_MOVE ? "mov.b32"
                                                 : operation_names[instruction->operation],
        thread, instruction->target);
    put_operand(writer, thread, instruction->a);
    if (instruction->operation != OPERATION_MOVE) {
        PUT(", ");
        put_operand(writer, thread, instruction->b);
    }
    PUT(";\n");
}

static void put_thread(const struct writer *writer, int thread)
{
    const struct litmus_thread *code = &writer->test->threads[thread];

    PUT("THREAD%d:\n", thread);
    for (int k = 0; k < code->count; k++) {
        const struct litmus_instruction *instruction = &code->instructions[k];

        PUT("T%d_%d:\n", thread, k);
        if (instruction->opcode <= LITMUS_RED)
            put_memory(writer, thread, instruction);
        else if (instruction->opcode == LITMUS_FENCE)
            PUT("    fence.%s.%s;\n", order_names[instruction->order],
                scope_names[instruction->scope]);
        else if (instruction->opcode == LITMUS_ALIAS)
            PUT("    fence.proxy.alias;\n");
        else if (instruction->opcode == LITMUS_BARRIER)
            PUT("    barrier.sync %d;\n", instruction->barrier);
        else
            put_computation(writer, thread, instruction);
    }
    PUT("T%d_%d:\n", thread, code->count);
    for (int k = 0; k < writer->test->term_count; k++)
        if (writer->test->terms[k].thread == thread)
            PUT("    st.global.u32 [%%result+%d], %%t%dr%d;\n", 4 * k, thread,
                writer->test->terms[k].number);
    PUT("    bra NEXT;\n");
}

/* Threads without a role take part in barriers. */
static void put_idle(const struct writer *writer)
{
    const struct litmus_thread *code = &writer->test->threads[0];

    for (int k = 0; k < code->count; k++)
        if (code->instructions[k].opcode == LITMUS_BARRIER)
            PUT("    barrier.sync %d;\n", code->instructions[k].barrier);
    PUT("    bra NEXT;\n");
}

/* Puts the number of the instance into %instance, and the place of the thread in it into %b. Sends
 * threads without a place to IDLE. */
static void put_place(const struct writer *writer)
{
    const struct litmus_layout *layout = writer->layout;
    const int lanes = 32 / layout->lanes, warps = LITMUS_BLOCK / 32 / layout->warps;

    PUT("    mul.lo.u32 %%a, %%block, %%multiplier;\n"
        "    rem.u32 %%a, %%a, %%blocks;\n"
        "    rem.u32 %%b, %%a, %d;\n" /* the block of the instance */
        "    div.u32 %%instance, %%a, %d;\n"
        "    shr.u32 %%a, %%thread, 5;\n"
        "    div.u32 %%count, %%a, %d;\n"
        "    min.u32 %%count, %%count, %d;\n",
        layout->blocks, layout->blocks, layout->warps, warps - 1);
    if (!litmus_has_remotes(writer->test)) /* they are in memory of the block with that number */
        PUT("    mad.lo.u32 %%b, %%count, %%rotation, %%b;\n"
            "    rem.u32 %%b, %%b, %d;\n",
            layout->blocks);
    PUT("    rem.u32 %%a, %%a, %d;\n" /* the warp */
        "    mad.lo.u32 %%b, %%b, %d, %%a;\n"
        "    and.b32 %%a, %%thread, 31;\n"
        "    div.u32 %%a, %%a, %d;\n"
        "    mad.lo.u32 %%count, %%count, %d, %%a;\n"
        "    mad.lo.u32 %%count, %%b, %%shift, %%count;\n"
        "    rem.u32 %%count, %%count, %d;\n"
        "    mad.lo.u32 %%instance, %%instance, %d, %%count;\n",
        layout->warps, layout->warps, layout->lanes, lanes, layout->per_block, layout->per_block);
    PUT("    and.b32 %%a, %%thread, 31;\n"
        "    rem.u32 %%count, %%a, %d;\n" /* the lane */
        "    mad.lo.u32 %%b, %%b, %d, %%count;\n",
        layout->lanes, layout->lanes);
    /* The last lanes and warps of a block may not be enough for an instance. */
    PUT("    setp.ge.u32 %%p, %%a, %d;\n"
        "    @%%p mov.u32 %%b, 1000;\n"
        "    setp.ge.u32 %%p, %%thread, %d;\n"
        "    @%%p mov.u32 %%b, 1000;\n",
        lanes * layout->lanes, 32 * warps * layout->warps);
}

/* Puts the addresses of shared variables, of which the first is at %address, into %vN, and writes
 * the initial values where the guard holds. Each block has memory for all of them. %a is the block
 * of the instance. */
static void put_shared_addresses(const struct writer *writer, const char *guard)
{
    const struct litmus_test *test = writer->test;

    for (int v = 0; v < test->variable_count; v++)
        if (test->variables[v].is_shared)
            PUT("    add.u64 %%v%d, %%address, %d;\n"
                "    %sst.volatile.shared.u32 [%%v%d], %d;\n",
                v, 4 * v, guard, v, test->variables[v].initial);
    for (int v = 0; v < test->variable_count; v++)
        if (litmus_has_remote(test, v))
            PUT("    setp.ne.u32 %%p, %%a, %d;\n"
                "    @%%p mapa.shared::cluster.u64 %%v%d, %%v%d, %d;\n",
                litmus_block_number(test, test->variables[v].owner), v, v,
                litmus_block_number(test, test->variables[v].owner));
}

static bool has_shared(const struct litmus_test *test)
{
    for (int v = 0; v < test->variable_count; v++)
        if (test->variables[v].is_shared)
            return true;
    return false;
}

/* Waits until all threads that access shared variables of the block have come here. */
static void put_shared_barrier(const struct writer *writer)
{
    PUT("%s", litmus_has_remotes(writer->test)
                  ? "    barrier.cluster.arrive;\n    barrier.cluster.wait;\n"
                  : "    barrier.sync 15;\n");
}

/* Puts the final values of shared variables into the results. */
static void put_shared_results(const struct writer *writer)
{
    const struct litmus_test *test = writer->test;

    for (int k = 0; k < test->term_count; k++)
        if (is_shared_term(test, k))
            PUT("    setp.eq.u32 %%p, %%place, %d;\n"
                "    @%%p ld.shared.u32 %%a, [%%v%d];\n"
                "    @%%p st.global.u32 [%%result+%d], %%a;\n",
                litmus_place_of(writer->layout, test->variables[test->terms[k].number].owner),
                test->terms[k].number, 4 * k);
}

/* Writes the code of all threads, and what follows it. */
static void put_threads(const struct writer *writer)
{
    for (int t = 0; t < writer->test->thread_count; t++)
        PUT("    setp.eq.u32 %%p, %%place, %d;\n"
            "    @%%p bra THREAD%d;\n",
            litmus_place_of(writer->layout, t), t);
    put_idle(writer);
    for (int t = 0; t < writer->test->thread_count; t++)
        put_thread(writer, t);
    PUT("NEXT:\n");
    if (has_shared(writer->test)) {
        put_shared_barrier(writer);
        put_shared_results(writer);
    }
}

static void put_litmus(const struct writer *writer)
{
    const struct litmus_test *test = writer->test;

    put_parameters(writer, "litmus");
    PUT("    .reg .b32 %%place;\n");
    if (has_shared(test))
        PUT("    .shared .align 4 .b8 memory[%d];\n",
            4 * writer->layout->per_block * test->variable_count);
    PUT("    setp.ge.u32 %%p, %%block, %%blocks;\n"
        "    @%%p bra STRESS;\n");
    put_place(writer);
    PUT("    mov.u32 %%place, %%b;\n"
        "    mov.u32 %%iteration, 0;\n"
        "ITERATION:\n");
    for (int t = 0; t < test->thread_count; t++)
        for (int r = 0; r < LITMUS_REGISTERS; r++)
            PUT("    mov.b32 %%t%dr%d, %d;\n", t, r, test->threads[t].initial[r]);
    put_addresses(writer);
    if (has_shared(test)) {
        PUT("    barrier.sync 15;\n"); /* the final values are read */
        PUT("    rem.u32 %%a, %%instance, %d;\n"
            "    mul.wide.u32 %%address, %%a, %d;\n"
            "    mov.u64 %%offset, memory;\n"
            "    add.u64 %%address, %%address, %%offset;\n"
            "    rem.u32 %%a, %%block, %d;\n",
            writer->layout->per_block, 4 * test->variable_count, writer->layout->blocks);
        put_shared_addresses(writer, "");
    }
    put_meeting(writer);
    put_threads(writer);
    PUT("    add.u32 %%iteration, %%iteration, 1;\n"
        "    setp.lt.u32 %%p, %%iteration, %%iterations;\n"
        "    @%%p bra ITERATION;\n"
        "    barrier.sync 15;\n"
        "    setp.eq.u32 %%p, %%thread, 0;\n"
        "    @%%p red.relaxed.gpu.global.add.u32 [%%meeting+4], 1;\n"
        "    ret;\n");
    put_stress(writer);
    PUT("}\n");
}

/* Fences with one side need PTX 8.6. Clusters and sm_90 need 7.8. */
static const char *ptx_version(const struct litmus_test *test)
{
    for (int t = 0; t < test->thread_count; t++)
        for (int k = 0; k < test->threads[t].count; k++) {
            const struct litmus_instruction *instruction = &test->threads[t].instructions[k];

            if (instruction->opcode == LITMUS_FENCE &&
                (instruction->order == ORDER_ACQUIRE || instruction->order == ORDER_RELEASE))
                return "8.6";
        }
    return "7.8";
}

void litmus_kernel_write(const struct litmus_test *test, const struct litmus_layout *layout,
                         int architecture, FILE *file)
{
    const struct writer parts = {test, layout, file}, *writer = &parts;

    PUT("// %s\n"
        ".version %s\n"
        ".target sm_%d\n"
        ".address_size 64\n",
        test->name, ptx_version(test), architecture);
    put_begin(writer);
    put_litmus(writer);
    put_finish(writer);
}

/* Puts the addresses of the variables of a lone instance into %vN. One thread of each block writes
 * the initial values of shared ones. */
static void put_lone_addresses(const struct writer *writer)
{
    const struct litmus_test *test = writer->test;

    for (int v = 0; v < test->variable_count; v++)
        if (!test->variables[v].is_shared)
            PUT("    add.u64 %%v%d, %%variables, %d;\n", v, LITMUS_STRIDE * v);
    if (!has_shared(test))
        return;
    PUT("    mov.u64 %%address, memory;\n"
        "    mov.u32 %%a, %%block;\n"
        "    setp.eq.u32 %%p, %%thread, 0;\n");
    put_shared_addresses(writer, "@%p ");
    put_shared_barrier(writer);
}

/* Puts the number of the thread's place in the instance into %place. */
static void put_lone_place(const struct writer *writer)
{
    const struct litmus_layout *layout = writer->layout;

    PUT("    shr.u32 %%a, %%thread, 5;\n"
        "    mad.lo.u32 %%place, %%block, %d, %%a;\n"
        "    and.b32 %%a, %%thread, 31;\n"
        "    mad.lo.u32 %%place, %%place, %d, %%a;\n"
        "    setp.ge.u32 %%p, %%a, %d;\n"
        "    @%%p mov.u32 %%place, 1000;\n",
        layout->warps, layout->lanes, layout->lanes);
}

void litmus_kernel_write_one(const struct litmus_test *test, const struct litmus_layout *layout,
                             FILE *file)
{
    const struct writer parts = {test, layout, file}, *writer = &parts;

    PUT("// %s\n"
        ".version %s\n.target sm_90\n.address_size 64\n"
        ".visible .entry litmus(.param .u64 variables, .param .u64 results)\n{\n"
        "    .reg .b64 %%variables, %%result, %%address, %%offset;\n"
        "    .reg .b32 %%thread, %%block, %%place, %%a;\n"
        "    .reg .pred %%p;\n"
        "    .shared .align 4 .b8 memory[%d];\n",
        test->name, ptx_version(test), 4 * LITMUS_VARIABLES);
    for (int v = 0; v < test->variable_count; v++)
        PUT("    .reg .b64 %%v%d;\n", v);
    for (int t = 0; t < test->thread_count; t++) {
        PUT("    .reg .b32 %%t%dr<%d>;\n", t, LITMUS_REGISTERS);
        for (int r = 0; r < LITMUS_REGISTERS; r++)
            PUT("    mov.b32 %%t%dr%d, %d;\n", t, r, test->threads[t].initial[r]);
    }
    PUT("    ld.param.u64 %%variables, [variables];\n"
        "    ld.param.u64 %%result, [results];\n"
        "    mov.u32 %%thread, %%tid.x;\n"
        "    mov.u32 %%block, %%ctaid.x;\n");
    put_lone_addresses(writer);
    put_lone_place(writer);
    put_threads(writer);
    PUT("    ret;\n}\n");
}
