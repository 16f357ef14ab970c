/* The folders and files that an interpreter named as those of libraries, or as the user's. The
 * traced process fills them in at its start, and the reader from what the process recorded. */
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
    char *path; /* without a slash at its end; of a file, too */
    size_t length;
    enum pinsight_code_owner owner;
};

struct pinsight_code_folders {
    struct pinsight_code_folder *all;
    size_t count;
};

/* More are not kept. */
#define PINSIGHT_CODE_FOLDERS_MOST 1024

/* Adds each line of a text as a path. What is there already is not added again, and a library's
 * that becomes the user's is the user's. Leaves the rest out where memory is short. Not
 * thread-safe. */
void pinsight_code_folders_add(struct pinsight_code_folders *folders, const char *paths,
                               enum pinsight_code_owner owner);

/* Whose a source file is: that of the deepest folder which it is in, or which it is itself ("x" is
 * "x.py", too). *length is that folder's length. Safe beside others that only ask. */
enum pinsight_code_owner pinsight_code_folders_find(const struct pinsight_code_folders *folders,
                                                    const char *file, size_t *length);

/* The paths of an owner, a line each, without the last line's end; cut at a whole line where there
 * is no room. */
void pinsight_code_folders_text(const struct pinsight_code_folders *folders,
                                enum pinsight_code_owner owner, char *text, size_t room);

void pinsight_code_folders_free(struct pinsight_code_folders *folders);

#endif
