/* SPDX-License-Identifier: MIT
 *
 * `check` on kernels with textures and surfaces: right ones conform, and each seeded bug is
 * reported at its line. Arguments: "nvcc" or "clang".
 */
#include "check.h"

static const char *compiler;

#define GRID "<<<dim3((w + 7) / 8, (h + 3) / 4), dim3(8, 4)>>>"
#define LINE "<<<(n + 31) / 32, 32>>>"
#define SIZES "--size w=1,7,16,h=1,5"
#define REFERENCE "--against " TEXTURES_FOLDER "/reference.cu"

static void expect(int status, const char *says, const char *launch, const char *options)
{
    expect_run(status, says, "check %s/textures.cu '%s' %s --compiler %s", TEXTURES_FOLDER, launch,
               options, compiler);
}

TEST(right_kernels_conform)
{
    expect(0, "PASS  in bounds, initialized, race-free, deterministic, as the reference\n",
           "resize" GRID "(texture float a[7][5] linear normalized = permutation, "
           "out float b[h][w], w, h)",
           "--size w=5,10,h=7,14 " REFERENCE);
    expect(0, "PASS  in bounds, initialized, race-free, deterministic, as the reference\n",
           "transpose" GRID "(texture float a[h][w], surface out float b[w][h], w, h)",
           SIZES " " REFERENCE);
    expect(0, "PASS  in bounds, initialized, race-free, deterministic, as the reference\n",
           "sumLayers" LINE "(texture float a[3][n] layered, out float b[n], n, 3)",
           "--size 1,33 " REFERENCE);
    expect(0, "PASS  in bounds, initialized, race-free, deterministic, as the reference\n",
           "in float a[n]; fetch" LINE "(texture a, out float b[n], n)", "--size 1,33 " REFERENCE);
    expect(0, "PASS  in bounds, initialized, race-free, deterministic, as the reference\n",
           "invert" GRID "(surface inout unsigned a[h][w], w, h)", SIZES " " REFERENCE);
}

TEST(filters_and_formats_run)
{
    expect(0, "PASS  in bounds, initialized, race-free, deterministic\n",
           "lookUp" LINE "(texture float t[3][4][5] linear wrap normalized, in float a[n], "
           "out float b[n], n)",
           "--size 1,33");
    /* A GPU may round filtered sRGB texels in another way. The kernel cuts off their last bits. */
    expect(0, "PASS  in bounds, initialized, race-free, deterministic\n",
           "colours" GRID "(texture uchar4 a[h][w] as float linear srgb border, "
           "out uchar4 b[h][w], w, h)",
           SIZES " --engine sim");
    expect(0, "PASS  in bounds, initialized, race-free, deterministic\n",
           "transpose" GRID "(texture float a[h][w], surface scratch float b[w][h], w, h); "
           "transpose<<<dim3((h + 7) / 8, (w + 3) / 4), dim3(8, 4)>>>(texture b, "
           "surface out float c[h][w], h, w)",
           SIZES);
}

/* The result of a linear filter of a 3-D texture may differ from that of a GPU. */
TEST(inexact_results_are_marked)
{
    const char *path = in_folder("inexact.json");
    json_t *check;

    expect(0,
           "PASS  in bounds, initialized\n|   note: a GPU may round the texture read at "
           "|textures.cu:24 in another way\n",
           "lookUp" LINE "(texture float t[3][4][5] linear, in float a[n], out float b[n], n)",
           "--size 1,33 --only run");
    expect(0, "PASS  in bounds, initialized\n|!in another way|!   note: ",
           "lookUp" LINE "(texture float t[3][4][5], in float a[n], out float b[n], n)",
           "--size 1,33 --only run");
    expect(0, "PASS  in bounds, initialized\n|!in another way|!   note: ",
           "transpose" GRID "(texture float a[h][w] linear, surface out float b[w][h], w, h)",
           SIZES " --only run");
    expect_run(0, "in another way\n",
               "check %s/textures.cu 'lookUp" LINE "(texture float t[3][4][5] linear, "
               "in float a[n], out float b[n], n)' --size 33 --only run --compiler %s "
               "--json %s",
               TEXTURES_FOLDER, compiler, path);
    check = json_load_file(path, 0, NULL);
    assert_non_null(check);
    check = json_array_get(json_object_get(check, "launches"), 0);
    check = json_array_get(json_object_get(check, "checks"), 0);
    assert_non_null(strstr(json_string_value(json_object_get(check, "inexact")), "textures.cu:24"));
}

