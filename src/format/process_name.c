/* The name of a process in a trace; see process_name.h. */
#include "format/process_name.h"

#include "base/machine.h"

#include <stdio.h>

void pinsight_file_process_name(const struct pinsight_buffer_head *head,
                                char name[PINSIGHT_PROCESS_NAME_BYTES]) {
    const size_t room = PINSIGHT_PROCESS_NAME_BYTES;
    int length = snprintf(name, room, "%d-%llx", (int)head->pid, (unsigned long long)head->start);
    if (!pinsight_machine_is_own_namespace(head->namespace))
        snprintf(name + length, room - (size_t)length, "-%llx",
                 (unsigned long long)head->namespace);
}
