/* SPDX-License-Identifier: MIT
 *
 * A program that contains fake_runtime.c, whose cudaDeviceProp has BYTES bytes. See
 * test_versions.py.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

int cudaMalloc(void **address, size_t bytes);
int cudaFuture(int x);
int cudaRuntimeGetVersion(int *version);
int cudaGetDeviceProperties(void *properties, int device);

/* Functions of the program. One has the name of a function of the runtime, and one is like them. */
static __attribute__((noipa)) int cudaFree(const void *address)
{
    return address == NULL;
}

static __attribute__((noipa)) int cudaOwn(int x)
{
    return x;
}

int main(int count, char **words)
{
    unsigned char properties[2048];
    int version = 0, error;
    void *address = NULL;

    (void)words;
    memset(properties, 0xee, sizeof properties);
    error = cudaRuntimeGetVersion(&version);
    error |= cudaMalloc(&address, 0) | cudaGetDeviceProperties(properties, 0);
    for (size_t k = sizeof properties; k > 0 && properties[k - 1] == 0xee; k--)
        properties[0] = (unsigned char)(k - 1 == BYTES);
    printf("%d %d %d %d\n", error, version / 1000, properties[0], cudaOwn(1) + cudaFree(address));
    return count > 1 ? cudaFuture(2) != 801 : 0;
}
