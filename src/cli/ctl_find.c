/* Finds the processes that a command line of `pinsight ctl` names; see ctl_find.h. */
#include "cli/ctl_find.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/order.h"
#include "base/paths.h"
#include "base/ranks.h"
#include "base/run_info.h"

enum { STATUS_MS = 2000 };

struct finding {
    const struct pinsight_ctl_options *options;
    struct pinsight_call *calls;
    size_t call_count;
    struct pinsight_ctl_target *targets;
    size_t count;
    bool missing;
};

static long number_of(const struct pinsight_call *call, const char *key) {
    char text[32];

    return pinsight_call_value(call, key, text, sizeof(text)) ? strtol(text, NULL, 10) : -1;
}

/* Adds a process if its rank is selected. Returns whether it is. */
static bool add(struct finding *finding, struct pinsight_call *call) {
    long rank = number_of(call, "rank");

    if (finding->options->ranks != NULL && !pinsight_ranks_have(finding->options->ranks, rank)) {
        return false;
    }
    for (size_t i = 0; i < finding->count; i++) {
        if (finding->targets[i].call == call) {
            return true;
        }
    }
    finding->targets[finding->count++] =
        (struct pinsight_ctl_target){.call = call, .pid = call->pid, .rank = rank};
    return true;
}

/* ---- a process ---- */

/* Returns the parent of a process, or 0 if unknown. */
static int parent_of(int pid) {
    char path[64], text[512];

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    FILE *file = fopen(path, "re");
    size_t n = file != NULL ? fread(text, 1, sizeof(text) - 1, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    text[n] = '\0';
    const char *at = strrchr(text, ')'); /* the program's name may contain one */
    return at != NULL && strlen(at) > 4 ? atoi(at + 4) : 0;
}

static bool is_below(int pid, int ancestor) {
    for (int i = 0; i < 64 && pid > 1; i++) {
        pid = parent_of(pid);
        if (pid == ancestor) {
            return true;
        }
    }
    return false;
}

/* Reports a process that is not traced. Lists the traced processes that it has started, as
 * `pinsight run` does. */
static void report_untraced(const struct finding *finding, int pid) {
    char list[256] = "";
    size_t used = 0;

    for (size_t i = 0; i < finding->call_count && used + 16 < sizeof(list); i++) {
        const struct pinsight_call *call = &finding->calls[i];
        if (call->state != PINSIGHT_CALL_GONE && is_below(call->pid, pid)) {
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%d", used > 0 ? ", " : "",
                                     call->pid);
        }
    }
    if (used > 0) {
        pinsight_error("process %d is not traced itself, but has started traced processes: %s; "
                       "name one of these, or the trace folder",
                       pid, list);
    } else {
        pinsight_error("process %d is not traced, or not yet; `pinsight run` traces a program "
                       "from its start",
                       pid);
    }
}

static void report_foreign(int pid, uid_t uid) {
    const struct passwd *user = getpwuid(uid);

    if (user != NULL) {
        pinsight_error("process %d belongs to the user %s, who alone can control it", pid,
                       user->pw_name);
    } else {
        pinsight_error("process %d belongs to the user with the number %u, who alone can "
                       "control it",
                       pid, (unsigned)uid);
    }
}

/* Reports why a named process cannot be asked. */
static void report_call(const struct pinsight_call *call, int pid) {
    switch (call->state) {
    case PINSIGHT_CALL_FOREIGN:
        report_foreign(pid, call->uid);
        break;
    case PINSIGHT_CALL_REFUSED:
        pinsight_error("process %d runs as another user for a while (its real, effective and saved "
                       "user differ), and cannot be controlled until it has one",
                       pid);
        break;
    case PINSIGHT_CALL_GONE:
        pinsight_error("process %d ended meanwhile", pid);
        break;
    case PINSIGHT_CALL_FAILED:
        pinsight_error("process %d cannot be asked: %s", pid, strerror(call->error));
        break;
    default:
        pinsight_error("process %d does not answer within %d s; is it stopped?", pid,
                       STATUS_MS / 1000);
        break;
    }
}

static void find_process(struct finding *finding, const char *typed) {
    const struct pinsight_call *wrong = NULL;
    char *end;

    errno = 0;
    long pid = strtol(typed, &end, 10);
    if (errno != 0 || pid <= 0 || pid > INT_MAX) {
        pinsight_error("'%s' is no number of a process", typed);
        finding->missing = true;
        return;
    }
    for (size_t i = 0; i < finding->call_count; i++) {
        struct pinsight_call *call = &finding->calls[i];
        if (call->pid != pid) {
            continue;
        }
        if (call->state == PINSIGHT_CALL_ANSWERED) {
            if (!add(finding, call)) {
                pinsight_error("process %ld has not the rank %s", pid, finding->options->ranks);
                finding->missing = true;
            }
            return;
        }
        wrong = call;
    }
    finding->missing = true;
    if (wrong != NULL) {
        report_call(wrong, (int)pid);
    } else if (kill((pid_t)pid, 0) != 0 && errno == ESRCH) {
        pinsight_error("there is no process %ld", pid);
    } else {
        report_untraced(finding, (int)pid);
    }
}

/* ---- a trace folder ---- */

/* Counts of the search in a folder. */
struct folder {
    int runs;    /* runs that have their file in the folder */
    int running; /* runs among these that have not ended */
    int known;   /* processes that were found */
    int silent;  /* processes among these that do not answer */
    int chosen;  /* processes among these with a selected rank */
};

