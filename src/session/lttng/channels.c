/* The channels of a session, and which events go into which. */
#include "session/lttng/channels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <lttng/lttng.h>

#include "record/lttng/channels.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)

enum {
    BLOCKING_US = 2000000, /* an end, so that a dead consumer holds nobody for good */
    SWITCH_US = 1000000,   /* what is older than this survives any crash */
    /* How often new descriptions of events are fetched. A fetch that coincides with the end of its
     * process blocks LTTng 2.13's consumer daemon for good, so it is not often. */
    DESCRIPTION_US = 1000000,
    DESCRIPTION_SIZE = 4096,
    EXCLUSIONS_MAX = 64,
};

static const char registry_channel[] = "registry";

/*
 * Each process has buffers of its own, for every processor that there can be: a machine with 128 of
 * them takes 128 times the memory for each process, and a virtual machine may count processors that
 * will never exist. A traced Python thread writes some hundred megabytes a second at most, and only
 * one runs Python at a time. On few processors the consumer daemon competes with the program for
 * them and sleeps for tens of milliseconds, so each buffer should hold that much: 16 MiB, in four
 * parts so that three can fill while one is written. On many processors the consumer has one of its
 * own and far less does. LTTng fills all of it with zeros while a process starts, some 2 ms for
 * each MiB. So the sum over all processors is what is kept within bounds, for each process: 32 MiB,
 * a 512th of the memory, a 16th of what /dev/shm has left (containers often have 64 MiB in all),
 * and per processor between 256 KiB and 16 MiB. With 64 processes on 64 processors that is 2 GiB.
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
        /* Then the channel of the other events has little to do. */
        sizes.registry = busy;
        sizes.events = busy < 256 * KIB ? busy : 256 * KIB;
    }
    return sizes;
}

uint64_t pinsight_channel_memory(const struct pinsight_machine *machine,
                                 const struct pinsight_channel_sizes *sizes) {
    /* LTTng-UST adds a sub-buffer for whoever reads. */
    uint64_t data =
        (sizes->definitions + sizes->events + sizes->registry) * (PINSIGHT_SUB_BUFFERS + 1);

    /* Per processor and channel some pages of administration, seen to be below this. */
    return machine->processors * (data + data / 16 + 96 * KIB);
}

void pinsight_machine_look(struct pinsight_machine *machine) {
    struct statvfs shm;
    struct sysinfo info;
    long processors = sysconf(_SC_NPROCESSORS_CONF);
    FILE *possible = fopen("/sys/devices/system/cpu/possible", "re");

    /* "0-127": the last number counts, as it does for LTTng-UST. */
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
    channel->enabled = 1; /* LTTng 2.16 makes it as it is told here; before, always so */
    channel->attr.overwrite = 0;
    channel->attr.subbuf_size = size;
    channel->attr.num_subbuf = PINSIGHT_SUB_BUFFERS;
    channel->attr.switch_timer_interval = SWITCH_US;
    channel->attr.read_timer_interval = 0; /* the program wakes the consumer */
    channel->attr.output = LTTNG_EVENT_MMAP;
    /* Nobody asks for notifications about buffers; the timer behind them would only run. */
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
 * LTTng has a channel of its own for the description of a process's events; naming it here gives it
 * a timer, by which descriptions reach the disk while the program runs: what the process recorded
 * can be read although the daemon was killed meanwhile. A daemon that does not take that has its
 * default: descriptions are written when the program or the session ends.
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
 * One rule with a wildcard for what is in "events", one for each event elsewhere. Without a channel
 * "registry" what belongs there stays in "events".
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
