/* SPDX-License-Identifier: MIT */
#include "worker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void worker_write_outcome(FILE *stream, size_t index, const struct outcome *outcome)
{
    const struct fault *fault = &outcome->fault;
    fprintf(stream,
            "case\t%zu\t%d\t%" PRIu64 "\t%d\t%u\t%u\t%u\t%u\t%u\t%u\t%d\t%s\t%s\t%s\t%s\t%s\n",
            index, (int)outcome->kind, outcome->digest, (int)fault->kind, fault->block.x,
            fault->block.y, fault->block.z, fault->thread.x, fault->thread.y, fault->thread.z,
            fault->line, fault->file, outcome->place, outcome->expected, outcome->got, fault->text);
}

bool worker_read_outcome(char *fields, struct outcome *outcome)
{
    enum { NUMBERS = 10, TEXTS = 5 };
    struct fault *fault = &outcome->fault;
    unsigned long long number[NUMBERS];
    const char *text[TEXTS];

    memset(outcome, 0, sizeof *outcome);
    for (int i = 0; i < NUMBERS; i++) {
        const char *field = strsep(&fields, "\t");
        char *end;
        if (field == NULL)
            return false;
        number[i] = strtoull(field, &end, 10);
        if (end == field || *end != '\0')
            return false;
    }
    for (int i = 0; i < TEXTS; i++)
        if ((text[i] = strsep(&fields, "\t")) == NULL)
            return false;
    if (number[0] > OUTCOME_FAULT || number[2] >= FAULT_KINDS)
        return false;
    outcome->kind = (enum outcome_kind)number[0];
    outcome->digest = number[1];
    fault->kind = (enum fault_kind)number[2];
    fault->block = (struct extent){(uint32_t)number[3], (uint32_t)number[4], (uint32_t)number[5]};
    fault->thread = (struct extent){(uint32_t)number[6], (uint32_t)number[7], (uint32_t)number[8]};
    fault->line = (int)number[9];
    snprintf(fault->file, sizeof fault->file, "%s", text[0]);
    snprintf(outcome->place, sizeof outcome->place, "%s", text[1]);
    snprintf(outcome->expected, sizeof outcome->expected, "%s", text[2]);
    snprintf(outcome->got, sizeof outcome->got, "%s", text[3]);
    snprintf(fault->text, sizeof fault->text, "%s", text[4]);
    return true;
}

void worker_write_counters(FILE *stream, const struct engine_counters *counters)
{
    fputs("counters", stream);
    for (int k = 0; k < 2; k++) {
        const struct access_counters *access = &counters->access[k];
        fprintf(stream, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
                access->requests, access->lanes, access->bytes, access->lines, access->sectors);
    }
    fprintf(stream, "\t%" PRIu64 "\n", counters->barriers);
}

bool worker_read_counters(const char *fields, struct engine_counters *counters)
{
    struct access_counters *load = &counters->access[0], *store = &counters->access[1];

    return sscanf(fields,
                  "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64
                  "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64,
                  &load->requests, &load->lanes, &load->bytes, &load->lines, &load->sectors,
                  &store->requests, &store->lanes, &store->bytes, &store->lines, &store->sectors,
                  &counters->barriers) == 11;
}
