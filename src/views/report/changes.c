/* Writes changes in the order of time, as sentences. */
#include "base/grid.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "base/words.h"
#include "views/process_name.h"
#include "views/report/control.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Equal changes share a line if they are no further apart, in time and in the list. */
#define TOGETHER_NS UINT64_C(1000000000)
#define TOGETHER_LINES 8

/* Equal changes within a second, of several processes or of one process repeatedly. */
struct pinsight_change_group {
    char *sentence; /* safe for a terminal */
    uint64_t first_ns, last_ns;
    uint64_t count, processes;
    const struct pinsight_process *process; /* of the latest change */
    bool serious;                           /* the change reports a failure */
};

struct pinsight_change_groups {
    struct pinsight_change_group *groups; /* in order of time */
    size_t count, capacity;
};

const char *pinsight_mode_word(uint32_t mode) {
    return PINSIGHT_WORD(mode, "?", "OFF", "STANDBY", "MONITORING", "TRACING");
}

const char *pinsight_introspect_end_word(unsigned how) {
    return PINSIGHT_WORD(how, "?", "script_ended", "time_out", "resumed", "not_waited", "failed");
}

static char *mode_sentence(const struct pinsight_report *report,
                           const struct pinsight_mode_change *change) {
    const char *reason = pinsight_report_string(report, change->reason);

    return pinsight_format("%s: %s → %s%s%s%s", pinsight_report_string(report, change->domain),
                           pinsight_mode_word(change->from), pinsight_mode_word(change->to),
                           reason[0] ? " (" : "", reason, reason[0] ? ")" : "");
}

static char *config_sentence(const struct pinsight_report *report,
                             const struct pinsight_config_change *change) {
    const char *path = pinsight_text_file(pinsight_report_string(report, change->path));
    const char *reason = pinsight_report_string(report, change->reason);
    const char *message = pinsight_report_string(report, change->message);

    /* A message that begins with the path repeats it only. */
    if (!change->failed && change->path &&
        !strncmp(message, pinsight_report_string(report, change->path),
                 strlen(pinsight_report_string(report, change->path))))
        message = "";
    return pinsight_format("configuration%s%s %s (%s)%s%s", path[0] ? " " : "", path,
                           change->failed ? "has an error and is not in force, the one before stays"
                                          : "came into force",
                           reason[0] ? reason : "?", message[0] ? ": " : "", message);
}

/* Returns how a script ended, as the end of a sentence. The caller frees it. */
static char *status_text(int32_t status) {
    if (status == PINSIGHT_STATUS_UNKNOWN)
        return pinsight_strdup("ended");
    if (status < 0)
        return pinsight_format("was ended by signal %d", -status);
    return pinsight_format("ended with status %d", status);
}

/* Returns a text such as "paused for 1.2 s until look.sh ended with status 0". The caller frees
 * it. */
static char *pause_text(const struct pinsight_report *report,
                        const struct pinsight_change *change) {
    const struct pinsight_past_introspection *introspection = &change->introspection;
    const char *script = pinsight_text_file(pinsight_report_string(report, introspection->script));
    char length[48] = "";
    char *status = status_text(introspection->status);
    char *text;

    if (!script[0])
        script = "the script";
    if (introspection->begun)
        snprintf(length, sizeof(length), " for %s",
                 pinsight_units_time(introspection->end_ns - change->ns).text);
    switch (introspection->how) {
    case PINSIGHT_INTROSPECT_SCRIPT_ENDED:
        text = pinsight_format("paused%s until %s %s", length, script, status);
        break;
    case PINSIGHT_INTROSPECT_TIME_OUT:
        text = introspection->status == PINSIGHT_STATUS_UNKNOWN
                   ? pinsight_format("paused%s until its time was over", length)
                   : pinsight_format("paused%s until its time was over; %s %s", length, script,
                                     status);
        break;
    case PINSIGHT_INTROSPECT_RESUMED:
        text = pinsight_format("paused%s until it was ordered to continue", length);
        break;
    case PINSIGHT_INTROSPECT_NOT_WAITED:
        text = pinsight_strdup("without a pause");
        break;
    default:
        text =
            pinsight_format("failed%s%s", length[0] ? " after" : "", length[0] ? length + 4 : "");
    }
    free(status);
    return text;
}

static char *threads_text(const struct pinsight_past_introspection *introspection) {
    uint32_t stopped = introspection->threads_stopped, running = introspection->threads_running;

    if (!stopped && !running)
        return pinsight_strdup("");
    if (!running)
        return pinsight_format("; %u thread%s stopped", stopped, stopped == 1 ? "" : "s");
    return pinsight_format("; %u thread%s stopped, %u ran on", stopped, stopped == 1 ? "" : "s",
                           running);
}

static char *introspection_sentence(const struct pinsight_report *report,
                                    const struct pinsight_change *change) {
    const struct pinsight_past_introspection *introspection = &change->introspection;
    const char *cause = pinsight_report_string(report, introspection->cause);
    const char *message = pinsight_report_string(report, introspection->message);
    const char *chunk = pinsight_text_file(pinsight_report_string(report, introspection->chunk));
    char *what, *pause, *threads, *sentence;

    if (!introspection->begun)
        what = pinsight_format("introspection %u", introspection->number);
    else if (!strcmp(cause, "ctl"))
        what = pinsight_format("introspection %u (ctl)", introspection->number);
    else
        what = pinsight_format("introspection %u (window of %s)", introspection->number, cause);
    if (!introspection->ended) {
        sentence = pinsight_format("%s: its end is not in this trace", what);
        free(what);
        return sentence;
    }
    pause = pause_text(report, change);
    threads = threads_text(introspection);
    sentence = pinsight_format("%s: %s%s%s%s; then %s%s%s%s", what, pause, message[0] ? ": " : "",
                               message, threads, pinsight_mode_word(introspection->mode),
                               introspection->reloaded ? " with a changed configuration" : "",
                               chunk[0] ? "; chunk " : "", chunk);
    PINSIGHT_FREE(what, pause, threads);
    return sentence;
}

