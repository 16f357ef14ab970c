/* Introspection; see introspect.h. */
#include "tracer/core/introspect.h"

#include "format/introspect_protocol.h"
#include "tracer/core/clock.h"
#include "tracer/core/info.h"
#include "tracer/core/introspect_cycle.h"
#include "tracer/core/log.h"
#include "tracer/core/mode.h"
#include "tracer/core/pause.h"
#include "tracer/core/process.h"
#include "tracer/core/settings.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS INT64_C(1000000)

enum {
    LOOK_MS = 5, /* period of looks for a resume */
    /* The helper limits a rotation itself. This limit is for a helper that was stopped. */
    ROTATION_MS = PINSIGHT_INTROSPECT_ROTATION_MS + 1000,
    CHUNK_MS = 2000, /* longest wait for the chunk's path, for the reply */
    DUE_ROTATING_MS = 10,
    DUE_SCRIPT_MS = 50,
};

struct pinsight_cycle pinsight_cycle = {.helper = PINSIGHT_HELPER_NONE};

static _Atomic uint32_t count, ended;
static _Atomic bool resume_asked;

static int64_t now_ns(void) {
    return (int64_t)pinsight_clock_ns();
}

/* ---- messages -------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) void pinsight_cycle_report(struct pinsight_log_once *once,
                                                                 const char *format, ...) {
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!*pinsight_cycle.message)
        memcpy(pinsight_cycle.message, text, sizeof text);
    pinsight_log_once(once, "introspection %u of process %d: %s", (unsigned)pinsight_cycle.number,
                      (int)pinsight_process.pid, text);
}

static struct pinsight_log_once no_chunk = PINSIGHT_LOG_ONCE_INIT,
                                slow_script = PINSIGHT_LOG_ONCE_INIT,
                                not_reloaded = PINSIGHT_LOG_ONCE_INIT,
                                not_set = PINSIGHT_LOG_ONCE_INIT, refused = PINSIGHT_LOG_ONCE_INIT;

/* ---- the configuration file ------------------------------------------------------------------ */

static void reload_if_changed(void) {
    const char *path = pinsight_settings_path();
    uint64_t content = pinsight_cycle_content(path);

    if (!*path || content == pinsight_cycle.content)
        return;
    struct pinsight_answer answer = {0};
    pinsight_cycle.reloaded = pinsight_settings_reload("introspect", &answer) == 0;
    if (!pinsight_cycle.reloaded)
        pinsight_cycle_report(&not_reloaded, "%s", answer.message);
}

/* ---- the domains ----------------------------------------------------------------------------- */

/* Records the counts, before and after a rotation. */
void pinsight_cycle_notify_domains(void) {
    PINSIGHT_DOMAINS_CALL(rotated);
}

/* Records the definitions again, because the next chunk has none. */
void pinsight_cycle_define_anew(void) {
    if (!pinsight_cycle.rotated)
        return;
    pinsight_cycle.rotated = false;
    pinsight_info_redefine();
    pinsight_cycle_notify_domains();
}

static void set_mode(void) {
    const struct pinsight_introspection *how = &pinsight_cycle.how;
    if (how->domain && pinsight_domain_set_mode(how->domain, how->after, "introspect") != 0)
        pinsight_cycle_report(&not_set, "the domain %s cannot go into the mode %s",
                              how->domain->name, pinsight_mode_name(how->after));
}

/* ---- a cycle --------------------------------------------------------------------------------- */

static void begin(const struct pinsight_introspection *how) {
    struct pinsight_helper none = PINSIGHT_HELPER_NONE;

    memset(&pinsight_cycle, 0, sizeof pinsight_cycle);
    pinsight_cycle.helper = none;
    pinsight_cycle.how = *how;
    pinsight_cycle.number = atomic_fetch_add(&count, 1) + 1;
    pinsight_cycle.began_ns = now_ns();
    pinsight_cycle.status = PINSIGHT_NO_STATUS;
    pinsight_cycle.phase = PINSIGHT_CYCLE_ROTATING;
    pinsight_cycle.content = pinsight_cycle_content(pinsight_settings_path());
    atomic_store(&resume_asked, false);
    pinsight_info_introspect_begin(pinsight_cycle.number, how);
}

/* Ends a cycle after the script has ended or its time is over. */
static void finish(void) {
    pinsight_cycle_end_helper();
    pinsight_cycle_define_anew(); /* a failed rotation may have begun */
    reload_if_changed();
}

/* Lets a window that ends from here on ask for another introspection. */
static void open_windows(void) {
    atomic_fetch_add(&ended, 1);
    if (pinsight_cycle.how.after == PINSIGHT_MODE_TRACING)
        pinsight_windows_reset();
}

