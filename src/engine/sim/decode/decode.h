/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SIM_DECODE_H
#define SIMTCHECK_SIM_DECODE_H

#include "code.h"
#include "module.h"

/* Addresses of the simulated GPU. Those below GLOBAL_BASE are left to arrays that the caller places
 * there: a program's memory on the host, and memory of a GPU, is below it. From GLOBAL_BASE on,
 * arrays of global memory are 64 GiB apart, and each is in the middle of its range. An index error
 * therefore lands outside of every array.
 *
 * The low 20 bits of a shared address are the offset in the block's shared memory, as on a GPU. The
 * seven bits above them are the array's window: 1 for dynamic shared memory, and another one for
 * each static array. So an index error lands outside of every array here, too. The five highest
 * bits are 0 in the block's own shared memory.
 *
 * In a generic address they are the low 32 bits. The upper ones identify the block, so that the
 * address is not valid in other blocks: see cluster.h. */
enum {
    GLOBAL_SHIFT = 36,
    SHARED_SHIFT = 20,
    DYNAMIC_WINDOW = 1,
    FIRST_STATIC_WINDOW = 2,
};
#define GLOBAL_BASE UINT64_C(0x1000000000000)
#define WINDOWS_BASE UINT64_C(0x200000000000000) /* above all arrays */
#define SHARED_WINDOW_BASE UINT64_C(0x300000000000000)
#define LOCAL_WINDOW_BASE (WINDOWS_BASE | UINT64_C(0x7e0000000000))
/* The local variables of each thread have their own range in the window, and are in the middle of
 * it. Use of another thread's local address is thus detected. */
enum { LOCAL_SHIFT = 28, LOCAL_ROOMS = 1 << 12 };
#define PARAMETER_WINDOW_BASE (WINDOWS_BASE | UINT64_C(0x7d0000000000))
#define CODE_WINDOW_BASE (WINDOWS_BASE | UINT64_C(0x7c0000000000))
/* Parameters of a launch in preparation. */
#define CHILD_WINDOW_BASE (WINDOWS_BASE | UINT64_C(0x7b0000000000))
/* Handles of textures and surfaces. */
#define TEXTURE_WINDOW_BASE (WINDOWS_BASE | UINT64_C(0x7a0000000000))

/* Returns true for the generic address of shared memory, of any block. */
static inline bool is_shared_address(uint64_t address)
{
    return address >> 56 == SHARED_WINDOW_BASE >> 56;
}

struct launch_module;

/* A module that is ready to run. */
struct module_code {
    struct module module;
    struct launch_module *set;       /* the modules that it is linked with */
    struct function_code *functions; /* parallel to module.functions */
    const struct simt_place *places;
    size_t place_count;
    bool launches_as_cuda_11, allocates;
};

struct buffer;
struct filling;
struct libdevice_stores;

/* Another arithmetic than that of floats: what executes the ops that have a struct exact_code. */
struct exact_functions {
    const char *option; /* the option that selects it */
    bool is_bounded;    /* values have error bounds */
    operation_function *run;
    /* Atomic additions, and any other atomic instruction on floats. */
    atomic_function *add_f32, *add_f64, *refuse;
    /* Computes the result of op->device for the arguments of a lane. */
    uint64_t (*call)(const struct op *op, uint32_t lane, const uint64_t *arguments,
                     struct libdevice_stores *stores);
    /* Returns the input with the element i of an array. */
    uint64_t (*input)(const struct filling *filling, uint64_t i);
    /* Prepares a run of a case. Null: there is nothing to prepare. */
    void (*start)(void);
    /* Converts the contents of buffer k to what is compared. */
    void (*finish)(uint32_t k, const struct buffer *buffer, void *contents);
    /* Returns the error bounds of that buffer's elements; null: it has none. May be null. */
    const double *(*bounds)(uint32_t k);
    /* EXACT_SELECT, for lanes whose choice is unknown. */
    operation_function *select;
};

/* Decodes a module that module_parse() has read. `variable` returns the address of a variable,
 * which is in another module if the variable is extern. It returns 0 if none exists. Like
 * module_parse(), returns false on error, with one sentence. */
struct decode_links {
    uint64_t (*variable)(struct module_code *code, const struct variable *variable);
    /* Returns true if another module that this one is linked with defines the function. Null: there
     * is none. */
    bool (*function)(const struct module_code *code, const char *name);
    struct simt_place *(*places)(size_t count); /* room for `count` places; null: out of memory */
    uint64_t first_address;                     /* of this module's functions */
    const struct exact_functions *exact;        /* another arithmetic; null: that of PTX */
};
bool decode_module(struct module_code *code, const struct decode_links *links, char *error,
                   size_t error_size);

/* Parses and decodes PTX of `size` bytes without a simulator: accept.c. Its variables get distinct
 * addresses without memory. Returns false on error, with a sentence. Call decode_alone_free() in
 * either case. */
bool decode_alone(struct module_code *code, const char *path, const char *text, size_t size,
                  char *error, size_t error_size);
void decode_alone_free(struct module_code *code);

/* Writes a sentence about a call of a function that no file defines. */
void decode_undefined(const struct op *call, char *error, size_t error_size);

#endif
