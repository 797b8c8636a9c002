/* SPDX-License-Identifier: MIT
 *
 * The GPU of `simtcheck exec`: one simulated device, with the objects that the CUDA runtime and the
 * driver API share. Both libraries are thin layers above these functions.
 *
 * Errors are the numbers of CUresult. Those of cudaError_t are the same, for the errors used here.
 */
#ifndef SIMTCHECK_EXEC_CORE_H
#define SIMTCHECK_EXEC_CORE_H

#include "launch_features.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXEC_PUBLIC __attribute__((visibility("default")))

enum {
    EXEC_SUCCESS = 0,
    EXEC_INVALID_VALUE = 1,
    EXEC_OUT_OF_MEMORY = 2,
    EXEC_NOT_INITIALIZED = 3,
    EXEC_INVALID_CONFIGURATION = 9, /* runtime only */
    EXEC_INVALID_SYMBOL = 13,       /* runtime only */
    EXEC_INVALID_FUNCTION = 98,     /* runtime only */
    EXEC_INVALID_DEVICE = 101,
    EXEC_INVALID_IMAGE = 200,
    EXEC_INVALID_CONTEXT = 201,
    EXEC_NO_IMAGE = 209,
    EXEC_FILE_NOT_FOUND = 301,
    EXEC_INVALID_HANDLE = 400,
    EXEC_NOT_FOUND = 500,
    EXEC_NOT_READY = 600,
    EXEC_ILLEGAL_ADDRESS = 700,
    EXEC_OUT_OF_RESOURCES = 701,
    EXEC_TIMEOUT = 702,
    EXEC_ASSERT = 710,
    EXEC_ALREADY_REGISTERED = 712,
    EXEC_NOT_REGISTERED = 713,
    EXEC_MISALIGNED = 716,
    EXEC_LAUNCH_FAILURE = 719,
    EXEC_COOPERATIVE_TOO_LARGE = 720,
    EXEC_NOT_PERMITTED = 800,
    EXEC_NOT_SUPPORTED = 801,
    EXEC_CAPTURE_UNSUPPORTED = 900,
    EXEC_CAPTURE_INVALIDATED = 901,
    EXEC_CAPTURE_UNJOINED = 904,
    EXEC_CAPTURE_IMPLICIT = 906,
    EXEC_CAPTURED_EVENT = 907,
    EXEC_CAPTURE_WRONG_THREAD = 908,
    EXEC_ILLEGAL_STATE = 401,
    EXEC_UNKNOWN = 999,
};

/* ---- Calls of the API ---- */

/* A place in the host program: the name of the function that it called, and the return addresses.
 * The second and third are for functions of CUDA's headers that only call another. */
enum { EXEC_FRAMES = 3 };
struct exec_site {
    const char *name;
    void *addresses[EXEC_FRAMES]; /* null: unknown */
};
/* Returns the place of a call by its return address. */
EXEC_PUBLIC struct exec_site exec_site_of(const char *name, const void *address);

/* Begins a call: takes the lock, and notes where the program is. Calls may nest; the outermost one
 * counts. Ends it. */
EXEC_PUBLIC void exec_enter(const char *name, const void *address);
EXEC_PUBLIC void exec_leave(void);
/* Returns the site of the outermost call of this thread. */
struct exec_site exec_site(void);

/* Returns the error of each call in a host function, or in a child by fork() of a process that has
 * started the simulator, which cannot use the GPU. Reports it. */
EXEC_PUBLIC int exec_refused(void);

/* Brackets a function body that returns an error number. */
#define EXEC_CALL(expression)                                                                      \
    ({                                                                                             \
        int error_;                                                                                \
        exec_enter(__func__, __builtin_return_address(0));                                         \
        error_ = exec_refused() ?: (expression);                                                   \
        exec_leave();                                                                              \
        error_;                                                                                    \
    })

/* Begins a call in which stream 0 is the default stream of the thread. Ends it. */
EXEC_PUBLIC void exec_begin_per_thread(const char *name, const void *address);
EXEC_PUBLIC void exec_end_per_thread(void);

/* Defines the function of the API whose name has that suffix, _ptsz or _ptds, and in which stream 0
 * is the default stream of the thread. `parameters` and `arguments` are in parentheses. */
