/* Copies of running traces; see dump.h. The data is in files, so the programs do not take part. */
#include "format/dump.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/paths.h"
#include "base/safe_files.h"
#include "format/copy.h"
#include "format/folder.h"
#include "format/snapshot.h"

enum { MOST_DUMPS = 100000 };

/* Makes the new folder: with the requested name, or beside the trace. */
static int make_dump(const char *asked, const char *output, char dump[PATH_MAX]) {
    int error = EEXIST;

    if (asked != NULL) {
        return snprintf(dump, PATH_MAX, "%s", asked) >= PATH_MAX
                   ? ENAMETOOLONG
                   : pinsight_make_folder(AT_FDCWD, dump, 0755);
    }
    for (unsigned number = 1; error == EEXIST && number < MOST_DUMPS; number++) {
        if (snprintf(dump, PATH_MAX, "%s-dump-%u", output, number) >= PATH_MAX) {
            return ENAMETOOLONG;
        }
        error = pinsight_make_folder(AT_FDCWD, dump, 0755);
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
    /* Finishes the buffers of processes that have ended, and the clock in the metadata. */
    int error = pinsight_file_finish(copying.folder, &finished);
    error = error != 0 ? error : pinsight_path_make(copying.to, 0700);
    uint64_t now = pinsight_snapshot_now(copying.folder);
    error = error != 0 ? error : pinsight_copy_all(&copying);
    /* After the streams, so that it has the losses of the meantime. */
    error = error != 0 ? error : pinsight_copy_rings(&copying, now);
    free(copying.ends);
    return error;
}

int pinsight_file_dump(const char *asked, const char *output, char dump[PATH_MAX], int *made) {
    int error = make_dump(asked, output, dump);

    *made = error == 0;
    if (error == 0) {
        error = fill(output, dump);
        if (error != 0) {
            pinsight_path_remove(dump);
        }
    }
    return error;
}
