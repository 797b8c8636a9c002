/* SPDX-License-Identifier: MIT */
#include "launch_streams.h"

#include <stdio.h>
#include <string.h>

/* Returns the stream or event of that name and adds it if it is new. Returns null if there are too
 * many. */
static struct mark *mark_of(struct mark *marks, uint32_t *count, const char *name, size_t length)
{
    uint32_t k = 0;

    while (k < *count &&
           (strlen(marks[k].name) != length || strncmp(marks[k].name, name, length) != 0))
        k++;
    if (k == MAX_MARKS || length >= sizeof marks->name)
        return NULL;
    if (k == *count) {
        snprintf(marks[k].name, sizeof marks->name, "%.*s", (int)length, name);
        marks[k].launches = 0;
        (*count)++;
    }
    return &marks[k];
}

struct mark *launch_streams_read(struct launch_reader *text)
{
    struct reader *reader = &text->reader;
    size_t length;
    struct mark *stream = &text->streams[0];

    reader_skip_blanks(reader);
    length = reader_name_length(reader->at);
    if (length == 0 && reader_take(reader, "0"))
        return stream;
    if (reader_take_word(reader, "nullptr") || reader_take_word(reader, "NULL"))
        return stream;
    if (length == 0) {
        reader_fail(reader, "expected a stream here: a name, or 0");
        return NULL;
    }
    stream = mark_of(text->streams, &text->stream_count, reader->at, length);
    if (stream == NULL)
        reader_fail(reader, "there are more than %d streams, or this name is too long",
                    MAX_MARKS - 1);
    reader->at += length;
    return stream;
}

static struct mark *read_event(struct launch_reader *text)
{
    struct reader *reader = &text->reader;
    size_t length;
    struct mark *event;

    reader_skip_blanks(reader);
    length = reader_name_length(reader->at);
    event = length > 0 ? mark_of(text->events, &text->event_count, reader->at, length) : NULL;
    if (event == NULL)
        reader_fail(reader, "expected an event here: a name; at most %d", MAX_MARKS);
    reader->at += length;
    return event;
}

uint32_t launch_streams_before(const struct launch_reader *text, const struct mark *stream)
{
    uint32_t all = (UINT32_C(1) << text->launch->call_count) - 1;

    return stream == &text->streams[0] ? all
                                       : text->host | stream->launches | text->streams[0].launches;
}

static bool record_event(struct launch_reader *text)
{
    struct mark *event = read_event(text), *stream = &text->streams[0];

    if (event == NULL)
        return false;
    if (reader_take(&text->reader, ",") && (stream = launch_streams_read(text)) == NULL)
        return false;
    event->launches = launch_streams_before(text, stream);
    return true;
}

static bool wait_event(struct launch_reader *text)
{
    struct mark *stream = launch_streams_read(text), *event;

    if (stream == NULL || !reader_expect(&text->reader, ","))
        return false;
    event = read_event(text);
    if (event == NULL)
        return false;
    stream->launches |= event->launches;
    if (reader_take(&text->reader, ",")) /* flags */
        return reader_expect(&text->reader, "0");
    return true;
}

static bool synchronize_event(struct launch_reader *text)
{
    struct mark *event = read_event(text);

    if (event != NULL)
        text->host |= event->launches;
    return event != NULL;
}

static bool synchronize_stream(struct launch_reader *text)
{
    struct mark *stream = launch_streams_read(text);

    if (stream != NULL)
        text->host |= launch_streams_before(text, stream);
    return stream != NULL;
}

static bool synchronize_all(struct launch_reader *text)
{
    text->host = launch_streams_before(text, &text->streams[0]);
    return true;
}

bool launch_streams_read_call(struct launch_reader *text, bool *is_call)
{
    static const struct {
        const char *name;
        bool (*read)(struct launch_reader *text);
    } calls[] = {{"cudaEventRecord", record_event},
                 {"cudaStreamWaitEvent", wait_event},
                 {"cudaEventSynchronize", synchronize_event},
                 {"cudaStreamSynchronize", synchronize_stream},
                 {"cudaDeviceSynchronize", synchronize_all}};

    *is_call = true;
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        if (reader_take_word(&text->reader, calls[c].name))
            return reader_expect(&text->reader, "(") && calls[c].read(text) &&
                   reader_expect(&text->reader, ")");
    *is_call = false;
    return true;
}
