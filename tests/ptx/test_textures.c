/* SPDX-License-Identifier: MIT
 *
 * What textures return, at random places and special ones.
 *
 *     test_textures sim DIGESTS: compares digests of the results with those of a GPU
 *     test_textures cuda FOLDER: compares the results with a GPU's, and writes its digests
 */
#include "filter.h"
#include "fnv.h"
#include "gpu_functions.h"
#include "gpu_textures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 1 << 10, MANY = 1 << 18, MOST_TEXELS = 4096 };

/* A place, as a thread of the GPU gets it. */
struct tuple {
    uint32_t coordinates[4]; /* the last one is the layer */
    uint64_t handle;
};

static struct tuple *tuples;
static uint32_t (*results)[4], (*others)[4];
static unsigned char texels[MOST_TEXELS * MOST_TEXEL_BYTES];

/* ---- Values ---- */

static uint64_t state;

static uint64_t draw(void)
{
    uint64_t bits = state += UINT64_C(0x9e3779b97f4a7c15);

    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return bits ^ bits >> 31;
}

static double draw_unit(void)
{
    return (double)(draw() >> 11) * 0x1p-53;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Floats have exponents of a small range, or of a large one. */
static void draw_texels(const struct view *view)
{
    size_t count = view->extent[0] * view->extent[1] * view->extent[2] * view->layers * view->lanes;
    size_t bytes = element_size(view->element);

    for (size_t k = 0; k < count; k++) {
        uint64_t bits = draw();
        if (view->element == ELEMENT_F32)
            bits =
                bits_of((float)((draw_unit() * 2 - 1) * (bits & 1 ? 1 : ldexp(1, bits >> 8 & 31))));
        else if (view->element == ELEMENT_F16 && (bits & 0x7c00) == 0x7c00)
            bits ^= 0x4000;
        memcpy(texels + k * bytes, &bits, bytes);
    }
}

/* Places inside and around the texture, on and beside the borders of texels, and special values. */
static float draw_coordinate(const struct view *view, uint32_t d)
{
    static const float special[] = {0,     -0.f,     1e-45f,   1,        -1,  0.5f,
                                    1e7f,  -1e7f,    1e20f,    -1e20f,   NAN, 2e9f,
                                    -2e9f, 65535.5f, INFINITY, -INFINITY};
    double extent = (double)view->extent[d], scale = view->is_normalized ? 1 / extent : 1;
    uint64_t kind = draw() % 64;
    float value;
    uint32_t bits;

    if (kind == 0)
        return special[draw() % (sizeof special / sizeof *special)];
    if (kind < 32)
        return (float)((draw_unit() * 3 - 1) * extent * scale);
    value = (float)(floor((draw_unit() * 3 - 1) * extent * (kind < 48 ? 2 : 1024)) /
                    (kind < 48 ? 2 : 1024) * scale);
    bits = bits_of(value) + (uint32_t)(draw() % 5) - 2;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void draw_tuples(const struct view *view, uint32_t count, uint64_t handle)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t d = 0; d < 3; d++)
            tuples[i].coordinates[d] = view->is_cubemap ? bits_of((float)(draw_unit() * 2 - 1))
                                       : d < view->dimensions ? bits_of(draw_coordinate(view, d))
                                                              : 0;
        tuples[i].coordinates[3] = (uint32_t)(draw() % 5) - 1;
        tuples[i].handle = handle;
    }
}

static void compute(const struct view *view, int component, uint32_t count)
{
    uint32_t bytes = filter_texel_bytes(view);

    for (uint32_t i = 0; i < count; i++) {
        struct sample sample;
        unsigned char taps[MOST_TAPS][MOST_TEXEL_BYTES];
        filter_place(view, tuples[i].coordinates, true, component >= 0,
                     view->is_layered ? tuples[i].coordinates[3] : 0, &sample);
        for (uint32_t k = 0; k < sample.count; k++)
            if (sample.texel[k] != OUTSIDE)
                memcpy(taps[k], texels + (size_t)sample.texel[k] * bytes, bytes);
        if (component >= 0)
            filter_gather(view, &sample, taps, (uint32_t)component, results[i]);
        else
            filter_value(view, &sample, taps, results[i]);
    }
}

