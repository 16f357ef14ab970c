/* The list of a trace's streams; see streams.h. */
#include "format/streams.h"

#include "base/process.h"
#include "base/safe_files.h"
#include "format/layout.h"
#include "format/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns whether a flight recorder may still remove the stream. Its process has a ring file beside
 * its streams. The process may have no buffer for a moment, while it executes another program. */
static bool may_be_dropped(int folder, const char *name, bool settled) {
    const char *last = strrchr(name, '-');
    char ring[NAME_MAX + 16];
    unsigned long long start;
    struct pinsight_proc process;

    snprintf(ring, sizeof ring, ".%.*s-ring", (int)(last - name), name);
    if (faccessat(folder, ring, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    if (!settled || sscanf(name, "%d-%llx", &process.pid, &start) != 2)
        return true;
    process.start = start;
    return pinsight_process_alive(&process);
}

/* Returns whether a name is a buffer's name without its dot. */
static bool is_name(const char *name) {
    char buffer[NAME_MAX + 2];

    return strlen(name) < NAME_MAX &&
           snprintf(buffer, sizeof buffer, ".%s", name) < (int)sizeof buffer &&
           pinsight_buffer_is_name(buffer);
}

/* The most lines of the list that are read. */
enum { MOST_LISTED = 1 << 20 };

/* Parses the numbers of a line, after its name. Returns false for any other text. */
static bool take_numbers(const char *at, struct pinsight_stream_noted *noted) {
    uint64_t *numbers[] = {&noted->bytes, &noted->packets};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && *at; i++) {
        char *end;
        *numbers[i] = strtoull(at, &end, 10);
        if (end == at || (*end && *end != ' '))
            return false;
        at = end + (*end == ' ');
    }
    return !*at;
}

/* Parses a line without its end: NAME, NAME BYTES or NAME BYTES PACKETS. Returns false for any
 * other text. */
static bool take_line(char *line, struct pinsight_stream_noted *noted) {
    char *blank = strchr(line, ' ');

    *noted = (struct pinsight_stream_noted){0};
    if (blank)
        *blank = '\0';
    return (!blank || (blank[1] && take_numbers(blank + 1, noted))) && is_name(line);
}

static void read_lines(FILE *from, FILE *names, FILE *numbers) {
    char line[NAME_MAX + 32];

    for (size_t left = MOST_LISTED; left && fgets(line, sizeof line, from); left--) {
        char *end = strchr(line, '\n');
        struct pinsight_stream_noted noted;
        if (!*line)
            break; /* a hole in the file, which can have any size */
        if (!end)
            continue;
        *end = '\0';
        if (take_line(line, &noted)) {
            fwrite(line, 1, strlen(line) + 1, names);
            fwrite(&noted, sizeof noted, 1, numbers);
        }
    }
}

static int by_name(const void *a, const void *b) {
    const struct pinsight_stream_noted *left = a, *right = b;
    int order = strcmp(left->name, right->name);

    return order ? order : left->bytes > right->bytes ? -1 : left->bytes < right->bytes;
}

/* Makes the sorted list of the names, without duplicates. */
static void index_names(struct pinsight_streams *streams, const struct pinsight_stream_noted *noted,
                        size_t count) {
    const char *at = streams->names;
    size_t kept = 0;

    streams->all = calloc(count + 1, sizeof *streams->all);
    if (!streams->all)
        return;
    for (size_t i = 0; i < count; i++, at += strlen(at) + 1) {
        streams->all[i] = noted[i];
        streams->all[i].name = at;
    }
    if (count > 1)
        qsort(streams->all, count, sizeof *streams->all, by_name);
    for (size_t i = 0; i < count; i++)
        if (!kept || strcmp(streams->all[kept - 1].name, streams->all[i].name) != 0)
            streams->all[kept++] = streams->all[i];
    streams->count = kept;
}

void pinsight_streams_read(int folder, struct pinsight_streams *streams) {
    int fd = pinsight_open_regular(folder, PINSIGHT_STREAMS_FILE, O_RDONLY | O_NOFOLLOW);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    char *noted = NULL;
    size_t size = 0, noted_size = 0;

    *streams = (struct pinsight_streams){0};
    FILE *names = open_memstream(&streams->names, &size);
    FILE *numbers = open_memstream(&noted, &noted_size);
    if (file && names && numbers)
        read_lines(file, names, numbers);
    else if (fd >= 0 && !file)
        close(fd);
    if (names)
        fclose(names);
    if (numbers)
        fclose(numbers);
    if (file)
        fclose(file);
    if (streams->names && noted)
        index_names(streams, (const struct pinsight_stream_noted *)(const void *)noted,
                    noted_size / sizeof *streams->all);
    free(noted);
}

const struct pinsight_stream_noted *pinsight_streams_find(const struct pinsight_streams *streams,
                                                          const char *name) {
    const struct pinsight_stream_noted wanted = {.name = name, .bytes = UINT64_MAX};
    size_t low = 0, high = streams->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_name(&streams->all[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < streams->count && strcmp(streams->all[low].name, name) == 0 ? &streams->all[low]
                                                                             : NULL;
}

void pinsight_streams_free(struct pinsight_streams *streams) {
    free(streams->all);
    free(streams->names);
    *streams = (struct pinsight_streams){0};
}

/* Returns whether the stream is complete, because it has no buffer. */
static bool is_complete(int folder, const char *name) {
    char buffer[NAME_MAX + 2];

    snprintf(buffer, sizeof buffer, ".%s", name);
    return faccessat(folder, buffer, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
}

/* The most packets of a stream that are walked along. */
enum { MOST_PACKETS = 1 << 18 };

/* Returns the number behind that of the stream's last packet, or 0 if it is unknown. A recorder
 * gives a packet that it could not write a number, too. */
static uint64_t packets_of(int folder, const char *name, uint64_t bytes) {
    int fd = pinsight_open_regular(folder, name, O_RDONLY | O_NOFOLLOW);
    struct pinsight_packet_head head = {.size = 0};
    uint64_t at = 0, packets = 0;

    for (int i = 0; fd >= 0 && i < MOST_PACKETS && at < bytes; i++, at += head.size / 8) {
        if (pread(fd, &head, sizeof head, (off_t)at) != sizeof head ||
            head.magic != PINSIGHT_CTF_MAGIC || head.size / 8 < sizeof head)
            break;
        packets = head.sequence + 1;
    }
    if (fd >= 0)
        close(fd);
    return at == bytes ? packets : 0;
}

/* Returns whether the list lacks the stream or its length. */
static bool is_new(int folder, const char *name, const struct pinsight_streams *streams,
                   bool settled, uint64_t *bytes) {
    const struct pinsight_stream_noted *noted;
    struct stat status;

    if (!is_name(name) || fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode) || !status.st_size)
        return false;
    *bytes = is_complete(folder, name) ? (uint64_t)status.st_size : 0;
    noted = pinsight_streams_find(streams, name);
    /* A complete stream does not grow. A longer file is a faulty copy. */
    return noted ? *bytes && !noted->bytes : !may_be_dropped(folder, name, settled);
}

static FILE *open_to_add(int folder) {
    int fd = pinsight_open_to_write(folder, PINSIGHT_STREAMS_FILE, O_WRONLY | O_APPEND, 0600);
    FILE *to = fd >= 0 ? fdopen(fd, "a") : NULL;

    if (!to && fd >= 0)
        close(fd);
    return to;
}

static int add_new(int folder, const struct pinsight_streams *streams, bool settled) {
    DIR *list = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    FILE *to = NULL;
    uint64_t bytes;
    int error = list ? 0 : errno;

    for (struct dirent *entry; !error && (entry = readdir(list));) {
        if (!is_new(folder, entry->d_name, streams, settled, &bytes))
            continue;
        /* Ends a line that was cut off on a full disk. */
        if (!to && (to = open_to_add(folder)))
            fputc('\n', to);
        if (!to ||
            fprintf(to, bytes ? "%s %llu %llu\n" : "%s\n", entry->d_name, (unsigned long long)bytes,
                    (unsigned long long)(bytes ? packets_of(folder, entry->d_name, bytes) : 0)) < 0)
            error = errno;
    }
    if (list)
        closedir(list);
    if (to && fclose(to) != 0 && !error)
        error = errno;
    return error;
}

int pinsight_streams_note(int folder, bool settled) {
    struct pinsight_streams streams;

    pinsight_streams_read(folder, &streams);
    int error = streams.all ? add_new(folder, &streams, settled) : ENOMEM;
    pinsight_streams_free(&streams);
    return error;
}
