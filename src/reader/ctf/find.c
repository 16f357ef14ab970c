/* Finds traces: folders with a file named "metadata"; see find.h. */
#include "reader/ctf/find.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/run_info.h"
#include "base/safe_files.h"
#include "format/packed.h"
#include "format/streams.h"
#include "reader/ctf/chunks.h"
#include "reader/ctf/packet.h"
#include "reader/ctf/runs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* The deepest level of a search. LTTng's folders are five levels deep. The limit shortens the
 * search of a wrong path such as /. */
#define MAX_DEPTH 10
/* The deepest level without a known trace: from the folder that LTTng calls uid. */
#define UNKNOWN_DEPTH 3

/* The most folders that are searched while no trace is known. */
#define MOST_FOLDERS 4096

/* The most folders that are kept open, and their part of the files that the process may open. The
 * streams need some, too. */
#define MOST_OPEN 64
#define PART_OPEN 4

/* The most searches for a trace whose chunks are being moved. */
#define MOST_LOOKS 5

/* The number and the length of waits for a chunk that has just begun. */
#define MOST_WAITS 25
#define WAIT_US 20000

static const unsigned char metadata_magic[2][4] = {{0x57, 0x1d, 0xd1, 0x75},
                                                   {0x75, 0xd1, 0x1d, 0x57}};

/* The begin of CTF 2's metadata, a sequence of JSON texts, each after this character (RFC 7464). */
#define CTF_2_BEGINS "\x1e{"

static void read_head(struct pinsight_found_trace *trace, const char *metadata) {
    unsigned char head[20];
    int fd = pinsight_open_safely(metadata);

    if (fd < 0)
        return;
    if (read(fd, head, sizeof(head)) != (ssize_t)sizeof(head)) {
        /* The file is too short for either format. */
    } else if (!memcmp(head, CTF_2_BEGINS, 2)) {
        trace->is_ctf_2 = true;
    } else if (!memcmp(head, metadata_magic[0], 4) || !memcmp(head, metadata_magic[1], 4)) {
        trace->has_uuid = true;
        memcpy(trace->uuid, head + 4, sizeof(trace->uuid));
    }
    close(fd);
}

/* Returns whether a folder has metadata. A chunk that has just begun gets it after a moment. */
static bool has_metadata(const char *at) {
    char *metadata = pinsight_format("%s/metadata", at);
    struct stat st;
    bool has = false;

    for (int look = 0; !has && look < MOST_WAITS; look++) {
        if (look)
            usleep(WAIT_US);
        has = stat(metadata, &st) == 0 && st.st_size > 0;
    }
    free(metadata);
    return has;
}

/* Returns whether another folder may be kept open. */
static bool may_keep_open(size_t count) {
    struct rlimit limit;

    return count < MOST_OPEN &&
           (getrlimit(RLIMIT_NOFILE, &limit) != 0 || count < limit.rlim_cur / PART_OPEN);
}

/* Adds a folder with metadata, or without it. Returns false if it was added before, at an earlier
 * place. */
static bool add_trace(struct pinsight_found *found, const char *folder) {
    struct pinsight_found_trace trace = {.fd = -1};
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat st;
    char *metadata;

    if (fd < 0 || fstat(fd, &st) != 0) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    trace.device = (uint64_t)st.st_dev;
    trace.inode = (uint64_t)st.st_ino;
    for (size_t i = 0; i < found->count; i++)
        if (found->traces[i].device == trace.device && found->traces[i].inode == trace.inode) {
            close(fd);
            return false;
        }
    if (may_keep_open(found->count)) {
        trace.fd = fd;
        trace.at = pinsight_format("/proc/self/fd/%d", fd);
    }
    if (!trace.at || access(trace.at, R_OK | X_OK) != 0) {
        free(trace.at);
        trace.at = pinsight_strdup(folder);
        trace.fd = -1;
        close(fd);
    }
    if (pinsight_chunks_is_open(folder) && !has_metadata(trace.at)) {
        if (trace.fd >= 0)
            close(trace.fd);
        free(trace.at);
        return false;
    }
    trace.folder = pinsight_strdup(folder);
    metadata = pinsight_format("%s/metadata", trace.at);
    read_head(&trace, metadata);
    free(metadata);
    found->chunks |= strstr(folder, "/archives/") != NULL;
    *PINSIGHT_ADD(found->traces, found->count, found->capacity) = trace;
    return true;
}

