/* The LTTng session of a run; see session.h. */
#include "session/lttng/session.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lttng/lttng.h>

#include "base/clock.h"
#include "base/paths.h"
#include "base/size.h"
#include "base/timeout.h"
#include "session/lttng/channels.h"
#include "session/trace_size.h"

enum {
    /* for one call of liblttng-ctl; a busy daemon serves other clients first */
    SILENCE_MS = 30000,
    FULL_SILENCE_MS = 5000, /* on a full disk, where consumer daemons tend to hang */
    NO_GROWTH_MS = 8000,    /* for pending data that does not reach the disk */
    DESTROY_MS = 8000,
    FILL_KIB_PER_MS = 64, /* least speed of making buffers, which are filled with zeros */
};

#define KIB UINT64_C(1024)

static const char *const own_prefix = "pinsight-";

static void fail(struct pinsight_session_result *result, int error, const char *what) {
    result->error = error < 0 ? -error : error;
    snprintf(result->text, sizeof(result->text), "could not %s: %s", what, lttng_strerror(error));
}

static void init_domain(struct lttng_domain *domain) {
    memset(domain, 0, sizeof(*domain));
    domain->type = LTTNG_DOMAIN_UST;
    /* A process that is killed while it writes an event leaves its buffer locked for good. Shared
     * buffers would then silence that processor for all other processes. */
    domain->buf_type = LTTNG_BUFFER_PER_PID;
}

/* Makes the session record no process at first. Processes are added one by one. */
static int set_tracked(const char *name) {
    struct lttng_process_attr_tracker_handle *tracker = NULL;

    enum lttng_error_code error = lttng_session_get_tracker_handle(
        name, LTTNG_DOMAIN_UST, LTTNG_PROCESS_ATTR_VIRTUAL_PROCESS_ID, &tracker);
    if (error != LTTNG_OK) {
        return -(int)error;
    }
    enum lttng_process_attr_tracker_handle_status status =
        lttng_process_attr_tracker_handle_set_tracking_policy(tracker,
                                                              LTTNG_TRACKING_POLICY_INCLUDE_SET);
    lttng_process_attr_tracker_handle_destroy(tracker);
    return status == LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK ? 0 : -LTTNG_ERR_UNK;
}

/* Checks the daemon's limit for file sizes. The buffers of a channel for one processor are a file
 * in shared memory, which the consumer daemon makes. */
static bool is_file_limit_too_low(const struct pinsight_session *session,
                                  const struct pinsight_channel_sizes *sizes,
                                  struct pinsight_session_result *result) {
    uint64_t largest = sizes->registry > sizes->events ? sizes->registry : sizes->events;
    uint64_t needed = largest * (PINSIGHT_SUB_BUFFERS + 1) + 64 * KIB; /* one is the reader's */

    if (session->file_limit == 0 || session->file_limit >= needed) {
        return false;
    }
    char most[32], wanted[32];
    result->error = LTTNG_ERR_NOMEM;
    snprintf(result->text, sizeof(result->text),
             "files of LTTng's daemon may have %s at most (ulimit -f), and its buffers need files "
             "of %s; raise that limit, or take a smaller --buffer-size",
             pinsight_size_format(session->file_limit / KIB * KIB, most, sizeof(most)),
             pinsight_size_format(needed / KIB * KIB, wanted, sizeof(wanted)));
    return true;
}

/*
 * Creates the session with the format CTF 1.8. LTTng 2.15 and later can also write CTF 2, which the
 * reader does not support, and some daemons do so by default. Earlier versions have neither the
 * choice nor the function. Returns an error code of LTTng.
 */
static int create_session(const struct pinsight_session *session) {
    enum { CTF_1_8 = 1 }; /* LTTNG_TRACE_FORMAT_CTF_1_8 */
    int (*set_format)(struct lttng_session_descriptor *, int) =
        (__typeof__(set_format))dlsym(RTLD_DEFAULT, "lttng_session_descriptor_set_trace_format");
    char url[PATH_MAX + 8];

    if (set_format == NULL) {
        snprintf(url, sizeof(url), "file://%s", session->output);
        return lttng_create_session(session->name, url);
    }
    struct lttng_session_descriptor *wanted =
        lttng_session_descriptor_local_create(session->name, session->output);
    int error = -LTTNG_ERR_NOMEM;
    if (wanted != NULL) {
        set_format(wanted, CTF_1_8);
        error = -(int)lttng_create_session_ext(wanted);
        lttng_session_descriptor_destroy(wanted);
    }
    return error == -LTTNG_OK ? 0 : error;
}

