/* The text file with facts about a run; see run_info.h. */
#include "base/run_info.h"
#include "base/safe_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/no_gil.h"
#include "base/pairs.h"
#include "base/paths.h"
#include "base/plain.h"
#include "base/reported.h"
#include "base/shell.h"

/* The most bytes that are read of a file. A run writes fewer. */
enum { FILE_MAX_BYTES = 1 << 17 };

enum kind { KIND_TEXT, KIND_FLAG, KIND_INT, KIND_U64 };

static const struct key {
    const char *name;
    enum kind kind;
    size_t offset;
    size_t room;
} keys[] = {
#define KEY(name, kind)                                                                            \
    {                                                                                              \
#name, kind, offsetof(struct pinsight_run_info, name),                                     \
            sizeof(((struct pinsight_run_info *)0)->name)                                          \
    }
    KEY(version, KIND_TEXT),      KEY(command, KIND_TEXT),
    KEY(session, KIND_TEXT),      KEY(recorder, KIND_TEXT),
    KEY(started, KIND_TEXT),      KEY(config, KIND_TEXT),
    KEY(names, KIND_TEXT),        KEY(openmp, KIND_TEXT),
    KEY(thread_blas, KIND_TEXT),  KEY(openmp_unseen, KIND_TEXT),
    KEY(events, KIND_TEXT),       KEY(lossless, KIND_FLAG),
    KEY(max_size, KIND_U64),      KEY(one_host, KIND_FLAG),
    KEY(ended, KIND_FLAG),        KEY(exit_status, KIND_INT),
    KEY(signal, KIND_INT),        KEY(wall_ns, KIND_U64),
    KEY(processor_ns, KIND_U64),  KEY(processors, KIND_U64),
    KEY(counted, KIND_FLAG),      KEY(discarded_events, KIND_U64),
    KEY(lost_packets, KIND_U64),  KEY(lost_bytes, KIND_U64),
    KEY(daemon_died, KIND_FLAG),  KEY(consumer_died, KIND_FLAG),
    KEY(incomplete, KIND_FLAG),   KEY(told_to_end, KIND_INT),
    KEY(missing_count, KIND_U64), KEY(missing, KIND_TEXT),
    KEY(running_count, KIND_U64), KEY(running, KIND_TEXT),
    KEY(inner, KIND_TEXT),        KEY(ring, KIND_TEXT),
    KEY(runner, KIND_TEXT),       KEY(processor, KIND_TEXT),
    KEY(budget, KIND_TEXT),       KEY(space_limits, KIND_FLAG),
    KEY(host, KIND_TEXT),         KEY(online, KIND_U64),
#undef KEY
};

/* Returns the whole file as text, which the caller frees; NULL if memory runs out. */
static char *format(const struct pinsight_run_info *info, size_t *length) {
    size_t room = 2 * sizeof(*info) + 4096; /* each byte of a value may need an escape */
    char *text = malloc(room);
    struct pinsight_pairs_writer writer;

    if (text == NULL) {
        return NULL;
    }
    pinsight_pairs_write(&writer, text, room);
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        const char *at = (const char *)info + keys[i].offset;
        switch (keys[i].kind) {
        case KIND_TEXT:
            pinsight_pairs_put(&writer, keys[i].name, "%s", at);
            break;
        case KIND_FLAG:
            pinsight_pairs_put(&writer, keys[i].name, *(const bool *)at ? "yes" : "no");
            break;
        case KIND_INT:
            pinsight_pairs_put(&writer, keys[i].name, "%d", *(const int *)at);
            break;
        case KIND_U64:
            pinsight_pairs_put(&writer, keys[i].name, "%" PRIu64, *(const uint64_t *)at);
            break;
        }
    }
    *length = writer.used;
    return text;
}

/* The mode is 0600, because the command can contain a password. */
static int write_to(int fd, const char *text, size_t length) {
    int error = 0;

    if (fd < 0) {
        return errno;
    }
    for (size_t done = 0; error == 0 && done < length;) {
        ssize_t n = write(fd, text + done, length - done);
        if (n >= 0) {
            done += (size_t)n;
        } else if (errno != EINTR) {
            error = errno;
        }
    }
    if (error == 0 && ftruncate(fd, (off_t)length) != 0) {
        error = errno;
    }
    if (close(fd) != 0 && error == 0) {
        error = errno;
    }
    return error;
}

int pinsight_run_info_write(const char *output, const struct pinsight_run_info *info) {
    char path[PATH_MAX], fresh[PATH_MAX];
    size_t length;

    if (!pinsight_path_join(path, output, PINSIGHT_RUN_INFO_FILE) ||
        !pinsight_path_join(fresh, output, "." PINSIGHT_RUN_INFO_FILE)) {
        return ENAMETOOLONG;
    }
    char *text = format(info, &length);
    if (text == NULL) {
        return ENOMEM;
    }
    unlink(fresh); /* left by a run that was killed */
    int error =
        write_to(pinsight_open_to_write(AT_FDCWD, fresh, O_WRONLY | O_EXCL, 0600), text, length);
    if (error == 0 && rename(fresh, path) != 0) {
        error = errno;
    }
    if (error != 0) {
        unlink(fresh);
    }
    /* A full disk may have no room for a second file. Then the existing file is overwritten in
     * place. */
    if (error == ENOSPC || error == EDQUOT) {
        error =
            write_to(pinsight_open_regular(AT_FDCWD, path, O_WRONLY | O_NOFOLLOW), text, length);
    }
    free(text);
    return error;
}

