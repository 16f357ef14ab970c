/* Numbers, names and JSON as they are shown. */
#include "unit.h"

#include "base/grid.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "base/utf8.h"
#include "views/report/program_name.h"

static void programs(void **state) {
    static const struct {
        const char *program, *command, *name;
    } cases[] = {
        {"/usr/bin/python3.11", "python3 -O examples/heat.py --n 4", "heat.py"},
        {"/usr/bin/python3.11", "/usr/bin/python3 examples/heat.py", "heat.py"},
        {"/usr/bin/python3", "python3 -m http.server 80", "http.server"},
        {"/usr/bin/python3", "python3 -Bm pdb x.py", "pdb"},
        {"/usr/bin/python3", "python3 -mpdb x.py", "pdb"},
        {"/usr/bin/python3",
         "python3 -X dev -Werror -W ignore --check-hash-based-pycs never a/b.py", "b.py"},
        {"/usr/bin/python3", "python3 -Xdev /srv/app/", "app/"},
        {"/usr/bin/python3", "python3 -c import x", "python3"},
        {"/usr/bin/python3", "python3 -Bc import x", "python3"},
        {"/usr/bin/python3", "python3 -", "python3"},
        {"/usr/bin/python3", "python3", "python3"},
        {"/usr/bin/python3", "python3 -m", "python3"},
        {"/usr/bin/python3", "", "python3"},
        {"/usr/bin/pypy3", "pypy3 a.py", "a.py"},
        {"/venv/bin/python", "/venv/bin/python /venv/bin/pytest -q", "pytest"},
        {"/my work/python3", "'/my work/python3' '/it'\\''s mine/an app.py' x", "an app.py"},
        {"/usr/bin/python3", "python3 -c 'import x' a.py", "python3"},
        {"/opt/solver", "./solver in.nc", "solver"},
        {"solver", "", "solver"},
        {"", "", ""},
    };
    char buffer[64];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_string_equal(
            pinsight_program_name(cases[i].program, cases[i].command, buffer, sizeof(buffer)),
            cases[i].name);
}

