/* SPDX-License-Identifier: MIT
 *
 * The simulated GPU: grids, blocks, warps, frames and memory. A warp's lanes are in parties: lanes
 * that stand at one instruction of one call. A party goes on until it waits, ends, or its lanes
 * part.
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

enum { MAX_WARPS = SIMT_BLOCK_THREADS / LANES, BARRIERS = 16, GLOBAL_REGIONS = 1936 };

/* Is it one lane alone? As under the model independent. */
static inline bool is_one(uint32_t lanes)
{
    return (lanes & (lanes - 1)) == 0;
}

/* A value of 1 to 16 bytes. */
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
    char *host; /* null: there is none */
    uint64_t low, bytes;
    uint8_t *written; /* for each byte, whether it was written */
    uint64_t missing; /* bytes that were not; 0: `written` need not be looked at */
    uint64_t race;    /* its address for the race checker */
    uint64_t
        *stamps[2]; /* of writes and reads, for each so many bytes, as a power of two: races.c */
    uint32_t granule;
    bool is_writable, is_constant, is_shared;
    uint32_t element_bytes;
    const char *name;
    struct { /* the first store of a value that comes from what nothing wrote */
        const struct simt_place *place; /* null: there was none */
        uint32_t origin;
        uint64_t offset;
    } undefined;
};

/* A call of a function, of some lanes of a warp. */
struct frame {
    struct frame *outer;
    const struct function_code *code;
    const struct op *call; /* in the outer frame's code */
    uint32_t lanes, depth;
    uint32_t local; /* where its local memory begins, in that of each thread */
    char *slots;
};

enum party_state {
    PARTY_READY,
    PARTY_AT_BARRIER,
    PARTY_MEETING, /* at a collective */
    PARTY_SYNCING, /* for child grids */
};

struct party {
    uint32_t lanes;
    enum party_state state;
    const struct op *op;
    struct frame *frame;
    bool is_counted; /* it stopped in front of a scheduling point that has been counted */
    bool is_delayed; /* held back by the schedule */
    bool waits;      /* in a loop, for what others are to do */
    int32_t slice;   /* instructions until it is looked at again */
    uint32_t looks;  /* as of its warp, and of the machine, at that time */
    uint64_t progress;
    const struct simt_place *looked; /* where it made its last strong read; null: nowhere */
};

/* cp.async of a thread: copies that it has not waited for. */
struct async;

struct lane_memory {
    char *bytes;
    uint8_t *written;
    uint32_t size;
};

struct warp {
    struct block *block;
    uint32_t number, lanes; /* lanes: that it has */
    uint32_t alive;
    uint32_t party_count;
    struct party parties[LANES];
    uint8_t party_of[LANES]; /* by the first lane of a party: where it is */
    uint32_t meeting;        /* lanes in parties that are PARTY_MEETING */
    struct meeting {         /* of those */
        const struct op *op;
        uint32_t mask, source;
        uint64_t given, taken;
        bool valid;
    } meetings[LANES];
    uint32_t steps, looks; /* looks: strong accesses that read what they have read before */
    struct look {
        const struct op *op;
        uint64_t address;
        uint32_t age, most; /* reads since then, and after how many another one is kept */
        uint32_t period;    /* reads until it came again; 0: it did not */
    } kept[LANES];          /* a read of each lane */
    bool is_delayed;
    struct lane_memory local[LANES];
    uint32_t
        paths[LANES]; /* how they came here since the last barrier of the whole block: paths.c */
    uint32_t gone;    /* lanes that had exited at that barrier */
    uint32_t epoch;   /* races.c: __syncwarp() of the whole warp since that barrier */
    struct async *async[LANES];
    bool has_async;                /* some lane has */
    struct child *children[LANES]; /* launches that are being made */
    int errors[LANES];             /* of the last failed launch, as cudaGetLastError() gives it */
    /* counters.c: the last interval in which it made an access, from 1 on, and whether not all of
     * its lanes took part in one of them */
    uint64_t counted_in;
    bool counted_split;
    uint32_t allocations[LANES]; /* so many by malloc() */
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
    struct extent index;
    uint32_t threads, warp_count, exited;
    struct warp *warps;
    char *shared; /* its static arrays, then the dynamic one */
    uint8_t *shared_written;
    struct region *regions; /* by the upper bits of a shared address */
    uint32_t region_count;
    struct barrier barriers[BARRIERS];
    struct path *paths; /* paths.c */
    uint32_t path_count, path_capacity;
    bool paths_are_lost;
    struct launcher *launcher; /* null: it has launched nothing */
    struct block *next;        /* of those that are free */
    int turn;                  /* which of its parties are next: schedule.c */
    uint32_t last_waiting;
    /* races.c: number, barriers passed, lanes that made an access since, whether some exited then
     */
    uint64_t serial;
    uint32_t epoch, touched[MAX_WARPS];
    bool touched_exits;
    uint64_t *shared_stamps[2];
    uint32_t stamped_bytes;
    uint64_t barriers_passed; /* while machine.counters is not null */
    struct race_block race;
};

