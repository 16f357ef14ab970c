/* The folders and files that an interpreter named as belonging to libraries or to the user. The
 * traced process fills the list at its start. The reader fills it from the recorded events. */
#ifndef PINSIGHT_BASE_CODE_FOLDERS_H
#define PINSIGHT_BASE_CODE_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

enum pinsight_code_owner {
    PINSIGHT_CODE_OF_NOBODY,
    PINSIGHT_CODE_OF_LIBRARY,
    PINSIGHT_CODE_OF_USER
};

struct pinsight_code_folder {
    char *path; /* without a slash at its end, even for a file */
    size_t length;
    enum pinsight_code_owner owner;
};

struct pinsight_code_folders {
    struct pinsight_code_folder *all;
    size_t count;
};

/* The most folders that a list keeps. */
#define PINSIGHT_CODE_FOLDERS_MOST 1024

/* Adds each line of `paths` as a path. A path that is already in the list is not added again; if
 * the user owns it now, its owner changes from library to user. If memory runs out, the remaining
 * paths are left out. Not thread-safe. */
void pinsight_code_folders_add(struct pinsight_code_folders *folders, const char *paths,
                               enum pinsight_code_owner owner);

/* Returns the owner of a source file: the owner of the deepest folder or file in the list that
 * contains it. An entry "x" also stands for "x.py". Sets *length to the length of that entry. Safe
 * beside other readers. */
enum pinsight_code_owner pinsight_code_folders_find(const struct pinsight_code_folders *folders,
                                                    const char *file, size_t *length);

/* Writes the paths of an owner to `text`, one a line, without a newline at the end. Leaves out
 * whole lines that do not fit into `room` bytes. */
void pinsight_code_folders_text(const struct pinsight_code_folders *folders,
                                enum pinsight_code_owner owner, char *text, size_t room);

void pinsight_code_folders_free(struct pinsight_code_folders *folders);

#endif