/* Other observations during the search. */
struct seen {
    size_t entries;
    bool streams; /* a file begins like a stream */
    bool run;     /* the file of `pinsight run` beside a trace */
    bool is_run;  /* in the given folder itself: runs below it are separate, and left out */
    bool known;   /* a trace was found */
    size_t folders;
    char *denied; /* a folder that may not be read */
};

static bool is_stream(const char *path) {
    int fd = pinsight_open_safely(path);
    bool yes = fd >= 0 && pinsight_packets_scan(fd, PINSIGHT_PACKET_HEAD).is_stream;

    if (fd >= 0)
        close(fd);
    return yes;
}

/* Finishes the buffers of processes that were killed, in a trace of the file recorder. If that is
 * not permitted, the trace is read unchanged. */
static bool finish(const char *folder, struct pinsight_file_lost *lost) {
    /* A lock was held for the whole time. No other one is waited for: an export reads twice. */
    static _Atomic bool is_locked;
    struct pinsight_file_finished finished;
    char *control = pinsight_format("%s/.control", folder);

    if (access(control, R_OK | W_OK) == 0 &&
        pinsight_file_finish_within(folder, is_locked ? 0 : PINSIGHT_LOCK_MS, &finished) ==
            EWOULDBLOCK)
        is_locked = true;
    free(control);
    return pinsight_file_look_at_lost(folder, lost);
}

/* Returns whether a path is a file, or a link that pinsight_open_safely() follows. */
static bool is_file(const char *path, struct stat *st) {
    if (lstat(path, st) != 0)
        return false;
    if (S_ISLNK(st->st_mode) &&
        ((st->st_uid != geteuid() && st->st_uid != 0) || stat(path, st) != 0))
        return false;
    return S_ISREG(st->st_mode);
}

/* Returns the size of the streams in a folder's archive. */
static uint64_t packed_bytes(const char *folder) {
    struct pinsight_packed packed = {0};
    int fd = pinsight_open_folder(AT_FDCWD, folder, 0);
    uint64_t bytes;

    if (fd >= 0) {
        pinsight_packed_read(fd, &packed);
        close(fd);
    }
    bytes = packed.bytes;
    pinsight_packed_free(&packed);
    return bytes;
}

/* Searches a folder and the folders in it. */
static void visit(const char *folder, int depth, struct pinsight_found *found, struct seen *seen) {
    struct dirent *entry;
    uint64_t bytes = 0;
    bool is_trace = false, has_list = false, is_of_files;
    struct pinsight_file_lost lost;

    if ((depth && (seen->is_run || !seen->known) && pinsight_is_run(folder)) ||
        (++seen->folders > MOST_FOLDERS && !seen->known))
        return;
    is_of_files = finish(folder, &lost);
    DIR *dir = opendir(folder);
    if (!dir) {
        if (errno == EACCES && !seen->denied)
            seen->denied = pinsight_strdup(folder);
        return;
    }
    while ((entry = readdir(dir))) {
        char *path;
        struct stat st;

        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        seen->entries++;
        path = pinsight_format("%s/%s", folder, entry->d_name);
        if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
            /* Chunks for introspections duplicate the streams. */
            if (depth < (seen->known ? MAX_DEPTH : UNKNOWN_DEPTH) &&
                strcmp(entry->d_name, PINSIGHT_FILE_CHUNKS) != 0)
                visit(path, depth + 1, found, seen);
        } else if (is_file(path, &st)) {
            bytes += *entry->d_name != '.' ? (uint64_t)st.st_size : 0;
            has_list |= !strcmp(entry->d_name, PINSIGHT_STREAMS_FILE);
            if (!strcmp(entry->d_name, PINSIGHT_PACKED_FILE))
                bytes += packed_bytes(folder);
            if (!strcmp(entry->d_name, "metadata")) {
                is_trace = add_trace(found, folder);
            } else if (depth == 0 && !strcmp(entry->d_name, PINSIGHT_RUN_INFO_FILE)) {
                seen->run = true;
            } else if (!found->count && !seen->streams) {
                seen->streams = is_stream(path);
            }
        }
        free(path);
    }
    closedir(dir);
    /* A list of streams, but no description of their events. The reader reports that. */
    if (!is_trace && has_list)
        is_trace = add_trace(found, folder);
    if (is_trace)
        found->bytes += bytes;
    if (is_trace && is_of_files) {
        found->is_of_files = true;
        found->lost.unwritten += lost.unwritten;
        found->lost.unwritten_bytes += lost.unwritten_bytes;
        found->lost.others += lost.others;
        if (!found->lost.error)
            found->lost.error = lost.error;
    }
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const struct pinsight_found_trace *)a)->folder,
                  ((const struct pinsight_found_trace *)b)->folder);
}

