/* SPDX-License-Identifier: MIT */
#include "fat_binary.h"

#include "error_report.h"

#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum {
    WRAPPER_MAGIC = 0x466243b1,
    WRAPPER_UNLINKED = 2, /* the version of a wrapper with a list of unlinked images */
    FLAG_COMPRESSED_LZ4 = 0x2000,
    FLAG_COMPRESSED_ZSTD = 0x8000,
    FLAG_ONE_ARCHITECTURE = 0x100000, /* 90a */
    FLAG_FAMILY = 0x200000,           /* 100f */
    MAX_BYTES = 1 << 30,              /* of one entry */
};

static const uint32_t image_magic = 0xba55ed50;

struct wrapper {
    uint32_t magic, version;
    const void *image;
    const void *unlinked;
};

struct image_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t entries_bytes;
};

struct entry_header {
    uint16_t kind, version;
    uint32_t header_bytes;
    uint64_t padded_bytes;
    uint32_t compressed_bytes, options_offset;
    uint16_t minor, major;
    uint32_t architecture;
    uint32_t name_offset, name_bytes;
    uint64_t flags;
    uint64_t unused;
    uint64_t bytes; /* when decompressed; 0 if the entry is not compressed */
};

size_t fat_binary_bytes(const void *image)
{
    struct image_header header;

    memcpy(&header, image, sizeof header);
    if (header.magic != image_magic || header.header_bytes < sizeof header ||
        header.entries_bytes > (uint64_t)MAX_BYTES * 64)
        return 0;
    return header.header_bytes + (size_t)header.entries_bytes;
}

static bool is_compressed(uint64_t flags)
{
    return (flags & (FLAG_COMPRESSED_LZ4 | FLAG_COMPRESSED_ZSTD)) != 0;
}

/* Checks an entry's header against the bytes that are left. */
static const char *header_error(const struct entry_header *header, size_t left)
{
    if (header->header_bytes < sizeof *header || header->header_bytes > left ||
        header->padded_bytes > left - header->header_bytes)
        return "an entry is longer than the fat binary";
    if (header->padded_bytes == 0)
        return "an entry is empty";
    if (is_compressed(header->flags) &&
        (header->compressed_bytes == 0 || header->compressed_bytes > header->padded_bytes ||
         header->compressed_bytes > MAX_BYTES || header->bytes == 0 || header->bytes > MAX_BYTES))
        return "an entry has a wrong compressed size";
    return NULL;
}

bool fat_binary_next(const void *image, size_t size, size_t *at, struct fat_entry *entry,
                     char *error, size_t error_size)
{
    const char *bytes = image;
    struct image_header start;
    struct entry_header header;
    size_t whole = size >= sizeof start ? fat_binary_bytes(image) : 0;
    const char *wrong;

    error[0] = '\0';
    if (whole == 0 || whole > size)
        return error_write(error, error_size, "%s",
                           whole == 0 ? "this is no fat binary" : "the fat binary is cut off");
    if (*at == 0) {
        memcpy(&start, image, sizeof start);
        *at = start.header_bytes;
    }
    if (*at == whole)
        return false;
    if (whole - *at < sizeof header)
        return error_write(error, error_size, "the fat binary ends inside an entry");
    memcpy(&header, bytes + *at, sizeof header);
    wrong = header_error(&header, whole - *at);
    if (wrong != NULL)
        return error_write(error, error_size, "damaged fat binary: %s", wrong);
    *entry = (struct fat_entry){
        .kind = header.kind,
        .architecture = header.architecture,
        .stored = bytes + *at + header.header_bytes,
        .stored_bytes =
            is_compressed(header.flags) ? header.compressed_bytes : (size_t)header.padded_bytes,
        .bytes = (size_t)(is_compressed(header.flags) ? header.bytes : header.padded_bytes),
        .flags = header.flags,
    };
    *at += header.header_bytes + (size_t)header.padded_bytes;
    return true;
}

uint32_t fat_entry_rank(const struct fat_entry *entry)
{
    return 2 * entry->architecture + ((entry->flags & FLAG_ONE_ARCHITECTURE) != 0);
}

void fat_entry_target(const struct fat_entry *entry, char *text, size_t size)
{
    snprintf(text, size, "%s_%u%s", entry->kind == FAT_PTX ? "compute" : "sm", entry->architecture,
             entry->flags & FLAG_ONE_ARCHITECTURE ? "a"
             : entry->flags & FLAG_FAMILY         ? "f"
                                                  : "");
}

/* Returns the number of bytes that it wrote, or a number that no entry has. */
static size_t decompress(const struct fat_entry *entry, char *to)
{
    if (entry->flags & FLAG_COMPRESSED_ZSTD)
        return ZSTD_decompress(to, entry->bytes, entry->stored, entry->stored_bytes);
    if (entry->flags & FLAG_COMPRESSED_LZ4)
        return (size_t)LZ4_decompress_safe(entry->stored, to, (int)entry->stored_bytes,
                                           (int)entry->bytes);
    memcpy(to, entry->stored, entry->bytes);
    return entry->bytes;
}

char *fat_entry_read(const struct fat_entry *entry, char *error, size_t error_size)
{
    char *contents = malloc(entry->bytes + 1);

    if (contents == NULL) {
        error_write(error, error_size, "no memory for an entry of %zu bytes", entry->bytes);
        return NULL;
    }
    if (decompress(entry, contents) != entry->bytes) {
        error_write(error, error_size,
                    "damaged fat binary: the entry for architecture %u cannot be decompressed",
                    entry->architecture);
        free(contents);
        return NULL;
    }
    contents[entry->bytes] = '\0';
    return contents;
}

const void *fat_wrapper_image(const void *wrapper, const void *const **unlinked)
{
    struct wrapper bytes;

    memcpy(&bytes, wrapper, sizeof bytes);
    *unlinked = NULL;
    if (bytes.magic != WRAPPER_MAGIC)
        return NULL;
    if (bytes.version == WRAPPER_UNLINKED)
        *unlinked = bytes.unlinked;
    return bytes.image;
}
