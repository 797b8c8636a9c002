/* SPDX-License-Identifier: MIT
 *
 * The simulated GPU: grids, blocks, warps, frames and memory. A warp's lanes are in parties. The
 * lanes of a party are at the same instruction of the same call. A party runs until it waits, ends,
 * or diverges.
 */
#ifndef SIMTCHECK_SIM_MACHINE_H
#define SIMTCHECK_SIM_MACHINE_H

#include "code.h"
#include "decode.h"
#include "engine.h"
#include "expect.h"
#include "race.h"

#include <setjmp.h>
#include <string.h>

/* A warpgroup is four warps, whose number is a multiple of four. Each has a barrier, after those
 * with a number. */
enum {
    MAX_WARPS = SIMT_BLOCK_THREADS / LANES,
    GROUP_WARPS = 4,
    BARRIERS = 16,
    GROUP_BARRIERS = MAX_WARPS / GROUP_WARPS,
    GLOBAL_REGIONS = 1 << 20
};

/* Returns true for a single lane, as under the model independent. */
static inline bool is_one(uint32_t lanes)
{
    return (lanes & (lanes - 1)) == 0;
}

/* Copies a value of 1 to 16 bytes. */
static inline void copy_bytes(void *to, const void *from, uint32_t bytes)
{
    switch (bytes) {
    case 1:
        memcpy(to, from, 1);
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    default:
        memcpy(to, from, bytes);
        break;
    }
}

