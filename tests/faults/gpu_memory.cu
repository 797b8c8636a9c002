/* SPDX-License-Identifier: MIT
 *
 * gpu_memory used: prints the MiB of the first GPU's memory that are used, its own with them.
 * gpu_memory hold PID: takes what is free, down to a MiB, says "held" and keeps it until that
 * process has ended. Exit status 3 where there is no GPU.
 */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

static const size_t MIB = (size_t)1 << 20;

static bool tell_used()
{
    size_t free_bytes, all_bytes;

    if (cudaMemGetInfo(&free_bytes, &all_bytes) != cudaSuccess)
        return false;
    printf("%zu\n", (all_bytes - free_bytes) / MIB);
    return true;
}

/* Pieces of half the size where those of a size are at an end. */
static bool hold(pid_t process)
{
    enum { LOOK_USECONDS = 1000 };
    size_t held = 0;

    if (cudaFree(nullptr) != cudaSuccess)
        return false;
    for (size_t bytes = (size_t)64 << 30; bytes >= MIB; bytes /= 2) {
        void *piece;
        while (cudaMalloc(&piece, bytes) == cudaSuccess)
            held += bytes / MIB;
        cudaGetLastError();
    }
    printf("held %zu MiB\n", held);
    fflush(stdout);
    while (kill(process, 0) == 0)
        usleep(LOOK_USECONDS);
    return true;
}

int main(int argc, char **argv)
{
    bool done = false;

    if (argc == 2 && strcmp(argv[1], "used") == 0)
        done = tell_used();
    else if (argc == 3 && strcmp(argv[1], "hold") == 0)
        done = hold((pid_t)atol(argv[2]));
    else
        fprintf(stderr, "usage: %s used | hold PID\n", argv[0]);
    return done ? 0 : 3;
}