TEST(variables_hold_handles)
{
    expect(0, "PASS  in bounds, initialized, race-free, deterministic\n",
           "texture float shared_image[n]; readsVariable" LINE "(out float b[n], n)",
           "--size 1,33");
    expect_run(0, "PASS  in bounds, initialized, race-free, deterministic\n",
               "check %s/texref.ptx 'texture float image[n]; reads" LINE
               "(out float b[n], n)' --size 1,33",
               TEXTURES_FOLDER);
}

#define PAIR "texture float a[h][w], float 0.5f, texture float b[h][w]"
#define ROWS "inout {int n, texture float in[n], surface out float out[n], in float add[n], int 0} "
#define IMAGES "in {texture float image[n]} images[m]"

/* Each struct has textures, surfaces and arrays of its own. */
TEST(structs_and_arrays_hold_handles)
{
    expect(0, "PASS  in bounds, initialized, race-free, deterministic, as the reference\n",
           "blend" GRID "({" PAIR "}, out float c[h][w], w, h)", SIZES " " REFERENCE);
    expect(0, "PASS  in bounds, initialized, race-free, deterministic, as the reference\n",
           "stack" LINE "(" IMAGES ", out float b[m][n], n, m, m - 1)",
           "--size n=1,33,m=1,5 " REFERENCE);
    expect(0, "PASS  in bounds, initialized, race-free, deterministic, as the reference\n",
           "addRows<<<m, 32>>>(" ROWS "rows[m], 1)", "--size n=0,7,m=1,3 " REFERENCE);
    expect(0, "PASS  in bounds, initialized, race-free, deterministic, as the reference\n",
           "sumLevels" LINE "(in {texture float a[n], texture float b[(n + 1) / 2]} levels[1], "
           "out float c[n], n)",
           "--size 1,33 " REFERENCE);
    expect(0, "PASS  in bounds, initialized, race-free, deterministic, as the reference\n",
           "in {texture float table[n]} lookUps[2]; readsConstants" LINE "(out float b[n], n)",
           "--size 1,33 " REFERENCE);
}

TEST(bugs_with_handles_of_structs_are_reported)
{
    expect(1, "textures.cu:155: error: out-of-bounds read\n|reads 8 bytes at images[2]",
           "stack" LINE "(" IMAGES ", out float b[m][n], n, m, m)", "--size n=7,m=2");
    expect(1, "error: data race on rows[0].out[0]|writes", "addRows<<<2, 32>>>(" ROWS "rows[2], 2)",
           "--size 7 --only races");
    expect(1,
           "textures.cu:147: error: |on the handle 0xc, which is no texture object of this launch",
           "blend" GRID "({texture float a[h][w], float 0.5f, long long 12}, "
           "out float c[h][w], w, h)",
           "--size w=5,h=3");
    expect(1, "error: |which is no texture object of this launch",
           "blend" GRID "({texture float a[h][w], float 0.5f, surface in float b[h][w]}, "
           "out float c[h][w], w, h)",
           "--size w=5,h=3");
    expect(2,
           "each struct has an array add, which cannot be a texture of linear memory: declare it",
           "addRows<<<1, 32>>>(inout {int n, in float add[n], texture add, add, int 0} rows[1], 1)",
           "--size 5");
    expect(2,
           "the structs have 65 textures and surfaces images[].image, but at most 64 are possible",
           "stack" LINE "(" IMAGES ", out float b[m][n], n, m, m - 1)", "--size n=1,m=65");
    expect(
        2, "argument 1 of stack does not point to structs of 16 bytes",
        "stack<<<1, 32>>>(in {texture float a[n], char 0} images[1], out float b[n], n, 1, 0)",
        "--size 5");
}

