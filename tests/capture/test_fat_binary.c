/* SPDX-License-Identifier: MIT
 *
 * Fat binaries: entries that this test makes, those of nvcc in each mode of compression, and
 * damaged ones.
 */
#include "check.h"

#include "fat_binary.h"

#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#ifndef FAT_BINARIES
#define FAT_BINARIES
#endif

enum { ROOM = 4096, FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000, HEADER = 16, ENTRY_HEADER = 64 };

static const char text[] = ".version 8.0 .target sm_90 .address_size 64 .visible .entry kernel() "
                           "{ ret; } .visible .entry kernel2() { ret; }";

static void put(char *to, uint64_t number, size_t bytes)
{
    memcpy(to, &number, bytes);
}

/* Makes a fat binary with one entry of PTX. Returns its size. */
static size_t make(char image[ROOM], uint64_t flag)
{
    char *entry = image + HEADER, *data = entry + ENTRY_HEADER;
    size_t stored = sizeof text;

    memset(image, 0, ROOM);
    if (flag == FLAG_ZSTD)
        stored = ZSTD_compress(data, ROOM / 2, text, sizeof text, 1);
    else if (flag == FLAG_LZ4)
        stored = (size_t)LZ4_compress_default(text, data, (int)sizeof text, ROOM / 2);
    else
        memcpy(data, text, sizeof text);
    put(image, 0xba55ed50, 4);
    put(image + 4, 1, 2);
    put(image + 6, HEADER, 2);
    put(image + 8, ENTRY_HEADER + (stored + 7) / 8 * 8, 8);
    put(entry, FAT_PTX, 2);
    put(entry + 4, ENTRY_HEADER, 4);
    put(entry + 8, (stored + 7) / 8 * 8, 8);
    put(entry + 16, flag != 0 ? stored : 0, 4);
    put(entry + 28, 90, 4);
    put(entry + 40, flag | 0x11, 8);
    put(entry + 56, flag != 0 ? sizeof text : 0, 8);
    return HEADER + ENTRY_HEADER + (stored + 7) / 8 * 8;
}

/* Reads all entries. Returns how many were read, and whether an error ended the reading. */
static size_t read_all(const void *image, size_t size, bool *is_wrong)
{
    size_t at = 0, count = 0;
    struct fat_entry entry;
    char error[256], *contents;

    while (fat_binary_next(image, size, &at, &entry, error, sizeof error)) {
        contents = fat_entry_read(&entry, error, sizeof error);
        if (contents == NULL)
            break;
        free(contents);
        count++;
    }
    *is_wrong = error[0] != '\0';
    return count;
}

TEST(each_compression_is_read)
{
    static const uint64_t flags[] = {0, FLAG_LZ4, FLAG_ZSTD};
    char image[ROOM], error[256], *contents;
    struct fat_entry entry;

    for (size_t f = 0; f < sizeof flags / sizeof *flags; f++) {
        size_t at = 0, size = make(image, flags[f]);
        assert_int_equal(fat_binary_bytes(image), size);
        assert_true(fat_binary_next(image, size, &at, &entry, error, sizeof error));
        assert_int_equal(entry.kind, FAT_PTX);
        assert_int_equal(entry.architecture, 90);
        contents = fat_entry_read(&entry, error, sizeof error);
        assert_non_null(contents);
        assert_string_equal(contents, text);
        free(contents);
        assert_false(fat_binary_next(image, size, &at, &entry, error, sizeof error));
        assert_string_equal(error, "");
    }
}

/* The copy ends where its memory ends, so that the sanitizers see each byte read past it. */
static bool is_rejected(const char *image, size_t size)
{
    char *copy = malloc(size > 0 ? size : 1);
    bool is_wrong;

    assert_non_null(copy);
    memcpy(copy, image, size);
    read_all(copy, size, &is_wrong);
    free(copy);
    return is_wrong;
}

TEST(truncated_ones_are_errors)
{
    char image[ROOM];

    for (uint64_t flag = FLAG_LZ4; flag <= FLAG_ZSTD; flag *= 4) {
        size_t size = make(image, flag);
        for (size_t kept = 0; kept < size; kept++)
            assert_true(is_rejected(image, kept));
    }
}

TEST(changed_bytes_do_not_crash)
{
    static const uint64_t flags[] = {0, FLAG_LZ4, FLAG_ZSTD};
    char image[ROOM];

    for (size_t f = 0; f < sizeof flags / sizeof *flags; f++) {
        size_t size = make(image, flags[f]);
        for (size_t at = 0; at < size; at++)
            for (int bit = 0; bit < 8; bit++) {
                image[at] = (char)(image[at] ^ 1 << bit);
                is_rejected(image, size);
                image[at] = (char)(image[at] ^ 1 << bit);
            }
    }
}

TEST(wrong_sizes_are_errors)
{
    static const struct {
        size_t at, bytes;
        uint64_t number;
    } changes[] = {{0, 4, 0},
                   {8, 8, UINT64_MAX},
                   {20, 4, 0},
                   {20, 4, UINT32_MAX},
                   {24, 8, 0},
                   {24, 8, UINT64_MAX},
                   {32, 4, 0},
                   {32, 4, UINT32_MAX},
                   {72, 8, 0},
                   {72, 8, UINT64_MAX},
                   {72, 8, sizeof text + 1}};
    char image[ROOM];

    for (size_t c = 0; c < sizeof changes / sizeof *changes; c++) {
        size_t size = make(image, FLAG_ZSTD);
        put(image + changes[c].at, changes[c].number, changes[c].bytes);
        assert_true(is_rejected(image, size));
    }
}

TEST(those_of_nvcc_are_read)
{
    static const char *const paths[] = {FAT_BINARIES NULL};
    static char image[1 << 20];

    if (paths[0] == NULL)
        skip();
    for (size_t p = 0; paths[p] != NULL; p++) {
        FILE *file = fopen(paths[p], "rb");
        bool is_wrong;
        size_t size;
        assert_non_null(file);
        size = fread(image, 1, sizeof image, file);
        fclose(file);
        assert_int_equal(fat_binary_bytes(image), size);
        assert_int_equal(read_all(image, size, &is_wrong), 2);
        assert_false(is_wrong);
    }
}

TEST(a_wrapper_names_its_images)
{
    static const void *const list[] = {text, NULL};
    struct {
        uint32_t magic, version;
        const void *image, *unlinked;
    } wrapper = {0x466243b1, 1, text, list};
    const void *const *unlinked;

    assert_ptr_equal(fat_wrapper_image(&wrapper, &unlinked), text);
    assert_null(unlinked);
    wrapper.version = 2;
    assert_ptr_equal(fat_wrapper_image(&wrapper, &unlinked), text);
    assert_ptr_equal(unlinked, list);
    wrapper.magic = 0;
    assert_null(fat_wrapper_image(&wrapper, &unlinked));
}

TEST_MAIN("fat_binary", NULL, NULL)
