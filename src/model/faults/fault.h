/* SPDX-License-Identifier: MIT
 *
 * A fault: what went wrong in a case, as data, and the sentence that reports it.
 */
#ifndef SIMTCHECK_MODEL_FAULT_H
#define SIMTCHECK_MODEL_FAULT_H

#include "fault_kinds.h"
#include "fault_sentences.h"
#include "simt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rows of fault_kinds.h. */
enum fault_kind {
#define ENUMERATOR(name, ...) FAULT_##name,
    FAULT_KIND_ROWS(ENUMERATOR)
#undef ENUMERATOR
        FAULT_KINDS
};

/* Members of struct fault that belong to the identity of a finding. */
enum fault_identity {
    BY_PLACE = 1,
    BY_READ = 2, /* the place where an undefined value was read: the first of `others` */
    BY_ARRAY = 4,
    BY_SIDE = 8,
    BY_ORIGIN = 16,
    BY_OTHERS = 32,
    BY_OBJECT = 64,
    BY_REASON = 128, /* without its numbers */
    BY_SENTENCE = 256,
    BY_KERNEL = 512, /* the kernel that was launched */
};

/* The rows of fault_sentences.h. */
enum fault_sentence {
#define ENUMERATOR(name, ...) SAYS_##name,
    FAULT_SENTENCE_ROWS(ENUMERATOR)
#undef ENUMERATOR
        FAULT_SENTENCES
};

/* Where an undefined value comes from. */
enum fault_origin {
#define ENUMERATOR(name, ...) FROM_##name,
    FAULT_ORIGIN_ROWS(ENUMERATOR)
#undef ENUMERATOR
        FAULT_ORIGINS
};

/* Bytes of the name of a source file in reports, and of "file:12". */
enum { SOURCE_FILE = 256, SOURCE_LINE = SOURCE_FILE + 16 };

enum element_unit {
    ELEMENT_NONE,    /* the whole array or variable */
    ELEMENT_INDEX,   /* "tile[2]" */
    ELEMENT_BYTE,    /* "tile, byte 9": no element starts there */
    ELEMENT_OF_HEAP, /* "byte 9 of malloc() on line 12" */
};

enum element_side { SIDE_INSIDE, SIDE_BEFORE, SIDE_AFTER };

/* An element of an array, or one outside of it. */
struct array_element {
    char array[64]; /* "": none */
    enum element_unit unit;
    enum element_side side;
    int64_t index;
    uint64_t count; /* of the whole array; 0: unknown */
    /* In bytes: where it is in its variable, the variable's size (0: unknown), and the access. */
    int64_t offset;
    uint64_t bytes;
    uint32_t access;
    /* As its source indexes it, such as "tile[1][0]", and the number of elements. "": unknown. */
    char indexed[96];
    uint64_t declared;
};

/* A place of the source that belongs to a fault, such as that of a free(). */
struct fault_place {
    char file[SOURCE_FILE];
    int line;                /* 0: none */
    char outer[SOURCE_LINE]; /* as in struct fault */
    uint32_t threads;        /* that wait there */
};

enum { FAULT_NUMBERS = 6, FAULT_PLACES = 4 };

/* What went wrong, and where if the engine knows it. Members that the sentence does not need are
 * zero. */
struct fault {
    enum fault_kind kind;
    enum fault_sentence sentence;
    uint32_t launch; /* after launches_run(): which of the launches has it */
    /* The thread. Without one, the fault belongs to the whole launch. */
    bool has_thread;
    struct extent block, thread;
    uint32_t depth; /* of the grid: 0: launched by the host */
    /* The place of the access, barrier or call: as given to the compiler, shortened from the left,
     * and the calls into which it was inlined, as in struct race_side. */
    char file[SOURCE_FILE];
    int line; /* 0: unknown */
    char outer[SOURCE_LINE];
    /* The line of a library's header whose code it is, "file:12", or "". It equals `file` and
     * `line` if the user's line is unknown. */
    char library[SOURCE_LINE];
    bool writes;
    uint32_t bytes; /* of the access */
    struct array_element element;
    struct array_element stored; /* which has got an undefined value */
    enum fault_origin origin;
    char object[96];  /* an instruction, function, mbarrier or other name */
    char reason[512]; /* a clause, such as why a launch failed */
    int64_t numbers[FAULT_NUMBERS];
    struct fault_place others[FAULT_PLACES]; /* in the order in which the sentence names them */
    char removed[176];                       /* as in struct race */
    char text[1024];                         /* made from the other members by fault_render() */
};

/* Returns the word for reports and JSON, such as "out-of-bounds-read". */
const char *fault_name(enum fault_kind kind);
/* A clause for documentation. Null: FAULT_NONE. */
const char *fault_meaning(enum fault_kind kind);
/* Whether a GPU shows it, and which tool of Compute Sanitizer does, in Markdown. */
const char *fault_on_cuda(enum fault_kind kind);
const char *fault_in_sanitizer(enum fault_kind kind);

/* Returns bits of enum fault_identity. */
unsigned int fault_identity(enum fault_kind kind);
/* Return words. */
const char *fault_origin_name(enum fault_origin origin);
const char *fault_sentence_name(enum fault_sentence sentence);
const char *element_side_name(enum element_side side);

/* Returns whether a place is only a line of a library: that which is `library`. */
bool fault_is_in_library(const char *file, int line, const char *library);

/* Sets a fault that only a reason describes, and its text. */
void fault_set(struct fault *fault, enum fault_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes the element as a reader knows it. Returns the text. */
const char *array_element_text(const struct array_element *element, char *text, size_t size);

/* Fills in a sentence that names no members but numbers. */
void sentence_render(enum fault_sentence sentence, const int64_t numbers[FAULT_NUMBERS], char *text,
                     size_t size);

/* The places that are beside a clause, which does not repeat them. */
enum fault_shown { SHOWN_NONE, SHOWN_PLACE, SHOWN_OTHER /* and others[0] */ };

/* Writes the sentence without the thread and the place. */
void fault_clause(const struct fault *fault, enum fault_shown shown, char *text, size_t size);

/* Sets `text`: thread, sentence and place. */
void fault_render(struct fault *fault);

#ifdef __cplusplus
}
#endif

#endif