/* Reads the session of a process that does not answer, from its initial environment. */
static bool read_session(int pid, char *session, size_t room) {
    static const char variable[] = "PINSIGHT_SESSION=";
    char path[64], *text = NULL;
    size_t size = 0;
    bool found = false;

    snprintf(path, sizeof(path), "/proc/%d/environ", pid);
    FILE *file = fopen(path, "re");
    while (file != NULL && !found && getdelim(&text, &size, '\0', file) > 0) {
        found = strncmp(text, variable, sizeof(variable) - 1) == 0;
    }
    if (found) {
        snprintf(session, room, "%s", text + sizeof(variable) - 1);
    }
    free(text);
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

/* Returns whether a process belongs to this session. */
static bool is_of(const struct pinsight_call *call, const char *wanted) {
    char session[128];
    bool known =
        call->state == PINSIGHT_CALL_ANSWERED
            ? pinsight_call_value(call, "session", session, sizeof(session))
            : (call->state == PINSIGHT_CALL_SILENT || call->state == PINSIGHT_CALL_REFUSED) &&
                  read_session(call->pid, session, sizeof(session));

    return known && *wanted != '\0' && strcmp(session, wanted) == 0;
}

/* Finds the processes of the run that wrote its file into `path`. */
static void find_run(struct finding *finding, const char *path, struct folder *folder) {
    static struct pinsight_run_info info; /* static because of its 10 KB; there is one thread */

    if (!pinsight_run_info_read(path, &info)) {
        return;
    }
    folder->runs++;
    folder->running += !info.ended;
    for (size_t i = 0; i < finding->call_count; i++) {
        struct pinsight_call *call = &finding->calls[i];
        if (!is_of(call, info.session)) {
            continue;
        }
        folder->known++;
        if (call->state == PINSIGHT_CALL_ANSWERED) {
            folder->chosen += add(finding, call);
        } else {
            report_call(call, call->pid);
            finding->missing = true;
            folder->silent++;
        }
    }
}

/* Searches the folder itself, and the folders of hosts in it. */
static void find_folder(struct finding *finding, const char *path) {
    struct folder folder = {0};
    struct stat status;
    char below[PATH_MAX];

    if (stat(path, &status) != 0) {
        pinsight_error("'%s' is neither the number of a process nor a trace folder: %s", path,
                       strerror(errno));
        finding->missing = true;
        return;
    }
    find_run(finding, path, &folder);
    DIR *entries = folder.runs == 0 ? opendir(path) : NULL;
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        if (entry->d_name[0] != '.' && pinsight_path_join(below, path, entry->d_name)) {
            find_run(finding, below, &folder);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    if (folder.chosen + folder.silent > 0) {
        return;
    }
    finding->missing = true;
    if (folder.runs == 0) {
        pinsight_error("%s is not the folder of a run: it has no %s; name the folder that "
                       "`pinsight run` writes to",
                       path, PINSIGHT_RUN_INFO_FILE);
    } else if (folder.known > 0) {
        pinsight_error("%s: no process of this run on this host has the rank %s", path,
                       finding->options->ranks);
    } else if (folder.running == 0) {
        pinsight_error("%s: the run has ended", path);
    } else {
        pinsight_error("%s: no process of this run is traced on this host now", path);
    }
}

/* ---- all ---- */

static bool is_number(const char *text) {
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

/* Returns whether the command line names this process by its number. */
static bool is_named(const struct pinsight_ctl_options *options, int pid) {
    for (size_t i = 0; i < options->what_count; i++) {
        if (is_number(options->whats[i]) && strtol(options->whats[i], NULL, 10) == pid) {
            return true;
        }
    }
    return false;
}

/*
 * Asks the processes for their status. First asks those whose numbers are given. Then asks all, if
 * that was not enough: a process in a container may have another number there.
 */
static void ask_status(const struct pinsight_ctl_options *options, struct pinsight_call *calls,
                       size_t count) {
    size_t named = 0;
    bool all = false;

    for (size_t i = 0; i < count; i++) {
        bool is = is_named(options, calls[i].pid);
        calls[i].state = is ? PINSIGHT_CALL_WAITING : PINSIGHT_CALL_GONE;
        named += is;
    }
    for (size_t i = 0; i < options->what_count; i++) {
        all = all || !is_number(options->whats[i]);
    }
    if (named > 0 && !all) {
        pinsight_calls_ask(calls, count, "status\n", STATUS_MS);
    }
    if (!all && named >= options->what_count) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (calls[i].state == PINSIGHT_CALL_GONE && !is_named(options, calls[i].pid)) {
            calls[i].state = PINSIGHT_CALL_WAITING;
        }
    }
    pinsight_calls_ask(calls, count, "status\n", STATUS_MS);
}

ORDER(by_pid, struct pinsight_ctl_target, BY(a->pid, b->pid))

size_t pinsight_ctl_find(const struct pinsight_ctl_options *options, struct pinsight_call *calls,
                         size_t count, struct pinsight_ctl_target *targets, bool *missing) {
    struct finding finding = {
        .options = options, .calls = calls, .call_count = count, .targets = targets};

    ask_status(options, calls, count);
    for (size_t i = 0; i < options->what_count; i++) {
        const char *what = options->whats[i];
        if (is_number(what)) {
            find_process(&finding, what);
        } else {
            find_folder(&finding, what);
        }
    }
    qsort(targets, finding.count, sizeof(*targets), by_pid);
    *missing = finding.missing;
    return finding.count;
}
