/* Code regions as a configuration has them. */
#ifndef PINSIGHT_VIEWS_LEXGION_H
#define PINSIGHT_VIEWS_LEXGION_H

#include <stdint.h>

/* What stands between the parentheses of a section [Lexgion(...)] for one Python function, or,
 * where file is NULL, for one C callable: letters that have a meaning there are taken theirs. To be
 * freed; NULL where no configuration can have the name: control characters, or bytes that are no
 * UTF-8. */
char *pinsight_lexgion_selector(const char *file, const char *name);

/* Likewise for a region of native code, by its object and offset; to be freed. */
char *pinsight_lexgion_native(const char *domain, const char *object, uint64_t offset);

#endif
