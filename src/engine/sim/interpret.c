/* SPDX-License-Identifier: MIT */
#include "interpret.h"

#include "access.h"
#include "async.h"
#include "barriers.h"
#include "bulk.h"
#include "cluster.h"
#include "collective.h"
#include "counters.h"
#include "faults.h"
#include "frames.h"
#include "library.h"
#include "matrix_steps.h"
#include "mbarrier_steps.h"
#include "modules.h"
#include "paths.h"
#include "policy.h"
#include "quick.h"
#include "textures.h"
#include "values.h"
#include "weak.h"

#include <time.h>

/* ---- Calls ---- */

/* Returns true if the first `count` variables of both have the same sizes. */
static bool are_alike(const struct call_variable *a, const struct call_variable *b, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (a[k].bytes != b[k].bytes)
            return false;
    return true;
}

/* Returns true if the function accepts the call's arguments. A call by address, or of a function in
 * another module, may not match. */
static bool takes(const struct function_code *callee, const struct call_code *call)
{
    return callee->parameter_count == call->parameter_count &&
           callee->result_count >= call->result_count &&
           are_alike(callee->parameters, call->parameters, call->parameter_count) &&
           are_alike(callee->results, call->results, call->result_count);
}

enum { MAX_CALLS = 1 << 12 };

/* Lets the party's lanes enter a function. */
static void enter(struct warp *warp, struct party *party, const struct op *op,
                  const struct function_code *callee, uint32_t lanes)
{
    struct frame *outer = party->frame, *frame;
    const struct call_code *call = op->call;

    if (callee->ops == NULL)
        raise_fault(FAULT_UNSUPPORTED, (uint32_t)__builtin_ctz(lanes), SAYS_NO_CODE,
                    .object = callee->name);
    if (outer->depth >= MAX_CALLS)
        raise_fault(FAULT_STACK, (uint32_t)__builtin_ctz(lanes), SAYS_TOO_MANY_CALLS,
                    .numbers = {MAX_CALLS});
    if (!takes(callee, call))
        raise_fault(FAULT_TRAP, (uint32_t)__builtin_ctz(lanes), SAYS_CALL_PARAMETERS);
    frame = push_frame(warp, callee, outer, lanes);
    frame->call = op;
    for (uint32_t p = 0; p < call->parameter_count; p++)
        copy_variable(warp, frame, &callee->parameters[p], outer, &call->parameters[p], lanes);
    party->frame = frame;
    party->op = callee->ops;
}

static void leave(struct warp *warp, struct party *party, uint32_t lanes)
{
    struct frame *frame = party->frame, *outer = frame->outer;
    const struct call_code *call = frame->call->call;

    for (uint32_t r = 0; r < call->result_count; r++)
        copy_variable(warp, outer, &call->results[r], frame, &frame->code->results[r], lanes);
    party->frame = outer;
    party->op = frame->call + 1;
    leave_frame(frame, lanes);
}

/* Executes a call. The lanes may call different functions. Returns false if the party was split. */
static bool call(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes)
{
    const struct function_code *callee = op->callee;
    uint32_t others = 0, first = (uint32_t)__builtin_ctz(lanes);

    if (callee == NULL) {
        const uint64_t *to = (const uint64_t *)(const void *)(party->frame->slots + op->a);
        use_undefined(party->frame->slots, op->a, lanes, "calls a function at an address");
        callee = modules_function_at(to[first]);
        if (callee == NULL)
            raise_fault(FAULT_TRAP, first, SAYS_NO_FUNCTION, .numbers = {(int64_t)to[first]});
        for (uint32_t left = lanes; left != 0; left &= left - 1)
            if (to[__builtin_ctz(left)] != to[first])
                others |= left & -left;
    }
    if (party->lanes != lanes) { /* by a guard */
        part_party(warp, party, lanes & ~others, op);
        if (others != 0)
            part_party(warp, party, others, op);
        party->op = op + 1;
        return false;
    }
    if (others != 0)
        part_party(warp, party, others, op);
    enter(warp, party, op, callee, lanes & ~others);
    return others == 0;
}

static void end_party(struct warp *warp, struct party *party, uint32_t lanes)
{
    struct frame *frame = party->frame;

    /* A copy may fault. The party then still has its frames, which end_warp() leaves. */
    for (uint32_t l = 0; warp->has_async && l < LANES; l++)
        if (warp->async[l] != NULL && (lanes >> l & 1))
            async_exit(warp, l);
    while (frame != NULL) {
        struct frame *outer = frame->outer;
        leave_frame(frame, lanes);
        frame = outer;
    }
    party->lanes &= ~lanes;
    party->op++;
    if (party->lanes == 0)
        remove_party(warp, party);
    exit_lanes(warp, lanes);
}

