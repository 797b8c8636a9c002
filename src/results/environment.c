/* SPDX-License-Identifier: MIT */
#include "environment.h"

#include "build_files.h"
#include "interrupt.h"
#include "json_model.h"
#include "record_snapshot.h"
#include "tool.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum { SAID = 8192 };

/* The environment while it is being read. */
struct reading {
    struct environment_record facts;
    struct memory *memory;
};

static void add_reason(struct reading *reading, const char *name, const char *reason)
{
    struct named_text *entry = list_add(reading->memory, &reading->facts.reasons, sizeof *entry);

    entry->name = memory_copy(reading->memory, name);
    entry->text = memory_copy(reading->memory, reason);
}

/* Sets a fact, or null with the reason. */
static void set_text(struct reading *reading, const char **fact, const char *text,
                     const char *reason)
{
    size_t offset = (size_t)((const char *)fact - (const char *)&reading->facts);

    if (text != NULL && text[0] != '\0')
        *fact = memory_copy(reading->memory, text);
    else
        add_reason(reading, table_field(&environment_table, offset)->name, reason);
}

/* Removes white space at both ends, in place. */
static char *trim(char *text)
{
    char *end = text + strlen(text);

    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text + strspn(text, " \t\n");
}

/* ---- Engines ---- */

/* Copies the word that follows `name` in an engine's description, such as the one after "runtime ".
 */
static const char *word_after(const char *description, const char *name, char *word, size_t size)
{
    const char *found = strstr(description, name);

    word[0] = '\0';
    if (found != NULL)
        snprintf(word, size, "%.*s", (int)strcspn(found + strlen(name), ", "),
                 found + strlen(name));
    return word;
}

static void take_driver(struct reading *reading, const char *description)
{
    static const char unknown[] = "the engine's description does not contain it";
    char word[64];

    set_text(reading, &reading->facts.driver, word_after(description, "driver ", word, sizeof word),
             unknown);
    set_text(reading, &reading->facts.runtime,
             word_after(description, "runtime ", word, sizeof word), unknown);
}

/* Fills in the entry of an engine, and returns whether the engine is available. The first engine
 * that uses a GPU also supplies driver and runtime. */
static bool read_engine(struct reading *reading, const struct session *session,
                        enum engine_id engine, bool *has_driver)
{
    struct supervisor_options supervised = session_supervised(session, engine);
    struct engine_record *entry = list_add(reading->memory, &reading->facts.engines, sizeof *entry);
    struct supervisor *supervisor;
    char reason[512];

    entry->name = engine_kinds[engine].name;
    supervised.jobs = 1;
    if (supervisor_open(&supervised, &supervisor, reason, sizeof reason) != ENGINE_OK) {
        entry->reason = memory_copy(reading->memory, reason);
        return false;
    }
    if (engine_kinds[engine].uses_a_gpu && !*has_driver) {
        take_driver(reading, supervisor_description(supervisor));
        *has_driver = true;
    }
    entry->description = memory_copy(reading->memory, supervisor_description(supervisor));
    supervisor_close(supervisor);
    return true;
}

static void read_engines(struct reading *reading, const struct session *session,
                         const struct engine_list *wanted, bool has[NAMED_ENGINES])
{
    static const char none[] = "no engine that uses a GPU is available and selected";
    bool has_driver = false;

    reading->facts.engines = list_take(reading->memory, 0, sizeof(struct engine_record));
    for (int e = 0; e < NAMED_ENGINES; e++) {
        bool selected = wanted->count == 0 || engine_list_has(wanted, (enum engine_id)e);
        has[e] = selected && read_engine(reading, session, (enum engine_id)e, &has_driver);
    }
    if (has_driver)
        return;
    set_text(reading, &reading->facts.driver, NULL, none);
    set_text(reading, &reading->facts.runtime, NULL, none);
}

/* ---- GPUs ---- */

/* Returns the next value of a line, in place, or null if the GPU does not report it. */
static const char *next_value(struct reading *reading, const char *name, char **line)
{
    char *value = trim(*line != NULL ? strsep(line, ",") : (char[]){""}), reason[128];

    if (value[0] != '\0' && value[0] != '[')
        return memory_copy(reading->memory, value);
    snprintf(reason, sizeof reason, "gpus.%s", name);
    add_reason(reading, reason, value[0] != '\0' ? value : "nvidia-smi printed no value");
    return NULL;
}

/* Fills a record whose members are all texts from nvidia-smi. */
static void take_values(struct reading *reading, const struct table *table, void *record,
                        char **line)
{
    for (size_t k = 0; k < table->count; k++) {
        const char *value = next_value(reading, table->fields[k].name, line);
        memcpy((char *)record + table->fields[k].offset, &value, sizeof value);
    }
}

static void add_questions(char *query, size_t size, const struct table *table)
{
    for (size_t k = 0; k < table->count; k++) {
        size_t used = strlen(query);
        snprintf(query + used, size - used, "%s%s", query[used - 1] != '=' ? "," : "",
                 table->fields[k].name);
    }
}

/* Reads the GPUs. Lasting values become facts, and varying ones readings. */
static void read_gpus(struct reading *reading)
{
    char query[512] = "--query-gpu=", said[SAID], *rest = said, *line;
    const char *const arguments[] = {"nvidia-smi", query, "--format=csv,noheader", NULL};
    struct list *gpus = &reading->facts.gpus, *readings = &reading->facts.readings.gpus;

    add_questions(query, sizeof query, &gpu_table);
    add_questions(query, sizeof query, &gpu_reading_table);
    if (tool_run(arguments, said, sizeof said) != 0) {
        said[strcspn(said, "\n")] = '\0';
        add_reason(reading, "gpus",
                   said[0] != '\0' ? said : "nvidia-smi failed and printed nothing");
        return;
    }
    *gpus = list_take(reading->memory, 0, sizeof(struct gpu_record));
    *readings = list_take(reading->memory, 0, sizeof(struct gpu_reading));
    while ((line = strsep(&rest, "\n")) != NULL) {
        if (*trim(line) == '\0')
            continue;
        take_values(reading, &gpu_table, list_add(reading->memory, gpus, sizeof(struct gpu_record)),
                    &line);
        take_values(reading, &gpu_reading_table,
                    list_add(reading->memory, readings, sizeof(struct gpu_reading)), &line);
    }
}

