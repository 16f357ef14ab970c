/* The table of devices: how long each worked and was idle, and how soon it begins work. */
#include "views/cuda/cuda.h"
#include "views/cuda/idle.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/text.h"
#include "base/units.h"
#include "reader/domain.h"
#include "views/process_name.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The reasons for which a device's number is not unique. */
struct likeness {
    bool hosts;  /* devices belong to several hosts */
    bool number; /* another device of the host has its number, in a process that does not see this
                    one */
};

static struct likeness likeness_of(const struct pinsight_report *report,
                                   const struct pinsight_cuda_device *device) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(report->model);
    struct pinsight_process *const *processes = report->model->processes;
    uint32_t host = processes[device->process]->host;
    struct likeness likeness = {0};

    for (size_t i = 0; i < cuda->device_count; i++) {
        const struct pinsight_cuda_device *other = &cuda->devices[i];
        bool is_here = processes[other->process]->host == host;

        likeness.hosts |= !is_here;
        likeness.number |= is_here && other != device && other->number == device->number;
    }
    return likeness;
}

char *pinsight_cuda_device_name(const struct pinsight_report *report,
                                const struct pinsight_cuda_device *device) {
    const struct pinsight_process *process = report->model->processes[device->process];
    struct likeness likeness = likeness_of(report, device);
    char *name = NULL, *clean;

    if (likeness.hosts)
        pinsight_append(&name, "%s ", pinsight_report_string(report, process->hostname));
    pinsight_append(&name, "GPU %" PRIu32, device->number);
    if (likeness.number) {
        char *whose = view_process_name(process);

        pinsight_append(&name, " of %s", whose);
        free(whose);
    }
    clean = pinsight_text_clean(name);
    free(name);
    return clean;
}

static uint64_t count_of(const struct pinsight_report *report,
                         const struct pinsight_cuda_device *device, bool processes) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(report->model);
    uint64_t count = 0;

    for (size_t i = 0; i < cuda->stream_count; i++) {
        bool is_new = &cuda->devices[cuda->streams[i]->device] == device;

        for (size_t j = 0; processes && is_new && j < i; j++)
            is_new = cuda->streams[j]->device != cuda->streams[i]->device ||
                     cuda->streams[j]->base.process != cuda->streams[i]->base.process;
        count += is_new;
    }
    return count;
}

/* Returns the latency that a share of the works does not exceed. */
static struct pinsight_value quantile(const struct pinsight_cuda_device *device, double share) {
    uint64_t rank;
    double count = (double)device->latencies;

    if (!device->latencies)
        return pinsight_value_none();
    rank = (uint64_t)(share * (count - 1));
    return pinsight_value_number((uint64_t)pinsight_histogram_mean(
        device->latency, (double)rank / count, (double)(rank + 1) / count));
}

VALUE(name, struct pinsight_cuda_device,
      pinsight_value_owned(pinsight_cuda_device_name(report, row)))
VALUE(pid, struct pinsight_cuda_device,
      pinsight_value_signed(report->model->processes[row->process]->pid))
VALUE(streams, struct pinsight_cuda_device, pinsight_value_number(count_of(report, row, false)))
VALUE(processes, struct pinsight_cuda_device, pinsight_value_number(count_of(report, row, true)))
VALUE(busy_share, struct pinsight_cuda_device,
      pinsight_value_share(row->busy_ns, pinsight_cuda_span_ns(row)))
VALUE(idle_share, struct pinsight_cuda_device,
      pinsight_value_share(row->idle_ns, pinsight_cuda_span_ns(row)))
VALUE(median, struct pinsight_cuda_device, quantile(row, 0.5))
VALUE(slow, struct pinsight_cuda_device, quantile(row, 0.9))
static struct pinsight_value compute(const void *view, const void *row) {
    const struct pinsight_cuda_device_info *info =
        &((const struct pinsight_cuda_device *)row)->info;

    (void)view;
    if (!info->compute[0])
        return pinsight_value_none();
    return pinsight_value_owned(
        pinsight_format("%" PRIu32 ".%" PRIu32, info->compute[0], info->compute[1]));
}

static bool has_models(const void *view) {
    const struct pinsight_cuda *cuda =
        pinsight_model_cuda(((const struct pinsight_report *)view)->model);

    for (size_t i = 0; i < cuda->device_count; i++)
        if (cuda->devices[i].info.name)
            return true;
    return false;
}

VALUE(queue_mean, struct pinsight_cuda_device,
      row->queues && report->options.thread < 0
          ? (struct pinsight_value){.real = (double)row->queue_sum / (double)row->queues}
          : pinsight_value_none())
HAS(was_used, struct pinsight_cuda_device, row->works != 0)

#define D(member) MEMBER(struct pinsight_cuda_device, member)
static const struct pinsight_column latency_columns[] = {
    COLUMN("count", NULL, COUNT, D(latencies)),
    COLUMN("min_ns", NULL, NS, D(latency_min_ns), .needs = D(latencies)),
    GETTER("median_ns", "launch to start", NS, median),
    GETTER("p90_ns", "90 %", NS, slow),
    COLUMN("max_ns", "longest", NS, D(latency_max_ns), .needs = D(latencies)),
};
static const struct pinsight_column queue_columns[] = {
    COLUMN("count", NULL, COUNT, D(queues)),
    GETTER("mean", NULL, REAL, queue_mean),
    COLUMN("max", NULL, COUNT, D(queue_max)),
};
static const struct pinsight_table queue = {PINSIGHT_COLUMNS(queue_columns)};
static const struct pinsight_table latency = {PINSIGHT_COLUMNS(latency_columns)};

