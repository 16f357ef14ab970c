/* CUDA in reports: calls of the program, and what the streams of devices did. */
#ifndef PINSIGHT_VIEWS_CUDA_H
#define PINSIGHT_VIEWS_CUDA_H

#include "base/json.h"
#include "reader/cuda/cuda.h"
#include "views/kit/table.h"
#include "views/report/report.h"
#include "views/report/section.h"

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

/* Lines of the summary; nothing without CUDA. */
void pinsight_cuda_lines(const struct pinsight_report *report, FILE *out, bool few);

/* The kinds of work that took longest; nothing without. */
void pinsight_section_cuda_brief(const struct pinsight_report *report, FILE *out, size_t limit);

void pinsight_cuda_json(const struct pinsight_report *report, struct pinsight_json *json,
                        size_t limit);

/* ---- devices.c and idle_table.c ---- */

struct pinsight_doing;

extern const struct pinsight_table pinsight_device_table, pinsight_idle_table,
    pinsight_others_table;

/* "GPU 0", with its host where there are several; to be freed, and clean. */
char *pinsight_cuda_device_name(const struct pinsight_report *report,
                                const struct pinsight_cuda_device *device);

/* What is called there, or NULL; and "train.py:41", the function's first line where the line is not
 * known, NULL without: to be freed, and clean. */
const char *pinsight_doing_callee(const struct pinsight_report *report,
                                  const struct pinsight_doing *doing);
char *pinsight_doing_place(const struct pinsight_report *report,
                           const struct pinsight_doing *doing);

/* The main reason for which a device was idle: "58.0 % in the data loader, called by train
 * (train.py:20, in __next__)"; NULL without. To be freed, and clean. */
char *pinsight_idle_sentence(const struct pinsight_report *report, uint32_t device);
/* Whether two devices were idle for the same: of one cause, in one function. */
bool pinsight_idle_is_same(const struct pinsight_report *report, uint32_t a, uint32_t b);

/* Devices that are looked at, as pointers: made for a table. */
struct pinsight_rows pinsight_cuda_device_rows(const void *report);

/* From a device's first work to its last. */
static inline uint64_t pinsight_cuda_span_ns(const struct pinsight_cuda_device *device) {
    return pinsight_time_rest(device->last_ns, device->first_ns);
}

/* What a head says of devices: why some are idle, and that others are not. The summary has the
 * first among what stands out. */
void pinsight_cuda_device_lines(const struct pinsight_report *report, FILE *out);
void pinsight_cuda_busy_lines(const struct pinsight_report *report, FILE *out);

/* Rules of what stands out, ended by NULL; and that of devices that are idle. */
struct pinsight_insights;
extern void (*const pinsight_cuda_rules[])(const struct pinsight_report *report,
                                           struct pinsight_insights *insights);
void pinsight_cuda_rule_idle(const struct pinsight_report *report,
                             struct pinsight_insights *insights);

/* How far what is said of idle devices can be relied on. */
void pinsight_cuda_idle_notes(const struct pinsight_report *report, FILE *out);

extern const struct pinsight_section *const pinsight_cuda_sections[];

/* Calls of the program, by function, those that took longest first; and all of them. */
void pinsight_cuda_calls_print(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_cuda_calls_json(const struct pinsight_report *report, struct pinsight_json *json);

#endif
