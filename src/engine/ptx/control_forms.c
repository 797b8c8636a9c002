/* SPDX-License-Identifier: MIT
 *
 * Control flow, synchronisation and warp-wide operations: PTX ISA, chapters 9.7.12 and 9.7.13. The
 * decoder checks the operands.
 */
#include "forms.h"

const struct form control_forms[] = {
    {"bra[.uni]", "L", "@bra", "9.7.12.2"},
    {"brx.idx[.uni]", "%r1, T", "@brx", "9.7.12.3"},
    {"call[.uni]", "g", "@call", "9.7.12.4"},
    {"ret[.uni]", "", "@ret", "9.7.12.5"},
    {"exit", "", "@exit", "9.7.12.6"},
    {"trap", "", "@trap", "9.7.19.4"},
    {"brkpt", "", "@trap", "9.7.19.1"},
    {"nanosleep.u32", "5", "@nothing", "9.7.19.2"},
    {"pmevent[.mask]", "5", "@nothing", "9.7.19.3"},
    {"griddepcontrol(.launch_dependents|.wait)", "", "@nothing", "9.7.13.13"},

    {"bar[.cta](.sync|.arrive)", ".arrive? 1, 64; 1", "@bar", "9.7.13.1"},
    {"bar[.cta].red(.popc).u32", "%r1, 0, %p1", "@bar", "9.7.13.1"},
    {"bar[.cta].red(.and|.or).pred", "%p1, 1, 64, !%p1", "@bar", "9.7.13.1"},
    {"barrier[.cta](.sync|.arrive)[.aligned]", ".arrive? 1, 64; 1", "@bar", "9.7.13.1"},
    {"barrier[.cta].red(.popc)[.aligned].u32", "%r1, 0, %p1", "@bar", "9.7.13.1"},
    {"barrier[.cta].red(.and|.or)[.aligned].pred", "%p1, 1, 64, !%p1", "@bar", "9.7.13.1"},
    {"bar.warp.sync", "-1", "@syncwarp", "9.7.13.2"},
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
    {"fence.proxy.tensormap::generic.acquire(.cta|.cluster|.gpu|.sys)", "[%rd1], 128", "@fence",
     "9.7.13.4"},
    {"fence.proxy.tensormap::generic.release(.cta|.cluster|.gpu|.sys)", "", "@fence", "9.7.13.4"},

    {"vote.sync(.all|.any|.uni).pred", "%p1, %p2, -1", "@vote", "9.7.13.8"},
    {"vote.sync(.ballot).b32", "%r1, !%p1, -1", "@vote", "9.7.13.8"},
    {"match(.any|.all).sync(.b32|.b64)", ".all? %r1|%p1, R, -1; %r1, R, -1", "@match", "9.7.13.9"},
    {"activemask.b32", "%r1", "@activemask", "9.7.13.10"},
    {"redux.sync(.add|.min|.max)(.u32|.s32)", "%r1, %r2, -1", "@redux", "9.7.13.11"},
    {"redux.sync(.and|.or|.xor).b32", "%r1, %r2, -1", "@redux", "9.7.13.11"},
    {"elect.sync", "_|%p1, -1", "@elect", "9.7.13.14"},
    {"shfl.sync(.up|.down|.bfly|.idx).b32", "%r1|%p1, %r2, 1, 31, -1", "@shfl", "9.7.9.6"},
    {0},
};