/* ---- The GPU ---- */

static const char *instruction(const struct view *view, int component)
{
    static const char *const plain[] = {"tex.1d", "tex.2d", "tex.3d"};
    static const char *const gathers[] = {"tld4.r.2d", "tld4.g.2d", "tld4.b.2d", "tld4.a.2d"};

    return component >= 0     ? gathers[component]
           : view->is_cubemap ? view->is_layered ? "tex.acube" : "tex.cube"
           : view->is_layered ? view->dimensions == 1 ? "tex.a1d" : "tex.a2d"
                              : plain[view->dimensions - 1];
}

static bool run_on_gpu(const struct view *view, int component, uint32_t count)
{
    static const char *const places[] = {"%c0",      "%c0, %c1",           "%c0, %c1, %c2, %c2",
                                         "%c3, %c0", "%c3, %c0, %c1, %c1", "%c3, %c0, %c1, %c2"};
    uint32_t dimensions = view->is_cubemap ? 3 : view->dimensions;
    char text[2048];

    snprintf(text, sizeof text,
             ".version 7.8\n.target sm_80\n.address_size 64\n"
             ".visible .entry run(.param .u64 from, .param .u64 to, .param .u32 count)\n{\n"
             ".reg .pred %%p;\n.reg .b32 %%c<4>, %%r<4>, %%i<5>;\n.reg .b64 %%a<6>;\n"
             "ld.param.u64 %%a0, [from];\nld.param.u64 %%a1, [to];\nld.param.u32 %%i0, [count];\n"
             "mov.u32 %%i1, %%tid.x;\nmov.u32 %%i2, %%ctaid.x;\nmov.u32 %%i3, %%ntid.x;\n"
             "mad.lo.u32 %%i4, %%i2, %%i3, %%i1;\nsetp.ge.u32 %%p, %%i4, %%i0;\n@%%p ret;\n"
             "mad.wide.u32 %%a2, %%i4, 24, %%a0;\nmad.wide.u32 %%a3, %%i4, 16, %%a1;\n"
             "ld.global.b32 %%c0, [%%a2];\nld.global.b32 %%c1, [%%a2+4];\n"
             "ld.global.b32 %%c2, [%%a2+8];\nld.global.b32 %%c3, [%%a2+12];\n"
             "ld.global.b64 %%a4, [%%a2+16];\n"
             "%s.v4.%s.f32 {%%r0, %%r1, %%r2, %%r3}, [%%a4, {%s}];\n"
             "st.global.v4.b32 [%%a3], {%%r0, %%r1, %%r2, %%r3};\nret;\n}\n",
             instruction(view, component),
             element_is_float(view->element) || view->reads_floats ? "f32" : "u32",
             places[dimensions - 1 + (view->is_layered ? 3 : 0)]);
    return gpu_load(text, true) && gpu_run("run", tuples, count * sizeof *tuples, others,
                                           count * sizeof *others, count, 256);
}

/* ---- Kinds ---- */

struct kind {
    char name[64];
    uint64_t digest;
    bool is_inexact, differs;
};

static struct kind kinds[128];
static size_t kind_count;
static bool on_gpu;
static size_t compared, inexact;

/* Returns the bound of the error of an inexact kind: a unit of the result, and a part of the
 * largest texel that may have been cancelled. */
static double bound_of(const struct view *view, double value)
{
    int exponent;

    frexp(value, &exponent);
    return view->reads_floats ? 1.01 / 32767
           : view->element == ELEMENT_F16
               ? ldexp(1, exponent < -13 ? -24 : exponent - 11) + ldexp(65504, -21)
               : ldexp(1, exponent - 24) + ldexp(0x1p32, -34);
}

static bool is_near(const struct view *view, uint32_t one, uint32_t other)
{
    float a, b;

    memcpy(&a, &one, sizeof a);
    memcpy(&b, &other, sizeof b);
    return fabs((double)a - b) <= fmax(bound_of(view, a), bound_of(view, b));
}

