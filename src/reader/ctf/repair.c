/* Copies of damaged traces; see repair.h. The original is never written to. */
#include "reader/ctf/repair.h"

#include "base/leftover.h"
#include "base/memory.h"
#include "base/safe_files.h"
#include "reader/ctf/packet.h"
#include "reader/ctf/well_formed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes all data. Returns false with errno on an error. */
static bool write_all(int fd, const void *data, size_t size) {
    const char *at = data;

    while (size) {
        ssize_t length = write(fd, at, size);

        if (length < 0)
            return false;
        at += length;
        size -= (size_t)length;
    }
    return true;
}

/* Returns the folder of all copies, and makes it for the first copy. */
static const char *base_of(struct pinsight_repair *repair) {
    const char *temporary = getenv("TMPDIR");
    sigset_t signals;
    char *path;

    if (repair->base)
        return repair->base;
    path = pinsight_format("%s/pinsight-repair-XXXXXX",
                           temporary && temporary[0] ? temporary : "/tmp");
    pinsight_leftover_block_signals(&signals);
    if (mkdtemp(path)) {
        pinsight_leftover_note(path);
        repair->base = path;
    } else {
        free(path);
    }
    pinsight_leftover_unblock_signals(&signals);
    return repair->base;
}

static char *new_folder(struct pinsight_repair *repair) {
    const char *base = base_of(repair);
    char *path = base ? pinsight_format("%s/%zu", base, repair->folder_count) : NULL;

    if (!path || mkdir(path, 0700) != 0) {
        free(path);
        return NULL;
    }
    *PINSIGHT_ADD(repair->folders, repair->folder_count, repair->folder_capacity) = path;
    return path;
}

/* Writes the useful part of a trace's metadata, as plain text. */
static bool copy_metadata(const char *from, const char *to, const char *folder,
                          struct pinsight_source_result *result) {
    static const char heading[] = "/* CTF 1.8 */\n";
    size_t size, length;
    unsigned char *data = pinsight_well_formed_file(from, &size);
    bool damaged = true;
    char *text = data ? pinsight_metadata_text(data, size, &length, &damaged) : NULL;
    bool plain = data && size >= 4 && data[0] == '/';
    bool done = false;
    int fd = text ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;

    if (fd >= 0) {
        done =
            (plain || write_all(fd, heading, sizeof(heading) - 1)) && write_all(fd, text, length);
        close(fd);
    }
    result->damaged_metadata |= damaged;
    if (done && damaged)
        pinsight_source_warn(
            result,
            pinsight_format(
                "the metadata of %s is damaged; the events that it still describes are reported",
                folder));
    free(text);
    free(data);
    return done;
}

/* Copies `size` bytes between files. */
static bool copy_bytes(int from, int to, uint64_t size) {
    char *block = pinsight_realloc(NULL, 1 << 20, 1);
    bool done = true;

    while (size && done) {
        ssize_t length = read(from, block, size < 1 << 20 ? (size_t)size : 1 << 20);

        done = length > 0 && write_all(to, block, (size_t)length);
        size -= length > 0 ? (uint64_t)length : 0;
    }
    free(block);
    return done;
}

/* Sets the sizes in the head of the last packet, which was cut off, to the existing part. The
 * original sizes may be damaged, and larger than any file. */
static bool close_packet(int to, const struct pinsight_packets *packets) {
    off_t at = (off_t)packets->whole_size + PINSIGHT_PACKET_CONTENT_AT;
    uint64_t bits = packets->cut_have * 8;
    unsigned char bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(bits >> (packets->big_endian ? 56 - 8 * i : 8 * i));
    if (packets->cut_have < packets->cut_content && pwrite(to, bytes, 8, at) != 8)
        return false;
    return pwrite(to, bytes, 8, at + 8) == 8;
}

