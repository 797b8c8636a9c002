/* SPDX-License-Identifier: MIT
 *
 * `check` on kernels with asynchronous copies and mbarrier objects: right ones conform, and each
 * seeded bug is reported at its line.
 */
#include "launch_rows.h"

#define RACES "--size 1 --only races"
#define RUN "--only run"
#define FLAGS "--compiler nvcc -- -arch=compute_90a -std=c++17"
#define MAPS                                                                                       \
    "<<<n, 96>>>(map(in float x[8 * n][160], box=[32, 8]), "                                       \
    "map(out float y[8 * n][160], box=[32, 8]), 5)"

#define PIPELINE(bug) "pipeline<" bug ">" MAPS

/* The launches of a set are compiled together, those of the reference, too. */
static struct launch_set right_pipeline, pipelines, compared, copies;

static void expect_copy(int status, const char *says, const char *launch, const char *options)
{
    expect_run(status, says, "check %s/copies.cu '%s' %s " FLAGS, TMA_FOLDER, launch, options);
}

static const struct launch_row right[] = {
    {0, "pipeline<NONE>  PASS  in bounds, initialized, race-free, deterministic", PIPELINE("NONE"),
     "--size 1"},
};

TEST(a_right_pipeline_conforms)
{
    json_t *launch, *check;
    size_t k;
    bool has_model[2] = {false, false};

    expect_rows(&right_pipeline, right);
    launch = json_array_get(json_at(right_pipeline.report, "launches"), 0);
    json_array_foreach(json_at(launch, "checks"), k, check)
    {
        const char *model = json_string_value(json_object_get(check, "model"));
        has_model[0] = has_model[0] || (model != NULL && strcmp(model, "independent") == 0);
        has_model[1] = has_model[1] || (model != NULL && strcmp(model, "lockstep") == 0);
    }
    assert_true(has_model[0] && has_model[1]);
}

static const struct launch_row wrong[] = {
    {1,
     "tma.cu:46: error: data race on s[|\n   65 | writes | asynchronously | reads |waits until it "
     "is complete\n",
     PIPELINE("NO_WAIT"), RACES},
    {1,
     "tma.cu:46: error: data race on s[|\n   65 | writes | asynchronously | reads |waits until it "
     "is complete\n",
     PIPELINE("WRONG_PARITY"), RACES},
    {1, "tma.cu:32: error: deadlock\n|lacks 0 of 1 arrivals and 128 bytes", PIPELINE("MORE_BYTES"),
     "--size 1 --only run"},
    {1, "tma.cu:32: error: deadlock\n|lacks 0 of 1 arrivals, and 128 bytes too many",
     PIPELINE("FEWER_BYTES"), "--size 1 --only run"},
    {1,
     "tma.cu:65: error: data race on s[|\n   73 | writes | reads | asynchronously "
     "|fence.proxy.async is missing",
     PIPELINE("NO_PROXY_FENCE"), RACES},
    {1,
     "tma.cu:73: error: data race on s[|\n   65 | reads | asynchronously | writes |waits until it "
     "is complete\n",
     PIPELINE("NO_READ_WAIT"), RACES},
    {1, "tma.cu:89: error: data race on s[|\n   46 | writes it\n|fence.mbarrier_init",
     PIPELINE("NO_INIT_FENCE"), RACES},
};

TEST(bugs_of_a_pipeline_are_reported_at_their_lines)
{
    expect_rows(&pipelines, wrong);
}

static const struct launch_row single[] = {
    {0, "PASS  in bounds, initialized, race-free, deterministic",
     "doubled<<<n, 256>>>(in float x[256 * n], out float y[256 * n])",
     "--size 1,2 --against " TMA_FOLDER "/reference.cu"},
    {0, "PASS  in bounds, initialized, race-free, deterministic",
     "reduced<<<n, 256>>>(inout int sums[256], inout unsigned mask[256])",
     "--size 1,2 --against " TMA_FOLDER "/reference.cu"},
};

TEST(single_copies_conform)
{
    expect_rows(&compared, single);
}

