/* Finding the chunks beside a chunk. */
#include "reader/chunks.h"

#include "reader/mem.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char archives[] = "/archives";

/* Whether the number and the instance of a file's last packet are those before the first of another
 * file. */
static bool comes_before(const char *path, const struct pinsight_packets *after,
                         uint64_t *discarded) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
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

/* Looks for the stream file before another in the chunks of a folder. inside is its path within a
 * chunk. */
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

/* LTTng names a chunk for when it began: 20261121T002907+0000-…; returns whether that stands at
 * name. */
static bool is_chunk_name(const char *name) {
    return strspn(name, "0123456789") == 8 && name[8] == 'T' && strspn(name + 9, "0123456789") == 6;
}

/* Where the name of the chunk stands in a path, or NULL. */
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
    /* For a moment a chunk that begins or ends has a name of this kind. */
    if (strstr(path, "/.tmp_"))
        return true;
    return find_chunk(path) && !strstr(path, "/archives/");
}

char *pinsight_chunks_whole(const char *path) {
    char *real = realpath(path, NULL);
    const char *chunk = real ? find_chunk(real) : NULL;
    char *whole = NULL;

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
