/* SPDX-License-Identifier: MIT */
#include "left_out.h"

#include "capture_file.h"

#include <stdio.h>
#include <string.h>

/* Launches since capture.json was written: {kernel: {reason: count}}. */
static json_t *waiting;

/* Returns the entry of the kernel and the reason in the list. */
static json_t *entry_of(json_t *list, const char *kernel, const char *reason)
{
    json_t *entry;
    size_t k;

    json_array_foreach(list, k, entry)
    {
        const char *its_kernel = json_string_value(json_object_get(entry, "kernel")),
                   *its_reason = json_string_value(json_object_get(entry, "reason"));
        if (its_kernel != NULL && its_reason != NULL && strcmp(its_kernel, kernel) == 0 &&
            strcmp(its_reason, reason) == 0)
            return entry;
    }
    entry = json_pack("{s:s, s:s, s:i}", "kernel", kernel, "reason", reason, "launches", 0);
    json_array_append_new(list, entry);
    return entry;
}

static void add_waiting(json_t *index, void *context)
{
    json_t *list = json_object_get(index, "left_out"), *reasons, *count;
    const char *kernel, *reason;

    (void)context;
    json_object_foreach(waiting, kernel, reasons)
    {
        json_object_foreach(reasons, reason, count)
        {
            json_t *entry = entry_of(list, kernel, reason);
            json_object_set_new(
                entry, "launches",
                json_integer(json_integer_value(json_object_get(entry, "launches")) +
                             json_integer_value(count)));
            json_integer_set(count, 0);
        }
    }
}

void left_out_end(const char *folder)
{
    char error[CAPTURE_ERROR];

    if (waiting != NULL)
        capture_update(folder, add_waiting, NULL, error, sizeof error);
}

void left_out(const char *folder, const char *kernel, const char *reason)
{
    json_t *reasons, *count;

    if (waiting == NULL)
        waiting = json_object();
    reasons = json_object_get(waiting, kernel);
    if (reasons == NULL) {
        reasons = json_object();
        json_object_set_new(waiting, kernel, reasons);
    }
    count = json_object_get(reasons, reason);
    if (count != NULL) {
        json_integer_set(count, json_integer_value(count) + 1);
        return;
    }
    json_object_set_new(reasons, reason, json_integer(1));
    left_out_end(folder);
}

/* ---- This process ---- */

struct process {
    const char *gpu;
    unsigned int capability;
    int driver_version;
};

/* Writes this program's command line, with blanks between the words. */
static void command_line(char *text, size_t size)
{
    FILE *file = fopen("/proc/self/cmdline", "re");
    size_t count = file != NULL ? fread(text, 1, size - 1, file) : 0;

    if (file != NULL)
        fclose(file);
    for (size_t k = 0; k + 1 < count; k++)
        if (text[k] == '\0')
            text[k] = ' ';
    text[count] = '\0';
}

static void add_process(json_t *index, void *context)
{
    const struct process *process = context;
    char text[4096], capability[32];

    command_line(text, sizeof text);
    snprintf(capability, sizeof capability, "%u.%u", process->capability / 10,
             process->capability % 10);
    json_array_append_new(json_object_get(index, "processes"),
                          json_pack("{s:s%, s:s, s:s, s:i}", "program", text, strlen(text), "gpu",
                                    process->gpu, "compute_capability", capability, "driver",
                                    process->driver_version));
}

void left_out_begin(const char *folder, const char *gpu, unsigned int capability,
                    int driver_version)
{
    struct process process = {gpu, capability, driver_version};
    char error[CAPTURE_ERROR];

    capture_update(folder, add_process, &process, error, sizeof error);
}