#define FAULTY(bug) "faulty<" bug "><<<1, 1>>>(in float x[256], out float y[1])"
static const struct launch_row wrong_copies[] = {
    {1,
     "copies.cu:32: error: invalid asynchronous operation\n| copies 24 bytes: the size|multiple of "
     "16\n",
     FAULTY("ODD_SIZE"), RUN},
    {1, "copies.cu:32: error: misaligned access\n|multiple of 16\n", FAULTY("ODD_ADDRESS"), RUN},
    {1,
     "copies.cu:20: error: invalid asynchronous operation\n| uses barrier as an mbarrier, but no "
     "mbarrier.init",
     FAULTY("NOT_INITIALIZED"), RUN},
    {1,
     "copies.cu:20: error: invalid asynchronous operation\n| barrier, which was initialized at "
     "|copies.cu:14 and "
     "then overwritten\n",
     FAULTY("OVERWRITTEN"), RUN},
    {1,
     "error: invalid asynchronous operation\n| arrives 2 times at the mbarrier barrier, whose "
     "phase waits for only "
     "1 more of 1",
     FAULTY("TOO_MANY_ARRIVALS"), RUN},
    {1,
     "copies.cu:32: error: invalid asynchronous operation\n| requests a copy to shared memory, and "
     "the block ends",
     FAULTY("NEVER_WAITS"), RUN},
    {1, "error: invalid asynchronous operation\n| arrives with .noComplete|but completes its phase",
     FAULTY("COMPLETES"), RUN},
    {1, "copies.cu:32: error: out-of-bounds read\n| reads 16 bytes at x[256], ",
     FAULTY("OUT_OF_BOUNDS"), RUN},
    {1,
     "copies.cu:107: error: invalid asynchronous operation\n| requests a copy from shared "
     "memory|wait_group",
     "unfinishedStore<<<1, 1>>>(out float y[4])", RUN},
    {1, "error: out-of-bounds read\n|     thread 16 of block 0 reads 4 bytes at x[16], ",
     "unwaited<<<1, 32>>>(in float x[16])", "--size 1 " RUN},
};

TEST(wrong_copies_are_faults)
{
    expect_rows(&copies, wrong_copies);
}

#define BOX(map, i, j)                                                                             \
    "box<<<1, 1>>>(map(in float x[10][20]" map "), out float y[64], " i ", " j ")"

static const struct launch_row boxes[] = {
    {0, "PASS  in bounds, initialized", BOX(", box=[16, 4]", "0", "0"), RUN},
    {0, "PASS  in bounds, initialized",
     BOX(", box=[16, 4], swizzle=64B, l2=128B, fill=nan", "-4", "8"), RUN},
    {1,
     "copies.cu:147: error: invalid asynchronous operation\n| first coordinate is 3: it must be a "
     "multiple of 4 "
     "elements",
     BOX(", box=[16, 4]", "3", "0"), RUN},
};

TEST(boxes_of_tensors)
{
    expect_rows(&copies, boxes);
}

#define MAP(name) "map(in float " name "[10][20], box=[16, 4]), " name
#define MAPS_OF "{int 4, " MAP("a") ", int 1, " MAP("b") "}"
#define COMPARED "--size 1 --against " TMA_FOLDER "/reference.cu"
#define PASSES "PASS  in bounds, initialized, race-free, deterministic, as the reference"

static const struct launch_row compared_maps[] = {
    {0, PASSES, "boxOf<CUtensorMap><<<2, 1>>>(" MAPS_OF ", out float y[128])", COMPARED},
    {0, PASSES, "boxOf<OldMap><<<2, 1>>>(" MAPS_OF ", out float y[128])", COMPARED},
    {0, PASSES, "boxesOf<CUtensorMap><<<3, 1>>>(in " MAPS_OF " maps[3], out float y[192])",
     COMPARED},
    {0, PASSES, "boxesOf<OldMap><<<3, 1>>>(in " MAPS_OF " maps[3], out float y[192])", COMPARED},
};
static const struct launch_row maps_in_arrays[] = {
    {0, "PASS  in bounds, initialized",
     "boxes<<<2, 1>>>(in {map(in float a[10][20], box=[16, 4]), map(in float b[4][16], box=[16, "
     "4])} "
     "maps[1], out float y[128], 1)",
     RUN},
    {0, "PASS  in bounds, initialized",
     "boxes<<<3, 1>>>(in {map(in float a[10][20], box=[16, 4])} maps[3], out float y[192], 2)",
     RUN},
    {1, "error: out-of-bounds read\n|at maps[3]",
     "boxes<<<3, 1>>>(in {map(in float a[10][20], box=[16, 4])} maps[3], out float y[192], 3)",
     RUN},
    {1, "error: invalid asynchronous operation\n| its operand is no tensor map",
     "boxes<<<1, 1>>>(in {long long[16] 7} maps[1], out float y[64], 0)", RUN},
};

