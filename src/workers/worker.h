/* SPDX-License-Identifier: MIT
 *
 * The worker process runs cases on the one engine that it is linked with. A case that crashes,
 * hangs or kills a GPU context takes down its worker and nothing else. A worker reads requests on
 * standard input and answers on file descriptor 3. A line holds fields separated by tabs (wire.h).
 *
 * Requests:
 *
 *     run COUNT NUMBER     COUNT lines follow, one case each. NUMBER is that of the request.
 *     digest COUNT NUMBER  As run. The worker reports every case, with its digest.
 *     count 1 NUMBER       One case follows. Its counters precede its outcome.
 *     race COUNT NUMBER    As digest. The worker looks for races. Those of a lone case come first.
 *     compare 2 NUMBER     As run. The outputs of the second case are compared with the first's.
 *     use CODE PROGRAMS    Later requests use the kernels of CODE (engine_load()) and the catalogue
 *                          of PROGRAMS. Without PROGRAMS they use the worker's own catalogue.
 *
 * Answers:
 *
 *     lacks NEED REASON                 The engine does not have NEED. Sent before "ready".
 *     ready BUILD BATCH DESCRIPTION     Sent once, before any request.
 *     unavailable REASON                The worker ends.
 *     error REASON                      The worker ends.
 *     case INDEX ...                    The outcome of a case of the request.
 *     counters NUMBER ...               The counters of the case of a "count" request.
 *     interval NUMBER ...               The counters of one of its intervals between barriers.
 *     race ...                          A race of the lone case of a "race" request.
 *     point KERNEL NUMBER ...           A point of a kernel's source. Sent before any "reached".
 *     reached INDEX KERNEL FIRST COUNT  A case of the request is the first to execute these points.
 *     calls WHAT                        The worker calls code of the user, such as an oracle.
 *                                       Without WHAT, the call has ended.
 *     done COUNT NUMBER                 The first COUNT cases of request NUMBER ran. Cases without
 *                                       a line passed.
 *     end COUNT NUMBER                  As done, but a case broke the engine. The worker ends.
 *     lost REASON                       One of several cases broke the engine. The worker ends.
 */
#ifndef SIMTCHECK_WORKERS_WORKER_H
#define SIMTCHECK_WORKERS_WORKER_H

#include "catalogue.h"

/* Runs a worker program; its main() calls this. Arguments: DEADLINE_SECONDS, STEPS, the three
 * members of struct delays, and the WORKER_ flags (wire.h). Returns the exit status. */
int worker_main(int argc, char **argv, const struct catalogue *catalogue);

#endif