static void times(void **state) {
    static const struct {
        uint64_t ns;
        const char *text;
    } cases[] = {
        {0, "0 ns"},
        {999, "999 ns"},
        {1000, "1.00 µs"},
        {12345, "12.3 µs"},
        {999499, "999 µs"},
        {999500, "1.00 ms"},
        {45600000, "45.6 ms"},
        {999499999, "999 ms"},
        {999500000, "1.00 s"},
        {9994999999, "9.99 s"},
        {9995000000, "10.0 s"},
        {UINT64_C(99900000000), "99.9 s"},
        {UINT64_C(99960000000), "1 min 40 s"},
        {UINT64_C(123000000000), "2 min 03 s"},
        {UINT64_C(7320000000000), "2 h 02 min"},
        {UINT64_MAX, "5124095 h 34 min"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_string_equal(pinsight_units_time(cases[i].ns).text, cases[i].text);
}

static void counts_sizes_and_shares(void **state) {
    (void)state;
    assert_string_equal(pinsight_units_count(0).text, "0");
    assert_string_equal(pinsight_units_count(999).text, "999");
    assert_string_equal(pinsight_units_count(1000).text, "1,000");
    assert_string_equal(pinsight_units_count(999999999999999).text, "999,999,999,999,999");
    assert_string_equal(pinsight_units_count(UINT64_MAX).text, "1.84e+19");
    assert_string_equal(pinsight_units_size(1).text, "1 byte");
    assert_string_equal(pinsight_units_size(1023).text, "1023 bytes");
    assert_string_equal(pinsight_units_size(1536).text, "1.50 KiB");
    assert_string_equal(pinsight_units_size(UINT64_C(2) << 30).text, "2.00 GiB");
    assert_string_equal(pinsight_units_size(UINT64_MAX).text, "16.0 EiB");
    assert_string_equal(pinsight_units_percent(0, 0).text, "0");
    assert_string_equal(pinsight_units_percent(1, 100000).text, "<0.1");
    assert_string_equal(pinsight_units_percent(1, 3).text, "33.3");
    assert_string_equal(pinsight_units_percent(3, 3).text, "100");
}

static void decoding(void **state) {
    uint32_t point = 0;

    (void)state;
    assert_int_equal(pinsight_utf8_decode("", &point), 0);
    assert_int_equal(pinsight_utf8_decode("a", &point), 1);
    assert_int_equal(pinsight_utf8_decode("é", &point), 2);
    assert_int_equal(point, 0xe9);
    assert_int_equal(pinsight_utf8_decode("€", &point), 3);
    assert_int_equal(pinsight_utf8_decode("😀", &point), 4);
    assert_int_equal(point, 0x1f600);
    /* Overlong, surrogate, too large, cut off, a lone continuation. */
    assert_int_equal(pinsight_utf8_decode("\xc0\x80", &point), 0);
    assert_int_equal(pinsight_utf8_decode("\xe0\x80\x80", &point), 0);
    assert_int_equal(pinsight_utf8_decode("\xed\xb2\x80", &point), 0);
    assert_int_equal(pinsight_utf8_decode("\xf4\x90\x80\x80", &point), 0);
    assert_int_equal(pinsight_utf8_decode("\xe2\x82", &point), 0);
    assert_int_equal(pinsight_utf8_decode("\x80", &point), 0);
    assert_int_equal(pinsight_utf8_decode("\xff", &point), 0);
}

#define assert_clean(text, expected) unit_assert_text(pinsight_text_clean(text), expected)

static void cleaning(void **state) {
    (void)state;
    assert_clean("Solver.step", "Solver.step");
    assert_clean("wörker", "wörker");
    assert_clean("\x1b[31mred", "\\x1b[31mred");
    assert_clean("a\nb\tc\x7f", "a\\x0ab\\x09c\\x7f");
    assert_clean("bad\xff\xfe", "bad\\xff\\xfe");
    assert_clean("\xed\xb2\x80", "\\xed\\xb2\\x80");
    assert_clean("a\u202eb\u2028", "a\\u{202e}b\\u{2028}");
    assert_clean("\xc2\x9b", "\\u{9b}");
}

static void assert_cut(const char *text, size_t width, const char *expected) {
    char buffer[64];

    snprintf(buffer, sizeof(buffer), "%s", text);
    pinsight_text_cut(buffer, width);
    assert_string_equal(buffer, expected);
}

static void assert_cut_end(const char *text, size_t width, const char *expected) {
    char buffer[64];

    snprintf(buffer, sizeof(buffer), "%s", text);
    pinsight_text_cut_end(buffer, width);
    assert_string_equal(buffer, expected);
}

static void cutting(void **state) {
    (void)state;
    assert_cut_end("short", 5, "short");
    assert_cut_end("kernel<4, float>", 8, "kernel<…");
    assert_cut_end("日本語の名前", 6, "日本…");
    assert_cut_end("ab", 1, "…");
    assert_cut("short", 5, "short");
    assert_cut("solver.py:42", 6, "…py:42");
    assert_cut("日本語の名前", 6, "…名前");
    assert_cut("ab", 1, "…");
    assert_int_equal(pinsight_text_width("日本"), 4);
    assert_int_equal(pinsight_text_width("e\u0301"), 1);
}

static void paths(void **state) {
    static const char *const cases[][2] = {
        {"/opt/venv/lib/python3.12/site-packages/numpy/linalg/_linalg.py",
         "numpy/linalg/_linalg.py"},
        {"/usr/lib/python3/dist-packages/yaml/__init__.py", "yaml/__init__.py"},
        {"/usr/lib/python3.13t/json/encoder.py", "json/encoder.py"},
        {"<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>"},
        {"relative/a.py", "relative/a.py"},
        {"/nowhere/a.py", "/nowhere/a.py"},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *path = pinsight_text_path(cases[i][0]);

        assert_string_equal(path, cases[i][1]);
        free(path);
    }
}

/* What is written by write to a file, as text. */
static char *written(void (*write)(FILE *out)) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    write(out);
    fclose(out);
    return text;
}

static void write_names(FILE *out) {
    pinsight_json_quote(out, "a\"b\\c\n\t\x01\x7f");
    pinsight_json_quote(out, "\xff\xed\xb2\x80 é \u2028\xc2\x85");
}

static void assert_written(void (*write)(FILE *), const char *expected) {
    char *text = written(write);

    assert_string_equal(text, expected);
    free(text);
}

static void json_names(void **state) {
    (void)state;
    assert_written(
        write_names,
        "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\"\"\\\\xff\\\\xed\\\\xb2\\\\x80 é \\u2028\\u0085\"");
}

static void write_document(FILE *out) {
    struct pinsight_json json = {.out = out, .inline_depth = 3};

    pinsight_json_open(&json, NULL, '{');
    pinsight_json_unsigned(&json, "n", UINT64_MAX);
    pinsight_json_open(&json, "list", '[');
    pinsight_json_open(&json, NULL, '{');
    pinsight_json_signed(&json, "a", -1);
    pinsight_json_null(&json, "b");
    pinsight_json_close(&json, '}');
    pinsight_json_open(&json, NULL, '{');
    pinsight_json_close(&json, '}');
    pinsight_json_close(&json, ']');
    pinsight_json_open(&json, "none", '[');
    pinsight_json_close(&json, ']');
    pinsight_json_bool(&json, "yes", true);
    pinsight_json_close(&json, '}');
}

static void json_documents(void **state) {
    (void)state;
    assert_written(write_document, "{\n"
                                   "  \"n\": 18446744073709551615,\n"
                                   "  \"list\": [\n"
                                   "    {\"a\": -1, \"b\": null},\n"
                                   "    {}\n"
                                   "  ],\n"
                                   "  \"none\": [],\n"
                                   "  \"yes\": true\n"
                                   "}\n");
}

static void write_table(FILE *out) {
    struct pinsight_grid table = {.width = 30};

    pinsight_grid_column(&table, "n", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_grid_column(&table, "name", PINSIGHT_FLEXIBLE, PINSIGHT_PLAIN);
    pinsight_grid_column(&table, "place", PINSIGHT_LEFT, PINSIGHT_PLAIN);
    pinsight_grid_cell(&table, strdup("1"));
    pinsight_grid_cell(&table, strdup("a.very.long.qualified.name"));
    pinsight_grid_cell(&table, strdup("x.py:1"));
    pinsight_grid_cell(&table, strdup("1000"));
    pinsight_grid_cell(&table, strdup("b"));
    pinsight_grid_cell(&table, strdup(""));
    pinsight_grid_print(&table, out);
    pinsight_paragraph(out, false, PINSIGHT_PLAIN, 20, " ! ", "one two three four five");
}

static void tables(void **state) {
    (void)state;
    assert_written(write_table, "    n  name             place\n"
                                "    1  …qualified.name  x.py:1\n"
                                " 1000  b\n"
                                " ! one two three\n"
                                "   four five\n");
}

static void write_numbers(FILE *out) {
    pinsight_paragraph(out, false, PINSIGHT_PLAIN, 20, " ! ",
                       "waits for it 24.4 s (61.1 %%), 3 times");
}

/* A number and its unit stay in one line. */
static void numbers(void **state) {
    (void)state;
    assert_written(write_numbers, " ! waits for it\n"
                                  "   24.4 s (61.1 %),\n"
                                  "   3 times\n");
}

static void write_places(FILE *out) {
    struct pinsight_grid table = {.width = 30};

    pinsight_grid_column(&table, "n", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_grid_column(&table, "name", PINSIGHT_FLEXIBLE, PINSIGHT_PLAIN);
    pinsight_grid_column(&table, "place", PINSIGHT_FLEXIBLE_FIRST, PINSIGHT_PLAIN);
    pinsight_grid_cell(&table, strdup("1"));
    pinsight_grid_cell(&table, strdup("solve"));
    pinsight_grid_cell(&table, strdup("a_long_benchmark.py:4711 → time.sleep"));
    pinsight_grid_cell(&table, strdup("2"));
    pinsight_grid_cell(&table, strdup("b"));
    pinsight_grid_cell(&table, strdup("x.py:12 → Connection.execute"));
    pinsight_grid_print(&table, out);
}

static void places(void **state) {
    (void)state;
    assert_written(write_places, " n  name   place\n"
                                 " 1  solve  …_benchmark.py:4711\n"
                                 " 2  b      x.py:12 → Connecti…\n");
}

int main(void) {
    return RUN_TESTS(programs, times, counts_sizes_and_shares, decoding, cleaning, cutting, paths,
                     json_names, json_documents, tables, numbers, places);
}
