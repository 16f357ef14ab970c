/* CUDA in reports: calls of the program, and what the streams of devices did. */
#ifndef PINSIGHT_VIEWS_CUDA_H
#define PINSIGHT_VIEWS_CUDA_H

#include "base/json.h"
#include "reader/cuda/cuda.h"
#include "views/report/report.h"

/* Of all streams that are looked at. Streams work beside each other: their times are added. */
struct pinsight_cuda_devices {
    uint64_t busy_ns;
    uint64_t count[PINSIGHT_CUDA_TYPES];
    uint64_t bytes[PINSIGHT_CUDA_DIRECTIONS];
    uint32_t streams; /* devices are not counted: each process numbers them for itself */
};

/* Whether there is any call or work. */
bool pinsight_cuda_seen(const struct pinsight_report *report);

struct pinsight_cuda_devices pinsight_cuda_devices_of(const struct pinsight_report *report);

/* Two lines of the summary; nothing without CUDA. */
void pinsight_cuda_lines(const struct pinsight_report *report, FILE *out);

/* The kinds of work that took longest; nothing without. */
void pinsight_section_cuda_brief(const struct pinsight_report *report, FILE *out, size_t limit);

void pinsight_cuda_json(const struct pinsight_report *report, struct pinsight_json *json,
                        size_t limit);

#endif
