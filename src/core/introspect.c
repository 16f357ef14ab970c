/* Introspection; see introspect.h. */
#include "core/introspect.h"

#include "core/helper.h"
#include "core/info.h"
#include "core/introspect_protocol.h"
#include "core/log.h"
#include "core/mode.h"
#include "core/process.h"
#include "core/settings.h"
#include "core/variables.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS INT64_C(1000000)

enum {
    LOOK_MS = 5, /* how soon a resume is seen */
    /* The helper gives a rotation up by itself; this is for a helper that is stopped. */
    ROTATION_MS = PINSIGHT_INTROSPECT_ROTATION_MS + 1000,
    DUE_ROTATING_MS = 10,
    DUE_SCRIPT_MS = 50,
};

enum phase { IDLE, ROTATING, SCRIPT };

/* The introspection that goes on; the control thread's alone. */
static struct cycle {
    enum phase phase;
    struct pinsight_introspection how;
    struct pinsight_helper helper;
    uint32_t number;
    int64_t began_ns;
    int64_t paused_ns; /* of it, the program waited this long */
    uint64_t content;  /* of the configuration file at the beginning */
    bool rotated;      /* the session was, or may have been */
    uint32_t stopped, running;
    char chunk[PATH_MAX];
    enum pinsight_introspect_end end;
    int status;
    bool reloaded;
    char message[1024]; /* what went wrong, "" if nothing did */
} cycle = {.helper = PINSIGHT_HELPER_NONE};

static _Atomic uint32_t count, ended;
static _Atomic bool resume_asked;

static int64_t now_ns(void) {
    return (int64_t)pinsight_info_before();
}

/* ---- what may be said ------------------------------------------------------------------------ */

/* Keeps the first thing that went wrong for the trace, and says each kind of thing once. */
__attribute__((format(printf, 2, 3))) static void complain(struct pinsight_log_once *once,
                                                           const char *format, ...) {
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!*cycle.message)
        memcpy(cycle.message, text, sizeof text);
    pinsight_log_once(once, "introspection %u of process %d: %s", (unsigned)cycle.number,
                      (int)pinsight_process.pid, text);
}

static struct pinsight_log_once no_helper = PINSIGHT_LOG_ONCE_INIT,
                                no_chunk = PINSIGHT_LOG_ONCE_INIT,
                                no_script = PINSIGHT_LOG_ONCE_INIT,
                                bad_script = PINSIGHT_LOG_ONCE_INIT,
                                slow_script = PINSIGHT_LOG_ONCE_INIT,
                                not_reloaded = PINSIGHT_LOG_ONCE_INIT,
                                not_set = PINSIGHT_LOG_ONCE_INIT, refused = PINSIGHT_LOG_ONCE_INIT;

/* ---- the configuration file ------------------------------------------------------------------ */

/* A number for what a file holds (FNV-1a); 0 for a file that cannot be read. A time stamp alone
 * says nothing: `sed -i` changes it without changing the file, and a file system may keep seconds.
 */
static uint64_t content_of(const char *path) {
    static unsigned char block[65536]; /* the control thread's stack may be small */
    uint64_t hash = 14695981039346656037u;
    ssize_t n;

    int fd = *path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (fd < 0)
        return 0;
    while ((n = read(fd, block, sizeof block)) > 0) {
        for (ssize_t i = 0; i < n; i++)
            hash = (hash ^ block[i]) * 1099511628211u;
    }
    close(fd);
    return n < 0 ? 0 : hash;
}

static void reload_if_changed(void) {
    const char *path = pinsight_settings_path();
    uint64_t content = content_of(path);

    if (!*path || content == cycle.content)
        return;
    struct pinsight_answer answer = {0};
    cycle.reloaded = pinsight_settings_reload("introspect", &answer) == 0;
    if (!cycle.reloaded)
        complain(&not_reloaded, "%s", answer.message);
}

/* ---- the domains ----------------------------------------------------------------------------- */

static void pause_domains(void) {
    for (unsigned slot = 0; slot < PINSIGHT_DOMAINS_MAX; slot++) {
        struct pinsight_domain *domain = pinsight_domain_at(slot);
        uint32_t stopped = 0, running = 0;
        if (domain && domain->pause) {
            domain->pause(domain, &stopped, &running);
            cycle.stopped += stopped;
            cycle.running += running;
        }
    }
}

