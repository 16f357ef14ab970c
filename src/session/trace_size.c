/* The size of a trace; see trace_size.h. */
#include "session/trace_size.h"

#include <ftw.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

enum { FOLDERS_OPEN = 8, DISK_FULL_BYTES = 1 << 20 };

static uint64_t walk_sum, walk_largest;

static int add_size(const char *path, const struct stat *about, int type, struct FTW *where) {
    (void)path;
    (void)where;
    if (type == FTW_F) {
        walk_sum += (uint64_t)about->st_size;
        walk_largest =
            (uint64_t)about->st_size > walk_largest ? (uint64_t)about->st_size : walk_largest;
    }
    return 0;
}

uint64_t pinsight_trace_size(const char *folder) {
    walk_sum = 0;
    nftw(folder, add_size, FOLDERS_OPEN, FTW_PHYS);
    return walk_sum;
}

uint64_t pinsight_trace_largest_file(const char *folder) {
    walk_largest = 0;
    nftw(folder, add_size, FOLDERS_OPEN, FTW_PHYS);
    return walk_largest;
}

bool pinsight_trace_disk_is_full(const char *folder) {
    struct statvfs disk;

    return statvfs(folder, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < DISK_FULL_BYTES;
}
