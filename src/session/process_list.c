/* The processes that asked to join a run's session; see process_list.h. */
#include "session/process_list.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/paths.h"
#include "base/process.h"
#include "base/safe_files.h"

enum {
    FOLDERS_OPEN = 8,
    /* for a process that ends with the command, for example multiprocessing's own */
    ENDING_MS = 500,
    NAMED_MAX = 8, /* further processes are counted */
    LINE_MAX_SIZE = PATH_MAX + 32,
};

static const char list_file[] = "pinsight-processes.txt";

struct list_entry {
    int pid;
    struct pinsight_proc here;
    char name[32];
    size_t line;
    bool seen;        /* it is in the trace */
    bool is_unlisted; /* it has not come, and runs */
};

struct list {
    struct list_entry *entries;
    size_t count;
    char inner[sizeof(((struct pinsight_run_info *)0)->inner)];
};

int pinsight_process_list_open(const char *output) {
    char path[PATH_MAX];

    return pinsight_path_join(path, output, list_file)
               ? pinsight_open_to_write(AT_FDCWD, path, O_WRONLY | O_APPEND, 0600)
               : -1;
}

void pinsight_process_list_remove(const char *output) {
    char path[PATH_MAX];

    if (pinsight_path_join(path, output, list_file)) {
        unlink(path);
    }
}

static void write_line(int list, const char *line, int length) {
    if (list >= 0 && length > 0 && length < LINE_MAX_SIZE) {
        ssize_t wrote = write(list, line, (size_t)length); /* one write, so that lines do not mix */
        (void)wrote;
    }
}

void pinsight_process_list_note(int list, pid_t pid, pid_t here) {
    struct pinsight_proc process = {0, 0};
    char line[LINE_MAX_SIZE], name[32] = "?";

    if (pinsight_process_find(here, &process)) {
        pinsight_process_name(here, name, sizeof(name));
        for (char *at = name; *at != '\0'; at++) {
            *at = isgraph((unsigned char)*at) ? *at : '_';
        }
    }
    write_line(list, line,
               snprintf(line, sizeof(line), "process %d %d %" PRIu64 " %s\n", (int)pid,
                        (int)process.pid, process.start, name));
}

void pinsight_process_list_note_run(const char *outer, const char *output) {
    char path[PATH_MAX], line[LINE_MAX_SIZE];

    if (outer != NULL && outer[0] == '/' && strchr(output, '\n') == NULL &&
        pinsight_path_join(path, outer, list_file)) {
        /* Does not make the file: a run without its list has ended. */
        int list = pinsight_open_regular(AT_FDCWD, path, O_WRONLY | O_APPEND | O_NOFOLLOW);
        write_line(list, line, snprintf(line, sizeof(line), "run %s\n", output));
        if (list >= 0) {
            close(list);
        }
    }
}

static int by_pid(const void *left, const void *right) {
    const struct list_entry *a = left, *b = right;

    return a->pid < b->pid ? -1 : a->pid > b->pid;
}

static int by_pid_and_line(const void *left, const void *right) {
    const struct list_entry *a = left, *b = right;
    int order = by_pid(left, right);

    return order != 0 ? order : a->line < b->line ? -1 : a->line > b->line;
}

static void add(struct list *list, size_t *room, const struct list_entry *entry) {
    if (list->count == *room) {
        size_t wanted = *room > 0 ? 2 * *room : 64;
        struct list_entry *more = realloc(list->entries, wanted * sizeof(*more));
        if (more == NULL) {
            return;
        }
        list->entries = more;
        *room = wanted;
    }
    list->entries[list->count] = *entry;
    list->entries[list->count].line = list->count;
    list->count++;
}

/* Keeps the last line of each process, which may have executed another program since its first. */
static void keep_last_lines(struct list *list) {
    size_t kept = 0;

    for (size_t i = 0; i < list->count; i++) {
        if (kept > 0 && list->entries[kept - 1].pid == list->entries[i].pid) {
            kept--;
        }
        list->entries[kept++] = list->entries[i];
    }
    list->count = kept;
}

