/* SPDX-License-Identifier: MIT
 *
 * Elements as the source of an access declares and indexes them.
 */
#include "check.h"

#include "source_element.h"

#include <unistd.h>

/* The accesses are in the lines "int first;" and "int second;". "int helper;" is in no kernel. */
static const char source[] =
    "#define WIDTH 8 // \" { ;\n"
    "#define AREA (WIDTH * WIDTH)\n"
    "#define TWO_VALUES 4\n"
    "#ifdef OTHER\n"
    "#define TWO_VALUES 8\n"
    "#endif\n"
    "enum Sizes { ROWS = 4, COLUMNS = ROWS + 1 };\n"
    "constexpr int PADDED = AREA / WIDTH + 1;\n"
    "static const unsigned int n = 3, B = 2;\n"
    "struct Point { float x, y; }; /* struct Point { double x; }; */\n"
    "struct Job {\n"
    "    char kind; // not used\n"
    "    Point at[2];\n"
    "    double weight[WIDTH];\n"
    "    float4 colour;\n"
    "};\n"
    "struct Base { int size; };\n"
    "struct Derived : Base { int other; };\n"
    "struct Text { int *words; int count; };\n"
    "__device__ float grid[2][3][4];\n"
    "template <typename T, int N> __global__ void k(const float4 *colours, Job *jobs, float "
    "rows[][4],\n"
    "                                               float *flat, T *unknown, float **lists)\n"
    "{\n"
    "    __shared__ __align__(16) float tile[WIDTH][PADDED], edge[ROWS][COLUMNS];\n"
    "    __shared__ unsigned char bytes[4096];\n"
    "    __shared__ Job work;\n"
    "    __shared__ Derived derived[2][2];\n"
    "    __shared__ Text text[2][2];\n"
    "    __shared__ float one[n][B], two[TWO_VALUES][2], sized[N][2];\n"
    "    __shared__ T typed[2][2];\n"
    "    __shared__ Array<T> arrays[2][2];\n"
    "    __shared__ int count;\n"
    "    __shared__ long long wide[2][2];\n"
    "    extern __shared__ float2 dynamic[];\n"
    "    int first;\n"
    "}\n"
    "__global__ void other(int2 *flat)\n"
    "{\n"
    "    __shared__ float tile[PADDED][WIDTH];\n"
    "    __shared__ float sized[4][2], typed[4][4], unknown[4][2], arrays[2][2];\n"
    "    if (f(n * flat[3], tile[1][1]) > tile[0][0] && n<tile[0][2])\n"
    "        return sized[0][0];\n"
    "    float two[2] = {tile[0][0], tile[0][1]};\n"
    "    if(first) tile[1][1] = 2;\n"
    "    else tile[1][2] = tile[1][3] * tile[1][4];\n"
    "    int second = grid[1][1][1] * typed[0][0];\n"
    "}\n"
    "__device__ float get(float *edge) { return edge[3]; }\n"
    "__device__ void device(int *jobs)\n"
    "{\n"
    "    int helper;\n"
    "}\n";