static void work_create(const struct pinsight_pulse *pulse, const void *request, void *answer) {
    const struct pinsight_session *session = request;
    struct pinsight_session_result *result = answer;
    struct pinsight_machine machine;
    struct lttng_domain domain;
    const char *what = "create a session";

    pinsight_machine_look(&machine);
    struct pinsight_channel_sizes sizes =
        pinsight_channel_choose_sizes(&machine, session->registry, session->buffer_size);
    if (pinsight_channel_memory(&machine, &sizes) > machine.shared_memory) {
        char needed[32], there[32];
        result->error = LTTNG_ERR_NOMEM;
        snprintf(result->text, sizeof(result->text),
                 "the buffers need %s of shared memory and /dev/shm has %s left; give it more, or "
                 "take a smaller --buffer-size",
                 pinsight_size_format(pinsight_channel_memory(&machine, &sizes) / KIB * KIB, needed,
                                      sizeof(needed)),
                 pinsight_size_format(machine.shared_memory / KIB * KIB, there, sizeof(there)));
        return;
    }
    if (is_file_limit_too_low(session, &sizes, result)) {
        return;
    }
    pinsight_pulse_beat(pulse, what);
    int error = create_session(session);
    if (error < 0) {
        fail(result, error, what);
        return;
    }
    init_domain(&domain);
    struct lttng_handle *handle = lttng_create_handle(session->name, &domain);
    error = handle == NULL
                ? -LTTNG_ERR_NOMEM
                : pinsight_channels_make(handle, &sizes, session->lossless, pulse, &what);
    if (error >= 0 && session->tracked) {
        what = "limit the session to this run's processes";
        pinsight_pulse_beat(pulse, what);
        error = set_tracked(session->name);
    }
    if (error >= 0) {
        what = "start the session";
        pinsight_pulse_beat(pulse, what);
        error = lttng_start_tracing(session->name);
    }
    if (error < 0) {
        fail(result, error, what);
        lttng_destroy_session_no_wait(session->name);
    }
    lttng_destroy_handle(handle);
}

/* Waits until all recorded data is on disk: the daemon then reports no pending data. */
static bool wait_for_data(const struct pinsight_session *session,
                          const struct pinsight_pulse *pulse) {
    uint64_t size = pinsight_trace_size(session->output);
    int64_t until = pinsight_now_ms() + NO_GROWTH_MS, look = pinsight_now_ms() + 500;

    for (int rest_ms = 1;; rest_ms = rest_ms < 20 ? rest_ms * 2 : 20) {
        int pending = lttng_data_pending(session->name);
        if (pending <= 0) {
            return pending == 0;
        }
        int64_t now = pinsight_now_ms();
        if (now >= look) {
            uint64_t grown = pinsight_trace_size(session->output);
            if (grown != size) {
                size = grown;
                until = now + NO_GROWTH_MS;
            }
            look = now + 500;
            pinsight_pulse_beat(pulse, "wait for the consumer daemon to write");
        }
        if (now >= until) {
            return false;
        }
        pinsight_sleep_ms(rest_ms);
    }
}

static void count_discarded(const struct pinsight_session *session,
                            struct pinsight_session_result *result) {
    struct lttng_domain domain;
    struct lttng_channel *channels = NULL;

    init_domain(&domain);
    struct lttng_handle *handle = lttng_create_handle(session->name, &domain);
    if (handle == NULL) {
        return;
    }
    int count = lttng_list_channels(handle, &channels);
    for (int i = 0; i < count; i++) {
        uint64_t discarded = 0, lost = 0;
        if (lttng_channel_get_discarded_event_count(&channels[i], &discarded) == 0) {
            result->discarded_events += discarded;
        }
        if (lttng_channel_get_lost_packet_count(&channels[i], &lost) == 0) {
            result->lost_packets += lost;
        }
    }
    free(channels);
    lttng_destroy_handle(handle);
}

static void work_stop(const struct pinsight_pulse *pulse, const void *request, void *answer) {
    const struct pinsight_session *session = request;
    struct pinsight_session_result *result = answer;

    pinsight_pulse_beat(pulse, "stop the session");
    int error = lttng_stop_tracing_no_wait(session->name);
    if (error < 0 && error != -LTTNG_ERR_TRACE_ALREADY_STOPPED) {
        fail(result, error, "stop the session");
        return;
    }
    pinsight_pulse_beat(pulse, "wait for the consumer daemon to write");
    result->incomplete = !wait_for_data(session, pulse);
    pinsight_pulse_beat(pulse, "ask for the discarded events");
    count_discarded(session, result);
}

static void work_destroy(const struct pinsight_pulse *pulse, const void *request, void *answer) {
    const struct pinsight_session *session = request;
    struct pinsight_session_result *result = answer;
    struct lttng_destruction_handle *handle = NULL;
    char archives[PATH_MAX];
    /* While the session is destroyed, the last chunk of a rotated session moves to the others. A
     * reader has to wait for that. */
    bool rotated =
        pinsight_path_join(archives, session->output, "archives") && access(archives, F_OK) == 0;

    pinsight_pulse_beat(pulse, "destroy the session");
    enum lttng_error_code error = lttng_destroy_session_ext(session->name, &handle);
    if (error != LTTNG_OK) {
        fail(result, -(int)error, "destroy the session");
        return;
    }
    if (!rotated) {
        pinsight_pulse_beat(pulse, "gone");
    }
    if (handle != NULL) {
        lttng_destruction_handle_wait_for_completion(handle, DESTROY_MS);
        lttng_destruction_handle_destroy(handle);
    }
    if (rotated) {
        pinsight_pulse_beat(pulse, "gone");
    }
}

