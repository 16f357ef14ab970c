/*
 * The file recorder for `pinsight run`; see session/recorder.h. The processes of the command write
 * the trace themselves (tracer/record/file), so that a recording is a folder, which is finished at
 * the end. In a job, every process makes the folder. The processes share a group only to know when
 * all have ended.
 */
#include "session/recorder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/message.h"
#include "base/paths.h"
#include "base/process.h"
#include "base/units.h"
#include "format/folder.h"
#include "format/process_name.h"
#include "format/snapshot.h"
#include "session/node_group.h"
#include "session/process_list.h"

enum {
    JOIN_MS = 10000,
    /* for a process that ends with the command, for example multiprocessing's own */
    ENDING_MS = 500,
    NAMED_MAX = 8, /* further processes are counted */
    OPEN_FILES = 64,
};

/* The state of the process's only recording. */
static struct file_state {
    struct pinsight_node_group group;
    struct pinsight_file_finished finished;
    int error; /* errno of finishing */
} own;

static int start(struct pinsight_recording *recording, const struct pinsight_session_config *wanted,
                 const struct pinsight_signals *signals) {
    struct pinsight_node_group_session joined;
    char why[PATH_MAX + 256], name[PINSIGHT_SESSION_NAME_MAX];
    enum pinsight_owned owned;

    (void)signals;
    recording->own = &own;
    recording->own_size = sizeof(own);
    recording->keeps = wanted->job.local_rank == 0;
    bool has_group = pinsight_node_group_init(&own.group, &wanted->job, wanted->output);
    pinsight_session_make_name(name, wanted->program, (int)getpid());
    if (!recording->keeps && has_group && pinsight_node_group_join(&own.group, &joined, JOIN_MS)) {
        snprintf(name, sizeof(name), "%s", joined.session);
        snprintf(recording->output, sizeof(recording->output), "%s", joined.output);
    }
    if (pinsight_file_folder_make(recording->output, &owned, why, sizeof(why)) != 0) {
        pinsight_warning("nothing is recorded: %s. The command runs all the same", why);
        return 0;
    }
    if (recording->keeps) {
        int list = pinsight_process_list_open(recording->output);
        if (list >= 0) {
            close(list);
        }
        pinsight_node_group_open(&own.group, name, "");
    }
    recording->kept[0] = own.group.supervisor;
    recording->kept[1] = own.group.ranks;
    snprintf(recording->session, sizeof(recording->session), "%s", name);
    return 0;
}

static void leave(struct pinsight_recording *recording) {
    (void)recording;
    pinsight_node_group_leave(&own.group);
}

static bool is_asked_to_end(void *signals) {
    return pinsight_signals_deadly(signals) != 0;
}

/* Writes why the trace could not be completed, and a remedy. */
static void say_why(struct pinsight_recording *recording, int error) {
    const char *what = strerror(error), *cure = "`pinsight report` tries it again";

    if (error == ENOENT || error == ENOTDIR) {
        what = "its folder was removed or renamed while the command ran";
        cure = "the recording is at its new place, or gone";
    } else if (error == EPERM) {
        what = "its folder is not the one that was recorded into, or others may write to it";
        cure = "record again, into a folder in which others cannot rename it";
    } else if (error == EWOULDBLOCK) {
        what = "another process holds a lock on its folder";
        cure = "`pinsight report` completes it once that has ended";
    } else if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
        cure = "make room, and `pinsight report` completes it";
    }
    snprintf(recording->problem, sizeof(recording->problem),
             "the trace could not be completed: %s; %s", what, cure);
}

static bool stop(struct pinsight_recording *recording, const struct pinsight_signals *signals) {
    if (!pinsight_node_group_wait(&own.group, is_asked_to_end, (void *)signals)) {
        return false;
    }
    for (int64_t until = pinsight_now_ms() + ENDING_MS;; pinsight_sleep_ms(10)) {
        own.error = pinsight_file_folder_finish(recording->output, &own.finished);
        if (own.finished.alive == 0 || pinsight_now_ms() >= until) {
            break;
        }
        if (pinsight_signals_deadly(signals) != 0) {
            return false;
        }
    }
    int error = own.error != 0 ? own.error : own.finished.error;
    if (error != 0) {
        recording->incomplete = true;
        say_why(recording, error);
    }
    return true;
}

