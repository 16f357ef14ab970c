/* Metadata files; see metadata.h. */
#include "reader/ctf/metadata.h"

#include "base/memory.h"
#include "base/safe_files.h"
#include "reader/ctf/packet.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The largest description of a trace. */
#define MOST_METADATA (64u << 20)

unsigned char *ctf_small_file(const char *path, size_t *size) {
    int fd = pinsight_open_safely(path);
    unsigned char *data = NULL;
    struct stat st;

    *size = 0;
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MOST_METADATA) {
        data = pinsight_realloc(NULL, (size_t)st.st_size + 1, 1);
        while (*size < (size_t)st.st_size) {
            ssize_t length = read(fd, data + *size, (size_t)st.st_size - *size);

            if (length <= 0)
                break;
            *size += (size_t)length;
        }
    }
    close(fd);
    return data;
}

char *ctf_metadata_read(const char *folder, bool *damaged) {
    char *path = pinsight_format("%s/metadata", folder);
    size_t size, length;
    unsigned char *data = ctf_small_file(path, &size);
    char *text = NULL;

    *damaged = true;
    if (data)
        text = pinsight_metadata_text(data, size, &length, damaged);
    free(path);
    free(data);
    return text;
}
