/* SPDX-License-Identifier: MIT */
#include "left_out.h"

#include "capture_file.h"

#include <stdio.h>
#include <string.h>

/* Launches since capture.json was written: of struct left_out_record. */
static struct list waiting;
static struct memory memory_of_waiting;

/* Returns the record of the kernel and the reason, or null. */
static struct left_out_record *find(const struct list *list, const char *kernel, const char *reason)
{
    struct left_out_record *records = list->items;

    for (size_t k = 0; k < list->count; k++)
        if (strcmp(records[k].kernel, kernel) == 0 && strcmp(records[k].reason, reason) == 0)
            return &records[k];
    return NULL;
}

static struct left_out_record *find_or_add(struct list *list, struct memory *memory,
                                           const char *kernel, const char *reason)
{
    struct left_out_record *record = find(list, kernel, reason);

    if (record != NULL)
        return record;
    record = list_add(memory, list, sizeof *record);
    *record = (struct left_out_record){memory_copy(memory, kernel), memory_copy(memory, reason), 0};
    return record;
}

static void add_waiting(struct capture_index *index, struct memory *memory, void *context)
{
    struct left_out_record *records = waiting.items;

    (void)context;
    for (size_t k = 0; k < waiting.count; k++) {
        if (records[k].launches == 0)
            continue;
        find_or_add(&index->left_out, memory, records[k].kernel, records[k].reason)->launches +=
            records[k].launches;
        records[k].launches = 0;
    }
}

void left_out_end(const char *folder)
{
    char error[CAPTURE_ERROR];

    if (waiting.count > 0)
        capture_update(folder, add_waiting, NULL, error, sizeof error);
}

void left_out(const char *folder, const char *kernel, const char *reason)
{
    size_t before = waiting.count;

    find_or_add(&waiting, &memory_of_waiting, kernel, reason)->launches++;
    if (waiting.count > before)
        left_out_end(folder);
}

/* ---- This process ---- */

/* Returns this program's command line, with blanks between the words. */
static const char *command_line(struct memory *memory)
{
    FILE *file = fopen("/proc/self/cmdline", "re");
    char text[4096];
    size_t count = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;

    if (file != NULL)
        fclose(file);
    for (size_t k = 0; k + 1 < count; k++)
        if (text[k] == '\0')
            text[k] = ' ';
    text[count] = '\0';
    return memory_copy(memory, text);
}

static void add_process(struct capture_index *index, struct memory *memory, void *context)
{
    struct process_record process = *(const struct process_record *)context;

    process.program = command_line(memory);
    LIST_ADD(memory, &index->processes, struct process_record) = process;
}

void left_out_begin(const char *folder, const char *gpu, unsigned int capability,
                    int driver_version)
{
    char error[CAPTURE_ERROR], text[32];
    struct process_record process = {
        .gpu = gpu, .compute_capability = text, .driver = (uint64_t)driver_version};

    snprintf(text, sizeof text, "%u.%u", capability / 10, capability % 10);
    capture_update(folder, add_process, &process, error, sizeof error);
}
