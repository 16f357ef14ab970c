/* The report's section on CUDA. */
#include "views/cuda/cuda.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "base/units.h"
#include "views/cuda/idle.h"
#include "views/process_name.h"
#include "views/report/attribution.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <inttypes.h>
#include <stdlib.h>

bool pinsight_cuda_seen(const struct pinsight_report *report) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(report->model);

    return cuda && (cuda->site_count || cuda->stream_count);
}

struct pinsight_cuda_devices pinsight_cuda_devices_of(const struct pinsight_report *report) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(report->model);
    struct pinsight_cuda_devices all = {0};

    for (size_t i = 0; cuda && i < cuda->stream_count; i++) {
        const struct pinsight_cuda_stream *stream = cuda->streams[i];

        all.streams++;
        for (size_t t = 0; t < PINSIGHT_CUDA_TYPES; t++) {
            all.count[t] += stream->count[t];
            all.busy_ns += stream->busy_ns[t];
        }
        for (size_t d = 0; d < PINSIGHT_CUDA_DIRECTIONS; d++)
            all.bytes[d] += stream->bytes[d];
    }
    return all;
}

static const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

/* Returns a text such as "120 kernels, 30 copies (4.0 MiB to it, 2.0 MiB back)". The caller frees
 * it. */
static char *what_was_done(const struct pinsight_cuda_devices *all) {
    struct pinsight_units kernels = pinsight_units_count(all->count[PINSIGHT_CUDA_KERNEL]);
    uint64_t copied = all->count[PINSIGHT_CUDA_COPY];

    if (!copied)
        return pinsight_format("%s kernel%s", kernels.text,
                               plural(all->count[PINSIGHT_CUDA_KERNEL]));
    return pinsight_format("%s kernel%s, %s %s (%s to it, %s back)", kernels.text,
                           plural(all->count[PINSIGHT_CUDA_KERNEL]),
                           pinsight_units_count(copied).text, copied == 1 ? "copy" : "copies",
                           pinsight_units_size(all->bytes[PINSIGHT_CUDA_TO_DEVICE]).text,
                           pinsight_units_size(all->bytes[PINSIGHT_CUDA_FROM_DEVICE]).text);
}

/* Writes the sums of the program's calls, and of the work of streams. */
static void print_sums(const struct pinsight_report *report, FILE *out, bool few) {
    const struct pinsight_attribution_work *work = &report->attribution->all[READER_CUDA];
    struct pinsight_cuda_devices all = pinsight_cuda_devices_of(report);
    char *done;

    if (work->calls)
        pinsight_head_line(
            report, out, "CUDA %s in %s call%s" PINSIGHT_HEAD_PART ", of it %s waiting for devices",
            pinsight_units_time(work->wall_ns).text, pinsight_units_count(work->calls).text,
            plural(work->calls), pinsight_units_time(work->waiting_ns).text);
    if (!all.streams || (few && work->calls))
        return;
    done = what_was_done(&all);
    pinsight_paragraph(
        out, false, PINSIGHT_PLAIN, report->options.width,
        work->calls ? "   " : "CUDA: ", "%" PRIu32 " stream%s of devices busy for %s: %s",
        all.streams, plural(all.streams), pinsight_units_time(all.busy_ns).text, done);
    free(done);
}

void pinsight_cuda_lines(const struct pinsight_report *report, FILE *out, bool few) {
    print_sums(report, out, few);
    pinsight_cuda_busy_lines(report, out);
}

static const char *type_word(unsigned type) {
    static const char *const words[] = {"kernel", "copy", "set", "graph"};

    return type < PINSIGHT_CUDA_TYPES ? words[type] : "?";
}

HAS(was_done, struct pinsight_cuda_work, row->count != 0)

VALUE(work_share, struct pinsight_cuda_work,
      pinsight_value_share(row->total_ns, pinsight_cuda_devices_of(report).busy_ns))

VALUE(work_mean, struct pinsight_cuda_work, pinsight_value_number(row->total_ns / row->count))

/* Returns bytes per second, for copies. */
VALUE(work_rate, struct pinsight_cuda_work,
      row->bytes && row->total_ns
          ? pinsight_value_number((uint64_t)((double)row->bytes * 1e9 / (double)row->total_ns))
          : pinsight_value_none())

#define W(member) MEMBER(struct pinsight_cuda_work, member)
static const struct pinsight_column work_columns[] = {
    COLUMN("type", NULL, WORD, W(type), .word = type_word),
    FIELD(STRING_NUMBER, W, name),
    COLUMN("shown", "kernel or copying", STRING_NUMBER, W(shown), .align = PINSIGHT_FLEXIBLE_END,
           .style = PINSIGHT_DEVICE),
    COLUMN("count", "times", COUNT, W(count)),
    COLUMN("total_ns", "time", NS, W(total_ns), .style = PINSIGHT_BOLD),
    GETTER("share", "%", SHARE, work_share),
    GETTER("mean", "mean", NS, work_mean),
    FIELD(NS, W, min_ns),
    COLUMN("max_ns", "max", NS, W(max_ns)),
    FIELD(BYTES, W, bytes),
    COLUMN("copied", "bytes", BYTES, W(bytes), .needs = W(bytes)),
    GETTER("bytes_per_s", "a second", BYTES, work_rate),
};

