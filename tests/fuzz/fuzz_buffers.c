/* A folder of the file recorder with a buffer, its stream and what else lies beside them, of any
 * content: it is read, given as chunks, and finished, and no file grows by more than the buffer
 * has. */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/paths.h"
#include "check.h"
#include "format/folder.h"
#include "format/snapshot.h"
#include "introspect/chunk.h"
#include "reader/ctf/source.h"

/* The first bytes of an input. */
struct input {
    uint8_t flags; /* below */
    uint8_t start; /* of the process */
    uint16_t stream_bytes;
    uint32_t number;
    uint64_t base, origin, pos, last, size, packet;
} __attribute__((packed));

enum {
    OF_ELSEWHERE = 1,
    HAS_STREAM = 2,
    HAS_RING = 4,
    HAS_ENDS = 8,
    SMALL = 16,
    OLD = 32,
    READ = 64
};

static char output[PATH_MAX], folder[PATH_MAX];

static void put_file(const char *name, const void *head, size_t head_size, const void *bytes,
                     size_t size) {
    char path[PATH_MAX + 64];
    int fd;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    check(fd >= 0 && write(fd, head, head_size) == (ssize_t)head_size &&
              write(fd, bytes, size) == (ssize_t)size,
          "a file is written");
    close(fd);
}

/* A folder of this host, whose metadata has a few events. */
static void make_folder(void) {
    char why[1024], path[PATH_MAX + 64], text[65536];
    enum pinsight_owned owned;
    ssize_t length;
    char *end;
    int fd;

    snprintf(output, sizeof(output), "%s/pinsight-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    check(mkdtemp(output) && pinsight_file_folder_make(output, &owned, why, sizeof(why)) == 0 &&
              pinsight_file_folder_path(folder, output),
          "a folder is made");
    snprintf(path, sizeof(path), "%s/metadata", folder);
    fd = open(path, O_RDWR | O_CLOEXEC);
    length = pread(fd, text, sizeof(text) - 1, 0);
    check(length > 0, "it has metadata");
    text[length] = '\0';
    end = strstr(text, "struct pinsight_");
    end =
        end ? strstr(end, "\nstruct pinsight_core_2 {") : NULL; /* two kinds of events are enough */
    check(end && ftruncate(fd, end - text) == 0, "of which the beginning is enough");
    close(fd);
}

static void forget(void) {
    pinsight_path_remove(output);
}

static struct stat status_of(const char *name) {
    char path[PATH_MAX + 64];
    struct stat status = {0};

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (lstat(path, &status) != 0)
        status = (struct stat){0};
    return status;
}

static int take(void *data, const struct pinsight_event *event) {
    uint64_t *count = data;

    ++*count;
    return pinsight_event_vpid(event) == INT64_MIN;
}

/* Reads the folder: no more events than it has bytes. */
static void read_all(void) {
    uint64_t count = 0;
    const struct pinsight_source_options options = {.on_event = take, .data = &count};
    struct pinsight_source_result result = {0};

    pinsight_source_read(output, &options, &result);
    check(count <= 1 << 20, "there are no more events than bytes");
    pinsight_source_result_clear(&result);
}

static void check_snapshot(const char *stream, size_t bytes) {
    struct pinsight_snapshot snapshot;
    char path[PATH_MAX + 64];

    snprintf(path, sizeof(path), "%s/%s", folder, stream);
    if (pinsight_snapshot_take(&snapshot, path) == 0) {
        check(snapshot.size <= bytes && snapshot.size <= snapshot.mapped,
              "a snapshot has no more than the buffer");
        pinsight_snapshot_clear(&snapshot);
    }
}

