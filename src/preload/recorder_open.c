/*
 * Opening what brings LTTng-UST into the process.
 *
 * LTTng's consumer daemon keeps what a process records in a folder NAME-PID-YYYYMMDD-HHMMSS, with
 * the process's name and the second in which it registered, and overwrites what is there. A process
 * that executes its own program again within a second would lose all that it recorded before. So
 * LTTng-UST, whose threads take over the name of the thread that starts them, is opened under
 * another name there.
 */
#include "preload.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { NAME_SIZE = 16 /* prctl(2), PR_SET_NAME */ };

/* How many folders of this process number the run has: of what it executed before. */
static unsigned traces_of_this(void) {
    const char *output = secure_getenv("PINSIGHT_OUTPUT");
    char path[4096], part[32];
    unsigned count = 0;
    if (!output || snprintf(path, sizeof(path), "%s/ust/pid", output) >= (int)sizeof(path)) {
        return 0;
    }
    snprintf(part, sizeof(part), "-%d-", (int)getpid());
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        count += strstr(entry->d_name, part) != NULL;
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}

void *pinsight_recorder_open(const char *path, int flags) {
    char kept[NAME_SIZE] = "", other[NAME_SIZE + 16];
    unsigned before = traces_of_this();
    if (before > 0 && prctl(PR_GET_NAME, kept) == 0) {
        snprintf(other, sizeof(other), ".%u", before);
        size_t room = NAME_SIZE - 1 - strlen(other);
        snprintf(other, sizeof(other), "%.*s.%u", (int)room, kept, before);
        prctl(PR_SET_NAME, other);
    }
    void *library = dlopen(path, flags);
    if (*kept) {
        prctl(PR_SET_NAME, kept);
    }
    return library;
}
