/* Makes the folder of a trace; see folder.h. */
#include "format/folder.h"

#include "base/machine.h"
#include "base/paths.h"
#include "base/safe_files.h"
#include "format/metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

bool pinsight_file_folder_path(char path[PATH_MAX], const char *output) {
    char host[HOST_NAME_MAX + 1] = "";
    if (gethostname(host, sizeof host - 1) != 0 || !*host || strchr(host, '/') || *host == '.')
        strcpy(host, "localhost");
    int length = snprintf(path, PATH_MAX, "%s/trace/%s", output, host);
    if (length >= PATH_MAX - 64)
        return false;
    struct pinsight_control control;
    uint64_t boot = pinsight_machine_boot();
    int folder = pinsight_open_folder(AT_FDCWD, path, O_NOFOLLOW);
    bool is_there = folder >= 0 && pinsight_file_control_read(folder, &control);
    if (folder >= 0)
        close(folder);
    if (is_there && pinsight_machines_differ(control.boot, boot))
        snprintf(path + length, (size_t)(PATH_MAX - length), "-%08x", (unsigned)(uint32_t)boot);
    return true;
}

/* Returns whether the kernel itself uses the processor's counter as its clock, and lets programs
 * read it. */
static bool counter_serves(void) {
#if defined(__x86_64__)
    char name[16] = "";
    int mode = PR_TSC_ENABLE;
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, name, sizeof name - 1);
    if (fd >= 0)
        close(fd);
    return length >= 3 && strncmp(name, "tsc", 3) == 0 && (name[3] == '\n' || name[3] == '\0') &&
           prctl(PR_GET_TSC, &mode) == 0 && mode == PR_TSC_ENABLE;
#elif defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

/* Writes a file under another name first and links it, so that readers see only the complete file.
 * Returns EEXIST if another process was first. */
static int put_file(int folder, const char *name, const void *bytes, size_t size) {
    char draft[64];
    snprintf(draft, sizeof draft, ".%s-%d", name, (int)getpid());
    int fd = pinsight_open_to_write(folder, draft, O_WRONLY | O_TRUNC, 0600);
    if (fd < 0)
        return errno;
    int error = 0;
    for (size_t done = 0; done < size && !error;) {
        ssize_t now = write(fd, (const char *)bytes + done, size - done);
        if (now > 0)
            done += (size_t)now;
        else if (now == 0 || errno != EINTR)
            error = now == 0 ? ENOSPC : errno;
    }
    if (close(fd) != 0 && !error)
        error = errno;
    if (!error && linkat(folder, draft, folder, name, 0) != 0)
        error = errno;
    unlinkat(folder, draft, 0);
    return error;
}

static int make_control(int folder) {
    static union {
        struct pinsight_control control;
        char page[PINSIGHT_CONTROL_BYTES];
    } made;
    struct pinsight_control *control = &made.control;
    struct pinsight_clocks now;

    memset(&made, 0, sizeof made);
    control->magic = PINSIGHT_CONTROL_MAGIC;
    control->version = PINSIGHT_FOLDER_VERSION;
    control->has_counter = counter_serves();
    control->boot = pinsight_machine_boot();
    if (getrandom(control->uuid, sizeof control->uuid, 0) != sizeof control->uuid)
        return errno;
    control->uuid[6] = (uint8_t)((control->uuid[6] & 0x0f) | 0x40); /* RFC 4122, 4.4 */
    control->uuid[8] = (uint8_t)((control->uuid[8] & 0x3f) | 0x80);
    pinsight_file_clocks(&control->first, control->has_counter);
    /* A first estimate of the counter's rate. The end of the trace corrects it. */
    do
        pinsight_file_clocks(&now, control->has_counter);
    while (now.monotonic - control->first.monotonic < 200000);
    control->last = now;
    control->last_check = now.ticks + now.monotonic + now.real;
    return put_file(folder, PINSIGHT_FILE_CONTROL, &made, sizeof made);
}

