/* SPDX-License-Identifier: MIT
 *
 * Findings: as text on standard error when they occur, and as lines of JSON. Each process of the
 * program has a file of its own, named by its number, in the folder SIMTCHECK_EXEC_REPORT.
 */
#include "internal.h"

#include "fnv.h"
#include "identity.h"
#include "message.h"
#include "outcome_tables.h"
#include "record_check.h"
#include "source_element.h"
#include "source_path.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DOES = 1536, NOTES = 6 }; /* bytes of what a thread or a call does; most notes */

/* A finding on its way to both outputs. */
struct finding {
    const char *rule;
    char file[SOURCE_FILE];
    int line;
    const struct race_side *related; /* null: none */
    /* What is known besides the texts: a fault, a race, or a class of messages, which begins with
     * its format. Null: it is another. */
    const struct fault *fault;
    const struct race *race;
    const char *class;
    const struct exec_site *site;
    /* What is printed: the function, if the line is unknown; what the finding is about, or ""; what
     * happens at its place and at the related one, which may be null; and notes. */
    char function[128], about[96], does[2][DOES], notes[NOTES][768];
    int note_count;
    char subject[288]; /* the kernel, two kernels "a and b" of a race, or the function of CUDA */
};

__attribute__((format(printf, 2, 3))) static void add_note(struct finding *finding,
                                                           const char *format, ...)
{
    va_list values;

    if (finding->note_count == NOTES)
        return;
    va_start(values, format);
    vsnprintf(finding->notes[finding->note_count++], sizeof *finding->notes, format, values);
    va_end(values);
}

/* ---- Places in the host program ---- */

/* Returns the program's debug information with that address, or null. It is opened again after the
 * program has loaded more libraries. */
static Dwfl *open_program(const void *address)
{
    static Dwfl *kept;
    static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                             .find_debuginfo = dwfl_standard_find_debuginfo};
    Dwfl *dwfl = kept;

    if (address == NULL || (kept != NULL && dwfl_addrmodule(kept, (uintptr_t)address) != NULL))
        return address != NULL ? kept : NULL;
    if (kept != NULL)
        dwfl_end(kept);
    kept = dwfl = dwfl_begin(&callbacks);
    if (dwfl != NULL &&
        (dwfl_linux_proc_report(dwfl, getpid()) != 0 || dwfl_report_end(dwfl, NULL, NULL) != 0)) {
        dwfl_end(dwfl);
        kept = NULL;
    }
    return kept;
}

/* Finds the line of an address by looking at all units. Programs of clang have no table of the
 * addresses of their units, which dwfl_module_getsrc() needs. */
static Dwarf_Line *line_of_unit(Dwfl_Module *module, Dwarf_Addr at)
{
    Dwarf_Die *unit = NULL;
    Dwarf_Addr bias;

    while ((unit = dwfl_module_nextcu(module, unit, &bias)) != NULL)
        if (dwarf_haspc(unit, at - bias) > 0)
            return dwarf_getsrc_die(unit, at - bias);
    return NULL;
}

/* Finds the source line of an address. Writes the name of the file. Returns false if it is unknown.
 */
static bool line_of(Dwfl_Module *module, Dwarf_Addr at, char file[PATH_MAX], int *line)
{
    Dwfl_Line *found = dwfl_module_getsrc(module, at);
    Dwarf_Line *other = found == NULL ? line_of_unit(module, at) : NULL;
    const char *name = found != NULL   ? dwfl_lineinfo(found, NULL, line, NULL, NULL, NULL)
                       : other != NULL ? dwarf_linesrc(other, NULL, NULL)
                                       : NULL;
    const char *folder = found != NULL ? dwfl_line_comp_dir(found) : NULL;
    char joined[2 * PATH_MAX];

    if (other != NULL)
        dwarf_lineno(other, line);
    if (name == NULL || *line == 0)
        return false;
    snprintf(joined, sizeof joined, "%s/%s", folder, name);
    if (name[0] == '/' || folder == NULL || realpath(joined, file) == NULL)
        snprintf(file, PATH_MAX, "%s", name);
    return true;
}

