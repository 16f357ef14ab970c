/* CUDA in reports: calls of the program, and work of devices. */
#ifndef PINSIGHT_VIEWS_CUDA_H
#define PINSIGHT_VIEWS_CUDA_H

#include "base/json.h"
#include "reader/cuda/cuda.h"
#include "views/kit/table.h"
#include "views/report/report.h"
#include "views/report/section.h"

/* Sums of all selected streams. Streams work side by side, and their times are added. */
struct pinsight_cuda_devices {
    uint64_t busy_ns;
    uint64_t count[PINSIGHT_CUDA_TYPES];
    uint64_t bytes[PINSIGHT_CUDA_DIRECTIONS];
    /* Devices are not counted, because each process has its own numbers for them. */
    uint32_t streams;
};

/* Returns whether a report has any call or work. */
bool pinsight_cuda_seen(const struct pinsight_report *report);

struct pinsight_cuda_devices pinsight_cuda_devices_of(const struct pinsight_report *report);

/* Writes lines of the summary, and nothing without CUDA. */
void pinsight_cuda_lines(const struct pinsight_report *report, FILE *out, bool few);

/* Writes the kinds of work with the most time, and nothing without work. */
void pinsight_section_cuda_brief(const struct pinsight_report *report, FILE *out, size_t limit);

void pinsight_cuda_json(const struct pinsight_report *report, struct pinsight_json *json,
                        size_t limit);

/* ---- devices.c and idle_table.c ---- */

struct pinsight_doing;

extern const struct pinsight_table pinsight_device_table, pinsight_idle_table,
    pinsight_others_table;

/* Returns the device's name, such as "GPU 0", with its host if there are several. The name is safe
 * for a terminal, and the caller frees it. */
char *pinsight_cuda_device_name(const struct pinsight_report *report,
                                const struct pinsight_cuda_device *device);

/* Return the callee, or NULL; and the place, such as "train.py:41". The place has the function's
 * first line if the line is unknown. Without a function, the place is NULL. The place is safe for a
 * terminal, and the caller frees it. */
const char *pinsight_doing_callee(const struct pinsight_report *report,
                                  const struct pinsight_doing *doing);
char *pinsight_doing_place(const struct pinsight_report *report,
                           const struct pinsight_doing *doing);

/* Returns the main reason for which a device was idle, such as "58.0 % in the data loader, called
 * by train (train.py:20, in __next__)". Returns NULL if there is none. The text is safe for a
 * terminal, and the caller frees it. */
char *pinsight_idle_sentence(const struct pinsight_report *report, uint32_t device);
/* Returns whether two devices were idle for the same cause, in the same function. */
bool pinsight_idle_is_same(const struct pinsight_report *report, uint32_t a, uint32_t b);

/* Returns pointers to the selected devices, made for a table. */
struct pinsight_rows pinsight_cuda_device_rows(const void *report);

/* Returns the time in ns from a device's first work to its last. */
static inline uint64_t pinsight_cuda_span_ns(const struct pinsight_cuda_device *device) {
    return pinsight_time_rest(device->last_ns, device->first_ns);
}

/* Write the lines about devices in a report's head: why some are idle, and that others are busy.
 * The summary has the idle ones among its insights. */
void pinsight_cuda_device_lines(const struct pinsight_report *report, FILE *out);
void pinsight_cuda_busy_lines(const struct pinsight_report *report, FILE *out);

/* The rules for insights, which end with NULL; and the rule for idle devices. */
struct pinsight_insights;
extern void (*const pinsight_cuda_rules[])(const struct pinsight_report *report,
                                           struct pinsight_insights *insights);
void pinsight_cuda_rule_idle(const struct pinsight_report *report,
                             struct pinsight_insights *insights);

/* Writes how reliable the causes of idle devices are. */
void pinsight_cuda_idle_notes(const struct pinsight_report *report, FILE *out);

extern const struct pinsight_section *const pinsight_cuda_sections[];

/* Write the program's calls: by function with the most time first, and as JSON. */
void pinsight_cuda_calls_print(const struct pinsight_report *report, FILE *out, size_t limit);
void pinsight_cuda_calls_json(const struct pinsight_report *report, struct pinsight_json *json);

#endif