static void finish(const char *stream, const char *buffer, size_t bytes) {
    struct pinsight_file_finished finished;
    struct stat before = status_of(stream), after, again;

    pinsight_file_folder_finish(output, &finished);
    after = status_of(stream);
    check(after.st_size <= before.st_size + (off_t)bytes,
          "a stream grows by no more than the buffer");
    check(!finished.finished || !status_of(buffer).st_mode, "a finished buffer is gone");
    pinsight_file_folder_finish(output, &finished);
    again = status_of(stream);
    check(!finished.finished && again.st_size == after.st_size, "it is finished once");
}

static void remove_all(void) {
    DIR *list = opendir(folder);
    struct dirent *entry;
    char path[PATH_MAX + 300];

    while (list && (entry = readdir(list))) {
        if (!strcmp(entry->d_name, ".control") || !strcmp(entry->d_name, "metadata") ||
            !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        pinsight_path_remove(path);
    }
    if (list)
        closedir(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static union {
        struct pinsight_buffer_head head;
        unsigned char bytes[PINSIGHT_BUFFER_HEAD_BYTES];
    } page;
    struct input input;
    struct stat own;
    char stream[64], buffer[65], chunk[PATH_MAX];
    size_t stream_bytes;

    if (size < sizeof(input) || size > 1 << 16)
        return 0;
    if (!folder[0]) {
        make_folder();
        atexit(forget);
    }
    memcpy(&input, data, sizeof(input));
    data += sizeof(input);
    size -= sizeof(input);
    stream_bytes = input.stream_bytes < size ? input.stream_bytes : size;
    /* A process that has ended: no such number is given. */
    snprintf(stream, sizeof(stream), "%d-%x-%u", 1 << 23, input.start, input.number % 4);
    snprintf(buffer, sizeof(buffer), ".%s", stream);
    memset(&page, 0, sizeof(page));
    page.head = (struct pinsight_buffer_head){
        .magic = PINSIGHT_BUFFER_MAGIC,
        .version = PINSIGHT_BUFFER_VERSION - !!(input.flags & OLD),
        .head_bytes = PINSIGHT_BUFFER_HEAD_BYTES,
        .size = input.flags & SMALL ? size - stream_bytes : input.size,
        .pid = 1 << 23,
        .number = input.number % 4,
        .start = input.start,
        .base = input.flags & SMALL ? input.base % 65536 : input.base,
        .origin = input.flags & SMALL ? 0 : input.origin,
        .last = input.last,
        .packet = input.packet};
    page.head.pos =
        input.flags & SMALL ? page.head.base + input.pos % (size - stream_bytes + 1) : input.pos;
    if (input.flags & SMALL)
        page.head.packet = page.head.base + input.packet % (page.head.pos - page.head.base + 1);
    if (!(input.flags & OF_ELSEWHERE)) {
        gethostname(page.head.host, sizeof(page.head.host) - 1);
        page.head.namespace = stat("/proc/self/ns/pid", &own) == 0 ? own.st_ino : 0;
    }
    put_file(buffer, &page, sizeof(page), data + stream_bytes, size - stream_bytes);
    if (input.flags & HAS_STREAM)
        put_file(stream, NULL, 0, data, stream_bytes);
    if (input.flags & HAS_RING) {
        struct pinsight_ring_head ring = {.magic = PINSIGHT_RING_MAGIC,
                                          .version = PINSIGHT_FOLDER_VERSION};
        char name[64];

        memcpy(&ring.bytes, data, size < 40 ? size : 40);
        snprintf(name, sizeof(name), ".%d-%x-ring", 1 << 23, input.start);
        put_file(name, &ring, sizeof(ring), NULL, 0);
    }
    check_snapshot(stream, size - stream_bytes);
    if (input.flags & HAS_ENDS) {
        pinsight_chunk_make(output, chunk);
        put_file(".chunks/ends", NULL, 0, data, stream_bytes < 200 ? stream_bytes : 200);
        pinsight_chunk_make(output, chunk);
    }
    if (input.flags & READ)
        read_all();
    finish(stream, buffer, size - stream_bytes);
    remove_all();
    return 0;
}
