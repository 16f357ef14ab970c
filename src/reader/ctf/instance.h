/* Which process a stream is of. Its pid is not enough: each PID namespace counts its own, and
 * numbers are used again. PInsight's recorder names the files of a process for it
 * (record/file/folder.h), and LTTng has a trace for each process where it has buffers for each. */
#ifndef PINSIGHT_READER_CTF_INSTANCE_H
#define PINSIGHT_READER_CTF_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How much of the name of a stream's file, without its folder, is that of its process. */
size_t pinsight_instance_length(const char *file_name);

/* The number of a process among those that have its pid, from the UUID of the trace, which may be
 * NULL, and from the name of a file of it: the same for all streams of the process, whatever part
 * of the trace is read. 0 where the trace does not tell processes apart but by their pids.
 * `is_ours`: PInsight's recorder wrote it; `is_of_one`: all of it is one process's. */
uint32_t pinsight_instance_of(const unsigned char *uuid, const char *file_name, bool is_ours,
                              bool is_of_one);

#endif
