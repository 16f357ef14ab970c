/* Running a program for what it says. */
#ifndef PINSIGHT_DOCTOR_CAPTURE_H
#define PINSIGHT_DOCTOR_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Runs words[0] (a path), without input, and gives what it wrote on stdout and stderr, cut off at
 * `room`. The result is its wait status, or -1 where it could not be started, or was killed because
 * it took longer than `limit_ms`.
 */
int pinsight_capture(char *const *words, int limit_ms, char *text, size_t room);

#endif