/* Copies the readable part of a stream file that was cut off. */
static bool copy_stream(struct pinsight_repair *repair, int from, const char *to,
                        const struct pinsight_packets *packets) {
    bool part = packets->cut_sane && packets->cut_have > PINSIGHT_PACKET_HEAD;
    uint64_t size = packets->whole_size + (part ? packets->cut_have : 0);
    int fd;
    bool done;

    if (!size || (fd = open(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) < 0)
        return false;
    done = copy_bytes(from, fd, size) && (!part || close_packet(fd, packets));
    close(fd);
    if (!done) {
        unlink(to);
        return false;
    }
    *PINSIGHT_ADD(repair->cut, repair->cut_count, repair->cut_capacity) = pinsight_strdup(to);
    return true;
}

/* Returns whether a name is that of a stream file of LTTng, which names it after a channel and a
 * processor: events_0. */
static bool is_stream_name(const char *path) {
    size_t end = strlen(path);
    size_t at = end;

    while (at && path[at - 1] >= '0' && path[at - 1] <= '9')
        at--;
    return at && at < end && path[at - 1] == '_';
}

/* Puts one stream file of a trace into the copy. `lttng` means that its packets have LTTng's heads.
 * Returns whether the copy has the file. */
static bool place_stream(struct pinsight_repair *repair, const char *from, const char *to,
                         bool lttng, struct pinsight_source_result *result) {
    int fd = pinsight_open_safely(from);
    struct pinsight_packets packets;
    struct stat st;
    bool done = false;

    if (fd < 0 || fstat(fd, &st) != 0) {
        pinsight_source_warn(result, pinsight_format("%s cannot be read: %s; it is left out", from,
                                                     strerror(errno)));
        if (fd >= 0)
            close(fd);
        return false;
    }
    packets = pinsight_packets_scan(fd, (uint64_t)st.st_size);
    if (st.st_size > 0 && (!packets.is_stream || (lttng && !packets.is_known))) {
        pinsight_source_warn(
            result,
            pinsight_format(
                "%s is not a stream of a trace, or its start is damaged; it is left out", from));
        result->damaged_streams += is_stream_name(from);
    } else if (packets.is_whole || (packets.is_stream && !packets.is_known)) {
        done = symlink(from, to) == 0;
    } else if (st.st_size > 0) {
        done = copy_stream(repair, fd, to, &packets);
        result->damaged_streams++;
        pinsight_source_warn(result,
                             pinsight_format(done ? "%s is cut off in the middle of a packet; what "
                                                    "stands before is reported"
                                                  : "nothing of %s can be read; it is left out",
                                             from));
    }
    close(fd);
    return done;
}

const char *pinsight_repair_copy(struct pinsight_repair *repair, const char *folder,
                                 struct pinsight_source_result *result, char **why) {
    char *full = realpath(folder, NULL);
    char *copy = new_folder(repair);
    DIR *dir = full ? opendir(full) : NULL;
    struct dirent *entry;
    size_t streams = 0;
    bool damaged;
    char *metadata = pinsight_well_formed_metadata(folder, &damaged);
    bool lttng = metadata && pinsight_well_formed_is_lttng(metadata);

    free(metadata);
    *why = NULL;
    if (!copy || !dir)
        *why = pinsight_format("no temporary folder could be made for the undamaged parts (%s); "
                               "name another place in TMPDIR",
                               strerror(errno));
    while (!*why && (entry = readdir(dir))) {
        char *from = pinsight_format("%s/%s", full, entry->d_name);
        char *to = pinsight_format("%s/%s", copy, entry->d_name);
        struct stat st;

        if (entry->d_name[0] == '.' || stat(from, &st) != 0 || !S_ISREG(st.st_mode)) {
            /* Not a part of the trace. */
        } else if (strcmp(entry->d_name, "metadata") != 0) {
            streams += place_stream(repair, from, to, lttng, result);
        } else if (access(from, R_OK) != 0) {
            *why = pinsight_format("its metadata cannot be read: %s", strerror(errno));
        } else if (!copy_metadata(from, to, folder, result)) {
            *why = pinsight_strdup(
                st.st_size ? "its metadata, which describes the events, is damaged from its start"
                           : "its metadata, which describes the events, is empty: the recording "
                             "was killed before LTTng wrote it");
        }
        free(from);
        free(to);
    }
    if (!*why && !streams)
        *why = pinsight_strdup("none of its streams can be read");
    if (dir)
        closedir(dir);
    free(full);
    return *why ? NULL : copy;
}

const char *pinsight_repair_definitions(struct pinsight_repair *repair, const char *folder) {
    static const char channel[] = "definitions_";
    char *copy = new_folder(repair);
    DIR *dir = copy ? opendir(folder) : NULL;
    struct dirent *entry;
    size_t streams = 0;

    while (dir && (entry = readdir(dir))) {
        bool stream = !strncmp(entry->d_name, channel, sizeof(channel) - 1);
        char *from, *to;

        if (!stream && strcmp(entry->d_name, "metadata") != 0)
            continue;
        from = pinsight_format("%s/%s", folder, entry->d_name);
        to = pinsight_format("%s/%s", copy, entry->d_name);
        streams += symlink(from, to) == 0 && stream;
        free(from);
        free(to);
    }
    if (dir)
        closedir(dir);
    return streams ? copy : NULL;
}

uint64_t pinsight_repair_bytes(const char *copy) {
    DIR *dir = opendir(copy);
    struct dirent *entry;
    struct stat st;
    uint64_t bytes = 0;

    while (dir && (entry = readdir(dir)))
        if (fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 && S_ISREG(st.st_mode))
            bytes += (uint64_t)st.st_size;
    if (dir)
        closedir(dir);
    return bytes;
}

size_t pinsight_repair_split(struct pinsight_repair *repair, const char *copy, const char ***list) {
    DIR *dir = opendir(copy);
    struct dirent *entry;
    size_t count = 0, capacity = 0;

    *list = NULL;
    while (dir && (entry = readdir(dir))) {
        char *part, *from, *to;

        if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "metadata") ||
            !(part = new_folder(repair)))
            continue;
        from = pinsight_format("%s/metadata", copy);
        to = pinsight_format("%s/metadata", part);
        if (symlink(from, to) != 0)
            part = NULL;
        free(from);
        free(to);
        if (!part)
            continue;
        from = pinsight_format("%s/%s", copy, entry->d_name);
        to = pinsight_format("%s/%s", part, entry->d_name);
        if (symlink(from, to) == 0) {
            *list = pinsight_grow(*list, count, &capacity, sizeof(**list));
            (*list)[count++] = part;
        }
        if (pinsight_repair_is_cut(repair, from)) {
            *PINSIGHT_ADD(repair->cut, repair->cut_count, repair->cut_capacity) =
                pinsight_strdup(to);
        }
        free(from);
        free(to);
    }
    if (dir)
        closedir(dir);
    return count;
}

bool pinsight_repair_is_cut(const struct pinsight_repair *repair, const char *path) {
    for (size_t i = 0; i < repair->cut_count; i++)
        if (!strcmp(repair->cut[i], path))
            return true;
    return false;
}

bool pinsight_repair_is_copy(const struct pinsight_repair *repair, const char *path) {
    return repair->base && !strncmp(repair->base, path, strlen(repair->base));
}

static void remove_folder(const char *folder) {
    DIR *dir = opendir(folder);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(dir), entry->d_name, 0);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}

void pinsight_repair_clear(struct pinsight_repair *repair) {
    for (size_t i = 0; i < repair->folder_count; i++) {
        remove_folder(repair->folders[i]);
        free(repair->folders[i]);
    }
    for (size_t i = 0; i < repair->cut_count; i++)
        free(repair->cut[i]);
    if (repair->base) {
        rmdir(repair->base);
        pinsight_leftover_forget(repair->base);
    }
    free(repair->base);
    free(repair->folders);
    free(repair->cut);
    *repair = (struct pinsight_repair){0};
}
