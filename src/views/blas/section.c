/* The tables of BLAS: routines, and the lines of the user's that caused their calls. */
#include "views/blas/blas.h"

#include "base/memory.h"
#include "views/report/tables.h"

#include <stdlib.h>
#include <string.h>

static const struct reader_calls *calls_of(const struct pinsight_report *report) {
    return reader_calls_of(report->model, READER_BLAS);
}

VALUE(routine, struct pinsight_blas_row,
      pinsight_value_text(pinsight_report_string(report,
                                                 calls_of(report)->functions[row->function].name)))

VALUE(mean, struct pinsight_blas_row,
      row->calls ? pinsight_value_number(row->total_ns / row->calls) : pinsight_value_none())

VALUE(all_time, struct pinsight_blas_row, pinsight_value_number(row->total_ns + row->short_ns))

/* Operations in a nanosecond are thousand millions of them in a second. */
VALUE(rate, struct pinsight_blas_row,
      row->operations > 0 && row->total_ns
          ? (struct pinsight_value){.real = row->operations / (double)row->total_ns}
          : pinsight_value_none())

static const struct pinsight_blas_size *size_of(const struct pinsight_report *report,
                                                const struct pinsight_blas_row *row) {
    const struct pinsight_blas *blas = pinsight_model_blas(report->model);

    return row->most_size == PINSIGHT_NONE ? NULL : &blas->sizes[row->most_size];
}

/* "500×300×400", and for more than one size " of 7". */
static struct pinsight_value size_text(const void *view, const void *of_row) {
    const struct pinsight_blas_row *row = of_row;
    const struct pinsight_blas_size *size = size_of(view, row);
    char *text = size ? pinsight_blas_size_text(size) : NULL;

    if (text && row->sizes > 1)
        pinsight_append(&text, " of %u", (unsigned)row->sizes);
    return pinsight_value_owned(text);
}

#define SIZE(letter)                                                                               \
    VALUE(size_##letter, struct pinsight_blas_row,                                                 \
          size_of(report, row) ? pinsight_value_number(size_of(report, row)->letter)               \
                               : pinsight_value_none())
SIZE(m)
SIZE(n)
SIZE(k)
SIZE(batch)

/* "4", or "1-4" for calls with different numbers. */
static struct pinsight_value threads_text(const void *view, const void *of_row) {
    const struct pinsight_blas_row *row = of_row;

    (void)view;
    if (!row->most_threads)
        return pinsight_value_none();
    return pinsight_value_owned(
        row->least_threads == row->most_threads
            ? pinsight_format("%u", row->most_threads)
            : pinsight_format("%u-%u", row->least_threads, row->most_threads));
}

static struct pinsight_value library_path(const void *view, const void *of_row) {
    const struct pinsight_report *report = view;
    const struct pinsight_blas_row *row = of_row;
    const struct pinsight_blas *blas = pinsight_model_blas(report->model);

    return row->library == PINSIGHT_NONE ? pinsight_value_none()
                                         : pinsight_value_text(pinsight_report_string(
                                               report, blas->libraries[row->library].path));
}

/* The path without its folders. */
static struct pinsight_value library_name(const void *view, const void *of_row) {
    struct pinsight_value path = library_path(view, of_row);
    const char *slash = path.text ? strrchr(path.text, '/') : NULL;

    return slash ? pinsight_value_text(slash + 1) : path;
}

static bool any_threads(const void *view) {
    const struct pinsight_report *report = view;
    const struct pinsight_blas *blas = pinsight_model_blas(report->model);
    bool any = false;

    for (size_t i = 0; blas && i < blas->how_count; i++)
        any |= blas->hows[i].threads != 0;
    return any;
}

VALUE(operations, struct pinsight_blas_row, (struct pinsight_value){.real = row->operations})

static struct pinsight_value share(const void *view, const void *of_row) {
    const struct pinsight_report *report = view;
    const struct pinsight_blas_row *row = of_row;
    const struct pinsight_blas *blas = pinsight_model_blas(report->model);
    const struct reader_calls *calls = calls_of(view);
    uint64_t all = 0;

    for (size_t i = 0; blas && i < blas->sum_count; i++)
        all += blas->sums[i].self_ns;
    for (size_t i = 0; i < calls->function_count; i++)
        all += calls->functions[i].counted.total_ns;
    return pinsight_value_share(row->self_ns + row->short_ns, all);
}

VALUE(peak_percent, struct pinsight_blas_row,
      row->peak_ns > 0 ? pinsight_value_share((uint64_t)(row->peak_ns + 0.5), row->total_ns)
                       : pinsight_value_none())

VALUE(peak_share, struct pinsight_blas_row,
      row->peak_ns > 0 && row->total_ns
          ? (struct pinsight_value){.real = row->peak_ns / (double)row->total_ns}
          : pinsight_value_none())

