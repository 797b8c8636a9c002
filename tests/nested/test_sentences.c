/* SPDX-License-Identifier: MIT
 *
 * The textbooks' sentences, each as its own test, on the engine that the program is linked with.
 * With --table the program prints docs/results/sentences.md. As a test it also compares that file
 * with its tables.
 */
#include "sentences.h"

enum { MAX_SENTENCES = 96 };

static const struct {
    const char *heading;
    const struct sentence *sentences;
    const size_t *count;
} parts[] = {
    {"Memory", memory_sentences, &memory_sentence_count},
    {"Warps", warp_sentences, &warp_sentence_count},
    {"Launches", launch_sentences, &launch_sentence_count},
    {"Host programs", program_sentences, &program_sentence_count},
    {"Counts", counted_sentences, &counted_sentence_count},
    {"Multiprocessors", processor_sentences, &processor_sentence_count},
    {"Measured by ci/bench, not asserted", measured_sentences, &measured_sentence_count},
    {"Pointers", pointer_sentences, &pointer_sentence_count},
};

enum { PARTS = sizeof parts / sizeof *parts };

static const char *verdict_text(char letter)
{
    return letter == 'h' ? "holds" : letter == 'f' ? "**fails**" : "-";
}

static void print_table(FILE *stream)
{
    /* clang-format off */
    fputs(
        "# What the textbooks say, tested sentence by sentence\n"
        "\n"
        "This page lists claims of the textbooks, and says whether each claim is true. The column \"source\"\n"
        "names the text, and its exercise or, after the colon, the passage. [kernels.md](kernels.md) has the\n"
        "titles. The source `ours` marks a sentence that no textbook has. The column \"sentence\" paraphrases\n"
        "the claim.\n"
        "\n"
        "The tests `sim.nested.sentences` and `cuda.nested.sentences` check each sentence at five places:\n"
        "\n"
        "- The simulator runs it under CDP 1 (nested launches as in CUDA 11) and CDP 2 (as in CUDA 12 and\n"
        "  later). Under each, it uses the models `independent` and `lockstep`. Each of these four places has\n"
        "  up to 300 schedules.\n"
        "- A GPU runs it a few times. The results are from an H200 or an H100.\n"
        "\n"
        "`-` means that these tests do not check the sentence at that place. If another test checks it, the\n"
        "last column names that test.\n"
        "\n"
        "The command `build/host/tests/test_sentences --table` prints this page. The tests compare the page\n"
        "with their tables.\n",
        stream);
    /* clang-format on */
    for (size_t p = 0; p < PARTS; p++) {
        fprintf(stream,
                "\n## %s\n\n"
                "| source | sentence | CDP 1, independent | CDP 1, lockstep | CDP 2, independent | "
                "CDP 2, lockstep | "
                "GPU | how the test checks it, or the counterexample |\n"
                "| --- | --- | --- | --- | --- | --- | --- | --- |\n",
                parts[p].heading);
        for (size_t s = 0; s < *parts[p].count; s++) {
            const struct sentence *sentence = &parts[p].sentences[s];
            fprintf(stream, "| %s | %s |", sentence->source, sentence->text);
            for (size_t k = 0; k < PLACES; k++)
                fprintf(stream, " %s |", verdict_text(sentence->expected[k]));
            fprintf(stream, " %s |\n", sentence->how);
        }
    }
}

/* Tests the sentence at each place of this engine. */
static void is_as_expected(void **state)
{
    const struct sentence *sentence = *state;
    bool on_host = nested_on_host();

    assert_int_equal(strlen(sentence->expected), PLACES);
    for (int k = on_host ? 0 : PLACES - 1; k < (on_host ? PLACES - 1 : PLACES); k++) {
        const struct place place = {on_host, k < 2 ? PROFILE_CDP1 : PROFILE_CDP2,
                                    k % 2 == 0 ? MODEL_INDEPENDENT : MODEL_LOCKSTEP};
        char evidence[EVIDENCE] = "", found;
        enum verdict verdict = sentence->attempt(&place, evidence);
        found = verdict == HOLDS ? 'h' : verdict == FAILS ? 'f' : '-';
        if (found != sentence->expected[k])
            print_error("place %d: %s, not %s: %s\n", k, verdict_text(found),
                        verdict_text(sentence->expected[k]), evidence);
        assert_int_equal(found, sentence->expected[k]);
    }
}

static void page_matches_the_tables(void **state)
{
    char *expected = NULL, *written = NULL;
    size_t size = 0, capacity = 0;
    FILE *memory = open_memstream(&expected, &size), *page = fopen(SENTENCES_PAGE, "r");
    (void)state;
    assert_non_null(memory);
    assert_non_null(page);
    print_table(memory);
    fclose(memory);
    assert_true(getdelim(&written, &capacity, '\0', page) > 0);
    fclose(page);
    assert_string_equal(written, expected);
    free(written);
    free(expected);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[MAX_SENTENCES + 1] = {cmocka_unit_test(page_matches_the_tables)};
    size_t count = 1;
    int status;

    if (argc == 2 && strcmp(argv[1], "--table") == 0) {
        print_table(stdout);
        return fflush(stdout) == 0 ? 0 : 1;
    }
    for (size_t p = 0; p < PARTS; p++)
        for (size_t s = 0; s < *parts[p].count && count <= MAX_SENTENCES; s++)
            tests[count++] = (struct CMUnitTest){
                .name = parts[p].sentences[s].text,
                .test_func = is_as_expected,
                .initial_state = (void *)(uintptr_t)&parts[p].sentences[s],
            };
#ifdef SIMTCHECK_ON_GPU
    if (argc == 3 && strcmp(argv[1], "--end") == 0)
        return end_program(argv[2]);
#endif
    status = nested_open();
    if (status == 0)
        status = _cmocka_run_group_tests("the textbooks' sentences", tests, count, NULL, NULL);
    nested_close();
    return status;
}
