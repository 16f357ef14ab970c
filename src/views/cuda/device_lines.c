/* Writes how busy devices were, and why they were idle. */
#include "views/cuda/cuda.h"
#include "views/cuda/idle.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "views/insights/insights.h"
#include "views/report/head.h"

#include <inttypes.h>
#include <stdlib.h>

/* The share of a device's time from which its idleness is explained; and the most sentences for
 * that. */
#define IDLE_SHARE 0.2
#define MOST_SENTENCES 3

static bool is_idle(const struct pinsight_cuda_device *device) {
    return (double)device->idle_ns > IDLE_SHARE * (double)pinsight_cuda_span_ns(device);
}

/* The devices of a group with the least and the most idle share. */
struct shares {
    uint32_t count;
    const struct pinsight_cuda_device *first, *least, *most;
};

static double share_of(const struct pinsight_cuda_device *device) {
    return pinsight_cuda_span_ns(device)
               ? (double)device->idle_ns / (double)pinsight_cuda_span_ns(device)
               : 0;
}

static void add_share(struct shares *shares, const struct pinsight_cuda_device *device) {
    if (!shares->count++)
        shares->first = shares->least = shares->most = device;
    if (share_of(device) < share_of(shares->least))
        shares->least = device;
    if (share_of(device) > share_of(shares->most))
        shares->most = device;
}

static struct pinsight_units idle_percent(const struct pinsight_cuda_device *device) {
    return pinsight_units_percent(device->idle_ns, pinsight_cuda_span_ns(device));
}

static struct pinsight_units busy_percent(const struct pinsight_cuda_device *device) {
    return pinsight_units_percent(device->busy_ns, pinsight_cuda_span_ns(device));
}

/* Returns a text such as ", 7 more 60.1 to 62.8 %". The caller frees it. */
static char *text_of_more(const struct shares *shares) {
    if (!shares->count)
        return pinsight_strdup("");
    if (shares->count == 1)
        return pinsight_format(", 1 more %s %%", idle_percent(shares->first).text);
    return pinsight_format(", %" PRIu32 " more %s to %s %%", shares->count,
                           idle_percent(shares->least).text, idle_percent(shares->most).text);
}

/* Returns a sentence such as "GPU 0 idle 63.0 % of 12.3 s, 7 more 60.1 to 62.8 %: 58.0 % in …". The
 * sentence is about the first device, and about later devices that are idle for the same reason.
 * These devices are removed from the list. The caller frees the text. */
static char *text_of_idle(const struct pinsight_report *report,
                          const struct pinsight_cuda_device **devices, size_t count) {
    const struct pinsight_cuda_device *all = pinsight_model_cuda(report->model)->devices;
    const struct pinsight_cuda_device *device = devices[0];
    uint32_t number = (uint32_t)(device - all);
    struct shares shares = {0};
    char *name, *sentence, *more, *text;

    for (size_t i = 1; i < count; i++)
        if (devices[i] && is_idle(devices[i]) &&
            pinsight_idle_is_same(report, number, (uint32_t)(devices[i] - all))) {
            add_share(&shares, devices[i]);
            devices[i] = NULL;
        }
    name = pinsight_cuda_device_name(report, device);
    sentence = pinsight_idle_sentence(report, number);
    more = text_of_more(&shares);
    text = pinsight_format("%s idle %s %% of %s%s%s%s", name, idle_percent(device).text,
                           pinsight_units_time(pinsight_cuda_span_ns(device)).text, more,
                           sentence ? ": " : "", sentence ? sentence : "");
    PINSIGHT_FREE(name, sentence, more);
    return text;
}

/* Passes a sentence on each idle device, or on several, to say(), which frees it. Returns how many
 * devices are left over. */
static uint32_t notice_idle(const struct pinsight_report *report,
                            void (*say)(const struct pinsight_report *report, char *text,
                                        const struct pinsight_cuda_device *device, void *data),
                            void *data) {
    struct pinsight_rows rows = pinsight_cuda_device_rows(report);
    const struct pinsight_cuda_device **devices = (const struct pinsight_cuda_device **)rows.first;
    uint32_t sentences = 0;

    for (size_t i = 0; i < rows.count; i++) {
        const struct pinsight_cuda_device *device = devices[i];

        if (device && device->works && is_idle(device) && sentences++ < MOST_SENTENCES)
            say(report, text_of_idle(report, &devices[i], rows.count - i), device, data);
    }
    free(devices);
    return sentences > MOST_SENTENCES ? sentences - MOST_SENTENCES : 0;
}

/* Writes a line such as "GPU 1 busy 92.1 % of 12.3 s", or "8 GPUs busy 92.1 to 95.3 %". */
static void print_busy(const struct pinsight_report *report, FILE *out,
                       const struct shares *shares) {
    char *name;

    if (shares->count > 1) {
        pinsight_head_note(report, out, "%" PRIu32 " GPUs busy %s to %s %%", shares->count,
                           busy_percent(shares->most).text, busy_percent(shares->least).text);
    } else if (shares->count) {
        name = pinsight_cuda_device_name(report, shares->first);
        pinsight_head_note(report, out, "%s busy %s %% of %s", name,
                           busy_percent(shares->first).text,
                           pinsight_units_time(pinsight_cuda_span_ns(shares->first)).text);
        free(name);
    }
}

void pinsight_cuda_busy_lines(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(report->model);
    struct shares busy = {0};

    for (size_t i = 0; cuda && i < cuda->device_count; i++)
        if (cuda->devices[i].works && !is_idle(&cuda->devices[i]))
            add_share(&busy, &cuda->devices[i]);
    print_busy(report, out, &busy);
}

static void print_idle(const struct pinsight_report *report, char *text,
                       const struct pinsight_cuda_device *device, void *out) {
    (void)device;
    pinsight_paragraph(out, report->options.colour, PINSIGHT_BOLD, report->options.width, "   ",
                       "%s", text);
    free(text);
}

void pinsight_cuda_device_lines(const struct pinsight_report *report, FILE *out) {
    uint32_t more = notice_idle(report, print_idle, out);

    if (more)
        pinsight_head_note(report, out, "%" PRIu32 " more device%s idle, too.", more,
                           more == 1 ? " was" : "s were");
    pinsight_cuda_busy_lines(report, out);
}

/* ---- insights ---- */

static void add_idle(const struct pinsight_report *report, char *text,
                     const struct pinsight_cuda_device *device, void *insights) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(report->model);
    const struct pinsight_doing *doing =
        pinsight_idle_culprit(report, (uint32_t)(device - cuda->devices));
    struct pinsight_insight insight = {.rule = "device_idle",
                                       .ns = device->idle_ns,
                                       .of_ns = pinsight_cuda_span_ns(device),
                                       .option = "cuda"};

    if (doing && doing->place.function != PINSIGHT_NONE) {
        insight.file =
            pinsight_report_string(report, report->model->functions[doing->place.function].file);
        insight.line = doing->place.line ? doing->place.line : doing->before;
    }
    pinsight_insights_add(insights, insight, "%s", text);
    free(text);
}

void pinsight_cuda_rule_idle(const struct pinsight_report *report,
                             struct pinsight_insights *insights) {
    if (pinsight_cuda_seen(report))
        notice_idle(report, add_idle, insights);
}