static void let_go(void) {
    for (unsigned slot = 0; slot < PINSIGHT_DOMAINS_MAX; slot++) {
        struct pinsight_domain *domain = pinsight_domain_at(slot);
        if (domain && domain->go_on)
            domain->go_on(domain);
    }
}

/* Before a rotation, so that the chunk has what was counted in it; and after. */
static void tell_domains(void) {
    for (unsigned slot = 0; slot < PINSIGHT_DOMAINS_MAX; slot++) {
        struct pinsight_domain *domain = pinsight_domain_at(slot);
        if (domain && domain->rotated)
            domain->rotated(domain);
    }
}

/* The next chunk has none of the definitions that its events refer to. */
static void define_anew(void) {
    if (!cycle.rotated)
        return;
    cycle.rotated = false;
    pinsight_info_again();
    tell_domains();
}

static void set_mode(void) {
    const struct pinsight_introspection *how = &cycle.how;
    if (how->domain && pinsight_domain_set_mode(how->domain, how->after, "introspect") != 0)
        complain(&not_set, "the domain %s cannot go into the mode %s", how->domain->name,
                 pinsight_mode_name(how->after));
}

/* ---- the helper ------------------------------------------------------------------------------ */

/* Its path: it stands beside this library. */
static bool find_helper(char path[PATH_MAX]) {
    Dl_info where;

    if (!dladdr((void *)(uintptr_t)pinsight_introspect_count, &where) || !where.dli_fname ||
        !realpath(where.dli_fname, path))
        return false;
    char *slash = strrchr(path, '/');
    if ((size_t)(slash - path) + sizeof "/" PINSIGHT_INTROSPECT_PROGRAM > PATH_MAX)
        return false;
    strcpy(slash, "/" PINSIGHT_INTROSPECT_PROGRAM);
    return true;
}

static bool start_helper(void) {
    const char *session = pinsight_variables_own("PINSIGHT_SESSION");
    char path[PATH_MAX], pid[16];
    char *words[] = {path, (char *)session, (char *)pinsight_variables_own("PINSIGHT_OUTPUT"), pid,
                     NULL};

    if (!*session) {
        complain(&no_helper, "there is no chunk to look at, because the program was not started by "
                             "`pinsight run`");
        return false;
    }
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    if (!find_helper(path) || !pinsight_variables_clean()) {
        complain(&no_helper, "the folder of libpinsight.so cannot be found");
        return false;
    }
    tell_domains();
    int error = pinsight_helper_start(&cycle.helper, words, pinsight_variables_clean());
    if (error) {
        complain(&no_helper, "%s cannot be started: %s", path, strerror(error));
        return false;
    }
    cycle.rotated = true;
    return true;
}

static bool ask_for_script(void) {
    char packet[PINSIGHT_INTROSPECT_PACKET_MAX];
    const char *configuration = pinsight_settings_path();
    size_t script = strlen(cycle.how.script), size = 1 + script + 1;

    if (!*configuration)
        configuration = "-";
    if (size + strlen(configuration) > sizeof packet)
        return false;
    packet[0] = PINSIGHT_INTROSPECT_RUN;
    memcpy(packet + 1, cycle.how.script, script + 1);
    memcpy(packet + size, configuration, strlen(configuration));
    size += strlen(configuration);
    return pinsight_helper_send(&cycle.helper, packet, size);
}

static void end_helper(void) {
    const char stop = PINSIGHT_INTROSPECT_STOP;

    if (cycle.helper.fd >= 0) {
        pinsight_helper_send(&cycle.helper, &stop, 1);
        pinsight_helper_end(&cycle.helper);
    }
}

/* The cycle is over: how, if nothing is said before. */
static void end_with(enum pinsight_introspect_end how) {
    cycle.phase = IDLE;
    cycle.end = how;
}

static void hear_end_of_script(const char *text) {
    cycle.status = atoi(text);
    if (cycle.status < 0)
        complain(&bad_script, "the script %.500s was ended by signal %d", cycle.how.script,
                 -cycle.status);
    else if (cycle.status > 0)
        complain(&bad_script, "the script %.500s ended with status %d", cycle.how.script,
                 cycle.status);
    end_with(PINSIGHT_INTROSPECT_SCRIPT_ENDED);
}

