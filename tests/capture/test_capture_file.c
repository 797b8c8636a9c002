/* SPDX-License-Identifier: MIT
 *
 * Captures: written, read again, and damaged.
 */
#include "capture_file.h"
#include "check.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ptx[] = ".visible .entry scale(.param .u64 a) { ret; }\n";
static char error[CAPTURE_ERROR];

/* The content of the pieces. */
static unsigned char page[CAPTURE_PAGE], short_page[100];

/* Makes an empty capture in a folder of that name, and returns its path. */
static const char *make(const char *name)
{
    const char *path = in_folder(name);

    assert_true(capture_create(path, error, sizeof error));
    return path;
}

/* Writes a launch with two allocations. The second one has 1 TiB and one page. */
static void write_launch(const char *path, const char *gpu_error, unsigned int *number)
{
    unsigned char parameters[12] = {0, 0, 0, 0x34, 0x12, 0x7f, 0, 0, 5, 0, 0, 0};
    struct capture_parameter layout[] = {{0, 8}, {8, 4}};
    struct capture_piece before = {.offset = 8192, .bytes = sizeof page},
                         after[] = {{.offset = 0, .bytes = sizeof page},
                                    {.offset = (UINT64_C(1) << 40) - 100, .bytes = 100}};
    struct capture_allocation allocations[] = {
        {0x7f1233000000, 12288, (char[]){"counter"}, {&before, 1}, {NULL, 0}},
        {0x7f1234000000, UINT64_C(1) << 40, NULL, {NULL, 0}, {after, 2}}};
    struct captured_launch launch = {
        .kernel = (char[]){"_Z5scalePfi"},
        .grid = {2, 3, 4},
        .block = {32, 1, 1},
        .cluster = {2, 1, 1},
        .shared_bytes = 1024,
        .cooperative = true,
        .gpu_error = (char *)(uintptr_t)gpu_error,
        .parameters = parameters,
        .parameter_bytes = 12,
        .layout = layout,
        .parameter_count = 2,
        .allocations = allocations,
        .allocation_count = 2,
    };

    memset(page, 7, sizeof page);
    memset(short_page, 9, sizeof short_page);
    assert_true(capture_write_blob(path, page, sizeof page, before.blob, error, sizeof error));
    memcpy(after[0].blob, before.blob, sizeof before.blob);
    assert_true(capture_write_blob(path, short_page, sizeof short_page, after[1].blob, error,
                                   sizeof error));
    assert_true(capture_write_module(path, ptx, strlen(ptx), launch.module, error, sizeof error));
    assert_true(capture_write_launch(path, number, &launch, error, sizeof error));
    assert_true(capture_finish(path, error, sizeof error));
}

/* Makes a capture with one launch. */
static const char *make_one(const char *name)
{
    const char *path = make(name);

    write_launch(path, NULL, &(unsigned int){1});
    return path;
}

/* Returns the number of launches, of which the first is read. The error says why it cannot be. */
static size_t read_one(const char *path, struct captured_launch *launch)
{
    struct capture capture;
    size_t count;

    error[0] = '\0';
    *launch = (struct captured_launch){.kernel = NULL};
    if (!capture_open(path, &capture, error, sizeof error))
        return 0;
    count = capture.launch_count;
    if (count > 0)
        (void)capture_read_launch(&capture, capture.launches[0], launch, error, sizeof error);
    capture_close(&capture);
    return count;
}

/* Expects that the launch cannot be read, with that text in the error. */
static void expect_error(const char *path, const char *text)
{
    struct captured_launch launch;

    read_one(path, &launch);
    if (strstr(error, text) == NULL)
        fail_msg("'%s' is not in '%s'", text, error);
    captured_launch_free(&launch);
}

