/* SPDX-License-Identifier: MIT
 *
 * Functions that look like a CUDA runtime of the version VERSION in a program, for versions that
 * the build has no toolkit of. None does anything: a right answer is the stand-in's. See
 * fake_program.c.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* The runtime: its functions are in one section. */
#define RUNTIME __attribute__((noipa, section(".text.runtime")))
#define FUNCTION(name, ...)                                                                        \
    int name(__VA_ARGS__);                                                                         \
    RUNTIME int name(__VA_ARGS__)
enum { NOT_REPLACED = -1 };

FUNCTION(cudaMalloc, void **address, size_t bytes)
{
    (void)address, (void)bytes;
    return NOT_REPLACED;
}

FUNCTION(cudaFuture, int x)
{
    return x;
}

/* As in the runtime: the number is in a function of its own. A runtime that stays asks the driver
 * for tables. */
static RUNTIME void store_version(int *version)
{
    *version = VERSION;
}

FUNCTION(cudaRuntimeGetVersion, int *version)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *found = dlsym(driver, "cuGetExportTable");
    int (*table)(const void **, const void *);
    const void *unused;

    memcpy(&table, &found, sizeof table);
    table(&unused, "");
    store_version(version);
    return NOT_REPLACED;
}

FUNCTION(cudaGetDeviceProperties, void *properties, int device)
{
    (void)properties, (void)device;
    return NOT_REPLACED;
}

FUNCTION(cudaFree, void *address)
{
    (void)address;
    return NOT_REPLACED;
}

FUNCTION(other_code, int x)
{
    return 3 * x;
}
