/* Checks LTTng's versions and its session daemon. */
#include <stdio.h>
#include <string.h>

#include "doctor/capture.h"
#include "doctor/checks.h"
#include "session/lttng/library.h"

enum { VERSION_MS = 10000 };

static const char area[] = "LTTng";

static void check_version(struct pinsight_findings *findings, const char *sessiond,
                          enum pinsight_level level) {
    char *const words[] = {(char *)sessiond, "--version", NULL};
    char text[512];
    int major = 0, minor = 0;

    int status = pinsight_capture(words, VERSION_MS, text, sizeof(text));
    text[strcspn(text, "\n")] = '\0';
    const char *at = strpbrk(text, "0123456789");
    if (status != 0 || at == NULL || sscanf(at, "%d.%d", &major, &minor) != 2) {
        pinsight_findings_add(findings, area, "versions", PINSIGHT_FOUND_WARNING,
                              "run it by hand; LTTNG_SESSIOND names another one",
                              "%s does not print its version: %.200s", sessiond, text);
    } else if (major < 2 || (major == 2 && minor < 13)) {
        pinsight_findings_add(findings, area, "versions", level,
                              "install lttng-tools 2.13 or later, or name one in LTTNG_SESSIOND",
                              "%s is version %.*s; 2.13 is the oldest that works", sessiond,
                              (int)strcspn(at, " "), at);
    } else {
        pinsight_findings_add(findings, area, "versions", PINSIGHT_FOUND_OK, NULL,
                              "lttng-tools %.*s; PInsight was built with LTTng-UST %s",
                              (int)strcspn(at, " "), at, PINSIGHT_LTTNG_UST_VERSION);
    }
}

static void check_daemon(struct pinsight_findings *findings,
                         const struct pinsight_lttng_found *found, enum pinsight_level level) {
    if (found->homeless[0] != '\0') {
        pinsight_findings_add(
            findings, area, "daemon", level,
            "set LTTNG_HOME to a short path on a local disk that you can write to", "%s",
            found->homeless);
    } else if (found->process >= 0) {
        pinsight_findings_add(findings, area, "daemon", PINSIGHT_FOUND_OK, NULL,
                              "a session daemon runs (process %d, sockets in %s)", found->process,
                              found->rundir);
    } else if (found->program[0] != '\0') {
        pinsight_findings_add(findings, area, "daemon", PINSIGHT_FOUND_OK, NULL,
                              "no session daemon runs; `pinsight run` starts %s, and stops it",
                              found->program);
    } else {
        pinsight_findings_add(findings, area, "daemon", level,
                              "install lttng-tools (Debian: apt install lttng-tools), or name the "
                              "daemon in LTTNG_SESSIOND",
                              "no session daemon runs, and %s", found->missing);
    }
}

void pinsight_check_lttng(struct pinsight_findings *findings, const char *libdir,
                          enum pinsight_level level) {
    struct pinsight_lttng_found found;
    char why[1024];

    const struct pinsight_lttng_library *library = pinsight_lttng_open(libdir, why, sizeof(why));
    if (library == NULL) {
        char *fix = strstr(why, "; ");
        if (fix != NULL) {
            *fix = '\0';
        }
        pinsight_findings_add(findings, area, "library", level, fix != NULL ? fix + 2 : "",
                              "--recorder lttng cannot be used: %s", why);
        return;
    }
    library->look(&found);
    if (found.program[0] != '\0') {
        check_version(findings, found.program, level);
    }
    check_daemon(findings, &found, level);
}
