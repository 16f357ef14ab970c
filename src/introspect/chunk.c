/* Chunks of a trace of the file recorder; see chunk.h. */
#include "introspect/chunk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/safe_files.h"
#include "format/copy.h"
#include "format/folder.h"
#include "format/snapshot.h"

static void read_ends(struct pinsight_copying *making, FILE *file) {
    struct pinsight_copied end;

    while (fscanf(file, "%63s %" SCNu64 " %" SCNu64 " %" SCNu64, end.name, &end.packet, &end.pos,
                  &end.last) == 4) {
        *pinsight_copied_of(making, end.name) = end;
    }
}

static int write_ends(const struct pinsight_copying *making, FILE *file) {
    rewind(file);
    for (size_t i = 0; i < making->count; i++) {
        const struct pinsight_copied *end = &making->ends[i];
        fprintf(file, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", end->name, end->packet, end->pos,
                end->last);
    }
    return fflush(file) != 0 || ferror(file) ? errno : 0;
}

/* Makes a new folder with the next number. */
static int make_folder(const char *chunks, char chunk[PATH_MAX]) {
    for (unsigned number = 1;; number++) {
        if (snprintf(chunk, PATH_MAX, "%s/%u", chunks, number) >= PATH_MAX) {
            return ENAMETOOLONG;
        }
        int error = pinsight_make_folder(AT_FDCWD, chunk, 0700);
        if (error != EEXIST) {
            return error;
        }
    }
}

int pinsight_chunk_make(const char *output, char chunk[PATH_MAX]) {
    struct pinsight_copying making = {.count = 0};
    struct pinsight_file_finished finished;
    char chunks[PATH_MAX], path[PATH_MAX];

    if (!pinsight_file_folder_path(making.folder, output) ||
        !pinsight_path_join(chunks, making.folder, PINSIGHT_FILE_CHUNKS) ||
        !pinsight_path_join(path, chunks, "ends")) {
        return ENAMETOOLONG;
    }
    int made = pinsight_make_folder(AT_FDCWD, chunks, 0700);
    if (made != 0 && made != EEXIST) {
        return made;
    }
    int fd = pinsight_open_to_write(AT_FDCWD, path, O_RDWR, 0600);
    FILE *ends = fd >= 0 ? fdopen(fd, "r+") : NULL;
    if (ends == NULL) {
        return errno;
    }
    int error = pinsight_lock_within(fd, PINSIGHT_LOCK_MS);
    /* Also finishes the clock in the metadata. */
    pinsight_file_finish(making.folder, &finished);
    if (error == 0) {
        read_ends(&making, ends);
        error = make_folder(chunks, making.to);
    }
    uint64_t now = pinsight_snapshot_now(making.folder);
    if (error == 0) {
        error = pinsight_copy_all(&making);
        error = error != 0 ? error : pinsight_copy_rings(&making, now);
        error = error != 0 ? error : write_ends(&making, ends);
        if (error != 0) {
            pinsight_path_remove(making.to);
        }
    }
    fclose(ends);
    free(making.ends);
    strcpy(chunk, making.to);
    return error;
}
