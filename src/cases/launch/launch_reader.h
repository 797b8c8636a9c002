/* SPDX-License-Identifier: MIT
 *
 * What the readers of the parts of a launch share.
 */
#ifndef SIMTCHECK_CASES_LAUNCH_READER_H
#define SIMTCHECK_CASES_LAUNCH_READER_H

#include "launch_text.h"

enum { MAX_MARKS = 9 };

/* The text, and what was read of it. */
struct launch_reader {
    struct reader reader;
    struct launch_text *launch;
    bool is_used[MAX_ARRAYS]; /* used by a launch */
    /* Sets what the argument, or the member of a struct, is if an array, a tensor map, a texture or
     * a surface is next, and else zero. Returns false with an error message. */
    bool (*read_object)(struct launch_reader *text, struct launch_argument *argument);
    /* Streams and events, with the launches that must be complete before what follows in the stream
     * or waits for the event. The first stream is the default stream. */
    struct mark {
        char name[32];
        uint32_t launches;
    } streams[MAX_MARKS], events[MAX_MARKS];
    uint32_t stream_count, event_count;
    uint32_t host; /* the launches that the host has waited for */
};

/* Reads an expression with the names of the launch. Returns false on error. */
static inline bool launch_reader_expression(struct launch_reader *text,
                                            struct expression *expression)
{
    reader_skip_blanks(&text->reader);
    return expression_read(&text->reader, &text->launch->names, expression);
}

#endif
