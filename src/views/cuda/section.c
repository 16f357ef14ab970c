/* CUDA in a report. */
#include "views/cuda/cuda.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "base/units.h"
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

/* "120 kernels.text, 30 copies (4.0 MiB to the device, 2.0 MiB from it)"; to be freed. */
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

void pinsight_cuda_lines(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_attribution_work *work = &report->attribution->all[READER_CUDA];
    struct pinsight_cuda_devices all = pinsight_cuda_devices_of(report);
    char *done;

    if (work->calls)
        fprintf(out, "CUDA %s in %s call%s, of it %s waiting for devices\n",
                pinsight_units_time(work->wall_ns).text, pinsight_units_count(work->calls).text,
                plural(work->calls), pinsight_units_time(work->waiting_ns).text);
    if (!all.streams)
        return;
    done = what_was_done(&all);
    fprintf(out, "%s%" PRIu32 " stream%s of devices busy for %s: %s\n",
            work->calls ? "   " : "CUDA: ", all.streams, plural(all.streams),
            pinsight_units_time(all.busy_ns).text, done);
    free(done);
}

/* Sites of one function together. */
#define S(member) MEMBER(struct pinsight_cuda_site, member)
VALUE(function_name, struct pinsight_cuda_site,
      pinsight_value_text(pinsight_report_string(
          report, pinsight_model_cuda(report->model)->functions[row->function].name)))

static const struct pinsight_column function_columns[] = {
    GETTER("name", NULL, STRING, function_name),
    COLUMN("calls", NULL, COUNT, S(calls)),
    COLUMN("failed", NULL, COUNT, S(failed)),
    COLUMN("open", NULL, COUNT, S(open)),
    COLUMN("total_ns", NULL, NS, S(total_ns)),
    COLUMN("min_ns", NULL, NS, S(min_ns)),
    COLUMN("max_ns", NULL, NS, S(max_ns)),
    COLUMN("works", NULL, COUNT, S(works)),
    COLUMN("device_ns", NULL, NS, S(device_ns)),
    COLUMN("to_device_bytes", NULL, BYTES, S(bytes[PINSIGHT_CUDA_TO_DEVICE])),
    COLUMN("from_device_bytes", NULL, BYTES, S(bytes[PINSIGHT_CUDA_FROM_DEVICE])),
};

HAS(was_called, struct pinsight_cuda_site, row->calls || row->open)

static const struct pinsight_table functions = {
    .key = "functions",
    PINSIGHT_COLUMNS(function_columns),
    .has = was_called,
};

static void write_functions(const struct pinsight_cuda *cuda,
                            const struct pinsight_printing *printing, struct pinsight_json *json) {
    struct pinsight_cuda_site *sums = pinsight_calloc(cuda->function_count + 1, sizeof(*sums));

    for (size_t i = 0; i < cuda->site_count; i++) {
        const struct pinsight_cuda_site *site = &cuda->sites[i];
        struct pinsight_cuda_site *sum = &sums[site->function];

        if (site->calls)
            pinsight_extremes_add(&sum->min_ns, &sum->max_ns, !sum->calls, site->min_ns,
                                  site->max_ns);
        sum->function = site->function;
        sum->calls += site->calls;
        sum->open += site->open;
        sum->failed += site->failed;
        sum->total_ns += site->total_ns;
        sum->works += site->works;
        sum->device_ns += site->device_ns;
        for (size_t d = 0; d < PINSIGHT_CUDA_DIRECTIONS; d++)
            sum->bytes[d] += site->bytes[d];
    }
    pinsight_table_json(&functions, printing, PINSIGHT_ROWS(sums, cuda->function_count), 0, json);
    free(sums);
}

static const char *type_word(unsigned type) {
    static const char *const words[] = {"kernel", "copy", "set", "graph"};

    return type < PINSIGHT_CUDA_TYPES ? words[type] : "?";
}

HAS(was_done, struct pinsight_cuda_work, row->count != 0)

VALUE(work_share, struct pinsight_cuda_work,
      pinsight_value_share(row->total_ns, pinsight_cuda_devices_of(report).busy_ns))

VALUE(work_mean, struct pinsight_cuda_work, pinsight_value_number(row->total_ns / row->count))

#define W(member) MEMBER(struct pinsight_cuda_work, member)
static const struct pinsight_column work_columns[] = {
    COLUMN("type", NULL, WORD, W(type), .word = type_word),
    COLUMN("name", "kernel or copying", STRING_NUMBER, W(name), NAMES_IN(DEVICE)),
    COLUMN("count", "times", COUNT, W(count)),
    COLUMN("total_ns", "time", NS, W(total_ns), .style = PINSIGHT_BOLD),
    GETTER("share", "%", SHARE, work_share),
    GETTER("mean", "mean", NS, work_mean),
    COLUMN("min_ns", NULL, NS, W(min_ns)),
    COLUMN("max_ns", "max", NS, W(max_ns)),
    COLUMN("bytes", NULL, BYTES, W(bytes)),
    COLUMN("copied", "bytes", BYTES, W(bytes), .needs = W(bytes)),
};

