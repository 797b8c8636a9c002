/* SPDX-License-Identifier: MIT
 *
 * `report`: one page of HTML from files that other commands have written. It needs no other file
 * and no script, and asks no network.
 */
#include "page.h"

#include "complain.h"
#include "html.h"
#include "members.h"
#include "session.h"

/* page.css, as CMakeLists.txt puts it into the program. */
extern const char page_style[];

static const struct page_section *const sections[] = {
    &page_changes, &page_environment, &page_failures, &page_verdicts,  &page_domains,
    &page_races,   &page_launches,    &page_ladder,   &page_toolchain, &page_files,
};

enum { SECTIONS = sizeof sections / sizeof *sections };

/* ---- The head ---- */

/* The policy forbids scripts and the network to whatever might get past escaping. */
static void write_head(FILE *to, const char *title)
{
    html(to,
         "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" "
         "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n"
         "<link rel=\"icon\" href=\"data:,\">\n<title>%s</title>\n<style>\n",
         title);
    fputs(page_style, to);
    fputs("</style>\n</head>\n", to);
}

static void write_tile(FILE *to, const char *class, size_t count, const char *words)
{
    if (count > 0)
        html(to, "<li class=\"%s\"><b>%zu</b> %s</li>\n", class, count, words);
}

/* What was run on what. */
static void write_machine(FILE *to, const struct page *page)
{
    const json_t *gpus = json_object_get(page->environment, "gpus"),
                 *driver = json_object_get(page->environment, "driver");
    json_t *gpu, *tool;
    size_t k;

    if (page->environment == NULL)
        return;
    html(to, "<p class=\"machine\">");
    json_array_foreach(gpus, k, gpu)
    {
        html(to, "%s · ", text_in(gpu, "name"));
    }
    if (json_array_size(gpus) == 0)
        html(to, "no GPU · ");
    if (json_is_string(driver))
        html(to, "driver %s · ", json_string_value(driver));
    json_array_foreach(json_object_get(page->environment, "toolkit"), k, tool)
    {
        html(to, "nvcc %s · ", json_string_value(tool));
    }
    html(to, "%s · simtcheck %s</p>\n", text_in(page->environment, "processor"),
         text_in(page->environment, "simtcheck"));
}

static void write_summary(FILE *to, const struct page *page)
{
    html(to, "<header>\n<p class=\"brand\">simtcheck</p>\n<h1>Conformance of CUDA kernels</h1>\n");
    write_machine(to, page);
    page_headline(to, page);
    html(to, "<ul class=\"tiles\">\n");
    write_tile(to, "good", page_count(page, "good"), "conform");
    write_tile(to, "domain", page_count(page, "domain"), "conform inside their domain");
    write_tile(to, "finding", page_count(page, "finding"), "findings, as claimed");
    write_tile(to, "bad", page_count(page, "bad"), "do not conform");
    write_tile(to, "none", page_count(page, "none"), "unavailable");
    html(to, "</ul>\n</header>\n");
}

/* ---- The page ---- */

static void write_navigation(FILE *to, const struct page *page)
{
    html(to, "<nav aria-label=\"Sections\"><ul>\n");
    for (int s = 0; s < SECTIONS; s++)
        if (sections[s]->has(page))
            html(to, "<li><a href=\"#%s\">%s</a></li>\n", sections[s]->id, sections[s]->title);
    html(to, "</ul></nav>\n");
}

bool page_write(const void *what, FILE *to)
{
    const struct page *page = what;

    write_head(to, "simtcheck report");
    html(to, "<body>\n<a class=\"skip\" href=\"#content\">Skip to the content</a>\n");
    write_summary(to, page);
    write_navigation(to, page);
    html(to, "<main id=\"content\">\n");
    for (int s = 0; s < SECTIONS; s++) {
        if (!sections[s]->has(page))
            continue;
        html(to, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n",
             sections[s]->id, sections[s]->id, sections[s]->id, sections[s]->title);
        sections[s]->write(to, page);
        html(to, "</section>\n");
    }
    html(to,
         "</main>\n<footer><p>Written by simtcheck %s from the files named above.</p></footer>\n"
         "</body>\n</html>\n",
         SIMTCHECK_VERSION);
    return fflush(to) == 0 && !ferror(to);
}

/* ---- The command ---- */

static int report(const struct options *options, const struct catalogue *catalogue)
{
    struct page page;
    int status = EXIT_USAGE;
    (void)catalogue;

    if (options->html == NULL)
        complain("report needs --html FILE");
    else if (page_read(&page, options->files, options->file_count))
        status = session_write(options->html, page_write, &page) ? EXIT_CONFORMS : EXIT_ENVIRONMENT;
    if (options->html != NULL)
        page_free(&page);
    return status;
}

const struct command report_command = {
    .name = "report",
    .help = "make one page of HTML from files of results, of two snapshots a comparison:\n"
            "--html FILE",
    .takes_files = true,
    .files = "one file or more that snapshot, run, races, counters, toolchain, compare or ci/bench "
             "has written",
    .least_files = 1,
    .most_files = 64,
    .run = report,
};
