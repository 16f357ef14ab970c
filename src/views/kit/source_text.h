/* The text of lines of source files, beside what a trace says of them. A file is read when a line
 * of it is first asked for, and kept. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_KIT_SOURCE_TEXT_H
#define PINSIGHT_VIEWS_KIT_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Source files that were last changed before a time, in nanoseconds since 1970: what the program
 * ran was then in them. */
struct pinsight_source_text {
    uint64_t before_ns;
    struct pinsight_source_file *files;
    size_t count, capacity;
    size_t unread; /* files that are not there, or were changed later */
};

/* Returns the text of a line of a file, counted from 1, without blanks around it, to be freed; it
 * may have any bytes. NULL where the file is not there under its whole path, is no ordinary file,
 * was changed later, or has no such line. */
char *pinsight_source_line(struct pinsight_source_text *text, const char *path, int32_t line);

/* The whole text of a file and its size, which live as long as `text`; NULL as above. */
const char *pinsight_source_whole(struct pinsight_source_text *text, const char *path,
                                  size_t *size);

void pinsight_source_text_clear(struct pinsight_source_text *text);

#endif
