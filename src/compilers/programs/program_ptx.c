/* SPDX-License-Identifier: MIT */
#include "program_ptx.h"

#include <inttypes.h>
#include <string.h>

void program_ptx_head(FILE *to)
{
    fputs(".version 7.8\n.target sm_80\n.address_size 64\n\n", to);
}

static void write_template(FILE *to, const struct program *program, uint32_t k)
{
    const struct node *node = &program->nodes[k];

    for (const char *at = operations[node->operation].ptx; *at != '\0'; at++) {
        if (*at != '$') {
            fputc(*at, to);
            continue;
        }
        at++;
        if (*at == 'd')
            fprintf(to, "v%u", k);
        else if (*at == 'n')
            fprintf(to, "%u", k);
        else
            fprintf(to, "v%u", node->operands[*at - 'a']);
    }
    fputc('\n', to);
}

static void write_node(FILE *to, const struct program *program, uint32_t k)
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
        write_template(to, program, k);
    }
}

/* The result's words. */
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
        write_node(to, program, k);
    write_result(to, program);
    fprintf(to,
            "    st.global.b32 [out], low; add.u64 out, out, stride; st.global.b32 [out], high;\n"
            "    ret;\n}\n\n");
}
