/* The kept floating-point peak of a processor; see peak.h. */
#include "base/peak.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/pairs.h"
#include "base/paths.h"
#include "base/safe_files.h"

enum { FILE_MAX_BYTES = 4096 };

/* Appends the value of a line of /proc/cpuinfo, "model name\t: TEXT", if its key is wanted. */
static void take(const char *line, const char *key, char *text, size_t room) {
    const char *colon = strchr(line, ':');
    size_t length = strlen(key), used = strlen(text);

    if (colon == NULL || strncmp(line, key, length) != 0 || strspn(line + length, "\t ") == 0 ||
        line + length + strspn(line + length, "\t ") != colon) {
        return;
    }
    colon += 1 + strspn(colon + 1, " ");
    snprintf(text + used, room - used, "%s%.*s", used > 0 ? " " : "", (int)strcspn(colon, "\n"),
             colon);
}

/* Of Arm's processors, the kernel has numbers only. A machine may have several; the first counts.
 */
void pinsight_processor_model(char *text, size_t room) {
    static const char *const arm[] = {"CPU implementer", "CPU variant", "CPU part"};
    char line[1024], numbers[64] = "";
    struct utsname machine;
    FILE *file = pinsight_open_to_read("/proc/cpuinfo");

    *text = '\0';
    while (file != NULL && *text == '\0' && fgets(line, sizeof(line), file) != NULL) {
        take(line, "model name", text, room);
        take(line, "cpu", text, room); /* of POWER */
        for (size_t i = 0; i < sizeof(arm) / sizeof(*arm); i++) {
            take(line, arm[i], numbers, sizeof(numbers));
        }
        if (*text == '\0' && *line == '\n' && *numbers != '\0') {
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    if (*text == '\0' && uname(&machine) == 0) {
        snprintf(text, room, "%.32s%s%s", machine.machine, *numbers != '\0' ? " " : "", numbers);
    }
}

bool pinsight_peak_path(const char *processor, char path[PATH_MAX]) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    bool is_own = cache != NULL && *cache == '/';
    int length;

    if (!is_own && (home == NULL || *home != '/')) {
        return false;
    }
    for (const char *at = processor; *at != '\0'; at++) {
        hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
    }
    length = snprintf(path, PATH_MAX, "%s%s/pinsight/peak-%016" PRIx64 ".txt",
                      is_own ? cache : home, is_own ? "" : "/.cache", hash);
    return length > 0 && length < PATH_MAX;
}

static const struct peak_key {
    const char *name;
    size_t offset;
} keys[] = {
    {"processors", offsetof(struct pinsight_peak, processors)},
    {"double_one_mflops", offsetof(struct pinsight_peak, one_mflops[PINSIGHT_DOUBLE])},
    {"double_all_mflops", offsetof(struct pinsight_peak, all_mflops[PINSIGHT_DOUBLE])},
    {"single_one_mflops", offsetof(struct pinsight_peak, one_mflops[PINSIGHT_SINGLE])},
    {"single_all_mflops", offsetof(struct pinsight_peak, all_mflops[PINSIGHT_SINGLE])},
};
#define KEYS (sizeof(keys) / sizeof(*keys))

static uint64_t *number(const struct pinsight_peak *peak, size_t key) {
    return (uint64_t *)((char *)peak + keys[key].offset);
}

static int write_file(const char *path, const char *text, size_t length) {
    int fd = pinsight_open_to_write(AT_FDCWD, path, O_WRONLY | O_TRUNC, 0666);
    int error = fd < 0 ? errno : 0;

    if (error == 0 && write(fd, text, length) != (ssize_t)length) {
        error = errno != 0 ? errno : ENOSPC;
    }
    if (fd >= 0 && close(fd) != 0 && error == 0) {
        error = errno;
    }
    return error;
}

int pinsight_peak_keep(const struct pinsight_peak *peak) {
    char path[PATH_MAX], folder[PATH_MAX], fresh[PATH_MAX + 16], text[FILE_MAX_BYTES];
    struct pinsight_pairs_writer writer;
    int error;

    if (!pinsight_peak_path(peak->processor, path)) {
        return ENOENT;
    }
    pinsight_pairs_write(&writer, text, sizeof(text));
    pinsight_pairs_put(&writer, "processor", "%s", peak->processor);
    for (size_t i = 0; i < KEYS; i++) {
        pinsight_pairs_put(&writer, keys[i].name, "%" PRIu64, *number(peak, i));
    }
    snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
    error = pinsight_path_make(folder, 0700);
    snprintf(fresh, sizeof(fresh), "%s.%d", path, (int)getpid());
    error = error != 0 ? error : write_file(fresh, text, writer.used);
    if (error == 0 && rename(fresh, path) != 0) {
        error = errno;
    }
    if (error != 0) {
        unlink(fresh);
    }
    return error;
}

bool pinsight_peak_find(const char *processor, struct pinsight_peak *peak) {
    char path[PATH_MAX], text[FILE_MAX_BYTES + 1];
    struct pinsight_pairs_reader reader;
    const char *key, *value;
    bool good = true;
    FILE *file = *processor != '\0' && pinsight_peak_path(processor, path)
                     ? pinsight_fopen_safely(path)
                     : NULL;

    memset(peak, 0, sizeof(*peak));
    if (file == NULL) {
        return false;
    }
    pinsight_pairs_read(&reader, text, fread(text, 1, FILE_MAX_BYTES, file));
    fclose(file);
    while (pinsight_pairs_next(&reader, &key, &value)) {
        if (strcmp(key, "processor") == 0) {
            snprintf(peak->processor, sizeof(peak->processor), "%s", value);
        }
        for (size_t i = 0; i < KEYS; i++) {
            if (strcmp(key, keys[i].name) == 0) {
                *number(peak, i) = strtoull(value, NULL, 10);
            }
        }
    }
    for (size_t i = 0; i < KEYS; i++) {
        good = good && *number(peak, i) > 0;
    }
    return good && strcmp(peak->processor, processor) == 0;
}

double pinsight_peak_of(const struct pinsight_peak *peak, enum pinsight_precision precision,
                        uint64_t threads) {
    double one = (double)peak->one_mflops[precision], all = (double)peak->all_mflops[precision];
    double some = one * (double)threads;

    return (threads == 0 || threads >= peak->processors || some > all ? all : some) / 1e3;
}
