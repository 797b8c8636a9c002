/* SPDX-License-Identifier: MIT
 *
 * The code of a captured launch, as files of PTX for the simulator.
 */
#ifndef SIMTCHECK_CHECKS_CAPTURE_CODE_H
#define SIMTCHECK_CHECKS_CAPTURE_CODE_H

#include "capture_file.h"
#include "user_code.h"

/* The kernel's module, and those that are linked with it. */
struct capture_code {
    const char **paths;
    size_t count;
    struct memory memory;
};

/* Writes the kernel and what it needs of its modules to files, and sets code->ptx to what the
 * simulator loads. Reports will name the files of the capture. `launch` is the path of the launch,
 * for messages. Returns the exit status. Call capture_code_free() in any case. */
int capture_code_write(const struct capture *capture, const struct captured_launch *captured,
                       const char *launch, struct user_code *code, struct capture_code *written);
void capture_code_free(struct capture_code *code);

#endif
