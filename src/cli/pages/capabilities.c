/* SPDX-License-Identifier: MIT
 *
 * The generated section of docs/capabilities.md.
 */
#include "capability.h"
#include "pages.h"

#include <string.h>

/* Writes a pattern in a cell of a table: bars have a backslash. */
static void write_pattern(FILE *page, const struct form *form)
{
    fputc('`', page);
    for (const char *c = form->pattern; *c != '\0'; c++)
        fprintf(page, *c == '|' ? "\\%c" : "%c", *c);
    fprintf(page, "%s%s`", form->operands[0] != '\0' ? " " : "", form->operands);
}

/* Writes the names of the supported instructions of a chapter, in lines of the page. */
static void write_supported(FILE *page, const struct capability *list, size_t count)
{
    enum { COLUMNS = 120 };
    int column = fprintf(page, "Supported:");
    bool any = false;

    for (size_t k = 0; k < count; k++) {
        if (capability_status(&list[k]) != CAPABILITY_SUPPORTED)
            continue;
        int length = (int)strlen(list[k].name) + 4; /* with quotes, a space and a comma */
        bool is_full = column + length > COLUMNS;
        fprintf(page, "%s%s`%s`", any ? "," : "", is_full ? "\n" : " ", list[k].name);
        column = is_full ? length : column + length;
        any = true;
    }
    fputs(any ? ".\n" : " none.\n", page);
}

static void write_missing(FILE *page, const struct capability *capability)
{
    fprintf(page, "| `%s` | %s | ", capability->name,
            capability_status_name(capability_status(capability)));
    for (const struct form **form = capability->missing; *form != NULL; form++) {
        fputs(form > capability->missing ? "; " : "", page);
        if (strcmp((*form)->pattern, capability->name) != 0 || (*form)->operands[0] != '\0') {
            write_pattern(page, *form);
            fputs(": ", page);
        }
        fputs((*form)->meaning, page);
    }
    fputs(" |\n", page);
}

static void write_chapter(FILE *page, const struct capability *list, size_t count)
{
    bool any = false;

    fprintf(page, "## %s (%s)\n\n", list->title, list->chapter);
    write_supported(page, list, count);
    for (size_t k = 0; k < count; k++) {
        if (list[k].missing == NULL)
            continue;
        if (!any)
            fputs("\n| instruction | status | what is rejected |\n| --- | --- | --- |\n", page);
        any = true;
        write_missing(page, &list[k]);
    }
}

void write_capabilities(FILE *page)
{
    size_t count, next;
    struct capability *list = capabilities_list(&count);

    for (size_t k = 0; list != NULL && k < count; k = next) {
        next = k;
        while (next < count && strcmp(list[next].chapter, list[k].chapter) == 0)
            next++;
        fputs(k > 0 ? "\n" : "", page);
        write_chapter(page, &list[k], next - k);
    }
    capabilities_free(list, list != NULL ? count : 0);
}
