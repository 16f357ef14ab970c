/* The owner of a piece of Python code: the user, an installed package, the standard library, or a
 * library that made the code at run time. The traced process and the reader use the same rules. */
#ifndef PINSIGHT_BASE_USERS_CODE_H
#define PINSIGHT_BASE_USERS_CODE_H

#include <stdbool.h>

struct pinsight_code_folders; /* base/code_folders.h */

/* Returns whether a source file is the user's, by its name in a code object. The user's patterns
 * decide first, then the folders that the interpreter named. If it named none (NULL or an empty
 * list), the usual names of folders decide. */
bool pinsight_users_file(const struct pinsight_code_folders *folders, const char *file);

/* Returns whether code is the user's, by its file, its module and its qualified name `name`. Code
 * that a library makes at run time has the file "<string>", like the code of `python -c`. The
 * latter runs in the module __main__ and was not made by dataclasses. */
bool pinsight_users_code(const struct pinsight_code_folders *folders, const char *file,
                         const char *module, const char *name);

/* A file name for counts of imports: its functions stand for the import of their module. */
#define PINSIGHT_IMPORT_FILE "<import>"

/* Returns whether a source file belongs to importlib, the interpreter's code that finds and loads
 * modules. */
bool pinsight_importlib_file(const char *file);

#endif