static int by_time(const void *left, const void *right) {
    const struct pinsight_cuda_work *a = *(const struct pinsight_cuda_work *const *)left;
    const struct pinsight_cuda_work *b = *(const struct pinsight_cuda_work *const *)right;

    return BY(b->total_ns, a->total_ns) ?: BY(b->count, a->count) ?: BY(a, b);
}

/* Returns the kinds of work that occurred, sorted by time. */
static struct pinsight_rows works_by_time(const void *report) {
    const struct pinsight_cuda *cuda =
        pinsight_model_cuda(((const struct pinsight_report *)report)->model);
    size_t most = cuda ? cuda->work_count : 0, count = 0;
    const struct pinsight_cuda_work **order = pinsight_calloc(most + 1, sizeof(*order));

    for (size_t i = 0; i < most; i++)
        if (cuda->works[i].count)
            order[count++] = &cuda->works[i];
    PINSIGHT_SORT(order, count, by_time);
    return PINSIGHT_MADE_POINTERS(order, count);
}

static const struct pinsight_table works = {
    PINSIGHT_TITLED("Work of devices", "by time", "work", work_columns),
    .empty = true,
    .make = works_by_time,
    .has = was_done,
    .screen = "total_ns share count mean max_ns copied bytes_per_s shown",
    .json = "type name count total_ns min_ns max_ns bytes",
    .csv = "type name count total_ns min_ns max_ns bytes bytes_per_s",
};

static struct pinsight_value stream_busy(const void *view, const void *row) {
    const struct pinsight_cuda_stream *stream = row;
    uint64_t busy = 0;

    for (size_t t = 0; t < PINSIGHT_CUDA_TYPES; t++)
        busy += stream->busy_ns[t];
    return pinsight_value_number(busy);
}

VALUE(process_name, struct pinsight_process, pinsight_value_owned(view_process_name(row)))

#define P(member) MEMBER(struct pinsight_process, member)
static const struct pinsight_column process_columns[] = {
    COLUMN("pid", NULL, SIGNED, P(pid)),
    GETTER("process", "process", TEXT, process_name, .align = PINSIGHT_LEFT),
    FIELD(SIGNED, P, rank),
};
static const struct pinsight_table processes = {PINSIGHT_COLUMNS(process_columns)};

#define T(member) MEMBER(struct pinsight_cuda_stream, member)
static const struct pinsight_column stream_columns[] = {
    INNER(NULL, &processes, T(base.process), .pointer = true),
    COLUMN("device", "GPU", ID, T(base.device)),
    COLUMN("context", "context", ID, T(base.context)),
    COLUMN("stream", "stream", ID, T(base.number)),
    COLUMN("kernels", "kernels", COUNT, T(count[PINSIGHT_CUDA_KERNEL])),
    COLUMN("copies", "copies", COUNT, T(count[PINSIGHT_CUDA_COPY])),
    COLUMN("sets", "sets", COUNT, T(count[PINSIGHT_CUDA_SET])),
    COLUMN("graphs", "graphs", COUNT, T(count[PINSIGHT_CUDA_GRAPH])),
    GETTER("busy_ns", "busy", NS, stream_busy, .style = PINSIGHT_BOLD),
    COLUMN("kernel_ns", NULL, NS, T(busy_ns[PINSIGHT_CUDA_KERNEL])),
    COLUMN("copy_ns", NULL, NS, T(busy_ns[PINSIGHT_CUDA_COPY])),
    COLUMN("to_device_bytes", "to it", BYTES, T(bytes[PINSIGHT_CUDA_TO_DEVICE]), .width = 90),
    COLUMN("from_device_bytes", "from it", BYTES, T(bytes[PINSIGHT_CUDA_FROM_DEVICE]), .width = 90),
    COLUMN("begin_ns", NULL, NS, T(first_ns)),
    COLUMN("end_ns", NULL, NS, T(last_ns)),
};
static const struct pinsight_table streams = {
    PINSIGHT_TITLED("Streams", "by time", "streams", stream_columns),
    .screen = "busy_ns kernels copies sets graphs to_device_bytes from_device_bytes process device "
              "context stream",
    .json = "pid rank device context stream kernels copies sets graphs busy_ns kernel_ns copy_ns "
            "to_device_bytes from_device_bytes begin_ns end_ns",
};

