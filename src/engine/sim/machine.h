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
    uint64_t constant_in, written_in; /* the last grid that read it by ld.nc, that wrote: quick.c */
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
    uint8_t blind;   /* of a party that waits: slices since its last look */
    int32_t slice;   /* instructions until the next check of whether it waits */
    uint32_t slices; /* independent: how many it has run */
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
        uint32_t mask, source, turn; /* turn: how many operations the lane has come to */
        uint64_t given, taken;
        bool valid;
    } meetings[LANES];
    uint32_t steps, looks; /* looks: repeated strong reads */
    uint32_t slices;       /* lockstep: how many its parties have run */
    uint32_t fenced;       /* lanes that have executed a fence of system scope */
    bool polls;            /* a party that waits or is tired has looked */
    struct look {
        const struct op *op;
        uint64_t address;
        uint32_t age, most; /* reads since then; number of reads after which another is kept */
        uint32_t period;    /* reads until the kept one was repeated; 0: not repeated */
        uint64_t stores;    /* machine.stores then */
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
    /* Where its first lanes ended; null: all are there. */
    const struct simt_place *ended;
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
    uint64_t barriers_passed;  /* by all its threads */
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
    uint32_t open;         /* number of its incomplete child grids */
    struct grid *unwaited; /* its child grids for which no thread has waited */
    uint64_t barriers;     /* that the block had passed when it ended */
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
    /* The launch by a thread: where, by which, and after how many barriers. After how many its
     * block has waited for it, and the next one for which it has not. */
    const struct simt_place *launched_at;
    uint32_t launching_thread;
    uint64_t launched_after, waited_after;
    bool is_waited;
    struct grid *unwaited;
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
    uint32_t keep;                       /* name for race_retire() */
    struct race_grid race;
};

/* The state of the machine: what runs now, and where to jump after a fault. */
extern struct machine {
    struct region *regions; /* arrays of global memory, by the upper bits of their addresses */
    uint32_t region_count;
    uint32_t snapshot; /* number of the active one; 0: none */
    uint64_t changes;  /* of memory, views and code; a run under a snapshot counts at its end */
    bool meets_placed; /* an address of arrays_place() or arrays_share() was looked up */
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
    /* bit k: the k-th launch of launches_run() may use unwritten memory */
    uint32_t unchecked;
    uint32_t copies; /* the same for those that may write constants */
    bool goes_on; /* launches_run(): after a use of unwritten memory */
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
    /* The barrier at which lanes of a warp waited although others of it had ended, and where these
     * ended. Two barriers at which whole warps waited together. Null: none. */
    const struct simt_place *missed[2], *parted[2];
    /* The run explains a failure: all memory counts as written, and the last stores are kept. */
    bool explains;
    bool all_wait;           /* no resident block has a turn before that of waiting parties */
    uint64_t progress, idle; /* actions other than waiting; slices of waiting since the last */
    uint64_t stores;         /* what may have changed memory or a barrier */
    /* null: do not count */
    struct engine_counters *counters;
    uint32_t released; /* warps whose waiting parties may now continue: schedule.c */
    /* Grids run under weak memory, with the race checker on and each lane as a party: weak.h. */
    bool is_weak;
    uintptr_t shared_races; /* what identifies byte 0 of shared memory for the race checkers */
    jmp_buf out;
} machine;

/* The accesses of one instruction to one array. */
struct group {
    struct region *region;
    uint32_t lanes, bytes;   /* bytes: of each lane's access */
    bool is_contiguous;      /* all 32 lanes access consecutive elements */
    uint64_t offsets[LANES]; /* of those lanes; if there are several lanes, of all 32 */
};

/* A launch in preparation by a lane. */
struct child {
    uint64_t function;
    struct extent grid, block;
    uint32_t shared_bytes;
    unsigned char parameters[MAX_PARAMETER_BYTES] __attribute__((aligned(16)));
};

struct party *add_party(struct warp *warp, uint32_t lanes, const struct op *op,
                        struct frame *frame);
void remove_party(struct warp *warp, struct party *party);
/* Splits the lanes that take another path from their party. They become a new party at that op, and
 * the old one keeps the other lanes. */
struct party *part_party(struct warp *warp, struct party *party, uint32_t lanes,
                         const struct op *op);
/* Returns the frame of a lane at a collective. */
struct frame *frame_of(const struct warp *warp, uint32_t lane);

/* Gives the block the first turn, because parties of it can run again. */
static inline void give_turn(struct block *block)
{
    block->turn = 0;
    machine.all_wait = false;
}

/* Returns the generic address of offset 0 in the thread's local memory. */
static inline uint64_t local_window(const struct warp *warp, uint32_t lane)
{
    uint64_t room =
        ((warp->block->index.x * MAX_WARPS + warp->number) * LANES + lane) % LOCAL_ROOMS;

    return LOCAL_WINDOW_BASE + (room << LOCAL_SHIFT) + (1 << (LOCAL_SHIFT - 1));
}

#endif
