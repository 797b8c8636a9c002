/* SPDX-License-Identifier: MIT
 *
 * The folder of a capture: kernels as a program launched them on a GPU, with the memory before and
 * after.
 *
 *   capture.json                   version, processes, kernels that could not be captured, and a
 *                                  list of the other files with their hashes
 *   modules/HASH.ptx.zst           PTX
 *   blobs/HASH.zst                 pieces of memory
 *   launches/NNNNNN-KERNEL.json    a launch
 *
 * HASH is the XXH3 hash (128 bits) of the uncompressed content. Several processes may write to a
 * folder at a time. Each file gets its name when it is complete, and a launch after its module and
 * its blobs. So a process that is killed leaves whole launches only. Names that begin with a dot
 * are temporary.
 *
 * All functions but the last ones of each part return false or null after they wrote a message to
 * `error`. */
#ifndef SIMTCHECK_CAPTURE_CAPTURE_FILE_H
#define SIMTCHECK_CAPTURE_CAPTURE_FILE_H

#include "capture_record.h"
#include "json_model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CAPTURE_VERSION = 1,
    CAPTURE_HASH = 33,   /* bytes of a hash in hexadecimal, with the null */
    CAPTURE_PAGE = 4096, /* pages of zeros are left out, and pages that a launch did not change */
    CAPTURE_ERROR = 512, /* usual size of `error` */
};

/* Consecutive bytes of an allocation. */
struct capture_piece {
    uint64_t offset; /* in the allocation */
    uint64_t bytes;
    char blob[CAPTURE_HASH];
    unsigned char *content; /* null when a launch is written; owned by the launch when it is read */
};

struct capture_pieces {
    struct capture_piece *items; /* sorted by offset; they do not overlap */
    size_t count;
};

struct capture_allocation {
    uint64_t address; /* on the GPU */
    uint64_t bytes;
    char *variable; /* a variable of the module, by its name in PTX; null: memory of the program */
    struct capture_pieces before; /* all other bytes are zero */
    struct capture_pieces after;  /* all other bytes are as before */
};

struct capture_parameter {
    uint32_t offset, bytes; /* in the buffer of parameters */
};

struct captured_launch {
    char *kernel; /* as in PTX: mangled */
    char module[CAPTURE_HASH];
    char (*linked)[CAPTURE_HASH]; /* modules that the program links with it (nvcc -rdc=true) */
    size_t linked_count;
    uint32_t grid[3], block[3];
    uint32_t cluster[3];   /* zeros: the launch sets none; the kernel may, by a directive of PTX */
    uint32_t shared_bytes; /* dynamic shared memory */
    bool cooperative;
    char *gpu_error;  /* why the GPU stopped the launch; `after` is then empty. Null: it did not */
    char *unmodelled; /* its attributes that the simulator does not model; null: none */
    unsigned char *parameters; /* the buffer of all parameters */
    uint32_t parameter_bytes;
    struct capture_parameter *layout;
    size_t parameter_count;
    struct capture_allocation *allocations; /* sorted by address; they do not overlap */
    size_t allocation_count;
};

/* ---- Reading ---- */

struct capture {
    char *folder;
    struct capture_index index;
    const char **launches; /* names of listed files in launches/, sorted */
    size_t launch_count;
    json_t *json; /* owns the texts of the index */
    struct memory memory;
};

/* Opens the folder. */
bool capture_open(const char *folder, struct capture *capture, char *error, size_t size);

/* Reports that the list is not complete, or each file that is missing or not listed. Returns
 * whether there is none. */
bool capture_verify(const struct capture *capture);

/* Reads a launch with all its pieces, and compares every file with its hash. */
bool capture_read_launch(const struct capture *capture, const char *name,
                         struct captured_launch *launch, char *error, size_t size);

/* Returns the PTX of a module, for the caller to free. */
char *capture_read_module(const struct capture *capture, const char *module, char *error,
                          size_t size);

/* Zeroed structures are empty. */
void capture_close(struct capture *capture);
void captured_launch_free(struct captured_launch *launch);

/* ---- Writing ---- */

/* Makes the folder, or checks an existing one. It is not complete until capture_finish(). */
bool capture_create(const char *folder, char *error, size_t size);

/* Writes bytes or PTX to blobs/ or modules/, unless they are there, and fills in the hash. */
bool capture_write_blob(const char *folder, const void *bytes, size_t count,
                        char hash[CAPTURE_HASH], char *error, size_t size);
bool capture_write_module(const char *folder, const char *ptx, size_t length,
                          char hash[CAPTURE_HASH], char *error, size_t size);

/* Writes a launch. `*number` is the first number to try, and becomes the one that was free. */
bool capture_write_launch(const char *folder, unsigned int *number,
                          const struct captured_launch *launch, char *error, size_t size);

/* Changes capture.json: `update` changes the index. What it adds belongs to the memory. Only one
 * process does so at a time. */
typedef void capture_updater(struct capture_index *index, struct memory *memory, void *context);
bool capture_update(const char *folder, capture_updater *update, void *context, char *error,
                    size_t size);

/* Lists the new files, after all processes have written theirs. */
bool capture_finish(const char *folder, char *error, size_t size);

/* Returns the bytes that the files of the folder have. */
uint64_t capture_size(const char *folder);

/* Returns the bytes of the files that this process wrote. */
uint64_t capture_written(void);

#endif
