/* The processes' counts of recorded events; see counts.h. */
#include "session/counts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/safe_files.h"
#include "format/counts.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U /* Linux 6.3 */
#endif

int pinsight_counts_make(void) {
    const off_t size = (off_t)PINSIGHT_COUNTS_PART * PINSIGHT_COUNTS_PARTS;
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    struct rlimit limit;
    uint32_t next = 1;

    /* A write beyond the limit would end this process by a signal. */
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < (rlim_t)size) {
        return -1;
    }
    int fd = memfd_create("pinsight-counts", flags | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL) {
        fd = memfd_create("pinsight-counts", flags);
    }
    if (fd >= 0 && (ftruncate(fd, size) != 0 ||
                    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
                    fallocate(fd, 0, 0, PINSIGHT_COUNTS_FIRST) != 0 ||
                    pwrite(fd, &next, sizeof(next), offsetof(struct pinsight_counts, next)) < 0)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Returns the number of the next part. */
static uint32_t next_part(int fd) {
    uint32_t next = 0;

    if (fd < 0 || pread(fd, &next, sizeof(next), offsetof(struct pinsight_counts, next)) !=
                      (ssize_t)sizeof(next)) {
        return 0;
    }
    return next <= PINSIGHT_COUNTS_PARTS ? next : PINSIGHT_COUNTS_PARTS;
}

uint32_t pinsight_counts_give(int fd, int pid) {
    uint32_t number = next_part(fd), next = number + 1;
    off_t at = (off_t)number * PINSIGHT_COUNTS_PART;
    int32_t own = pid;

    if (number == 0 || number >= PINSIGHT_COUNTS_PARTS ||
        fallocate(fd, 0, at, PINSIGHT_COUNTS_FIRST) != 0 ||
        pwrite(fd, &own, sizeof(own), at + (off_t)offsetof(struct pinsight_counts, pid)) < 0 ||
        pwrite(fd, &next, sizeof(next), offsetof(struct pinsight_counts, next)) < 0) {
        return 0;
    }
    return number;
}

/* Reads a part. Returns false on failure. */
static bool read_part(int fd, size_t number, struct pinsight_counts *part) {
    const size_t head = offsetof(struct pinsight_counts, places);
    off_t at = (off_t)number * PINSIGHT_COUNTS_PART;

    if (pread(fd, part, PINSIGHT_COUNTS_FIRST, at) != PINSIGHT_COUNTS_FIRST) {
        return false;
    }
    uint32_t used = part->used;
    size_t size = used <= PINSIGHT_COUNTS_PLACES ? head + used * sizeof(*part->places) : 0;
    return size <= PINSIGHT_COUNTS_FIRST || pread(fd, part, size, at) == (ssize_t)size;
}

static uint64_t sum_of(const struct pinsight_counts *part) {
    uint32_t used = part->used;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < used && i < PINSIGHT_COUNTS_PLACES; i++) {
        sum += part->places[i].events;
    }
    return sum;
}

void pinsight_counts_look(struct pinsight_counts_kept *counted, int fd) {
    struct pinsight_counts *part = aligned_alloc(64, sizeof(*part));
    uint32_t next = next_part(fd);

    *counted = (struct pinsight_counts_kept){.events = calloc(next + 1, sizeof(uint64_t))};
    if (part != NULL && counted->events != NULL) {
        counted->count = next;
    }
    for (size_t i = 1; i < counted->count; i++) {
        counted->events[i] = read_part(fd, i, part) ? sum_of(part) : 0;
    }
    free(part);
}

void pinsight_counts_write(struct pinsight_counts_kept *counted, int fd, const char *output) {
    struct pinsight_counts *part = aligned_alloc(64, sizeof(*part));
    char path[PATH_MAX];
    int file = -1;

    if (counted->count > 1 && part != NULL &&
        pinsight_path_join(path, output, PINSIGHT_COUNTS_FILE)) {
        file = pinsight_open_to_write(AT_FDCWD, path, O_WRONLY | O_EXCL, 0640);
    }
    FILE *text = file >= 0 ? fdopen(file, "w") : NULL;
    for (size_t i = 1; text != NULL && i < counted->count; i++) {
        if (read_part(fd, i, part)) {
            bool whole = part->elsewhere == 0 && part->used <= PINSIGHT_COUNTS_PLACES &&
                         sum_of(part) == counted->events[i];
            fprintf(text, "%zu %d %" PRIu64 " %d\n", i, (int)part->pid, counted->events[i], whole);
        }
    }
    if (text != NULL) {
        bool failed = ferror(text) != 0;
        if (fclose(text) != 0 || failed) {
            unlink(path);
        }
    } else if (file >= 0) {
        close(file);
    }
    free(part);
    free(counted->events);
    *counted = (struct pinsight_counts_kept){0};
}

void pinsight_counts_remove(const char *output) {
    char path[PATH_MAX];

    if (pinsight_path_join(path, output, PINSIGHT_COUNTS_FILE)) {
        unlink(path);
    }
}
