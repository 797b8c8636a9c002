/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_SIM_DECODE_H
#define SIMTCHECK_SIM_DECODE_H

#include "code.h"
#include "module.h"

/* Addresses of the simulated GPU. Arrays of global memory are 64 GiB apart, each in the middle of
 * its room, and shared arrays 1 MiB: an index that is wrong lands outside of every array. */
enum { GLOBAL_SHIFT = 36, SHARED_SHIFT = 20 };
#define SHARED_WINDOW_BASE UINT64_C(0x7f0000000000)
#define LOCAL_WINDOW_BASE UINT64_C(0x7e0000000000)
/* Each thread's local variables have room of their own in the window, and stand in the middle of
 * it: a thread that uses an address of another's is told. */
enum { LOCAL_SHIFT = 28, LOCAL_ROOMS = 1 << 12 };
#define PARAMETER_WINDOW_BASE UINT64_C(0x7d0000000000)
#define CHILD_WINDOW_BASE UINT64_C(0x7b0000000000) /* parameters of a launch that is made */
#define CODE_WINDOW_BASE UINT64_C(0x7c0000000000)

/* A module, ready to run. */
struct module_code {
    struct module module;
    struct function_code *functions; /* as module.functions */
    const struct simt_place *places;
    size_t place_count;
    bool launches_as_cuda_11, allocates;
};

/* Decodes a module that module_parse() has read. `address` gives a variable its address: of this
 * module, or of another one for an extern; 0: there is none. `callee`: a function of another
 * module. As module_parse(): false with a sentence. */
struct decode_links {
    uint64_t (*variable)(struct module_code *code, const struct variable *variable);
    struct simt_place *(*places)(size_t count); /* room for so many; null: there is none */
    uint64_t first_address;                     /* of this module's functions */
};
bool decode_module(struct module_code *code, const struct decode_links *links, char *error,
                   size_t error_size);

/* Reads and decodes PTX of `size` bytes where there is no simulator, in accept.c. Its variables
 * have addresses at which there is no memory, each its own. False, with a sentence;
 * decode_alone_free() follows in either case. */
bool decode_alone(struct module_code *code, const char *path, const char *text, size_t size,
                  char *error, size_t error_size);
void decode_alone_free(struct module_code *code);

#endif
