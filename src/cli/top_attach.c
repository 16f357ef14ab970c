/* Records a process while its screens are shown; see top_attach.h. */
#include "cli/top_attach.h"

#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/message.h"
#include "base/paths.h"
#include "cli/attach_end.h"
#include "cli/attach_one.h"
#include "format/folder.h"
#include "format/ring_head.h"

/* The process writes its last events when it has no thread of PInsight any more. */
enum { END_MS = 2000, LOOK_MS = 5 };

bool pinsight_top_is_pid(const char *typed) {
    struct stat status;

    return *typed != '\0' && strspn(typed, "0123456789") == strlen(typed) &&
           stat(typed, &status) != 0;
}

int pinsight_top_attach(int argc, char **argv, const char *output, const char *last,
                        struct pinsight_top_attached *attached) {
    struct pinsight_attach_wish wish = {
        .verb = "top", .output = output, .config = "", .ring = last, .temporary = true};
    struct pinsight_ring_limit limit;
    bool by_attach;

    if (!pinsight_attach_pid("top", argc, argv, &wish.pid))
        return 2;
    if (!pinsight_ring_limit_parse(last, &limit)) {
        pinsight_error(
            "--last cannot be '%s': write how much to keep of each process: " PINSIGHT_RING_FORMS,
            last);
        return 2;
    }
    if (pinsight_attach_output(wish.pid, attached->begun.output, &by_attach)) {
        if (attached->begun.output[0] != '\0')
            return 0;
        pinsight_error("process %d is recorded already, into a session; `pinsight ctl %d status` "
                       "says how",
                       wish.pid, wish.pid);
        return 1;
    }
    int status = pinsight_attach_look(&wish, &attached->begun);
    if (status == 0)
        status = pinsight_attach_begin(&wish, &attached->begun);
    attached->ours = status == 0;
    attached->kept = output != NULL;
    return status;
}

bool pinsight_top_is_recorded(const char *trace, bool is_over) {
    struct pinsight_file_finished finished;
    char folder[PATH_MAX];

    /* Without a folder of this machine, LTTng or another machine records. */
    if ((!pinsight_file_folder_path(folder, trace) ||
         pinsight_file_finish(folder, &finished) != 0) &&
        pinsight_file_finish(trace, &finished) != 0)
        return !is_over;
    return finished.alive || finished.unreachable;
}

static void remove_temporary(const char *output) {
    int64_t until = pinsight_now_ms() + END_MS;

    while (pinsight_top_is_recorded(output, true) && pinsight_now_ms() < until)
        pinsight_sleep_ms(LOOK_MS);
    pinsight_path_remove(output);
}

void pinsight_top_detach(const struct pinsight_top_attached *attached) {
    if (!attached->ours)
        return;
    if (pinsight_attach_let_go(attached->begun.output, 0) > 0)
        pinsight_note("the trace stays in %s, because the process still records into it",
                      attached->begun.output);
    else if (attached->kept)
        pinsight_attach_finish(attached->begun.output, false, true);
    else
        remove_temporary(attached->begun.output);
}