#define EXEC_PER_THREAD_FUNCTION(name, suffix, parameters, arguments)                              \
    EXEC_PUBLIC int name parameters;                                                               \
    EXEC_PUBLIC int name##suffix parameters;                                                       \
    int name##suffix parameters                                                                    \
    {                                                                                              \
        int error_;                                                                                \
        exec_begin_per_thread(#name, __builtin_return_address(0));                                 \
        error_ = name arguments;                                                                   \
        exec_end_per_thread();                                                                     \
        return error_;                                                                             \
    }

/* Reports that a function or a variant of it is missing. Returns EXEC_NOT_SUPPORTED. */
EXEC_PUBLIC int exec_unsupported(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Reports an invalid call. A null site is the present call. Returns the error. */
EXEC_PUBLIC int exec_invalid(const struct exec_site *site, int error, const char *why);
/* The same, for a whole function that the program called from `address`. */
EXEC_PUBLIC int exec_missing(const char *name, const void *address);
/* Accepts a feature that the program uses, or reports that it is partial or unsupported, and
 * returns the error. The parameters are those of feature_effect(). */
EXEC_PUBLIC int exec_feature(enum feature_kind kind, uint32_t number, const void *value);
/* The same, for each bit of the flags. */
EXEC_PUBLIC int exec_flags(enum feature_kind kind, uint64_t flags);

/* Says that the file with that code contains a CUDA runtime, which was not replaced. */
void exec_report_runtime(const void *address);

/* ---- The device ---- */

/* Starts the simulator. Returns an error after a message. All functions below call it as needed. */
EXEC_PUBLIC int exec_start(void);
/* For a caller that knows when the program has ended better than the destructor of this library:
 * returns the function that it then calls. */
EXEC_PUBLIC void (*exec_end_later(void))(void);
/* Returns the error of a kernel that failed; it stays. */
EXEC_PUBLIC int exec_sticky(void);
/* Forgets all of the device's memory, as cudaDeviceReset() does. */
EXEC_PUBLIC int exec_reset(void);
/* Returns an attribute of the device by its number in CUdevice_attribute, which is the one in
 * cudaDeviceAttr. Returns false if no attribute has that number. */
EXEC_PUBLIC bool exec_attribute(int attribute, int *value);
EXEC_PUBLIC extern const char exec_device_name[];
EXEC_PUBLIC extern const size_t exec_device_bytes;
EXEC_PUBLIC size_t exec_free_bytes(void);

/* ---- Memory ---- */

struct exec_stream;

enum exec_memory { EXEC_DEVICE, EXEC_HOST, EXEC_MANAGED, EXEC_REGISTERED };

struct exec_allocation {
    uint64_t address;
    size_t bytes;
    enum exec_memory kind;
    bool is_freed;
    bool is_variable; /* of a module */
    bool is_of_graph; /* a node of a graph allocates it */
    struct exec_site made, freed;
    char name[96]; /* for reports */
    uint64_t id;
    uint64_t serial; /* of the work of a stream that allocates it; 0: it was there at once */
    uint32_t stream;
};

EXEC_PUBLIC int exec_allocate(enum exec_memory kind, size_t bytes, void **address);
EXEC_PUBLIC int exec_allocate_async(size_t bytes, void **address, struct exec_stream *stream);
EXEC_PUBLIC int exec_register(void *address, size_t bytes);
EXEC_PUBLIC int exec_unregister(void *address);
/* Frees an allocation of that kind; EXEC_DEVICE takes managed memory, too. Waits for all work. */
EXEC_PUBLIC int exec_free(enum exec_memory kind, void *address);
/* Returns the live allocation that has the address, or null. */
EXEC_PUBLIC const struct exec_allocation *exec_find(const void *address);
/* Adds a variable of the host that stands for one of the GPU, and has not its contents. */
EXEC_PUBLIC void exec_add_shadow(const void *host, size_t bytes);

/* A copy of a box of bytes between two places, each with the distances of its rows and layers. */
struct exec_box {
    void *to;
    const void *from;
    size_t width, height, depth;
    size_t to_pitch, from_pitch, to_layer, from_layer;
};

/* A fill of rows with elements of 1, 2 or 4 bytes. */
struct exec_fill {
    void *to;
    uint32_t value;
    unsigned int element_bytes;
    size_t width, height, pitch; /* width: in bytes */
};

/* Queue a copy. `kind` is that of cudaMemcpyKind: 0 host to host, 1 host to device, 2 device to
 * host, 3 device to device, 4 by the addresses. If is_blocking, the call returns when it is done.
 */
EXEC_PUBLIC int exec_copy(const struct exec_box *box, int kind, struct exec_stream *stream,
                          bool is_blocking);
EXEC_PUBLIC int exec_fill(const struct exec_fill *fill, struct exec_stream *stream,
                          bool is_blocking);
EXEC_PUBLIC int exec_free_async(void *address, struct exec_stream *stream);

/* ---- Modules ---- */

struct exec_module;
struct exec_function;

/* Loads an image: a fat binary or its wrapper, or PTX as text. */
EXEC_PUBLIC int exec_load(const void *image, struct exec_module **module);
EXEC_PUBLIC int exec_unload(struct exec_module *module);
EXEC_PUBLIC int exec_get_function(struct exec_module *module, const char *name,
                                  struct exec_function **function);
EXEC_PUBLIC int exec_get_variable(struct exec_module *module, const char *name, void **address,
                                  size_t *bytes);
EXEC_PUBLIC const char *exec_function_name(const struct exec_function *function);

struct exec_function_facts {
    uint32_t static_shared, max_dynamic_shared, constant_bytes, local_bytes;
    uint32_t max_threads, version, target; /* version, target: of PTX */
    bool needs_cluster;
};

EXEC_PUBLIC int exec_function_facts(struct exec_function *function,
                                    struct exec_function_facts *facts);
/* Returns the place of a parameter, or false if the kernel has no such parameter. */
EXEC_PUBLIC bool exec_parameter(struct exec_function *function, size_t number, size_t *offset,
                                size_t *bytes);
EXEC_PUBLIC int exec_allow_large_clusters(struct exec_function *function, bool is_allowed);
EXEC_PUBLIC int exec_set_dynamic_shared(struct exec_function *function, int bytes);
EXEC_PUBLIC int exec_occupancy(struct exec_function *function, int threads, size_t shared_bytes,
                               int *blocks);

/* ---- Launches ---- */

struct exec_launch {
    struct exec_function *function;
    uint32_t grid[3], block[3], cluster[3]; /* cluster[0] = 0: that of the kernel */
    uint32_t shared_bytes;
    bool is_cooperative;
    struct exec_event *events[2]; /* recorded after the launch; null: none */
    const struct exec_site *site; /* null: that of the call */
};

/* As CUlaunchAttribute and cudaLaunchAttribute. */
struct exec_launch_attribute {
    uint32_t id;
    char pad[4];
    union {
        char bytes[64];
        int number;
        unsigned int dimension[3];
        struct {
            struct exec_event *event;
            int flags;
        } record;
    } value;
};
enum { EXEC_COOPERATIVE = 2, EXEC_CLUSTER = 4, EXEC_PROGRAM_EVENT = 7, EXEC_COMPLETION_EVENT = 12 };

/* Reads the attributes of a launch. */
EXEC_PUBLIC int exec_take_attributes(const struct exec_launch_attribute *attributes,
                                     unsigned int count, struct exec_launch *launch);

/* Queues a launch. `arguments` has the address of each parameter. If it is null, `buffer` has all
 * of them, as CU_LAUNCH_PARAM_BUFFER_POINTER. */
EXEC_PUBLIC int exec_launch(const struct exec_launch *launch, void *const *arguments,
                            const void *buffer, size_t buffer_bytes, struct exec_stream *stream);

/* ---- Streams and events ---- */

struct exec_event;

/* The handles of the program for the default streams. */
#define EXEC_LEGACY ((struct exec_stream *)1)
#define EXEC_PER_THREAD ((struct exec_stream *)2)

enum { EXEC_NON_BLOCKING = 1 };

EXEC_PUBLIC int exec_stream_create(unsigned int flags, int priority, struct exec_stream **stream);
EXEC_PUBLIC int exec_stream_destroy(struct exec_stream *stream);
/* All but the stream may be null. */
EXEC_PUBLIC int exec_stream_flags(struct exec_stream *stream, unsigned int *flags, int *priority,
                                  unsigned long long *id);
/* Runs what the stream has queued, and what that waits for. */
EXEC_PUBLIC int exec_synchronize(struct exec_stream *stream);
EXEC_PUBLIC int exec_synchronize_all(void);
EXEC_PUBLIC int exec_stream_query(struct exec_stream *stream);
EXEC_PUBLIC int exec_event_create(unsigned int flags, struct exec_event **event);
EXEC_PUBLIC int exec_event_destroy(struct exec_event *event);
/* Checks the flags of a record of an event in the stream, or of a wait for one. */
EXEC_PUBLIC int exec_record_flags(struct exec_stream *stream, unsigned int flags);
EXEC_PUBLIC int exec_event_record(struct exec_event *event, struct exec_stream *stream);
EXEC_PUBLIC int exec_event_query(struct exec_event *event);
EXEC_PUBLIC int exec_event_synchronize(struct exec_event *event);
EXEC_PUBLIC int exec_event_elapsed(struct exec_event *start, struct exec_event *end, float *ms);
EXEC_PUBLIC int exec_stream_wait(struct exec_stream *stream, struct exec_event *event);
EXEC_PUBLIC int exec_host_function(struct exec_stream *stream, void (*function)(void *),
                                   void *data);

/* ---- Graphs ---- */

struct exec_graph;
struct exec_node;
struct exec_graph_exec;

/* As cudaStreamCaptureMode. */
enum { CAPTURE_GLOBAL, CAPTURE_THREAD_LOCAL, CAPTURE_RELAXED };
EXEC_PUBLIC int exec_capture_begin(struct exec_stream *stream, int mode);
/* Exchanges the mode of the thread. */
EXEC_PUBLIC int exec_capture_mode(int *mode);
EXEC_PUBLIC int exec_capture_end(struct exec_stream *stream, struct exec_graph **graph);
/* Describes the stream's capture. All but the status may be null. */
EXEC_PUBLIC int exec_capture_info(struct exec_stream *stream, int *status, unsigned long long *id,
                                  struct exec_graph **graph, struct exec_node *const **last,
                                  size_t *count);
EXEC_PUBLIC int exec_graph_create(struct exec_graph **graph);
EXEC_PUBLIC int exec_graph_destroy(struct exec_graph *graph);
EXEC_PUBLIC int exec_graph_nodes(struct exec_graph *graph, struct exec_node **nodes, size_t *count);
/* frees_first: a launch frees what the graph has allocated before and is not freed. */
EXEC_PUBLIC int exec_graph_instantiate(struct exec_graph *graph, bool frees_first,
                                       struct exec_graph_exec **made);
/* Returns how much memory graphs have allocated now, or the most that it was. */
EXEC_PUBLIC uint64_t exec_graph_bytes(bool most);
EXEC_PUBLIC int exec_graph_update(struct exec_graph_exec *made, struct exec_graph *graph);
EXEC_PUBLIC int exec_graph_launch(struct exec_graph_exec *made, struct exec_stream *stream);
EXEC_PUBLIC int exec_graph_exec_destroy(struct exec_graph_exec *made);
EXEC_PUBLIC int exec_graph_depend(struct exec_graph *graph, struct exec_node *const *from,
                                  struct exec_node *const *to, size_t count);

/* Add nodes. */
EXEC_PUBLIC int exec_add_empty(struct exec_graph *graph, struct exec_node *const *after,
                               size_t count, struct exec_node **node);
EXEC_PUBLIC int exec_add_launch(struct exec_graph *graph, struct exec_node *const *after,
                                size_t count, const struct exec_launch *launch,
                                void *const *arguments, struct exec_node **node);
EXEC_PUBLIC int exec_add_copy(struct exec_graph *graph, struct exec_node *const *after,
                              size_t count, const struct exec_box *box, int kind,
                              struct exec_node **node);
EXEC_PUBLIC int exec_add_fill(struct exec_graph *graph, struct exec_node *const *after,
                              size_t count, const struct exec_fill *fill, struct exec_node **node);
EXEC_PUBLIC int exec_add_host(struct exec_graph *graph, struct exec_node *const *after,
                              size_t count, void (*function)(void *), void *data,
                              struct exec_node **node);
EXEC_PUBLIC int exec_add_child(struct exec_graph *graph, struct exec_node *const *after,
                               size_t count, struct exec_graph *child, struct exec_node **node);
EXEC_PUBLIC int exec_add_allocation(struct exec_graph *graph, struct exec_node *const *after,
                                    size_t count, size_t bytes, void **address,
                                    struct exec_node **node);
EXEC_PUBLIC int exec_add_free(struct exec_graph *graph, struct exec_node *const *after,
                              size_t count, void *address, struct exec_node **node);
EXEC_PUBLIC int exec_node_kind(struct exec_node *node, int *kind);
/* Sets the parameters of a kernel node, in a graph or in an instance of it (made not null). */
EXEC_PUBLIC int exec_node_set_launch(struct exec_graph_exec *made, struct exec_node *node,
                                     const struct exec_launch *launch, void *const *arguments);

#endif