/* One packet of the helper's, if there is one within the time; then the phase may have changed. */
static void hear(int patience_ms) {
    static char packet[PINSIGHT_INTROSPECT_PACKET_MAX + 1];

    ssize_t n = pinsight_helper_receive(&cycle.helper, packet, sizeof packet - 1, patience_ms);
    if (n == 0)
        return;
    if (n < 0) {
        complain(&no_helper, "%s was killed, or the program closed the descriptor to it",
                 PINSIGHT_INTROSPECT_PROGRAM);
        end_with(PINSIGHT_INTROSPECT_FAILED);
        return;
    }
    packet[n] = '\0';
    const char *text = packet + 1;
    switch (packet[0]) {
    case PINSIGHT_INTROSPECT_CHUNK:
        snprintf(cycle.chunk, sizeof cycle.chunk, "%.*s", PATH_MAX - 1, text);
        cycle.phase = SCRIPT;
        if (*cycle.how.script && !ask_for_script()) {
            complain(&no_helper, "%s does not take the script", PINSIGHT_INTROSPECT_PROGRAM);
            end_with(PINSIGHT_INTROSPECT_FAILED);
        }
        define_anew();
        break;
    case PINSIGHT_INTROSPECT_NO_CHUNK:
        complain(&no_chunk, "there is no chunk to look at: %s", text);
        end_with(PINSIGHT_INTROSPECT_FAILED);
        break;
    case PINSIGHT_INTROSPECT_NO_SCRIPT:
        complain(&no_script, "%s", text);
        end_with(PINSIGHT_INTROSPECT_FAILED);
        break;
    case PINSIGHT_INTROSPECT_ENDED:
        hear_end_of_script(text);
        break;
    }
}

/* ---- a cycle --------------------------------------------------------------------------------- */

static void begin(const struct pinsight_introspection *how) {
    struct pinsight_helper none = PINSIGHT_HELPER_NONE;

    memset(&cycle, 0, sizeof cycle);
    cycle.helper = none;
    cycle.how = *how;
    cycle.number = atomic_fetch_add(&count, 1) + 1;
    cycle.began_ns = now_ns();
    cycle.status = PINSIGHT_NO_STATUS;
    cycle.phase = ROTATING;
    cycle.content = content_of(pinsight_settings_path());
    atomic_store(&resume_asked, false);
    pinsight_info_introspect_begin(cycle.number, how);
}

/* What is left when the script has ended, or is not waited for any more. */
static void finish(void) {
    end_helper();
    define_anew(); /* a rotation that failed may have begun */
    reload_if_changed();
}

/* From here on, a window that ends asks for another introspection. */
static void open_windows(void) {
    atomic_fetch_add(&ended, 1);
    if (cycle.how.after == PINSIGHT_MODE_TRACING)
        pinsight_windows_reset();
}

static void record_end(void) {
    struct pinsight_introspection_end end = {
        .number = cycle.number,
        .chunk = cycle.chunk,
        .how = cycle.end,
        .status = cycle.status,
        .threads_stopped = cycle.stopped,
        .threads_running = cycle.running,
        .reloaded = cycle.reloaded,
        .mode = cycle.how.domain ? pinsight_domain_mode(cycle.how.domain) : cycle.how.after,
        .message = cycle.message,
    };
    pinsight_info_introspect_end(&end);
}

/* A pause is over at this time; INT64_MAX: never by itself. */
static int64_t pause_until(void) {
    return cycle.how.pause_ns < 0 || cycle.how.pause_ns > INT64_MAX - cycle.began_ns
               ? INT64_MAX
               : cycle.began_ns + cycle.how.pause_ns;
}

static void wait_for_it(void) {
    int64_t until = pause_until(), chunk_until = cycle.began_ns + ROTATION_MS * MS;

    while (cycle.phase != IDLE) {
        int64_t now = now_ns();
        if (atomic_load(&resume_asked)) {
            end_with(PINSIGHT_INTROSPECT_RESUMED);
        } else if (now >= until) {
            if (cycle.phase == ROTATING)
                complain(&no_chunk, "the chunk was not complete within the pause; the rotation of "
                                    "the session goes on");
            else if (*cycle.how.script)
                complain(&slow_script,
                         "the script %.500s did not end within the pause and is ended",
                         cycle.how.script);
            end_with(PINSIGHT_INTROSPECT_TIME_OUT);
        } else if (cycle.phase == ROTATING && now >= chunk_until) {
            complain(&no_chunk, "%s does not answer", PINSIGHT_INTROSPECT_PROGRAM);
            end_with(PINSIGHT_INTROSPECT_FAILED);
        } else {
            int64_t rest_ms = (until - now) / MS + 1;
            hear(rest_ms < LOOK_MS ? (int)rest_ms : LOOK_MS);
        }
    }
}

