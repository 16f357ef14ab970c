/* The limits and losses of a flight recorder; see ring_head.h. */
#include "format/ring_head.h"

#include "base/safe_files.h"
#include "base/size.h"
#include "format/process_name.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LEAST_BYTES (UINT64_C(256) << 10)
#define SECOND UINT64_C(1000000000)
#define MOST_SECONDS (UINT64_C(100) * 366 * 24 * 3600)

static bool parse_time(const char *text, uint64_t *ns) {
    static const struct {
        const char *unit;
        uint64_t seconds;
    } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}};
    char *end = NULL;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    unsigned long long count = strtoull(text, &end, 10);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!errno && strcasecmp(end, units[i].unit) == 0 && count &&
            count <= MOST_SECONDS / units[i].seconds) {
            *ns = count * units[i].seconds * SECOND;
            return true;
        }
    return false;
}

bool pinsight_ring_limit_parse(const char *text, struct pinsight_ring_limit *limit) {
    struct pinsight_ring_limit read = {0, 0};
    if (!parse_time(text, &read.ns) &&
        (!pinsight_size_parse(text, &read.bytes) || read.bytes < LEAST_BYTES))
        return false;
    *limit = read;
    return true;
}

struct pinsight_ring_head *pinsight_ring_head_map(int folder, const char *name, bool writes) {
    char path[PINSIGHT_PROCESS_NAME_BYTES + 8];
    struct stat status;
    struct pinsight_ring_head *head = MAP_FAILED;
    if (*name == '.')
        name++;
    const char *last = strrchr(name, '-');
    if (!last ||
        snprintf(path, sizeof path, ".%.*s-ring", (int)(last - name), name) >= (int)sizeof path)
        return NULL;
    int fd = pinsight_open_regular(folder, path, (writes ? O_RDWR : O_RDONLY) | O_NOFOLLOW);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && status.st_size == sizeof *head)
        head = mmap(NULL, sizeof *head, PROT_READ | (writes ? PROT_WRITE : 0), MAP_SHARED, fd, 0);
    close(fd);
    if (head == MAP_FAILED)
        return NULL;
    if (__atomic_load_n(&head->magic, __ATOMIC_ACQUIRE) == PINSIGHT_RING_MAGIC &&
        head->version == PINSIGHT_FOLDER_VERSION)
        return head;
    pinsight_ring_head_unmap(head);
    return NULL;
}

void pinsight_ring_head_unmap(struct pinsight_ring_head *head) {
    if (head)
        munmap(head, sizeof *head);
}

void pinsight_ring_head_note(struct pinsight_ring_head *head, uint64_t ticks) {
    uint64_t last = __atomic_load_n(&head->last, __ATOMIC_RELAXED);
    while (last < ticks && !__atomic_compare_exchange_n(&head->last, &last, ticks, true,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
}