/* Gets the process of a buffer's file. Returns false if its number does not belong to this PID
 * namespace. */
static bool is_buffer(const char *name, struct pinsight_proc *process) {
    struct pinsight_buffer_head head = {.namespace = pinsight_machine_namespace()};
    char own[PINSIGHT_PROCESS_NAME_BYTES];

    if (!pinsight_buffer_is_name(name) ||
        sscanf(name, ".%" SCNd32 "-%" SCNx64, &head.pid, &head.start) != 2) {
        return false;
    }
    pinsight_file_process_name(&head, own);
    size_t length = strlen(own);
    *process = (struct pinsight_proc){head.pid, head.start};
    return strncmp(name + 1, own, length) == 0 && name[1 + length] == '-' &&
           strchr(name + 2 + length, '-') == NULL;
}

/* Lists processes that continue to record. */
static void report_running(const char *output, struct pinsight_run_info *info) {
    char folder[PATH_MAX];
    pid_t named[NAMED_MAX + 1];

    DIR *files = pinsight_file_folder_path(folder, output) ? opendir(folder) : NULL;
    for (struct dirent *file; files != NULL && (file = readdir(files)) != NULL;) {
        struct pinsight_proc process;
        char name[32] = "?";
        bool known = false;
        if (!is_buffer(file->d_name, &process) || !pinsight_process_alive(&process)) {
            continue;
        }
        for (uint64_t i = 0; i < info->running_count && i <= NAMED_MAX; i++) {
            known = known || named[i] == process.pid;
        }
        if (known) {
            continue;
        }
        if (info->running_count <= NAMED_MAX) {
            named[info->running_count] = process.pid;
        }
        info->running_count++;
        size_t used = strlen(info->running);
        if (info->running_count <= NAMED_MAX) {
            pinsight_process_name(process.pid, name, sizeof(name));
            snprintf(info->running + used, sizeof(info->running) - used, "%s%d (%s)",
                     used > 0 ? ", " : "", (int)process.pid, name);
        } else if (info->running_count == NAMED_MAX + 1) {
            snprintf(info->running + used, sizeof(info->running) - used, ", ...");
        }
    }
    if (files != NULL) {
        closedir(files);
    }
}

static void report(const struct pinsight_recording *recording, struct pinsight_run_info *info) {
    info->incomplete = recording->incomplete;
    info->counted = own.error == 0;
    info->discarded_events = own.finished.lost.unwritten + own.finished.lost.others;
    info->lost_bytes = own.finished.lost.unwritten_bytes;
    info->running[0] = '\0';
    info->running_count = 0;
    if (own.finished.alive > 0) {
        report_running(recording->output, info);
    }
    pinsight_process_list_evaluate_runs(recording->output, info);
}

static void clear(const struct pinsight_recording *recording, const char *output) {
    char folder[PATH_MAX];

    (void)recording;
    if (pinsight_path_join(folder, output, "trace")) {
        pinsight_path_remove(folder);
    }
}

static bool look_at_needs(struct pinsight_session_needs *needs, char *why, size_t room) {
    (void)why;
    (void)room;
    *needs = (struct pinsight_session_needs){.open_files = OPEN_FILES};
    return true;
}

const struct pinsight_session_recorder pinsight_session_recorder_file = {
    PINSIGHT_SESSION_RECORDER(PINSIGHT_RECORDER_FILE, "PInsight", "trace"),
    .numbers_alone = true,
    .no_buffer_size = "the file recorder's buffers grow as they are needed",
    .no_inline_names = "the file recorder writes numbers for names, and explains each once",
    .libraries = "PInsight again",
};
