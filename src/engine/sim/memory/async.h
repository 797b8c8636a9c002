/* SPDX-License-Identifier: MIT */
#ifndef SIMTCHECK_HOST_ASYNC_H
#define SIMTCHECK_HOST_ASYNC_H

#include "block.h"

/* The current thread, which has asked for copies, exits: they are made. */
void async_exit(struct thread *thread);
/* Forgets copies that are not made. */
void async_forget(struct thread *thread);

#endif
