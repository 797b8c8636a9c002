/* SPDX-License-Identifier: MIT
 *
 * What the files of the core share.
 */
#ifndef SIMTCHECK_EXEC_INTERNAL_H
#define SIMTCHECK_EXEC_INTERNAL_H

#include "core.h"

#include "launches.h"

#include <stdio.h>

struct work;

/* ---- report.c ---- */

/* Reports what is wrong: on standard error, and as a line of JSON in the report file. `site`: the
 * call that shows it, or a null name. Findings that differ in numbers only are reported
 * once. */
void report(const char *rule, const struct exec_site *site, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void report_fault(const struct fault *fault, const char *kernel, const struct exec_site *site,
                  bool is_checked);
/* A side of a race: the work that made the access. */
void report_race(const struct race *race, const struct work *first, const struct work *second);
/* Writes "cudaMalloc() at my.cu:12", or "the kernel launched by main at my.cu:12". Returns the
 * text.
 */
const char *site_text(const struct exec_site *site, char *text, size_t size);
/* Writes a short name for the memory that a call has made: "d.in (my.cu:12)", if its line passes
 * &d.in, and otherwise "the allocation of my.cu:12". */
void site_name(const struct exec_site *site, char *text, size_t size);
/* Notes that the program is not fully checked, as the text says. The same text counts once. */
void report_partial(const char *text, const struct exec_site *site);
/* The same for a limit of what is found, which is no reason to distrust the verdict. */
void report_remark(const char *text, const struct exec_site *site);
/* Notes that the program cannot run, as the text says. The same text counts once. The process goes
 * on, but what it does wrong from now on is no finding. */
void report_unusable(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Lines of JSON about the whole run, at its first work and its end. Without the second one, the run
 * counts as not checked. The first one is written once. Returns false after an error message. */
bool report_start(void);
void report_end(uint64_t skipped);
/* Writes what the launches of a kernel did. `why` they were not checked; null: they were. */
void report_kernel(const char *kernel, const char *why, uint64_t launches, uint64_t threads,
                   double seconds);

/* ---- kernels.c ---- */

struct kernel_use;
/* Counts a launch, and decides whether it is checked. Returns where it counts; null: no memory. */
struct kernel_use *kernels_take(const struct exec_launch *launch);
bool kernels_is_checked(const struct kernel_use *use);
void kernels_add_time(struct kernel_use *use, double seconds);
/* Reports what was not reported before. */
void kernels_report(void);

/* ---- call.c ---- */

struct exec_options {
    enum model model;
    bool detects_races;
    bool checks_leaks;
    bool allows_same_value; /* races in which both write the same value */
};

extern struct exec_options options;

enum { MAX_RACES = 64 }; /* all that the race checker keeps of a run */

/* The simulated device. */
extern struct exec_device {
    bool is_started, is_forked;
    int start_error, sticky;
    int exit_status; /* of the program */
    struct engine *engine;
    struct launch_rules rules;
    struct race races[MAX_RACES]; /* of the last launch */
} device;

/* Makes an error stay, as after a kernel that failed. */
int stay_failed(int error);
void wrong_call(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Calls a host function of the program, which that call has queued, without the lock. */
void call_host_function(void (*function)(void *), void *data, const struct exec_site *queued);
/* Returns whether stream 0 is the default stream of the thread in this call. */
bool call_is_per_thread(void);
/* Wait until another thread has run the queue, and wake up those that wait. */
void wait_for_others(void);
void tell_others(void);
/* The parts of exec_leave(): returns whether the outermost call has ended; gives the lock back. */
bool call_leave(void);
void call_unlock(void);
/* Frees the lock in the child of a fork(), which has no other threads. */
void call_free_lock(void);

/* ---- allocations.c ---- */

/* "memory of the GPU", by kind. */
extern const char *const allocation_words[];
/* Return the newest allocation that has the address, or null. allocation_any(): it may be freed. */
struct exec_allocation *allocation_any(uint64_t address);
struct exec_allocation *allocation_live(uint64_t address);
/* Returns the k-th one of all that there were; null: no more. */
struct exec_allocation *allocation_at(size_t k);
/* Adds one, of the call that is made; null: no memory. allocation_drop() removes it, and returns
 * the error. */
struct exec_allocation *allocation_add(enum exec_memory kind, size_t bytes);
int allocation_drop(int error);
void allocation_use(size_t bytes);
/* Notes that it is freed by the call at that site. */
void allocation_end(struct exec_allocation *one, const struct exec_site *site);
int variable_add(enum exec_memory kind, uint64_t address, size_t bytes, const char *name);
/* Returns the next `__managed__` variable from the allocation with that number on, which moves past
 * it; null: no more. */
const struct exec_allocation *variable_managed(size_t *number);
/* Reports leaks at the end of the program. */
void memory_end(void);

/* ---- memory.c ---- */

enum { HOST_PAGE = 4096 };
static inline size_t whole_pages(size_t bytes)
{
    return (bytes + HOST_PAGE - 1) / HOST_PAGE * HOST_PAGE;
}
bool can_free(const struct exec_allocation *one, enum exec_memory kind, uint64_t address);
/* Reports an address that cannot be freed. */
int wrong_free(const void *address, const struct exec_site *site);
void release(struct exec_allocation *one, const struct exec_site *site);
bool is_device(const void *address);
/* Returns whether it is an address of the GPU's memory, which may be freed. */
bool was_device(const void *address);
void variable_remove(uint64_t address);
void memory_forget(void);
int copy_now(const struct exec_box *box, int kind, const struct exec_site *site);
int fill_now(const struct exec_fill *fill, const struct exec_site *site);
int free_now(uint64_t address, const struct exec_site *site);
/* Chooses the address of memory that a graph allocates. It counts as freed until the node runs. */
int graph_memory(size_t bytes, uint64_t *address);
int allocate_now(const struct work *work);
/* exec_graph_bytes(), without the work that is queued. */
uint64_t graph_bytes(bool most);

/* ---- module.c ---- */

/* The file of code without line information. */
#define PTX_NAME "PTX"

struct exec_function {
    struct exec_function *next;
    const struct launch_kernel *kernel;
    char name[1024];
    int max_dynamic_shared; /* set by the program; 0: the default */
    bool is_nonportable;    /* clusters of up to 16 blocks */
    bool has_race;          /* a race in it was reported */
};

bool module_is_loaded(const struct exec_module *module);
void module_forget(struct exec_module *module);

/* ---- queue.c, streams.c and run.c ---- */

enum work_kind {
    WORK_LAUNCH,
    WORK_COPY,
    WORK_FILL,
    WORK_HOST,
    WORK_ALLOCATE,
    WORK_FREE,
    WORK_EVENT,
    WORK_EMPTY
};

/* What a stream or a node of a graph does. */
struct work {
    enum work_kind kind;
    struct exec_site site;
    struct exec_launch launch;
    unsigned char *arguments; /* the parameters as they lie in memory; owned */
    size_t argument_bytes;
    struct exec_box box;
    int copy_kind;
    struct exec_fill fill;
    void (*host)(void *);
    void *data;
    struct exec_event *event;
    uint64_t address; /* WORK_ALLOCATE, WORK_FREE */
    bool frees_first; /* WORK_ALLOCATE: it may be allocated still, and is freed then */
};

/* Queues work in a stream, or adds it to the graph into which the stream is captured. Takes over
 * its arguments. */
int enqueue(struct exec_stream *stream, struct work *work);
/* Queues work behind the given serial numbers. Returns its own number, or 0 without memory. */
uint64_t enqueue_behind(struct exec_stream *stream, struct work *work, const uint64_t *after,
                        size_t count);
/* Returns the stream of a handle of the program. */
struct exec_stream *stream_of(struct exec_stream *handle);
uint64_t stream_last(struct exec_stream *stream);
uint32_t stream_index(struct exec_stream *stream);
void stream_set_last(struct exec_stream *stream, uint64_t serial);
bool stream_captures(struct exec_stream *stream);
/* Returns the error of a call that captures forbid, and makes these invalid. `stream` is the one
 * that the call uses, or null. CALL_UNSAFE: it cannot be captured, but later work may depend on it,
 * so that the mode of the capture counts. CALL_OF_ALL: it waits for all streams. */
enum captured_call { CALL_SAFE, CALL_UNSAFE, CALL_OF_ALL };
int captures_forbid(const struct exec_stream *stream, enum captured_call call);
/* Runs all queued work, for which the host does not wait. */
int run_all(void);
void queue_forget(void);

/* Let the host wait for the stream's work so far, or for all. */
int host_wait(struct exec_stream *stream);
int host_wait_all(void);

/* ---- guards.c and guard_fault.c ---- */

/* Guards the host memory that new work uses. */
void guard_work(const struct work *work, uint32_t stream, uint64_t serial);
/* Protect the guarded pages, or make them accessible. */
void guards_apply(void);
void guards_lift(void);
/* Makes them accessible for work that runs now, and keeps what kernels may change. */
void guards_before_run(void);
/* Reports what the host wrote before kernels ran, and what they then changed. */
void guards_after_run(void);
/* Notes that a kernel has written a word that the host may read meanwhile: struct launch_rules. */
void guards_signal(uint64_t address, bool releases);
/* Notes a strong read of a kernel: struct launch_rules. */
void guards_look(uint64_t address);
/* Reports an access of the host, at the site, to memory that the work uses. */
void report_access(const struct exec_site *work, bool work_writes, const struct exec_site *site,
                   bool writes);
/* Notices accesses to guarded pages from now on. */
void guards_watch(void);
/* Remove the guards of work up to those serial numbers of each stream, or of an allocation. */
void guards_synchronize(const uint64_t *serials);
void guards_forget(uint64_t address);
void guards_forget_all(void);

/* ---- launch_check.c and batch.c ---- */

int launch_check(const struct exec_launch *launch);
/* Copies the parameters. */
int launch_bind(struct work *work, void *const *arguments, const void *buffer, size_t bytes);

/* A copy or fill as a kernel. */
struct transfer {
    const struct launch_kernel *kernel;
    uint64_t to, from, count; /* count: of elements; from: of a fill, the value */
    size_t bytes;
    unsigned int element_bytes;
    uint32_t blocks;
    void *arguments[3];
    void *staged;      /* pageable memory as the simulator sees it; null: none */
    void *destination; /* to which that is copied at the end; null: nowhere */
    bool is_unwritten; /* it has copied bytes to the host that nothing had written */
};

/* Work that runs together in the simulator. */
struct batched {
    const struct work *work;
    struct queued *item;
    uint32_t after;           /* bit k: begins when the k-th of the batch is complete */
    uint32_t name;            /* under which the simulator keeps its accesses; 0: not */
    struct transfer transfer; /* of a copy or fill */
    struct kernel_use *use;   /* of a launch; null: nowhere */
};
int launch_batch(struct batched *all, uint32_t count);

/* ---- overlap.c ---- */

/* Returns the earlier work with that name, or null. */
const struct batched *overlap_find(uint32_t name);
/* Returns whether a host function may have told the program, before it queued the later work, that
 * the earlier one was complete. */
bool overlap_heard(uint32_t name, const struct batched *later);
void overlap_forget(void);
/* Lets a write of the host race with the work that is queued. It is found as a WORK_HOST. */
void overlap_write(uint64_t address, const struct exec_site *site);

/* ---- transfer.c ---- */

/* Makes a kernel of a copy or fill. Returns false if the work is something else, or no kernel can
 * do it. */
bool transfer_make(const struct work *work, struct transfer *made);
struct launch transfer_launch(struct transfer *transfer);
/* Call when the transfer is complete, before later work runs. */
void transfer_complete(struct transfer *transfer, const struct work *work);
/* Ends a transfer after its run. */
void transfer_end(struct transfer *transfer, const struct work *work);
void launch_end(void);

/* ---- nvrtc.c ---- */

/* Makes the program and its libraries take PTX from NVRTC in place of machine code. Runs when this
 * library is loaded, and again for libraries that come later. */
void nvrtc_redirect(void);

/* ---- graph.c ---- */

int capture_add(struct exec_stream *stream, struct work *work);
int capture_wait(struct exec_stream *stream, struct exec_event *event, bool *is_captured);
/* The same, for a question of the host for an event. */
int capture_ask(const struct exec_event *event);
int capture_record(struct exec_stream *stream, struct exec_event *event, bool *is_captured);

#endif