static const struct pinsight_table works = {
    .title = "Work of devices",
    .remark = "by time",
    .empty = true,
    .key = "work",
    PINSIGHT_COLUMNS(work_columns),
    .has = was_done,
    .screen = "total_ns share count mean max_ns copied name",
    .json = "type name count total_ns min_ns max_ns bytes",
};

static struct pinsight_value stream_busy(const void *view, const void *row) {
    const struct pinsight_cuda_stream *stream = row;
    uint64_t busy = 0;

    for (size_t t = 0; t < PINSIGHT_CUDA_TYPES; t++)
        busy += stream->busy_ns[t];
    return pinsight_value_number(busy);
}

#define P(member) MEMBER(struct pinsight_process, member)
static const struct pinsight_column process_columns[] = {
    COLUMN("pid", NULL, SIGNED, P(pid)),
    COLUMN("rank", NULL, SIGNED, P(rank)),
};
static const struct pinsight_table processes = {PINSIGHT_COLUMNS(process_columns)};

#define T(member) MEMBER(struct pinsight_cuda_stream, member)
static const struct pinsight_column stream_columns[] = {
    INNER(NULL, &processes, T(base.process), .pointer = true),
    COLUMN("device", NULL, ID, T(base.device)),
    COLUMN("context", NULL, ID, T(base.context)),
    COLUMN("stream", NULL, ID, T(base.number)),
    COLUMN("kernels", NULL, COUNT, T(count[PINSIGHT_CUDA_KERNEL])),
    COLUMN("copies", NULL, COUNT, T(count[PINSIGHT_CUDA_COPY])),
    COLUMN("sets", NULL, COUNT, T(count[PINSIGHT_CUDA_SET])),
    COLUMN("graphs", NULL, COUNT, T(count[PINSIGHT_CUDA_GRAPH])),
    GETTER("busy_ns", NULL, NS, stream_busy),
    COLUMN("kernel_ns", NULL, NS, T(busy_ns[PINSIGHT_CUDA_KERNEL])),
    COLUMN("copy_ns", NULL, NS, T(busy_ns[PINSIGHT_CUDA_COPY])),
    COLUMN("to_device_bytes", NULL, BYTES, T(bytes[PINSIGHT_CUDA_TO_DEVICE])),
    COLUMN("from_device_bytes", NULL, BYTES, T(bytes[PINSIGHT_CUDA_FROM_DEVICE])),
    COLUMN("begin_ns", NULL, NS, T(first_ns)),
    COLUMN("end_ns", NULL, NS, T(last_ns)),
};
static const struct pinsight_table streams = {.key = "streams", PINSIGHT_COLUMNS(stream_columns)};

#define C(member) MEMBER(struct pinsight_cuda, member)
static const struct pinsight_column record_columns[] = {
    COLUMN("work", NULL, COUNT, C(records)),
    COLUMN("without_call", NULL, COUNT, C(without_call)),
    COLUMN("without_times", NULL, COUNT, C(without_times)),
    COLUMN("shortened", NULL, COUNT, C(shortened)),
    COLUMN("shortened_ns", NULL, NS, C(shortened_ns)),
    COLUMN("calls_without", NULL, COUNT, C(unanswered)),
    COLUMN("waits", NULL, COUNT, C(waits)),
    COLUMN("waits_ns", NULL, NS, C(waits_ns)),
};
static const struct pinsight_table records = {PINSIGHT_COLUMNS(record_columns)};

static int by_time(const void *left, const void *right) {
    const struct pinsight_cuda_work *a = *(const struct pinsight_cuda_work *const *)left;
    const struct pinsight_cuda_work *b = *(const struct pinsight_cuda_work *const *)right;

    return BY(b->total_ns, a->total_ns) ?: BY(b->count, a->count) ?: BY(a, b);
}

void pinsight_section_cuda_brief(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(report->model);
    const struct pinsight_cuda_work **order;
    size_t count = 0;

    if (!cuda || !cuda->stream_count)
        return;
    order = pinsight_calloc(cuda->work_count + 1, sizeof(*order));
    for (size_t i = 0; i < cuda->work_count; i++)
        if (cuda->works[i].count)
            order[count++] = &cuda->works[i];
    PINSIGHT_SORT(order, count, by_time);
    pinsight_section_print_rows(report, out, &works, PINSIGHT_ROW_POINTERS(order, count), limit);
    free(order);
}

void pinsight_cuda_json(const struct pinsight_report *report, struct pinsight_json *json,
                        size_t limit) {
    struct pinsight_printing printing = pinsight_report_printing(report);
    const struct pinsight_cuda *cuda = pinsight_model_cuda(report->model);

    pinsight_json_open(json, "cuda", '{');
    pinsight_json_unsigned(json, "calls", cuda->calls);
    write_functions(cuda, &printing, json);
    pinsight_table_json(&works, &printing, PINSIGHT_ROWS(cuda->works, cuda->work_count), limit,
                        json);
    pinsight_table_json(&streams, &printing,
                        PINSIGHT_ROW_POINTERS(cuda->streams, cuda->stream_count), 0, json);
    pinsight_row_json(&records, &printing, cuda, "records", json);
    pinsight_json_close(json, '}');
}