/* What one block has launched, which outlives the block: grids.c. */
struct launcher {
    struct block *block; /* while it runs */
    struct grid *last;   /* the last in its null stream, while that is not complete */
    uint32_t open;       /* its child grids that are not complete */
    struct race_launcher race;
};

/* A launched grid, and what has come of it: grids.c. */
struct grid {
    const struct function_code *code;
    struct extent extent, block;
    uint32_t shared_bytes;
    unsigned char *parameters;
    struct grid *parent; /* null: launched by the host */
    struct launcher *launcher;
    uint32_t depth;  /* 0: launched by the host */
    uint64_t serial; /* order of launches */
    enum simt_stream stream;
    uint64_t blocks, started, finished;
    uint32_t *permutation;               /* of its blocks; null: in order */
    uint32_t open;                       /* child grids, but for tail launches, not complete */
    struct grid *first_tail, *last_tail; /* tail launches not complete; the first may run */
    struct grid *next;                   /* in its block's null stream, or among the tails */
    struct grid *created;                /* the one launched before it, to be freed */
    bool tails_run;                      /* the first of them was let go */
    uint32_t tails;                      /* its own tail launches */
    struct race_grid race;
};

/* Who runs, and where a fault leaves to. */
extern struct machine {
    struct region regions[GLOBAL_REGIONS]; /* global memory, by the upper bits of an address */
    uint32_t region_count;
    struct block *block;
    struct warp *warp;
    uint32_t lanes; /* of the instruction */
    const struct op *op;
    uint64_t steps, step_limit, clock;
    uint64_t look_at;                     /* steps at which the deadline is looked at next */
    uint64_t accesses;                    /* of lanes, and barriers that they came to */
    int64_t span;                         /* scheduling points to the next event: schedule.c */
    bool by_lane;                         /* each lane is a party of its own */
    bool gives_way;                       /* to other blocks */
    bool strict_barriers, warp_barriers;  /* struct engine_limits */
    const struct simt_place *active_mask; /* of one that was executed, the first in the code */
    uint64_t progress, idle; /* what threads do but wait; slices of waiting since then */
    /* Null: nothing is counted. */
    struct engine_counters *counters;
    uint32_t released; /* warps with parties that waited for others, and may go on: schedule.c */
    jmp_buf out;
} machine;

/* The accesses of one instruction to one array. */
struct group {
    struct region *region;
    uint32_t lanes, bytes;   /* bytes: of each lane's access */
    bool is_contiguous;      /* of all 32 lanes, each behind the one before it */
    uint64_t offsets[LANES]; /* of those lanes; of more than one: of the others, too */
};

/* interpret.c: runs a party until it waits, ends or parts. */
void run_party(struct warp *warp, struct party *party);
void start_warp(struct warp *warp, struct block *block, uint32_t number);
/* When its block ends. */
void end_warp(struct warp *warp);
void free_frames(struct function_code *code);
void free_warp(struct warp *warp);
void remove_party(struct warp *warp, struct party *party);
struct frame *push_frame(struct warp *warp, const struct function_code *code, struct frame *outer,
                         uint32_t lanes);
struct party *add_party(struct warp *warp, uint32_t lanes, const struct op *op,
                        struct frame *frame);
/* Lanes that go another way than the rest of their party become one of their own, at that op. The
 * party keeps the others. */
struct party *part_party(struct warp *warp, struct party *party, uint32_t lanes,
                         const struct op *op);

/* What the thread adds to an offset in its local memory. */
static inline uint64_t local_window(const struct warp *warp, uint32_t lane)
{
    uint64_t room =
        ((warp->block->index.x * MAX_WARPS + warp->number) * LANES + lane) % LOCAL_ROOMS;

    return LOCAL_WINDOW_BASE + (room << LOCAL_SHIFT) + (1 << (LOCAL_SHIFT - 1));
}

/* The register of these lanes is as defined as another, of which that is the head. */
void note_undefined(char *frame, uint32_t slot, uint32_t lanes, const struct head *from);
/* The undefined bytes of a value of `from` bytes that becomes one of `to`. */
uint32_t undefined_resized(uint32_t bytes, uint32_t from, uint32_t to, bool is_signed);

