/* SPDX-License-Identifier: MIT
 *
 * Parts of pages: escaping, and maps of blocks and sizes.
 */
#include "check.h"

#include "domain_map.h"
#include "page.h"

/* Every text is shown literally. */
TEST(html_text_is_escaped)
{
    static const struct {
        const char *text, *html;
    } rows[] = {
        {"plain", "plain"},
        {"<&>\"'", "&lt;&amp;&gt;&quot;&#39;"},
        {"tab\tline\n", "tab\tline\n"},
        {"\x01\x1F\x7F", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"},
        {"\xE2\x80\xAEtxt", "\xEF\xBF\xBDtxt"},               /* reverses the text's direction */
        {"\xC0\xBCscript", "\xEF\xBF\xBD\xEF\xBF\xBDscript"}, /* overlong "<" */
        {"\xE0\x80\xBC", "\xEF\xBF\xBD"},                     /* overlong "<" */
        {"\xC3<", "\xEF\xBF\xBD&lt;"},                        /* cut before "<" */
        {"\xED\xA0\x80", "\xEF\xBF\xBD"},                     /* half of a surrogate pair */
        {"\xF4\x90\x80\x80", "\xEF\xBF\xBD"},                 /* beyond the last code point */
        {"\xF0\x9F", "\xEF\xBF\xBD"},                         /* cut at the end */
        {"%s%n", "%s%n"},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char *text = NULL;
        size_t size;
        FILE *to = open_memstream(&text, &size);
        html_text(to, rows[r].text);
        fclose(to);
        assert_string_equal(text, rows[r].html);
        free(text);
    }
}

TEST(run_maps_have_ranges)
{
    static const struct {
        uint64_t size;
        const char *range;
    } rows[] = {{0, "0"},    {1, "1"},           {2, "2"},       {3, "3"},
                {4, "4"},    {5, "5-7"},         {7, "5-7"},     {8, "8"},
                {9, "9-15"}, {1023, "513-1023"}, {1024, "1024"}, {1u << 28, "268435456"}};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct domain_map map = {{{0}}};
        struct shape shape = {.block = {32, 2, 1}, .size = {rows[r].size, 1}};
        char range[48];
        size_t place = 0;
        struct memory memory = {NULL};
        struct list lines;
        const char *line;
        domain_map_take(&map, &shape, true, true);
        domain_map_take(&map, &shape, false, false);
        lines = domain_map_texts(&map, &memory);
        assert_int_equal(lines.count, 1);
        line = ((const char *const *)lines.items)[0];
        assert_int_equal(strncmp(line, "64 ", 3), 0);
        place = strlen(line) - 4;
        assert_int_equal(line[3 + place], '9');
        domain_map_range(place, range, sizeof range);
        assert_string_equal(range, rows[r].range);
        memory_free(&memory);
    }
}

TEST_MAIN("page parts", NULL, NULL)
