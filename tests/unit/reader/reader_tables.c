/* Tables as data: one list of columns, printed on a screen, as JSON and as CSV. */
#include "unit.h"

#include "base/memory.h"
#include "views/kit/table.h"

struct place {
    const char *file;
    int32_t line;
};

struct item {
    const char *name;
    uint64_t ns, bytes;
    uint32_t calls, number;
    uint16_t half;
    uint8_t kind;
    bool known;
    double ratio;
    struct place inner;
    const struct place *place; /* may be NULL */
    uint64_t waits[2];
};

static const char *const kinds[] = {"call", "region"};
static const char *const waits[] = {"lock", "barrier"};

static const char *kind_word(unsigned kind) {
    return kinds[kind];
}

static const char *wait_word(unsigned wait) {
    return waits[wait];
}

static bool has_second_wait(const void *view, unsigned wait) {
    (void)view;
    return wait == 1;
}

static bool wants_calls(const void *view) {
    return *(const bool *)view;
}

static struct pinsight_value share(const void *view, const void *row) {
    (void)view;
    return pinsight_value_share(((const struct item *)row)->ns, 2000);
}

static struct pinsight_value upper(const void *view, const void *row) {
    const char *name = ((const struct item *)row)->name;

    (void)view;
    return pinsight_value_owned(name ? pinsight_format("<%s>", name) : NULL);
}

static void write_list(struct pinsight_json *json, const struct pinsight_printing *printing,
                       const void *row) {
    (void)printing;
    pinsight_json_open(json, "list", '[');
    pinsight_json_unsigned(json, NULL, ((const struct item *)row)->half);
    pinsight_json_close(json, ']');
}

#define P(member) MEMBER(struct place, member)
static const struct pinsight_column place_columns[] = {
    COLUMN("file", "file", TEXT, P(file)),
    COLUMN("line", "line", SIGNED, P(line), .optional = P(line)),
};
static const struct pinsight_table places = {PINSIGHT_COLUMNS(place_columns)};

#define I(member) MEMBER(struct item, member)
static const struct pinsight_column columns[] = {
    COLUMN("name", "what", TEXT, I(name), .align = PINSIGHT_LEFT),
    COLUMN("ns", "time", NS, I(ns)),
    GETTER("share", "%", SHARE, share),
    COLUMN("bytes", "bytes", BYTES, I(bytes), .needs = I(bytes), .width = 60),
    COLUMN("calls", "calls", COUNT, I(calls), .shown = wants_calls),
    COLUMN("number", "no", ID, I(number), .only = PINSIGHT_FORM_JSON | PINSIGHT_FORM_CSV),
    COLUMN("half", "half", COUNT, I(half)),
    COLUMN("kind", "kind", WORD, I(kind), .word = kind_word, .align = PINSIGHT_LEFT),
    COLUMN("known", "known", BOOL, I(known)),
    COLUMN("ratio", "ratio", REAL, I(ratio), .needs = I(known), .none = "?"),
    GETTER("upper", "upper", TEXT, upper),
    INNER("place", &places, I(inner)),
    COLUMN("waits", NULL, NS, I(waits), .word = wait_word, .parts = 2, .part_prefix = "wait_",
           .part_head = wait_word, .part_shown = has_second_wait),
    WRITER("list", write_list),
};

static const struct pinsight_table table = {
    .key = "items",
    PINSIGHT_COLUMNS(columns),
    .screen = "ns share bytes calls name kind ratio waits line",
    .json = "name ns calls number kind known ratio upper place waits list",
    .csv = "kind name number calls ratio file line waits",
};

static const struct item items[] = {
    {"a, \"b\"", 1500, 2048, 1234567, 7, 9, 0, true, 0.5, {"x.py", 3}, NULL, {1, 2000}},
    {NULL, 0, 0, 0, 8, 9, 1, false, 0.25, {"", 0}, NULL, {3, 4}},
};

/* What a printer writes, to be freed. */
static char *printed(enum pinsight_form form, bool calls, unsigned width, size_t limit) {
    struct pinsight_printing printing = {.view = &calls, .width = width};
    struct pinsight_rows rows = PINSIGHT_ROWS(items, 2);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct pinsight_json json = {.out = out, .compact = true};

    assert_non_null(out);
    if (form == PINSIGHT_FORM_SCREEN) {
        pinsight_table_screen(&table, &printing, rows, limit, out);
    } else if (form == PINSIGHT_FORM_CSV) {
        pinsight_table_csv(&table, &printing, rows, limit, out, true);
    } else {
        pinsight_json_open(&json, NULL, '{');
        pinsight_table_json(&table, &printing, rows, limit, &json);
        pinsight_json_close(&json, '}');
    }
    fclose(out);
    return text;
}

static void expect(enum pinsight_form form, bool calls, unsigned width, size_t limit,
                   const char *text) {
    char *got = printed(form, calls, width, limit);

    assert_string_equal(got, text);
    free(got);
}