/* access.c */
void load(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
void store(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
/* A selp that chooses between values of loads: those that these lanes take are checked for races.
 */
void check_chosen(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
void atomic(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
void start_shared(struct block *block);

/* The lane, and others like it, read strongly at that address. */
void note_look(struct warp *warp, uint32_t lane, const struct op *op, uint64_t address);
/* A job starts that may take so many seconds. */
void start_deadline(double seconds);

/* library.c */
bool call_library(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes);
struct child {
    uint64_t function;
    struct extent grid, block;
    uint32_t shared_bytes;
    unsigned char parameters[4096] __attribute__((aligned(16)));
};

/* async.c */
void async_copy(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);
void async_commit(struct warp *warp, uint32_t lanes);
void async_wait(struct warp *warp, const struct frame *frame, const struct op *op, uint32_t lanes);
void async_exit(struct warp *warp, uint32_t lane);
void async_forget(struct warp *warp, uint32_t lane);
void use_mbarrier(struct warp *warp, struct frame *frame, const struct op *op, uint32_t lanes);

/* One access of one lane, as load() and store() make them, for other instructions: the host's
 * address of it. `access` is a struct op with space, bytes, kind of access and place. */
char *access_lane(struct warp *warp, const struct frame *frame, const struct op *access,
                  uint32_t lane, uint64_t address, struct region **region);
/* Those bytes may be read by the host: for text. Null: they may not. */
const char *readable_text(struct warp *warp, const struct frame *frame, uint32_t lane,
                          uint64_t address, uint32_t bytes);

/* collective.c: true: the party waits. */
bool meet(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes);
bool come_to_barrier(struct warp *warp, struct party *party, const struct op *op, uint32_t lanes);
void exit_lanes(struct warp *warp, uint32_t lanes);

void blame_waiting(struct block *block);

/* paths.c: lanes make a step. A block starts, or its threads have met at a barrier. */
void path_step(struct warp *warp, const struct frame *frame, const struct op *op, uint32_t lanes);
void paths_restart(struct block *block);
/* Records a fault of a thread that has gone on without a barrier at which others wait: of its whole
 * block, or an aligned one of so many threads, where others of its warp do. True: there is one. */
bool paths_bypass(struct block *block, bool of_all);

/* counters.c: while machine.counters is not null. A job starts, and has ended. */
void counters_start(struct engine_counters *counters);
void counters_finish(const struct engine_outcome *outcome);
/* Lanes of the warp come to a basic block; to a conditional branch, which some of them take. */
void count_block(const struct warp *warp, const struct block_code *code, uint32_t lanes);
void count_branch(const struct warp *warp, uint32_t lanes, uint32_t taken);
/* An instruction accesses so many bytes at these addresses, which are of global memory for some
 * lanes, and of shared memory for others. */
void count_access(struct warp *warp, bool writes, const uint64_t at[LANES], uint32_t bytes,
                  uint32_t global, uint32_t shared);
/* All threads of the block pass a barrier. */
void count_barrier(struct block *block);

/* arrays.c: global memory. */
bool arrays_open(void);
void arrays_close(void);
void arrays_start(void); /* forgets all but the modules' variables */
struct region *arrays_add(const char *name, uint64_t count, uint32_t element_bytes);
uint64_t arrays_used(void); /* bytes */
/* Room on the host, of which no address tells; false when there is none. */
bool arrays_take(struct region *region, uint64_t bytes);
extern char *arrays_host;
enum { ARRAY_FREE_NUMBER = 1, GARBAGE = 0xa5 }; /* GARBAGE: in memory that nothing wrote */

/* heap.c: malloc() and free() in kernels. */
bool heap_start(void); /* room for this job's allocations; false when there is none */
void heap_forget(void);
/* The memory that an address beyond all arrays is in; one without memory where there is none. */
struct region *heap_region(uint64_t address);
uint64_t heap_allocate(struct warp *warp, uint32_t lane, uint64_t bytes);
void heap_free(struct warp *warp, uint32_t lane, uint64_t address);
/* A fault that says what freed the region's memory, if it is memory that was freed. */
void heap_check_freed(const struct region *region, uint32_t lane, const char *verb, uint32_t bytes);
/* Likewise an access outside memory that was not. */
void heap_check_bounds(const struct region *region, enum fault_kind kind, uint32_t lane,
                       const char *verb, uint32_t bytes, int64_t offset);
/* Names a place for reports; false if it is not in memory of malloc(). */
bool heap_name(uintptr_t race_address, char *name, size_t size);
/* At the end of a job. */
void heap_report_leaks(void);

/* shared.c */
bool shared_open(void);
void shared_close(void);
extern uintptr_t shared_race_base;
void name_place(uintptr_t race_address, char *name, size_t size);

/* races.c: the accesses of a group, in the order of their lanes. */
struct group;
void check_races(struct warp *warp, const struct op *op, const struct group *group);
/* The same where race_on: lanes of one step one after the other. */
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
/* Ends the run, for a fault was recorded. */
_Noreturn void leave_faulty(void);
/* A fault of a lane of the warp that runs, at the op; does not come back. */
_Noreturn void raise_fault(enum fault_kind kind, uint32_t lane, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A read of what nothing wrote, in a region or (null) a thread's own memory: a number for struct
 * head. The names are forgotten with the job. */
uint32_t undefined_origin(const struct simt_place *place, const struct region *region,
                          uint64_t offset);
/* Likewise a shuffle from a lane that gives nothing. */
uint32_t undefined_shuffle(const struct simt_place *place);
/* Likewise a division by zero. */
uint32_t undefined_quotient(const struct simt_place *place);
void forget_origins(void);
/* A fault if the value is undefined in one of the lanes: what it is used for. */
void use_undefined(const char *frame, uint32_t slot, uint32_t lanes, const char *use);
/* Likewise if the array holds one at the end. */
void report_undefined_output(const struct region *region);

#endif
