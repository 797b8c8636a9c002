/* SPDX-License-Identifier: MIT
 *
 * A program that asks NVRTC for machine code, and loads it. nvrtc_library.c stands in for NVRTC.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int nvrtcGetCUBINSize(void *program, size_t *bytes);
int nvrtcGetCUBIN(void *program, char *code);
int cuInit(unsigned int flags);
int cuModuleLoadData(void **module, const void *image);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuLaunchKernel(void *function, unsigned int gx, unsigned int gy, unsigned int gz,
                   unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared_bytes,
                   void *stream, void **arguments, void **extra);

int main(void)
{
    int (*const get_code)(void *, char *) = nvrtcGetCUBIN; /* imported in another way than a call */
    void *module, *function, *arguments[1];
    uint64_t leaked;
    size_t bytes;
    char *code;

    nvrtcGetCUBINSize(NULL, &bytes); /* before cuInit() */
    code = malloc(bytes);
    get_code(NULL, code);
    cuInit(0);
    if (cuModuleLoadData(&module, code) != 0 ||
        cuModuleGetFunction(&function, module, "store") != 0)
        return 1;
    cuMemAlloc_v2(&leaked, 4); /* finding: memory-leak */
    arguments[0] = &leaked;
    return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
}
