/* SPDX-License-Identifier: MIT
 *
 * Parts of pages: escaping, markup, and maps of blocks and sizes.
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

static void write_name(FILE *to, const json_t *row)
{
    page_fill(to, NULL, "[{a}]", row);
}

/* Each form of markup, as page.h lists them. */
TEST(markup_is_filled)
{
    static const struct page_part parts[] = {
        {.name = "other"}, {.name = "name", .write = write_name}, {.name = NULL}};
    static const char row[] =
        "{\"a\": \"x<\", \"zero\": 0, \"one\": 1, \"two\": 2, \"none\": null, \"no\": false, "
        "\"yes\": "
        "true, \"verdict\": \"race-free\", \"in\": {\"b\": \"y\", \"list\": [\"p\", \"q\", "
        "\"r\"]}, "
        "\"rows\": [{\"k\": \"v\", \"n\": 1}, {\"k\": \"w\", \"n\": 0}, {\"k\": \"v\", \"n\": 0}]}";
    static const struct {
        const char *markup, *html;
    } rows[] = {
        {"<b>", "<b>"},
        {"{a}, {-a}", "x&lt;, x<"},
        {"{missing}{one}{none}{in}", ""},
        {"{#two}{#missing}{#a}{#in.list}", "2003"},
        {"{#one} row{~one}, {#two} row{~two}", "1 row, 2 rows"},
        {"{=verdict}",
         "<span class=\"sign good\"><span aria-hidden=\"true\">✓</span> race-free</span>"},
        {"{=a}", "<span class=\"sign bad\"><span aria-hidden=\"true\">?</span> x&lt;</span>"},
        {"{?a}1{/}{?zero}2{/}{?one}3{/}{?none}4{/}{?no}5{/}{?yes}6{/}{?in}7{/}{?missing}8{/}",
         "1367"},
        {"{!a}1{/}{!zero}2{/}{!one}3{/}{!none}4{/}{!no}5{/}{!yes}6{/}{!in}7{/}{!missing}8{/}",
         "2458"},
        {"{?in.b=y}1{/}{?in.b=yy}2{/}{!in.b=z}3{/}{?two=2}4{/}{!two=2}5{/}", "134"},
        {"{?a}{?no}1{/}2{/}{!a}{?yes}3{/}{/}4", "24"},
        {"{in.list.1}{in.list.3}", "q"},
        {"{*in.list}{,}{.}{/}", "p, q, r"},
        {"{*in}{b}{a}{/}{*none}1{/}", "y"},
        {"{*rows}{k}{#n}{?n}!{/};{/}", "v1!;w0;v0;"},
        {"{*rows:k=v}{#n}{/} {#rows:k=v} {#rows:n} {#rows:k=v:n} {#rows:k=}", "10 2 1 1 0"},
        {"{*rows:<2}{k}{/} {*rows:>2}{k}{/} {#rows:>3}{?rows:>3}!{/}", "vw v 0"},
        {"{*rows:n}{@name}{/}{@name}", "[][x&lt;]"},
    };
    json_t *document = json_loads(row, 0, NULL);

    assert_non_null(document);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char *text = page_text(parts, rows[r].markup, document);
        assert_string_equal(text, rows[r].html);
        free(text);
    }
    json_decref(document);
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
