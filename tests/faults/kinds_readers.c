/* SPDX-License-Identifier: MIT
 *
 * Files that commands read, cut: at every byte in turn, as often as there are trials and beyond.
 */
#include "faults.h"

const struct kind reader_kinds[] = {{.name = 0}};