/* Returns the path of the first file in a folder of the capture that begins with the text. */
static const char *file_in(const char *path, const char *sub, const char *begin)
{
    static char found[4096 + 256];
    char whole[4096];
    const struct dirent *entry;
    DIR *entries;

    snprintf(whole, sizeof whole, "%s/%s", path, sub);
    entries = opendir(whole);
    assert_non_null(entries);
    found[0] = '\0';
    while ((entry = readdir(entries)) != NULL)
        if (entry->d_name[0] != '.' && strncmp(entry->d_name, begin, strlen(begin)) == 0)
            snprintf(found, sizeof found, "%s/%.255s", whole, entry->d_name);
    closedir(entries);
    assert_string_not_equal(found, "");
    return found;
}

/* Changes the byte at that offset; a negative one counts from the end. */
static void change(const char *file, long offset)
{
    FILE *stream = fopen(file, "r+b");
    int byte;

    assert_non_null(stream);
    assert_int_equal(fseek(stream, offset, offset < 0 ? SEEK_END : SEEK_SET), 0);
    byte = fgetc(stream);
    assert_int_equal(fseek(stream, -1, SEEK_CUR), 0);
    fputc(byte ^ 1, stream);
    fclose(stream);
}

/* Replaces a text in the file by one of the same length. */
static void replace(const char *file, const char *old, const char *new)
{
    FILE *stream = fopen(file, "r+b");
    char text[8192] = "", *at;

    assert_non_null(stream);
    assert_true(fread(text, 1, sizeof text - 1, stream) > 0);
    at = strstr(text, old);
    assert_non_null(at);
    memcpy(at, new, strlen(new));
    rewind(stream);
    fputs(text, stream);
    fclose(stream);
}

TEST(a_launch_is_read_as_it_was_written)
{
    const char *path = make_one("round");
    struct captured_launch launch;
    const struct capture_allocation *second;

    assert_int_equal(read_one(path, &launch), 1);
    assert_string_equal(error, "");
    assert_string_equal(launch.kernel, "_Z5scalePfi");
    assert_int_equal(launch.grid[2], 4);
    assert_int_equal(launch.block[0], 32);
    assert_int_equal(launch.cluster[0], 2);
    assert_int_equal(launch.shared_bytes, 1024);
    assert_true(launch.cooperative);
    assert_null(launch.gpu_error);
    assert_int_equal(launch.parameter_bytes, 12);
    assert_int_equal(launch.parameters[3], 0x34);
    assert_int_equal(launch.parameter_count, 2);
    assert_int_equal(launch.layout[1].offset, 8);
    assert_int_equal(launch.allocation_count, 2);
    assert_string_equal(launch.allocations[0].variable, "counter");
    assert_int_equal(launch.allocations[0].before.count, 1);
    assert_int_equal(launch.allocations[0].before.items[0].offset, 8192);
    assert_memory_equal(launch.allocations[0].before.items[0].content, page, sizeof page);
    second = &launch.allocations[1];
    assert_int_equal(second->address, 0x7f1234000000);
    assert_int_equal(second->bytes, UINT64_C(1) << 40);
    assert_int_equal(second->before.count, 0);
    assert_int_equal(second->after.count, 2);
    assert_int_equal(second->after.items[1].offset, (UINT64_C(1) << 40) - 100);
    assert_memory_equal(second->after.items[1].content, short_page, sizeof short_page);
    captured_launch_free(&launch);
}

TEST(a_module_is_read_as_it_was_written)
{
    const char *path = make_one("module");
    struct captured_launch launch;
    struct capture capture;
    char *text;

    read_one(path, &launch);
    assert_true(capture_open(path, &capture, error, sizeof error));
    text = capture_read_module(&capture, launch.module, error, sizeof error);
    assert_string_equal(text, ptx);
    free(text);
    change(file_in(path, "modules", ""), -1);
    assert_null(capture_read_module(&capture, launch.module, error, sizeof error));
    assert_non_null(strstr(error, "is damaged"));
    capture_close(&capture);
    captured_launch_free(&launch);
}

