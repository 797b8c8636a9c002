/* SPDX-License-Identifier: MIT
 *
 * Lines between a supervisor and its workers. The first byte selects the kind of line.
 */
#include "fuzz.h"
#include "wire.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct engine_counters counters;
    static struct outcome outcome;
    static struct race race;
    struct source_point point;
    struct reached reached;
    struct test_case test;
    uint32_t kernel;
    size_t number;
    char *line = fuzz_string(data + (size > 0), size - (size > 0));

    switch (size > 0 ? data[0] : 'c') {
    case 'o':
        wire_read_outcome(line, &outcome);
        break;
    case 'r':
        wire_read_race(line, &race);
        break;
    case 'n':
        wire_read_counters(false, line, &counters);
        break;
    case 'i':
        wire_read_counters(true, line, &counters);
        break;
    case 'p':
        if (wire_read_point(line, &kernel, &number, &point))
            fuzz_expect(point.kind <= POINT_BRANCH && point.file != NULL && point.name != NULL);
        break;
    case 'v':
        wire_read_reached(line, &reached);
        break;
    default:
        if (wire_read_case(line, &simtcheck_catalogue, &test))
            fuzz_expect(test.variant != NULL);
    }
    fuzz_expect(counters.interval_count <= MAX_INTERVALS);
    free(line);
    return 0;
}
