/* SPDX-License-Identifier: MIT */
#include "launch_features.h"

#include <stdio.h>
#include <string.h>

/* The words before and after the number. */
static const char *const kind_words[][2] = {
    [FEATURE_LAUNCH_ATTRIBUTE] = {"launch attribute", ""},
    [FEATURE_STREAM_ATTRIBUTE] = {"stream attribute", ""},
    [FEATURE_FUNCTION_ATTRIBUTE] = {"function attribute", ""},
    [FEATURE_FROM_PORT] = {"outgoing port", " of a graph edge"},
    [FEATURE_TO_PORT] = {"incoming port", " of a graph edge"},
    [FEATURE_EDGE_TYPE] = {"type", " of a graph edge"},
    [FEATURE_EDGE_RESERVED] = {"reserved byte", " of a graph edge"},
    [FEATURE_STREAM_FLAG] = {"flag", " of a stream"},
    [FEATURE_EVENT_FLAG] = {"flag", " of an event"},
    [FEATURE_RECORD_FLAG] = {"flag", " of a recorded or awaited event"},
    [FEATURE_INSTANCE_FLAG] = {"flag", " of a graph instance"},
    [FEATURE_HOST_FLAG] = {"flag", " of host memory"},
    [FEATURE_MANAGED_FLAG] = {"flag", " of managed memory"},
    [FEATURE_REGISTERED_FLAG] = {"flag", " of registered memory"},
    [FEATURE_RESERVED_FLAG] = {"flag", " of this function"},
};

static const char speed[] = "only the speed depends on it",
                  placement[] = "it only proposes where blocks run, on which no result may depend",
                  cache[] = "it only proposes what caches keep",
                  priority[] = "it only proposes an order, on which no result may depend",
                  waiting[] = "it only says how the host waits",
                  read_only[] = "it can only be read",
                  one_context[] = "there is one context, and all host memory is mapped",
                  domains[] =
                      "fences with the scope of the GPU do not order accesses of two domains",
                  early[] = "a grid may begin before the one before it ends",
                  event_early[] = "the event may come before the grid ends",
                  required[] = "set the cluster by a launch attribute or __cluster_dims__",
                  one_cluster[] = "larger clusters are not tried",
                  no_graphs[] = "kernels cannot use graphs",
                  concurrent[] = "the simulated GPU accesses managed memory as the host does";

/* CUDA Driver API: CUlaunchAttributeID, CUfunction_attribute, CUgraphEdgeData, and the flags of
 * each function. */
