/* Writes sentences about obstacles to a comparison. */
#include "base/memory.h"
#include "views/diff/state.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Noise that hides changes from this percentage of a run's time on is worth a warning. */
#define NOISY 20
/* A run or a side has to be slower by this percentage for a note. */
#define SLOW 5

struct notes {
    void (*write)(void *data, const char *sentence);
    void *data;
};

__attribute__((format(printf, 2, 3))) static void note(const struct notes *notes,
                                                       const char *format, ...) {
    char *sentence = NULL;
    va_list arguments;

    va_start(arguments, format);
    if (vasprintf(&sentence, format, arguments) < 0)
        sentence = NULL;
    va_end(arguments);
    if (sentence)
        notes->write(notes->data, sentence);
    free(sentence);
}

static size_t runs_with(const struct pinsight_diff *diff, unsigned side,
                        enum pinsight_diff_kind kind) {
    size_t count = 0;

    for (size_t i = 0; i < diff->run_count[side]; i++)
        count += diff->runs[side][i].has[kind];
    return count;
}

static void note_kinds(const struct pinsight_diff *diff, const struct notes *notes) {
    static const char *const names[] = {"Python functions", "C calls", "OpenMP", "MPI",
                                        "Regions of the program"};
    static const char *const cures[] = {
        "record both sides with the same --events", "record both sides with the same --events",
        "record both sides with the same --domains", "record both sides with the same --domains",
        "both versions must name them"};

    for (size_t kind = 0; kind < PINSIGHT_DIFF_KIND_COUNT; kind++) {
        size_t a = runs_with(diff, 0, (enum pinsight_diff_kind)kind);
        size_t b = runs_with(diff, 1, (enum pinsight_diff_kind)kind);

        if (!a != !b)
            note(notes, "%s: in %s alone, not compared%s; %s.", names[kind], a ? "A" : "B",
                 kind == PINSIGHT_DIFF_C_CALL && diff->row_count
                     ? ", and the self time of the other side's functions has the time of their C "
                       "calls in it"
                     : "",
                 cures[kind]);
        else if ((a && a < diff->run_count[0]) || (b && b < diff->run_count[1]))
            note(notes, "%s: not in every run of %s; %s.", names[kind],
                 a < diff->run_count[0] && b < diff->run_count[1] ? "A and of B"
                 : a < diff->run_count[0]                         ? "A"
                                                                  : "B",
                 cures[kind]);
    }
}

static bool differ(const struct pinsight_diff *diff,
                   bool (*equal)(const struct pinsight_diff_run *a,
                                 const struct pinsight_diff_run *b)) {
    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < diff->run_count[side]; i++)
            if (!equal(&diff->runs[0][0], &diff->runs[side][i]))
                return true;
    return false;
}

static bool equal_python(const struct pinsight_diff_run *a, const struct pinsight_diff_run *b) {
    return !strcmp(a->python, b->python);
}

static bool equal_processes(const struct pinsight_diff_run *a, const struct pinsight_diff_run *b) {
    return a->processes == b->processes;
}

static bool equal_ranks(const struct pinsight_diff_run *a, const struct pinsight_diff_run *b) {
    return a->ranks == b->ranks;
}

static bool equal_mode(const struct pinsight_diff_run *a, const struct pinsight_diff_run *b) {
    return a->only_counted == b->only_counted && a->mixed == b->mixed;
}

static void note_machines(const struct pinsight_diff *diff, const struct notes *notes) {
    const struct pinsight_diff_run *a = &diff->runs[0][0], *b = &diff->runs[1][0];

    if (differ(diff, equal_python))
        note(notes, "The runs are of different Pythons: A %s, B %s.",
             a->python[0] ? a->python : "none", b->python[0] ? b->python : "none");
    if (differ(diff, equal_ranks))
        note(notes, "The runs have different numbers of MPI ranks: A %zu, B %zu.", a->ranks,
             b->ranks);
    else if (differ(diff, equal_processes))
        note(notes, "The runs have different numbers of processes: A %zu, B %zu.", a->processes,
             b->processes);
    if (differ(diff, equal_mode))
        note(notes, "Some runs were traced and others counted (MONITORING), which costs the "
                    "program less: compare runs of one mode.");
}