static inline uint32_t count_lanes(uint32_t lanes)
{
    lanes -= lanes >> 1 & 0x55555555;
    lanes = (lanes & 0x33333333) + (lanes >> 2 & 0x33333333);
    return ((lanes + (lanes >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* An array of global or shared memory. */
struct region {
    char *host; /* null: no memory */
    uint64_t low, bytes;
    uint8_t *written;   /* for each byte, whether it was written */
    uint64_t missing;   /* number of unwritten bytes; 0: no need to look at `written` */
    int64_t widest;     /* bytes of the widest store by a thread */
    bool has_undefined; /* a thread has stored a value that depends on unwritten memory */
    uint64_t race;      /* the region's address for the race checker */
    uint64_t
        *stamps[2]; /* stamps of writes and of reads, one for each 2^granule bytes: see races.c */
    uint32_t granule;
    bool is_writable, is_constant, is_shared;
    uint32_t snapshot;   /* number of the last one that has it: snapshot.h */
    struct block *owner; /* of shared memory */
    bool is_untyped;     /* PTX declares it as bytes, whatever its elements are */
    uint32_t element_bytes;
    const char *name;
    struct { /* the first store of a value that depends on unwritten memory */
        const struct simt_place *place; /* null: there was none */
        uint32_t origin;
        uint64_t offset;
    } undefined;
};

/* A call of a function by some lanes of a warp. */
struct frame {
    struct frame *outer;
    const struct function_code *code;
    const struct op *call; /* an instruction of the outer frame's code */
    uint32_t lanes, depth;
    uint32_t local; /* offset of its local memory in each thread's */
    char *slots;
};

enum party_state {
    PARTY_READY,
    PARTY_AT_BARRIER,
    PARTY_MEETING,    /* at a collective */
    PARTY_SYNCING,    /* waits for child grids */
    PARTY_AT_CLUSTER, /* at barrier.cluster.wait */
};

struct party {
    uint32_t lanes;
    enum party_state state;
    const struct op *op;
    struct frame *frame;
    bool is_counted; /* it stopped before a scheduling point that is already counted */
    bool is_delayed; /* held back by the schedule */
    bool waits;      /* waits in a loop for other threads */
    int32_t slice;   /* instructions until the next check of whether it waits */
    uint32_t looks;  /* warp->looks and machine.progress at the last check */
    uint64_t progress;
    const struct simt_place *looked; /* place of its last strong read; null: none */
    /* Weak memory: its accesses that are put off; it stopped before a choice; its last load read
     * what it had read before. */
    struct deferred *deferred;
    bool is_at_choice, repeats;
};

/* The cp.async copies of a thread that it has not waited for. */
struct async;

struct lane_memory {
    char *bytes;
    uint8_t *written;
    uint32_t size;
};

struct warp {
    struct block *block;
    uint32_t number, lanes; /* lanes: those that exist */
    uint32_t alive;
    uint32_t party_count;
    struct party parties[LANES];
    uint8_t party_of[LANES]; /* index of a party, by its first lane */
    uint32_t meeting;        /* lanes in parties that are PARTY_MEETING */
    struct meeting {         /* of those lanes */
        const struct op *op;
        uint32_t mask, source;
        uint64_t given, taken;
        bool valid;
    } meetings[LANES];
    uint32_t steps, looks; /* looks: repeated strong reads */
    struct look {
        const struct op *op;
        uint64_t address;
        uint32_t age, most; /* reads since then; number of reads after which another is kept */
        uint32_t period;    /* reads until the kept one was repeated; 0: not repeated */
    } kept[LANES];          /* one kept read of each lane */
    bool is_delayed;
    struct lane_memory local[LANES];
    uint32_t
        paths[LANES]; /* path of each lane since the last barrier of the whole block: paths.c */
    uint32_t gone;    /* lanes that had exited at that barrier */
    uint32_t epoch;   /* races.c: __syncwarp() of the whole warp since that barrier */
    struct async *async[LANES];
    bool has_async;                /* some lane has copies */
    struct group_state *group;     /* its state as a part of a warpgroup: group.c; may be null */
    struct child *children[LANES]; /* launches in preparation */
    int errors[LANES];             /* error of the last failed launch, for cudaGetLastError() */
    /* counters.c: number of the last interval with an access, from 1, and whether some lanes took
     * no part in such an access */
    uint64_t counted_in;
    bool counted_split;
    uint32_t allocations[LANES]; /* number of malloc() calls */
    /* cluster.c: lanes that have arrived at the cluster's barrier; lanes whose arrival is complete
     * and that have not waited; the instruction of the first arrival */
    uint32_t cluster_arrived, cluster_complete;
    const struct op *cluster_op;
};

struct barrier {
    uint32_t arrived, trues, count;
    bool is_aligned;
    struct race_meeting came;
};

struct grid;
struct path;

struct block {
    struct grid *grid;
    struct cluster *cluster; /* cluster.h */
    uint32_t rank;           /* in its cluster */
    uint64_t window;         /* the generic address of offset 0 of its shared memory */
    struct extent index;
    uint32_t threads, warp_count, exited;
    struct warp *warps;
    char *shared; /* its static arrays, followed by the dynamic one */
    uint8_t *shared_written;
    struct region *regions; /* by the upper bits of a shared address */
    uint32_t region_count;
    struct barrier barriers[BARRIERS + GROUP_BARRIERS];
    struct path *paths; /* paths.c */
    uint32_t path_count, path_capacity;
    bool paths_are_lost;
    struct launcher *launcher; /* null: it has launched nothing */
    struct block *next;        /* next in the list of free blocks */
    int turn;                  /* kind of parties that run next: schedule.c */
    uint32_t last_waiting;
    /* races.c: serial number; barriers passed; lanes with an access since the last barrier; whether
     * one of them exited since then */
    uint64_t serial;
    uint32_t epoch, touched[MAX_WARPS];
    bool touched_exits;
    uint64_t *shared_stamps[2];
    uint32_t stamped_bytes;
    uint64_t barriers_passed;  /* counted while machine.counters is not null */
    struct block_async *async; /* its mbarrier objects and bulk copies; null: it had none */
    struct race_block race;
};

/* A stream of a block, in which child grids run one after the other. */
struct child_stream {
    struct child_stream *next;
    uint64_t handle;   /* 0: the null stream */
    struct grid *last; /* while that is incomplete */
    struct race_stream race;
};

/* The launches of one block. It outlives the block: grids.c. */
struct launcher {
    struct block *block; /* null after the block has ended */
    struct child_stream null_stream;
    uint32_t open; /* number of its incomplete child grids */
    struct race_launcher race;
};

/* A launched grid and its state: grids.c. */
struct grid {
    const struct function_code *code;
    struct extent extent, block;
    struct extent cluster;    /* 1, 1, 1: none */
    bool is_explicit_cluster; /* launched with a cluster, even of one block */
    uint32_t shared_bytes;
    unsigned char *parameters;
    struct grid *parent; /* null: launched by the host */
    uint32_t after;      /* bit k: waits for the k-th grid that the host launches */
    struct launcher *launcher;
    uint32_t depth;              /* 0: launched by the host */
    uint64_t serial;             /* order of launches */
    uint64_t windows;            /* number of its first block's window of shared memory */
    struct child_stream *stream; /* null: a tail launch, or fire-and-forget */
    uint64_t blocks, started, finished;
    uint32_t *permutation;               /* order of its blocks; null: ascending */
    uint32_t open;                       /* incomplete child grids, except tail launches */
    struct grid *first_tail, *last_tail; /* incomplete tail launches; the first may run */
    struct grid *next;                   /* next in its stream, or tail launch */
    struct grid *created;                /* the grid launched before it; to free them all */
    bool tails_run;                      /* the first tail launch may run */
    uint64_t workspace;                  /* of a cooperative grid; else 0 */
    bool wants_workspace;                /* its kernel has read that address */
    uint32_t tails;                      /* number of its own tail launches */
    struct race_grid race;
};

/* The state of the machine: what runs now, and where to jump after a fault. */
extern struct machine {
    struct region *regions; /* arrays of global memory, by the upper bits of their addresses */
    uint32_t region_count;
    uint32_t snapshot; /* number of the active one; 0: none */
    struct block *block;
    struct warp *warp;
    uint32_t lanes; /* the lane of an atomic instruction */
    const struct op *op;
    uint64_t steps, step_limit, clock;
    uint64_t look_at;  /* value of `steps` at the next check of the deadline */
    uint64_t accesses; /* accesses of lanes, and their arrivals at barriers */
    uint64_t calls;    /* of functions of the CUDA runtime, other than libdevice's */
    int64_t span;      /* scheduling points until the next event: schedule.c */
    bool by_lane;      /* each lane is a party of its own */
    bool gives_way;    /* yields to other blocks */
    uint32_t launch;   /* launches_run(): which of the launches the first host grid is */
    uint64_t grids;    /* grids that were made since memory was initialized */
    /* from struct engine_limits */
    const struct allowance_list *allowed; /* of the invocation */
    uint64_t excused;                     /* as in struct engine_outcome */
    bool strict_barriers, warp_barriers;
    const struct exact_functions *floats; /* another arithmetic; null: that of PTX */
    /* The first executed __activemask() in the code, the first executed atomic operation whose
     * effect depends on the order, the first read of a texture that a GPU may round in another way,
     * and the first read of a clock. */
    const struct simt_place *active_mask, *atomic, *inexact, *clock_read;
    bool other_clocks;
    uint64_t progress, idle; /* actions other than waiting; slices of waiting since the last */
    /* null: do not count */
    struct engine_counters *counters;
    uint32_t released; /* warps whose waiting parties may now continue: schedule.c */
    jmp_buf out;
} machine;

/* The accesses of one instruction to one array. */
struct group {
    struct region *region;
    uint32_t lanes, bytes;   /* bytes: of each lane's access */
    bool is_contiguous;      /* all 32 lanes access consecutive elements */
    uint64_t offsets[LANES]; /* of those lanes; if there are several lanes, of all 32 */
};

/* interpret.c: runs a party until it waits, ends or diverges. */
void run_party(struct warp *warp, struct party *party);
void start_warp(struct warp *warp, struct block *block, uint32_t number);
/* Call when the warp's block ends. */
void end_warp(struct warp *warp);
void free_frames(struct function_code *code);
void free_warp(struct warp *warp);
void remove_party(struct warp *warp, struct party *party);
struct frame *push_frame(struct warp *warp, const struct function_code *code, struct frame *outer,
                         uint32_t lanes);
struct party *add_party(struct warp *warp, uint32_t lanes, const struct op *op,
                        struct frame *frame);
/* Splits the lanes that take another path from their party. They become a new party at that op, and
 * the old one keeps the other lanes. */
struct party *part_party(struct warp *warp, struct party *party, uint32_t lanes,
                         const struct op *op);

/* Returns the generic address of offset 0 in the thread's local memory. */
static inline uint64_t local_window(const struct warp *warp, uint32_t lane)
{
    uint64_t room =
        ((warp->block->index.x * MAX_WARPS + warp->number) * LANES + lane) % LOCAL_ROOMS;

    return LOCAL_WINDOW_BASE + (room << LOCAL_SHIFT) + (1 << (LOCAL_SHIFT - 1));
}

/* Gives the register the same undefined bytes as that of head `from`, in these lanes. */
void note_undefined(char *frame, uint32_t slot, uint32_t lanes, const struct head *from);
/* Returns the undefined bytes of a value that is converted from `from` to `to` bytes. */
uint32_t undefined_resized(uint32_t bytes, uint32_t from, uint32_t to, bool is_signed);

/* access.c */
/* Returns the region of global or shared memory that a load, store or atomic instruction accesses
 * in that lane, and the offset there. Returns null for other memory, or a wrong address. */
struct region *shared_region(const struct warp *warp, const struct frame *frame,
                             const struct op *op, uint32_t lane, uint64_t *offset);
void load(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
void store(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
/* Checks the loads whose values a selp chooses for races, in the lanes that use them. */
void check_chosen(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
void atomic(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
void start_shared(struct block *block);

/* Records a strong read of that address by a lane, or by several lanes in the same way. */
void note_look(struct warp *warp, uint32_t lane, const struct op *op, uint64_t address);
/* Starts the time limit of a job. */
void start_deadline(double seconds);

/* library.c */
bool call_library(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes);
struct child {
    uint64_t function;
    struct extent grid, block;
    uint32_t shared_bytes;
    unsigned char parameters[MAX_PARAMETER_BYTES] __attribute__((aligned(16)));
};

/* async/: asynchronous copies and mbarrier objects. */
void async_copy(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
void async_commit(struct warp *warp, const struct op *op, uint32_t lanes);
void async_wait(struct warp *warp, const struct frame *frame, const struct op *op, uint32_t lanes);
void async_exit(struct warp *warp, uint32_t lane);
void async_forget(struct warp *warp, uint32_t lane);
void bulk_copy(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
/* group.c: forgets the warp's state as a part of a warpgroup. */
void group_forget(struct warp *warp);
void use_mbarrier(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
/* Call when a block starts. */
void async_start_block(struct block *block);
/* Call when the threads of a block have exited. Records a fault if copies are incomplete. */
void async_end_block(struct block *block);
void async_free_block(struct block *block);
/* Writes which mbarrier objects of the block threads wait for, or "". */
void async_describe_waiting(const struct block *block, char *text, size_t size);

/* Makes one access of one lane for other instructions, with the checks of load() and store().
 * Returns its address on the host. `access` is a struct op with space, bytes, kind of access and
 * place. */
char *access_lane(struct warp *warp, const struct frame *frame, const struct op *access,
                  uint32_t lane, uint64_t address, struct region **region);
/* Returns true for the generic address of a variable in .const. */
bool is_constant(const struct block *block, uint64_t address);
/* Finds the memory of such an access without making it. The lane's block may be another than
 * `block`, whose shared memory is accessed. */
char *find_lane(const struct block *block, const struct op *access, uint32_t lane, uint64_t address,
                struct group *group);
/* Records a write of those bytes. */
void note_written(struct region *region, uint64_t offset, uint32_t bytes);
/* Returns the host address of text if the lane may read those bytes, and null otherwise. */
const char *readable_text(struct warp *warp, const struct frame *frame, uint32_t lane,
                          uint64_t address, uint32_t bytes);

/* collective.c: these functions return true if the party waits. */
/* The frame of a lane at a collective. */
struct frame *frame_of(const struct warp *warp, uint32_t lane);
bool meet(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes);
bool come_to_barrier(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes);
void exit_lanes(struct warp *warp, uint32_t lanes);

void report_waiting(struct block *block);

/* paths.c: path_step() records a step of lanes. Call paths_restart() when a block starts, or its
 * threads have met at a barrier. */
void path_step(struct warp *warp, const struct frame *frame, const struct op *op, uint32_t lanes);
void paths_restart(struct block *block);
/* Records a fault of a thread that bypassed a barrier at which others wait. `of_all`: a barrier of
 * the whole block. Otherwise it is an aligned barrier with a thread count, where others of its warp
 * wait. Returns true if there is such a thread. */
bool paths_bypass(struct block *block, bool of_all);

/* counters.c: call these only while machine.counters is not null. counters_start() starts a job,
 * counters_finish() ends it. */
void counters_start(struct engine_counters *counters);
void counters_finish(const struct engine_outcome *outcome);
/* Count lanes of the warp that enter a basic block, and a conditional branch with the lanes that
 * take it. */
void count_block(const struct warp *warp, const struct block_code *code, uint32_t lanes);
void count_branch(const struct warp *warp, uint32_t lanes, uint32_t taken);
/* Counts an instruction that accesses `bytes` bytes per lane at these addresses. They are in global
 * memory for the lanes of `global`, and in shared memory for those of `shared`. */
void count_access(struct warp *warp, bool writes, const uint64_t at[LANES], uint32_t bytes,
                  uint32_t global, uint32_t shared);
/* Counts a barrier that all threads of the block pass. */
void count_barrier(struct block *block);

/* heap.c: malloc() and free() in kernels. */
/* Reserves memory for allocations, unless there is some. Returns false if too little is left. */
bool heap_start(void);
void heap_forget(void);
/* Returns the memory that contains an address above all arrays, or a region without memory if none
 * exists. */
struct region *heap_region(uint64_t address);
uint64_t heap_allocate(struct warp *warp, uint32_t lane, uint64_t bytes);
void heap_free(struct warp *warp, uint32_t lane, uint64_t address);
/* Raises a fault that names the free(), if the region's memory was freed. */
void heap_check_freed(const struct region *region, uint32_t lane, const char *verb, uint32_t bytes);
/* Raises a fault that names the malloc(), if the access is outside memory of malloc(). */
void heap_check_bounds(const struct region *region, enum fault_kind kind, uint32_t lane,
                       const char *verb, uint32_t bytes, int64_t offset);
/* Writes the name of a place for reports. Returns false if it is not in memory of malloc(). */
bool heap_name(uintptr_t race_address, char *name, size_t size);
/* Reports leaks at the end of a job. */
void heap_report_leaks(void);

/* shared.c */
bool shared_open(void);
void shared_close(void);
extern uintptr_t shared_race_base;
/* Returns the bytes of an element. If PTX declares the array as bytes, it is the size of the
 * elements that the instruction accesses. */
uint64_t element_at(const struct region *region, const struct simt_place *place);
void name_place(uintptr_t race_address, const struct simt_place *place, char *name, size_t size);
void name_element(const struct region *region, uint64_t offset, const struct simt_place *place,
                  char *name, size_t size);

/* races.c: says whose shared memory the race checker's next accesses to shared memory mean. */
void use_shared_races(struct block *owner);
/* Checks the accesses of a group, in the order of their lanes. */
struct group;
void check_races(struct warp *warp, const struct op *op, const struct group *group);
/* The same if race_on, for lanes of one step that access one after the other. */
void check_races_within_step(struct warp *warp, const struct op *op, const struct group *group,
                             bool is_first);

/* faults.c */
void reset_fault(void);
const struct fault *recorded_fault(void);
void record_fault(enum fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void record_fault_of(enum fault_kind kind, const struct block *block, uint32_t thread,
                     const struct simt_place *place, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Ends the run after a fault was recorded. */
_Noreturn void leave_faulty(void);
/* Raises a fault of a lane of the current warp, at the current op. Does not return. */
_Noreturn void raise_fault(enum fault_kind kind, uint32_t lane, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns a number for struct head that stands for a read of unwritten memory, in a region or
 * (null) in a thread's own memory. The numbers are valid until the end of the job. */
uint32_t undefined_origin(const struct simt_place *place, const struct region *region,
                          uint64_t offset);
/* The same for the first use of a variable in a register, which was never written. */
uint32_t undefined_variable(const struct simt_place *place);
/* The same for a shuffle from a lane that gives no value. */
uint32_t undefined_shuffle(const struct simt_place *place);
/* The same for a division by zero. */
uint32_t undefined_quotient(const struct simt_place *place);
/* The same for `what` cannot be expressed in another arithmetic. */
uint32_t undefined_inexact(const struct simt_place *place, const char *what);
/* The same for a register that changed, or may still change, while wgmma uses it. `what` describes
 * its value. */
uint32_t undefined_group(const struct simt_place *place, const char *what);
/* The same for a result of wgmma before its wait. undefined_is_pending() returns true for such an
 * origin. undefined_settled() returns the origin of values computed from it. It returns any other
 * origin unchanged. */
uint32_t undefined_pending(const struct simt_place *place);
bool undefined_is_pending(uint32_t origin);
uint32_t undefined_settled(uint32_t origin);
/* Returns what that origin cannot express; null: it is another one. */
const char *undefined_reason(uint32_t origin);
/* The lanes whose results the last op cannot express, and what these need. */
extern struct exact_refusal {
    uint32_t lanes;
    const char *what;
} exact_refusal;
void forget_origins(void);
/* Raises a fault if the value is undefined in one of the lanes. `use` says what it is used for. */
void use_undefined(const char *frame, uint32_t slot, uint32_t lanes, const char *use);
/* Reports a fault if the array holds an undefined value at the end. */
void report_undefined_output(const struct region *region);

#endif
