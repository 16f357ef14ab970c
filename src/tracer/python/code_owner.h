/* The owners of code in this interpreter: the folders of its standard library and of installed
 * packages, and the program that the user started. All functions hold the GIL. */
#ifndef PINSIGHT_PYTHON_CODE_OWNER_H
#define PINSIGHT_PYTHON_CODE_OWNER_H

#include <stdbool.h>

/* Reads the folders from the interpreter, once in a process. Leaves no exception set. */
void pinsight_code_owner_start(void);

/* Returns whether code is the user's, by its file, module and qualified name (base/users_code.h).
 */
bool pinsight_code_owner_is_user(const char *file, const char *module, const char *name);

/* Records the folders, once for each session version (the event code_folders). */
void pinsight_code_owner_describe(void);

#endif
