/* Makes the folder of a trace; see folder.h. */
#include "record/file/folder.h"

#include "base/paths.h"
#include "record/file/metadata.h"
#include "record/stream.h"

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
    return snprintf(path, PATH_MAX, "%s/trace/%s", output, host) < PATH_MAX - 64;
}

/* Whether the kernel itself keeps time by the processor's counter, and lets programs read it. */
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

/* Writes a file under another name first, so that whoever sees it sees all of it. EEXIST: another
 * was first. */
static int put_file(const char *folder, const char *name, const void *bytes, size_t size) {
    char path[PATH_MAX], draft[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path ||
        snprintf(draft, sizeof draft, "%s/.%s-%d", folder, name, (int)getpid()) >=
            (int)sizeof draft)
        return ENAMETOOLONG;
    int fd = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
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
    if (!error && link(draft, path) != 0)
        error = errno;
    unlink(draft);
    return error;
}

static int make_control(const char *folder) {
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
    if (getrandom(control->uuid, sizeof control->uuid, 0) != sizeof control->uuid)
        return errno;
    control->uuid[6] = (uint8_t)((control->uuid[6] & 0x0f) | 0x40); /* RFC 4122, 4.4 */
    control->uuid[8] = (uint8_t)((control->uuid[8] & 0x3f) | 0x80);
    pinsight_file_clocks(&control->first, control->has_counter);
    /* A first idea of the counter's rate; the end of the trace corrects it. */
    do
        pinsight_file_clocks(&now, control->has_counter);
    while (now.monotonic - control->first.monotonic < 200000);
    control->last = now;
    control->last_check = now.ticks + now.monotonic + now.real;
    return put_file(folder, ".control", &made, sizeof made);
}

struct pinsight_control *pinsight_file_control_map(const char *folder) {
    char path[PATH_MAX];
    struct stat status;
    if (snprintf(path, sizeof path, "%s/.control", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return NULL;
    struct pinsight_control *control = MAP_FAILED;
    errno = EINVAL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size == PINSIGHT_CONTROL_BYTES)
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

bool pinsight_file_control_read(const char *folder, struct pinsight_control *control) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/.control", folder) >= (int)sizeof path)
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool is_known = fd >= 0 && pread(fd, control, sizeof *control, 0) == sizeof *control &&
                    control->magic == PINSIGHT_CONTROL_MAGIC &&
                    control->version == PINSIGHT_FOLDER_VERSION;
    if (fd >= 0)
        close(fd);
    return is_known;
}

static int make_metadata(const char *folder, const struct pinsight_control *control) {
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

int pinsight_file_folder_make(const char *output, char *why, size_t room) {
    char folder[PATH_MAX], metadata[PATH_MAX];
    if (!pinsight_file_folder_path(folder, output)) {
        snprintf(why, room, "the path of the trace is too long: %.200s", output);
        return ENAMETOOLONG;
    }
    int error = pinsight_path_make(folder, 0700);
    struct pinsight_control *control = error ? NULL : pinsight_file_control_map(folder);
    if (!error && !control) {
        error = errno == ENOENT ? make_control(folder) : errno;
        if (!error || error == EEXIST) {
            control = pinsight_file_control_map(folder);
            error = control ? 0 : errno;
        }
    }
    if (control &&
        snprintf(metadata, sizeof metadata, "%s/metadata", folder) < (int)sizeof metadata &&
        access(metadata, F_OK) != 0) {
        error = make_metadata(folder, control);
        if (error == EEXIST)
            error = 0;
    }
    if (control)
        munmap(control, PINSIGHT_CONTROL_BYTES);
    if (error == EINVAL)
        snprintf(why, room,
                 "%.300s holds what another version of PInsight recorded; choose "
                 "another folder with -o",
                 folder);
    else if (error)
        snprintf(why, room, "the trace cannot be written in %.300s: %s", folder, strerror(error));
    return error;
}
