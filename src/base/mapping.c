/* Mapped files of this process; see mapping.h. */
#include "base/mapping.h"

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

/* A reader of a file, one character at a time. */
struct map_text {
    int fd;
    size_t at, end;
    char bytes[4096];
};

/* Returns the next character, or -1 at the end. */
static int next(struct map_text *text) {
    if (text->at == text->end) {
        ssize_t got = read(text->fd, text->bytes, sizeof(text->bytes));

        if (got <= 0)
            return -1;
        text->at = 0;
        text->end = (size_t)got;
    }
    return (unsigned char)text->bytes[text->at++];
}

/* Reads a hexadecimal number and the character after it. */
static uintptr_t number(struct map_text *text, int *character) {
    uintptr_t value = 0;

    for (;;) {
        int digit = *character = next(text);

        if (digit >= '0' && digit <= '9')
            digit -= '0';
        else if (digit >= 'a' && digit <= 'f')
            digit -= 'a' - 10;
        else
            return value;
        value = value << 4 | (uintptr_t)digit;
    }
}

/* A line of /proc/self/maps is "begin-end mode offset device inode   path" (proc(5)). */
bool pinsight_mapping_file(const void *address, char *path, size_t room) {
    uintptr_t wanted = (uintptr_t)address;
    struct map_text text = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
    size_t length = 0;
    int character = 0;

    while (text.fd >= 0 && character >= 0 && !length) {
        uintptr_t begin = number(&text, &character);
        uintptr_t end = number(&text, &character);
        bool in_path = false;

        while (character != '\n' && character >= 0) {
            character = next(&text);
            in_path |= character == '/';
            if (in_path && character != '\n' && character >= 0 && wanted >= begin && wanted < end &&
                length + 1 < room)
                path[length++] = (char)character;
        }
    }
    if (text.fd >= 0)
        close(text.fd);
    if (room)
        path[length] = '\0';
    return length > 0;
}