/* ---- The loop ---- */

/* Returns the lowest instruction of another ready party, at which this party may have to stop. */
static const struct op *stop_at(const struct warp *warp, const struct party *party)
{
    const struct op *stop = (const struct op *)UINTPTR_MAX;

    if (machine.by_lane || party->waits)
        return stop;
    for (uint32_t p = 0; p < warp->party_count; p++) {
        const struct party *other = &warp->parties[p];
        if (other == party || other->state != PARTY_READY || other->waits ||
            other->frame->depth < party->frame->depth)
            continue;
        if (other->frame->depth > party->frame->depth)
            return NULL;
        if (other->op < stop)
            stop = other->op;
    }
    return stop;
}

enum { STEPS_BETWEEN_LOOKS = 1 << 22 };

static struct timespec deadline;
static double deadline_seconds;

void start_deadline(double seconds)
{
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &deadline);
    deadline_seconds = seconds;
    deadline.tv_sec += (time_t)seconds;
    deadline.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
    machine.look_at = STEPS_BETWEEN_LOOKS;
}

static _Noreturn void raise_deadline(uint32_t lane)
{
    char limit[32];

    snprintf(limit, sizeof limit, "%g", deadline_seconds);
    raise_fault(FAULT_TIMEOUT, lane, SAYS_EXCEEDS_DEADLINE, .reason = limit);
}

static void look_at_limits(uint32_t lanes)
{
    struct timespec now;

    if (machine.steps > machine.step_limit)
        raise_fault(FAULT_STEP_LIMIT, (uint32_t)__builtin_ctz(lanes), SAYS_EXCEEDS_STEPS,
                    .numbers = {(int64_t)machine.step_limit});
    machine.look_at = machine.steps + STEPS_BETWEEN_LOOKS;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    if (now.tv_sec > deadline.tv_sec ||
        (now.tv_sec == deadline.tv_sec && now.tv_nsec > deadline.tv_nsec))
        raise_deadline((uint32_t)__builtin_ctz(lanes));
}

static void take_steps(uint64_t count, uint32_t lanes)
{
    machine.clock += count;
    machine.steps += count * count_lanes(lanes);
    if (unlikely(machine.steps > machine.look_at || machine.steps > machine.step_limit))
        look_at_limits(lanes);
}

/* brx.idx: splits the lanes by target. */
static void branch_by_index(struct warp *warp, struct party *party, const struct op *op,
                            uint32_t lanes)
{
    const uint32_t *index = (const uint32_t *)(const void *)(party->frame->slots + op->a);

    use_undefined(party->frame->slots, op->a, lanes, "takes a branch");
    if (party->lanes != lanes)
        part_party(warp, party, party->lanes & ~lanes, op + 1);
    for (uint32_t left = lanes; left != 0;) {
        uint32_t first = (uint32_t)__builtin_ctz(left), same = 0;
        const struct op *to;
        for (uint32_t others = left; others != 0; others &= others - 1)
            if (index[__builtin_ctz(others)] == index[first])
                same |= others & -others;
        if (index[first] >= op->targets->count)
            raise_fault(FAULT_TRAP, first, SAYS_NO_TARGET,
                        .numbers = {index[first], op->targets->count});
        to = party->frame->code->ops + op->targets->targets[index[first]];
        left &= ~same;
        if (left != 0)
            part_party(warp, party, same, to);
        else
            party->op = to;
    }
}

/* Counts a backward branch of these lanes, for races in loops. */
static void count_rounds(struct warp *warp, uint32_t lanes)
{
    struct race_thread *threads = &warp->block->race.threads[warp->number * LANES];

    for (uint32_t left = lanes; left != 0; left &= left - 1)
        threads[__builtin_ctz(left)].rounds++;
}

