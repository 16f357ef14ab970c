/* The end of a run: closes the session, and reports the result to the user. */
#include "cli/run_end.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/message.h"
#include "base/paths.h"
#include "cli/run_output.h"
#include "cli/verbs.h"
#include "session/process_list.h"
#include "session/trace_size.h"

#if PINSIGHT_HAVE_VIEWS
#include "cli/view_signals.h"
#include "reader/ctf/empty_trace.h"
#include "reader/ctf/find.h"
#include "views/kit/screen.h"
#include "views/report/summary.h"
#endif

void pinsight_ending_clear(const struct pinsight_ending *ending) {
    const struct pinsight_recording *recording = &ending->recording;
    char file[PATH_MAX];

    recording->recorder->clear(recording, recording->output);
    if (pinsight_path_join(file, recording->output, PINSIGHT_RUN_INFO_FILE)) {
        unlink(file);
    }
    pinsight_process_list_remove(recording->output);
}

static void note_result(const struct pinsight_ending *ending, struct pinsight_run_info *info,
                        int status) {
    info->ended = true;
    info->wall_ns = ending->wall_ns;
    info->processor_ns = ending->processor_ns;
    info->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    info->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    info->told_to_end = ending->told_to_end;
    ending->recording.recorder->report(&ending->recording, info);
}

/* Returns whether a file of the trace has the size that RLIMIT_FSIZE allows, so that its end is cut
 * off. */
static bool is_at_file_limit(const char *output) {
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_max != RLIM_INFINITY &&
           pinsight_trace_largest_file(output) == limit.rlim_max;
}

static void print_problems(const struct pinsight_recording *recording) {
    if (pinsight_trace_disk_is_full(recording->output)) {
        pinsight_warning("the disk with %s is full, so the end of the trace is missing; free some "
                         "space, or use --max-size",
                         recording->output);
    } else if (is_at_file_limit(recording->output)) {
        pinsight_warning("a file of the trace is as large as files may be here (ulimit -f), so the "
                         "end of the trace is missing; raise that limit, or use --max-size");
    } else if (recording->unwritten != NULL) {
        pinsight_warning("%s", recording->unwritten);
    }
    if (recording->problem[0] != '\0') {
        pinsight_warning("%s", recording->problem);
    }
}

/* Prints the warnings of the summary, in a run without one. */
static void print_absent(const char *title, const struct pinsight_run_info *info) {
    if (info->missing_count > 0) {
        pinsight_warning("not in the trace, as %s did not take them in time, or they ended "
                         "before: process %s",
                         title, info->missing);
    }
    if (info->running_count > 0 && strcmp(info->recorder, PINSIGHT_RECORDER_FILE) == 0) {
        pinsight_note("still running when the command had ended, and recorded further: process %s",
                      info->running);
    } else if (info->running_count > 0) {
        pinsight_warning("still running when the command had ended, and not in the trace from "
                         "then on: process %s",
                         info->running);
    }
}

#if PINSIGHT_HAVE_VIEWS
static volatile sig_atomic_t stop_reading;

static void on_stop(int number) {
    (void)number;
    stop_reading = 1;
}

/* Makes signals stop the reading of the trace, which may take a while. */
static void let_signals_stop_reading(const struct pinsight_signals *signals) {
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND};

    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        struct sigaction old;
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            sigaction(numbers[i], &action, NULL);
        }
    }
    sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
}

static void print_summary(const struct pinsight_ending *ending,
                          const struct pinsight_signals *signals, const char *output,
                          const struct pinsight_run_info *info) {
    struct pinsight_summary_options summary = {
        .quiet = ending->quiet,
        .colour = pinsight_screen_colour(stderr),
        .progress = isatty(STDERR_FILENO),
        .command = info->command,
        .pinsight = pinsight_command_word,
        .run = info,
        .stop = &stop_reading,
    };

    let_signals_stop_reading(signals);
    pinsight_view_guard(info->signal != 0 ? 128 + info->signal : info->exit_status);
    FILE *screen = pinsight_ascii_open(stderr);
    pinsight_summary_print(pinsight_run_output_short(output), screen, &summary);
    pinsight_ascii_close(screen, stderr);
}
#endif

/* Prints the report command for all hosts: the summary of a job on several hosts has only that of
 * rank 0. */
static void print_where_all_hosts_are(const char *output) {
    char whole[PATH_MAX], line[2 * PATH_MAX];

    snprintf(whole, sizeof(whole), "%s", output);
    char *slash = strrchr(whole, '/');
    if (slash == NULL || slash == whole) {
        return;
    }
    *slash = '\0';
    char *const all[] = {(char *)pinsight_command_word, "report",
                         (char *)pinsight_run_output_short(whole), NULL};
    pinsight_run_info_quote(all, line, sizeof(line));
    pinsight_note("this is of the host %s; of all hosts, when they have ended: %s", slash + 1,
                  line);
}

/* Removes traces without an event. A process that was killed while it registered may leave one, and
 * babeltrace2 would refuse all traces because of it. */
static void remove_empty_traces(const struct pinsight_recording *recording) {
#if PINSIGHT_HAVE_VIEWS
    const char *part = recording->recorder->empty_traces;
    struct pinsight_found found = {0};

    if (part == NULL || recording->broken || recording->incomplete) {
        return;
    }
    free(pinsight_find_traces(recording->output, &found));
    for (size_t i = 0; i < found.count; i++) {
        if (strstr(found.traces[i].folder, part) != NULL &&
            pinsight_trace_is_empty(found.traces[i].at)) {
            pinsight_path_remove(found.traces[i].folder);
        }
    }
    pinsight_found_clear(&found);
#else
    (void)recording;
#endif
}

void pinsight_ending_finish(struct pinsight_ending *ending, const struct pinsight_signals *signals,
                            struct pinsight_run_info *info, int status) {
    struct pinsight_recording *recording = &ending->recording;
    const char *output = recording->output;

    if (recording->session[0] == '\0' || !recording->recorder->stop(recording, signals) ||
        ending->unstarted) {
        return;
    }
    note_result(ending, info, status);
    pinsight_run_info_write(output, info);
    remove_empty_traces(recording);
    pinsight_run_info_update(output, info);
    print_problems(recording);
    if (access(output, F_OK) != 0) {
        return; /* the folder was removed, and a message has said so */
    }
#if PINSIGHT_HAVE_VIEWS
    if (!ending->no_summary) {
        print_summary(ending, signals, output, info);
        if (ending->several_hosts) {
            print_where_all_hosts_are(output);
        }
        return;
    }
#endif
    print_absent(recording->recorder->title, info);
    output = pinsight_run_output_short(output);
    char *const next[] = {(char *)pinsight_command_word, "report", (char *)output, NULL};
    char line[2 * PATH_MAX];
    pinsight_run_info_quote(next, line, sizeof(line));
    pinsight_note("the trace is in %s; next: %s", output, line);
}