static char *sentence_of(const struct pinsight_report *report,
                         const struct pinsight_change *change) {
    char *sentence, *clean;

    switch (change->kind) {
    case PINSIGHT_CHANGED_MODE:
        sentence = mode_sentence(report, &change->mode);
        break;
    case PINSIGHT_CHANGED_CONFIGURATION:
        sentence = config_sentence(report, &change->config);
        break;
    default:
        sentence = introspection_sentence(report, change);
    }
    clean = pinsight_text_clean(sentence);
    free(sentence);
    return clean;
}

static bool is_serious(const struct pinsight_change *change) {
    switch (change->kind) {
    case PINSIGHT_CHANGED_MODE:
        return false;
    case PINSIGHT_CHANGED_CONFIGURATION:
        return change->config.failed;
    default:
        return change->introspection.ended &&
               (change->introspection.how == PINSIGHT_INTROSPECT_FAILED ||
                change->introspection.message != 0);
    }
}

/* Returns the line with this sentence, or NULL. Only the last line, and lines of other processes,
 * are considered. `shown` has the pairs of group and process. */
static struct pinsight_change_group *find_group(struct pinsight_change_groups *groups,
                                                const struct pinsight_map *shown,
                                                const char *sentence,
                                                const struct pinsight_change *change) {
    uint64_t ns = change->ns;

    for (size_t i = groups->count; i-- > 0 && groups->count - i <= TOGETHER_LINES;) {
        struct pinsight_change_group *group = &groups->groups[i];

        if (ns - group->last_ns > TOGETHER_NS && ns > group->last_ns)
            return NULL;
        if (!strcmp(group->sentence, sentence) &&
            (i + 1 == groups->count ||
             pinsight_map_get(shown, (uint32_t)i, change->process->index, 0) == PINSIGHT_MAP_NONE))
            return group;
    }
    return NULL;
}

static struct pinsight_change_groups group_changes(const struct pinsight_report *report) {
    const struct pinsight_history *history = &report->model->history;
    struct pinsight_change_groups groups = {0};
    struct pinsight_map shown = {0}; /* by group and process */

    for (size_t i = 0; i < history->change_count; i++) {
        const struct pinsight_change *change = &history->changes[i];
        char *sentence = sentence_of(report, change);
        struct pinsight_change_group *group = find_group(&groups, &shown, sentence, change);
        uint32_t number;

        if (!group) {
            group = PINSIGHT_ADD(groups.groups, groups.count, groups.capacity);
            *group = (struct pinsight_change_group){.sentence = sentence, .first_ns = change->ns};
            sentence = NULL;
        }
        free(sentence);
        number = (uint32_t)(group - groups.groups);
        group->last_ns = change->ns;
        group->count++;
        if (pinsight_map_get(&shown, number, change->process->index, 0) == PINSIGHT_MAP_NONE) {
            pinsight_map_set(&shown, number, change->process->index, 0, 0);
            group->processes++;
        }
        group->process = change->process;
        group->serious |= is_serious(change);
    }
    pinsight_map_clear(&shown);
    return groups;
}

static void free_groups(struct pinsight_change_groups *groups) {
    for (size_t i = 0; i < groups->count; i++)
        free(groups->groups[i].sentence);
    free(groups->groups);
    *groups = (struct pinsight_change_groups){0};
}

/* Returns the beginning of a line, such as "rank 2: ", if there are several processes. The caller
 * frees it. */
static char *prefix_of(const struct pinsight_report *report,
                       const struct pinsight_change_group *group) {
    char *name, *lead;

    if (!view_processes_are_named(report->model))
        return pinsight_strdup("");
    if (group->processes > 1)
        return pinsight_format("%" PRIu64 " processes: ", group->processes);
    name = view_process_name(group->process);
    lead = pinsight_format("%s: ", name);
    free(name);
    return lead;
}

void pinsight_section_changes(const struct pinsight_report *report, FILE *out, size_t limit) {
    struct pinsight_change_groups groups = group_changes(report);
    size_t shown = pinsight_rows_shown(groups.count, limit);
    char remark[128] = "time since the start";

    if (groups.count && shown < groups.count)
        snprintf(remark, sizeof(remark),
                 "time since the start, the first %zu of %zu (--limit 0 shows all)", shown,
                 groups.count);
    if (groups.count)
        pinsight_head_section(report, out, "Changes while it ran", remark);
    for (size_t i = 0; i < shown; i++) {
        const struct pinsight_change_group *group = &groups.groups[i];
        uint64_t start = report->model->first_ns;
        struct pinsight_units time =
            pinsight_units_time(group->first_ns > start ? group->first_ns - start : 0);
        char times[48] = "";
        char *lead = prefix_of(report, group), *mark;

        mark =
            pinsight_format("%*s%s  ", (int)(10 - pinsight_text_width(time.text)), "", time.text);
        if (group->count > group->processes)
            snprintf(times, sizeof(times), " (%" PRIu64 " times)", group->count);
        pinsight_paragraph(out, report->options.colour,
                           group->serious ? PINSIGHT_WARN : PINSIGHT_PLAIN, report->options.width,
                           mark, "%s%s%s", lead, group->sentence, times);
        free(lead);
        free(mark);
    }
    free_groups(&groups);
}
