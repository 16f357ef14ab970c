/* Checks memory for buffers, disk, permissions and limits. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/units.h"
#include "doctor/checks.h"
#include "session/recorder.h"

#define GIB (UINT64_C(1) << 30)

static const char area[] = "System";

static void check_memory(struct pinsight_findings *findings) {
    struct pinsight_session_needs wanted;
    struct pinsight_units needs, has;
    char why[1024];

    if (!pinsight_doctor_recorder()->look_at_needs(&wanted, why, sizeof(why)) ||
        wanted.memory == 0) {
        return;
    }
    needs = pinsight_units_size(wanted.memory);
    has = pinsight_units_size(wanted.memory_left);
    if (wanted.memory > wanted.memory_left) {
        pinsight_findings_add(findings, area, "shared-memory", PINSIGHT_FOUND_ERROR,
                              "remove unneeded files from /dev/shm, or give the container more "
                              "(docker run --shm-size=1g)",
                              "/dev/shm has %s left, and the buffers of each process take %s",
                              has.text, needs.text);
    } else if (wanted.is_scarce) {
        pinsight_findings_add(findings, area, "shared-memory", PINSIGHT_FOUND_WARNING,
                              "give /dev/shm more room (docker run --shm-size=1g)",
                              "/dev/shm has %s left: the buffers are small, and events may be "
                              "dropped",
                              has.text);
    } else {
        pinsight_findings_add(findings, area, "shared-memory", PINSIGHT_FOUND_OK, NULL,
                              "/dev/shm has %s left; the buffers of each process take %s", has.text,
                              needs.text);
    }
}

static void check_folder(struct pinsight_findings *findings) {
    struct statvfs disk;
    char runtime[PATH_MAX];

    if (access(".", W_OK | X_OK) != 0) {
        pinsight_findings_add(findings, area, "permissions", PINSIGHT_FOUND_WARNING,
                              "start `pinsight run` elsewhere, or name a folder with -o",
                              "this folder cannot be written to: %s", strerror(errno));
    }
    if (!pinsight_path_runtime(runtime)) {
        pinsight_findings_add(
            findings, area, "permissions", PINSIGHT_FOUND_WARNING,
            "set XDG_RUNTIME_DIR to a folder of your own, or see who has made /tmp/pinsight-<your "
            "number>",
            "there is no folder for files of running programs: %s is not yours alone", runtime);
    }
    if (statvfs(".", &disk) == 0) {
        uint64_t room = (uint64_t)disk.f_bavail * disk.f_frsize;

        pinsight_findings_add(
            findings, area, "disk", room < GIB ? PINSIGHT_FOUND_WARNING : PINSIGHT_FOUND_OK,
            room < GIB
                ? "write traces elsewhere (-o), or record less (--max-size, --names registry)"
                : NULL,
            "this folder's disk has %s left for traces", pinsight_units_size(room).text);
    }
}

static void check_limits(struct pinsight_findings *findings) {
    struct pinsight_session_needs needs;
    struct rlimit files, size;
    char why[1024];

    pinsight_doctor_recorder()->look_at_needs(&needs, why, sizeof(why));
    uint64_t wanted = needs.open_files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        bool low = files.rlim_cur != RLIM_INFINITY && files.rlim_cur < wanted;
        char fix[128];
        snprintf(fix, sizeof(fix), "ulimit -n %llu", (unsigned long long)wanted);
        if (files.rlim_cur == RLIM_INFINITY) {
            pinsight_findings_add(findings, area, "open-files", PINSIGHT_FOUND_OK, NULL,
                                  "a process may open any number of files");
        } else {
            pinsight_findings_add(
                findings, area, "open-files", low ? PINSIGHT_FOUND_WARNING : PINSIGHT_FOUND_OK,
                low ? fix : NULL, "a process may open %llu files; tracing takes about %llu of them",
                (unsigned long long)files.rlim_cur, (unsigned long long)wanted);
        }
    }
    if (getrlimit(RLIMIT_FSIZE, &size) == 0 && size.rlim_cur != RLIM_INFINITY) {
        pinsight_findings_add(findings, area, "file-size", PINSIGHT_FOUND_WARNING,
                              "ulimit -f unlimited",
                              "files may not be larger than %llu bytes: larger traces are cut off",
                              (unsigned long long)size.rlim_cur);
    }
}

void pinsight_check_system(struct pinsight_findings *findings) {
    check_memory(findings);
    check_folder(findings);
    check_limits(findings);
}