/* A place in the host program. */
struct host_place {
    char function[128], file[SOURCE_FILE];
    int line; /* 0: unknown */
};

/* Finds who made a call: the first function and line that are not in CUDA's headers, whose
 * functions have the name of the one that they call. `names`: the function is wanted, which takes
 * longer. */
static struct host_place place_of(const struct exec_site *site, bool names)
{
    struct host_place place = {.function = "the program"};
    Dwfl *dwfl = open_program(site->addresses[0]);
    bool has_function = !names, has_line = false;

    for (int f = 0; dwfl != NULL && f < EXEC_FRAMES && site->addresses[f] != NULL; f++) {
        Dwarf_Addr at = (Dwarf_Addr)(uintptr_t)site->addresses[f] - 1; /* in the call */
        Dwfl_Module *module = dwfl_addrmodule(dwfl, at);
        const char *symbol = NULL;
        char file[PATH_MAX];
        int line = 0;
        if (module == NULL || module == dwfl_addrmodule(dwfl, (uintptr_t)gnu_get_libc_version))
            continue;
        if (!has_function && (symbol = dwfl_module_addrname(module, at)) != NULL) {
            source_function(symbol, place.function, sizeof place.function);
            has_function = site->name == NULL || strcmp(place.function, site->name) != 0;
        }
        if (!has_line && line_of(module, at, file, &line) &&
            source_path_owner(file, NULL) == OWNER_USER) {
            source_path_shorten(file, place.file, SOURCE_FILE);
            place.line = line;
            has_line = true;
        }
        if (has_function && has_line)
            break;
    }
    return place;
}

/* Writes who made a launch: "launched by main at my.cu:12". Returns the text. */
static const char *launch_text(const struct exec_site *site, char *text, size_t size)
{
    const struct host_place place = place_of(site, true);
    int used = snprintf(text, size, "launched by %s", place.function);

    if (place.line > 0)
        snprintf(text + used, size - (size_t)used, " at %s:%d", place.file, place.line);
    return text;
}

const char *site_text(const struct exec_site *site, char *text, size_t size)
{
    const struct host_place place = place_of(site, true);
    char launch[SOURCE_LINE + 160];

    if (site->name == NULL)
        snprintf(text, size, "the program");
    else if (strchr(site->name, ' ') != NULL)
        snprintf(text, size, "the kernel %s", launch_text(site, launch, sizeof launch));
    else if (place.line > 0)
        snprintf(text, size, "%s() at %s:%d", site->name, place.file, place.line);
    else
        snprintf(text, size, "%s() in %s", site->name, place.function);
    return text;
}

enum { ARGUMENT = 32 };

/* Finds the variable whose address a line of source passes first to a function: "d.in" in
 * "cudaMalloc((void **)&d.in, bytes)". Returns false if it is not plain. */
static bool find_argument(const char *line, const char *function, char argument[ARGUMENT])
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.->[]";
    char call[64];
    const char *at, *next;
    size_t length;

    snprintf(call, sizeof call, "%.*s(", (int)strcspn(function, "_"), function);
    at = strstr(line, call);
    next = at != NULL ? at + strlen(call) : NULL;
    if (next == NULL || strstr(next, call) != NULL)
        return false;
    if (*next == '(') /* a cast */
        next += strcspn(next, ")");
    next += strspn(next, ") ");
    if (*next++ != '&')
        return false;
    length = strspn(next, plain);
    snprintf(argument, ARGUMENT, "%.*s", (int)length, next);
    return length > 0 && length < ARGUMENT && next[length] == ',';
}

