/* SPDX-License-Identifier: MIT
 *
 * Instructions for the blocks of a cluster. The decoder checks the operands.
 */
#include "forms.h"

const struct form cluster_forms[] = {
    {"mapa.u64", "", "@mapa", "9.7.9.22"},
    {"mapa.shared::cluster(.u32|.u64)", "", "@mapa", "9.7.9.22"},
    {"getctarank.u64", "", "@getctarank", "9.7.9.23"},
    {"getctarank.shared::cluster(.u32|.u64)", "", "@getctarank", "9.7.9.23"},
    {"barrier.cluster.arrive[.release|.relaxed][.aligned]", "", "@cluster_barrier", "9.7.13.3"},
    {"barrier.cluster.wait[.acquire][.aligned]", "", "@cluster_barrier", "9.7.13.3"},
    {0},
};