static void note_damage(const struct pinsight_diff *diff, const struct notes *notes) {
    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < diff->run_count[side]; i++) {
            const struct pinsight_diff_run *run = &diff->runs[side][i];

            if (run->damaged)
                note(notes, "%s is damaged: its missing part looks like less time.", run->path);
            if (run->incomplete)
                note(notes,
                     "%s is not whole: its recording ended early (`pinsight report` says why), and "
                     "its missing part looks like less time.",
                     run->path);
            if (run->discarded_events)
                note(notes,
                     "%s lacks %" PRIu64
                     " events, which were lost (`pinsight report` says why): its "
                     "times are not to be relied on.",
                     run->path, run->discarded_events);
            if (run->windows)
                note(notes, "%s was recorded with windows: what lay outside them is not compared.",
                     run->path);
        }
}

/* Notes a side whose whole runs differ so much that few changes could be seen. */
static void note_noise(const struct pinsight_diff *diff, const struct notes *notes) {
    for (unsigned side = 0; side < 2 && diff->noise_known; side++) {
        size_t count = diff->run_count[side];
        uint64_t *values = pinsight_calloc(count, sizeof(*values));
        struct pinsight_diff_stat stat;
        double percent;

        for (size_t i = 0; i < count; i++)
            values[i] = diff->runs[side][i].recorded_ns;
        stat = pinsight_diff_stat(values, count);
        free(values);
        percent = stat.median ? (double)(stat.high - stat.low) * 100 / (double)stat.median : 0;
        if (percent * diff->rule.factors.range >= NOISY)
            note(notes,
                 "The runs of %c differ by %.0f %% among themselves: small changes may be lost in "
                 "the noise%s. More runs, longer runs or a machine with less other work would show "
                 "more%s.",
                 "AB"[side], percent,
                 diff -> steady_rows ? ", but for those of functions with many calls" : "",
                 diff->runs[side][0].only_counted && !diff->steady_rows
                     ? "; so would runs that record each call, without --mode MONITORING"
                     : "");
    }
}

/* Finds the least and the largest slowness of a side's runs. */
static void factors_of(const struct pinsight_diff *diff, unsigned side, double *least,
                       double *most) {
    *least = HUGE_VAL;
    *most = 0;
    for (size_t i = 0; i < diff->run_count[side]; i++) {
        *least = fmin(*least, diff->runs[side][i].factor);
        *most = fmax(*most, diff->runs[side][i].factor);
    }
}

/* Notes a run, or a side, all of whose calls were slower. */
static void note_throughout(const struct pinsight_diff *diff, const struct notes *notes) {
    double least[2], most[2], percent = fabs(diff->throughout - 1) * 100;
    bool more = diff->throughout > 1;

    if (diff->throughout <= 0)
        return;
    for (unsigned side = 0; side < 2; side++) {
        factors_of(diff, side, &least[side], &most[side]);
        for (size_t i = 0; i < diff->run_count[side]; i++) {
            double slower = (diff->runs[side][i].factor / least[side] - 1) * 100;

            if (slower >= SLOW)
                note(notes, "Run %zu of %c, %s, was %.0f %% slower throughout than the fastest.",
                     i + 1, "AB"[side], diff -> runs[side][i].path, slower);
        }
    }
    if (percent >= SLOW && (more ? least[1] > most[0] : least[0] > most[1]))
        note(notes,
             "Calls take %.0f %% %s in B than in A throughout (the middle of %zu functions and C "
             "calls): all of the program has changed, or the machine was %s.",
             percent, more ? "more" : "less", diff->steady_rows, more ? "slower" : "faster");
}

void pinsight_diff_notes(const struct pinsight_diff *diff,
                         void (*write)(void *data, const char *sentence), void *data) {
    const struct notes notes = {write, data};

    if (!diff->noise_known)
        note(&notes, "With one run of a side, noise and change look alike: these are differences. "
                     "Record each version three times or more, in turn, and compare with pinsight "
                     "diff A1 A2 A3 --to B1 B2 B3.");
    note_noise(diff, &notes);
    note_throughout(diff, &notes);
    note_damage(diff, &notes);
    note_kinds(diff, &notes);
    note_machines(diff, &notes);
}
