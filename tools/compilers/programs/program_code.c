/* SPDX-License-Identifier: MIT */
#include "program_code.h"

#include "device_code.h"

#include <inttypes.h>

/* Writes node k from a template. In it $a, $b and $c stand for the operands, $d for the result and
 * $n for k. */
static void write_template(FILE *to, const struct node *node, uint32_t k, const char *at)
{
    for (; *at != '\0'; at++)
        if (*at != '$')
            fputc(*at, to);
        else if (*++at == 'n')
            fprintf(to, "%u", k);
        else
            fprintf(to, "v%u", *at == 'd' ? k : node->operands[*at - 'a']);
}

/* ---- PTX ---- */

void program_ptx_head(FILE *to)
{
    fputs(".version 7.8\n.target sm_80\n.address_size 64\n\n", to);
}

static void write_ptx_node(FILE *to, const struct program *program, uint32_t k)
{
    static const char *const registers[] = {
        [B16] = "b16", [B32] = "b32", [B64] = "b64", [F32] = "b32", [PRED] = "pred"};
    const struct node *node = &program->nodes[k];
    const struct operation *operation = &operations[node->operation];

    fprintf(to, "    .reg .%s v%u;\n    ", registers[operation->result], k);
    switch (node->operation) {
    case INPUT_B32:
        fprintf(to, "mad.lo.u64 at, stride, %" PRIu64 ", in; ld.global.b32 v%u, [at];\n",
                node->value, k);
        break;
    case INPUT_B64:
        fprintf(to,
                "mad.lo.u64 at, stride, %" PRIu64 ", in; ld.global.b32 low, [at]; add.u64 at, at, "
                "stride; ld.global.b32 high, [at]; mov.b64 v%u, {low, high};\n",
                2 * node->value, k);
        break;
    case CONSTANT_B32:
        fprintf(to, "mov.b32 v%u, 0x%08" PRIx64 ";\n", k, node->value & UINT32_MAX);
        break;
    case CONSTANT_B64:
        fprintf(to, "mov.b64 v%u, 0x%016" PRIx64 ";\n", k, node->value);
        break;
    default:
        write_template(to, node, k, operation->ptx);
        fputc('\n', to);
    }
}

/* Writes the result's words. */
static void write_result(FILE *to, const struct program *program)
{
    uint32_t last = program->count - 1;

    switch (operations[program->nodes[last].operation].result) {
    case B16:
        fprintf(to, "    cvt.u32.u16 low, v%u; mov.b32 high, 0;\n", last);
        break;
    case B64:
        fprintf(to, "    mov.b64 {low, high}, v%u;\n", last);
        break;
    case F32:
        fprintf(to,
                "    {.reg .pred p; setp.nan.f32 p, v%u, v%u; selp.b32 low, 0x7fffffff, v%u, p;}"
                " mov.b32 high, 0;\n",
                last, last, last);
        break;
    default:
        fprintf(to, "    mov.b32 low, v%u; mov.b32 high, 0;\n", last);
    }
}

void program_ptx(FILE *to, const struct program *program)
{
    fprintf(to,
            ".visible .entry %s(.param .u64 pin, .param .u64 pout, .param .u32 pn)\n{\n"
            "    .reg .b32 low, high, n;\n    .reg .b64 in, out, at, stride, offset;\n"
            "    ld.param.u64 in, [pin]; cvta.to.global.u64 in, in;\n"
            "    ld.param.u64 out, [pout]; cvta.to.global.u64 out, out;\n"
            "    ld.param.u32 n, [pn]; mul.wide.u32 stride, n, 4;\n"
            "    mov.u32 low, %%ctaid.x; mov.u32 high, %%ntid.x; mov.u32 n, %%tid.x;\n"
            "    mad.lo.u32 n, low, high, n; mul.wide.u32 offset, n, 4;\n"
            "    add.u64 in, in, offset; add.u64 out, out, offset;\n",
            program->name);
    for (uint32_t k = 0; k < program->count; k++)
        write_ptx_node(to, program, k);
    write_result(to, program);
    fprintf(to,
            "    st.global.b32 [out], low; add.u64 out, out, stride; st.global.b32 [out], high;\n"
            "    ret;\n}\n\n");
}

/* ---- CUDA C++ ---- */

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

static void write_cuda_node(FILE *to, const struct program *program, uint32_t k)
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
        write_template(to, node, k, operations[node->operation].cuda);
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
        write_cuda_node(to, program, k);
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
