/* Checks the recorder's needs on this machine, and makes a trial run. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/program.h"
#include "doctor/capture.h"
#include "doctor/checks.h"
#include "format/ring_head.h"
#include "session/recorder.h"

enum { TRIAL_MS = 60000 };

static const char area[] = "Recorder";

const struct pinsight_session_recorder *pinsight_doctor_recorder(void) {
    const struct pinsight_session_recorder *named =
        pinsight_session_recorder_find(getenv(PINSIGHT_RECORDER_VARIABLE));

    return named != NULL ? named : pinsight_session_recorder_find(NULL);
}

/* File systems on which mapped files behave unlike on a disk. Numbers that linux/magic.h lacks are
 * from statfs(2). */
static const struct file_system {
    unsigned long magic;
    const char *name;
    bool is_shared; /* by several hosts */
} file_systems[] = {
    {NFS_SUPER_MAGIC, "NFS", true},      {0x0bd00bd0, "Lustre", true},
    {0x47504653, "GPFS", true},          {0xff534d42, "CIFS", true},
    {0x00c36400, "Ceph", true},          {0x19830326, "BeeGFS", true},
    {0x65735546, "FUSE", true},          {V9FS_MAGIC, "9p", true},
    {BTRFS_SUPER_MAGIC, "btrfs", false}, {0x2fc12fc1, "ZFS", false},
};

static void check_file_system(struct pinsight_findings *findings) {
    struct statfs about;

    if (statfs(".", &about) != 0) {
        return;
    }
    for (size_t i = 0; i < sizeof(file_systems) / sizeof(*file_systems); i++) {
        const struct file_system *known = &file_systems[i];
        if (known->magic == (unsigned long)about.f_type) {
            pinsight_findings_add(
                findings, area, "file-system",
                known->is_shared ? PINSIGHT_FOUND_WARNING : PINSIGHT_FOUND_NOTE,
                "name a folder on a local disk with -o",
                known->is_shared ? "this folder lies on %s, which hosts share: recording into it "
                                   "is slower, and the recording of a host that fails may be lost"
                                 : "this folder lies on %s, which copies each write: recording "
                                   "into it is slower",
                known->name);
            return;
        }
    }
    pinsight_findings_add(findings, area, "file-system", PINSIGHT_FOUND_OK, NULL,
                          "traces can be written into this folder by the processes themselves");
}

/* Checks the clock that the kernel uses (clocksource in the kernel's documentation). */
static void check_clock(struct pinsight_findings *findings) {
#if defined(__x86_64__)
    char name[32] = "";
    int mode = PR_TSC_ENABLE;

    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, name, sizeof(name) - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    name[n > 0 ? n : 0] = '\0';
    name[strcspn(name, "\n")] = '\0';
    if (strcmp(name, "tsc") == 0 && prctl(PR_GET_TSC, &mode) == 0 && mode == PR_TSC_ENABLE) {
        pinsight_findings_add(findings, area, "clock", PINSIGHT_FOUND_OK, NULL,
                              "events are stamped with the processor's counter (TSC)");
    } else {
        pinsight_findings_add(findings, area, "clock", PINSIGHT_FOUND_NOTE, NULL,
                              "events are stamped with CLOCK_MONOTONIC, as the kernel's clock is "
                              "%s and not the processor's counter: each takes some 20 ns more, or "
                              "far more in virtual machines",
                              *name != '\0' ? name : "not known");
    }
#else
    (void)findings;
#endif
}

/* Returns the heading of the trial. */
static const char *trial_area(void) {
    const struct pinsight_session_recorder *recorder = pinsight_doctor_recorder();

    return recorder == &pinsight_session_recorder_file ? area : recorder->title;
}

