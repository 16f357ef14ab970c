/* The channels of a session; see channels.h. */
#include "session/lttng/channels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <lttng/lttng.h>

#include "format/lttng/channels.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)

enum {
    BLOCKING_US = 2000000, /* a limit, so that a dead consumer does not block programs for ever */
    SWITCH_US = 1000000,   /* older data survives any crash */
    /* The period for fetching new descriptions of events. A fetch that coincides with the end of
     * its process blocks LTTng 2.13's consumer daemon for good, so it must be rare. */
    DESCRIPTION_US = 1000000,
    DESCRIPTION_SIZE = 4096,
    EXCLUSIONS_MAX = 64,
};

static const char registry_channel[] = "registry";

/*
 * Sizes of buffers. Each process has its own buffers for every possible processor. A machine with
 * 128 processors needs 128 times the memory for each process, and a virtual machine may count
 * processors that never exist.
 *
 * A traced Python thread writes at most some hundred megabytes a second, and only one thread runs
 * Python at a time. On few processors, the consumer daemon competes with the program and sleeps for
 * tens of milliseconds. Each buffer should hold that much: 16 MiB, in four parts, so that three can
 * fill while one is written. On many processors, the consumer has one of its own, and far less is
 * enough.
 *
 * LTTng fills all buffers with zeros while a process starts, some 2 ms for each MiB. Therefore the
 * sum over all processors is limited for each process, by 32 MiB, a 512th of the memory, and a 16th
 * of the free part of /dev/shm. (Containers often have 64 MiB in all.) A buffer has between 256 KiB
 * and 16 MiB. With 64 processes on 64 processors that is 2 GiB.
 */
struct pinsight_channel_sizes pinsight_channel_choose_sizes(const struct pinsight_machine *machine,
                                                            bool registry, uint64_t wanted) {
    struct pinsight_channel_sizes sizes;
    uint64_t sum = 32 * MIB;
    uint64_t busy = wanted;

    if (busy == 0) {
        if (machine->memory / 512 < sum) {
            sum = machine->memory / 512;
        }
        if (machine->shared_memory / 16 < sum) {
            sum = machine->shared_memory / 16;
        }
        uint64_t part =
            sum / (machine->processors > 0 ? machine->processors : 1) / PINSIGHT_SUB_BUFFERS;
        for (busy = 4 * MIB; busy > part && busy > 64 * KIB;) {
            busy /= 2;
        }
    }
    sizes.definitions = busy < 64 * KIB ? busy : 64 * KIB;
    sizes.events = busy;
    sizes.registry = 0;
    if (registry) {
        /* The channel of the other events then has little to do. */
        sizes.registry = busy;
        sizes.events = busy < 256 * KIB ? busy : 256 * KIB;
    }
    return sizes;
}

uint64_t pinsight_channel_memory(const struct pinsight_machine *machine,
                                 const struct pinsight_channel_sizes *sizes) {
    /* LTTng-UST adds a sub-buffer for the reader. */
    uint64_t data =
        (sizes->definitions + sizes->events + sizes->registry) * (PINSIGHT_SUB_BUFFERS + 1);

    /* Each processor and channel needs some pages of administration, in experience less than
     * this. */
    return machine->processors * (data + data / 16 + 96 * KIB);
}

void pinsight_machine_look(struct pinsight_machine *machine) {
    struct statvfs shm;
    struct sysinfo info;
    long processors = sysconf(_SC_NPROCESSORS_CONF);
    FILE *possible = fopen("/sys/devices/system/cpu/possible", "re");

    /* The text is like "0-127". The last number counts, as for LTTng-UST. */
    if (possible != NULL) {
        char text[256];
        if (fgets(text, sizeof(text), possible) != NULL) {
            char *last = text + strcspn(text, "\n");
            *last = '\0';
            while (last > text && last[-1] >= '0' && last[-1] <= '9') {
                last--;
            }
            if (*last != '\0') {
                processors = atol(last) + 1;
            }
        }
        fclose(possible);
    }
    machine->processors = processors > 0 ? (unsigned)processors : 1;
    machine->shared_memory = 64 * MIB;
    if (statvfs("/dev/shm", &shm) == 0) {
        machine->shared_memory = (uint64_t)shm.f_bavail * shm.f_frsize;
    }
    machine->memory = UINT64_C(1) << 32;
    if (sysinfo(&info) == 0) {
        machine->memory = (uint64_t)info.totalram * info.mem_unit;
    }
}

static int add_contexts(struct lttng_handle *handle, const char *channel) {
    static const enum lttng_event_context_type wanted[] = {LTTNG_EVENT_CONTEXT_VPID,
                                                           LTTNG_EVENT_CONTEXT_VTID};

    for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
        struct lttng_event_context context;
        memset(&context, 0, sizeof(context));
        context.ctx = wanted[i];
        int error = lttng_add_context(handle, &context, NULL, channel);
        if (error < 0) {
            return error;
        }
    }
    return 0;
}

