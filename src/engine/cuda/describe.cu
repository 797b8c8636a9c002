/* SPDX-License-Identifier: MIT
 *
 * The line of a report that names the GPU, the driver and the toolkit.
 */
#include "engine.h"
#include "module.h"

#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

/* Reads the driver's release, such as "580.65.06", from the line of its kernel module; "" if
 * unknown. */
static void driver_release(char *text, size_t size)
{
    FILE *stream = fopen("/proc/driver/nvidia/version", "r");
    char line[256];

    text[0] = '\0';
    if (stream == nullptr)
        return;
    if (fgets(line, sizeof line, stream) != nullptr) {
        for (char *word = strtok(line, " \t"); word != nullptr; word = strtok(nullptr, " \t"))
            if (word[0] >= '0' && word[0] <= '9' && strchr(word, '.') != nullptr) {
                snprintf(text, size, "%s", word);
                break;
            }
    }
    fclose(stream);
}

void engine_describe(struct engine *engine, char *text, size_t size)
{
    cudaDeviceProp properties = {};
    int driver = 0, runtime = 0;
    char release[64], code[128];

    (void)engine;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    driver_release(release, sizeof release);
    module_describe(code, sizeof code);
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess)
        snprintf(properties.name, sizeof properties.name, "unknown GPU");
    snprintf(text, size,
             "%s engine, %s, compute capability %d.%d, %d SMs, driver %s%s(CUDA %d.%d), runtime "
             "%d.%d, compiled by nvcc %d.%d%s",
             engine_kind()->name, properties.name, properties.major, properties.minor,
             properties.multiProcessorCount, release, release[0] != '\0' ? " " : "", driver / 1000,
             driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10, __CUDACC_VER_MAJOR__,
             __CUDACC_VER_MINOR__, code);
}