#define C(member) MEMBER(struct pinsight_cuda, member)
static const struct pinsight_column record_columns[] = {
    COLUMN("work", NULL, COUNT, C(records)),
    FIELDS(COUNT, C, without_call, without_times, shortened),
    FIELD(NS, C, shortened_ns),
    COLUMN("calls_without", NULL, COUNT, C(unanswered)),
    COLUMN("calls_captured", NULL, COUNT, C(captured)),
    COLUMN("calls_awaited", NULL, COUNT, C(awaited)),
    COLUMN("calls_unclear", NULL, COUNT, C(unclear)),
    FIELD(COUNT, C, waits),
    FIELD(NS, C, waits_ns),
    FIELDS(COUNT, C, dropped, taken_over, kept_back, calibrated),
    FIELD(NS, C, clock_error_ns),
    COLUMN("begins_checked", NULL, COUNT, C(early.checked)),
    COLUMN("early", NULL, COUNT, C(early.count)),
    COLUMN("early_ns", NULL, NS, C(early.most_ns)),
    COLUMN("ends_checked", NULL, COUNT, C(late.checked)),
    COLUMN("late", NULL, COUNT, C(late.count)),
    COLUMN("late_ns", NULL, NS, C(late.most_ns)),
};
static const struct pinsight_table records = {PINSIGHT_COLUMNS(record_columns)};

static int by_busy(const void *left, const void *right) {
    const struct pinsight_cuda_stream *a = *(const struct pinsight_cuda_stream *const *)left;
    const struct pinsight_cuda_stream *b = *(const struct pinsight_cuda_stream *const *)right;

    return BY(stream_busy(NULL, b).number, stream_busy(NULL, a).number)
               ?: BY(a->base.process->index, b->base.process->index)
               ?: BY(a->base.device, b->base.device)
               ?: BY(a->base.context, b->base.context)
               ?: BY(a->base.number, b->base.number);
}

static void print_streams(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(report->model);
    struct pinsight_cuda_stream **order = pinsight_calloc(cuda->stream_count + 1, sizeof(*order));

    for (size_t i = 0; i < cuda->stream_count; i++)
        order[i] = cuda->streams[i];
    PINSIGHT_SORT(order, cuda->stream_count, by_busy);
    pinsight_section_print_rows(report, out, &streams,
                                PINSIGHT_ROW_POINTERS(order, cuda->stream_count), limit);
    free(order);
}

static bool has_work(const struct pinsight_report *report) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(report->model);

    return cuda && cuda->stream_count;
}

void pinsight_section_cuda_brief(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (has_work(report))
        pinsight_section_print(report, out, &works, limit);
}

static const char *none(const struct pinsight_report *report) {
    return pinsight_cuda_seen(report)
               ? "CUDA was called, but there is no record of what devices did."
               : "There is no call of CUDA in this trace.";
}

static const struct pinsight_section section;

static void print_cuda(const struct pinsight_report *report, FILE *out, size_t limit) {
    print_sums(report, out, false);
    if (!has_work(report)) {
        pinsight_cuda_calls_print(report, out, limit);
        pinsight_section_nothing(&section, report, out);
        return;
    }
    pinsight_section_print(report, out, &pinsight_device_table, limit);
    pinsight_section_print(report, out, &pinsight_idle_table, limit);
    pinsight_cuda_idle_notes(report, out);
    pinsight_section_print(report, out, &pinsight_others_table, limit > 4 ? 4 : limit);
    pinsight_section_cuda_brief(report, out, limit);
    print_streams(report, out, limit);
    pinsight_cuda_calls_print(report, out, limit);
}

static const struct pinsight_section section = {
    PINSIGHT_SECTION("cuda", "CUDA", 5, has_work, none),
    .about = "CUDA: devices, reasons of idle time, work and streams, in place of the tables",
    .example = "why devices were idle",
    .next = "devices, why they were idle",
    .lines = &works,
    .screen = print_cuda,
};

const struct pinsight_section *const pinsight_cuda_sections[] = {&section, NULL};

void pinsight_cuda_json(const struct pinsight_report *report, struct pinsight_json *json,
                        size_t limit) {
    struct pinsight_printing printing = pinsight_report_printing(report);
    static const struct pinsight_cuda nothing;
    const struct pinsight_cuda *cuda = pinsight_model_cuda(report->model) ?: &nothing;

    pinsight_json_open(json, "cuda", '{');
    pinsight_json_unsigned(json, "calls", cuda->calls);
    pinsight_cuda_calls_json(report, json);
    pinsight_table_json(&works, &printing, PINSIGHT_ROWS(cuda->works, cuda->work_count), limit,
                        json);
    pinsight_table_json(&streams, &printing,
                        PINSIGHT_ROW_POINTERS(cuda->streams, cuda->stream_count), 0, json);
    pinsight_report_list(report, json, &pinsight_device_table, 0);
    pinsight_report_list(report, json, &pinsight_idle_table, limit);
    pinsight_report_list(report, json, &pinsight_others_table, limit);
    pinsight_json_unsigned(json, "idle_coarse_ns", pinsight_idle_of(report)->coarse_ns);
    pinsight_row_json(&records, &printing, cuda, "records", json);
    pinsight_json_close(json, '}');
}
