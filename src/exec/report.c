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
#include "source_path.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DOES = 1536, NOTES = 5 }; /* bytes of what a thread or a call does; most notes */

/* A finding on its way to both outputs. */
struct finding {
    const char *rule;
    char message[4096];
    char file[SOURCE_FILE];
    int line;
    const struct race_side *related; /* null: none */
    const char *related_text;
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
};

static void __attribute__((format(printf, 2, 3)))
add_note(struct finding *finding, const char *format, ...)
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

/* Returns the module of the program, or of a library that is not the system's, that has the call
 * before a return address. Null: none. */
static Dwfl_Module *module_of(Dwfl *dwfl, const void *address)
{
    Dwfl_Module *module = dwfl_addrmodule(dwfl, (Dwarf_Addr)(uintptr_t)address - 1);
    const char *path =
        module != NULL ? dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : NULL;
    bool is_systems = path == NULL || strncmp(path, "/lib", strlen("/lib")) == 0 ||
                      strncmp(path, "/usr/lib", strlen("/usr/lib")) == 0;

    return is_systems && (path == NULL || strstr(path, "-packages/") == NULL) ? NULL : module;
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

/* Finds the source line of a return address, whose call is one byte before it. Returns the name of
 * the file, or null. */
static const char *line_of(Dwfl *dwfl, const void *address, int *line)
{
    Dwarf_Addr at = (Dwarf_Addr)(uintptr_t)address - 1;
    Dwfl_Module *module = module_of(dwfl, address);
    Dwfl_Line *found = module != NULL ? dwfl_module_getsrc(module, at) : NULL;
    Dwarf_Line *other;

    *line = 0;
    if (found != NULL)
        return dwfl_lineinfo(found, NULL, line, NULL, NULL, NULL);
    other = module != NULL ? line_of_unit(module, at) : NULL;
    if (other == NULL)
        return NULL;
    dwarf_lineno(other, line);
    return dwarf_linesrc(other, NULL, NULL);
}

/* Finds the user's line that made a call. */
static bool find_line(const struct exec_site *site, char file[SOURCE_FILE], int *line)
{
    Dwfl *dwfl = open_program(site->addresses[0]);

    *line = 0;
    for (int f = 0; dwfl != NULL && f < EXEC_FRAMES && site->addresses[f] != NULL; f++) {
        int at;
        const char *found = line_of(dwfl, site->addresses[f], &at);
        if (found == NULL || at == 0 || source_path_owner(found) != OWNER_USER)
            continue;
        source_path_shorten(found, file, SOURCE_FILE);
        *line = at;
        return true;
    }
    return false;
}

/* Finds the user's function that made a call: not one of CUDA's headers or compilers. */
static bool find_function(const struct exec_site *site, char *name, size_t size)
{
    Dwfl *dwfl = open_program(site->addresses[0]);

    for (int f = 0; dwfl != NULL && f < EXEC_FRAMES && site->addresses[f] != NULL; f++) {
        Dwfl_Module *module = module_of(dwfl, site->addresses[f]);
        const char *symbol =
            module != NULL
                ? dwfl_module_addrname(module, (GElf_Addr)(uintptr_t)site->addresses[f] - 1)
                : NULL;
        if (symbol == NULL)
            continue;
        source_function(symbol, name, size);
        if (name[0] != '_' && strncmp(name, "cuda", strlen("cuda")) != 0)
            return true;
    }
    return false;
}

const char *site_text(const struct exec_site *site, char *text, size_t size)
{
    char file[SOURCE_FILE], function[128];
    const char *brackets = site->name != NULL && strchr(site->name, ' ') == NULL ? "()" : "";
    int line;

    if (site->name == NULL)
        snprintf(text, size, "the program");
    else if (find_line(site, file, &line))
        snprintf(text, size, "%s%s at %s:%d", site->name, brackets, file, line);
    else if (find_function(site, function, sizeof function))
        snprintf(text, size, "%s%s in %s", site->name, brackets, function);
    else
        snprintf(text, size, "%s%s", site->name, brackets);
    return text;
}

void site_name(const struct exec_site *site, char *text, size_t size)
{
    enum { LONGEST = 36 }; /* so that a report has room for an index, too */
    char file[SOURCE_FILE], function[LONGEST + 1];
    const char *slash, *name;
    int line;

    if (!find_line(site, file, &line)) {
        if (!find_function(site, function, sizeof function) ||
            snprintf(text, size, "%s in %s", site->name, function) > LONGEST)
            snprintf(text, size, "%s", site->name);
        return;
    }
    slash = strrchr(file, '/');
    name = slash != NULL ? slash + 1 : file;
    if (snprintf(text, size, "%s at %s:%d", site->name, name, line) > LONGEST &&
        snprintf(text, size, "%s:%d", name, line) > LONGEST)
        snprintf(text, size, "%.20s at line %d", site->name, line);
}

/* ---- Outputs ---- */

static void put_text(FILE *to, const char *text)
{
    fputc('"', to);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++)
        if (*c == '"' || *c == '\\')
            fprintf(to, "\\%c", *c);
        else if (*c < ' ' || *c >= 0x7f)
            fprintf(to, "\\u%04x", *c);
        else
            fputc(*c, to);
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
    int file;
    struct stat status; /* of the file when it was opened */
    FILE *lines; /* in memory: those that are not written yet, which precede all later ones */
    char *text;  /* of `lines`, of which the first bytes are written */
    size_t size, written;
} output = {.file = -1};

