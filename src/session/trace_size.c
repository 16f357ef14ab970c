/* How large a trace is; see trace_size.h. */
#include "session/trace_size.h"

#include <ftw.h>
#include <sys/stat.h>

enum { FOLDERS_OPEN = 8 };

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