static bool any_nested(const void *view) {
    const struct pinsight_report *report = view;
    const struct pinsight_blas *blas = pinsight_model_blas(report->model);
    bool any = false;

    for (size_t i = 0; blas && i < blas->sum_count; i++)
        any |= blas->sums[i].is_nested;
    return any;
}

static bool has_peak(const void *view) {
    struct pinsight_peak peak;

    return pinsight_blas_peak(view, &peak);
}

static bool any_short(const void *view) {
    const struct reader_calls *calls = calls_of(view);
    bool any = false;

    for (size_t i = 0; calls && i < calls->function_count; i++)
        any |= calls->functions[i].counted.calls != 0;
    return any;
}

#define R(member) MEMBER(struct pinsight_blas_row, member)
static const struct pinsight_column columns[] = {
    GETTER("routine", "routine", STRING, routine, .align = PINSIGHT_LEFT, .style = PINSIGHT_DEVICE),
    COLUMN("total_ns", "time", NS, R(total_ns), .style = PINSIGHT_BOLD),
    GETTER("time", "time", NS, all_time, .style = PINSIGHT_BOLD),
    COLUMN("self_ns", "own time", NS, R(self_ns), .shown = any_nested),
    GETTER("share", "%", SHARE, share),
    COLUMN("calls", "calls", COUNT, R(calls)),
    COLUMN("nested_calls", NULL, COUNT, R(nested_calls)),
    GETTER("mean_ns", "mean", NS, mean),
    GETTER("gflops", "GFLOP/s", REAL, rate),
    GETTER("peak_percent", "% of peak", SHARE, peak_percent, .shown = has_peak),
    GETTER("peak_share", NULL, REAL, peak_share),
    GETTER("operations", NULL, REAL, operations),
    COLUMN("short_calls", "counted", COUNT, R(short_calls), .shown = any_short),
    COLUMN("short_ns", NULL, NS, R(short_ns)),
    GETTER("threads", "threads", TEXT, threads_text, .shown = any_threads, .align = PINSIGHT_RIGHT),
    COLUMN("least_threads", NULL, COUNT, R(least_threads), .needs = R(least_threads)),
    COLUMN("most_threads", NULL, COUNT, R(most_threads), .needs = R(most_threads)),
    COLUMN("transposed_calls", NULL, COUNT, R(transposed_calls)),
    COLUMN("strided_calls", NULL, COUNT, R(strided_calls)),
    GETTER("library", NULL, TEXT, library_path),
    GETTER("library_name", "library", TEXT, library_name, .align = PINSIGHT_LEFT),
    COLUMN("up_to", "sizes up to", COUNT, R(up_to)),
    COLUMN("sizes", NULL, COUNT, R(sizes)),
    GETTER("size", "most time for", TEXT, size_text, .align = PINSIGHT_LEFT),
    GETTER("m", NULL, COUNT, size_m),
    GETTER("n", NULL, COUNT, size_n),
    GETTER("k", NULL, COUNT, size_k),
    GETTER("batch", NULL, COUNT, size_batch),
    GETTER("name", "caused by", TEXT, python_call_place_get_label, NAMES_IN(PYTHON)),
    COLUMN("file", NULL, TEXT, R(place.file)),
    COLUMN("line", NULL, SIGNED, R(place.line), .needs = R(place.line)),
    GETTER("place", "at", TEXT, python_call_place_get_where, NAMES_IN(DIM)),
};

static struct pinsight_rows routine_rows(const void *report) {
    size_t count;
    struct pinsight_blas_row *rows = pinsight_blas_routines(report, &count);

    return PINSIGHT_MADE_ROWS(rows, count);
}

static struct pinsight_rows line_rows(const void *report) {
    size_t count;
    struct pinsight_blas_row *rows = pinsight_blas_lines(report, &count);

    return PINSIGHT_MADE_ROWS(rows, count);
}

static struct pinsight_rows class_rows(const void *report) {
    size_t count;
    struct pinsight_blas_row *rows = pinsight_blas_size_classes(report, &count);

    return PINSIGHT_MADE_ROWS(rows, count);
}

static struct pinsight_rows library_rows(const void *report) {
    size_t count;
    struct pinsight_blas_row *rows = pinsight_blas_libraries(report, &count);

    return PINSIGHT_MADE_ROWS(rows, count);
}

#define MEANS "least_threads most_threads transposed_calls strided_calls library"

static const struct pinsight_table routines = {
    PINSIGHT_TITLED("Routines of BLAS and LAPACK", "by time", "routines", columns),
    .make = routine_rows,
    .screen =
        "time self_ns share calls mean_ns gflops peak_percent short_calls threads routine size",
    .json = "routine calls nested_calls total_ns self_ns mean_ns gflops peak_share operations "
            "short_calls short_ns "
            "sizes m n k batch " MEANS,
};

