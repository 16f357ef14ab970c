/* Options and the log of the fakes. */
#include "fake.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

long fake_option(const char *variable, const char *name) {
    const char *at = getenv(variable);
    size_t length = strlen(name);

    while (at && *at) {
        const char *next = strchr(at, ',');
        if (strncmp(at, name, length) == 0) {
            if (at[length] == '=')
                return strtol(at + length + 1, NULL, 0);
            if (at[length] == ',' || at[length] == '\0')
                return 1;
        }
        at = next ? next + 1 : NULL;
    }
    return -1;
}

uint64_t fake_now(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* One write() a line: it is there when the process is killed, and whole beside other processes'
 * lines. */
void fake_log(const char *format, ...) {
    const char *path = getenv("FAKE_CUDA_LOG");
    char line[1024], text[900];
    va_list arguments;

    if (!path)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    char *rest = strchr(text, ' ');
    int word = rest ? (int)(rest - text) : (int)strlen(text);
    int length = snprintf(line, sizeof(line), "%.*s pid=%d tid=%ld%s\n", word, text, (int)getpid(),
                          syscall(SYS_gettid), rest ? rest : "");
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file >= 0) {
        if (write(file, line, (size_t)length) != length)
            abort();
        close(file);
    }
}