static void read_list(struct list *list, size_t *room, const char *path) {
    char line[LINE_MAX_SIZE];
    FILE *file = pinsight_fopen_safely(path);

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        struct list_entry entry;
        memset(&entry, 0, sizeof(entry));
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "process %d %d %" SCNu64 " %31s", &entry.pid, &entry.here.pid,
                   &entry.here.start, entry.name) == 4) {
            add(list, room, &entry);
        } else if (strncmp(line, "run ", 4) == 0 && strstr(list->inner, line + 4) == NULL) {
            size_t used = strlen(list->inner), length = strlen(line + 4);
            if (used + length + 3 > sizeof(list->inner)) {
                continue;
            }
            if (used > 0) {
                strcat(list->inner, ", ");
            }
            strcat(list->inner, line + 4);
            for (char *at = list->inner + used; *at != '\0'; at++) {
                *at = iscntrl((unsigned char)*at) ? '?' : *at;
            }
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

static struct list *walked;

/* Returns the process number in the name of a process's folder in the trace,
 * NAME-PID-YYYYMMDD-HHMMSS. */
static int pid_of_folder(const char *name) {
    const char *at = name + strlen(name);

    for (int dashes = 0; at > name; at--) {
        if (*at == '-' && ++dashes == 3) {
            return atoi(at + 1);
        }
    }
    return 0;
}

/* Returns whether a description (CTF metadata) has events of PInsight. A process that did not
 * complete its registration has a description without them, and its data cannot be read. */
static bool tells_of_events(const char *path) {
    static const char wanted[] = "\"pinsight_lttng_ust:process_info\"";
    char block[16384 + sizeof(wanted)];
    size_t kept = 0, n;
    bool found = false;
    FILE *file = pinsight_fopen_safely(path);

    /* The end of a block, which may be the begin of the words, is searched again with the next
     * block. */
    while (file != NULL && !found && (n = fread(block + kept, 1, 16384, file)) > 0) {
        found = memmem(block, kept + n, wanted, sizeof(wanted) - 1) != NULL;
        size_t keep = kept + n < sizeof(wanted) - 2 ? kept + n : sizeof(wanted) - 2;
        memmove(block, block + kept + n - keep, keep);
        kept = keep;
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

static int mark_seen(const char *path, const struct stat *about, int type, struct FTW *where) {
    char folder[PATH_MAX];
    struct list_entry wanted;

    (void)about;
    if (type != FTW_F || strcmp(path + where->base, "metadata") != 0 || where->base < 2 ||
        walked->count == 0) {
        return 0;
    }
    snprintf(folder, sizeof(folder), "%.*s", where->base - 1, path);
    const char *slash = strrchr(folder, '/');
    wanted.pid = slash != NULL ? pid_of_folder(slash + 1) : 0;
    struct list_entry *found =
        bsearch(&wanted, walked->entries, walked->count, sizeof(*walked->entries), by_pid);
    if (found != NULL && tells_of_events(path)) {
        found->seen = true;
    }
    return 0;
}

static void name(char *text, size_t room, const struct list_entry *entry, uint64_t number) {
    size_t used = strlen(text);

    if (number <= NAMED_MAX) {
        snprintf(text + used, room - used, "%s%d (%s)", used > 0 ? ", " : "", entry->pid,
                 entry->name);
    } else if (number == NAMED_MAX + 1) {
        snprintf(text + used, room - used, ", ...");
    }
}

static bool any_alive(const struct list *list) {
    for (size_t i = 0; i < list->count; i++) {
        if (pinsight_process_alive(&list->entries[i].here)) {
            return true;
        }
    }
    return false;
}

static bool is_python(pid_t pid) {
    char link[64], path[PATH_MAX];

    snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
    ssize_t n = readlink(link, path, sizeof(path) - 1);
    path[n > 0 ? n : 0] = '\0';
    const char *slash = strrchr(path, '/');
    return slash != NULL && strncmp(slash + 1, "python", 6) == 0;
}

/* Returns whether a process has the environment of the run's command. */
static bool is_of_session(pid_t pid, const char *session) {
    char path[64], wanted[256], *variable = NULL;
    size_t room = 0;
    bool found = false;

    snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
    snprintf(wanted, sizeof(wanted), "PINSIGHT_SESSION=%.200s", session);
    FILE *file = fopen(path, "re"); /* fails for another user's process */
    while (file != NULL && !found && getdelim(&variable, &room, '\0', file) > 0) {
        found = strcmp(variable, wanted) == 0;
    }
    free(variable);
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

/* Finds running Pythons of the command that have not joined (yet). They are not recorded. */
static void find_unlisted(struct list *list, size_t *room, const char *session) {
    DIR *folder = opendir("/proc");

    for (struct dirent *file; folder != NULL && (file = readdir(folder)) != NULL;) {
        struct list_entry entry;
        memset(&entry, 0, sizeof(entry));
        entry.pid = atoi(file->d_name);
        if (entry.pid > 0 && is_python(entry.pid) && is_of_session(entry.pid, session) &&
            pinsight_process_find(entry.pid, &entry.here)) {
            bool known = false;
            for (size_t i = 0; i < list->count && !known; i++) {
                known = list->entries[i].here.pid == entry.pid;
            }
            if (!known) {
                snprintf(entry.name, sizeof(entry.name), "python");
                entry.is_unlisted = true;
                add(list, room, &entry);
            }
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

void pinsight_process_list_evaluate(const char *output, struct pinsight_run_info *info) {
    size_t room = 0;
    struct list list = {NULL, 0, ""};
    int64_t until = pinsight_now_ms() + ENDING_MS;
    char path[PATH_MAX];

    if (!pinsight_path_join(path, output, list_file)) {
        return;
    }
    read_list(&list, &room, path);
    unlink(path);
    if (list.count > 0) {
        qsort(list.entries, list.count, sizeof(*list.entries), by_pid_and_line);
        keep_last_lines(&list);
        walked = &list;
        nftw(output, mark_seen, FOLDERS_OPEN, FTW_PHYS);
    }
    find_unlisted(&list, &room, info->session);
    while (any_alive(&list) && pinsight_now_ms() < until) {
        pinsight_sleep_ms(10);
    }
    info->missing[0] = info->running[0] = '\0';
    info->missing_count = info->running_count = 0;
    for (size_t i = 0; i < list.count; i++) {
        if (!list.entries[i].seen && !list.entries[i].is_unlisted) {
            name(info->missing, sizeof(info->missing), &list.entries[i], ++info->missing_count);
        }
        if (pinsight_process_alive(&list.entries[i].here)) {
            name(info->running, sizeof(info->running), &list.entries[i], ++info->running_count);
        }
    }
    snprintf(info->inner, sizeof(info->inner), "%s", list.inner);
    free(list.entries);
}

void pinsight_process_list_evaluate_runs(const char *output, struct pinsight_run_info *info) {
    size_t room = 0;
    struct list list = {NULL, 0, ""};
    char path[PATH_MAX];

    if (pinsight_path_join(path, output, list_file)) {
        read_list(&list, &room, path);
        unlink(path);
        snprintf(info->inner, sizeof(info->inner), "%s", list.inner);
        free(list.entries);
    }
}
