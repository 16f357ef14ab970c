/* Chunks of a rotated trace; see chunks.h. */
#include "reader/ctf/chunks.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/safe_files.h"
#include "format/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char archives[] = "/archives";

/* Returns whether the last packet of a file is the predecessor of another file's first packet, by
 * their number and instance. */
static bool comes_before(const char *path, const struct pinsight_packets *after,
                         uint64_t *discarded) {
    int fd = pinsight_open_safely(path);
    struct pinsight_packets packets = {0};
    struct stat st;

    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        packets = pinsight_packets_scan(fd, (uint64_t)st.st_size);
    close(fd);
    *discarded = packets.last_discarded;
    return packets.is_known && packets.instance == after->instance &&
           packets.last_sequence + 1 == after->first_sequence &&
           packets.last_discarded <= after->first_discarded;
}

/* Looks for the predecessor of a stream file in the chunks of a folder. `inside` is its path within
 * a chunk. */
static bool look_in(const char *folder, const char *inside, const struct pinsight_packets *after,
                    uint64_t *discarded) {
    DIR *dir = opendir(folder);
    struct dirent *entry;
    bool found = false;

    while (!found && dir && (entry = readdir(dir))) {
        char *path;

        if (entry->d_name[0] == '.')
            continue;
        path = pinsight_format("%s/%s/%s", folder, entry->d_name, inside);
        found = comes_before(path, after, discarded);
        free(path);
    }
    if (dir)
        closedir(dir);
    return found;
}

/* Returns whether a chunk's name begins at `name`. LTTng names a chunk after its begin:
 * 20261121T002907+0000-…. */
static bool is_chunk_name(const char *name) {
    return strspn(name, "0123456789") == 8 && name[8] == 'T' && strspn(name + 9, "0123456789") == 6;
}

/* Returns the position of the chunk's name in a path, or NULL. */
static const char *find_chunk(const char *path) {
    const char *at = NULL;

    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/'))
        if (is_chunk_name(slash + 1))
            at = slash + 1;
    return at;
}

uint64_t pinsight_chunks_discarded_before(const char *path,
                                          const struct pinsight_packets *packets) {
    char *real = realpath(path, NULL);
    char *whole = real ? pinsight_chunks_whole(real) : NULL;
    const char *chunk = whole ? find_chunk(real) : NULL;
    const char *inside = chunk ? strchr(chunk, '/') : NULL;
    uint64_t discarded = 0;
    bool found = false;

    if (inside) {
        char *folder = pinsight_format("%s/archives", whole);

        found = look_in(folder, inside + 1, packets, &discarded);
        free(folder);
    }
    free(whole);
    free(real);
    return found ? discarded : packets->first_discarded;
}

bool pinsight_chunks_is_open(const char *path) {
    /* A chunk that begins or ends has a name of this kind for a moment. */
    if (strstr(path, "/.tmp_"))
        return true;
    return find_chunk(path) && !strstr(path, "/archives/");
}

/* Returns the output folder of a chunk of the file recorder, OUTPUT/trace/HOSTNAME/.chunks/N, or
 * NULL. */
static char *output_of(const char *path) {
    static const char chunks[] = "/" PINSIGHT_FILE_CHUNKS "/", trace[] = "/trace";
    const char *at = strstr(path, chunks), *host, *top;

    if (!at || strchr(at + sizeof(chunks) - 1, '/'))
        return NULL;
    host = memrchr(path, '/', (size_t)(at - path));
    top = host && host - path >= (ptrdiff_t)sizeof(trace) - 1 ? host - sizeof(trace) + 1 : NULL;
    if (!top || strncmp(top, trace, sizeof(trace) - 1) != 0)
        return NULL;
    return pinsight_memdup(path, (size_t)(top - path));
}

char *pinsight_chunks_whole(const char *path) {
    char *real = realpath(path, NULL);
    const char *chunk = real ? find_chunk(real) : NULL;
    char *whole = real && !chunk ? output_of(real) : NULL;

    if (chunk) {
        size_t length = (size_t)(chunk - real) - 1;
        size_t last = sizeof(archives) - 1;

        if (length > last && !strncmp(real + length - last, archives, last))
            length -= last;
        whole = pinsight_memdup(real, length);
    }
    free(real);
    return whole;
}

/* Returns the number at the end of a chunk's name. */
static long number_of(const char *name) {
    size_t length = strcspn(name, "/");

    while (length && name[length - 1] >= '0' && name[length - 1] <= '9')
        length--;
    if (!length || name[length - 1] != '-' || !is_chunk_name(name))
        return -1;
    return strtol(name + length, NULL, 10);
}

long pinsight_chunks_number(const char *path) {
    char *real = realpath(path, NULL);
    const char *chunk = real ? find_chunk(real) : NULL;
    long number = chunk ? number_of(chunk) : -1;

    free(real);
    return number;
}

static int by_number(const void *a, const void *b) {
    long left = pinsight_chunks_number(*(char *const *)a);
    long right = pinsight_chunks_number(*(char *const *)b);

    return (left > right) - (left < right);
}

size_t pinsight_chunks_before(const char *path, char ***folders) {
    char *real = realpath(path, NULL);
    char *whole = real ? pinsight_chunks_whole(real) : NULL;
    const char *chunk = whole ? find_chunk(real) : NULL;
    char *archive = pinsight_format("%s/archives", whole ? whole : "");
    DIR *dir = chunk ? opendir(archive) : NULL;
    size_t count = 0, capacity = 0;
    struct dirent *entry;

    *folders = NULL;
    while (dir && (entry = readdir(dir))) {
        long number = number_of(entry->d_name);
        char *folder;

        if (number < 0 || number >= number_of(chunk))
            continue;
        folder = pinsight_format("%s/%s%s", archive, entry->d_name, chunk + strcspn(chunk, "/"));
        if (access(folder, R_OK | X_OK) != 0) {
            free(folder);
            continue;
        }
        *folders = pinsight_grow(*folders, count, &capacity, sizeof(**folders));
        (*folders)[count++] = folder;
    }
    if (dir)
        closedir(dir);
    if (count > 1)
        PINSIGHT_SORT(*folders, count, by_number);
    free(archive);
    free(whole);
    free(real);
    return count;
}