static void check_trace(struct pinsight_findings *findings, const char *output, int status,
                        char *printed) {
    char folder[PATH_MAX];
    bool is_file = pinsight_doctor_recorder() == &pinsight_session_recorder_file;

    bool described = pinsight_path_join(folder, output, pinsight_doctor_recorder()->folder) &&
                     access(folder, R_OK) == 0;
    for (char *at = printed; (at = strchr(at, '\n')) != NULL;) {
        *at = at[1] != '\0' ? ' ' : '\0';
    }
    if (status == 0 && described && *printed == '\0') {
        pinsight_findings_add(findings, trial_area(), "trial", PINSIGHT_FOUND_OK, NULL,
                              "a trial run %swrote a trace",
                              is_file ? "" : "made a session, registered all providers and ");
    } else if (status == 0 && described) {
        pinsight_findings_add(findings, trial_area(), "trial", PINSIGHT_FOUND_WARNING,
                              "see its message", "a trial run wrote a trace and complained: %s",
                              printed);
    } else {
        pinsight_findings_add(findings, trial_area(), "trial", PINSIGHT_FOUND_ERROR,
                              "follow its message; the findings above may have the reason",
                              "a trial run recorded nothing: %s",
                              *printed != '\0' ? printed
                              : status == -1   ? "it took longer than a minute, or could not start"
                                               : "it said nothing");
    }
}

static void check_trial(struct pinsight_findings *findings) {
    char command[PATH_MAX], trace[PATH_MAX], printed[2048];
    char folder[] = "/tmp/pinsight-doctor-XXXXXX";

    if (!pinsight_program_self(command, sizeof(command)) || mkdtemp(folder) == NULL ||
        !pinsight_path_join(trace, folder, "trace")) {
        pinsight_findings_add(findings, trial_area(), "trial", PINSIGHT_FOUND_ERROR,
                              "make room in /tmp, and see that you can write to it",
                              "no folder for a trial run can be made in /tmp: %s", strerror(errno));
        return;
    }
    char *const words[] = {command, "run", "--quiet", "--domains", "python", "--no-summary",
                           "-o",    trace, "--",      "true",      NULL};
    int status = pinsight_capture(words, TRIAL_MS, printed, sizeof(printed));
    check_trace(findings, trace, status, printed);
    pinsight_path_remove(folder);
}

static void check_ring(struct pinsight_findings *findings,
                       const struct pinsight_session_recorder *recorder) {
    const char *ring = getenv(PINSIGHT_RING_VARIABLE);
    struct pinsight_ring_limit limit;

    if (ring == NULL || *ring == '\0') {
        return;
    }
    if (!pinsight_ring_limit_parse(ring, &limit)) {
        pinsight_findings_add(findings, area, "ring", PINSIGHT_FOUND_ERROR,
                              "set it to " PINSIGHT_RING_FORMS ", or unset it",
                              PINSIGHT_RING_VARIABLE " is neither a size nor a time: %s", ring);
    } else if (recorder->no_ring != NULL) {
        pinsight_findings_add(findings, area, "ring", PINSIGHT_FOUND_ERROR,
                              "unset " PINSIGHT_RING_VARIABLE ", or record with the file recorder",
                              PINSIGHT_RING_VARIABLE " is %s, and %s has no flight recorder", ring,
                              recorder->title);
    } else {
        pinsight_findings_add(findings, area, "ring", PINSIGHT_FOUND_NOTE,
                              "unset " PINSIGHT_RING_VARIABLE " to keep all",
                              PINSIGHT_RING_VARIABLE
                              " is %s: only the last part of a process's recording is kept",
                              ring);
    }
}

void pinsight_check_recorder(struct pinsight_findings *findings, const char *libdir, bool trial) {
    const struct pinsight_session_recorder *recorder = pinsight_doctor_recorder();
    const char *named = getenv(PINSIGHT_RECORDER_VARIABLE);
    bool is_file = recorder == &pinsight_session_recorder_file;

    if (named != NULL && pinsight_session_recorder_find(named) == NULL) {
        pinsight_findings_add(findings, area, "recorder", PINSIGHT_FOUND_ERROR,
                              "set it to a name that `pinsight run --recorder` takes, or unset it",
                              PINSIGHT_RECORDER_VARIABLE " names no recorder: %s", named);
    }
    check_ring(findings, recorder);
    if (is_file) {
        check_file_system(findings);
        check_clock(findings);
        if (trial) {
            check_trial(findings);
        }
    }
    if (libdir[0] != '\0') { /* otherwise a finding exists already */
        pinsight_check_lttng(findings, libdir,
                             is_file ? PINSIGHT_FOUND_NOTE : PINSIGHT_FOUND_ERROR);
    }
    if (!is_file && trial) {
        check_trial(findings);
    }
}
