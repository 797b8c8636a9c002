/* SPDX-License-Identifier: MIT
 *
 * A session: what is checked, and how. Every check gets one and does not change it. A check that
 * needs other code or other limits runs parts with a changed copy. What grows during the checks is
 * in two places that all copies share: the open engines, and the sinks of results.
 */
#ifndef SIMTCHECK_CHECKS_SESSION_H
#define SIMTCHECK_CHECKS_SESSION_H

#include "bound.h"
#include "exit_status.h"
#include "expectations.h"
#include "findings.h"
#include "progress.h"
#include "replay_line.h"
#include "report_file.h"
#include "selection.h"
#include "supervisor.h"

/* The files from which the workers of an engine load their kernels and catalogue. Null: their own.
 */
struct code_files {
    const char *code, *launches;
};

/* An engine whose workers stay open after a check. */
struct kept_engine {
    bool is_wanted, has_code;      /* has_code: kernels of a file, which workers cannot unload */
    struct supervisor *supervisor; /* null: none yet */
    bool is_open;
    struct supervisor_options options;
    char code[512], launches[512]; /* the files that workers load; "": none */
    uint64_t lost;                 /* workers that were reported as lost */
};

/* Where results go. */
struct sinks {
    struct report_file file;
    struct findings findings;  /* of `check`, `gate` and `mutate` */
    const char *coverage_path; /* path of the tracefile; null: nothing is written */
    struct coverage coverage;  /* coverage of the kernels that were checked */
    struct bound bound;        /* the time that is left for new cases */
    struct progress progress;
    uint64_t excused;                  /* bit k: allowance k of the launch excused something */
    struct expectations *expectations; /* known deviations; null: none */
    bool is_partial;                   /* a case was not checked, because it is unsupported */
    struct list unsupported;           /* texts: what was printed of such cases */
    bool says;                         /* tables are printed */
    bool is_verbose;                   /* also what was tried and what was right */
};

struct session {
    const struct catalogue *catalogue;
    uint64_t jobs; /* number of worker processes; 0: as many as fit */
    struct engine_limits limits;
    const struct engine_kind *require; /* a run that uses it fails without it; null: none */
    bool require_always;               /* every run requires it */
    struct code_files code[ENGINES];
    const char *compiler, *compiler_version; /* of a user's kernels; null: none, unknown */
    struct replay_command replay;            /* of the kernels; without a name: `replay` */
    void *context;                           /* of these functions */
    /* Receives each result in place of the file, and takes ownership of it. Null: results go to the
     * file. Returns false to end the check. */
    bool (*save)(void *context, json_t *value);
    /* Writes a sentence about the access at that place that failed, or "". Null: says nothing. */
    void (*explain)(const void *context, const char *file, int line, bool writes, char *text,
                    size_t size);
    /* Runs the reference code on cases besides those of the plan, which are about to run. Returns
     * false on error. Null: there is none, or it needs no preparation. */
    bool (*prepare)(void *context, const struct test_case *cases, size_t count);
    /* Says, if no case reached anything that may race, whether that is as it should be. Null: it is
     * not. */
    bool (*may_be_idle)(void *context);
    struct kept_engine *engines; /* one for each engine */
    struct sinks *sinks;
};

