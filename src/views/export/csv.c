/* Writes one row a slice, in the order in which slices end, for pandas, DuckDB, Polars and
 * spreadsheets. The form is RFC 4180 in UTF-8, and the first line has the columns' names. */
#include "base/escape.h"
#include "base/utf8.h"
#include "views/export/formats.h"
#include "views/kit/table.h"

#include <inttypes.h>

static bool is_plain(const char *text) {
    while (*text >= ' ' && *text <= '~' && *text != ',' && *text != '"')
        text++;
    return !*text;
}

static bool is_kept(uint32_t point) {
    return pinsight_utf8_is_printable(point) || point == '\n' || point == '\r' || point == '\t';
}

/* Writes a text, in quotes if it needs them, and never as a formula. Bytes outside UTF-8 and
 * unprintable characters become \xNN for each byte. Line ends and tabs are kept. */
static void write_text(FILE *out, const char *text) {
    if (is_plain(text) && !pinsight_csv_is_formula(text))
        fputs(text, out);
    else
        pinsight_csv_quote(out, pinsight_escape_if(text, is_kept));
}

static void write_end(void *data, struct pinsight_track *track, const struct pinsight_slice *slice,
                      uint64_t ns) {
    struct pinsight_export *export = data;
    struct pinsight_row_place place = pinsight_row_place_of(track);
    struct pinsight_slice_text text;
    FILE *out = export->out;

    pinsight_slice_text(&export->texts, slice, &text);
    export->slices++;
    fprintf(out, "%" PRId64 ",%" PRIu32 ",%" PRId64 ",%zu,%s,", place.pid, place.tid,
            place.python_thread, track->depth - 1, text.category);
    write_text(out, text.name);
    putc(',', out);
    write_text(out, text.file);
    fprintf(out, ",%" PRId32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, text.line, slice->begin_ns,
            ns - slice->begin_ns, slice->bytes);
    if (track->stream)
        fprintf(out, ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRIu32 ",0\n", place.device,
                place.context, place.stream, slice->correlation);
    else if (slice->correlation || slice->generator)
        fprintf(out, ",-1,-1,-1,%" PRIu32 ",%" PRIu32 "\n", slice->correlation, slice->generator);
    else
        fputs(",-1,-1,-1,0,0\n", out);
}

static int begin(struct pinsight_export *export) {
    fputs("pid,tid,python_thread,depth,category,name,file,line,begin_ns,duration_ns,bytes,device,"
          "context,stream,correlation,generator\n",
          export->out);
    return 0;
}

const struct pinsight_export_format pinsight_export_csv = {
    .name = "csv",
    .suffix = ".csv",
    .about = "one row a slice: pandas, DuckDB, Polars",
    .timeline = {.streams = true, .ranges = true, .end = write_end},
    .begin = begin,
};
