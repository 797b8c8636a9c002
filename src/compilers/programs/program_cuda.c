/* SPDX-License-Identifier: MIT */
#include "program_cuda.h"

#include "device_code.h"

#include <inttypes.h>

void program_cuda_head(FILE *to)
{
    fprintf(to,
            "static __device__ unsigned loop_b32(unsigned a, unsigned b, unsigned c)\n{\n"
            "    for (unsigned k = 0; k < (c & 7u); k++)\n        a = (a ^ b) + k;\n    return "
            "a;\n}\n\n"
            "static __device__ unsigned array_b32(unsigned a, unsigned b, unsigned c)\n{\n"
            "    unsigned slots[4] = {a, b, c, a ^ b};\n    return slots[c & 3u];\n}\n\n"
            "static __device__ unsigned shared_b32(unsigned a)\n{\n"
            "    __shared__ unsigned slots[%d];\n    unsigned other;\n"
            "    slots[threadIdx.x] = a;\n    __syncthreads();\n"
            "    other = slots[(threadIdx.x + 37u) %% %du];\n    __syncthreads();\n"
            "    return other;\n}\n\n",
            PROGRAM_BLOCK, PROGRAM_BLOCK);
    fputs(device_code, to);
}

static void write_expression(FILE *to, const struct node *node)
{
    for (const char *at = operations[node->operation].cuda; *at != '\0'; at++) {
        if (*at == '$')
            fprintf(to, "v%u", node->operands[*++at - 'a']);
        else
            fputc(*at, to);
    }
}

static void write_node(FILE *to, const struct program *program, uint32_t k)
{
    static const char *const types[] = {[B16] = "unsigned short",
                                        [B32] = "unsigned",
                                        [B64] = "unsigned long long",
                                        [F32] = "float",
                                        [PRED] = "bool"};
    const struct node *node = &program->nodes[k];

    fprintf(to, "    const %s v%u = ", types[operations[node->operation].result], k);
    switch (node->operation) {
    case INPUT_B32:
        fprintf(to, "in[%" PRIu64 "u * n + i]", node->value);
        break;
    case INPUT_B64:
        fprintf(to, "in[%" PRIu64 "u * n + i] | (unsigned long long)in[%" PRIu64 "u * n + i] << 32",
                2 * node->value, 2 * node->value + 1);
        break;
    case CONSTANT_B32:
        fprintf(to, "0x%" PRIx64 "u", node->value & UINT32_MAX);
        break;
    case CONSTANT_B64:
        fprintf(to, "0x%" PRIx64 "ull", node->value);
        break;
    default:
        write_expression(to, node);
    }
    fprintf(to, ";\n");
}

void program_cuda(FILE *to, const struct program *program)
{
    uint32_t last = program->count - 1;
    enum program_type type = operations[program->nodes[last].operation].result;

    fprintf(to,
            "extern \"C\" __global__ void %s(const unsigned *in, unsigned *out, unsigned n)\n{\n"
            "    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n",
            program->name);
    for (uint32_t k = 0; k < program->count; k++)
        write_node(to, program, k);
    if (type == F32)
        fprintf(to, "    out[i] = v%u != v%u ? 0x7fffffffu : __float_as_uint(v%u);\n", last, last,
                last);
    else
        fprintf(to, "    out[i] = (unsigned)v%u;\n", last);
    if (type == B64)
        fprintf(to, "    out[n + i] = (unsigned)(v%u >> 32);\n}\n\n", last);
    else
        fprintf(to, "    out[n + i] = 0;\n}\n\n");
}
