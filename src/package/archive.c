/* SPDX-License-Identifier: MIT */
#include "archive.h"

#include "error_report.h"

#include <string.h>

enum { BLOCK = 512, SIZE_DIGITS = 11 };

/* A header of POSIX.1-1988's ustar. */
struct header {
    char name[ARCHIVE_NAME], mode[8], owner[8], group[8], size[12], time[12], checksum[8], type,
        link[100], magic[6], version[2], rest[247];
};
_Static_assert(sizeof(struct header) == BLOCK, "a header is a block");

static const char zeros[BLOCK];

bool archive_name_fits(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    size_t length = strnlen(name, ARCHIVE_NAME);

    return length > 0 && length < ARCHIVE_NAME && strchr(letters, name[0]) != NULL &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
               length;
}

/* Returns the number of zeros after a member of that size. */
static size_t padding(size_t size)
{
    return (BLOCK - size % BLOCK) % BLOCK;
}

/* ---- Writing ---- */

static struct header header_of(const struct archive_member *member)
{
    struct header header = {.mode = "0000644",
                            .owner = "0000000",
                            .group = "0000000",
                            .time = "00000000000",
                            .checksum = {' ', ' ', ' ', ' ', ' ', ' ', ' ', ' '},
                            .type = '0',
                            .magic = "ustar",
                            .version = {'0', '0'}};
    unsigned int sum = 0;

    memcpy(header.name, member->name, strlen(member->name));
    snprintf(header.size, sizeof header.size, "%0*llo", SIZE_DIGITS,
             (unsigned long long)member->size);
    for (size_t k = 0; k < sizeof header; k++)
        sum += ((const unsigned char *)&header)[k];
    snprintf(header.checksum, sizeof header.checksum, "%06o", sum); /* and the blank after it */
    return header;
}

bool archive_write(const void *members, FILE *to)
{
    const struct list *list = members;
    const struct archive_member *all = list->items;
    size_t rest = 2 * BLOCK;

    for (size_t k = 0; k < list->count; k++) {
        const struct header header = header_of(&all[k]);
        fwrite(&header, 1, sizeof header, to);
        fwrite(all[k].data, 1, all[k].size, to);
        fwrite(zeros, 1, padding(all[k].size), to);
    }
    for (; rest > 0; rest -= BLOCK)
        fwrite(zeros, 1, BLOCK, to);
    return !ferror(to);
}

/* ---- Reading ---- */

/* Reads the size in a header. Returns false if header_of() makes no such header. */
static bool read_header(const char *block, struct archive_member *member)
{
    struct header header, expected;

    memcpy(&header, block, sizeof header);
    *member = (struct archive_member){.name = ""};
    memcpy(member->name, header.name, sizeof member->name - 1);
    for (size_t k = 0; k < SIZE_DIGITS; k++) {
        if (header.size[k] < '0' || header.size[k] > '7')
            return false;
        member->size = member->size * 8 + (size_t)(header.size[k] - '0');
    }
    expected = header_of(member);
    return memcmp(&header, &expected, sizeof header) == 0;
}

/* Reads the member at *at and advances. */
static bool read_member(const char *data, size_t size, size_t *at, struct archive_member *member,
                        char *why, size_t why_size)
{
    size_t left = size - *at;

    if (left < BLOCK || !read_header(data + *at, member))
        return error_write(why, why_size,
                           "byte %zu: this is not the header of a member that `package` writes",
                           *at);
    if (!archive_name_fits(member->name))
        return error_write(why, why_size,
                           "byte %zu: '%s' is not a name of letters, digits and '._-'", *at,
                           member->name);
    left -= BLOCK;
    if (member->size > left || member->size + padding(member->size) > left)
        return error_write(why, why_size,
                           "the file is cut off: %s should have %zu bytes, and %zu are left",
                           member->name, member->size, left);
    member->data = data + *at + BLOCK;
    if (memcmp(member->data + member->size, zeros, padding(member->size)) != 0)
        return error_write(why, why_size, "there are bytes after the end of %s", member->name);
    *at += BLOCK + member->size + padding(member->size);
    return true;
}

bool archive_read(const char *data, size_t size, struct list *members, struct memory *memory,
                  char *why, size_t why_size)
{
    size_t at = 0;

    *members = list_take(memory, 0, sizeof(struct archive_member));
    while (size - at < BLOCK || memcmp(data + at, zeros, BLOCK) != 0) {
        struct archive_member member;
        if (!read_member(data, size, &at, &member, why, why_size))
            return false;
        if (archive_find(members, member.name) != NULL)
            return error_write(why, why_size, "it has two members %s", member.name);
        if (members->count == ARCHIVE_MEMBERS)
            return error_write(why, why_size, "it has more than %d members", ARCHIVE_MEMBERS);
        LIST_ADD(memory, members, struct archive_member) = member;
    }
    if (size - at != 2 * BLOCK || memcmp(data + at + BLOCK, zeros, BLOCK) != 0)
        return error_write(why, why_size,
                           "it should end with two blocks of zeros after the last member");
    return true;
}

const struct archive_member *archive_find(const struct list *members, const char *name)
{
    const struct archive_member *all = members->items;

    for (size_t k = 0; k < members->count; k++)
        if (strcmp(all[k].name, name) == 0)
            return &all[k];
    return NULL;
}
