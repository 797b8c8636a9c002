/* SPDX-License-Identifier: MIT
 *
 * `capabilities`: prints which PTX instructions the simulator has.
 */
#include "capability.h"
#include "command.h"
#include "error_report.h"
#include "json_model.h"

#include <stdio.h>
#include <string.h>

/* A pattern of opcodes. */
struct capability_record {
    const char *instruction, *section, *pattern, *reason; /* reason: null for a supported one */
};

static const struct field capability_fields[] = {
    FIELD("instruction", STRING, struct capability_record, instruction),
    FIELD("section", STRING, struct capability_record, section),
    FIELD("pattern", STRING, struct capability_record, pattern),
    FIELD("reason", STRING, struct capability_record, reason, .flags = FIELD_NULLABLE),
};
static const struct table capability_table =
    TABLE("capability", capability_fields, struct capability_record);

static void add_json(json_t *array, const struct capability *capability, const struct form **forms,
                     bool is_missing)
{
    for (size_t k = 0; forms != NULL && forms[k] != NULL; k++)
        json_array_append_new(array, model_json(&capability_table,
                                                &(struct capability_record){
                                                    .instruction = capability->name,
                                                    .section = forms[k]->section,
                                                    .pattern = forms[k]->pattern,
                                                    .reason = is_missing ? forms[k]->meaning : NULL,
                                                }));
}

static void print_row(const struct capability *capability)
{
    printf("%-20s %-7s %s\n", capability->name, capability->chapter,
           capability_status_name(capability_status(capability)));
}

static void print_patterns(const struct capability *capability)
{
    for (size_t k = 0; capability->forms != NULL && capability->forms[k] != NULL; k++)
        printf("    %s\n", capability->forms[k]->pattern);
    for (size_t k = 0; capability->missing != NULL && capability->missing[k] != NULL; k++)
        printf("    not %s%s%s: %s\n", capability->missing[k]->pattern,
               capability->missing[k]->operands[0] != '\0' ? " " : "",
               capability->missing[k]->operands, capability->missing[k]->meaning);
}

/* Prints whether the simulator has one opcode. Returns the exit status. */
static int print_opcode(const char *opcode)
{
    const struct form *row = forms_unsupported(opcode, NULL);
    struct match match;
    bool is_supported = forms_match(opcode, &match);

    if (is_supported)
        printf("%s: supported (PTX ISA %s)\n", opcode, match.form->section);
    else if (row != NULL)
        printf("%s: rejected: %s\n", opcode, row->meaning);
    else
        error_report("'%s' is not an opcode of PTX ISA 9.0 that simtcheck knows", opcode);
    return (is_supported || row != NULL) ? EXIT_CONFORMS : EXIT_USAGE;
}

static bool is_wanted(const struct capability *capability, const char *word)
{
    return word == NULL || strncmp(capability->name, word, strlen(word)) == 0;
}

static int print_list(const struct capability *list, size_t count, const char *word, bool json)
{
    json_t *array = json_array();
    bool any = false, good = true;

    if (!json && word == NULL)
        printf("%-20s %-7s %s\n", "instruction", "chapter", "status");
    for (size_t k = 0; k < count; k++) {
        if (!is_wanted(&list[k], word))
            continue;
        any = true;
        add_json(array, &list[k], list[k].forms, false);
        add_json(array, &list[k], list[k].missing, true);
        if (!json)
            print_row(&list[k]);
        if (!json && word != NULL)
            print_patterns(&list[k]);
    }
    if (json && any)
        good = report_file_dump(array, stdout);
    json_decref(array);
    if (!any) {
        error_report("no PTX instruction begins with '%s': run 'simtcheck capabilities' for all",
                     word);
        return EXIT_USAGE;
    }
    return good && fflush(stdout) == 0 ? EXIT_CONFORMS : EXIT_ENVIRONMENT;
}

static int capabilities(const struct command_line *line, const struct session *session)
{
    const char *word = line->word_count > 0 ? line->words[0] : NULL;
    struct capability *list;
    size_t count;
    int status;

    (void)session;
    if (word != NULL && strchr(word, '.') != NULL && !line->common->prints_json) {
        status = print_opcode(word);
        return fflush(stdout) == 0 ? status : EXIT_ENVIRONMENT;
    }
    list = capabilities_list(&count);
    if (list == NULL) {
        error_report("out of memory");
        return EXIT_ENVIRONMENT;
    }
    status = print_list(list, count, word, line->common->prints_json);
    capabilities_free(list, count);
    return status;
}

static const struct option_part parts[] = {{printing_rows, 0, NULL, NULL}, {NULL, 0, NULL, NULL}};

const struct command capabilities_command = {
    .name = "capabilities",
    .summary = "list the PTX instructions that the simulator has",
    .arguments = "[INSTRUCTION | OPCODE]",
    .help = "With an instruction, such as cvt, lists its forms and the reasons why it rejects "
            "others. With an opcode, such as cvt.rn.f16.f32, says whether the simulator has it.",
    .example = "simtcheck capabilities",
    .parts = parts,
    .words = "an instruction or an opcode",
    .most_words = 1,
    .run = capabilities,
};
