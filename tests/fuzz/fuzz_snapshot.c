/* SPDX-License-Identifier: MIT
 *
 * Two concatenated snapshots, as `compare` reads them.
 */
#include "difference.h"
#include "fuzz.h"

static void compare(const json_t *old_snapshot, const json_t *new_snapshot)
{
    json_t *report = difference_report("old", old_snapshot, "new", new_snapshot);

    fuzz_expect(json_is_array(json_object_get(report, "environment")) &&
                json_is_array(json_object_get(report, "rows")));
    json_decref(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK;
    const char *text = (const char *)data;
    json_error_t error;
    json_t *first = json_loadb(text, size, flags, &error), *second = NULL;
    char why[256];

    if (first != NULL && error.position > 0 && (size_t)error.position < size)
        second = json_loadb(text + error.position, size - (size_t)error.position, flags, &error);
    if (first != NULL && difference_fits(first, why, sizeof why)) {
        compare(first, first);
        if (second != NULL && difference_fits(second, why, sizeof why))
            compare(first, second);
    }
    json_decref(first);
    json_decref(second);
    return 0;
}
