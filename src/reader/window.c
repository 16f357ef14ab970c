/* A part of a run; see window.h. */
#include "reader/window.h"

#include "base/memory.h"
#include "reader/ctf/merge.h"
#include "reader/ctf/source.h"

#include <string.h>

struct region_search {
    const char *region;
    struct pinsight_region_window window;
    uint64_t open; /* regions with the name that have not ended */
    bool begun;
};

static int find(void *data, const struct pinsight_event *event) {
    struct region_search *finding = data;
    const enum pinsight_event_id id = event->binding->id;

    if (id != PINSIGHT_EVENT_CORE_REGION_BEGIN && id != PINSIGHT_EVENT_CORE_REGION_END)
        return 0;
    /* Both events have the name in the same place. */
    if (strcmp(pinsight_event_text(event, PINSIGHT_CORE_REGION_BEGIN_NAME), finding->region) != 0)
        return 0;
    if (id == PINSIGHT_EVENT_CORE_REGION_BEGIN) {
        if (!finding->begun)
            finding->window.from_ns = event->ns;
        finding->begun = true;
        finding->open++;
    } else if (finding->open) {
        finding->open--;
        finding->window.until_ns = event->ns;
    }
    return 0;
}

int pinsight_window_find(const char *path, const char *region, const volatile sig_atomic_t *stop,
                         const struct pinsight_host_corrections *corrections,
                         struct pinsight_region_window *window,
                         struct pinsight_source_result *result) {
    struct region_search finding = {.region = region};
    const struct pinsight_source_options options = {
        .on_event = find, .data = &finding, .stop = stop, .corrections = corrections};
    int rc = pinsight_source_read(path, &options, result);

    if (rc == 0 && !finding.begun) {
        result->error = pinsight_format("the trace has no region '%s'; `pinsight export --to csv` "
                                        "lists the regions of a trace, by the category region",
                                        region);
        return -1;
    }
    if (rc != 0)
        return rc;
    *window = finding.window;
    if (finding.open)
        window->until_ns = UINT64_MAX;
    pinsight_source_result_clear(result);
    *result = (struct pinsight_source_result){0};
    return 0;
}

const struct pinsight_event *pinsight_window_event(const struct pinsight_region_window *window,
                                                   const struct pinsight_event *event,
                                                   struct pinsight_event *copy) {
    if (event->earlier || (event->ns >= window->from_ns && event->ns <= window->until_ns))
        return event;
    if (event->ns > window->until_ns)
        return NULL;
    *copy = *event;
    if (event->binding->id == PINSIGHT_EVENT_CORE_THREAD_CLOCK) {
        /* The next reading counts from this one on. Waits before the window do not count. */
        copy->earlier = true;
        copy->ns = window->from_ns;
        return copy;
    }
    if (!pinsight_merge_is_name(event))
        return NULL;
    copy->earlier = copy->partial = true;
    copy->ns = 0;
    return copy;
}
