/* SPDX-License-Identifier: MIT
 *
 * Graphs, as the program makes or captures them.
 */
#ifndef SIMTCHECK_EXEC_GRAPH_H
#define SIMTCHECK_EXEC_GRAPH_H

#include "internal.h"

struct exec_node {
    struct work work;
    struct exec_graph *child; /* owned; null: none */
    struct exec_node **after;
    size_t after_count;
    struct exec_node *origin; /* in an instance: the node of the graph */
    uint64_t serial;          /* of its work in the launch that is being queued */
    uint32_t visit;
};

struct exec_graph {
    struct exec_node **nodes;
    size_t count;
};

struct exec_graph_exec {
    struct exec_graph *graph;
    struct exec_event *end; /* of its last launch; null: it was not launched */
    bool is_destroyed;
};

/* Gives the work a copy of its arguments. Returns false if memory runs out. */
bool copy_arguments(struct work *work);
/* Returns null if memory runs out. */
struct exec_graph *copy_graph(const struct exec_graph *graph);

#endif