static void run_timed(struct pinsight_timed_call *work, struct pinsight_session_result *result) {
    memset(result, 0, sizeof(*result));
    work->result = result;
    work->result_size = sizeof(*result);
    if (work->silence_ms == 0) {
        work->silence_ms = SILENCE_MS;
    }
    switch (pinsight_call_with_timeout(work)) {
    case PINSIGHT_TIMED_DONE:
        return;
    case PINSIGHT_TIMED_HUNG:
        snprintf(result->text, sizeof(result->text),
                 "the session daemon gave no answer for %d s when asked to %s",
                 work->silence_ms / 1000, work->last);
        break;
    default:
        snprintf(result->text, sizeof(result->text), "the attempt to %s failed",
                 *work->last != '\0' ? work->last : "talk to the session daemon");
        break;
    }
    result->error = -1;
}

void pinsight_session_create(const struct pinsight_session *session,
                             struct pinsight_session_result *result) {
    struct pinsight_timed_call work = {.work = work_create, .request = session};
    struct pinsight_machine machine;

    pinsight_machine_look(&machine);
    struct pinsight_channel_sizes sizes =
        pinsight_channel_choose_sizes(&machine, session->registry, session->buffer_size);
    uint64_t fill_ms = pinsight_channel_memory(&machine, &sizes) / KIB / FILL_KIB_PER_MS;
    work.silence_ms = SILENCE_MS + (int)(fill_ms < 3600000 ? fill_ms : 3600000);
    run_timed(&work, result);
}

void pinsight_session_stop(const struct pinsight_session *session,
                           struct pinsight_session_result *result) {
    struct pinsight_timed_call work = {.work = work_stop, .request = session};

    if (pinsight_trace_disk_is_full(session->output)) {
        work.silence_ms = FULL_SILENCE_MS;
    }

    run_timed(&work, result);
}

struct destroy_listener {
    void (*listed_no_more)(void *listener);
    void *listener;
};

static void receive_destroy(void *listener, const char *what) {
    struct destroy_listener *wanted = listener;

    if (strcmp(what, "gone") == 0 && wanted->listed_no_more != NULL) {
        wanted->listed_no_more(wanted->listener);
    }
}

void pinsight_session_destroy(const struct pinsight_session *session,
                              void (*listed_no_more)(void *listener), void *listener,
                              struct pinsight_session_result *result) {
    struct destroy_listener wanted = {listed_no_more, listener};
    struct pinsight_timed_call work = {
        .work = work_destroy, .request = session, .on_beat = receive_destroy, .listener = &wanted};

    run_timed(&work, result);
}

int pinsight_session_track(const char *session_name, pid_t pid) {
    struct lttng_process_attr_tracker_handle *tracker = NULL;

    if (lttng_session_get_tracker_handle(session_name, LTTNG_DOMAIN_UST,
                                         LTTNG_PROCESS_ATTR_VIRTUAL_PROCESS_ID,
                                         &tracker) != LTTNG_OK) {
        return -1;
    }
    enum lttng_process_attr_tracker_handle_status status =
        lttng_process_attr_process_id_tracker_handle_add_pid(tracker, pid);
    lttng_process_attr_tracker_handle_destroy(tracker);
    return status == LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_OK ||
                   status == LTTNG_PROCESS_ATTR_TRACKER_HANDLE_STATUS_EXISTS
               ? 0
               : -1;
}

static void work_count_foreign(const struct pinsight_pulse *pulse, const void *request,
                               void *answer) {
    struct pinsight_session_result *result = answer;
    struct lttng_session *sessions = NULL;

    (void)request;
    pinsight_pulse_beat(pulse, "list the sessions");
    int count = lttng_list_sessions(&sessions);
    if (count < 0) {
        fail(result, count, "list the sessions");
        return;
    }
    for (int i = 0; i < count; i++) {
        if (strncmp(sessions[i].name, own_prefix, strlen(own_prefix)) != 0) {
            result->discarded_events++;
        }
    }
    free(sessions);
}

bool pinsight_session_daemon_answers(int patience_ms) {
    struct pinsight_session_result result;
    struct pinsight_timed_call work = {
        .work = work_count_foreign, .request = NULL, .silence_ms = patience_ms};

    run_timed(&work, &result);
    return result.error >= 0;
}

int pinsight_session_count_foreign(void) {
    struct pinsight_session_result result;
    struct pinsight_timed_call work = {.work = work_count_foreign, .request = NULL};

    run_timed(&work, &result);
    return result.error != 0 ? -1 : (int)result.discarded_events;
}
