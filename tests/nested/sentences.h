/* SPDX-License-Identifier: MIT
 *
 * Sentences of the textbooks, each with a way to try it and the verdict that it gets at each place.
 * docs/sentences.md is written from these tables.
 */
#ifndef SIMTCHECK_TESTS_SENTENCES_H
#define SIMTCHECK_TESTS_SENTENCES_H

#include "nested.h"

#include "catalogue.h"

enum verdict { HOLDS, FAILS, UNTRIED };

enum { PLACES = 5, EVIDENCE = 400, SCHEDULES = 300 };

/* Profile and model of the simulator, or the GPU at hand, which has its own way. */
struct place {
    bool on_host;
    enum profile profile;
    enum model model;
};

struct sentence {
    const char *source, *text;
    /* Tries it, and says in `evidence` what was seen. */
    enum verdict (*attempt)(const struct place *place, char evidence[EVIDENCE]);
    /* A letter for each place: h(olds), f(ails) or - (cannot be tried there). The places are cdp1
     * under independent and lockstep, cdp2 likewise, and the GPU. */
    const char *expected;
    const char *how; /* it is tried, and the counterexample where it fails */
};

extern const struct sentence memory_sentences[], warp_sentences[], launch_sentences[],
    program_sentences[], counted_sentences[], processor_sentences[], measured_sentences[],
    pointer_sentences[];
extern const size_t memory_sentence_count, warp_sentence_count, launch_sentence_count,
    program_sentence_count, counted_sentence_count, processor_sentence_count,
    measured_sentence_count, pointer_sentence_count;

/* Runs the call at the place; false after a fault, which the evidence then names. */
bool run_at(const struct place *place, struct nested_call call, char evidence[EVIDENCE],
            struct engine_outcome *outcome);

/* Runs the k-th of the schedules that are tried: sequential, reverse, then random ones. A GPU has
 * one, and is run a few times. */
struct schedule schedule_tried(int k);
int schedules_at(const struct place *place);

/* Is there a schedule under which the call leaves this in out[k]? */
bool may_leave(const struct place *place, struct nested_call call, uint32_t k, uint32_t value,
               char evidence[EVIDENCE]);

/* Is nested_out right, by that test of it, under every schedule? */
bool always(const struct place *place, struct nested_call call, bool (*is_right)(void),
            char evidence[EVIDENCE]);

enum verdict holds_if(bool it_does);

/* For sentences that no engine can try. Another test does, or ci/bench measures it: the row says
 * which. */
enum verdict is_tried_elsewhere(const struct place *place, char evidence[EVIDENCE]);

#ifdef SIMTCHECK_ON_GPU
/* Launches a kernel of nested_launch.cu by the CUDA runtime, with null buffers if `words` is null,
 * and returns the error. Does not wait. */
int launch_on_gpu(const char *kernel, uint32_t blocks, uint32_t threads, size_t shared_bytes,
                  unsigned int *words);

/* The program that launches a kernel that prints late, and then ends in that way: "early", "wait"
 * or "reset". Returns its exit status. */
int end_program(const char *way);
#endif

/* A case of the catalogue. What is asked for besides may be null. */
struct asked {
    const char *id;
    enum variant_kind kind;
    struct shape shape;
    struct values values; /* zeros stand for ones */
    struct schedule schedule;
    struct engine_counters *counters;
    struct race *races;
    size_t race_capacity;
    uint32_t *words; /* what its first buffer that comes back holds, up to OUT_ELEMENTS */
};
struct engine_outcome run_catalogue(const struct place *place, const struct asked *asked);

#endif