static void screen(void **state) {
    (void)state;
    expect(PINSIGHT_FORM_SCREEN, true, 80, 0,
           "    time     %     bytes      calls  what    kind    ratio  barrier  line\n"
           " 1.50 µs  75.0  2.00 KiB  1,234,567  a, \"b\"  call     0.50  2.00 µs     3\n"
           "    0 ns     0         -          0          region      ?     4 ns     0\n");
    /* No room for bytes, no calls wanted, one row. */
    expect(PINSIGHT_FORM_SCREEN, false, 59, 1,
           "    time     %  what    kind  ratio  barrier  line\n"
           " 1.50 µs  75.0  a, \"b\"  call   0.50  2.00 µs     3\n");
}

static void json_and_csv(void **state) {
    (void)state;
    expect(PINSIGHT_FORM_JSON, false, 0, 0,
           "{\"items\": [{\"name\": \"a, \\\"b\\\"\", \"ns\": 1500, \"calls\": 1234567, "
           "\"number\": 7, \"kind\": \"call\", \"known\": true, \"ratio\": 0.5000, "
           "\"upper\": \"<a, \\\"b\\\">\", \"place\": {\"file\": \"x.py\", \"line\": 3}, "
           "\"waits\": {\"lock\": 1, \"barrier\": 2000}, \"list\": [9]}, "
           "{\"name\": null, \"ns\": 0, \"calls\": 0, \"number\": 8, \"kind\": \"region\", "
           "\"known\": false, \"ratio\": null, \"upper\": null, \"place\": {\"file\": null}, "
           "\"waits\": {\"lock\": 3, \"barrier\": 4}, \"list\": [9]}]}\n");
    expect(PINSIGHT_FORM_CSV, false, 0, 0,
           "kind,name,number,calls,ratio,file,line,wait_lock_ns,wait_barrier_ns\r\n"
           "call,\"a, \"\"b\"\"\",7,1234567,0.5000,\"x.py\",3,1,2000\r\n"
           "region,,8,0,,\"\",0,3,4\r\n");
}

/* What a spreadsheet would execute does not begin as a formula does. */
static void no_formulas(void **state) {
    static const char *const cases[][2] = {
        {"=1+1", "\"'=1+1\""},         {"+1", "\"'+1\""},
        {"-\"x\"", "\"'-\"\"x\"\"\""}, {"@SUM", "\"'@SUM\""},
        {"\t=1", "\"'\t=1\""},         {"\uff1d1", "\"'\uff1d1\""},
        {" \n=1", "\"' \n=1\""},       {"\u200b\ufeff=1", "\"'\u200b\ufeff=1\""},
        {" a=1", "\" a=1\""},          {"a=1", "\"a=1\""},
        {"<lambda>", "\"<lambda>\""},  {"", "\"\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *text;
        size_t length;
        FILE *out = open_memstream(&text, &length);

        pinsight_csv_quote(out, pinsight_strdup(cases[i][0]));
        fclose(out);
        assert_string_equal(text, cases[i][1]);
        free(text);
    }
}

static const struct pinsight_column pointing_columns[] = {
    COLUMN("name", "name", STRING, I(name)),
    INNER(NULL, &places, I(place), .pointer = true),
};

static bool is_known(const void *view, const void *row) {
    (void)view;
    return ((const struct item *)row)->known;
}

static const struct pinsight_table pointing = {
    .key = "pointing",
    PINSIGHT_COLUMNS(pointing_columns),
    .has = is_known,
};

/* Rows by pointers, rows that a table leaves out, a structure that is not there; all columns. */
static void pointers(void **state) {
    static const struct place place = {"y.py", 4};
    static const struct item known = {.name = "1", .known = true, .place = &place};
    static const struct item alone = {.name = "2", .known = true};
    const struct item *list[] = {&known, &items[1], &alone};
    struct pinsight_printing printing = {.view = NULL};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct pinsight_json json = {.out = out, .compact = true};

    (void)state;
    assert_non_null(out);
    pinsight_json_open(&json, NULL, '{');
    pinsight_table_json(&pointing, &printing, PINSIGHT_ROW_POINTERS(list, 3), 2, &json);
    pinsight_json_close(&json, '}');
    fclose(out);
    assert_string_equal(text, "{\"pointing\": [{\"name\": \"1\", \"file\": \"y.py\", \"line\": 4}, "
                              "{\"name\": \"2\", \"file\": null}]}\n");
    free(text);
}

struct view {
    const struct holder {
        const struct item *rows;
        size_t count;
    } * holder;
};

static const struct pinsight_table held = {
    PINSIGHT_ROWS_INSIDE(struct view, holder, struct holder, rows, count),
};

static void rows_of_a_view(void **state) {
    struct holder holder = {items, 2};
    struct pinsight_rows rows = pinsight_table_rows(&held, &(struct view){&holder});

    (void)state;
    assert_ptr_equal(rows.first, items);
    assert_int_equal(rows.count, 2);
    assert_int_equal(rows.size, sizeof(struct item));
    assert_int_equal(pinsight_table_rows(&held, &(struct view){NULL}).count, 0);
}

int main(void) {
    return RUN_TESTS(screen, json_and_csv, no_formulas, pointers, rows_of_a_view);
}