static void record_end(void) {
    struct pinsight_introspection_end end = {
        .number = pinsight_cycle.number,
        .chunk = pinsight_cycle.chunk,
        .how = pinsight_cycle.end,
        .status = pinsight_cycle.status,
        .threads_stopped = pinsight_cycle.stopped,
        .threads_running = pinsight_cycle.running,
        .reloaded = pinsight_cycle.reloaded,
        .mode = pinsight_cycle.how.domain ? pinsight_domain_mode(pinsight_cycle.how.domain)
                                          : pinsight_cycle.how.after,
        .message = pinsight_cycle.message,
    };
    pinsight_info_introspect_end(&end);
}

/* Returns the end of the pause; INT64_MAX for no limit. */
static int64_t pause_until(void) {
    return pinsight_cycle.how.pause_ns < 0 ||
                   pinsight_cycle.how.pause_ns > INT64_MAX - pinsight_cycle.began_ns
               ? INT64_MAX
               : pinsight_cycle.began_ns + pinsight_cycle.how.pause_ns;
}

static void wait_for_it(void) {
    int64_t until = pause_until(), chunk_until = pinsight_cycle.began_ns + ROTATION_MS * MS;

    while (pinsight_cycle.phase != PINSIGHT_CYCLE_IDLE) {
        int64_t now = now_ns();
        if (atomic_load(&resume_asked)) {
            pinsight_cycle_end_with(PINSIGHT_INTROSPECT_RESUMED);
        } else if (now >= until) {
            if (pinsight_cycle.phase == PINSIGHT_CYCLE_ROTATING)
                pinsight_cycle_report(
                    &no_chunk, "the chunk was not complete within the pause; the rotation of "
                               "the session goes on");
            else if (*pinsight_cycle.how.script)
                pinsight_cycle_report(&slow_script,
                                      "the script %.500s did not end within the pause and is ended",
                                      pinsight_cycle.how.script);
            pinsight_cycle_end_with(PINSIGHT_INTROSPECT_TIME_OUT);
        } else if (pinsight_cycle.phase == PINSIGHT_CYCLE_ROTATING && now >= chunk_until) {
            pinsight_cycle_report(&no_chunk, "%s does not answer", PINSIGHT_INTROSPECT_PROGRAM);
            pinsight_cycle_end_with(PINSIGHT_INTROSPECT_FAILED);
        } else {
            int64_t rest_ms = (until - now) / MS + 1;
            pinsight_cycle_receive(rest_ms < LOOK_MS ? (int)rest_ms : LOOK_MS);
        }
    }
}

static void describe(struct pinsight_answer *answer) {
    static const char *const ends[] = {"the script ended", "the time was over",
                                       "it was ordered to continue", "nothing was waited for",
                                       "it failed"};
    char status[32] = "";

    if (pinsight_cycle.end == PINSIGHT_INTROSPECT_SCRIPT_ENDED)
        snprintf(status, sizeof status, " with status %d", pinsight_cycle.status);
    answer->failed = pinsight_cycle.end == PINSIGHT_INTROSPECT_FAILED;
    snprintf(
        answer->message, sizeof answer->message,
        "introspection %u: %s%s after %.1f ms, %u thread%s waited and %u ran on%s%.400s%s%.400s%s",
        (unsigned)pinsight_cycle.number, ends[pinsight_cycle.end], status,
        (double)pinsight_cycle.paused_ns / 1e6, (unsigned)pinsight_cycle.stopped,
        pinsight_cycle.stopped == 1 ? "" : "s", (unsigned)pinsight_cycle.running,
        *pinsight_cycle.chunk ? "; the chunk is " : "", pinsight_cycle.chunk,
        *pinsight_cycle.message ? "; " : "", pinsight_cycle.message,
        pinsight_cycle.reloaded ? "; the configuration was reloaded" : "");
}

static void with_pause(struct pinsight_answer *answer) {
    pinsight_threads_pause(&pinsight_cycle.stopped, &pinsight_cycle.running);
    if (pinsight_cycle_start_helper())
        wait_for_it();
    else
        pinsight_cycle_end_with(PINSIGHT_INTROSPECT_FAILED);
    finish();
    set_mode();
    open_windows();
    pinsight_cycle.paused_ns = now_ns() - pinsight_cycle.began_ns;
    /* First, so that no event after the pause seems to be within it. */
    record_end();
    pinsight_threads_go_on();
    describe(answer);
}

/* Waits for the chunk's path, for the reply. The program continues meanwhile, and other orders
 * wait. */
