/* Text for a screen, made of names that may be any bytes. */
#ifndef PINSIGHT_BASE_TEXT_H
#define PINSIGHT_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* A copy that is safe on a terminal, to be freed: bytes that are not UTF-8, control characters and
 * those that change the direction of writing stand as \xNN or \u{NNNN}. */
char *pinsight_text_clean(const char *text);

/* Columns that a clean text takes. */
size_t pinsight_text_width(const char *text);

/* Cuts a clean text (in place, at its start, with an ellipsis) to at most width columns. The end of
 * a name or a path says more than its start. The buffer must have room for two bytes more. */
void pinsight_text_cut(char *text, size_t width);

/* A path as a person would say it, to be freed and not clean yet: without the folder of installed
 * packages or of the standard library, from the current folder, or from the home folder. */
char *pinsight_text_path(const char *path);

/* "path:line" of a short clean path, to be freed; "" for an empty path. */
char *pinsight_text_place(const char *path, int32_t line);

#endif
