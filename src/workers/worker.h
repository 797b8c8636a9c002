/* SPDX-License-Identifier: MIT
 *
 * The worker process: runs cases on the one engine it is linked with, so that a case that crashes,
 * hangs or kills a GPU context takes a worker with it and nothing else. A worker reads requests on
 * standard input and answers on file descriptor 3, in lines of fields separated by tabs (wire.h):
 *
 *     request   run COUNT, followed by COUNT lines, a case each
 *               digest COUNT: the same, and every case is told, with its digest
 *               count 1, followed by a case: the same, and its counters first
 *               use CODE PROGRAMS: the kernels (engine_load()) and the catalogue of all that
 * follows; without programs it is the worker's own race COUNT, and cases: the same, and races are
 * looked for; those of a lone case come first answers   lacks NEED REASON                 the
 * engine does not have that, before it is ready ready BUILD BATCH DESCRIPTION     once, before any
 * request unavailable REASON | error REASON the worker ends case INDEX ...                    a
 * case of the request and what came of it counters NUMBER ...               those of a case that
 * was to be counted interval NUMBER ...               and of each of its intervals between barriers
 *               race ...                          one of a lone case in which they were looked for
 *               point KERNEL NUMBER ...           a point of a kernel's source, before any that is
 *                                                 reached
 *               reached INDEX KERNEL NUMBER       a case of the request has executed that point,
 * and none of the request before it done NUMBER                       the first NUMBER cases ran;
 * those of them not told have passed end NUMBER                        likewise, but the case broke
 * the engine: it ends lost REASON                       one of several cases broke the engine: it
 * ends
 */
#ifndef SIMTCHECK_WORKERS_WORKER_H
#define SIMTCHECK_WORKERS_WORKER_H

#include "catalogue.h"

/* What a worker program's main() calls. Arguments: DEADLINE_SECONDS STEPS, then the members of
 * struct delays. Returns the exit status. */
int worker_main(int argc, char **argv, const struct catalogue *catalogue);

#endif
