/* SPDX-License-Identifier: MIT
 *
 * Control flow, synchronisation and warp-wide operations: PTX ISA, chapters 9.7.12 and 9.7.13. The
 * decoder checks the operands.
 */
#include "forms.h"

const struct form control_forms[] = {
    {"bra[.uni]", "", "@bra", "9.7.12.2"},
    {"brx.idx[.uni]", "", "@brx", "9.7.12.3"},
    {"call[.uni]", "", "@call", "9.7.12.4"},
    {"ret[.uni]", "", "@ret", "9.7.12.5"},
    {"exit", "", "@exit", "9.7.12.6"},
    {"trap", "", "@trap", "9.7.19.4"},
    {"brkpt", "", "@trap", "9.7.19.1"},
    {"nanosleep.u32", "", "@nothing", "9.7.19.2"},
    {"pmevent[.mask]", "", "@nothing", "9.7.19.3"},
    {"griddepcontrol(.launch_dependents|.wait)", "", "@nothing", "9.7.13.13"},

    {"bar[.cta](.sync|.arrive)", "", "@bar", "9.7.13.1"},
    {"bar[.cta].red(.popc).u32", "", "@bar", "9.7.13.1"},
    {"bar[.cta].red(.and|.or).pred", "", "@bar", "9.7.13.1"},
    {"barrier[.cta](.sync|.arrive)[.aligned]", "", "@bar", "9.7.13.1"},
    {"barrier[.cta].red(.popc)[.aligned].u32", "", "@bar", "9.7.13.1"},
    {"barrier[.cta].red(.and|.or)[.aligned].pred", "", "@bar", "9.7.13.1"},
    {"bar.warp.sync", "", "@syncwarp", "9.7.13.2"},
    {"membar(.cta|.gl|.sys)", "", "@fence", "9.7.13.4"},
    {"membar.proxy.alias", "", "@fence", "9.7.13.4"},
    {"fence[.sc|.acq_rel|.acquire|.release](.cta|.cluster|.gpu|.sys)", "", "@fence", "9.7.13.4"},
    {"fence.acquire.sync_restrict::shared::cluster.cluster", "", "@fence", "9.7.13.4"},
    {"fence.release.sync_restrict::shared::cta.cluster", "", "@fence", "9.7.13.4"},
    {"fence.mbarrier_init.release.cluster", "", "@fence", "9.7.13.4"},
    {"fence.proxy(.alias|.async)", "", "@fence", "9.7.13.4"},
    {"fence.proxy.async(.global|.shared::cta|.shared::cluster)", "", "@fence", "9.7.13.4"},
    {"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", "", "@fence",
     "9.7.13.4"},
    {"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", "", "@fence",
     "9.7.13.4"},
    {"fence.proxy.tensormap::generic.acquire(.cta|.cluster|.gpu|.sys)", "", "@fence", "9.7.13.4"},
    {"fence.proxy.tensormap::generic.release(.cta|.cluster|.gpu|.sys)", "", "@fence", "9.7.13.4"},

    {"vote.sync(.all|.any|.uni).pred", "", "@vote", "9.7.13.8"},
    {"vote.sync(.ballot).b32", "", "@vote", "9.7.13.8"},
    {"match(.any|.all).sync(.b32|.b64)", "", "@match", "9.7.13.9"},
    {"activemask.b32", "", "@activemask", "9.7.13.10"},
    {"redux.sync(.add|.min|.max)(.u32|.s32)", "", "@redux", "9.7.13.11"},
    {"redux.sync(.and|.or|.xor).b32", "", "@redux", "9.7.13.11"},
    {"elect.sync", "", "@elect", "9.7.13.14"},
    {"shfl.sync(.up|.down|.bfly|.idx).b32", "", "@shfl", "9.7.9.6"},
    {0},
};