TEST(bugs_are_reported_at_their_lines)
{
    expect(1,
           "textures.cu:80: error: misaligned access\n| executes sust.b.2d.b32.trap on b at x = 1 "
           "bytes, which is not a multiple of the 4 bytes that it accesses\n",
           "countsTexels" GRID "(texture float a[h][w], surface out float b[h][w], w, h)",
           "--size w=7,h=5");
    expect(1,
           "textures.cu:87: error: out-of-bounds write\n| executes sust.b.2d.b32.trap on b at x = "
           "4, y = 0: it has 4 bytes in x, 2 rows\n",
           "exchangesSizes" GRID "(texture float a[h][w], surface out float b[w][h], w, h)",
           "--size w=7,h=5 --shrink free");
    expect(1,
           "textures.cu:94: error: data race on a[|\n   96 |may not read what its own grid has "
           "written",
           "readsItsWrites<<<1, 32>>>(surface out float a[32], texture a, out float b[32])",
           "--only races");
    expect(1,
           "textures.cu:102: error: data race on a[|\n  103 |may not read what its own grid has "
           "written",
           "readsWrittenMemory<<<1, 32>>>(inout float a[32], texture a, out float b[32])",
           "--only races");
    expect(1, "textures.cu:110: error: data race on a[",
           "writesTwice<<<1, 32>>>(surface out float a[16])", "--only races");
    expect(1,
           "error: uninitialized read\n| depends on a[0], which was never written\n  117 |"
           "|     read here\n",
           "readsUnwritten<<<1, 32>>>(surface scratch float a[32], out float b[32])", "");
    expect(1,
           "textures.cu:125: error: out-of-bounds read\n| executes suld.b.1d.b32.trap on a at x = "
           "128: it has 128 bytes in x\n",
           "readsOutside<<<1, 32>>>(surface in float a[32], out float b[32])", "");
    expect(1, "textures.cu:17: error: write to input\n",
           "transpose" GRID "(texture float a[h][w], surface in float b[w][h], w, h)",
           "--size w=7,h=5");
}

TEST(handles_and_shapes_are_checked)
{
    expect(1, "textures.cu:131: error: |on the handle 0x0, a null handle\n",
           "passesAnotherNumber<<<1, 32>>>(0, out float b[32])", "");
    expect(
        1,
        "textures.cu:131: error: |on the handle 0xc, which is no texture object of this launch\n",
        "passesAnotherNumber<<<1, 32>>>(12, out float b[32])", "");
    expect(1, "executes tex.1d.v4.f32.f32 on a, which is 2-dimensional\n|textures.cu:131: error: ",
           "passesAnotherNumber<<<1, 32>>>(texture float a[32][4], out float b[32])", "");
    expect(
        1,
        "which is 1-dimensional: tex1Dfetch() reads only linear memory\n|textures.cu:41: error: ",
        "fetch<<<1, 32>>>(texture float a[32], out float b[32], 32)", "");
    expect(2, "is a pointer, but the launch passes a texture or surface object",
           "resize<<<1, 32>>>(texture float a[4][4], texture float b[32], 32, 1)", "");
}

static void reject(const char *says, const char *argument)
{
    char launch[256];

    snprintf(launch, sizeof launch, "resize<<<1, 32>>>(%s, out float b[4][4], 4, 4)", argument);
    expect(2, says, launch, "--size 4");
}

TEST(mistakes_in_the_launch_are_explained)
{
    reject("a texel consists of 1, 2 or 4 integers", "texture double a[4][4]");
    reject("'linear' needs texels that are read as floats", "texture uchar4 a[4][4] linear");
    reject("'wrap' needs 'normalized': with other coordinates, CUDA clamps",
           "texture float a[4][4] wrap");
    reject("a kernel only reads a texture: remove 'out', or write 'surface'",
           "texture out float a[4][4]");
    reject("how the kernel uses the surface", "surface float a[4][4]");
    reject("'as float' is for integers of 8 or 16 bits", "texture float a[4][4] as float");
    reject("expected 'float' here", "texture uchar a[4][4] as int");
    reject("'srgb' needs texels of 8-bit unsigned integers", "texture float a[4][4] srgb");
    reject("a cubemap has three sizes: x[6][n][n]", "texture float a[4][4] cubemap");
    reject("'layered' needs two or three sizes", "texture float a[4] layered");
    reject("at most 3 sizes", "texture float a[4][4][4][4]");
    expect(2, "no size makes a valid launch: cubemap a has 5 faces: it must be 6",
           "resize<<<1, 32>>>(texture float a[5][4][4] cubemap, out float b[4][4], 4, 4)", "");
    expect(2, "no size makes a valid launch: a has a width of 131073: at most 131072 is possible",
           "resize<<<1, 32>>>(texture float a[131073], out float b[4][4], 4, 4)", "");
}

TEST(exact_floats_cannot_express_them)
{
    expect(3, "a texture at coordinates of floats, which --floats exact cannot express",
           "resize" GRID "(texture float a[7][5] linear normalized, out float b[h][w], w, h)",
           "--size w=4,h=4 --floats exact");
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s nvcc|clang\n", argv[0]);
        return 2;
    }
    compiler = argv[1];
    return tests_run("textures and surfaces", folder_make, folder_remove);
}