static const struct row {
    const char *place, *name, *text; /* text: null: unchanged */
    int64_t offset;
    uint64_t bytes;
    uint32_t access;
} rows[] = {
    /* Dimensions */
    {"first", "tile", "tile[1][0]", 36, 288, 4},
    {"second", "tile", "tile[1][1]", 36, 288, 4},
    {"helper", "tile", NULL, 36, 288, 4}, /* two declarations differ */
    {"helper", "edge", "edge[3][4]", 76, 80, 4},
    {"helper", "wide", "wide[1][0]", 16, 32, 8},
    {"first", "edge", "edge[3][4]", 76, 80, 4},
    {"first", "one", "one[2][1]", 20, 24, 4},
    {"first", "grid", "grid[1][2][3]", 92, 96, 4},
    {"second", "grid", "grid[1][1][1]", 68, 96, 4},
    {"first", "tile", "tile[8][0]", 288, 288, 4},
    {"first", "tile", "tile[-1][8]", -4, 288, 4},
    /* Not what the variable can be */
    {"first", "tile", NULL, 36, 292, 4},
    {"first", "two", NULL, 8, 32, 4},
    {"first", "two", NULL, 8, 64, 4},
    {"first", "arrays", NULL, 8, 16, 4},
    {"first", "count", NULL, 4, 4, 4},
    {"second", "colours", NULL, 28, 64, 4},
    {"first", "sized", NULL, 8, 32, 4},
    {"second", "sized", "sized[1][0]", 8, 32, 4},
    {"helper", "sized", NULL, 8, 32, 4},
    {"first", "typed", NULL, 8, 64, 4},
    {"helper", "typed", NULL, 8, 64, 4},
    {"helper", "unknown", NULL, 8, 32, 4},
    {"first", "none", NULL, 8, 16, 4},
    {"first", "tile", NULL, 37, 288, 1}, /* inside of a number */
    {"first", "unknown", NULL, 8, 16, 4},
    {"first", "lists", NULL, 8, 16, 4},
    {"first", "derived", NULL, 4, 32, 4},
    {"first", "text", NULL, 4, 64, 4},
    {"first", "text", NULL, 4, 32, 4},
    /* Bytes, and pointers */
    {"first", "bytes", "bytes[3072]", 3072, 4096, 4},
    {"first", "dynamic", "dynamic[3].y", 28, 800, 4},
    {"first", "dynamic", "dynamic[3]", 24, 800, 8},
    {"first", "flat", "flat[3]", 12, 800, 4},
    {"first", "rows", "rows[2][3]", 44, 64, 4},
    {"first", "colours", "colours[1].w", 28, 64, 4},
    {"first", "colours", "colours[1]", 16, 64, 16},
    {"first", "colours", "colours[4].x", 64, 64, 4},
    /* Members: a Job has 112 bytes */
    {"first", "work", "work.kind", 0, 112, 1},
    {"first", "work", "work.at[1].y", 16, 112, 4},
    {"first", "work", "work.weight[7]", 80, 112, 8},
    {"first", "work", "work.colour.z", 104, 112, 4},
    {"first", "work", "work.colour", 96, 112, 16},
    {"first", "work", NULL, 1, 112, 1}, /* before at[0] */
    {"first", "work", NULL, 112, 112, 4},
    {"first", "jobs", "jobs[2].at[0].x", 228, 448, 4},
    {"first", "jobs", "jobs[-1].colour.w", -4, 448, 4},
    {"helper", "jobs", "jobs[57]", 228, 448, 4},
    /* Without a place, of all declarations in the first file */
    {"", "grid", "grid[1][2][3]", 92, 96, 4},
    {"", "tile", NULL, 36, 288, 4},
    {"", "flat", NULL, 12, 800, 4},
    {"", "rows", "rows[2][3]", 44, 64, 4},
    {"", "unknown", NULL, 8, 32, 4},
};

/* Returns the number of the line with the variable. */
static int line_of(const char *place)
{
    char declared[32];
    int line = 1;

    snprintf(declared, sizeof declared, "int %s", place);
    for (const char *c = source; c < strstr(source, declared); c++)
        line += *c == '\n';
    return line;
}

static const char *find(void *context, const char *shown)
{
    assert_true(shown[0] == '\0' || strcmp(shown, "shown.cu") == 0);
    return context;
}

TEST(elements_are_named_as_their_source_indexes_them)
{
    char path[] = "/tmp/source_elementXXXXXX";
    int descriptor = mkstemp(path);

    assert_int_equal(write(descriptor, source, strlen(source)), strlen(source));
    close(descriptor);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct row *row = &rows[r];
        struct race race = {.second = {.file = "shown.cu", .line = line_of(row->place)},
                            .element = {.unit = ELEMENT_INDEX,
                                        .index = 77,
                                        .bytes = row->bytes,
                                        .offset = row->offset,
                                        .access = row->access}};
        char flat[40];
        snprintf(race.element.array, sizeof race.element.array, "%s", row->name);
        snprintf(race.second.file, sizeof race.second.file, "%s",
                 row->place[0] != '\0' ? "shown.cu" : "");
        snprintf(flat, sizeof flat, "%s[77]", row->name);
        source_element_race(&race, find, path);
        assert_string_equal(race.place, row->text != NULL ? row->text : flat);
        if (row->place[0] == '\0')
            continue;
        /* The same for an inlined access of a header. */
        race.element.indexed[0] = '\0';
        snprintf(race.second.outer, sizeof race.second.outer, "other.h:3, shown.cu:%d",
                 race.second.line);
        snprintf(race.second.file, sizeof race.second.file, "header.h");
        race.second.line = 1;
        source_element_race(&race, find, path);
        assert_string_equal(race.place, row->text != NULL ? row->text : flat);
    }
    unlink(path);
}

TEST_MAIN("source_element", NULL, NULL)
