/* Runs below a folder; see runs.h. */
#include "reader/ctf/runs.h"

#include "base/memory.h"
#include "base/order.h"
#include "base/run_info.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEEPEST 2
/* The most runs that a message names. */
#define NAMED 5

struct runs {
    char **folders;
    size_t count, capacity;
};

static void free_runs(struct runs *runs) {
    for (size_t i = 0; i < runs->count; i++)
        free(runs->folders[i]);
    free(runs->folders);
}

static bool has(const char *folder, const char *name) {
    char *path = pinsight_format("%s/%s", folder, name);
    bool there = access(path, F_OK) == 0;

    free(path);
    return there;
}

bool pinsight_is_run(const char *folder) {
    return has(folder, PINSIGHT_RUN_INFO_FILE);
}

/* Returns whether a folder is a trace, or a part of one that LTTng or a process writes. */
static bool is_trace(const char *folder) {
    static const char *const names[] = {"metadata", "ust", "kernel", "archives", ".control"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (has(folder, names[i]))
            return true;
    return false;
}

static void look_into(const char *folder, int depth, struct runs *runs) {
    DIR *dir = opendir(folder);
    struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        struct stat st;
        char *path;

        if (entry->d_name[0] == '.' || (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
            continue;
        path = pinsight_format("%s/%s", folder, entry->d_name);
        if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
            if (pinsight_is_run(path)) {
                *PINSIGHT_ADD(runs->folders, runs->count, runs->capacity) = pinsight_strdup(path);
            } else if (depth < DEEPEST) {
                look_into(path, depth + 1, runs);
            }
        }
        free(path);
    }
    if (dir)
        closedir(dir);
}

/* Returns whether all runs are hosts of one job: in one folder, with one command. */
static bool is_one_job(const struct runs *runs) {
    struct pinsight_run_info first, other;
    size_t parent;

    if (!pinsight_run_info_read(runs->folders[0], &first))
        return false;
    parent = (size_t)(strrchr(runs->folders[0], '/') - runs->folders[0]) + 1;
    for (size_t i = 0; i < runs->count; i++)
        if (!pinsight_run_info_read(runs->folders[i], &other) || !other.one_host ||
            strcmp(first.command, other.command) != 0 ||
            strncmp(runs->folders[0], runs->folders[i], parent) != 0 ||
            strchr(runs->folders[i] + parent, '/'))
            return false;
    return true;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *name_them(const char *path, const struct runs *runs) {
    char *text =
        pinsight_format("%s has the traces of %zu runs; give one of them: ", path, runs->count);

    for (size_t i = 0; i < runs->count && i < NAMED; i++)
        pinsight_append(&text, "%s%s", i ? ", " : "", runs->folders[i]);
    if (runs->count > NAMED)
        pinsight_append(&text, ", and %zu more", runs->count - NAMED);
    return text;
}

char *pinsight_runs_choose(const char *path, bool *known, char **problem) {
    struct runs runs = {0};
    char *chosen = NULL;

    *known = pinsight_is_run(path) || is_trace(path);
    if (!*known)
        look_into(path, 1, &runs);
    *known |= runs.count != 0;
    if (runs.count)
        PINSIGHT_SORT(runs.folders, runs.count, by_name);
    if (runs.count == 1)
        chosen = pinsight_strdup(runs.folders[0]);
    else if (!runs.count || is_one_job(&runs))
        chosen = pinsight_strdup(path);
    else
        *problem = name_them(path, &runs);
    free_runs(&runs);
    return chosen;
}

/* The time of a run: its start, and the last change of its file. */
struct run_moment {
    char started[sizeof(((struct pinsight_run_info *)0)->started)]; /* sorts as text */
    struct timespec written;
};

/* Gets the time of a run. Returns false if the run's file cannot be read. */
static bool moment_of(const char *folder, struct run_moment *moment) {
    struct pinsight_run_info run;
    struct stat st;
    char *path = pinsight_format("%s/%s", folder, PINSIGHT_RUN_INFO_FILE);
    bool good = stat(path, &st) == 0 && pinsight_run_info_read(folder, &run);

    free(path);
    if (good) {
        memcpy(moment->started, run.started, sizeof(moment->started));
        moment->written = st.st_mtim;
    }
    return good;
}

static bool is_later(const struct run_moment *a, const struct run_moment *b) {
    int order = strcmp(a->started, b->started);

    if (order == 0 && a->written.tv_sec != b->written.tv_sec)
        return a->written.tv_sec > b->written.tv_sec;
    return order != 0 ? order > 0 : a->written.tv_nsec > b->written.tv_nsec;
}

/* Gets the time of a folder: that of its run, or of the job whose hosts are in it. */
static bool look_at_one(const char *folder, struct run_moment *moment) {
    struct runs hosts = {0};
    struct run_moment other;
    bool good;

    if (pinsight_is_run(folder))
        return moment_of(folder, moment);
    look_into(folder, DEEPEST, &hosts);
    good = hosts.count && is_one_job(&hosts) && moment_of(hosts.folders[0], moment);
    for (size_t i = 1; good && i < hosts.count; i++)
        if (moment_of(hosts.folders[i], &other) && is_later(&other, moment))
            *moment = other;
    free_runs(&hosts);
    return good;
}

char *pinsight_runs_newest(const char *path, size_t *count) {
    struct run_moment newest = {0}, moment;
    DIR *dir = opendir(path);
    struct dirent *entry;
    char *found = NULL;

    *count = 0;
    if (pinsight_is_run(path)) {
        *count = 1;
        found = pinsight_strdup(path);
    }
    while (!pinsight_is_run(path) && dir && (entry = readdir(dir))) {
        char *folder;

        if (entry->d_name[0] == '.' || (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
            continue;
        folder = strcmp(path, ".") ? pinsight_format("%s/%s", path, entry->d_name)
                                   : pinsight_strdup(entry->d_name);
        if (look_at_one(folder, &moment)) {
            bool later = !found || is_later(&moment, &newest);

            ++*count;
            if (later)
                newest = moment;
            free(later ? found : folder);
            found = later ? folder : found;
        } else {
            free(folder);
        }
    }
    if (dir)
        closedir(dir);
    return found;
}
