/* Text for a terminal, from names that may contain any bytes. */
#ifndef PINSIGHT_BASE_TEXT_H
#define PINSIGHT_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns a copy that is safe on a terminal; the caller frees it. Bytes that are not UTF-8, control
 * characters and characters that change the direction of writing become \xNN or \u{NNNN}. */
char *pinsight_text_clean(const char *text);

/* Writes such a copy to a stream. */
void pinsight_text_put(FILE *out, const char *text);

/* Returns the number of columns of a clean text. */
size_t pinsight_text_width(const char *text);

/* Shortens a clean text in place to at most `width` columns. Replaces its start by an ellipsis,
 * because the end of a name or a path is more informative. The buffer needs two spare bytes. */
void pinsight_text_cut(char *text, size_t width);

/* Like pinsight_text_cut(), but replaces the end. */
void pinsight_text_cut_end(char *text, size_t width);

/* Returns the last part of a path, the whole path if it has one part or ends with a slash, or NULL
 * for NULL. */
const char *pinsight_text_file(const char *path);

/* Returns a short form of a path, which is not clean yet; the caller frees it. The path is relative
 * to the installed packages, the standard library, the current folder or the home folder. */
char *pinsight_text_path(const char *path);

/* Return the part of a path after the last folder of installed packages, or after the last folder
 * of the standard library (/lib/pythonX.Y). Return NULL if the path has none. */
const char *pinsight_text_in_packages(const char *path);
const char *pinsight_text_in_library(const char *path);

/* Returns "path:line" with a short, clean path, or "" for an empty path; the caller frees it. */
char *pinsight_text_place(const char *path, int32_t line);

#endif
