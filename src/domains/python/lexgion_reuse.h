/*
 * Code that is made anew: eval, exec, namedtuple and their like make code objects again and again
 * that nobody can tell from those that are gone. The lexgion of one that is gone waits for the next
 * with its name, file, first line and module, so that neither the trace nor what is counted grows.
 *
 * Where there are windows, each code object has its own, and a lexgion of its own.
 *
 * Of the main interpreter. All under its GIL.
 */
#ifndef PINSIGHT_PYTHON_LEXGION_REUSE_H
#define PINSIGHT_PYTHON_LEXGION_REUSE_H

#include "domains/python/lexgion.h"

/* A code object is gone: keeps its lexgion. One that waited longer may be retired for it. False
 * where it is not to be kept: something of it is under way, or it has a window. */
bool pinsight_lexgion_reuse_keep(struct pinsight_python_lexgion *lexgion);

/* The lexgion of one that is gone, without the lines of its instructions, or NULL. The strings are
 * borrowed, and may be NULL. */
struct pinsight_python_lexgion *pinsight_lexgion_reuse_take(const char *name, const char *filename,
                                                            const char *module, int32_t lineno);

#endif
