/* SPDX-License-Identifier: MIT
 *
 * Finds the files of the running program: its workers, and the headers, kernels and PTX that it
 * reads. Paths are relative to the program, so an installed copy can be moved. In a build folder,
 * a file NAME.data or simtcheck.data beside the program has two lines: the folder of headers and
 * kernels, and the folder of PTX.
 */
#ifndef SIMTCHECK_BASE_INSTALLATION_H
#define SIMTCHECK_BASE_INSTALLATION_H

#include <stdbool.h>
#include <stddef.h>

/* Finds the program "<this program>-<part>". It is beside this program, or in the installed copy's
 * folder of workers. Returns false with `reason` when it does not exist; `lacking` is what the
 * build lacks then. Returns false with an empty path when the path of this program is unknown. */
bool installation_program(const char *part, const char *lacking, char *path, size_t size,
                          char *reason, size_t reason_size);

/* Finds the program of that engine's workers, "<this program>-worker-<engine>", in the same way. */
bool installation_worker(const char *engine, char *path, size_t size, char *reason,
                         size_t reason_size);

/* Finds the library that `capture` loads into programs. Returns false as installation_worker()
 * does. */
bool installation_capture(char *path, size_t size, char *reason, size_t reason_size);
/* Finds the folder of the libraries that stand in for CUDA's. Returns false as
 * installation_worker() does. */
bool installation_exec(char *path, size_t size, char *reason, size_t reason_size);

/* Finds a file or folder that the program reads, such as "kernels". The path is empty if it does
 * not fit in `size` or the program's own path is unknown. */
void installation_data(const char *name, char *path, size_t size);

/* Finds a source file by the path at which it was compiled. If it is gone, and the program has a
 * file with that name and folder, as an installed copy has "kernels/reduce.cu", this is the path.
 */
void installation_source(const char *compiled, char *path, size_t size);

/* Finds the folder of the catalogue's kernels as PTX. The path is empty as for
 * installation_data(). */
void installation_ptx(char *path, size_t size);

#endif