static void describe(struct pinsight_answer *answer) {
    static const char *const ends[] = {"the script ended", "the time was over",
                                       "it was told to go on", "nothing was waited for",
                                       "it failed"};
    char status[32] = "";

    if (cycle.end == PINSIGHT_INTROSPECT_SCRIPT_ENDED)
        snprintf(status, sizeof status, " with status %d", cycle.status);
    answer->failed = cycle.end == PINSIGHT_INTROSPECT_FAILED;
    snprintf(
        answer->message, sizeof answer->message,
        "introspection %u: %s%s after %.1f ms, %u threads waited and %u ran on%s%.400s%s%.400s%s",
        (unsigned)cycle.number, ends[cycle.end], status, (double)cycle.paused_ns / 1e6,
        (unsigned)cycle.stopped, (unsigned)cycle.running, *cycle.chunk ? "; the chunk is " : "",
        cycle.chunk, *cycle.message ? "; " : "", cycle.message,
        cycle.reloaded ? "; the configuration was reloaded" : "");
}

static void with_pause(struct pinsight_answer *answer) {
    pause_domains();
    if (start_helper())
        wait_for_it();
    else
        end_with(PINSIGHT_INTROSPECT_FAILED);
    finish();
    set_mode();
    open_windows();
    let_go();
    cycle.paused_ns = now_ns() - cycle.began_ns;
    record_end();
    describe(answer);
}

static void end_background(void) {
    finish();
    open_windows();
    if (cycle.end == PINSIGHT_INTROSPECT_SCRIPT_ENDED)
        cycle.end = PINSIGHT_INTROSPECT_NOT_WAITED;
    record_end();
}

static void in_background(struct pinsight_answer *answer) {
    if (!start_helper()) {
        end_with(PINSIGHT_INTROSPECT_FAILED);
        set_mode();
        end_background();
        describe(answer);
        return;
    }
    set_mode();
    snprintf(answer->message, sizeof answer->message,
             "introspection %u: the chunk is being made while the program goes on",
             (unsigned)cycle.number);
}

/* Did an introspection end since this one was asked for, and was it the same? */
static bool is_done(const struct pinsight_introspection *how) {
    return how->by_window && how->ended != atomic_load(&ended) &&
           how->pause_ns == cycle.how.pause_ns && how->after == cycle.how.after &&
           how->domain == cycle.how.domain && strcmp(how->script, cycle.how.script) == 0;
}

void pinsight_introspect(const struct pinsight_introspection *how, struct pinsight_answer *answer) {
    if (cycle.phase != IDLE) {
        answer->failed = true;
        snprintf(answer->message, sizeof answer->message,
                 "introspection %u still goes on in the background, so there is no other one",
                 (unsigned)cycle.number);
        pinsight_log_once(&refused, "process %d: %s", (int)pinsight_process.pid, answer->message);
        if (how->domain)
            pinsight_domain_set_mode(how->domain, how->after, "introspect");
        return;
    }
    if (is_done(how)) {
        snprintf(answer->message, sizeof answer->message, "introspection %u was for this one too",
                 (unsigned)cycle.number);
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
    if (cycle.phase == IDLE)
        return -1;
    return (cycle.phase == ROTATING ? DUE_ROTATING_MS : DUE_SCRIPT_MS) * MS;
}

void pinsight_introspect_tend(void) {
    if (cycle.phase == IDLE)
        return;
    hear(0);
    if (cycle.phase == SCRIPT && !*cycle.how.script) {
        end_with(PINSIGHT_INTROSPECT_NOT_WAITED);
    } else if (cycle.phase == ROTATING && now_ns() >= cycle.began_ns + ROTATION_MS * MS) {
        complain(&no_chunk, "%s does not answer", PINSIGHT_INTROSPECT_PROGRAM);
        end_with(PINSIGHT_INTROSPECT_FAILED);
    }
    if (cycle.phase == IDLE)
        end_background();
}

uint32_t pinsight_introspect_count(void) {
    return atomic_load(&count);
}

uint32_t pinsight_introspect_ended(void) {
    return atomic_load(&ended);
}

void pinsight_introspect_fork_child(void) {
    pinsight_helper_forget(&cycle.helper);
    cycle.phase = IDLE;
    atomic_store(&count, 0);
    atomic_store(&ended, 0);
    atomic_store(&resume_asked, false);
}
