/* What a process of a trace is called: what its files begin with, see folder.h. */
#ifndef PINSIGHT_RECORD_FILE_PROCESS_NAME_H
#define PINSIGHT_RECORD_FILE_PROCESS_NAME_H

#include "record/file/layout.h"

/* The name with its end. */
#define PINSIGHT_PROCESS_NAME_BYTES 64

/* Writes the name by the process's pid, start and namespace. Any thread. */
void pinsight_file_process_name(const struct pinsight_buffer_head *head,
                                char name[PINSIGHT_PROCESS_NAME_BYTES]);

#endif