static char *why_nothing(const char *path, const struct seen *seen) {
    if (seen->denied)
        return pinsight_format("the folder %s cannot be read: %s; run as the user who recorded it, "
                               "or change its permissions",
                               seen->denied, strerror(EACCES));
    if (!seen->entries)
        return pinsight_format("the folder %s is empty: nothing was recorded into it; run "
                               "`pinsight run -o %s -- COMMAND` to record a trace",
                               path, path);
    if (seen->streams)
        return pinsight_format("the trace in %s has no metadata, which describes its events: the "
                               "recording was killed before LTTng wrote it, and it cannot be read",
                               path);
    return pinsight_format("%s is not a trace: neither it nor a folder in it has a file named "
                           "\"metadata\"; give the folder that `pinsight run` wrote",
                           path);
}

static char *find_in(const char *path, bool known, struct pinsight_found *found) {
    struct seen seen = {.is_run = pinsight_is_run(path), .known = known};
    char *problem = NULL;

    visit(path, 0, found, &seen);
    for (int look = 1; found->chunks && look < MOST_LOOKS; look++) {
        size_t before = found->count;

        visit(path, 0, found, &seen);
        if (found->count == before)
            break;
    }
    if (!known && seen.folders > MOST_FOLDERS)
        problem = pinsight_format("%s is no trace, and has more than %d folders; give the folder "
                                  "that `pinsight run` wrote",
                                  path, MOST_FOLDERS);
    if (found->count > 1)
        PINSIGHT_SORT(found->traces, found->count, by_path);
    if (!problem && !found->count && !(seen.run && !seen.streams && !seen.denied))
        problem = why_nothing(path, &seen);
    for (size_t i = 0; i < found->count && !problem; i++)
        if (found->traces[i].is_ctf_2)
            problem = pinsight_format(
                "the trace in %s is in CTF 2, which PInsight does not read; write it in CTF 1.8 "
                "(babeltrace2: --component sink.ctf.fs --params "
                "'path=\"FOLDER\",ctf-version=\"1\"')",
                found->traces[i].folder);
    free(seen.denied);
    return problem;
}

char *pinsight_find_traces(const char *path, struct pinsight_found *found) {
    struct stat st;
    char *problem = NULL, *chosen;
    bool known;

    if (stat(path, &st) != 0)
        return errno == ENOENT
                   ? pinsight_format("there is no folder %s; give the folder that `pinsight run` "
                                     "wrote (its -o option, or the one it named)",
                                     path)
                   : pinsight_format("%s cannot be read: %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return pinsight_format("%s is a file and no trace; give the folder of a trace", path);
    if (access(path, R_OK | X_OK) != 0)
        return pinsight_format("the folder %s cannot be read: %s; run as the user who recorded it, "
                               "or change its permissions",
                               path, strerror(errno));
    chosen = pinsight_runs_choose(path, &known, &problem);
    if (chosen)
        problem = find_in(chosen, known, found);
    free(chosen);
    return problem;
}

void pinsight_found_clear(struct pinsight_found *found) {
    for (size_t i = 0; i < found->count; i++) {
        if (found->traces[i].fd >= 0)
            close(found->traces[i].fd);
        free(found->traces[i].folder);
        free(found->traces[i].at);
    }
    free(found->traces);
    *found = (struct pinsight_found){0};
}
