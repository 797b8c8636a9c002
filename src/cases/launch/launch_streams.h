/* SPDX-License-Identifier: MIT
 *
 * Streams and events: which launches must be complete before another one begins.
 */
#ifndef SIMTCHECK_CASES_LAUNCH_STREAMS_H
#define SIMTCHECK_CASES_LAUNCH_STREAMS_H

#include "launch_reader.h"

/* Reads a stream: a name, or 0 for the default stream. Returns null on error. */
struct mark *launch_streams_read(struct launch_reader *text);

/* Returns the launches that come before what the stream does next. The default stream waits for all
 * others, and they wait for it. */
uint32_t launch_streams_before(const struct launch_reader *text, const struct mark *stream);

/* Reads a call of the runtime that orders launches. Sets *is_call to whether one is next. */
bool launch_streams_read_call(struct launch_reader *text, bool *is_call);

#endif
