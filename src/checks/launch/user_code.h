/* SPDX-License-Identifier: MIT
 *
 * A user's files, compiled for the launches that he has written.
 */
#ifndef SIMTCHECK_COMMANDS_USER_CODE_H
#define SIMTCHECK_COMMANDS_USER_CODE_H

#include "build.h"
#include "launch_text.h"
#include "session.h"
#include "tool.h"

enum { USER_PATH = 512 };

struct user_code {
    struct launch_text launch; /* each scalar of its parameter's type */
    enum front_end front_end;  /* what makes the PTX */
    bool on_gpu;               /* it runs there too */
    char folder[TOOL_FOLDER];
    /* For workers: the code, and the launches for the simulator and for `cuda`. */
    char ptx[USER_PATH], list[USER_PATH], cuda_list[USER_PATH];
};

/* What to compile. */
struct user_files {
    const char *const *path;
    size_t count;
    const char *const *flags; /* of nvcc, or of clang */
    size_t flag_count;
};

/* Reads a launch, and what files fill its arrays. False after a complaint. */
bool user_launch_read(const char *text, struct launch_text *launch);

/* Are there as many arguments of the first launch as the kernel simt_entry_<name> of the PTX has
 * parameters, and arrays where there are pointers? A scalar gets its parameter's type. False after
 * a complaint. */
bool user_launch_bind(struct launch_text *launch, const char *ptx, const char *name);

/* Makes the folder. False after a complaint; user_code_remove() in either case. */
bool user_code_start(struct user_code *code);

/* Compiles the files for code->launch, and binds that to what they have. False after a complaint.
 */
bool user_code_build(struct user_code *code, const struct compiler_paths *compilers,
                     const struct user_files *files);

/* Removes the folder and all that is in it. */
void user_code_remove(const struct user_code *code);

/* Workers of the session take kernels and launches from there from now on. */
void user_code_use(const struct user_code *code, struct session *session);

#endif