void pinsight_run_info_update(const char *output, struct pinsight_run_info *info) {
    pinsight_reported_read(output, "other-tool", info->openmp_tool, sizeof(info->openmp_tool));
    pinsight_reported_read(output, "openmp-newer", info->openmp_newer, sizeof(info->openmp_newer));
    info->has_unseen_tasks = pinsight_no_gil_read(output);
    pinsight_plain_read(output, info->plain_missing, sizeof(info->plain_missing));
    pinsight_reported_list(output, "no-python-", info->no_python, sizeof(info->no_python));
    char sentence[64];
    info->is_not_loaded =
        pinsight_reported_read(output, "no-extension", sentence, sizeof(sentence));
    pinsight_plain_read_why(output, info->plain_why, sizeof(info->plain_why));
}

static void set(struct pinsight_run_info *info, const struct key *key, const char *value) {
    char *at = (char *)info + key->offset;

    switch (key->kind) {
    case KIND_TEXT:
        snprintf(at, key->room, "%s", value);
        break;
    case KIND_FLAG:
        *(bool *)at = strcmp(value, "yes") == 0;
        break;
    case KIND_INT:
        *(int *)at = atoi(value);
        break;
    case KIND_U64:
        *(uint64_t *)at = strtoull(value, NULL, 10);
        break;
    }
}

bool pinsight_run_info_read(const char *output, struct pinsight_run_info *info) {
    char path[PATH_MAX], *text = malloc(FILE_MAX_BYTES + 1);
    struct pinsight_pairs_reader reader;
    const char *key, *value;

    memset(info, 0, sizeof(*info));
    errno = text == NULL ? ENOMEM : ENAMETOOLONG;
    FILE *file = text != NULL && pinsight_path_join(path, output, PINSIGHT_RUN_INFO_FILE)
                     ? pinsight_fopen_safely(path)
                     : NULL;
    if (file == NULL) {
        free(text);
        return false;
    }
    pinsight_pairs_read(&reader, text, fread(text, 1, FILE_MAX_BYTES, file));
    fclose(file);
    while (pinsight_pairs_next(&reader, &key, &value)) {
        for (size_t i = 0; *value != '\0' && i < sizeof(keys) / sizeof(*keys); i++) {
            if (strcmp(key, keys[i].name) == 0) {
                set(info, &keys[i], value);
            }
        }
    }
    free(text);
    pinsight_run_info_update(output, info);
    return true;
}

void pinsight_run_info_quote(char *const *words, char *text, unsigned room) {
    size_t used = 0;

    for (size_t i = 0; words[i] != NULL; i++) {
        const char *parts[] = {i > 0 ? " " : "",
                               pinsight_shell_is_plain(words[i], strlen(words[i])) ? "" : "'"};
        for (size_t j = 0; j < 2; j++) {
            if (used + 1 < room && *parts[j] != '\0') {
                text[used++] = *parts[j];
            }
        }
        for (const char *at = words[i]; *at != '\0'; at++) {
            const char *piece = *at == '\'' ? "'\\''" : (char[]){*at, '\0'};
            for (; *piece != '\0' && used + 1 < room; piece++) {
                text[used++] = *piece;
            }
        }
        if (*parts[1] != '\0' && used + 1 < room) {
            text[used++] = '\'';
        }
    }
    text[used < room ? used : room - 1] = '\0';
}

void pinsight_run_info_set_runner(struct pinsight_run_info *info, pid_t pid) {
    struct pinsight_proc process;

    if (pinsight_process_find(pid, &process)) {
        snprintf(info->runner, sizeof(info->runner), "%d %" PRIu64 " %" PRIx64 " %" PRIx64,
                 (int)process.pid, process.start, pinsight_machine_namespace(),
                 pinsight_machine_boot());
    }
}

enum pinsight_runner pinsight_run_info_runner(const struct pinsight_run_info *info) {
    struct pinsight_proc process;
    uint64_t namespace, boot;
    int pid;

    if (sscanf(info->runner, "%d %" SCNu64 " %" SCNx64 " %" SCNx64, &pid, &process.start,
               &namespace, &boot) != 4 ||
        namespace != pinsight_machine_namespace() ||
        pinsight_machines_differ(boot, pinsight_machine_boot())) {
        return PINSIGHT_RUNNER_UNKNOWN;
    }
    process.pid = pid;
    return pinsight_process_alive(&process) ? PINSIGHT_RUNNER_ALIVE : PINSIGHT_RUNNER_GONE;
}
