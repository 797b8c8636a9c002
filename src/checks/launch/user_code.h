/* SPDX-License-Identifier: MIT
 *
 * A user's files, compiled for the launches that the user wrote.
 */
#ifndef SIMTCHECK_LAUNCH_USER_CODE_H
#define SIMTCHECK_LAUNCH_USER_CODE_H

#include "build.h"
#include "launch_text.h"
#include "session.h"
#include "tool.h"

enum { USER_PATH = 512, HINT_SIZE = 1280 };

/* Why the code of a compiler cannot be checked. */
struct rejection {
    char what[USER_PATH];   /* "clang cannot compile 'my.cu'"; "" if it can be checked */
    char reason[USER_PATH]; /* "my.cu:12: use of undeclared identifier 'x'" */
};

struct user_code {
    struct launch_text launch; /* each scalar has the type of its parameter */
    enum front_end front_end;  /* the compiler that makes the PTX */
    bool is_optional;          /* a rejection by this compiler is no error, but kept here: */
    struct rejection rejection;
    bool is_ptx;          /* the user's file is PTX */
    bool on_gpu;          /* the code runs on a GPU, too */
    bool lacks_room;      /* it could not be built because a file could not be written, or the
                             compiler was killed or ran out of memory or time */
    uint32_t place;       /* of the launch among those that are compiled together */
    char hint[HINT_SIZE]; /* a launch that the compiler may accept; or "" */
    char folder[TOOL_FOLDER];
    /* Paths for workers: the PTX, and the launches for the simulator and for `cuda`. */
    char ptx[USER_PATH], list[USER_PATH], cuda_list[USER_PATH];
    struct decoded *decoded; /* the PTX, by user_code_decode() */
};

/* The files to compile. */
struct user_files {
    const char *const *path;
    size_t count;
    const char *const *flags; /* flags of nvcc or clang */
    size_t flag_count;
    /* Launches that are compiled together, so that the compiler runs once. The code's is one of
     * them, at code->place. Null: only the code's. */
    const struct launch_text *const *together;
    uint32_t together_count;
    const char *taken; /* the PTX, if it was taken from the file before; else null */
    bool *is_apart; /* for each front end: set if they do not compile together. Null without them */
};

/* Reads a launch and the files that fill its arrays. `sizes` has the names of the sizes. Returns
 * false after an error message. */
bool user_launch_read(const char *text, const struct size_names *sizes, struct launch_text *launch);

/* Makes the folder. Returns false after an error message. Call user_code_remove() in either case.
 */
bool user_code_start(struct user_code *code);

/* Returns the exit status for code that could not be built. */
int user_code_status(const struct user_code *code);

/* Returns whether the file is PTX or contains it, so that no compiler runs. */
bool user_files_are_ptx(const struct user_files *files);

/* Compiles the files for code->launch and binds the launch to the kernels. Returns false after an
 * error message, or with code->rejection. */
bool user_code_build(struct user_code *code, const struct compiler_paths *compilers,
                     const struct user_files *files);

/* Reports that the compiler rejects the files, with its output. Leaves out lines about the
 * generated code, which is in `folder`. Reports nothing after an interrupt, which also ends
 * compilers. Returns false. */
bool user_code_error(const struct compiler *compiler, const struct user_files *files,
                     const char *folder, const char *said);

/* Writes code->launch for the simulator's workers. Returns false after an error message. */
bool user_code_write_list(const struct user_code *code);

/* Decodes the PTX, once. Returns false otherwise, with a sentence in `error`. */
bool user_code_decode(struct user_code *code, char *error, size_t error_size);

/* Removes the folder and everything in it, and the decoded PTX. */
void user_code_remove(struct user_code *code);

/* Makes the session's workers load kernels and launches from this code. */
void user_code_use(const struct user_code *code, struct session *session);

#endif
