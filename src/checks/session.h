/* SPDX-License-Identifier: MIT
 *
 * What commands share: telling whether there is something to do, opening engines, and reports on
 * disk.
 */
#ifndef SIMTCHECK_COMMANDS_SESSION_H
#define SIMTCHECK_COMMANDS_SESSION_H

#include "command.h"
#include "supervisor.h"

#include <jansson.h>
#include <stdio.h>

/* Do the options select something, and shapes for it? If not, one sentence on standard error says
 * what would be right. */
bool session_fits(const struct options *options, const struct catalogue *catalogue);

/* Why the variant cannot run on the supervisor's engine at all; null: it can. */
const char *session_lacks(const struct options *options, const struct variant *variant,
                          const struct supervisor *supervisor);

/* Must the engine be there? */
bool session_requires(const struct options *options, enum engine_id engine);

/* How a supervisor of that engine is to be opened. */
struct supervisor_options session_supervised(const struct options *options, enum engine_id engine);

/* Opens an engine for the kernels that the options name, as supervisor_open(). */
enum engine_status session_start(const struct options *options, enum engine_id engine,
                                 enum request request, struct supervisor **supervisor, char *reason,
                                 size_t reason_size);

/* Until session_end(), a supervisor of that engine stays when it is closed, and the next to be
 * opened with the same options is this one: a GPU takes long to be ready. Others that are opened
 * meanwhile are their own. */
void session_keep(enum engine_id engine);

/* Opens an engine, whose workers are asked for that, and returns EXIT_CONFORMS; else *supervisor is
 * null, one sentence on standard error says why, and the result is the exit status. */
int session_open(const struct options *options, enum engine_id engine, enum request request,
                 struct supervisor **supervisor);

/* The engine of a command that looks into cases on a CPU: that of --engine, or the host engine.
 * Null after one sentence on standard error where --engine names others. */
const struct engine_kind *session_simulator(const struct options *options);

/* After an engine could not be opened, or has failed: says why on standard error and returns the
 * exit status. */
int session_failed(const struct options *options, enum engine_id engine, enum engine_status status,
                   const char *reason);

/* `--require` may name an engine that a command itself does not use: it must be there all the same.
 * Returns EXIT_CONFORMS, or says why not and returns the exit status. */
int session_require(const struct options *options, const struct engine_kind *const used[],
                    size_t count);

/* Says how many of a supervisor's workers were lost, if any, and closes it. */
void session_close(struct supervisor *supervisor);

/* Gives a value, which it takes over, to the options' save(), if there is that; else writes it to
 * the file of --json, if there is one. An earlier version of the file stays whole until the new one
 * is. What is no regular file, such as a pipe, gets the last value alone, at the end. False after
 * one sentence on standard error. */
bool session_save(const struct options *options, json_t *value);

/* Writes to a file, once, what the function writes to a stream; it returns false with errno set
 * when it cannot. An earlier version of the file stays whole until the new one is. False after one
 * sentence on standard error. */
typedef bool session_writer(const void *what, FILE *stream);
bool session_write(const char *path, session_writer *write, const void *what);

/* At the end of a command, of a shard: its file gets the exit status. False as above. */
bool session_end_shard(const struct options *options, int status);

/* At the end of the program; likewise. Ends the workers that were kept. */
bool session_end(const struct options *options);

/* Writes a value as the reports are written. False with errno set when it cannot be. */
bool session_dump(const json_t *value, FILE *stream);

/* Prints the command line that runs a case again: "simtcheck replay TOKEN", or, of a kernel that
 * the user has given or edited, the command and files of session_replay_by() with --token. */
void session_print_replay(const char *token);
void session_replay_by(const struct options *options);

/* The more telling of two exit statuses. */
int session_worse(int a, int b);

/* The exit status of a command that skips parts after an interrupt: after one, which it names, no
 * part that was skipped is a pass. */
int session_interrupted(int status);

#endif
