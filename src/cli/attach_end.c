/* The end of a recording that `pinsight attach` began; see attach_end.h. */
#include "cli/attach_end.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/ctl_client.h"
#include "base/message.h"
#include "base/paths.h"
#include "cli/run_end.h"
#include "session/recorder.h"

enum { ASK_MS = 2000, END_MS = 5000, LOOK_MS = 5, NAMES = 256 };
/* A thread that was about to execute the script must still find its file. */
enum { SCRIPT_MS = 50 };

/* Returns whether a process was attached into this folder. */
static bool is_of(const struct pinsight_call *call, const char *output) {
    char text[PATH_MAX];

    return call->state == PINSIGHT_CALL_ANSWERED &&
           pinsight_call_value(call, "attached", text, sizeof(text)) && strcmp(text, "yes") == 0 &&
           pinsight_call_value(call, "output", text, sizeof(text)) && strcmp(text, output) == 0;
}

/* Finds the processes that were attached into the folder, and gives them the state WAITING. The
 * others will not be asked. */
static struct pinsight_call *find(const char *output, size_t *count, unsigned *found) {
    struct pinsight_call *calls = pinsight_calls_find(count);

    *found = 0;
    if (*count > 0) {
        pinsight_calls_ask(calls, *count, "status\n", ASK_MS);
    }
    for (size_t i = 0; i < *count; i++) {
        bool is_one = is_of(&calls[i], output);
        *found += is_one;
        calls[i].state = is_one ? PINSIGHT_CALL_WAITING : PINSIGHT_CALL_GONE;
    }
    return calls;
}

/* Returns whether the process has threads of PInsight, which end a moment after the socket. */
static bool has_own_threads(int pid) {
    char path[64], name[NAME_MAX + 80], comm[32];
    bool found = false;

    snprintf(path, sizeof(path), "/proc/%d/task", pid);
    DIR *tasks = opendir(path);
    for (struct dirent *task; tasks != NULL && !found && (task = readdir(tasks)) != NULL;) {
        snprintf(name, sizeof(name), "%s/%s/comm", path, task->d_name);
        FILE *file = fopen(name, "re");
        if (file != NULL) {
            found = fgets(comm, sizeof(comm), file) != NULL &&
                    strncmp(comm, "pinsight-", strlen("pinsight-")) == 0;
            fclose(file);
        }
    }
    if (tasks != NULL) {
        closedir(tasks);
    }
    return found;
}

static void wait_for_threads(const int *pids, unsigned count) {
    int64_t until = pinsight_now_ms() + 1000;

    for (unsigned i = 0; i < count; i++) {
        while (has_own_threads(pids[i]) && pinsight_now_ms() < until) {
            pinsight_sleep_ms(LOOK_MS);
        }
    }
}

unsigned pinsight_attach_let_go(const char *output, int pid) {
    size_t count;
    unsigned found, told = 0;
    int pids[NAMES];
    struct pinsight_call *calls = find(output, &count, &found);

    for (size_t i = 0; i < count; i++) {
        if (pid != 0 && calls[i].pid != pid) {
            calls[i].state = PINSIGHT_CALL_GONE;
        } else if (calls[i].state == PINSIGHT_CALL_WAITING && told < NAMES) {
            pids[told++] = calls[i].pid;
        }
    }
    if (count > 0) {
        pinsight_calls_ask(calls, count, "detach\nwait 2000\n", ASK_MS + 500);
    }
    pinsight_calls_free(calls, count);
    int64_t until = pinsight_now_ms() + END_MS;
    for (;;) {
        unsigned left = 0;
        calls = find(output, &count, &found);
        for (size_t i = 0; i < count; i++) {
            left += calls[i].state == PINSIGHT_CALL_WAITING && (pid == 0 || calls[i].pid == pid);
        }
        if (left == 0 || pinsight_now_ms() > until) {
            for (size_t i = 0; i < count; i++) {
                if (calls[i].state == PINSIGHT_CALL_WAITING && (pid == 0 || calls[i].pid == pid)) {
                    pinsight_error("process %d is in C code that holds the interpreter, and is let "
                                   "go as soon as that ends; `pinsight detach %d` again completes "
                                   "the trace",
                                   calls[i].pid, calls[i].pid);
                }
            }
            pinsight_calls_free(calls, count);
            break;
        }
        pinsight_calls_free(calls, count);
        pinsight_sleep_ms(LOOK_MS);
    }
    wait_for_threads(pids, told);
    return found;
}

/* Removes the scripts that attached processes executed. */
static void remove_scripts(const char *output) {
    char path[PATH_MAX];
    DIR *files = opendir(output);

    for (struct dirent *file; files != NULL && (file = readdir(files)) != NULL;) {
        if (strncmp(file->d_name, ".attach-", strlen(".attach-")) == 0 &&
            pinsight_path_join(path, output, file->d_name)) {
            unlink(path);
        }
    }
    if (files != NULL) {
        closedir(files);
    }
}

int pinsight_attach_finish(const char *output, bool quiet, bool no_summary) {
    static struct pinsight_ending ending;
    static struct pinsight_run_info info;
    static struct pinsight_session_config config;
    struct pinsight_signals signals;

    pinsight_run_info_read(output, &info);
    remove_scripts(output);
    if (pinsight_launch_signals_take(&signals) != 0) {
        return 1;
    }
    ending.quiet = quiet;
    ending.no_summary = no_summary;
    ending.recording.recorder = &pinsight_session_recorder_file;
    ending.recording.fd = -1;
    ending.recording.kept[0] = ending.recording.kept[1] = ending.recording.kept[2] = -1;
    snprintf(config.output, sizeof(config.output), "%s", output);
    snprintf(ending.recording.output, sizeof(ending.recording.output), "%s", output);
    config.job.size = config.job.local_size = 1;
    if (ending.recording.recorder->start(&ending.recording, &config, &signals) != 0) {
        return 1;
    }
    pinsight_ending_finish(&ending, &signals, &info, 0);
    return 0;
}

void pinsight_attach_undo(const char *output, bool made) {
    char path[PATH_MAX];

    pinsight_sleep_ms(SCRIPT_MS);
    remove_scripts(output);
    if (pinsight_path_join(path, output, PINSIGHT_RUN_INFO_FILE)) {
        unlink(path);
    }
    if (pinsight_path_join(path, output, "trace")) {
        pinsight_path_remove(path);
    }
    if (made) {
        rmdir(output);
    }
}
