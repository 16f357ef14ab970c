/* Selectors of code regions in a configuration. */
#ifndef PINSIGHT_VIEWS_LEXGION_H
#define PINSIGHT_VIEWS_LEXGION_H

#include <stdint.h>

/* Returns the text between the parentheses of a section [Lexgion(...)]. The text selects one Python
 * function, or one C callable if `file` is NULL. Characters with a meaning there are quoted. The
 * caller frees the text. Returns NULL if no configuration can have the name, because of control
 * characters or bytes outside UTF-8. */
char *pinsight_lexgion_selector(const char *file, const char *name);

/* Returns the selector of a native region, by its object and offset. The caller frees it. Returns
 * NULL like pinsight_lexgion_selector(). */
char *pinsight_lexgion_native(const char *domain, const char *object, uint64_t offset);

#endif
