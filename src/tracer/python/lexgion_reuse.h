/*
 * Reuse of lexgions. eval, exec, namedtuple and similar functions make many code objects that are
 * equal to earlier ones. The lexgion of a freed code object waits for a new code object with the
 * same name, file, first line and module. Therefore neither the trace nor the counts grow.
 *
 * With windows, each code object has its own window and its own lexgion.
 *
 * For the main interpreter only. All under its GIL.
 */
#ifndef PINSIGHT_PYTHON_LEXGION_REUSE_H
#define PINSIGHT_PYTHON_LEXGION_REUSE_H

#include "tracer/python/lexgion.h"

/* Keeps the lexgion of a freed code object. An older kept lexgion may be retired. Returns false if
 * the lexgion cannot be kept, because an execution is open, or because it has a window. */
bool pinsight_lexgion_reuse_keep(struct pinsight_python_lexgion *lexgion);

/* Takes a kept lexgion out, without the lines of its instructions. Returns NULL if there is none.
 * The strings are borrowed, and may be NULL. */
struct pinsight_python_lexgion *pinsight_lexgion_reuse_take(const char *name, const char *filename,
                                                            const char *module, int32_t lineno);

#endif