static const struct pinsight_table lines = {
    PINSIGHT_TITLED("Lines that caused them", "by time", "lines", columns),
    .make = line_rows,
    .screen = "total_ns self_ns calls gflops peak_percent routine size name place",
    .json = "routine name file line calls nested_calls total_ns self_ns mean_ns gflops peak_share "
            "operations sizes m n "
            "k batch " MEANS,
    .csv = "routine name file line calls nested_calls total_ns self_ns mean_ns gflops peak_share "
           "operations sizes m n "
           "k batch " MEANS,
};

static const struct pinsight_table classes = {
    PINSIGHT_TITLED("Sizes", "by routine and largest dimension", "size_classes", columns),
    .make = class_rows,
    .screen = "total_ns self_ns calls mean_ns gflops peak_percent routine up_to",
    .json =
        "routine up_to calls nested_calls total_ns self_ns mean_ns gflops peak_share operations",
};

static const struct pinsight_table libraries = {
    PINSIGHT_TITLED("Libraries", "by time", "libraries", columns),
    .make = library_rows,
    .screen = "total_ns self_ns calls gflops peak_percent threads library_name",
    .json = "library calls nested_calls total_ns self_ns gflops peak_share operations "
            "least_threads most_threads",
};

static const struct pinsight_table *const tables[] = {&routines, &lines, &classes, &libraries,
                                                      NULL};

/* Returns whether any row has more than 100 % of the peak. */
static bool is_exceeded(const struct pinsight_report *report) {
    typedef struct pinsight_blas_row *maker(const struct pinsight_report *, size_t *);
    static maker *const makers[] = {pinsight_blas_lines, pinsight_blas_size_classes,
                                    pinsight_blas_libraries};
    bool exceeded = false;

    for (size_t m = 0; m < sizeof(makers) / sizeof(*makers); m++) {
        size_t count;
        struct pinsight_blas_row *rows = makers[m](report, &count);
        for (size_t i = 0; i < count; i++)
            exceeded |= rows[i].peak_ns > (double)rows[i].total_ns;
        free(rows);
    }
    return exceeded;
}

static void print_screen(const struct pinsight_report *report, FILE *out, size_t limit);

static const char *none(const struct pinsight_report *report) {
    return pinsight_report_has_domain(report, "BLAS")
               ? "BLAS was there, and none of its calls was recorded: its mode or a window left "
                 "all of them out."
               : "No call of BLAS or LAPACK was recorded: the program made none, its domain was "
                 "off (--domains), or the program has its BLAS in itself.";
}

static const struct pinsight_section section = {
    PINSIGHT_SECTION("blas", "BLAS", 5, pinsight_blas_seen, none),
    .about = "BLAS and LAPACK: time, sizes and GFLOP/s by routine and by line, in place of the\n"
             "tables",
    .example = "how fast matrix products are",
    .next = "GFLOP/s by routine and by line",
    .suggested = pinsight_blas_matters,
    .screen = print_screen,
    .tables = tables,
    .lines = &lines,
};

static void print_screen(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (!pinsight_blas_seen(report)) {
        pinsight_section_nothing(&section, report, out);
        return;
    }
    for (size_t i = 0; tables[i]; i++)
        pinsight_section_print(report, out, tables[i], limit);
    pinsight_blas_peak_note(report, out, is_exceeded(report));
}

const struct pinsight_section *const pinsight_blas_sections[] = {&section, NULL};

void pinsight_blas_brief(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (pinsight_blas_seen(report))
        pinsight_section_print(report, out, &routines, limit);
}

static void write_peak(const struct pinsight_report *report, struct pinsight_json *json) {
    struct pinsight_peak peak;

    if (!pinsight_blas_peak(report, &peak)) {
        pinsight_json_null(json, "peak");
        return;
    }
    pinsight_json_open(json, "peak", '{');
    pinsight_json_string(json, "processor", peak.processor);
    pinsight_json_unsigned(json, "processors", peak.processors);
    pinsight_json_real(json, "double_one_gflops", pinsight_peak_of(&peak, PINSIGHT_DOUBLE, 1));
    pinsight_json_real(json, "double_all_gflops", pinsight_peak_of(&peak, PINSIGHT_DOUBLE, 0));
    pinsight_json_real(json, "single_one_gflops", pinsight_peak_of(&peak, PINSIGHT_SINGLE, 1));
    pinsight_json_real(json, "single_all_gflops", pinsight_peak_of(&peak, PINSIGHT_SINGLE, 0));
    pinsight_json_close(json, '}');
}

void pinsight_blas_json(const struct pinsight_report *report, struct pinsight_json *json,
                        size_t limit) {
    const struct reader_calls *calls = calls_of(report);

    if (!calls)
        return;
    pinsight_json_open(json, "blas", '{');
    pinsight_json_unsigned(json, "calls", calls->calls);
    write_peak(report, json);
    pinsight_report_list(report, json, &routines, limit);
    pinsight_report_list(report, json, &lines, limit);
    pinsight_report_list(report, json, &classes, limit);
    pinsight_report_list(report, json, &libraries, limit);
    pinsight_json_close(json, '}');
}
