/* Reads lines of source files; see source_text.h. */
#include "views/kit/source_text.h"

#include "base/memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NANOSECONDS UINT64_C(1000000000)
/* Larger files are not read, because they are not written by hand. */
#define MOST_BYTES (8 << 20)

struct pinsight_source_file {
    char *path;
    char *text; /* NULL if the file cannot be used */
    size_t size;
    size_t *lines; /* offset of each line, and of the end */
    size_t count, capacity;
};

/* Opens a file only if it is absolute and regular, because a path in a trace may name anything. */
static int open_source(const struct pinsight_source_text *text, const char *path, size_t *size) {
    int fd = path[0] == '/' ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    struct stat status;

    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= MOST_BYTES &&
        (uint64_t)status.st_mtim.tv_sec * NANOSECONDS + (uint64_t)status.st_mtim.tv_nsec <=
            text->before_ns) {
        *size = (size_t)status.st_size;
        return fd;
    }
    close(fd);
    return -1;
}

static void find_lines(struct pinsight_source_file *file) {
    *PINSIGHT_ADD(file->lines, file->count, file->capacity) = 0;
    for (size_t i = 0; i < file->size; i++)
        if (file->text[i] == '\n')
            *PINSIGHT_ADD(file->lines, file->count, file->capacity) = i + 1;
    *PINSIGHT_ADD(file->lines, file->count, file->capacity) = file->size + 1;
}

static void read_source(struct pinsight_source_text *text, struct pinsight_source_file *file) {
    size_t size = 0;
    int fd = open_source(text, file->path, &size);
    ssize_t got;

    if (fd < 0) {
        text->unread++;
        return;
    }
    file->text = pinsight_calloc(size + 1, 1);
    while (file->size < size && (got = read(fd, file->text + file->size, size - file->size)) > 0)
        file->size += (size_t)got;
    close(fd);
    find_lines(file);
}

static struct pinsight_source_file *file_of(struct pinsight_source_text *text, const char *path) {
    struct pinsight_source_file *file;

    for (size_t i = 0; i < text->count; i++)
        if (!strcmp(text->files[i].path, path))
            return &text->files[i];
    file = PINSIGHT_ADD(text->files, text->count, text->capacity);
    *file = (struct pinsight_source_file){.path = pinsight_strdup(path)};
    read_source(text, file);
    return file;
}

char *pinsight_source_line(struct pinsight_source_text *text, const char *path, int32_t line) {
    const struct pinsight_source_file *file = file_of(text, path);
    const char *begin;
    char *copy;
    size_t length;

    if (!file->text || line < 1 || (size_t)line >= file->count)
        return NULL;
    begin = file->text + file->lines[line - 1];
    length = file->lines[line] - 1 - file->lines[line - 1];
    while (length && strchr(" \t\f\r", begin[0]))
        begin++, length--;
    while (length && strchr(" \t\f\r", begin[length - 1]))
        length--;
    copy = pinsight_memdup(begin, strnlen(begin, length));
    for (char *at = copy; (at = strchr(at, '\t'));)
        *at = ' ';
    return copy;
}

const char *pinsight_source_whole(struct pinsight_source_text *text, const char *path,
                                  size_t *size) {
    const struct pinsight_source_file *file = file_of(text, path);

    *size = file->size;
    return file->text;
}

void pinsight_source_text_clear(struct pinsight_source_text *text) {
    for (size_t i = 0; i < text->count; i++)
        PINSIGHT_FREE(text->files[i].path, text->files[i].text, text->files[i].lines);
    free(text->files);
    *text = (struct pinsight_source_text){0};
}
