/* The table of CUDA calls by function, recorded or counted by MONITORING. */
#include "views/cuda/cuda.h"

#include "base/memory.h"
#include "base/order.h"
#include "views/report/tables.h"

#include <stdlib.h>

/* Sums of all call sites of one function. */
struct cuda_calls {
    struct pinsight_cuda_site all;
    uint64_t timed; /* calls whose least and longest time is known */
};

#define S(member) MEMBER(struct cuda_calls, all.member)
VALUE(function_name, struct cuda_calls,
      pinsight_value_text(pinsight_report_string(
          report, pinsight_model_cuda(report->model)->functions[row->all.function].name)))
VALUE(mean, struct cuda_calls,
      pinsight_value_number(row->all.calls ? row->all.total_ns / row->all.calls : 0))

static struct pinsight_value extreme(const struct cuda_calls *row, uint64_t ns) {
    return (struct pinsight_value){.none = !row->timed, .number = ns};
}
VALUE(least, struct cuda_calls, extreme(row, row->all.min_ns))
VALUE(longest, struct cuda_calls, extreme(row, row->all.max_ns))

static const struct pinsight_column columns[] = {
    GETTER("name", "function", STRING, function_name, .align = PINSIGHT_FLEXIBLE_END,
           .style = PINSIGHT_DEVICE),
    COLUMN("calls", "calls", COUNT, S(calls)),
    FIELD(COUNT, S, failed),
    COLUMN("failures", "failed", COUNT, S(failed), .needs = S(failed)),
    FIELD(COUNT, S, open),
    COLUMN("total_ns", "time", NS, S(total_ns), .style = PINSIGHT_BOLD),
    GETTER("mean", "mean", NS, mean),
    GETTER("min_ns", NULL, NS, least),
    GETTER("max_ns", "max", NS, longest),
    FIELD(COUNT, S, works),
    COLUMN("device_ns", "on devices", NS, S(device_ns)),
    COLUMN("to_device_bytes", NULL, BYTES, S(bytes[PINSIGHT_CUDA_TO_DEVICE])),
    COLUMN("from_device_bytes", NULL, BYTES, S(bytes[PINSIGHT_CUDA_FROM_DEVICE])),
};

HAS(was_called, struct cuda_calls, row->all.calls || row->all.open)

static const struct pinsight_table calls = {
    PINSIGHT_TITLED("Calls of CUDA", "by time in the program's threads", "functions", columns),
    .has = was_called,
    .screen = "total_ns calls mean max_ns failures device_ns name",
    .json = "name calls failed open total_ns min_ns max_ns works device_ns to_device_bytes "
            "from_device_bytes",
};

/* Returns the sums by the functions' numbers. The caller frees them. */
static struct cuda_calls *sums_of(const struct pinsight_cuda *cuda) {
    struct cuda_calls *sums = pinsight_calloc(cuda->function_count + 1, sizeof(*sums));

    for (size_t i = 0; i < cuda->site_count; i++) {
        const struct pinsight_cuda_site *site = &cuda->sites[i];
        struct cuda_calls *calls_of = &sums[site->function];
        struct pinsight_cuda_site *sum = &calls_of->all;

        if (site->calls)
            pinsight_extremes_add(&sum->min_ns, &sum->max_ns, !calls_of->timed, site->min_ns,
                                  site->max_ns);
        calls_of->timed += site->calls;
        sum->function = site->function;
        sum->calls += site->calls + site->counted.calls;
        sum->open += site->open;
        sum->failed += site->failed;
        sum->total_ns += site->total_ns + site->counted.total_ns;
        sum->works += site->works;
        sum->device_ns += site->device_ns;
        for (size_t d = 0; d < PINSIGHT_CUDA_DIRECTIONS; d++)
            sum->bytes[d] += site->bytes[d];
    }
    return sums;
}

static int by_time(const void *left, const void *right) {
    const struct pinsight_cuda_site *a = &((const struct cuda_calls *)left)->all;
    const struct pinsight_cuda_site *b = &((const struct cuda_calls *)right)->all;

    return BY(b->total_ns, a->total_ns) ?: BY(b->calls, a->calls) ?: BY(a->function, b->function);
}

void pinsight_cuda_calls_print(const struct pinsight_report *report, FILE *out, size_t limit) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(report->model);
    struct cuda_calls *sums = cuda ? sums_of(cuda) : NULL;

    if (!sums)
        return;
    PINSIGHT_SORT(sums, cuda->function_count, by_time);
    pinsight_section_print_rows(report, out, &calls, PINSIGHT_ROWS(sums, cuda->function_count),
                                limit);
    free(sums);
}

void pinsight_cuda_calls_json(const struct pinsight_report *report, struct pinsight_json *json) {
    struct pinsight_printing printing = pinsight_report_printing(report);
    static const struct pinsight_cuda nothing;
    const struct pinsight_cuda *cuda = pinsight_model_cuda(report->model) ?: &nothing;
    struct cuda_calls *sums = sums_of(cuda);

    pinsight_table_json(&calls, &printing, PINSIGHT_ROWS(sums, cuda->function_count), 0, json);
    free(sums);
}
