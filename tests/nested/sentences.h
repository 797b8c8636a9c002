/* SPDX-License-Identifier: MIT
 *
 * Sentences of the textbooks. Each has a way to test it and a verdict for each place.
 * docs/results/sentences.md is written from these tables.
 */
#ifndef SIMTCHECK_TESTS_SENTENCES_H
#define SIMTCHECK_TESTS_SENTENCES_H

#include "nested.h"

#include "catalogue.h"

enum verdict { HOLDS, FAILS, UNTRIED };

enum { PLACES = 5, EVIDENCE = 400, SCHEDULES = 300 };

/* A profile and a model of the simulator, or the GPU, which has its own behaviour. */
struct place {
    bool on_host;
    enum profile profile;
    enum model model;
};

struct sentence {
    const char *source, *text;
    /* Tests the sentence, and writes what it observed to `evidence`. */
    enum verdict (*attempt)(const struct place *place, char evidence[EVIDENCE]);
    /* One letter per place: h(olds), f(ails) or - (cannot be tested there). The places are cdp1
     * independent, cdp1 lockstep, cdp2 independent, cdp2 lockstep, and the GPU. */
    const char *expected;
    const char *how; /* the test, and the counterexample if it fails */
};

extern const struct sentence memory_sentences[], warp_sentences[], launch_sentences[],
    program_sentences[], counted_sentences[], processor_sentences[], measured_sentences[],
    pointer_sentences[];
extern const size_t memory_sentence_count, warp_sentence_count, launch_sentence_count,
    program_sentence_count, counted_sentence_count, processor_sentence_count,
    measured_sentence_count, pointer_sentence_count;

/* Runs the call at the place. Returns false after a fault, which `evidence` then names. */
bool run_at(const struct place *place, struct nested_call call, char evidence[EVIDENCE],
            struct engine_outcome *outcome);

/* Returns the k-th schedule to try: sequential, reverse, then random ones. A GPU has only one,
 * which runs a few times. */
struct schedule schedule_tried(int k);
int schedules_at(const struct place *place);

/* Returns true if some schedule of the call leaves `value` in out[k]. */
bool may_leave(const struct place *place, struct nested_call call, uint32_t k, uint32_t value,
               char evidence[EVIDENCE]);

/* Returns true if `is_right` accepts nested_out under every schedule. */
bool always(const struct place *place, struct nested_call call, bool (*is_right)(void),
            char evidence[EVIDENCE]);

enum verdict holds_if(bool it_does);

/* For sentences that no engine can test. The table's row names the other test, or the measurement
 * by ci/bench. */
enum verdict is_tested_elsewhere(const struct place *place, char evidence[EVIDENCE]);

#ifdef SIMTCHECK_ON_GPU
/* Launches a kernel of nested_launch.cu through the CUDA runtime, and returns the error. If `words`
 * is null, its buffers are null. Does not wait. */
int launch_on_gpu(const char *kernel, uint32_t blocks, uint32_t threads, size_t shared_bytes,
                  unsigned int *words);

/* The main function of a program that launches a kernel that prints late. `way` says how the
 * program ends: "early", "wait" or "reset". Returns its exit status. */
int end_program(const char *way);
#endif

/* A case of the catalogue. The optional outputs may be null. */
struct catalogue_call {
    const char *id;
    enum variant_kind kind;
    struct shape shape;
    struct values values; /* zeros mean ones */
    struct schedule schedule;
    struct engine_counters *counters;
    struct race *races;
    size_t race_capacity;
    uint32_t *words; /* receives the first output buffer, up to OUT_ELEMENTS */
};
struct engine_outcome run_catalogue(const struct place *place, const struct catalogue_call *call);

#endif
