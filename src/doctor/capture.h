/* Captures the output of a program, or of a function in a child process. */
#ifndef PINSIGHT_DOCTOR_CAPTURE_H
#define PINSIGHT_DOCTOR_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Runs words[0] (a path) without input. Writes its stdout and stderr to `text`, cut off at `room`
 * bytes. Returns its wait status, or -1 if it could not be started or took longer than `limit_ms`
 * and was killed with its children.
 */
int pinsight_capture(char *const *words, int limit_ms, char *text, size_t room);

/*
 * Calls work(out, data) in a child process, which may crash or hang. Writes the output in `out` to
 * `text`, cut off at `room` bytes. The child's stdin, stdout and stderr are /dev/null. Returns the
 * child's wait status, or -1 if it took longer than `limit_ms`; it is then killed, or left if that
 * is impossible.
 */
int pinsight_capture_call(void (*work)(FILE *out, const void *data), const void *data, int limit_ms,
                          char *text, size_t room);

#endif
