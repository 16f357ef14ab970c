/* LTTng's versions, its session daemon, and a run for trial. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/program.h"
#include "doctor/capture.h"
#include "doctor/checks.h"
#include "session/lttng/daemon.h"
#include "session/lttng/home.h"

enum { VERSION_MS = 10000, TRIAL_MS = 60000 };

static const char area[] = "LTTng";

static void check_version(struct pinsight_findings *findings, const char *sessiond) {
    char *const words[] = {(char *)sessiond, "--version", NULL};
    char text[512];
    int major = 0, minor = 0;

    int status = pinsight_capture(words, VERSION_MS, text, sizeof(text));
    text[strcspn(text, "\n")] = '\0';
    const char *at = strpbrk(text, "0123456789");
    if (status != 0 || at == NULL || sscanf(at, "%d.%d", &major, &minor) != 2) {
        pinsight_findings_add(findings, area, "versions", PINSIGHT_FOUND_WARNING,
                              "run it by hand; LTTNG_SESSIOND names another one",
                              "%s does not tell its version: %.200s", sessiond, text);
    } else if (major < 2 || (major == 2 && minor < 13)) {
        pinsight_findings_add(findings, area, "versions", PINSIGHT_FOUND_ERROR,
                              "install lttng-tools 2.13 or later, or name one in LTTNG_SESSIOND",
                              "%s is version %.*s; 2.13 is the oldest that works", sessiond,
                              (int)strcspn(at, " "), at);
    } else {
        pinsight_findings_add(findings, area, "versions", PINSIGHT_FOUND_OK, NULL,
                              "lttng-tools %.*s; PInsight was built with LTTng-UST %s",
                              (int)strcspn(at, " "), at, PINSIGHT_LTTNG_UST_VERSION);
    }
}

void pinsight_check_recorder(struct pinsight_findings *findings) {
    struct pinsight_daemon daemon;
    char path[PATH_MAX], why[512];
    char missing[512];
    bool there = pinsight_daemon_find_program(path, missing, sizeof(missing));

    if (there) {
        check_version(findings, path);
    }
    if (!pinsight_lttng_prepare_home(why, sizeof(why))) {
        pinsight_findings_add(
            findings, area, "daemon", PINSIGHT_FOUND_ERROR,
            "set LTTNG_HOME to a short path on a local disk that you can write to", "%s", why);
    } else if (pinsight_daemon_look(&daemon)) {
        pinsight_findings_add(findings, area, "daemon", PINSIGHT_FOUND_OK, NULL,
                              "a session daemon runs (process %d, sockets in %s)",
                              (int)daemon.process.pid, daemon.rundir);
    } else if (there) {
        pinsight_findings_add(findings, area, "daemon", PINSIGHT_FOUND_OK, NULL,
                              "no session daemon runs; `pinsight run` starts %s, and stops it",
                              path);
    } else {
        pinsight_findings_add(findings, area, "daemon", PINSIGHT_FOUND_ERROR,
                              "install lttng-tools (Debian: apt install lttng-tools), or name the "
                              "daemon in LTTNG_SESSIOND",
                              "no session daemon runs, and %s", missing);
    }
}

static void check_trace(struct pinsight_findings *findings, const char *folder, int status,
                        char *said) {
    char metadata[PATH_MAX];

    bool described =
        pinsight_path_join(metadata, folder, "trace/ust") && access(metadata, R_OK) == 0;
    for (char *at = said; (at = strchr(at, '\n')) != NULL;) {
        *at = at[1] != '\0' ? ' ' : '\0';
    }
    if (status == 0 && described && *said == '\0') {
        pinsight_findings_add(findings, area, "trial", PINSIGHT_FOUND_OK, NULL,
                              "a trial run made a session, registered all providers and wrote a "
                              "trace");
    } else if (status == 0 && described) {
        pinsight_findings_add(findings, area, "trial", PINSIGHT_FOUND_WARNING, "see its message",
                              "a trial run wrote a trace and complained: %s", said);
    } else {
        pinsight_findings_add(findings, area, "trial", PINSIGHT_FOUND_ERROR,
                              "do what its message says; the findings above may tell why",
                              "a trial run recorded nothing: %s",
                              *said != '\0'  ? said
                              : status == -1 ? "it took longer than a minute, or could not start"
                                             : "it said nothing");
    }
}

void pinsight_check_trial(struct pinsight_findings *findings) {
    char command[PATH_MAX], trace[PATH_MAX], said[2048];
    char folder[] = "/tmp/pinsight-doctor-XXXXXX";

    if (!pinsight_program_self(command, sizeof(command)) || mkdtemp(folder) == NULL ||
        !pinsight_path_join(trace, folder, "trace")) {
        pinsight_findings_add(findings, area, "trial", PINSIGHT_FOUND_ERROR,
                              "make room in /tmp, and see that you can write to it",
                              "no folder for a trial run can be made in /tmp: %s", strerror(errno));
        return;
    }
    char *const words[] = {command, "run", "--quiet", "--domains", "python", "--no-summary",
                           "-o",    trace, "--",      "true",      NULL};
    int status = pinsight_capture(words, TRIAL_MS, said, sizeof(said));
    check_trace(findings, folder, status, said);
    pinsight_path_remove(folder);
}