void site_name(const struct exec_site *site, char *text, size_t size)
{
    enum { LONGEST = 60 };
    const struct host_place place = place_of(site, false);
    const char *slash = strrchr(place.file, '/'), *file = slash != NULL ? slash + 1 : place.file;
    char argument[ARGUMENT],
        *source = message_source(source_path_whole(place.file), (uint64_t)place.line);

    if (place.line == 0)
        snprintf(text, size, "the allocation by %.40s", place_of(site, true).function);
    else if ((source == NULL || !find_argument(source, site->name, argument) ||
              snprintf(text, size, "%s (%s:%d)", argument, file, place.line) > LONGEST) &&
             snprintf(text, size, "the allocation of %s:%d", file, place.line) > LONGEST)
        snprintf(text, size, "the allocation of line %d", place.line);
    free(source);
}

/* ---- Outputs ---- */

static void put_text(FILE *to, const char *text)
{
    fputc('"', to);
    for (size_t length; *text != '\0'; text += length > 0 ? length : 1) {
        length = utf8_length(text);
        if (*text == '"' || *text == '\\')
            fputc('\\', to);
        if (length == 0 || (unsigned char)*text < ' ')
            fprintf(to, "\\u%04x", (unsigned char)*text);
        else
            fwrite(text, 1, length, to);
    }
    fputc('"', to);
}

static void put_member(FILE *to, const char *name, const char *text)
{
    fprintf(to, ",\"%s\":", name);
    put_text(to, text);
}

/* The report of this process. Its place and the open file are kept, because the program may clear
 * its environment or use up its descriptors. */
static struct {
    char folder[PATH_MAX], path[PATH_MAX + 32];
    char shown[64]; /* which process may print its findings, and to which file */
    bool has_colour;
    int file;
    struct stat status; /* of the file when it was opened */
    FILE *lines; /* in memory: those that are not written yet, which precede all later ones */
    char *text;  /* of `lines`, of which the first bytes are written */
    size_t size, written;
} output = {.file = -1};

__attribute__((constructor)) static void note_folder(void)
{
    const char *folder = getenv("SIMTCHECK_EXEC_REPORT");
    const char *shown = getenv("SIMTCHECK_EXEC_SHOWN"), *colour = getenv("SIMTCHECK_EXEC_COLOR");

    snprintf(output.folder, sizeof output.folder, "%s", folder != NULL ? folder : "");
    snprintf(output.shown, sizeof output.shown, "%s", shown != NULL ? shown : "");
    output.has_colour = colour != NULL && strcmp(colour, "1") == 0;
    output.lines = open_memstream(&output.text, &output.size);
}

/* Returns whether the descriptor is still that of the file: the program may have closed it. */
static bool is_open(void)
{
    struct stat now;

    return output.file >= 0 && fstat(output.file, &now) == 0 &&
           now.st_dev == output.status.st_dev && now.st_ino == output.status.st_ino;
}

