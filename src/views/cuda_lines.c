/* CUDA on a screen. */
#include "views/cuda.h"

#include "reader/mem.h"
#include "views/cells.h"
#include "views/head.h"
#include "views/links.h"
#include "views/text.h"
#include "views/units.h"

#include <inttypes.h>
#include <stdlib.h>

bool pinsight_cuda_seen(const struct pinsight_report *report) {
    const struct pinsight_cuda *cuda = report->model->cuda;

    return cuda && (cuda->site_count || cuda->stream_count);
}

struct pinsight_cuda_devices pinsight_cuda_devices_of(const struct pinsight_report *report) {
    const struct pinsight_cuda *cuda = report->model->cuda;
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

/* "120 kernels, 30 copies (4.0 MiB to the device, 2.0 MiB from it)"; to be freed. */
static char *what_was_done(const struct pinsight_cuda_devices *all) {
    char kernels[PINSIGHT_UNITS_SIZE], copies[PINSIGHT_UNITS_SIZE];
    char to[PINSIGHT_UNITS_SIZE], from[PINSIGHT_UNITS_SIZE];
    uint64_t copied = all->count[PINSIGHT_CUDA_COPY];

    pinsight_units_count(kernels, all->count[PINSIGHT_CUDA_KERNEL]);
    if (!copied)
        return pinsight_format("%s kernel%s", kernels, plural(all->count[PINSIGHT_CUDA_KERNEL]));
    return pinsight_format("%s kernel%s, %s %s (%s to it, %s back)", kernels,
                           plural(all->count[PINSIGHT_CUDA_KERNEL]),
                           pinsight_units_count(copies, copied), copied == 1 ? "copy" : "copies",
                           pinsight_units_size(to, all->bytes[PINSIGHT_CUDA_TO_DEVICE]),
                           pinsight_units_size(from, all->bytes[PINSIGHT_CUDA_FROM_DEVICE]));
}

void pinsight_cuda_lines(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_links_work *work = &report->links->all[PINSIGHT_LINKS_CUDA];
    struct pinsight_cuda_devices all = pinsight_cuda_devices_of(report);
    char time[PINSIGHT_UNITS_SIZE], calls[PINSIGHT_UNITS_SIZE], waiting[PINSIGHT_UNITS_SIZE];
    char *done;

    if (work->calls)
        fprintf(out, "CUDA %s in %s call%s, of it %s waiting for devices\n",
                pinsight_units_time(time, work->wall_ns), pinsight_units_count(calls, work->calls),
                plural(work->calls), pinsight_units_time(waiting, work->waiting_ns));
    if (!all.streams)
        return;
    done = what_was_done(&all);
    fprintf(out, "%s%" PRIu32 " stream%s of devices busy for %s: %s\n",
            work->calls ? "   " : "CUDA: ", all.streams, plural(all.streams),
            pinsight_units_time(time, all.busy_ns), done);
    free(done);
}

static int by_time(const void *left, const void *right, void *data) {
    const struct pinsight_cuda_work *works = data;
    const struct pinsight_cuda_work *a = &works[*(const uint32_t *)left];
    const struct pinsight_cuda_work *b = &works[*(const uint32_t *)right];

    if (a->total_ns != b->total_ns)
        return a->total_ns < b->total_ns ? 1 : -1;
    return a->count != b->count ? (a->count < b->count ? 1 : -1) : (a > b) - (a < b);
}

void pinsight_section_cuda_brief(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_cuda *cuda = report->model->cuda;
    struct pinsight_table table = pinsight_section_table(report);
    struct pinsight_cuda_devices all = pinsight_cuda_devices_of(report);
    char size[PINSIGHT_UNITS_SIZE];
    uint32_t *order;
    size_t count = 0, shown;

    if (!all.streams)
        return;
    order = pinsight_calloc(cuda->work_count + 1, sizeof(*order));
    for (uint32_t i = 0; i < cuda->work_count; i++)
        if (cuda->works[i].count)
            order[count++] = i;
    qsort_r(order, count, sizeof(*order), by_time, cuda->works);
    shown = pinsight_section_rows(report, out, "Work of devices", "by time", count, limit);
    pinsight_table_column(&table, "time", PINSIGHT_RIGHT, PINSIGHT_BOLD);
    pinsight_table_column(&table, "%", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "times", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "mean", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "max", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "bytes", PINSIGHT_RIGHT, PINSIGHT_PLAIN);
    pinsight_table_column(&table, "kernel or copying", PINSIGHT_FLEXIBLE, PINSIGHT_CUDA);
    for (size_t i = 0; i < shown; i++) {
        const struct pinsight_cuda_work *work = &cuda->works[order[i]];

        pinsight_time_cell(&table, work->total_ns);
        pinsight_share_cell(&table, work->total_ns, all.busy_ns);
        pinsight_number_cell(&table, work->count);
        pinsight_time_cell(&table, work->total_ns / work->count);
        pinsight_time_cell(&table, work->max_ns);
        pinsight_table_cell(
            &table, pinsight_strdup(work->bytes ? pinsight_units_size(size, work->bytes) : "-"));
        pinsight_table_cell(&table,
                            pinsight_text_clean(pinsight_report_string(report, work->name)));
    }
    pinsight_table_print(&table, out);
    free(order);
}