/* ---- Tools ---- */

/* Lists the versions of the compilers that the user names, or of the one on the PATH. */
static void read_compilers(struct reading *reading, struct list *versions, const char *fact,
                           const char *name, const struct compiler_list *given)
{
    char error[512] = "";

    for (size_t k = 0; k < compiler_list_count(given); k++) {
        struct compiler compiler;
        if (compiler_list_open(given, name, k, &compiler, error, sizeof error))
            LIST_ADD(reading->memory, versions, const char *) =
                memory_copy(reading->memory, compiler.version);
    }
    if (versions->count == 0)
        add_reason(reading, fact, interrupt_came() ? "interrupted" : error);
}

/* ---- The machine ---- */

/* Returns the value of the first line "name : value" of a file, or "name=value". */
static const char *file_value(const char *path, const char *name, char *line, size_t size)
{
    FILE *from = fopen(path, "r");
    const char *value = NULL;

    while (from != NULL && value == NULL && fgets(line, (int)size, from) != NULL) {
        char *end = strpbrk(line, ":=");
        if (strncmp(line, name, strlen(name)) == 0 && end != NULL)
            value = trim(end + 1);
    }
    if (from != NULL)
        fclose(from);
    return value;
}

/* Returns the name of the operating system without its quotes. */
static const char *system_name(char *line, size_t size)
{
    const char *name = file_value("/etc/os-release", "PRETTY_NAME", line, size);

    if (name == NULL || name[0] != '"')
        return name;
    line[name - line + 1 + (ptrdiff_t)strcspn(name + 1, "\"")] = '\0';
    return name + 1;
}

static void read_machine(struct reading *reading)
{
    struct environment_record *facts = &reading->facts;
    char line[512], kernel[512] = "";
    struct utsname names;

    if (uname(&names) == 0)
        snprintf(kernel, sizeof kernel, "%.100s %.100s %.100s %.100s", names.sysname, names.release,
                 names.version, names.machine);
    set_text(reading, &facts->kernel, kernel, "uname() failed");
    set_text(reading, &facts->processor,
             file_value("/proc/cpuinfo", "model name", line, sizeof line),
             "/proc/cpuinfo has no model name");
    set_text(reading, &facts->system, system_name(line, sizeof line),
             "/etc/os-release has no PRETTY_NAME");
    facts->cores = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    set_text(reading, &facts->memory, file_value("/proc/meminfo", "MemTotal", line, sizeof line),
             "/proc/meminfo has no MemTotal");
}

/* Reads the variables that choose GPUs or change how CUDA or simtcheck run kernels. None of them
 * holds a secret. */
static void read_variables(struct reading *reading)
{
    static const char *const names[] = {"CUDA_CACHE_DISABLE",   "CUDA_DEVICE_MAX_CONNECTIONS",
                                        "CUDA_DEVICE_ORDER",    "CUDA_DISABLE_PTX_JIT",
                                        "CUDA_FORCE_PTX_JIT",   "CUDA_LAUNCH_BLOCKING",
                                        "CUDA_MODULE_LOADING",  "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                                        "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH",
                                        "LD_PRELOAD",           "NVIDIA_VISIBLE_DEVICES",
                                        "SIMTCHECK_REQUIRE",    "SIMTCHECK_TODAY"};

    reading->facts.variables = list_take(reading->memory, 0, sizeof(struct named_text));
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (getenv(names[k]) != NULL)
            LIST_ADD(reading->memory, &reading->facts.variables, struct named_text) =
                (struct named_text){names[k], memory_copy(reading->memory, getenv(names[k]))};
}

void environment_time(char text[TIME_TEXT])
{
    time_t now = time(NULL);
    struct tm parts;

    gmtime_r(&now, &parts);
    strftime(text, TIME_TEXT, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

static void read_moment(struct reading *reading)
{
    struct readings_record *readings = &reading->facts.readings;
    char text[TIME_TEXT];

    environment_time(text);
    readings->time = memory_copy(reading->memory, text);
    readings->has_load = getloadavg(&readings->load, 1) == 1;
}

struct environment_record environment_read(const struct session *session,
                                           const struct engine_list *engines,
                                           const struct compiler_paths *compilers,
                                           bool has[NAMED_ENGINES], struct memory *memory)
{
    struct reading reading = {.facts = {.compiler = SIMTCHECK_COMPILER,
                                        .flags = SIMTCHECK_FLAGS,
                                        .simtcheck = SIMTCHECK_VERSION,
                                        .build = build_identity,
                                        .build_hash = build_read(memory).hash},
                              .memory = memory};

    read_gpus(&reading);
    read_engines(&reading, session, engines, has);
    read_compilers(&reading, &reading.facts.toolkit, "toolkit", "nvcc", &compilers->nvcc);
    read_compilers(&reading, &reading.facts.ptxas, "ptxas", "ptxas", &compilers->ptxas);
    set_text(&reading, &reading.facts.ptx_compiler, SIMTCHECK_PTX_VERSION,
             "built without the simulator");
    read_machine(&reading);
    read_variables(&reading);
    read_moment(&reading);
    return reading.facts;
}
