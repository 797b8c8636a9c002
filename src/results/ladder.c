/* SPDX-License-Identifier: MIT */
#include "ladder.h"

#include "complain.h"
#include "exit_status.h"
#include "installation.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

enum { SAID = 1 << 20 };

/* Is the row of something to compare kernels with, or of a variant that is selected? */
static bool is_wanted(const struct selection *selection, const struct catalogue *catalogue,
                      const json_t *row)
{
    const char *kernel = json_string_value(json_object_get(row, "kernel"));
    const char *form = json_string_value(json_object_get(row, "form"));
    enum form known = form != NULL && strcmp(form, "total") == 0 ? FORM_TOTAL : FORM_PRINTED;
    const struct variant *variant =
        kernel != NULL && form != NULL ? catalogue_find(catalogue, kernel, known) : NULL;

    return kernel != NULL &&
           (form == NULL || (variant != NULL && selection_has(selection, variant)));
}

/* Takes the rows from what the program has written. */
static int read_rows(const struct selection *selection, const struct catalogue *catalogue,
                     const char *said, json_t **rows)
{
    json_error_t error;
    json_t *document = json_loads(said, 0, &error), *all = json_object_get(document, "ladder"),
           *row;
    size_t r;

    if (!json_is_array(all)) {
        if (document == NULL)
            complain("what simtcheck-ladder has written is no JSON: line %d: %s", error.line,
                     error.text);
        else
            complain("what simtcheck-ladder has written has no array \"ladder\"");
        json_decref(document);
        return EXIT_ENVIRONMENT;
    }
    *rows = json_array();
    json_array_foreach(all, r, row)
    {
        if (is_wanted(selection, catalogue, row))
            json_array_append(*rows, row);
    }
    json_decref(document);
    return EXIT_CONFORMS;
}

int ladder_measure(const struct selection *selection, const struct catalogue *catalogue,
                   json_t **rows)
{
    char path[4096], reason[512], *said;
    const char *const arguments[] = {path, NULL};
    int status;

    *rows = NULL;
    if (!installation_ladder(path, sizeof path, reason, sizeof reason)) {
        complain("%s", reason);
        return EXIT_UNAVAILABLE;
    }
    said = malloc(SAID);
    if (said == NULL) {
        complain("out of memory");
        return EXIT_ENVIRONMENT;
    }
    status = tool_run(arguments, said, SAID);
    if (status == EXIT_CONFORMS) {
        status = read_rows(selection, catalogue, said, rows);
    } else {
        said[strcspn(said, "\n")] = '\0';
        complain("the ladder was not measured, exit status %d: %s", status, said);
        status = status == EXIT_UNAVAILABLE ? EXIT_UNAVAILABLE : EXIT_ENVIRONMENT;
    }
    free(said);
    return status;
}