struct pinsight_control *pinsight_file_control_map(int folder) {
    struct stat status;
    int fd = pinsight_open_regular(folder, PINSIGHT_FILE_CONTROL, O_RDWR | O_NOFOLLOW);
    if (fd < 0)
        return NULL;
    struct pinsight_control *control = MAP_FAILED;
    errno = EINVAL;
    if (fstat(fd, &status) == 0 && status.st_size == PINSIGHT_CONTROL_BYTES)
        control = mmap(NULL, PINSIGHT_CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int error = errno;
    close(fd);
    errno = error;
    if (control == MAP_FAILED)
        return NULL;
    if (control->magic != PINSIGHT_CONTROL_MAGIC || control->version != PINSIGHT_FOLDER_VERSION) {
        munmap(control, PINSIGHT_CONTROL_BYTES);
        errno = EINVAL;
        return NULL;
    }
    return control;
}

bool pinsight_file_control_read(int folder, struct pinsight_control *control) {
    int fd = pinsight_open_regular(folder, PINSIGHT_FILE_CONTROL, O_RDONLY | O_NOFOLLOW);
    bool is_known = fd >= 0 && pread(fd, control, sizeof *control, 0) == sizeof *control &&
                    control->magic == PINSIGHT_CONTROL_MAGIC &&
                    control->version == PINSIGHT_FOLDER_VERSION;
    if (fd >= 0)
        close(fd);
    return is_known;
}

static int make_metadata(int folder, const struct pinsight_control *control) {
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return errno;
    pinsight_file_metadata_head(out, control);
    fputs(pinsight_file_metadata, out);
    if (fclose(out) != 0)
        return ENOMEM;
    int error = put_file(folder, "metadata", text, length);
    free(text);
    return error;
}

/* ---- the folder ---- */

/* A folder in which the next one is opened. */
struct trace_place {
    int fd;
    char path[PATH_MAX]; /* path so far */
    enum pinsight_owned owned;
};

/* Enters a folder within a place, or the first folder. Each must be own, because any user with
 * write access could replace its content. Returns 0 or an errno. */
static int go_into(struct trace_place *place, const char *name, int flags) {
    int fd = pinsight_open_folder(place->fd, name, flags);
    if (fd < 0)
        return errno;
    if (place->fd != AT_FDCWD)
        close(place->fd);
    place->fd = fd;
    enum pinsight_owned owned = pinsight_try_owner(fd);
    if (owned != PINSIGHT_OWN)
        place->owned = owned;
    return owned == PINSIGHT_OF_ANOTHER || owned == PINSIGHT_FOR_OTHERS ? EPERM : 0;
}

static int make_and_go_into(struct trace_place *place, const char *name) {
    int error = pinsight_make_folder(place->fd, name, 0700);
    size_t length = strlen(place->path);
    snprintf(place->path + length, sizeof place->path - length, "/%s", name);
    return error && error != EEXIST ? error : go_into(place, name, O_NOFOLLOW);
}

/* Makes OUTPUT/trace/HOSTNAME, as far as it does not exist. The caller closes it. */
static int make_place(struct trace_place *place, const char *output, const char *host) {
    *place = (struct trace_place){.fd = AT_FDCWD, .owned = PINSIGHT_OWN};
    snprintf(place->path, sizeof place->path, "%s", output);
    int error = pinsight_path_make(output, 0755);
    if (!error)
        error = go_into(place, output, 0);
    if (!error)
        error = make_and_go_into(place, "trace");
    return error ? error : make_and_go_into(place, host);
}

/* Notes that this folder is recorded into. A copy of the page has another inode. */
static void note_inode(int folder, struct pinsight_control *control) {
    struct stat status;
    if (fstatat(folder, PINSIGHT_FILE_CONTROL, &status, AT_SYMLINK_NOFOLLOW) == 0)
        control->inode = status.st_ino;
}

static int make_files(int folder) {
    struct pinsight_control *control = pinsight_file_control_map(folder);
    int error = 0;
    if (!control) {
        error = errno == ENOENT ? make_control(folder) : errno;
        if (!error || error == EEXIST) {
            control = pinsight_file_control_map(folder);
            error = control ? 0 : errno;
        }
    }
    if (control)
        note_inode(folder, control);
    if (control && faccessat(folder, "metadata", F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
        error = make_metadata(folder, control);
        if (error == EEXIST)
            error = 0;
    }
    if (control)
        munmap(control, PINSIGHT_CONTROL_BYTES);
    return error;
}

static int make_place_and_files(struct trace_place *place, const char *output, const char *path) {
    int error = make_place(place, output, strrchr(path, '/') + 1);
    return error ? error : make_files(place->fd);
}

int pinsight_file_folder_make(const char *output, enum pinsight_owned *owned, char *why,
                              size_t room) {
    char path[PATH_MAX], now[PATH_MAX];
    struct trace_place place;
    *owned = PINSIGHT_OWN;
    if (!pinsight_file_folder_path(path, output)) {
        snprintf(why, room, "the path of the trace is too long: %.200s", output);
        return ENAMETOOLONG;
    }
    int error = make_place_and_files(&place, output, path);
    /* Another machine with this name may have made the folder just before. */
    if (!error && pinsight_file_folder_path(now, output) && strcmp(now, path) != 0) {
        close(place.fd);
        error = make_place_and_files(&place, output, now);
    }
    if (place.fd != AT_FDCWD)
        close(place.fd);
    *owned = place.owned;
    if (error == EINVAL)
        snprintf(why, room,
                 "%.300s holds what another version of PInsight recorded; choose "
                 "another folder with -o",
                 path);
    else if (error)
        snprintf(why, room, "the trace cannot be written in %.300s: %s", place.path,
                 error == EPERM ? pinsight_not_own(*owned) : strerror(error));
    return error;
}

/* ---- losses ---- */

void pinsight_file_note_why(struct pinsight_control *control, int error) {
    int32_t none = 0;
    __atomic_compare_exchange_n(&control->lost_error, &none, error, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

const char *pinsight_file_why_lost(int error) {
    switch (error) {
    case ENOSPC:
        return "the disk was full";
    case EDQUOT:
        return "the disk quota was used up";
    case EFBIG:
        return "a file had the size that files may have (ulimit -f)";
    case ENOENT:
    case ENOTDIR:
    case ESTALE:
        return "the folder of the trace was removed or renamed";
    case ENOSYS:
        return "the program forbade itself system calls that the recorder needs (seccomp)";
    case EPERM:
        return "another folder stood in the place of the trace's, or others could write to it";
    case EACCES:
    case EROFS:
        return "the process could not write to the folder of the trace";
    case EMFILE:
    case ENFILE:
        return "no descriptor was left";
    case ENXIO:
    case EISDIR:
    case ELOOP:
        return "something else stood in the place of a file of the trace";
    default:
        return strerror(error);
    }
}
