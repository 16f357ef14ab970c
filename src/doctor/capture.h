/* Running a program, or a function in a child process, for what it says. */
#ifndef PINSIGHT_DOCTOR_CAPTURE_H
#define PINSIGHT_DOCTOR_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Runs words[0] (a path), without input, and gives what it wrote on stdout and stderr, cut off at
 * `room`. The result is its wait status, or -1 where it could not be started, or was killed because
 * it took longer than `limit_ms`.
 */
int pinsight_capture(char *const *words, int limit_ms, char *text, size_t room);

/*
 * Calls work(out, data) in a child process, which may crash or hang, and gives what it wrote to
 * `out`, likewise. Its stdin, stdout and stderr lead nowhere. The result is the child's wait
 * status, or -1 where it took longer than `limit_ms`: it is killed then, or left where that is not
 * possible.
 */
int pinsight_capture_call(void (*work)(FILE *out, const void *data), const void *data, int limit_ms,
                          char *text, size_t room);

#endif
