/* The mark of tasks in a free-threaded build; see no_gil.h. */
#include "base/no_gil.h"

#include "base/message.h"
#include "base/reported.h"

#include <unistd.h>

#define TASKS "no-gil-tasks"

bool pinsight_no_gil_write(const char *output) {
    static const char text[] = "tasks of asyncio are not recorded";
    bool reported;
    int mark = pinsight_reported_mark(output, TASKS, &reported);
    if (mark >= 0) {
        pinsight_message_write(mark, text, sizeof(text) - 1);
        close(mark);
    }
    return mark >= 0 || reported;
}

bool pinsight_no_gil_read(const char *output) {
    char sentence[64];
    return pinsight_reported_read(output, TASKS, sentence, sizeof(sentence));
}