__attribute__((constructor)) static void note_folder(void)
{
    const char *folder = getenv("SIMTCHECK_EXEC_REPORT");

    snprintf(output.folder, sizeof output.folder, "%s", folder != NULL ? folder : "");
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

static void put_finding(FILE *to, const struct finding *finding)
{
    fputs("{\"finding\":{\"rule\":", to);
    put_text(to, finding->rule);
    put_member(to, "message", finding->message);
    if (finding->about[0] != '\0')
        put_member(to, "about", finding->about);
    fputs(",\"does\":[", to);
    put_text(to, finding->does[0]);
    if (finding->related != NULL) {
        fputc(',', to);
        put_text(to, finding->does[1]);
    }
    fputc(']', to);
    for (int k = 0; k < finding->note_count; k++) {
        fputs(k == 0 ? ",\"notes\":[" : ",", to);
        put_text(to, finding->notes[k]);
    }
    if (finding->note_count > 0)
        fputc(']', to);
    if (finding->line > 0) {
        put_member(to, "file", finding->file);
        fprintf(to, ",\"line\":%d", finding->line);
    }
    if (finding->related != NULL && finding->related->line > 0) {
        fputs(",\"related\":[{\"file\":", to);
        put_text(to, finding->related->file);
        fprintf(to, ",\"line\":%d", finding->related->line);
        put_member(to, "text", finding->related_text);
        fputs("}]", to);
    }
    fputc('}', to);
    if (finding->fault != NULL)
        put_record(to, "fault", &fault_table, finding->fault);
    if (finding->race != NULL)
        put_record(to, "unordered", &race_table, finding->race);
    if (finding->class != NULL) {
        fputs(",\"class\":", to);
        put_class(to, finding);
    }
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

static void print(const struct finding *finding)
{
    const struct printer printer = {.to = stderr, .has_colour = colours_fit(stderr)};
    const struct race_side *related = finding->related;
    const char *function = finding->function[0] != '\0' ? finding->function : NULL;
    const char *file = finding->line > 0 ? finding->file : function;
    char rule[RULE_TITLE], title[RULE_TITLE + sizeof finding->about];

    fflush(stdout); /* The message follows earlier output if both go to one file. */
    snprintf(title, sizeof title, "%s%s%s", rule_title(finding->rule, rule),
             finding->about[0] != '\0' ? " on " : "", finding->about);
    message_title(&printer, file, (uint64_t)finding->line, "error", title);
    message_place(&printer, finding->file, (uint64_t)finding->line, finding->does[0]);
    if (related != NULL)
        message_place(&printer, related->file, (uint64_t)related->line, finding->does[1]);
    for (int k = 0; k < finding->note_count; k++)
        message_note(&printer, "note", finding->notes[k]);
    message_end(&printer);
}

static void put(const struct finding *finding)
{
    if (is_repeated(finding))
        return;
    print(finding);
    if (output.lines != NULL)
        put_finding(output.lines, finding);
    write_lines();
}

/* ---- Findings ---- */

/* Sets the place to the line that made a call, or else to its function. */
static void place_at_call(struct finding *finding, const struct exec_site *site)
{
    if (site == NULL || find_line(site, finding->file, &finding->line))
        return;
    if (finding->function[0] == '\0')
        find_function(site, finding->function, sizeof finding->function);
    add_note(finding, "compile with -g: the host code has no line information");
}

void report(const char *rule, const struct exec_site *site, const char *format, ...)
{
    struct finding finding = {.rule = rule, .class = format, .site = site};
    va_list values;

    va_start(values, format);
    vsnprintf(finding.message, sizeof finding.message, format, values);
    va_end(values);
    snprintf(finding.does[0], DOES, "%.*s", DOES - 1, finding.message);
    place_at_call(&finding, site);
    put(&finding);
}

/* Returns whether the user's line of a kernel's code is known. If not, adds a note. */
static bool is_placed(struct finding *finding, const char *what, const char *kernel,
                      const char *file, int line, const char *library)
{
    bool has_lines = strcmp(file, PTX_NAME) != 0;

    if (library[0] != '\0')
        add_note(finding, "%s is in %s", what, library);
    if (!has_lines && finding->function[0] == '\0') {
        snprintf(finding->function, sizeof finding->function, "%s", kernel);
        add_note(finding, "compile with -lineinfo: the code of %s has no line information", kernel);
    }
    return has_lines && line > 0 && !fault_is_in_library(file, line, library);
}

void report_fault(const struct fault *fault, const char *kernel, const struct exec_site *site)
{
    struct finding finding = {.rule = fault_name(fault->kind), .fault = fault};
    char place[SOURCE_LINE + 64], thread[THREAD_TEXT] = "", clause[sizeof fault->text], name[128];

    if (fault->kind == FAULT_UNSUPPORTED) {
        snprintf(finding.message, sizeof finding.message, "%s: %s", kernel, fault->text);
        report_partial(finding.message, site);
        return;
    }

    snprintf(finding.message, sizeof finding.message, "%s: %s; launched by %s", kernel, fault->text,
             site_text(site, place, sizeof place));
    fault_clause(fault, clause, sizeof clause);
    source_function(kernel, name, sizeof name);
    snprintf(finding.does[0], sizeof finding.does[0], "%s%s%s",
             fault->has_thread ? thread_text(&fault->thread, &fault->block, NULL, thread) : "",
             fault->has_thread ? " " : "", clause);
    add_note(&finding, "in %s, launched by %s", name, place);
    snprintf(finding.file, sizeof finding.file, "%s", fault->file);
    finding.line = fault->line;
    if (!is_placed(&finding, "the code", name, fault->file, fault->line, fault->library))
        place_at_call(&finding, site);
    put(&finding);
}

static void side_text(const struct race_side *side, const struct work *work, char *text,
                      size_t size)
{
    const char *word = race_access_word(side);
    char place[SOURCE_LINE + 64];

    if (work->kind != WORK_LAUNCH)
        snprintf(text, size, "%s: %s", site_text(&work->site, place, sizeof place), word);
    else
        snprintf(text, size,
                 "thread (%u,%u,%u) of block (%u,%u,%u), %s, %s:%d%s%s: %s, launched by %s",
                 side->thread.x, side->thread.y, side->thread.z, side->block.x, side->block.y,
                 side->block.z, side->kernel, side->file, side->line,
                 side->outer[0] != '\0' ? ", inlined at " : "", side->outer, word,
                 site_text(&work->site, place, sizeof place));
}

/* Writes what a thread of a race does, or the call of the host. */
static void write_does(const struct race_side *side, const struct race_side *other,
                       const struct work *work, char text[DOES])
{
    char does[RACE_DOES], thread[THREAD_TEXT], place[SOURCE_LINE + 64], calls[SOURCE_LINE],
        name[128];

    site_text(&work->site, place, sizeof place);
    source_function(side->kernel, name, sizeof name);
    if (work->kind != WORK_LAUNCH)
        snprintf(text, DOES, "%s %s it", work->site.name,
                 strcmp(race_access_word(side), "read") == 0 ? "reads" : "writes");
    else
        snprintf(text, DOES, "%s %s%s%s%s, in %s, launched by %s",
                 thread_text(&side->thread, &side->block, other, thread), race_does(side, does),
                 side->outer[0] != '\0' ? " (inlined at " : "", calls_text(side->outer, calls),
                 side->outer[0] != '\0' ? ")" : "", name, place);
}

/* Sets the place of a copy to its call in the host program. Returns the side with the place that is
 * shown: for code without a line of the user's, it is the launch. */
static struct race_side place_side(struct finding *finding, const char *what,
                                   struct race_side *side, const struct work *work)
{
    struct race_side shown;
    char name[128];

    source_function(side->kernel, name, sizeof name);
    if (work->kind != WORK_LAUNCH)
        find_line(&work->site, side->file, &side->line);
    shown = *side;
    if (work->kind == WORK_LAUNCH &&
        !is_placed(finding, what, name, side->file, side->line, side->library))
        find_line(&work->site, shown.file, &shown.line);
    return shown;
}

void report_race(const struct race *race, const struct work *first, const struct work *second)
{
    struct race sides = *race;
    struct finding finding = {.rule = "race", .race = &sides};
    struct race_side shown[2];
    char texts[2][1024];

    add_note(&finding, "%s%s", race->missing,
             race->same_value ? "; both write the same value" : "");
    shown[0] = place_side(&finding, "the first access", &sides.first, first);
    shown[1] = place_side(&finding, "the second access", &sides.second, second);
    side_text(&race->first, first, texts[0], sizeof texts[0]);
    side_text(&race->second, second, texts[1], sizeof texts[1]);
    snprintf(finding.message, sizeof finding.message, "%s\n    first %s\n    then  %s\n    %s%s",
             race->place, texts[0], texts[1], race->missing,
             race->same_value ? "; both write the same value" : "");
    snprintf(finding.file, sizeof finding.file, "%s", shown[0].file);
    finding.line = shown[0].line;
    finding.related = &shown[1];
    finding.related_text = texts[1];
    snprintf(finding.about, sizeof finding.about, "%s", race->place);
    write_does(&race->first, &race->second, first, finding.does[0]);
    write_does(&race->second, &race->first, second, finding.does[1]);
    if (finding.line == 0)
        place_at_call(&finding, &first->site);
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

void report_partial(const char *text, const struct exec_site *site)
{
    struct finding finding = {.rule = "partial", .class = text};
    char place[SOURCE_LINE + 64];
    size_t length = (size_t)snprintf(finding.message, sizeof finding.message, "%s", text);

    if (is_repeated(&finding))
        return;
    snprintf(finding.message + length, sizeof finding.message - length, "; first used by %s",
             site_text(site, place, sizeof place));
    write_member("partial", finding.message);
}

bool report_start(char *reason, size_t size)
{
    bool good = write_member("program", program_invocation_name);

    if (!good)
        snprintf(reason, size, "cannot write '%s': %s", output.path, strerror(errno));
    return good;
}

void report_end(uint64_t launches, uint64_t skipped)
{
    if (output.lines != NULL)
        fprintf(output.lines, "{\"launches\":%" PRIu64 ",\"skipped\":%" PRIu64 "}\n", launches,
                skipped);
    write_lines();
}
