// SPDX-License-Identifier: MIT

#include <cstdio>

// Formats that do not fit their arguments.
template <int V> __global__ void show(const int *in, int *out)
{
    char text[8];
    __shared__ char common[8];
    int t = threadIdx.x;
    for (int i = 0; i < 7; i++) {
        text[i] = 'a' + (in[t] & 7);
        common[i] = 'b';
    }
    if (t == 0) {
        if (V == 0) {
            text[7] = 0;
            printf("%s %d\n", text, in[0]);
        } else if (V == 1) {
            printf("%s\n", text);
        } else if (V == 2) {
            printf("%d %d\n", in[0]);
        } else if (V == 3) {
            printf("%s\n", (const char *)&in[1000]);
        } else if (V == 4) {
            printf("%lld\n", in[0]);
        } else if (V == 5) {
            printf("%s\n", common);
        } else if (V == 6) {
            printf("%s\n", (const char *)8);
        } else if (V == 7) {
            printf("%d\n", 1.5 + in[0]);
        } else if (V == 8) {
            printf("%*d\n", 5, in[0]);
        } else if (V == 9) {
            printf("%d\n", in[0], in[1]);
        }
    }
    out[t] = in[t];
}