void run_party(struct warp *warp, struct party *party)
{
    const bool is_weak = machine.is_weak; /* then each party is one lane */
    struct frame *frame = party->frame;
    char *slots = frame->slots;
    const struct op *op = party->op, *stop = stop_at(warp, party);

    for (;;) {
        uint32_t lanes = party->lanes;
        if (unlikely(is_weak) && weak_stops(warp, party, op)) {
            party->op = op;
            return;
        }
        if (op->guard != 0) {
            uint32_t guard = *(const uint32_t *)(const void *)(slots + op->guard) ^ op->guard_flip;
            if (unlikely((head_of(slots, op->guard)->undefined & lanes) != 0)) {
                machine.op = op;
                use_undefined(slots, op->guard, lanes, "executes an instruction under a condition");
            }
            if (unlikely(machine.counters != NULL) && op->kind == OP_BRANCH)
                count_branch(warp, lanes, lanes & guard);
            op->mark[0] |= lanes & guard;
            op->mark[1] |= lanes & ~guard;
            lanes &= guard;
            if (lanes == 0) {
                op++;
                continue;
            }
        }
        machine.op = op;
        switch ((enum op_kind)op->kind) {
        case OP_DIVIDE:
            compute_quotient(slots, op, lanes);
            break;
        case OP_COMPUTE:
            compute(slots, op, lanes);
            break;
        case OP_EXACT:
            compute_exactly(slots, op, lanes);
            break;
        case OP_SELECT:
            select_value(slots, op, lanes);
            if (unlikely(op->target != 0))
                check_chosen(warp, frame, op, lanes);
            break;
        case OP_COPY:
            copy_value(slots, op, lanes);
            break;
        case OP_LOAD:
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party)) {
                party->op = op;
                return;
            }
            if (unlikely(is_weak) && weak_defers(warp, party, op))
                break;
            if (unlikely(is_weak))
                weak_begin();
            load(warp, frame, op, lanes);
            if (unlikely(is_weak))
                weak_end(party);
            if (unlikely(op->is_strong || (op->access & ACCESS_VOLATILE) != 0))
                party->looked = op->place;
            break;
        case OP_STORE:
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party)) {
                party->op = op;
                return;
            }
            if (unlikely(is_weak))
                weak_begin();
            store(warp, frame, op, lanes);
            if (unlikely(is_weak))
                weak_end(party);
            break;
        case OP_LOAD_ROWS:
        case OP_STORE_ROWS:
            lanes &= op->truth;
            if (lanes == 0)
                break;
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party)) {
                party->op = op;
                return;
            }
            if (op->kind == OP_LOAD_ROWS)
                load(warp, frame, op, lanes);
            else
                store(warp, frame, op, lanes);
            break;
        case OP_MATRIX_ADDRESS:
            matrix_address(slots, op, lanes);
            break;
        case OP_TEXTURE:
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party)) {
                party->op = op;
                return;
            }
            machine.stores++;
            use_texture(warp, frame, op, lanes);
            break;
        case OP_TEXTURE_QUERY:
            query_texture(slots, op, lanes);
            break;
        case OP_BLOCK:
            if (unlikely(op >= stop)) {
                party->op = op;
                return;
            }
            take_steps(op->block->count, lanes);
            party->slice -= (int32_t)op->block->count;
            if (unlikely(party->slice < 0) &&
                schedule_slice(warp, party, (int32_t)op->block->count)) {
                party->op = op;
                return;
            }
            if (unlikely(machine.counters != NULL))
                count_block(warp, op->block, lanes);
            *op->mark = 1;
            break;
        case OP_BRANCH: {
            const struct op *to = frame->code->ops + op->target;
            if (unlikely(race_on) && to <= op)
                count_rounds(warp, lanes);
            if (lanes == party->lanes) {
                op = to;
                continue;
            }
            part_party(warp, party, lanes, to);
            party->op = op + 1;
            return;
        }
        case OP_SWITCH:
            branch_by_index(warp, party, op, lanes);
            return;
        case OP_RESIZE:
            resize_value(slots, op, lanes);
            break;
        case OP_PACK:
            pack_value(slots, op, lanes);
            break;
        case OP_UNPACK:
            unpack_value(slots, op, lanes);
            break;
        case OP_SPECIAL:
            if (quick_races.is_on)
                leave_undecided();
            machine.clock += 32; /* so that loops that wait for the clock end soon */
            read_clock(warp, slots, op, lanes);
            break;
        case OP_ATOMIC:
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party)) {
                party->op = op;
                return;
            }
            if (unlikely(is_weak) && weak_defers(warp, party, op))
                break;
            if (unlikely(is_weak))
                weak_begin();
            atomic(warp, frame, op, lanes);
            if (unlikely(is_weak))
                weak_end(party);
            party->looked = op->place;
            break;
        case OP_ENTRY_LOAD:
            load_parameter(warp, slots, op, lanes);
            break;
        case OP_VARIABLE_LOAD:
            load_variable(slots, op, lanes);
            break;
        case OP_VARIABLE_STORE:
            machine.stores++;
            store_variable(slots, op, lanes);
            break;
        case OP_LOCAL_ADDRESS:
            take_local_address(warp, frame, op, lanes);
            break;
        case OP_TO_GENERIC:
        case OP_TO_SPACE:
            convert_address(warp->block, slots, op, lanes);
            break;
        case OP_IS_SPACE:
            test_space(warp, slots, op, lanes);
            break;
        case OP_MAP_ADDRESS:
            cluster_map_address(warp, slots, op, lanes);
            break;
        case OP_GET_RANK:
            cluster_get_rank(warp, slots, op, lanes);
            break;
        case OP_CLUSTER_BARRIER:
            party->op = op;
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party))
                return;
            if (op->arrives)
                cluster_arrive(warp, op, lanes);
            else if (cluster_wait(warp, party, op, lanes))
                return;
            break;
        case OP_CALL:
            if (!call(warp, party, op, lanes))
                return;
            frame = party->frame;
            slots = frame->slots;
            op = party->op;
            stop = stop_at(warp, party);
            continue;
        case OP_RETURN:
            if (lanes != party->lanes) {
                part_party(warp, party, lanes, op);
                party->op = op + 1;
                return;
            }
            leave(warp, party, lanes);
            return;
        case OP_EXIT:
            party->op = op;
            end_party(warp, party, lanes);
            return;
        case OP_TRAP:
            if (op->what != 0) {
                bool writes = op->what == MEMORY_WRITES;
                raise_fault(writes ? FAULT_OUT_OF_BOUNDS_WRITE : FAULT_OUT_OF_BOUNDS_READ,
                            (uint32_t)__builtin_ctz(lanes), SAYS_OUTSIDE_VARIABLE,
                            .writes = writes);
            }
            raise_fault(FAULT_TRAP, (uint32_t)__builtin_ctz(lanes),
                        warp->block->grid->wants_workspace && warp->block->grid->workspace == 0
                            ? SAYS_NOT_COOPERATIVE
                            : SAYS_TRAPS);
        case OP_COLLECTIVE:
            party->op = op;
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party))
                return;
            if (collective_meet(warp, party, op, lanes))
                return;
            break;
        case OP_BARRIER:
            party->op = op;
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party))
                return;
            if (come_to_barrier(warp, party, op, lanes))
                return;
            break;
        case OP_ACTIVE_MASK: {
            if (quick_races.is_on)
                leave_undecided();
            if (machine.active_mask == NULL || op->place < machine.active_mask)
                machine.active_mask = op->place;
            struct op mask = *op;
            mask.bytes = 4;
            write_value(slots, &mask, lanes, lanes);
            break;
        }
        case OP_PATH:
            path_step(warp, frame, op, lanes);
            break;
        case OP_FENCE:
            warp->fenced |= op->scope == SIMT_SYSTEM ? lanes : 0;
            if (unlikely(is_weak) && op->is_strong) {
                race_fence_sc(&warp->block->race,
                              warp->number * LANES + (uint32_t)__builtin_ctz(lanes),
                              (enum simt_scope)op->scope);
                break;
            }
            for (uint32_t left = lanes; race_on && left != 0; left &= left - 1)
                race_fence(&warp->block->race, warp->number * LANES + (uint32_t)__builtin_ctz(left),
                           (enum simt_scope)op->scope, (enum simt_order)op->order);
            break;
        case OP_PROXY_FENCE:
            for (uint32_t left = lanes; race_on && left != 0; left &= left - 1)
                race_proxy_fence(&warp->block->race,
                                 warp->number * LANES + (uint32_t)__builtin_ctz(left), op->what);
            break;
        case OP_SLEEP: {
            const uint32_t *time = (const uint32_t *)(const void *)(slots + op->a);
            machine.clock += time[__builtin_ctz(lanes)];
            if (schedule_sleep(warp, party)) {
                party->op = op + 1;
                return;
            }
            break;
        }
        case OP_LIBRARY:
            machine.stores++;
            machine.calls += op->what != LIBRARY_DEVICE;
            party->op = op;
            if (call_library(warp, party, op, lanes))
                return;
            break;
        case OP_ASYNC_COPY:
            machine.stores++;
            async_copy(warp, frame, op, lanes);
            break;
        case OP_ASYNC_COMMIT:
            if (op->bulk != NULL)
                bulk_commit(warp, lanes);
            else
                async_commit(warp, lanes);
            break;
        case OP_ASYNC_WAIT:
            if (op->bulk != NULL)
                bulk_wait(warp, frame, op, lanes);
            else
                async_wait(warp, frame, op, lanes);
            break;
        case OP_BULK_COPY:
            machine.stores++;
            bulk_copy(warp, frame, op, lanes);
            break;
        case OP_MBARRIER:
            if (unlikely(machine.span-- <= 0) && schedule_event(warp, party)) {
                party->op = op;
                return;
            }
            use_mbarrier(warp, frame, op, lanes);
            party->looked = op->place;
            break;
        }
        op++;
    }
}
