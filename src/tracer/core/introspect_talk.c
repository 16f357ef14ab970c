/* The packets between an introspection and its helper; see introspect_cycle.h. */
#include "tracer/core/introspect_cycle.h"

#include "tracer/core/introspect.h"
#include "tracer/core/settings.h"
#include "tracer/core/variables.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct pinsight_log_once no_helper = PINSIGHT_LOG_ONCE_INIT,
                                no_chunk = PINSIGHT_LOG_ONCE_INIT,
                                no_script = PINSIGHT_LOG_ONCE_INIT,
                                bad_script = PINSIGHT_LOG_ONCE_INIT;

/* FNV-1a. A time stamp is not enough: `sed -i` changes it without changing the file, and some file
 * systems store only seconds. */
uint64_t pinsight_cycle_content(const char *path) {
    static unsigned char block[65536]; /* static, because the control thread has a small stack */
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

/* The helper is beside this library, or beside the folder of a recorder's own library. */
bool pinsight_cycle_find_helper(char path[PATH_MAX]) {
    Dl_info where;

    if (!dladdr((void *)(uintptr_t)pinsight_introspect_count, &where) || !where.dli_fname ||
        !realpath(where.dli_fname, path))
        return false;
    char *slash = strrchr(path, '/');
    if ((size_t)(slash - path) + sizeof "/" PINSIGHT_INTROSPECT_PROGRAM > PATH_MAX)
        return false;
    strcpy(slash, "/" PINSIGHT_INTROSPECT_PROGRAM);
    if (access(path, X_OK) == 0)
        return true;
    *slash = '\0';
    slash = strrchr(path, '/');
    if (slash)
        strcpy(slash, "/" PINSIGHT_INTROSPECT_PROGRAM);
    return slash != NULL;
}

bool pinsight_cycle_start_helper(void) {
    const char *session = pinsight_variables_own("PINSIGHT_SESSION");
    char path[PATH_MAX], pid[16];
    char *words[] = {path, (char *)session, (char *)pinsight_variables_own("PINSIGHT_OUTPUT"), pid,
                     NULL};

    if (!*session) {
        pinsight_cycle_report(
            &no_helper, "there is no chunk to look at, because the program was not started by "
                        "`pinsight run`");
        return false;
    }
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    if (!pinsight_cycle_find_helper(path) || !pinsight_variables_clean()) {
        pinsight_cycle_report(&no_helper, "the folder of libpinsight.so cannot be found");
        return false;
    }
    pinsight_cycle_notify_domains();
    int error = pinsight_helper_start(&pinsight_cycle.helper, words, pinsight_variables_clean());
    if (error) {
        pinsight_cycle_report(&no_helper, "%s cannot be started: %s", path, strerror(error));
        return false;
    }
    pinsight_cycle.rotated = true;
    return true;
}

static bool ask_for_script(void) {
    char packet[PINSIGHT_INTROSPECT_PACKET_MAX];
    const char *configuration = pinsight_settings_path();
    size_t script = strlen(pinsight_cycle.how.script), size = 1 + script + 1;

    if (!*configuration)
        configuration = "-";
    if (size + strlen(configuration) > sizeof packet)
        return false;
    packet[0] = PINSIGHT_INTROSPECT_RUN;
    memcpy(packet + 1, pinsight_cycle.how.script, script + 1);
    memcpy(packet + size, configuration, strlen(configuration));
    size += strlen(configuration);
    return pinsight_helper_send(&pinsight_cycle.helper, packet, size);
}

void pinsight_cycle_end_helper(void) {
    const char stop = PINSIGHT_INTROSPECT_STOP;

    if (pinsight_cycle.helper.fd >= 0) {
        pinsight_helper_send(&pinsight_cycle.helper, &stop, 1);
        pinsight_helper_end(&pinsight_cycle.helper);
    }
}

static void receive_end_of_script(const char *text) {
    pinsight_cycle.status = atoi(text);
    if (pinsight_cycle.status < 0)
        pinsight_cycle_report(&bad_script, "the script %.500s was ended by signal %d",
                              pinsight_cycle.how.script, -pinsight_cycle.status);
    else if (pinsight_cycle.status > 0)
        pinsight_cycle_report(&bad_script, "the script %.500s ended with status %d",
                              pinsight_cycle.how.script, pinsight_cycle.status);
    pinsight_cycle_end_with(PINSIGHT_INTROSPECT_SCRIPT_ENDED);
}

void pinsight_cycle_receive(int patience_ms) {
    static char packet[PINSIGHT_INTROSPECT_PACKET_MAX + 1];

    ssize_t n =
        pinsight_helper_receive(&pinsight_cycle.helper, packet, sizeof packet - 1, patience_ms);
    if (n == 0)
        return;
    if (n < 0) {
        pinsight_cycle_report(&no_helper,
                              "%s was killed, or the program closed the descriptor to it",
                              PINSIGHT_INTROSPECT_PROGRAM);
        pinsight_cycle_end_with(PINSIGHT_INTROSPECT_FAILED);
        return;
    }
    packet[n] = '\0';
    const char *text = packet + 1;
    switch (packet[0]) {
    case PINSIGHT_INTROSPECT_CHUNK:
        snprintf(pinsight_cycle.chunk, sizeof pinsight_cycle.chunk, "%.*s", PATH_MAX - 1, text);
        pinsight_cycle.phase = PINSIGHT_CYCLE_SCRIPT;
        if (*pinsight_cycle.how.script && !ask_for_script()) {
            pinsight_cycle_report(&no_helper, "%s does not take the script",
                                  PINSIGHT_INTROSPECT_PROGRAM);
            pinsight_cycle_end_with(PINSIGHT_INTROSPECT_FAILED);
        }
        pinsight_cycle_define_anew();
        break;
    case PINSIGHT_INTROSPECT_NO_CHUNK:
        pinsight_cycle_report(&no_chunk, "there is no chunk to look at: %s", text);
        pinsight_cycle_end_with(PINSIGHT_INTROSPECT_FAILED);
        break;
    case PINSIGHT_INTROSPECT_NO_SCRIPT:
        pinsight_cycle_report(&no_script, "%s", text);
        pinsight_cycle_end_with(PINSIGHT_INTROSPECT_FAILED);
        break;
    case PINSIGHT_INTROSPECT_ENDED:
        receive_end_of_script(text);
        break;
    }
}
