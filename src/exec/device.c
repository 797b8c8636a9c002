/* SPDX-License-Identifier: MIT
 *
 * Attributes of the simulated device: those of an H100 where the simulator does not differ.
 */
#include "core.h"

/* By the numbers of CUdevice_attribute. Attributes that are left out are 0. */
static const int values[] = {
    [1] = 1024,       /* threads of a block */
    [2] = 1024,       /* and in x */
    [3] = 1024,       /* y */
    [4] = 64,         /* z */
    [5] = INT32_MAX,  /* blocks of a grid in x */
    [6] = 65535,      /* y */
    [7] = 65535,      /* z */
    [8] = 48 << 10,   /* shared memory of a block */
    [9] = 64 << 10,   /* constant memory */
    [10] = 32,        /* warp size */
    [11] = INT32_MAX, /* pitch */
    [12] = 65536,     /* registers of a block */
    [13] = 1980000,   /* clock rate, kHz */
    [14] = 512,       /* alignment of textures */
    [15] = 1,         /* copies overlap with kernels */
    [16] = 132,       /* SMs */
    [19] = 1,         /* maps host memory */
    [21] = 131072,    /* sizes of textures and surfaces, to 29 */
    [22] = 131072,     [23] = 65536, [24] = 16384,     [25] = 16384,  [26] = 16384,
    [27] = 32768,      [28] = 32768, [29] = 2048,      [30] = 512, /* alignment of surfaces */
    [31] = 1,                                                      /* concurrent kernels */
    [32] = 1,                                                      /* ECC */
    [33] = 1,                                                      /* PCI bus */
    [36] = 2619000,                                                /* memory clock rate, kHz */
    [37] = 5120,                                                   /* memory bus width, bits */
    [38] = 50 << 20,                                               /* L2 cache */
    [39] = 2048,                                                   /* threads of an SM */
    [40] = 3,                                                      /* copy engines */
    [41] = 1,                                                      /* unified addressing */
    [42] = 32768,      [43] = 2048,  [45] = 32768,     [46] = 32768,  [47] = 8192,
    [48] = 8192,       [49] = 32768, [51] = 32, /* alignment of the pitch of textures */
    [52] = 32768,      [53] = 32768, [54] = 2046,      [55] = 32768,  [56] = 131072,
    [57] = 65536,      [58] = 16384, [59] = 16384,     [60] = 16384,  [61] = 32768,
    [62] = 2048,       [63] = 32768, [64] = 32768,     [65] = 2048,   [66] = 32768,
    [67] = 32768,      [68] = 2046,  [69] = 268435456, [70] = 131072, [71] = 65000,
    [72] = 2097120,    [73] = 32768, [74] = 32768,     [75] = 9, /* compute capability */
    [76] = 0,          [77] = 32768, [78] = 1,                   /* priorities of streams */
    [79] = 1,                                                    /* L1 cache of global memory */
    [80] = 1,                                                    /* and local memory */
    [81] = 228 << 10,                                            /* shared memory of an SM */
    [82] = 65536,                                                /* registers of an SM */
    [83] = 1,                                                    /* managed memory */
    [87] = 2,                                                    /* single to double performance */
    [89] = 1,          /* concurrent access to managed memory */
    [90] = 1,          /* preemption */
    [91] = 1,          /* registered memory has the host's address */
    [95] = 1,          /* cooperative launches */
    [97] = 227 << 10,  /* shared memory of a block, on request */
    [99] = 1,          /* registration of host memory */
    [106] = 32,        /* blocks of an SM */
    [108] = 32 << 20,  /* persisting L2 cache */
    [109] = 128 << 20, /* access policy window */
    [111] = 1024,      /* reserved shared memory of a block */
    [115] = 1,         /* memory pools */
    [120] = 1,         /* clusters */
    [126] = 4,         /* memory synchronization domains */
    [131] = -1,        /* NUMA node: none */
    [134] = -1,        [160] = 0,
};

enum { COUNT = sizeof values / sizeof *values };

bool exec_attribute(int attribute, int *value)
{
    if (attribute <= 0 || attribute >= COUNT)
        return false;
    *value = values[attribute];
    return true;
}
