/* The processes' counts of a run; see counts.h. */
#include "reader/ctf/counts.h"

#include "base/memory.h"
#include "base/safe_files.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The limits of a run's file. A larger file is not PInsight's. */
#define MOST_LINES 16384
#define MOST_BYTES (MOST_LINES * 64)

/* Reads the file of a folder into `run`. Returns false if there is none. */
static bool read_file(struct pinsight_counts_read *run, const char *folder) {
    char *path = pinsight_format("%s/pinsight-counts.txt", folder);
    int fd = pinsight_open_regular(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW);
    struct stat st;
    FILE *text = NULL;
    char line[128];

    free(path);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size <= MOST_BYTES)
        text = fdopen(fd, "r");
    if (!text) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    run->folder = pinsight_strdup(folder);
    while (run->count < MOST_LINES && fgets(line, sizeof(line), text)) {
        struct pinsight_counts_line count = {0};
        unsigned whole;

        if (sscanf(line, "%" SCNu32 " %" SCNd64 " %" SCNu64 " %u", &count.number, &count.pid,
                   &count.events, &whole) != 4 ||
            !count.number || count.pid <= 0 || whole > 1)
            continue;
        count.whole = whole;
        *PINSIGHT_ADD(run->lines, run->count, run->capacity) = count;
    }
    fclose(text);
    return true;
}

/* Returns whether a folder is `top` or below it. */
static bool is_in(const char *folder, const char *top) {
    size_t length = strlen(top);

    return strncmp(folder, top, length) == 0 && (folder[length] == '/' || folder[length] == '\0');
}

struct pinsight_counts_read *pinsight_counts_of(struct pinsight_counts_list *list, const char *top,
                                                const char *folder) {
    struct pinsight_counts_read run = {0}, *found = NULL;
    char *at = pinsight_strdup(folder);

    for (size_t i = 0; i < list->count && !found; i++)
        if (is_in(folder, list->runs[i].folder))
            found = &list->runs[i];
    while (!found && !run.folder && is_in(at, top) && !read_file(&run, at)) {
        char *slash = strrchr(at, '/');

        if (!slash)
            break;
        *slash = '\0';
    }
    free(at);
    if (run.folder) {
        list->runs = pinsight_grow(list->runs, list->count, &list->capacity, sizeof(*list->runs));
        list->runs[list->count] = run;
        found = &list->runs[list->count++];
    }
    return found;
}

struct pinsight_counts_line *pinsight_counts_find(struct pinsight_counts_read *run, uint32_t number,
                                                  int64_t pid) {
    /* The lines are usually in the order of their numbers, one for each. */
    struct pinsight_counts_line *line =
        number && number <= run->count ? &run->lines[number - 1] : NULL;

    for (size_t i = 0; (!line || line->number != number) && i < run->count; i++)
        line = &run->lines[i];
    return line && line->number == number && line->pid == pid ? line : NULL;
}

void pinsight_counts_clear(struct pinsight_counts_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->runs[i].folder);
        free(list->runs[i].lines);
    }
    free(list->runs);
    *list = (struct pinsight_counts_list){0};
}