TEST(an_error_of_the_gpu_is_kept)
{
    const char *path = make("gpu_error");
    struct captured_launch launch;

    write_launch(path, "CUDA_ERROR_ILLEGAL_ADDRESS", &(unsigned int){1});
    assert_int_equal(read_one(path, &launch), 1);
    assert_string_equal(launch.gpu_error, "CUDA_ERROR_ILLEGAL_ADDRESS");
    captured_launch_free(&launch);
}

/* Two pieces with equal content are one file, and a sparse allocation takes no room. */
TEST(captures_are_small)
{
    const char *path = make_one("small");
    uint64_t one = capture_size(path);
    unsigned int number = 1;

    write_launch(path, NULL, &number);
    assert_int_equal(number, 2);
    assert_true(one < 8192);
    assert_true(capture_size(path) < 2 * one);
}

TEST(damage_is_an_error)
{
    struct captured_launch launch;
    const char *path = make_one("blob_byte");
    char blob[4096 + 256];

    read_one(path, &launch);
    change(file_in(path, "blobs", launch.allocations[0].before.items[0].blob), -1);
    captured_launch_free(&launch);
    expect_error(path, "is damaged: its content does not have the hash that its name says");

    path = make_one("blob_lost");
    snprintf(blob, sizeof blob, "%s", file_in(path, "blobs", ""));
    unlink(blob);
    expect_error(path, "cannot read");
    assert_int_equal(mkfifo(blob, 0600), 0);
    expect_error(path, "it is not a regular file");

    path = make_one("launch_byte");
    replace(file_in(path, "launches", ""), "\"shared_bytes\": 1024", "\"shared_bytes\": 1025");
    expect_error(path, "is damaged: it does not have its checksum");

    /* Another launch, which is whole. */
    path = make_one("launch_other");
    write_launch(path, "CUDA_ERROR_ILLEGAL_ADDRESS", &(unsigned int){2});
    assert_int_equal(rename(file_in(path, "launches", "000002"), in_folder("other")), 0);
    assert_int_equal(rename(in_folder("other"), file_in(path, "launches", "000001")), 0);
    expect_error(path, "is damaged: it does not have its checksum");

    path = make_one("launch_end");
    assert_int_equal(truncate(file_in(path, "launches", ""), 300), 0);
    expect_error(path, "is damaged");

    path = make_one("launch_empty");
    assert_int_equal(truncate(file_in(path, "launches", ""), 0), 0);
    expect_error(path, "is damaged");
}

TEST(other_versions_are_an_error)
{
    const char *path = make_one("version");

    replace(file_in(path, "launches", ""), "\"version\": 1", "\"version\": 2");
    expect_error(path, "has version 2 of captures, and this simtcheck has version 1");

    path = make_one("version_of_all");
    replace(file_in(path, "", "capture.json"), "\"version\": 1", "\"version\": 2");
    expect_error(path, "has version 2 of captures");
    assert_false(capture_create(path, error, sizeof error));
    assert_non_null(strstr(error, "capture again, to a new folder"));

    expect_error(in_folder("none"), "cannot read");
}

/* What a kill leaves: files under temporary names, and blobs that no launch names. */
TEST(a_kill_leaves_whole_launches)
{
    const char *path = make_one("kill");
    char name[4096], hash[CAPTURE_HASH];
    struct captured_launch launch;
    FILE *file;

    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "%s/%s", path,
                 k == 0 ? ".temporary-1-1" : "launches/.temporary-1-2");
        file = fopen(name, "w");
        assert_non_null(file);
        fputs("{\"version\": 1, \"ker", file);
        fclose(file);
    }
    assert_true(capture_write_blob(path, "abandoned", 9, hash, error, sizeof error));
    assert_true(capture_finish(path, error, sizeof error));
    assert_int_equal(read_one(path, &launch), 1);
    assert_string_equal(error, "");
    captured_launch_free(&launch);
}