static bool open_output(void)
{
    enum { HIGH = 900 }; /* above those that programs close in a loop or count on */
    int file, high;

    if (output.path[0] == '\0')
        snprintf(output.path, sizeof output.path, "%s/%d.jsonl", output.folder, (int)getpid());
    file = open(output.path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    high = fcntl(file, F_DUPFD_CLOEXEC, HIGH);
    if (high >= 0)
        close(file);
    output.file = high >= 0 ? high : file;
    return fstat(output.file, &output.status) == 0;
}

/* Writes the lines at the end of the file. Returns false with errno if they have to wait. After
 * memory ran out for a line, none is written any more, so that the report gets no end. */
static bool write_lines(void)
{
    const bool is_wanted = output.folder[0] != '\0';
    ssize_t count = 0;

    if (output.lines == NULL || fflush(output.lines) != 0 || ferror(output.lines))
        return false;
    while (is_wanted && output.written < output.size && count >= 0 &&
           (is_open() || open_output())) {
        count = write(output.file, output.text + output.written, output.size - output.written);
        if (count > 0)
            output.written += (size_t)count;
    }
    if (is_wanted && output.written < output.size)
        return false;
    rewind(output.lines);
    output.written = 0;
    return true;
}

/* Writes a record as a text for `simtcheck exec`, which reads it by the same table. */
static void put_record(FILE *to, const char *name, const struct table *table, const void *record)
{
    char *text = NULL;
    size_t size = 0;
    FILE *line = open_memstream(&text, &size);

    if (line == NULL)
        return;
    field_wire_write(line, table, record);
    if (fclose(line) == 0)
        put_member(to, name, text + 1); /* after the first tab */
    free(text);
}

/* Writes the class of a message: its format, and the function that it is about. */
static void put_class(FILE *to, const struct finding *finding)
{
    char text[512];

    snprintf(text, sizeof text, "%s: %s",
             finding->site != NULL && finding->site->name != NULL ? finding->site->name : "",
             finding->class);
    put_text(to, text);
}

/* Writes a place, with the file as it can be opened in any folder. */
static void put_place(FILE *to, const char *file, int line)
{
    char whole[PATH_MAX];

    put_member(to, "file", realpath(source_path_whole(file), whole) != NULL ? whole : file);
    fprintf(to, ",\"line\":%d", line);
}

static void put_finding(FILE *to, const struct finding *finding, bool is_printed)
{
    char message[3 * DOES];

    snprintf(message, sizeof message, "%s%s%s%s%s%s%s", finding->about,
             finding->about[0] != '\0' ? ": " : "", finding->does[0],
             finding->related != NULL ? "; " : "", finding->does[1],
             finding->note_count > 0 ? "; " : "", finding->notes[0]);
    fputs("{\"finding\":{\"rule\":", to);
    put_text(to, finding->rule);
    put_member(to, "message", message);
    if (finding->about[0] != '\0')
        put_member(to, "about", finding->about);
    fputs(",\"does\":[", to);
    put_text(to, finding->does[0]);
    if (finding->related != NULL) {
        fputc(',', to);
        put_text(to, finding->does[1]);
    }
    fputs("],\"notes\":[", to);
    for (int k = 0; k < finding->note_count; k++) {
        fputs(k > 0 ? "," : "", to);
        put_text(to, finding->notes[k]);
    }
    fputc(']', to);
    if (finding->line > 0)
        put_place(to, finding->file, finding->line);
    if (finding->related != NULL && finding->related->line > 0) {
        fputs(",\"related\":[{\"text\":", to);
        put_text(to, finding->does[1]);
        put_place(to, finding->related->file, finding->related->line);
        fputs("}]", to);
    }
    fputc('}', to);
    fputs(is_printed ? ",\"printed\":true" : "", to);
    if (finding->fault != NULL)
        put_record(to, "fault", &fault_table, finding->fault);
    if (finding->race != NULL)
        put_record(to, "unordered", &race_table, finding->race);
    if (finding->class != NULL) {
        fputs(",\"class\":", to);
        put_class(to, finding);
    }
    if (finding->subject[0] != '\0')
        put_member(to, "kernel", finding->subject);
    fputs("}\n", to);
}

/* Returns a hash of the identity: of a fault or a race, or of the class of a message and the calls
 * that led to it. */
static uint64_t finding_key(const struct finding *finding)
{
    struct identity identity = {.rule = finding->rule, .detail = "", .relation = ""};
    uint64_t hash;

    if (finding->fault != NULL)
        identity = identity_of_fault(finding->fault);
    if (finding->race != NULL)
        identity = identity_of_race(finding->race);
    hash = identity_hash(&identity);
    if (finding->class != NULL)
        hash = fnv_bytes(hash, finding->class, strlen(finding->class));
    if (finding->site != NULL && finding->site->name != NULL)
        hash = fnv_bytes(hash, finding->site->name, strlen(finding->site->name));
    for (int f = 0; finding->site != NULL && f < EXEC_FRAMES; f++)
        hash = fnv_number(hash, (uint64_t)(uintptr_t)finding->site->addresses[f]);
    return hash;
}

static uint64_t repeated; /* findings that were reported before */

/* Returns whether the same was reported before. */
static bool is_repeated(const struct finding *finding)
{
    enum { KEPT = 256 };
    static uint64_t kept[KEPT];
    static uint32_t count;
    const uint64_t key = finding_key(finding);

    for (uint32_t k = 0; k < count && k < KEPT; k++)
        if (kept[k] == key)
            return true;
    kept[count++ % KEPT] = key;
    return false;
}

/* Returns whether this process prints its findings: it is the program, and its standard error is
 * that of simtcheck. */
static bool is_shown(void)
{
    char here[sizeof output.shown] = "";
    struct stat now;

    if (fstat(STDERR_FILENO, &now) == 0)
        snprintf(here, sizeof here, EXEC_SHOWN, (int)getppid(), (uintmax_t)now.st_dev,
                 (uintmax_t)now.st_ino);
    return output.folder[0] == '\0' || strcmp(here, output.shown) == 0;
}

static void print(const struct finding *finding)
{
    const struct printer printer = {.to = stderr, .has_colour = output.has_colour};
    const struct race_side *related = finding->related;
    const char *function = finding->function[0] != '\0' ? finding->function : NULL;
    const char *file = finding->line > 0 ? source_path_whole(finding->file) : function;
    bool is_read;
    char rule[RULE_TITLE], title[RULE_TITLE + sizeof finding->about];

    fflush(stdout); /* The message follows earlier output if both go to one file. */
    snprintf(title, sizeof title, "%s%s%s", rule_title(finding->rule, rule),
             finding->about[0] != '\0' ? " on " : "", finding->about);
    message_title(&printer, file, (uint64_t)finding->line, "error", title);
    is_read = message_place(&printer, file, (uint64_t)finding->line, finding->does[0]);
    if (related != NULL)
        message_related(&printer, file, (uint64_t)finding->line, source_path_whole(related->file),
                        (uint64_t)related->line, finding->does[1],
                        !is_read || strcmp(related->file, finding->file) != 0);
    for (int k = 0; k < finding->note_count; k++)
        message_note(&printer, "note", finding->notes[k]);
    message_end(&printer);
}

static bool is_unusable; /* this process cannot run as it should */

static void put(struct finding *finding)
{
    const bool prints = is_shown();

    if (is_unusable)
        return;
    if (is_repeated(finding)) {
        repeated++;
        return;
    }
    if (prints)
        print(finding);
    if (output.lines != NULL)
        put_finding(output.lines, finding, prints);
    if (!write_lines() && !prints)
        print(finding);
}

/* ---- Findings ---- */

/* Sets the place of a finding to that of a call. */
static void set_place(struct finding *finding, const struct exec_site *site)
{
    const struct host_place place = place_of(site, true);

    snprintf(finding->file, sizeof finding->file, "%s", place.file);
    finding->line = place.line;
    if (place.line == 0 && finding->function[0] == '\0')
        snprintf(finding->function, sizeof finding->function, "%s", place.function);
    if (place.line == 0)
        add_note(finding, "called by %s; compile with -g for its line", place.function);
}

void report(const char *rule, const struct exec_site *site, const char *format, ...)
{
    struct finding finding = {.rule = rule, .class = format, .site = site};
    va_list values;

    va_start(values, format);
    vsnprintf(finding.does[0], DOES, format, values);
    va_end(values);
    if (site != NULL && site->name != NULL)
        snprintf(finding.subject, sizeof finding.subject, "%s", site->name);
    if (site != NULL)
        set_place(&finding, site);
    put(&finding);
}

/* Writes "in add, launched by main at my.cu:12". Returns the text. */
static const char *kernel_text(const char *kernel, const struct exec_site *site,
                               char text[SOURCE_LINE + 320])
{
    char launch[SOURCE_LINE + 160], name[128];

    source_function(kernel, name, sizeof name);
    snprintf(text, SOURCE_LINE + 320, "in %s, %s", name, launch_text(site, launch, sizeof launch));
    return text;
}

/* Returns whether the user's line of a kernel's code is known. If not, adds a note. */
static bool is_placed(struct finding *finding, const char *what, const char *kernel,
                      const char *file, int line, const char *library)
{
    bool has_lines = strcmp(file, PTX_NAME) != 0;

    if (library[0] != '\0')
        add_note(finding, "%s is in %s", what, library);
    if (!has_lines && finding->function[0] == '\0') {
        source_function(kernel, finding->function, sizeof finding->function);
        add_note(finding, "compile with -lineinfo: the code of %s has no line information",
                 finding->function);
    }
    return has_lines && line > 0 && !fault_is_in_library(file, line, library);
}

void report_fault(const struct fault *fault, const char *kernel, const struct exec_site *site,
                  bool is_checked)
{
    struct fault indexed = *fault;
    struct finding finding = {.rule = fault_name(fault->kind), .fault = &indexed};
    char text[DOES], thread[THREAD_TEXT] = "", clause[sizeof fault->text], name[128];

    if (fault->kind == FAULT_UNSUPPORTED) {
        source_function(kernel, name, sizeof name);
        snprintf(text, sizeof text, "%s: %s", name, fault->text);
        report_partial(text, site);
        return;
    }
    source_function(kernel, finding.subject, sizeof finding.subject);
    source_element_fault(&indexed, NULL, NULL);
    fault_clause(&indexed, SHOWN_PLACE, clause, sizeof clause);
    *(strstr(clause, " (--steps)") ?: clause + strlen(clause)) = '\0'; /* of other commands */
    snprintf(finding.does[0], DOES, "%s%s%s",
             fault->has_thread ? thread_text(&fault->thread, &fault->block, NULL, thread) : "",
             fault->has_thread ? " " : "", clause);
    if (fault->kind != FAULT_MEMORY_LEAK)
        add_note(&finding, "%s", kernel_text(kernel, site, text));
    if (fault->kind == FAULT_STEP_LIMIT)
        add_note(&finding, "exec has no option for the limit: a smaller launch needs fewer steps");
    if (!is_checked)
        add_note(&finding, "the launch is left out, but it cannot go on after this");
    snprintf(finding.file, sizeof finding.file, "%s", fault->file);
    finding.line = fault->line;
    if (!is_placed(&finding, "the code", kernel, fault->file, fault->line, fault->library))
        set_place(&finding, site);
    put(&finding);
}

/* Writes what a thread of a race does, or the call of the host. `names`: with its kernel. A call
 * has its place in the host program. */
static void write_side(struct race_side *side, const struct race_side *other,
                       const struct work *work, bool names, char text[DOES])
{
    char does[RACE_DOES], thread[THREAD_TEXT], calls[SOURCE_LINE], kernel[SOURCE_LINE + 320];
    bool is_inlined = side->outer[0] != '\0';

    if (work->kind != WORK_LAUNCH) {
        const struct host_place place = place_of(&work->site, false);
        snprintf(side->file, sizeof side->file, "%s", place.file);
        side->line = place.line;
        snprintf(text, DOES, "%s() %s it", work->site.name,
                 strcmp(race_access_word(side), "read") == 0 ? "reads" : "writes");
        return;
    }
    snprintf(text, DOES, "%s %s%s%s%s%s%s", thread_text(&side->thread, &side->block, other, thread),
             race_does(side, does), is_inlined ? " (inlined at " : "",
             calls_text(side->outer, calls), is_inlined ? ")" : "", names ? ", " : "",
             names ? kernel_text(side->kernel, &work->site, kernel) : "");
}

/* Returns a side with the place that is shown: for code without a line of the user's, the launch.
 */
static struct race_side shown_side(struct finding *finding, const char *what,
                                   const struct race_side *side, const struct work *work)
{
    struct race_side shown = *side;
    struct host_place place;

    if (work->kind == WORK_LAUNCH &&
        !is_placed(finding, what, side->kernel, side->file, side->line, side->library)) {
        place = place_of(&work->site, false);
        snprintf(shown.file, sizeof shown.file, "%s", place.file);
        shown.line = place.line;
    }
    return shown;
}

/* Writes the kernels of a race, or the functions of its copies, in alphabetical order. */
static void set_subject(struct finding *finding, const struct race *race, const struct work *first,
                        const struct work *second)
{
    const char *const linker[] = {
        first->kind == WORK_LAUNCH ? race->first.kernel : first->site.name,
        second->kind == WORK_LAUNCH ? race->second.kernel : second->site.name};
    char names[2][128];
    int order;

    for (int k = 0; k < 2; k++)
        source_function(linker[k], names[k], sizeof names[k]);
    order = strcmp(names[0], names[1]);
    snprintf(finding->subject, sizeof finding->subject, "%s%s%s", names[order > 0],
             order != 0 ? " and " : "", order != 0 ? names[order < 0] : "");
}

void report_race(const struct race *race, const struct work *first, const struct work *second)
{
    struct race sides = *race;
    struct race_side shown[2];
    struct finding finding = {.rule = "race", .related = &shown[1], .race = &sides};
    const bool differ = first != second || strcmp(race->first.kernel, race->second.kernel) != 0;
    char kernel[SOURCE_LINE + 320];

    source_element_race(&sides, NULL, NULL);
    write_side(&sides.first, &race->second, first, differ, finding.does[0]);
    write_side(&sides.second, &race->first, second, differ, finding.does[1]);
    snprintf(finding.about, sizeof finding.about, "%s", sides.place);
    set_subject(&finding, race, first, second);
    add_note(&finding, "%s%s", race->missing,
             race->same_value ? "; both write the same value" : "");
    if (!differ)
        add_note(&finding, "%s", kernel_text(race->first.kernel, &first->site, kernel));
    shown[0] = shown_side(&finding, "the first access", &sides.first, first);
    shown[1] = shown_side(&finding, "the second access", &sides.second, second);
    snprintf(finding.file, sizeof finding.file, "%s", shown[0].file);
    finding.line = shown[0].line;
    if (finding.line == 0)
        set_place(&finding, &first->site);
    put(&finding);
}

/* Writes a line with one member. Returns false with errno if it cannot be written now. */
static bool write_member(const char *name, const char *text)
{
    if (output.lines == NULL)
        return false;
    fprintf(output.lines, "{\"%s\":", name);
    put_text(output.lines, text);
    fputs("}\n", output.lines);
    return write_lines();
}

static void report_once(const char *member, const char *text, const struct exec_site *site)
{
    struct finding finding = {.rule = member, .class = text};
    char place[SOURCE_LINE + 192], whole[DOES];

    if (is_repeated(&finding))
        return;
    snprintf(whole, sizeof whole, "%s; first used by %s", text,
             site_text(site, place, sizeof place));
    write_member(member, whole);
}

void report_partial(const char *text, const struct exec_site *site)
{
    report_once("partial", text, site);
}

void report_remark(const char *text, const struct exec_site *site)
{
    report_once("remark", text, site);
}

void report_unusable(const char *format, ...)
{
    char text[DOES];
    const struct finding finding = {.rule = "unusable", .class = text};
    va_list values;

    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (is_repeated(&finding))
        return;
    is_unusable = true;
    if (!write_member("unusable", text) || output.folder[0] == '\0')
        fprintf(stderr, "%s\n", text);
}

bool report_start(void)
{
    static bool is_started;

    if (!is_started && !(is_started = write_member("program", program_invocation_name)))
        fprintf(stderr, "simtcheck exec: cannot write '%s': %s\n", output.path, strerror(errno));
    return is_started;
}

void report_kernel(const char *kernel, const char *why, uint64_t launches, uint64_t threads,
                   double seconds)
{
    if (output.lines == NULL)
        return;
    fputs("{\"kernel\":", output.lines);
    put_text(output.lines, kernel);
    if (why != NULL)
        put_member(output.lines, "why", why);
    fprintf(output.lines, ",\"launches\":%" PRIu64 ",\"threads\":%" PRIu64 ",\"seconds\":%.6f}\n",
            launches, threads, seconds);
    write_lines();
}

void report_end(uint64_t skipped)
{
    if (output.lines != NULL)
        fprintf(output.lines, "{\"skipped\":%" PRIu64 ",\"repeated\":%" PRIu64 "}\n", skipped,
                repeated);
    write_lines();
}