static void compare(struct kind *kind, const struct view *view, uint32_t count)
{
    size_t shown = 0;

    for (uint32_t i = 0; i < count; i++) {
        compared++;
        if (memcmp(results[i], others[i], sizeof *results) == 0)
            continue;
        inexact += kind->is_inexact;
        if (kind->is_inexact && is_near(view, results[i][0], others[i][0]))
            continue;
        kind->differs = true;
        if (shown++ < 3)
            printf("%s, %s, %s, address %d, at %08x %08x %08x %08x: computed %08x %08x %08x %08x, "
                   "GPU %08x %08x %08x %08x\n",
                   kind->name, view->is_linear ? "linear" : "point",
                   view->is_normalized ? "normalized" : "not normalized", view->address,
                   tuples[i].coordinates[0], tuples[i].coordinates[1], tuples[i].coordinates[2],
                   tuples[i].coordinates[3], results[i][0], results[i][1], results[i][2],
                   results[i][3], others[i][0], others[i][1], others[i][2], others[i][3]);
    }
}

/* Runs the first FEW places, whose digest is kept, and on a GPU many more. */
static bool run(struct kind *kind, const struct view *view, int component)
{
    uint64_t handle = 0;

    draw_texels(view);
    if (on_gpu && !gpu_texture(view, texels, &handle)) {
        printf("%s: the GPU has no such texture\n", kind->name);
        return false;
    }
    draw_tuples(view, on_gpu ? MANY : FEW, handle);
    compute(view, component, on_gpu ? MANY : FEW);
    for (uint32_t i = 0; i < FEW; i++)
        for (uint32_t k = 0; k < 4; k++)
            kind->digest = fnv_number(kind->digest, results[i][k]);
    if (!on_gpu)
        return true;
    if (!run_on_gpu(view, component, MANY)) {
        printf("%s does not run\n", kind->name);
        return false;
    }
    compare(kind, view, MANY);
    gpu_texture_free();
    return true;
}

/* Each kind begins with the same state, so that the number of places does not matter. */
static bool run_all(const char *name, const struct view *view, int component, bool is_inexact)
{
    struct kind *kind = &kinds[kind_count++];

    *kind = (struct kind){.is_inexact = is_inexact};
    snprintf(kind->name, sizeof kind->name, "%s", name);
    for (int address = VIEW_CLAMP; address <= VIEW_BORDER; address++)
        for (int normalized = view->is_cubemap; normalized < 2; normalized++) {
            struct view made = *view;
            made.address = (enum view_address)address;
            made.is_normalized = normalized;
            state = kind_count;
            if (!normalized && (address == VIEW_WRAP || address == VIEW_MIRROR))
                continue;
            if (!run(kind, &made, component))
                return false;
        }
    return true;
}

static const struct format {
    const char *name;
    enum element element;
    bool is_signed, reads_floats;
} formats[] = {{"float", ELEMENT_F32, true, false},
               {"half", ELEMENT_F16, true, false},
               {"unsigned char as float", ELEMENT_I8, false, true},
               {"signed char as float", ELEMENT_I8, true, true},
               {"unsigned short as float", ELEMENT_I16, false, true},
               {"short as float", ELEMENT_I16, true, true},
               {"unsigned", ELEMENT_I32, false, false},
               {"signed char", ELEMENT_I8, true, false}};

static struct view view_of(const struct format *format, uint32_t dimensions, bool is_linear)
{
    return (struct view){
        .is_linear = is_linear,
        .reads_floats = format->reads_floats,
        .element = format->element,
        .is_signed = format->is_signed,
        .lanes = 1,
        .dimensions = dimensions,
        .extent = {dimensions == 1 ? 61 : 13, dimensions > 1 ? 9 : 1, dimensions > 2 ? 5 : 1},
        .layers = 1};
}