static const struct pinsight_column columns[] = {
    GETTER("name", "device", TEXT, name, .align = PINSIGHT_LEFT),
    GETTER("pid", NULL, SIGNED, pid),
    COLUMN("device", NULL, ID, D(number)),
    COLUMN("model", "model", TEXT_NUMBER, D(info.name), NAMES_IN(DIM), .shown = has_models,
           .width = 110),
    COLUMN("uuid", NULL, TEXT_NUMBER, D(info.uuid)),
    COLUMN("bus", NULL, TEXT_NUMBER, D(info.bus)),
    COLUMN("memory_bytes", NULL, BYTES, D(info.memory), .needs = D(info.memory)),
    COLUMN("multiprocessors", NULL, COUNT, D(info.multiprocessors),
           .needs = D(info.multiprocessors)),
    GETTER("compute_capability", NULL, TEXT, compute),
    GETTER("processes", NULL, COUNT, processes),
    GETTER("streams", "streams", COUNT, streams, .width = 90),
    COLUMN("works", "works", COUNT, D(works)),
    COLUMN("busy_ns", "busy", NS, D(busy_ns), .style = PINSIGHT_BOLD),
    GETTER("busy_share", "%", SHARE, busy_share),
    COLUMN("idle_ns", "idle", NS, D(idle_ns), .style = PINSIGHT_BOLD),
    GETTER("idle_share", "%", SHARE, idle_share),
    COLUMN("gaps", "gaps", COUNT, D(gaps)),
    COLUMN("longest_gap_ns", NULL, NS, D(longest_ns)),
    COLUMN("begin_ns", NULL, NS, D(first_ns)),
    COLUMN("end_ns", NULL, NS, D(last_ns)),
    FIELD(COUNT, D, late),
    GETTER("median_ns", "launch to start", NS, median),
    GETTER("p90_ns", "90 %", NS, slow, .width = 90),
    COLUMN("max_ns", "longest", NS, D(latency_max_ns), .needs = D(latencies)),
    GETTER("queued", "queued", REAL, queue_mean, .width = 100),
    INNER("queue", &queue, {0, sizeof(struct pinsight_cuda_device)}),
    INNER("latency", &latency, {0, sizeof(struct pinsight_cuda_device)}),
};

static int by_number(const void *left, const void *right) {
    const struct pinsight_cuda_device *a = *(const struct pinsight_cuda_device *const *)left;
    const struct pinsight_cuda_device *b = *(const struct pinsight_cuda_device *const *)right;

    return BY(a->number, b->number) ?: BY(a->process, b->process);
}

struct pinsight_rows pinsight_cuda_device_rows(const void *report) {
    const struct pinsight_cuda *cuda =
        pinsight_model_cuda(((const struct pinsight_report *)report)->model);
    size_t count = cuda ? cuda->device_count : 0;
    struct pinsight_cuda_device **order = pinsight_calloc(count + 1, sizeof(*order));

    for (size_t i = 0; i < count; i++)
        order[i] = &cuda->devices[i];
    PINSIGHT_SORT(order, count, by_number);
    return PINSIGHT_MADE_POINTERS(order, count);
}

const struct pinsight_table pinsight_device_table = {
    PINSIGHT_TITLED("Devices", "from the first work of each to the last", "devices", columns),
    .make = pinsight_cuda_device_rows,
    .has = was_used,
    .screen = "busy_ns busy_share idle_ns idle_share gaps streams median_ns p90_ns max_ns queued "
              "name model",
    .json = "pid device model uuid bus memory_bytes multiprocessors compute_capability processes "
            "streams works busy_ns idle_ns gaps longest_gap_ns begin_ns end_ns late latency queue",
};

/* Returns whether a process that used CUDA did not record it for a part of the time. */
static bool was_switched(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;

    for (size_t i = 0; i < model->process_count; i++)
        for (size_t d = 0; d < model->processes[i]->domain_count; d++) {
            const struct pinsight_process_domain *domain = &model->processes[i]->domains[d];

            if (domain->mode_changed && !strcmp(pinsight_report_string(report, domain->name),
                                                reader_domains[READER_CUDA]->name))
                return true;
        }
    return false;
}

void pinsight_cuda_idle_notes(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(report->model);
    uint64_t late = 0;

    for (size_t i = 0; i < cuda->device_count; i++)
        late += cuda->devices[i].late;
    if (pinsight_idle_of(report)->coarse_ns)
        pinsight_head_note(report, out,
                           "Of %s the thread's doings are known roughly: records of devices' work "
                           "came late, and too much happened meanwhile to keep all of it.",
                           pinsight_units_time(pinsight_idle_of(report)->coarse_ns).text);
    if (late)
        pinsight_head_note(report, out,
                           "%s record%s of devices' work came so late that gaps were counted "
                           "already: devices were idle for less.",
                           pinsight_units_count(late).text, late == 1 ? "" : "s");
    if (cuda->dropped || cuda->taken_over || cuda->kept_back)
        pinsight_head_note(report, out,
                           "Records of devices' work are missing: devices were idle for less.");
    if (was_switched(report))
        pinsight_head_note(report, out,
                           "The mode of CUDA changed while the program ran: what devices did "
                           "while they were not recorded counts as idle time.");
}
