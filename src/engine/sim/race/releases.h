/* SPDX-License-Identifier: MIT
 *
 * What has been released at words of memory, for those who acquire it.
 */
#ifndef SIMTCHECK_RACE_RELEASES_H
#define SIMTCHECK_RACE_RELEASES_H

#include "order.h"

#include <stdbool.h>
#include <stdint.h>

/* Who may acquire a release: the threads of a block or a cluster, or all. */
#define TO_DEVICE UINT64_C(0)
uint64_t release_to_block(uint32_t serial);
uint64_t release_to_scope(const struct race_block *block, enum simt_scope scope);
/* What a thread released at a word by release operations of that scope, for its own later writes to
 * the word. */
uint64_t release_to_itself(const struct race_block *block, uint32_t thread, enum simt_scope scope);

/* size: of the access. What accesses of another size have released there is forgotten: they do not
 * synchronize with those that read this one (PTX ISA, morally strong operations). */
void releases_publish(uint64_t word, size_t size, uint64_t to, const struct happens_before *before);
/* Returns what accesses of that size have released at the word, or null. What a thread released for
 * itself is found by any size: a fence may acquire it from its later write. */
enum { ANY_SIZE };
const struct happens_before *releases_found(uint64_t word, size_t size, uint64_t to);
/* Counts a plain store, which ends the release sequence. A reader synchronizes with the last
 * writer, and with earlier ones only through a chain of read-modify-writes (PTX ISA, observation
 * order). */
void releases_overwrite(uint64_t word);

void releases_forget(void);
void releases_close(void);

#endif