TEST(maps_in_structs_and_arrays)
{
    expect_rows(&compared, compared_maps);
    expect_rows(&copies, maps_in_arrays);
}

/* Bad numbers at some sizes are launches that fail. At all sizes, they are errors. */
static const struct launch_row bad_maps[] = {
    {2, "number 2 of box of the tensor map of x is 257: it must be from 1 to 256",
     BOX(", box=[16, 257]", "0", "0"), RUN},
    {2, "box of the tensor map of x has 1 number: it needs 2", BOX(", box=[16]", "0", "0"), RUN},
    {2, "has 12 bytes: it must be a multiple of 16", BOX(", box=[3, 4]", "0", "0"), RUN},
    {2, "has 64 bytes, but swizzle=32B allows at most 32",
     BOX(", box=[16, 4], swizzle=32B", "0", "0"), RUN},
    {2, "stride 1 of the tensor map of x is 84 bytes: it must be a multiple of 16",
     BOX(", box=[16, 4], strides=[84]", "0", "0"), RUN},
    {2, "describes 944 bytes, but the array has only 800",
     BOX(", box=[16, 4], strides=[96 - 0]", "0", "0"), RUN},
    {2, "type=float16 of the tensor map of x has 2 bytes, but the array's elements have 4",
     BOX(", box=[16, 4], type=float16", "0", "0"), RUN},
    {2, "no size makes a valid launch: number 2 of box of the tensor map of x is 257",
     BOX(", box=[16, 257]", "0", "0") "; box<<<1, 1>>>(map(in float z[10][20], box=[16, 4]), "
                                      "out float w[64], 0, 0)",
     RUN},
    {2, "each struct has a tensor map of 20 bytes of maps[].a: they must be a multiple of 16",
     "boxes<<<3, 1>>>(in {map(in float a[5], box=[4])} maps[3], out float y[192], 2)", RUN},
};

TEST(bad_maps_are_errors)
{
    for (size_t k = 0; k < sizeof bad_maps / sizeof *bad_maps; k++)
        expect_copy(bad_maps[k].status, bad_maps[k].says, bad_maps[k].launch, bad_maps[k].options);
    expect_copy(2, "a tensor map needs box=", BOX("", "0", "0"), RUN);
    expect_copy(2, "expected a value of swizzle here: none, 32B, 64B, 128B",
                BOX(", box=[16, 4], swizzle=256B", "0", "0"), RUN);
    expect_copy(2, "an interleaved layout are not supported",
                BOX(", box=[16, 4], interleave=16B", "0", "0"), RUN);
    expect_copy(2, "expected an option of the tensor map here", BOX(", boxes=[16, 4]", "0", "0"),
                "");
    expect_copy(2, "declare the parameter const __grid_constant__ CUtensorMap",
                "unfinishedStore<<<1, 1>>>(map(out float y[4], box=[4]))", RUN);
}

static struct launch_set right_pipeline = {
    .file = TMA_FOLDER "/tma.cu",
    .options = FLAGS,
    .groups = {ROWS(right)},
};
static struct launch_set pipelines = {
    .file = TMA_FOLDER "/tma.cu",
    .options = FLAGS,
    .groups = {ROWS(wrong)},
};
static struct launch_set compared = {
    .file = TMA_FOLDER "/copies.cu",
    .options = FLAGS,
    .groups = {ROWS(single), ROWS(compared_maps)},
};
static struct launch_set copies = {
    .file = TMA_FOLDER "/copies.cu",
    .options = FLAGS,
    .groups = {ROWS(wrong_copies), ROWS(boxes), ROWS(maps_in_arrays)},
};

int main(void)
{
    return tests_run("asynchronous copies", NULL, NULL);
}
