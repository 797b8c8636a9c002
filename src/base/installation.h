/* SPDX-License-Identifier: MIT
 *
 * Where the files lie that belong to the running program: its workers, and the headers, kernels and
 * PTX that it reads. They are found from where the program lies, so that an installed copy can be
 * moved. A program in a build folder has a file ".data" beside it, NAME.data or simtcheck.data: two
 * lines, the folder of headers and kernels, and the folder of PTX.
 */
#ifndef SIMTCHECK_WORKERS_INSTALLATION_H
#define SIMTCHECK_WORKERS_INSTALLATION_H

#include <stdbool.h>
#include <stddef.h>

/* The program of that engine's workers, "<this program>-worker-<engine>": beside this one, or in
 * the installed copy's folder of workers. False when there is none, and, with an empty path, when
 * nobody knows where this one is; `reason` says so. */
bool installation_worker(const char *engine, char *path, size_t size, char *reason,
                         size_t reason_size);

/* The program "<this program>-benchmark", which measures reductions on a GPU; likewise. */
bool installation_benchmark(char *path, size_t size, char *reason, size_t reason_size);

/* A file or folder that the program reads, such as "kernels". An empty path: it is too long for
 * `size`, or the program's own is not known. */
void installation_data(const char *name, char *path, size_t size);

/* The folder of the catalogue's kernels as PTX; likewise. */
void installation_ptx(char *path, size_t size);

#endif
