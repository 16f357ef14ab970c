/* CUDA as JSON; docs/report-json.md describes it. */
#include "views/cuda.h"

#include "reader/mem.h"

#include <stdlib.h>

static const char *type_word(unsigned type) {
    static const char *const words[] = {"kernel", "copy", "set"};

    return type < PINSIGHT_CUDA_TYPES ? words[type] : "?";
}

/* Sites of one function together. */
static void write_functions(const struct pinsight_cuda *cuda, struct pinsight_json *json,
                            const struct pinsight_report *report) {
    struct pinsight_cuda_site *sums = pinsight_calloc(cuda->function_count + 1, sizeof(*sums));

    for (size_t i = 0; i < cuda->site_count; i++) {
        const struct pinsight_cuda_site *site = &cuda->sites[i];
        struct pinsight_cuda_site *sum = &sums[site->function];

        if (site->calls && (!sum->calls || site->min_ns < sum->min_ns))
            sum->min_ns = site->min_ns;
        if (site->max_ns > sum->max_ns)
            sum->max_ns = site->max_ns;
        sum->calls += site->calls;
        sum->open += site->open;
        sum->failed += site->failed;
        sum->total_ns += site->total_ns;
        sum->works += site->works;
        sum->device_ns += site->device_ns;
        for (size_t d = 0; d < PINSIGHT_CUDA_DIRECTIONS; d++)
            sum->bytes[d] += site->bytes[d];
    }
    pinsight_json_open(json, "functions", '[');
    for (size_t i = 0; i < cuda->function_count; i++) {
        const struct pinsight_cuda_site *sum = &sums[i];

        if (!sum->calls && !sum->open)
            continue;
        pinsight_json_open(json, NULL, '{');
        pinsight_json_string(json, "name", pinsight_report_string(report, cuda->functions[i].name));
        pinsight_json_unsigned(json, "calls", sum->calls);
        pinsight_json_unsigned(json, "failed", sum->failed);
        pinsight_json_unsigned(json, "open", sum->open);
        pinsight_json_unsigned(json, "total_ns", sum->total_ns);
        pinsight_json_unsigned(json, "min_ns", sum->min_ns);
        pinsight_json_unsigned(json, "max_ns", sum->max_ns);
        pinsight_json_unsigned(json, "works", sum->works);
        pinsight_json_unsigned(json, "device_ns", sum->device_ns);
        pinsight_json_unsigned(json, "to_device_bytes", sum->bytes[PINSIGHT_CUDA_TO_DEVICE]);
        pinsight_json_unsigned(json, "from_device_bytes", sum->bytes[PINSIGHT_CUDA_FROM_DEVICE]);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
    free(sums);
}

static void write_works(const struct pinsight_cuda *cuda, struct pinsight_json *json,
                        const struct pinsight_report *report, size_t limit) {
    size_t shown = 0;

    pinsight_json_open(json, "work", '[');
    for (size_t i = 0; i < cuda->work_count && (!limit || shown < limit); i++) {
        const struct pinsight_cuda_work *work = &cuda->works[i];

        if (!work->count)
            continue;
        shown++;
        pinsight_json_open(json, NULL, '{');
        pinsight_json_string(json, "type", type_word(work->type));
        pinsight_json_string(json, "name", pinsight_report_string(report, work->name));
        pinsight_json_unsigned(json, "count", work->count);
        pinsight_json_unsigned(json, "total_ns", work->total_ns);
        pinsight_json_unsigned(json, "min_ns", work->min_ns);
        pinsight_json_unsigned(json, "max_ns", work->max_ns);
        pinsight_json_unsigned(json, "bytes", work->bytes);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

static void write_streams(const struct pinsight_cuda *cuda, struct pinsight_json *json) {
    pinsight_json_open(json, "streams", '[');
    for (size_t i = 0; i < cuda->stream_count; i++) {
        const struct pinsight_cuda_stream *stream = cuda->streams[i];
        uint64_t busy = 0;

        for (size_t t = 0; t < PINSIGHT_CUDA_TYPES; t++)
            busy += stream->busy_ns[t];
        pinsight_json_open(json, NULL, '{');
        pinsight_json_signed(json, "pid", stream->process->pid);
        pinsight_json_signed(json, "rank", stream->process->rank);
        pinsight_json_unsigned(json, "device", stream->device);
        pinsight_json_unsigned(json, "context", stream->context);
        pinsight_json_unsigned(json, "stream", stream->number);
        pinsight_json_unsigned(json, "kernels", stream->count[PINSIGHT_CUDA_KERNEL]);
        pinsight_json_unsigned(json, "copies", stream->count[PINSIGHT_CUDA_COPY]);
        pinsight_json_unsigned(json, "sets", stream->count[PINSIGHT_CUDA_SET]);
        pinsight_json_unsigned(json, "busy_ns", busy);
        pinsight_json_unsigned(json, "kernel_ns", stream->busy_ns[PINSIGHT_CUDA_KERNEL]);
        pinsight_json_unsigned(json, "copy_ns", stream->busy_ns[PINSIGHT_CUDA_COPY]);
        pinsight_json_unsigned(json, "to_device_bytes", stream->bytes[PINSIGHT_CUDA_TO_DEVICE]);
        pinsight_json_unsigned(json, "from_device_bytes", stream->bytes[PINSIGHT_CUDA_FROM_DEVICE]);
        pinsight_json_unsigned(json, "begin_ns", stream->first_ns);
        pinsight_json_unsigned(json, "end_ns", stream->last_ns);
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
}

void pinsight_cuda_json(const struct pinsight_report *report, struct pinsight_json *json,
                        size_t limit) {
    const struct pinsight_cuda *cuda = report->model->cuda;

    pinsight_json_open(json, "cuda", '{');
    pinsight_json_unsigned(json, "calls", cuda->calls);
    write_functions(cuda, json, report);
    write_works(cuda, json, report, limit);
    write_streams(cuda, json);
    pinsight_json_open(json, "records", '{');
    pinsight_json_unsigned(json, "work", cuda->records);
    pinsight_json_unsigned(json, "without_call", cuda->without_call);
    pinsight_json_unsigned(json, "without_times", cuda->without_times);
    pinsight_json_unsigned(json, "shortened", cuda->shortened);
    pinsight_json_unsigned(json, "shortened_ns", cuda->shortened_ns);
    pinsight_json_unsigned(json, "calls_without", cuda->unanswered);
    pinsight_json_unsigned(json, "waits", cuda->waits);
    pinsight_json_unsigned(json, "waits_ns", cuda->waits_ns);
    pinsight_json_close(json, '}');
    pinsight_json_close(json, '}');
}
