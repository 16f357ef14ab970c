/* The name of a process in a trace, with which the names of its files begin; see folder.h. */
#ifndef PINSIGHT_FORMAT_PROCESS_NAME_H
#define PINSIGHT_FORMAT_PROCESS_NAME_H

#include "format/layout.h"

/* Room for the name with its final zero byte. */
#define PINSIGHT_PROCESS_NAME_BYTES 64

/* Writes the name, from the process's pid, start and namespace. Any thread. */
void pinsight_file_process_name(const struct pinsight_buffer_head *head,
                                char name[PINSIGHT_PROCESS_NAME_BYTES]);

#endif
