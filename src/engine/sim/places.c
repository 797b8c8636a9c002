/* SPDX-License-Identifier: MIT */
#include "places.h"

#include "array.h"

#include "outcome.h"
#include "source_path.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { MAX_PLACES = 1 << 26 };

static struct simt_place *places;
static size_t place_count;
static struct loop {
    const struct simt_place *first, *last;
} * loops;
static uint32_t loop_count, loop_capacity;
const char *source_base;

struct simt_place *places_take(size_t count)
{
    struct simt_place *taken;

    if (places == NULL) {
        void *room = mmap(NULL, MAX_PLACES * sizeof *places, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED)
            return NULL;
        places = room;
        source_base = room;
        place_count = 1; /* 0 means no place */
    }
    if (count > MAX_PLACES - place_count)
        return NULL;
    taken = places + place_count;
    place_count += count;
    return taken;
}

void places_forget(void)
{
    place_count = 1;
    loop_count = 0;
}

void places_add_loop(const struct simt_place *first, const struct simt_place *last)
{
    struct loop *more = array_grown(loops, &loop_capacity, loop_count + 1, sizeof *loops);

    if (more == NULL)
        return; /* a race in this loop may be reported with the other access first */
    loops = more;
    loops[loop_count++] = (struct loop){first, last};
}

bool places_share_loop(const struct simt_place *a, const struct simt_place *b)
{
    for (uint32_t k = 0; k < loop_count; k++)
        if (loops[k].first <= a && a <= loops[k].last && loops[k].first <= b && b <= loops[k].last)
            return true;
    return false;
}

const struct simt_place *source_place(const void *address)
{
    const struct simt_place *place = address;

    return place > places && place < places + place_count ? place : NULL;
}

bool source_line(const void *address, char *file, size_t file_size, int *line)
{
    const struct simt_place *place = source_place(address);

    if (place == NULL)
        return false;
    source_path_shorten(place->site.file, file, file_size);
    *line = place->site.line;
    return true;
}

void source_text(const struct simt_place *place, char *text)
{
    char file[SOURCE_FILE];

    if (place == NULL)
        return;
    source_path_shorten(place->site.file, file, sizeof file);
    snprintf(text, SOURCE_LINE, "%s:%d", file, place->site.line);
}

void source_outer(const struct simt_site *site, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (; site->outer != NULL && used < size; site = site->outer) {
        char file[SOURCE_FILE] = "";
        size_t start = used;
        if (strcmp(site->outer->file, site->file) != 0)
            source_path_shorten(site->outer->file, file, sizeof file);
        used += (size_t)snprintf(text + used, size - used, "%s%s:%d", used > 0 ? ", " : "", file,
                                 site->outer->line);
        if (used >= size)
            text[start] = '\0';
    }
}

void source_library(const struct simt_site *site, char *text, size_t size)
{
    char file[SOURCE_FILE];

    text[0] = '\0';
    if (site->library == NULL)
        return;
    source_path_shorten(site->library, file, sizeof file);
    snprintf(text, size, "%s:%d", file, site->library_line);
}