static int make_channel(struct lttng_handle *handle, const char *name, uint64_t size, bool blocking,
                        bool contexts) {
    struct lttng_channel *channel = lttng_channel_create(&handle->domain);
    if (channel == NULL) {
        return -LTTNG_ERR_NOMEM;
    }
    snprintf(channel->name, sizeof(channel->name), "%s", name);
    channel->enabled = 1; /* LTTng 2.16 obeys this; earlier versions always enable it */
    channel->attr.overwrite = 0;
    channel->attr.subbuf_size = size;
    channel->attr.num_subbuf = PINSIGHT_SUB_BUFFERS;
    channel->attr.switch_timer_interval = SWITCH_US;
    channel->attr.read_timer_interval = 0; /* the program wakes the consumer */
    channel->attr.output = LTTNG_EVENT_MMAP;
    /* Disables the timer for notifications about buffers, which PInsight does not use. */
    int error = lttng_channel_set_monitor_timer_interval(channel, 0);
    if (error == 0 && blocking) {
        error = lttng_channel_set_blocking_timeout(channel, BLOCKING_US);
    }
    if (error == 0) {
        error = lttng_enable_channel(handle, channel);
    }
    lttng_channel_destroy(channel);
    if (error >= 0 && contexts) {
        error = add_contexts(handle, name);
    }
    return error;
}

/*
 * Sets a timer for LTTng's channel of event descriptions. Descriptions then reach the disk while
 * the program runs, and the recorded events can be read even if the daemon is killed. A daemon that
 * refuses the timer writes descriptions when the program or the session ends.
 */
static void set_description_timer(struct lttng_handle *handle) {
    struct lttng_channel *channel = lttng_channel_create(&handle->domain);

    if (channel != NULL) {
        snprintf(channel->name, sizeof(channel->name), "metadata");
        channel->enabled = 1;
        channel->attr.overwrite = 0;
        channel->attr.subbuf_size = DESCRIPTION_SIZE;
        channel->attr.num_subbuf = 2;
        channel->attr.switch_timer_interval = DESCRIPTION_US;
        channel->attr.read_timer_interval = 0;
        channel->attr.output = LTTNG_EVENT_MMAP;
        lttng_channel_set_monitor_timer_interval(channel, 0);
        lttng_enable_channel(handle, channel);
        lttng_channel_destroy(channel);
    }
}

static int enable(struct lttng_handle *handle, const char *name, const char *channel,
                  char **exclusions, int exclusion_count) {
    struct lttng_event *event = lttng_event_create();

    if (event == NULL) {
        return -LTTNG_ERR_NOMEM;
    }
    snprintf(event->name, sizeof(event->name), "%s", name);
    event->type = LTTNG_EVENT_TRACEPOINT;
    event->loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL;
    event->loglevel = -1;
    int error = lttng_enable_event_with_exclusions(handle, event, channel, NULL, exclusion_count,
                                                   exclusion_count > 0 ? exclusions : NULL);
    lttng_event_destroy(event);
    return error;
}

/*
 * Enables the events of a provider: one rule with a wildcard for the channel "events", and one rule
 * for each event elsewhere. Without a channel "registry", its events go to "events".
 */
static int enable_provider(struct lttng_handle *handle, const char *provider, bool registry) {
    char *exclusions[EXCLUSIONS_MAX];
    int excluded = 0, error = 0;
    size_t length = strlen(provider);
    char all[LTTNG_SYMBOL_NAME_LEN];

    for (size_t i = 0; i < sizeof(pinsight_event_channels) / sizeof(*pinsight_event_channels);
         i++) {
        const struct pinsight_event_channel *row = &pinsight_event_channels[i];
        if (strncmp(row->event, provider, length) != 0 || row->event[length] != ':' ||
            (!registry && strcmp(row->channel, registry_channel) == 0)) {
            continue;
        }
        if (excluded == EXCLUSIONS_MAX) {
            return -LTTNG_ERR_INVALID;
        }
        error = enable(handle, row->event, row->channel, NULL, 0);
        if (error < 0) {
            return error;
        }
        exclusions[excluded++] = (char *)row->event;
    }
    snprintf(all, sizeof(all), "%s:*", provider);
    return enable(handle, all, "events", exclusions, excluded);
}

int pinsight_channels_make(struct lttng_handle *handle, const struct pinsight_channel_sizes *sizes,
                           bool lossless, const struct pinsight_pulse *pulse, const char **what) {
    *what = "make the channel definitions";
    pinsight_pulse_beat(pulse, *what); /* the first channel starts the consumer daemon */
    set_description_timer(handle);
    int error = make_channel(handle, "definitions", sizes->definitions, true, true);
    if (error >= 0) {
        *what = "make the channel events";
        pinsight_pulse_beat(pulse, *what);
        error = make_channel(handle, "events", sizes->events, lossless, true);
    }
    if (error >= 0 && sizes->registry > 0) {
        *what = "make the channel registry";
        pinsight_pulse_beat(pulse, *what);
        error = make_channel(handle, registry_channel, sizes->registry, lossless, false);
    }
    for (size_t i = 0;
         error >= 0 && i < sizeof(pinsight_event_providers) / sizeof(*pinsight_event_providers);
         i++) {
        *what = "enable events";
        pinsight_pulse_beat(pulse, *what);
        error = enable_provider(handle, pinsight_event_providers[i].name, sizes->registry > 0);
    }
    return error;
}