static bool run_formats(void)
{
    char name[64];

    for (uint32_t dimensions = 1; dimensions <= 3; dimensions++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
            for (int linear = 0; linear < 2; linear++) {
                const struct format *format = &formats[f];
                struct view view = view_of(format, dimensions, linear);
                bool is_float = element_is_float(format->element);
                bool is_inexact = filter_is_inexact(&view, &(const struct sample){.fraction = {1}});
                if (linear && !is_float && !format->reads_floats)
                    continue;
                snprintf(name, sizeof name, "%u-D %s, %s", dimensions, format->name,
                         linear ? "linear" : "point");
                if (!run_all(name, &view, -1, is_inexact))
                    return false;
            }
    return true;
}

static bool run_shapes(void)
{
    static const char *const gathers[] = {"tld4.r", "tld4.g", "tld4.b", "tld4.a"};
    struct view layered[2], cube = view_of(&formats[0], 2, true), colours;
    struct view components = view_of(&formats[0], 2, false);
    bool good = true;

    for (uint32_t d = 0; d < 2; d++) {
        layered[d] = view_of(&formats[0], d + 1, true);
        layered[d].is_layered = true;
        layered[d].layers = 3;
        good = good && run_all(d == 0 ? "layered 1-D" : "layered 2-D", &layered[d], -1, false);
    }
    cube.is_cubemap = true;
    cube.extent[0] = cube.extent[1] = 8;
    cube.layers = 6;
    good = good && run_all("cubemap", &cube, -1, false);
    cube.is_layered = true;
    cube.layers = 18;
    good = good && run_all("layered cubemap", &cube, -1, false);
    components.lanes = 4;
    for (int k = 0; k < 4; k++)
        good = good && run_all(gathers[k], &components, k, false);
    colours = view_of(&formats[2], 2, true);
    colours.lanes = 4;
    good = good && run_all("uchar4 as float, linear", &colours, -1, false);
    colours.is_linear = false;
    colours.is_srgb = true;
    return good && run_all("srgb, point", &colours, -1, false);
}

/* ---- Digests ---- */

static int compare_with_digests(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256];
    size_t found = 0, wrong = 0, wanted = 0;

    if (file == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        return 2;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        char *tab = strchr(line, '\t');
        if (tab == NULL)
            continue;
        *tab = '\0';
        for (size_t k = 0; k < kind_count; k++) {
            uint64_t digest = strtoull(tab + 1, NULL, 16);
            if (strcmp(line, kinds[k].name) != 0)
                continue;
            found++;
            wrong += digest != kinds[k].digest;
            if (digest != kinds[k].digest)
                printf("%s: %016" PRIx64 ", and on the GPU %016" PRIx64 "\n", line, kinds[k].digest,
                       digest);
        }
    }
    fclose(file);
    for (size_t k = 0; k < kind_count; k++)
        wanted += !kinds[k].is_inexact;
    printf("%zu of %zu exact kinds compared with GPU results, %zu wrong\n", found, wanted, wrong);
    return wrong > 0 || found != wanted;
}

static int write_digests(const char *folder)
{
    char name[4096];
    FILE *file;
    bool any = false;

    snprintf(name, sizeof name, "%s/textures.tsv", folder);
    file = fopen(name, "w");
    for (size_t k = 0; file != NULL && k < kind_count; k++) {
        any = any || kinds[k].differs;
        if (!kinds[k].is_inexact && !kinds[k].differs)
            fprintf(file, "%s\t%016" PRIx64 "\n", kinds[k].name, kinds[k].digest);
    }
    if (file == NULL || fclose(file) != 0)
        return 2;
    printf("%zu kinds, %zu places: %s; %zu of inexact kinds differ within their bounds\n",
           kind_count, compared, any ? "some differ" : "as computed", inexact);
    return any;
}

int main(int argc, char **argv)
{
    char reason[256];

    on_gpu = argc == 3 && strcmp(argv[1], "cuda") == 0;
    if (argc != 3 || (!on_gpu && strcmp(argv[1], "sim") != 0)) {
        fprintf(stderr, "usage: test_textures sim DIGESTS | cuda FOLDER\n");
        return 2;
    }
    if (on_gpu && !gpu_open(reason, sizeof reason)) {
        const char *required = getenv("SIMTCHECK_REQUIRE");
        printf("%s\n", reason);
        return required != NULL && strcmp(required, "cuda") == 0 ? 1 : 77;
    }
    tuples = malloc((size_t)MANY * sizeof *tuples);
    results = malloc((size_t)MANY * sizeof *results);
    others = malloc((size_t)MANY * sizeof *others);
    if (tuples == NULL || results == NULL || others == NULL || !run_formats() || !run_shapes())
        return 1;
    return on_gpu ? write_digests(argv[2]) : compare_with_digests(argv[2]);
}
