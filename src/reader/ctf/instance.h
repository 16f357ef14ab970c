/* Identifies the process of a stream. Its pid is not enough: each PID namespace has its own
 * numbers, and numbers are reused. PInsight's recorder names the files of a process after it
 * (format/folder.h). LTTng has a trace for each process, if each has its own buffers. */
#ifndef PINSIGHT_READER_CTF_INSTANCE_H
#define PINSIGHT_READER_CTF_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the length of the part of a stream file's name that identifies its process. */
size_t pinsight_instance_length(const char *file_name);

/* Returns a number of a process among those with its pid, from the UUID of the trace (may be NULL)
 * and the name of one of its files. It is equal for all streams of the process, whatever part of
 * the trace is read. Returns 0 if the trace has no more than pids. `is_ours`: PInsight's recorder
 * wrote it; `is_of_one`: all of it belongs to one process. */
uint32_t pinsight_instance_of(const unsigned char *uuid, const char *file_name, bool is_ours,
                              bool is_of_one);

#endif
