/* The text file with what a run knows of itself. */
#include "session/run_info.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/paths.h"

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
    KEY(version, KIND_TEXT),       KEY(command, KIND_TEXT),     KEY(session, KIND_TEXT),
    KEY(started, KIND_TEXT),       KEY(config, KIND_TEXT),      KEY(names, KIND_TEXT),
    KEY(openmp, KIND_TEXT),        KEY(libomp, KIND_TEXT),      KEY(thread_blas, KIND_TEXT),
    KEY(openmp_unseen, KIND_TEXT), KEY(events, KIND_TEXT),      KEY(lossless, KIND_FLAG),
    KEY(max_size, KIND_U64),       KEY(ended, KIND_FLAG),       KEY(exit_status, KIND_INT),
    KEY(signal, KIND_INT),         KEY(counted, KIND_FLAG),     KEY(discarded_events, KIND_U64),
    KEY(lost_packets, KIND_U64),   KEY(daemon_died, KIND_FLAG), KEY(consumer_died, KIND_FLAG),
    KEY(incomplete, KIND_FLAG),
#undef KEY
};

static void write_text(FILE *file, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '\n') {
            fputs("\\n", file);
        } else if (*text == '\\') {
            fputs("\\\\", file);
        } else {
            fputc(*text, file);
        }
    }
}

static int write_to(const char *path, const char *mode, const struct pinsight_run_info *info) {
    FILE *file = fopen(path, mode);

    if (file == NULL) {
        return errno;
    }
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        const char *at = (const char *)info + keys[i].offset;
        fprintf(file, "%s ", keys[i].name);
        switch (keys[i].kind) {
        case KIND_TEXT:
            write_text(file, at);
            break;
        case KIND_FLAG:
            fputs(*(const bool *)at ? "yes" : "no", file);
            break;
        case KIND_INT:
            fprintf(file, "%d", *(const int *)at);
            break;
        case KIND_U64:
            fprintf(file, "%" PRIu64, *(const uint64_t *)at);
            break;
        }
        fputc('\n', file);
    }
    int error = fflush(file) != 0 || ferror(file) ? errno : 0;
    if (error == 0 && ftruncate(fileno(file), ftello(file)) != 0) {
        error = errno;
    }
    if (fclose(file) != 0 && error == 0) {
        error = errno;
    }
    return error;
}

int pinsight_run_info_write(const char *output, const struct pinsight_run_info *info) {
    char path[PATH_MAX], fresh[PATH_MAX];

    if (!pinsight_path_join(path, output, PINSIGHT_RUN_INFO_FILE) ||
        !pinsight_path_join(fresh, output, "." PINSIGHT_RUN_INFO_FILE)) {
        return ENAMETOOLONG;
    }
    int error = write_to(fresh, "we", info);
    if (error == 0 && rename(fresh, path) != 0) {
        error = errno;
    }
    if (error != 0) {
        unlink(fresh);
    }
    /* A full disk has no room for a second file, but for this one again, where it lies. */
    return error == ENOSPC || error == EDQUOT ? write_to(path, "r+e", info) : error;
}

static void read_text(char *into, size_t room, const char *value) {
    size_t used = 0;

    for (; *value != '\0' && used + 1 < room; value++) {
        if (*value == '\\' && value[1] != '\0') {
            value++;
            into[used++] = *value == 'n' ? '\n' : *value;
        } else {
            into[used++] = *value;
        }
    }
    into[used] = '\0';
}

bool pinsight_run_info_read(const char *output, struct pinsight_run_info *info) {
    char path[PATH_MAX], line[8400];

    memset(info, 0, sizeof(*info));
    if (!pinsight_path_join(path, output, PINSIGHT_RUN_INFO_FILE)) {
        return false;
    }
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    while (fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *value = strchr(line, ' ');
        if (value == NULL) {
            continue;
        }
        *value++ = '\0';
        for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
            char *at = (char *)info + keys[i].offset;
            if (strcmp(line, keys[i].name) != 0) {
                continue;
            }
            switch (keys[i].kind) {
            case KIND_TEXT:
                read_text(at, keys[i].room, value);
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
    }
    fclose(file);
    return true;
}

static bool is_plain(const char *word) {
    return *word != '\0' && word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789_-+=./:,@%")] == '\0';
}

void pinsight_run_info_quote(char *const *words, char *text, unsigned room) {
    size_t used = 0;

    for (size_t i = 0; words[i] != NULL; i++) {
        const char *parts[] = {i > 0 ? " " : "", is_plain(words[i]) ? "" : "'"};
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
