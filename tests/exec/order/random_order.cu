/* SPDX-License-Identifier: MIT
 *
 * random_order SEED CALLS WAITS: random work in five streams, which events and waits of the host
 * order. WAITS percent of the calls wait. Prints RACE or NONE, as vector clocks say.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

enum {
    STREAMS = 5,
    ARRAYS = 2 * STREAMS,
    EVENTS = 4
}; /* streams: legacy, blocking, three others */

/* For each stream, how much of its work comes before. */
struct clocks {
    int values[STREAMS];
    void join(const clocks &other)
    {
        for (int k = 0; k < STREAMS; k++)
            values[k] = std::max(values[k], other.values[k]);
    }
};

struct use {
    int stream, number;
    bool writes;
};

static clocks host, streams[STREAMS], events[EVENTS];
static std::vector<use> uses[ARRAYS];
static bool races;

__global__ void increment(int *x)
{
    x[threadIdx.x]++;
}

__global__ void copy(int *to, const int *from)
{
    to[threadIdx.x] = from[threadIdx.x];
}

/* What comes before the stream's next work. */
static void begin(int stream)
{
    streams[stream].join(host);
    if (stream < 2)
        streams[stream].join(streams[1 - stream]);
}

static void touch(int array, bool writes, use now)
{
    for (const use &was : uses[array])
        races = races ||
                ((writes || was.writes) && was.number > streams[now.stream].values[was.stream]);
    uses[array].push_back({now.stream, now.number, writes});
}

/* Work that writes an array and reads another one; -1: none. */
static void work(int stream, int to, int from)
{
    static int counts[STREAMS];

    begin(stream);
    if (to >= 0)
        touch(to, true, {stream, counts[stream] + 1});
    if (from >= 0)
        touch(from, false, {stream, counts[stream] + 1});
    streams[stream].values[stream] = ++counts[stream];
}

static void wait(int stream)
{
    if (stream == 0)
        host.join(streams[1]);
    host.join(streams[stream]);
}

int main(int, char **arguments)
{
    std::mt19937 random(atoi(arguments[1]));
    auto below = [&](int limit) { return (int)(random() % limit); };
    const int calls = atoi(arguments[2]), waits = atoi(arguments[3]);
    cudaStream_t made[STREAMS] = {};
    cudaEvent_t marks[EVENTS];
    bool is_recorded[EVENTS] = {};
    int *arrays[ARRAYS], values[32] = {};

    cudaStreamCreate(&made[1]);
    for (int k = 2; k < STREAMS; k++)
        cudaStreamCreateWithFlags(&made[k], cudaStreamNonBlocking);
    for (cudaEvent_t &mark : marks)
        cudaEventCreate(&mark);
    for (int *&array : arrays) {
        cudaMalloc(&array, sizeof values);
        cudaMemset(array, 0, sizeof values);
    }
    cudaDeviceSynchronize();
    for (int k = 0; k < calls; k++) {
        int s = below(STREAMS), e = below(EVENTS), kind = below(100) - waits;
        int to = below(100) < 97 ? 2 * s + below(2) : below(ARRAYS),
            from = below(100) < 95 ? to ^ 1 : below(ARRAYS);
        if (kind < -waits / 2) {
            wait(s);
            cudaStreamSynchronize(made[s]);
        } else if (kind < -waits / 4 && is_recorded[e]) {
            host.join(events[e]);
            cudaEventSynchronize(marks[e]);
        } else if (kind < -waits / 8) {
            work(s, -1, to);
            wait(s);
            cudaMemcpyAsync(values, arrays[to], sizeof values, cudaMemcpyDeviceToHost, made[s]);
        } else if (kind < 0) {
            for (int other = 0; other < STREAMS; other++)
                wait(other);
            cudaDeviceSynchronize();
        } else if (kind < 15) {
            begin(s);
            events[e] = streams[s];
            is_recorded[e] = true;
            cudaEventRecord(marks[e], made[s]);
        } else if (kind < 35 && is_recorded[e]) {
            streams[s].join(events[e]);
            cudaStreamWaitEvent(made[s], marks[e]);
        } else if (kind < 42) {
            work(s, to, -1);
            cudaMemsetAsync(arrays[to], 0, sizeof values, made[s]);
        } else if (kind < 46) {
            work(s, to, -1);
            cudaMemcpyAsync(arrays[to], values, sizeof values, cudaMemcpyHostToDevice, made[s]);
        } else if (kind < 50 && to != from) {
            work(0, to, from);
            cudaMemcpy(arrays[to], arrays[from], sizeof values, cudaMemcpyDeviceToDevice);
        } else if (kind < 60 && to != from) {
            work(s, to, from);
            copy<<<1, 32, 0, made[s]>>>(arrays[to], arrays[from]);
        } else {
            work(s, to, -1);
            increment<<<1, 32, 0, made[s]>>>(arrays[to]);
        }
    }
    cudaDeviceSynchronize();
    puts(races ? "RACE" : "NONE");
    return 0;
}