static void wait_for_chunk(void) {
    const int64_t until = pinsight_cycle.began_ns + CHUNK_MS * MS;

    while (pinsight_cycle.phase == PINSIGHT_CYCLE_ROTATING && now_ns() < until)
        pinsight_cycle_receive(LOOK_MS);
}

static void end_background(void) {
    finish();
    open_windows();
    if (pinsight_cycle.end == PINSIGHT_INTROSPECT_SCRIPT_ENDED)
        pinsight_cycle.end = PINSIGHT_INTROSPECT_NOT_WAITED;
    record_end();
}

static void in_background(struct pinsight_answer *answer) {
    if (!pinsight_cycle_start_helper()) {
        pinsight_cycle_end_with(PINSIGHT_INTROSPECT_FAILED);
        set_mode();
        end_background();
        describe(answer);
        return;
    }
    set_mode();
    if (!pinsight_cycle.how.by_window)
        wait_for_chunk();
    if (pinsight_cycle.phase == PINSIGHT_CYCLE_IDLE) {
        end_background();
        describe(answer);
    } else if (*pinsight_cycle.chunk)
        snprintf(answer->message, sizeof answer->message, "introspection %u: the chunk is %.900s",
                 (unsigned)pinsight_cycle.number, pinsight_cycle.chunk);
    else
        snprintf(answer->message, sizeof answer->message,
                 "introspection %u: the chunk is being made while the program goes on",
                 (unsigned)pinsight_cycle.number);
}

/* Returns whether an equal introspection has ended since a window asked for this one. */
static bool is_done(const struct pinsight_introspection *how) {
    return how->by_window && how->ended != atomic_load(&ended) &&
           how->pause_ns == pinsight_cycle.how.pause_ns && how->after == pinsight_cycle.how.after &&
           how->domain == pinsight_cycle.how.domain &&
           strcmp(how->script, pinsight_cycle.how.script) == 0;
}

void pinsight_introspect(const struct pinsight_introspection *how, struct pinsight_answer *answer) {
    if (pinsight_cycle.phase != PINSIGHT_CYCLE_IDLE) {
        answer->failed = true;
        snprintf(answer->message, sizeof answer->message,
                 "introspection %u still goes on in the background, so there is no other one",
                 (unsigned)pinsight_cycle.number);
        pinsight_log_once(&refused, "process %d: %s", (int)pinsight_process.pid, answer->message);
        if (how->domain)
            pinsight_domain_set_mode(how->domain, how->after, "introspect");
        return;
    }
    if (is_done(how)) {
        snprintf(answer->message, sizeof answer->message, "introspection %u was for this one too",
                 (unsigned)pinsight_cycle.number);
        return;
    }
    begin(how);
    if (how->pause_ns == 0)
        in_background(answer);
    else
        with_pause(answer);
}

void pinsight_introspect_resume(void) {
    atomic_store(&resume_asked, true);
}

int64_t pinsight_introspect_due(void) {
    if (pinsight_cycle.phase == PINSIGHT_CYCLE_IDLE)
        return -1;
    return (pinsight_cycle.phase == PINSIGHT_CYCLE_ROTATING ? DUE_ROTATING_MS : DUE_SCRIPT_MS) * MS;
}

void pinsight_introspect_tend(void) {
    if (pinsight_cycle.phase == PINSIGHT_CYCLE_IDLE)
        return;
    pinsight_cycle_receive(0);
    if (pinsight_cycle.phase == PINSIGHT_CYCLE_SCRIPT && !*pinsight_cycle.how.script) {
        pinsight_cycle_end_with(PINSIGHT_INTROSPECT_NOT_WAITED);
    } else if (pinsight_cycle.phase == PINSIGHT_CYCLE_ROTATING &&
               now_ns() >= pinsight_cycle.began_ns + ROTATION_MS * MS) {
        pinsight_cycle_report(&no_chunk, "%s does not answer", PINSIGHT_INTROSPECT_PROGRAM);
        pinsight_cycle_end_with(PINSIGHT_INTROSPECT_FAILED);
    }
    if (pinsight_cycle.phase == PINSIGHT_CYCLE_IDLE)
        end_background();
}

uint32_t pinsight_introspect_count(void) {
    return atomic_load(&count);
}

uint32_t pinsight_introspect_ended(void) {
    return atomic_load(&ended);
}

void pinsight_introspect_fork_child(void) {
    pinsight_helper_forget(&pinsight_cycle.helper);
    pinsight_cycle.phase = PINSIGHT_CYCLE_IDLE;
    atomic_store(&count, 0);
    atomic_store(&ended, 0);
    atomic_store(&resume_asked, false);
}
