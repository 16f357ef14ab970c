/* Reads lines of source files, to show them beside a trace. A file is read when its first line is
 * needed, and is kept. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_KIT_SOURCE_TEXT_H
#define PINSIGHT_VIEWS_KIT_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* The source files that were read. A file counts only if its last change was before `before_ns`, in
 * nanoseconds since 1970. A later change means that the program ran another text. */
struct pinsight_source_text {
    uint64_t before_ns;
    struct pinsight_source_file *files;
    size_t count, capacity;
    size_t unread; /* files that are missing, or were changed later */
};

/* Returns the text of a line, without the blanks around it. Lines count from 1. The text may
 * contain any bytes, and the caller frees it. Returns NULL if `path` is not absolute, or is no
 * regular file. Returns NULL, too, if the file was changed later, is larger than 8 MiB, or has no
 * such line. */
char *pinsight_source_line(struct pinsight_source_text *text, const char *path, int32_t line);

/* Returns the whole text of a file, and its size in bytes. The text lives as long as `text`.
 * Returns NULL like pinsight_source_line(). */
const char *pinsight_source_whole(struct pinsight_source_text *text, const char *path,
                                  size_t *size);

void pinsight_source_text_clear(struct pinsight_source_text *text);

#endif
