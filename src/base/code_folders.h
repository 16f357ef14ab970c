/* The folders and files that an interpreter named as belonging to libraries or to the user. The
 * traced process fills the list at its start. The reader fills it from the recorded events. */
#ifndef PINSIGHT_BASE_CODE_FOLDERS_H
#define PINSIGHT_BASE_CODE_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

enum pinsight_code_owner { PINSIGHT_CODE_UNKNOWN, PINSIGHT_CODE_OF_LIBRARY, PINSIGHT_CODE_OF_USER };

struct pinsight_code_folder {
    char *path; /* without a slash at its end, even for a file */
    size_t length;
    enum pinsight_code_owner owner;
};

/* The user's patterns for code of the user. A pattern with a slash or the suffix .py is of files,
 * any other is of modules and their submodules. A pattern may have wildcards. Patterns with "+" add
 * to the code that folders give to the user. Any other pattern replaces the folders. */
struct pinsight_code_patterns {
    char **all; /* without the "+" */
    size_t count;
    bool alone; /* the patterns replace the folders */
    bool final; /* later patterns are ignored */
};

struct pinsight_code_folders {
    struct pinsight_code_folder *all;
    size_t count;
    struct pinsight_code_patterns mine;
};

/* The most folders that a list keeps. */
#define PINSIGHT_CODE_FOLDERS_MOST 1024

/* Adds each line of `paths` as a path. A line of the user's that begins with "?" is a pattern. A
 * path that is already in the list is not added again; if the user owns it now, its owner changes
 * from library to user. If memory runs out, the remaining paths are left out. Not thread-safe. */
void pinsight_code_folders_add(struct pinsight_code_folders *folders, const char *paths,
                               enum pinsight_code_owner owner);

/* Returns the owner of a source file: the owner of the deepest folder or file in the list that
 * contains it. An entry "x" also stands for "x.py". Sets *length to the length of that entry. Safe
 * beside other readers. */
enum pinsight_code_owner pinsight_code_folders_find(const struct pinsight_code_folders *folders,
                                                    const char *file, size_t *length);

/* Adds a list of patterns, which commas or newlines separate. Not thread-safe. */
void pinsight_code_folders_mine(struct pinsight_code_folders *folders, const char *patterns);

/* Returns whether a pattern fits a file or its module. `module` is NULL if it is unknown. */
bool pinsight_code_patterns_fit(const struct pinsight_code_patterns *patterns, const char *file,
                                const char *module);

/* Writes the paths of an owner to `text`, one a line, without a newline at the end. The user's
 * patterns stand before the user's paths. Leaves out whole lines that do not fit into `room`
 * bytes. */
void pinsight_code_folders_text(const struct pinsight_code_folders *folders,
                                enum pinsight_code_owner owner, char *text, size_t room);

void pinsight_code_folders_free(struct pinsight_code_folders *folders);

#endif