/* A launch that was lost stays listed. What the next one would list could be anything. */
TEST(only_a_whole_capture_is_added_to)
{
    const char *path = make_one("added_to");
    struct capture capture;

    assert_true(capture_create(path, error, sizeof error));
    assert_false(capture_create(path, error, sizeof error)); /* it was cut */
    assert_non_null(strstr(error, "cannot add launches to"));
    assert_int_equal(unlink(file_in(path, "launches", "")), 0);
    assert_true(capture_finish(path, error, sizeof error));
    assert_true(capture_open(path, &capture, error, sizeof error));
    assert_int_equal(capture.launch_count, 1);
    assert_false(capture_verify(&capture));
    capture_close(&capture);
    assert_false(capture_create(path, error, sizeof error));
}

/* A second process takes the next number. */
TEST(a_launch_replaces_no_other)
{
    const char *path = make_one("numbers");
    struct captured_launch launch;
    unsigned int number = 1;

    write_launch(path, "CUDA_ERROR_ILLEGAL_ADDRESS", &number);
    assert_int_equal(number, 2);
    assert_int_equal(read_one(path, &launch), 2);
    assert_null(launch.gpu_error);
    captured_launch_free(&launch);
}

static void add_left_out(struct capture_index *index, struct memory *memory, void *context)
{
    LIST_ADD(memory, &index->left_out, struct left_out_record) =
        (struct left_out_record){context, "reason", 3};
}

TEST(the_list_of_what_is_left_out_grows)
{
    const char *path = make("update");
    const struct left_out_record *record;
    struct capture capture;

    assert_true(capture_update(path, add_left_out, (char[]){"one"}, error, sizeof error));
    assert_true(capture_update(path, add_left_out, (char[]){"two"}, error, sizeof error));
    assert_true(capture_finish(path, error, sizeof error));
    assert_true(capture_create(path, error, sizeof error)); /* an existing one stays */
    assert_true(capture_open(path, &capture, error, sizeof error));
    assert_int_equal(capture.index.left_out.count, 2);
    record = capture.index.left_out.items;
    assert_string_equal(record[1].kernel, "two");
    assert_int_equal(record[1].launches, 3);
    capture_close(&capture);
}

/* ---- A capture that was made on an H100, from h100.cu ---- */

/* Returns the last number that is in a piece of `after` in an allocation of that size. */
static int result_in(const struct captured_launch *launch, uint64_t bytes)
{
    int value = 0;

    for (size_t a = 0; a < launch->allocation_count; a++) {
        const struct capture_allocation *allocation = &launch->allocations[a];
        if (allocation->variable == NULL && allocation->bytes == bytes &&
            allocation->after.count == 1)
            memcpy(&value,
                   allocation->after.items[0].content + allocation->after.items[0].bytes -
                       sizeof value,
                   sizeof value);
    }
    return value;
}

TEST(a_capture_of_a_gpu_is_read)
{
    static const char *const kernels[] = {"_Z9in_struct4work", "_Z8in_arrayPPfi", "_Z4walkP4nodePi",
                                          "_Z4coopPi",         "_Z9clusteredPi",  "_Z4nonev",
                                          "_Z4coopPi"};
    struct captured_launch launches[7];
    struct capture capture;

    assert_true(capture_open(H100, &capture, error, sizeof error));
    assert_int_equal(capture.launch_count, 7);
    for (size_t k = 0; k < 7; k++) {
        if (!capture_read_launch(&capture, capture.launches[k], &launches[k], error, sizeof error))
            fail_msg("%s", error);
        assert_string_equal(launches[k].kernel, kernels[k]);
    }
    capture_close(&capture);
    assert_int_equal(launches[0].parameter_count, 1); /* a structure */
    assert_int_equal(launches[0].layout[0].bytes, 32);
    assert_int_equal(launches[1].allocation_count, 8); /* four rows, their array, three variables */
    assert_int_equal(result_in(&launches[2], 4), 9);
    assert_true(launches[3].cooperative);
    assert_int_equal(launches[6].cluster[0], 4);
    for (size_t k = 0; k < 7; k++)
        captured_launch_free(&launches[k]);
}

TEST_MAIN("capture_file", folder_make, folder_remove)
