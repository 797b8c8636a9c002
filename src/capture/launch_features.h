/* SPDX-License-Identifier: MIT
 *
 * The attributes and flags with which programs launch kernels and make streams, events, graphs and
 * host memory, and what simtcheck does with each. None is ignored without a reason.
 */
#ifndef SIMTCHECK_CAPTURE_LAUNCH_FEATURES_H
#define SIMTCHECK_CAPTURE_LAUNCH_FEATURES_H

#include <stddef.h>
#include <stdint.h>

/* A kind has numbers of its own. Those of a flag are its bits. */
enum feature_kind {
    FEATURE_LAUNCH_ATTRIBUTE,   /* CUlaunchAttributeID */
    FEATURE_STREAM_ATTRIBUTE,   /* the same, of a stream */
    FEATURE_FUNCTION_ATTRIBUTE, /* CUfunction_attribute */
    FEATURE_FROM_PORT,          /* the members of CUgraphEdgeData, in order */
    FEATURE_TO_PORT,
    FEATURE_EDGE_TYPE,
    FEATURE_EDGE_RESERVED,
    FEATURE_FLAGS, /* from here on */
    FEATURE_STREAM_FLAG = FEATURE_FLAGS,
    FEATURE_EVENT_FLAG,
    FEATURE_RECORD_FLAG, /* of records of events, and of waits */
    FEATURE_INSTANCE_FLAG,
    FEATURE_HOST_FLAG,
    FEATURE_MANAGED_FLAG,
    FEATURE_REGISTERED_FLAG,
    FEATURE_RESERVED_FLAG, /* of calls whose flags must be 0 */
};

enum feature_effect {
    MODELLED,
    HARMLESS,    /* to ignore it hides nothing */
    PARTIAL,     /* ignored, so the program is not fully checked */
    UNSUPPORTED, /* an error */
};

/* Returns the effect of a feature. `value`: that of an attribute, as in the union
 * CUlaunchAttributeValue; null for flags. If the feature is partial or unsupported, the text names
 * it, with the reason. Unknown numbers are unsupported. */
enum feature_effect feature_effect(enum feature_kind kind, uint32_t number, const void *value,
                                   char *text, size_t size);

#endif
