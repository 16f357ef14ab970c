/* Memory that outlives the process: files beside its buffers, which finish_counts.c finishes. See
 * `keep` in tracer/record/recorder.h. */
#include "tracer/record/file/persistent.h"

#include "base/machine.h"
#include "format/local.h"
#include "format/process_name.h"
#include "tracer/record/file/file_worker.h"
#include "tracer/record/file/recording.h"
#include "tracer/record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TRIES = 1000 };

/* The state of this process. A child, which has another pid, starts without its parent's files. */
static struct {
    int32_t pid;
    uint32_t number, count;
} kept;

struct keeping {
    uint64_t bytes; /* size of the file */
    uint32_t at;    /* number of earlier files */
    uint32_t number;
    void *mapped;
};

void pinsight_persistent_name(const struct pinsight_buffer_head *head, uint32_t at,
                              char name[PINSIGHT_PERSISTENT_NAME]) {
    char process[PINSIGHT_PROCESS_NAME_BYTES];
    pinsight_file_process_name(head, process);
    snprintf(name, PINSIGHT_PERSISTENT_NAME, ".%s-%u" PINSIGHT_PERSISTENT_INFIX "%u", process,
             head->number, at);
}

static void fill_in(struct pinsight_buffer_head *head, const struct pinsight_buffer_head *what,
                    uint64_t bytes) {
    *head = *what;
    head->version = PINSIGHT_BUFFER_VERSION;
    head->head_bytes = PINSIGHT_BUFFER_HEAD_BYTES;
    head->size = bytes - PINSIGHT_BUFFER_HEAD_BYTES;
    memcpy(head->host, pinsight_recording.host, sizeof head->host);
    __atomic_store_n(&head->magic, PINSIGHT_PERSISTENT_MAGIC, __ATOMIC_RELEASE);
}

static bool is_taken(int folder, const struct pinsight_buffer_head *head) {
    char name[PINSIGHT_BUFFER_NAME];
    pinsight_buffer_name(head, "", head->number, name);
    bool there = faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    pinsight_buffer_name(head, ".", head->number, name);
    return there || faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Makes a file. The first one takes a number that no stream has; the stream that is made of the
 * files gets this number. Names from before this process executed another program may be in use. */
static int open_new(int folder, struct keeping *making, struct pinsight_buffer_head *head,
                    char name[PINSIGHT_PERSISTENT_NAME]) {
    for (int tries = 0; tries < TRIES; tries++) {
        if (!making->at && !pinsight_pool_number_new(&making->number))
            return -1;
        head->number = making->number;
        if (!making->at && is_taken(folder, head))
            continue;
        pinsight_persistent_name(head, making->at, name);
        int fd = pinsight_local_create(pinsight_recording.buffers, folder, name);
        if (fd >= 0 || errno != EEXIST || making->at)
            return fd;
    }
    errno = EEXIST;
    return -1;
}

static int make(void *data) {
    struct keeping *making = data;
    char name[PINSIGHT_PERSISTENT_NAME];
    struct pinsight_buffer_head head = {.pid = (int32_t)getpid(),
                                        .start = pinsight_buffer_own_start(),
                                        .namespace = pinsight_machine_namespace(),
                                        .boot = pinsight_machine_boot()};
    int folder = pinsight_recording_folder();
    int fd = folder < 0 ? -1 : open_new(folder, making, &head, name);
    int error = fd < 0 ? errno : pinsight_buffer_allocate(fd, making->bytes);
    if (fd >= 0 && !error) {
        making->mapped = mmap(NULL, making->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        error = making->mapped == MAP_FAILED ? errno : 0;
    }
    if (fd >= 0 && error)
        pinsight_local_remove(folder, name);
    if (fd >= 0 && !error)
        fill_in(making->mapped, &head, making->bytes);
    if (fd >= 0)
        close(fd);
    if (folder >= 0)
        close(folder);
    return error;
}

void *pinsight_persistent_allocate(uint64_t bytes) {
    sigset_t old;
    /* An attached recording can end before the process. Its memory would still be in use in the
     * next recording. */
    if (!__atomic_load_n(&pinsight_file_listened, __ATOMIC_ACQUIRE) || pinsight_recorder_output ||
        pinsight_file_work_is_forbidden())
        return NULL;
    if (kept.pid != (int32_t)getpid()) {
        kept.pid = (int32_t)getpid();
        kept.count = 0;
    }
    struct keeping making = {
        .bytes = PINSIGHT_BUFFER_HEAD_BYTES + bytes, .at = kept.count, .number = kept.number};
    pinsight_signals_block(&old);
    int error = pinsight_file_work(make, &making);
    pinsight_signals_unblock(&old);
    if (error)
        return NULL;
    kept.number = making.number;
    kept.count++;
    return (char *)making.mapped + PINSIGHT_BUFFER_HEAD_BYTES;
}