static const struct feature {
    enum feature_kind kind;
    uint32_t number; /* of flags: one or more bits */
    const char *name;
    enum feature_effect effect;
    const char *reason;    /* why the effect is right, or what is missing */
    unsigned char leading; /* it has no effect if so many leading bytes of its value are zero; 0: it
                            * always has one */
} features[] = {
    {FEATURE_LAUNCH_ATTRIBUTE, 0, "ignore", HARMLESS, "the entry is empty", 0},
    {FEATURE_LAUNCH_ATTRIBUTE, 1, "access policy window", HARMLESS, cache, 0},
    {FEATURE_LAUNCH_ATTRIBUTE, 2, "cooperative", MODELLED, "", 0},
    {FEATURE_LAUNCH_ATTRIBUTE, 3, "synchronization policy", HARMLESS, waiting, 0},
    {FEATURE_LAUNCH_ATTRIBUTE, 4, "cluster dimension", MODELLED, "", 0},
    {FEATURE_LAUNCH_ATTRIBUTE, 5, "cluster scheduling policy preference", HARMLESS, placement, 0},
    {FEATURE_LAUNCH_ATTRIBUTE, 6, "programmatic stream serialization", PARTIAL, early, 4},
    {FEATURE_LAUNCH_ATTRIBUTE, 7, "programmatic event", PARTIAL, event_early, 0},
    {FEATURE_LAUNCH_ATTRIBUTE, 8, "priority", HARMLESS, priority, 0},
    {FEATURE_LAUNCH_ATTRIBUTE, 9, "mem sync domain map", PARTIAL, domains, 1},
    {FEATURE_LAUNCH_ATTRIBUTE, 10, "mem sync domain", PARTIAL, domains, 4},
    {FEATURE_LAUNCH_ATTRIBUTE, 11, "preferred cluster dimension", PARTIAL, one_cluster, 4},
    {FEATURE_LAUNCH_ATTRIBUTE, 12, "launch completion event", PARTIAL, event_early, 0},
    {FEATURE_LAUNCH_ATTRIBUTE, 13, "device updatable kernel node", UNSUPPORTED, no_graphs, 4},
    {FEATURE_LAUNCH_ATTRIBUTE, 14, "preferred shared memory carveout", HARMLESS, speed, 0},
    {FEATURE_LAUNCH_ATTRIBUTE, 16, "nvlink util centric scheduling", HARMLESS, placement, 0},
    {FEATURE_STREAM_ATTRIBUTE, 1, "access policy window", HARMLESS, cache, 0},
    {FEATURE_STREAM_ATTRIBUTE, 3, "synchronization policy", HARMLESS, waiting, 0},
    {FEATURE_STREAM_ATTRIBUTE, 8, "priority", HARMLESS, priority, 0},
    {FEATURE_STREAM_ATTRIBUTE, 9, "mem sync domain map", PARTIAL, domains, 1},
    {FEATURE_STREAM_ATTRIBUTE, 10, "mem sync domain", PARTIAL, domains, 4},
    {FEATURE_STREAM_ATTRIBUTE, 16, "nvlink util centric scheduling", HARMLESS, placement, 0},
    {FEATURE_FUNCTION_ATTRIBUTE, 0, "max threads per block", UNSUPPORTED, read_only, 0},
    {FEATURE_FUNCTION_ATTRIBUTE, 1, "shared size bytes", UNSUPPORTED, read_only, 0},
    {FEATURE_FUNCTION_ATTRIBUTE, 2, "const size bytes", UNSUPPORTED, read_only, 0},
    {FEATURE_FUNCTION_ATTRIBUTE, 3, "local size bytes", UNSUPPORTED, read_only, 0},
    {FEATURE_FUNCTION_ATTRIBUTE, 4, "num regs", UNSUPPORTED, read_only, 0},
    {FEATURE_FUNCTION_ATTRIBUTE, 5, "ptx version", UNSUPPORTED, read_only, 0},
    {FEATURE_FUNCTION_ATTRIBUTE, 6, "binary version", UNSUPPORTED, read_only, 0},
    {FEATURE_FUNCTION_ATTRIBUTE, 7, "cache mode ca", UNSUPPORTED, read_only, 0},
    {FEATURE_FUNCTION_ATTRIBUTE, 8, "max dynamic shared size bytes", MODELLED, "", 0},
    {FEATURE_FUNCTION_ATTRIBUTE, 9, "preferred shared memory carveout", HARMLESS, speed, 0},
    {FEATURE_FUNCTION_ATTRIBUTE, 10, "cluster size must be set", UNSUPPORTED, read_only, 0},
    {FEATURE_FUNCTION_ATTRIBUTE, 11, "required cluster width", UNSUPPORTED, required, 4},
    {FEATURE_FUNCTION_ATTRIBUTE, 12, "required cluster height", UNSUPPORTED, required, 4},
    {FEATURE_FUNCTION_ATTRIBUTE, 13, "required cluster depth", UNSUPPORTED, required, 4},
    {FEATURE_FUNCTION_ATTRIBUTE, 14, "non portable cluster size allowed", MODELLED, "", 0},
    {FEATURE_FUNCTION_ATTRIBUTE, 15, "cluster scheduling policy preference", HARMLESS, placement,
     0},
    {FEATURE_FROM_PORT, 0, "default", MODELLED, "", 0},
    {FEATURE_FROM_PORT, 1, "programmatic", PARTIAL, early, 0},
    {FEATURE_FROM_PORT, 2, "launch completion", PARTIAL, early, 0},
    {FEATURE_TO_PORT, 0, "default", MODELLED, "", 0},
    {FEATURE_EDGE_TYPE, 0, "default", MODELLED, "", 0},
    {FEATURE_EDGE_TYPE, 1, "programmatic", PARTIAL, early, 0},
    {FEATURE_EDGE_RESERVED, 0, "reserved", MODELLED, "", 0},
    {FEATURE_STREAM_FLAG, 1, "non blocking", MODELLED, "", 0},
    {FEATURE_EVENT_FLAG, 1, "blocking sync", HARMLESS, waiting, 0},
    {FEATURE_EVENT_FLAG, 2, "disable timing", MODELLED, "", 0},
    {FEATURE_EVENT_FLAG, 4, "interprocess", HARMLESS, "a call that shares the event is an error",
     0},
    {FEATURE_RECORD_FLAG, 1, "external", UNSUPPORTED, "a graph would record or await the event", 0},
    {FEATURE_INSTANCE_FLAG, 1, "auto free on launch", HARMLESS, "launches do so", 0},
    {FEATURE_INSTANCE_FLAG, 2, "upload", HARMLESS, speed, 0},
    {FEATURE_INSTANCE_FLAG, 4, "device launch", UNSUPPORTED, no_graphs, 0},
    {FEATURE_INSTANCE_FLAG, 8, "use node priority", HARMLESS, priority, 0},
    {FEATURE_HOST_FLAG, 3, "portable or mapped", HARMLESS, one_context, 0},
    {FEATURE_HOST_FLAG, 4, "write combined", HARMLESS, speed, 0},
    {FEATURE_MANAGED_FLAG, 7, "global, host or single", HARMLESS, concurrent, 0},
    {FEATURE_REGISTERED_FLAG, 3, "portable or mapped", HARMLESS, one_context, 0},
    {FEATURE_REGISTERED_FLAG, 4, "I/O memory", UNSUPPORTED, "the simulator has no devices", 0},
    {FEATURE_REGISTERED_FLAG, 8, "read only", PARTIAL, "kernels may write to it", 0},
};

static const struct feature *find(enum feature_kind kind, uint32_t number)
{
    for (size_t k = 0; k < sizeof features / sizeof *features; k++)
        if (features[k].kind == kind && (features[k].number == number ||
                                         (kind >= FEATURE_FLAGS && (features[k].number & number))))
            return &features[k];
    return NULL;
}

enum feature_effect feature_effect(enum feature_kind kind, uint32_t number, const void *value,
                                   char *text, size_t size)
{
    static const char zeros[sizeof(uint32_t)];
    const struct feature *feature = find(kind, number);
    char place[64];

    snprintf(place, sizeof place, "%s %u%s", kind_words[kind][0], number, kind_words[kind][1]);
    if (feature == NULL) {
        snprintf(text, size, "%s", place);
        return UNSUPPORTED;
    }
    if (feature->leading > 0 && value != NULL && memcmp(value, zeros, feature->leading) == 0)
        return HARMLESS;
    snprintf(text, size, "%s (%s)%s: %s", feature->name, place,
             feature->effect == PARTIAL ? " is not modelled" : "", feature->reason);
    return feature->effect;
}
