/* Whose a piece of Python code is: the user's, or that of an installed package, of the standard
 * library, or of code that some library made. The traced process and the reader ask the same. */
#ifndef PINSIGHT_BASE_USERS_CODE_H
#define PINSIGHT_BASE_USERS_CODE_H

#include <stdbool.h>

struct pinsight_code_folders; /* base/code_folders.h */

/* Whether a source file, as a code object names it, is the user's: by the folders that the
 * interpreter named, and by the usual names of folders where it named none (NULL, or empty). */
bool pinsight_users_file(const struct pinsight_code_folders *folders, const char *file);

/* Whether code of that file, which runs in the module of that name, is the user's; `name` is its
 * qualified name. Code that a library makes while the program runs has the file "<string>", as what
 * `python -c` runs has: that one is of the module __main__, and is not what dataclasses makes. */
bool pinsight_users_code(const struct pinsight_code_folders *folders, const char *file,
                         const char *module, const char *name);

/* In place of a file: functions of this one stand for the import of the module that they are of,
 * where imports are counted. */
#define PINSIGHT_IMPORT_FILE "<import>"

/* Whether a source file is of what importlib is made of: the interpreter's own code that finds and
 * loads modules. */
bool pinsight_importlib_file(const char *file);

#endif
