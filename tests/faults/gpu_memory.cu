/* SPDX-License-Identifier: MIT
 *
 * `gpu_memory used` prints the used MiB of the first GPU's memory, including its own. `gpu_memory
 * hold PID` allocates all free memory down to 1 MiB, prints "held", and keeps it until that process
 * has ended. Exit status 3 without a GPU.
 */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

static const size_t MIB = (size_t)1 << 20;

static bool print_used()
{
    size_t free_bytes, all_bytes;

    if (cudaMemGetInfo(&free_bytes, &all_bytes) != cudaSuccess)
        return false;
    printf("%zu\n", (all_bytes - free_bytes) / MIB);
    return true;
}

/* Allocates pieces, and halves their size when an allocation fails. */
static bool allocate(pid_t process)
{
    enum { LOOK_USECONDS = 1000 };
    size_t allocated = 0;

    if (cudaFree(nullptr) != cudaSuccess)
        return false;
    for (size_t bytes = (size_t)64 << 30; bytes >= MIB; bytes /= 2) {
        void *piece;
        while (cudaMalloc(&piece, bytes) == cudaSuccess)
            allocated += bytes / MIB;
        cudaGetLastError();
    }
    printf("held %zu MiB\n", allocated);
    fflush(stdout);
    while (kill(process, 0) == 0)
        usleep(LOOK_USECONDS);
    return true;
}

int main(int argc, char **argv)
{
    bool done = false;

    if (argc == 2 && strcmp(argv[1], "used") == 0)
        done = print_used();
    else if (argc == 3 && strcmp(argv[1], "hold") == 0)
        done = allocate((pid_t)atol(argv[2]));
    else
        fprintf(stderr, "usage: %s used | hold PID\n", argv[0]);
    return done ? 0 : 3;
}