/* Prints what a check says besides its verdict, if the user wants it. */
void session_say(const struct session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Saves the results so far, and takes ownership of them. Returns false after an error message. */
bool session_save(const struct session *session, json_t *value);

/* Returns whether results are saved at all. */
bool session_saves(const struct session *session);

/* Add coverage to the tracefile: a set, or what the supervisor's cases have executed since the last
 * call. */
void session_cover(const struct session *session, const struct coverage *coverage);
void session_take_coverage(const struct session *session, struct supervisor *supervisor);

/* Adds to the verdict of a launch what the supervisor's cases do at barriers that the CUDA guide
 * does not permit. */
void session_take_barriers(const struct session *session, struct supervisor *supervisor);

/* Notes that a case was not checked, and reports why. */
void session_note_unsupported(const struct session *session, const struct outcome *outcome);

/* Ends the kept workers and the files. Returns false after an error message. Call it then again, as
 * findings_end(). */
bool session_end(const struct session *session, int status);

/* Name elements as the source indexes them, and add to an access what explain() writes. */
void session_explain_race(const struct session *session, struct race *race);
void session_explain_outcome(const struct session *session, struct outcome *outcome);

/* ---- Selection ---- */

/* Reads the case ID of a case of the catalogue. Returns false after an error message. */
bool session_case(const struct catalogue *catalogue, const char *case_id, struct test_case *test,
                  const struct engine_kind **engine);

/* Returns why the variant cannot run on the supervisor's engine at all, or null if it can. */
const char *session_lacks(const struct selection *selection, const struct variant *variant,
                          const struct supervisor *supervisor);

/* ---- Engines ---- */

/* Returns whether the engine is required. */
bool session_requires(const struct session *session, enum engine_id engine);

/* Returns the options with which a supervisor of that engine is opened. */
struct supervisor_options session_supervised(const struct session *session, enum engine_id engine);

/* Opens an engine with the session's code, as supervisor_open() does. */
enum engine_status session_start(const struct session *session, enum engine_id engine,
                                 enum request request, struct supervisor **supervisor, char *reason,
                                 size_t reason_size);

/* Opens an engine and returns EXIT_CONFORMS. On error, sets *supervisor to null, prints an error
 * message and returns the exit status. */
int session_open(const struct session *session, enum engine_id engine, enum request request,
                 struct supervisor **supervisor);

/* Keeps the supervisor of that engine open after it is closed, because a GPU takes long to be
 * ready. The next one that is opened with the same options is then the kept one. */
void session_keep(const struct session *session, enum engine_id engine);

/* Prints how many of the supervisor's workers were lost, if any, and closes it. */
void session_close(const struct session *session, struct supervisor *supervisor);
/* Opens further workers, besides the kept ones. Returns false after an error message. */
bool session_open_beside(const struct session *session, enum engine_id engine,
                         struct supervisor **supervisor);

/* Closes the supervisor of a run that ended with that status. Returns EXIT_CONFORMS after
 * ENGINE_OK, or the exit status after an error message. */
int session_ended(const struct session *session, struct supervisor *supervisor,
                  enum engine_status status);

/* Prints why an engine could not be opened or failed. Returns the exit status. */
int session_failed(const struct session *session, enum engine_id engine, enum engine_status status,
                   const char *reason);

/* Checks that the required engine is available, unless a check uses it first itself. Returns
 * EXIT_CONFORMS, or the exit status after an error message. */
int session_require(const struct session *session, const struct engine_list *used);

/* Checks that no engine is listed that does not simulate. Returns false after an error message. */
bool session_simulates(const struct engine_list *engines);

/* Returns the first listed engine that simulates, or the simulator. */
const struct engine_kind *session_simulator(const struct engine_list *engines);

/* ---- Rows ---- */

/* The result of running a row. */
enum row_result {
    ROW_DONE,
    ROW_LEFT_OUT, /* the row does not exist */
    ROW_STOP,     /* the check cannot go on */
};

/* The rows of a check: `per_variant` for each selected variant. */
struct row_loop {
    void *context;
    const struct selection *selection;
    unsigned int per_variant;
    bool (*may_continue)(void *context); /* null: until an interrupt */
    enum row_result (*run)(void *context, const struct variant *variant, unsigned int number);
    json_t *(*results)(void *context); /* returns the rows so far, as saved; null: `rows` */
    json_t *rows;
    void (*report)(void *context); /* prints the row after it was saved */
};

/* Runs, saves and reports one row after the other. Returns false if the check cannot go on. */
bool session_rows(const struct session *session, const struct row_loop *loop);

/* ---- Exit statuses ---- */

/* Returns the more severe of two exit statuses. */
int session_worse(int a, int b);

/* Returns the exit status of a check that skips parts after an interrupt. After an interrupt it
 * prints a message, because a skipped part has not passed. */
int session_interrupted(int status);

#endif
