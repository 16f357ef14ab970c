/* Copies of running traces; see ctl_dump.h. The programs are not asked for anything: what they
 * record is in files. */
#include "cli/ctl_dump.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/paths.h"
#include "base/units.h"
#include "cli/verbs.h"
#include "record/file/copy.h"
#include "record/file/folder.h"
#include "record/file/snapshot.h"
#include "session/trace_size.h"

enum { MOST_DUMPS = 100000 };

/* A new folder: as it was asked for, or beside the trace. */
static int make_dump(const char *asked, const char *output, char dump[PATH_MAX]) {
    int error = EEXIST;

    if (asked != NULL) {
        return snprintf(dump, PATH_MAX, "%s", asked) >= PATH_MAX ? ENAMETOOLONG
               : mkdir(dump, 0777) != 0                          ? errno
                                                                 : 0;
    }
    for (unsigned number = 1; error == EEXIST && number < MOST_DUMPS; number++) {
        if (snprintf(dump, PATH_MAX, "%s-dump-%u", output, number) >= PATH_MAX) {
            return ENAMETOOLONG;
        }
        error = mkdir(dump, 0777) != 0 ? errno : 0;
    }
    return error;
}

static int fill(const char *output, const char *dump) {
    struct pinsight_copying copying = {.may_link = true};
    struct pinsight_file_finished finished;

    if (!pinsight_file_folder_path(copying.folder, output) ||
        !pinsight_file_folder_path(copying.to, dump)) {
        return ENAMETOOLONG;
    }
    /* Of processes that have ended; and the clock in the metadata. */
    int error = pinsight_file_finish(copying.folder, &finished);
    error = error != 0 ? error : pinsight_path_make(copying.to, 0700);
    uint64_t now = pinsight_snapshot_now(copying.folder);
    error = error != 0 ? error : pinsight_copy_all(&copying);
    /* After the streams: what was dropped meanwhile is in it. */
    error = error != 0 ? error : pinsight_copy_rings(&copying, now);
    free(copying.ends);
    return error;
}

static bool dump_one(const char *asked, const char *output) {
    char dump[PATH_MAX], folder[PATH_MAX], control[PATH_MAX];

    if (!pinsight_file_folder_path(folder, output) ||
        !pinsight_path_join(control, folder, ".control") || access(control, F_OK) != 0) {
        pinsight_error("%s cannot be dumped: LTTng records it; `pinsight ctl %s introspect` "
                       "completes a chunk of it",
                       output, output);
        return false;
    }
    int error = make_dump(asked, output, dump);
    if (error != 0) {
        pinsight_error("the folder %s cannot be made: %s; name another one with -o",
                       asked != NULL ? asked : dump, strerror(error));
        return false;
    }
    error = fill(output, dump);
    if (error != 0) {
        pinsight_error("%s cannot be copied to %s: %s", output, dump, strerror(error));
        pinsight_path_remove(dump);
        return false;
    }
    printf("%s: what is there now, %s, is in %s; next: %s report %s\n", output,
           pinsight_units_size(pinsight_trace_size(dump)).text, dump, pinsight_command_word, dump);
    return true;
}

/* Where a target records; "" where it does not say. */
static void output_of(const struct pinsight_ctl_target *target, char output[PATH_MAX]) {
    pinsight_call_value(target->call, "output", output, PATH_MAX);
}

/* Whether an earlier target records there. */
static bool is_done(const struct pinsight_ctl_target *targets, size_t count, const char *output) {
    char other[PATH_MAX];

    for (size_t i = 0; i < count; i++) {
        output_of(&targets[i], other);
        if (strcmp(other, output) == 0) {
            return true;
        }
    }
    return false;
}

bool pinsight_ctl_dump(const struct pinsight_ctl_options *options,
                       const struct pinsight_ctl_target *targets, size_t count) {
    char output[PATH_MAX];
    bool all = true;

    for (size_t i = 0; i < count; i++) {
        output_of(&targets[i], output);
        if (*output != '/') {
            pinsight_error("process %d does not say where it records", targets[i].pid);
            all = false;
        } else if (!is_done(targets, i, output)) {
            all = dump_one(options->output, output) && all;
        }
    }
    return all;
}
