/* SPDX-License-Identifier: MIT
 *
 * A tar archive of flat files, in the format ustar. The same members always give the same bytes:
 * headers have no owner and no time. The reader accepts only what the writer writes, so an archive
 * hides nothing between its members.
 */
#ifndef SIMTCHECK_PACKAGE_ARCHIVE_H
#define SIMTCHECK_PACKAGE_ARCHIVE_H

#include "field.h"
#include "json_model.h"

enum { ARCHIVE_NAME = 100, ARCHIVE_MEMBERS = 1000 };

/* The largest archive. */
enum { ARCHIVE_MIB = 1024 };

struct archive_member {
    char name[ARCHIVE_NAME]; /* letters, digits and "._-" */
    const char *data;
    size_t size;
};

/* Returns whether a member may have that name. */
bool archive_name_fits(const char *name);

/* Writes a struct list of struct archive_member. This is a file_writer of atomic_file.h. */
bool archive_write(const void *members, FILE *to);

/* Reads the members, whose data stays in `data`. Returns false with the reason. */
bool archive_read(const char *data, size_t size, struct list *members, struct memory *memory,
                  char *why, size_t why_size);

/* Returns the member of that name, or null. */
const struct archive_member *archive_find(const struct list *members, const char *name);

#endif
