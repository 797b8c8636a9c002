// SPDX-License-Identifier: MIT
//
// V() makes kernels of a template: NAME0 is right, NAME1 and NAME2 have a bug.
#define V(name, PARAMS, ARGS)                                                                      \
    __global__ void name##0 PARAMS                                                                 \
    {                                                                                              \
        name<0> ARGS;                                                                              \
    }                                                                                              \
    __global__ void name##1 PARAMS                                                                 \
    {                                                                                              \
        name<1> ARGS;                                                                              \
    }                                                                                              \
    __global__ void name##2 PARAMS                                                                 \
    {                                                                                              \
        name<2> ARGS;                                                                              \
    }
