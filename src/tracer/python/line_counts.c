/* The sums of measured lines; see line_counts.h. */
#include "tracer/python/line_counts.h"

#include "tracer/core/log.h"
#include "tracer/core/resolve.h"
#include "tracer/python/domain.h"
#include "tracer/python/lines.h"
#include "tracer/record/python.h"

#include <stdlib.h>
#include <string.h>

#if !PINSIGHT_HAS_MONITORING

#include "format/measured_lines.h"

static char *wanted; /* title of the first section that wants lines; owned */

static void look(const char *title, bool names) {
    (void)names;
    if (!wanted)
        wanted = strdup(title);
}

void pinsight_lines_read_settings(void) {
    static struct pinsight_log_once once = PINSIGHT_LOG_ONCE_INIT;
    free(wanted);
    wanted = NULL;
    pinsight_resolve_line_sections(&pinsight_python_domain, NULL, NULL, look);
    if (wanted)
        pinsight_log_once(&once, "lines are not measured: use CPython 3.12 or later, which reports "
                                 "the lines of single functions");
}

void pinsight_lines_write(void) {
    if (wanted && pinsight_record_python_lines_wanted_enabled())
        pinsight_record_python_lines_wanted(wanted, PINSIGHT_LINES_UNSEEN);
}

#else

#include "tracer/core/clock.h"
#include "tracer/python/code.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects new entries */
struct pinsight_line_counts *_Atomic pinsight_line_counts;

/* ---- the sections of the configuration ---- */

#define SECTIONS_MAX 64u

static struct wanted_section {
    char *title; /* owned; never freed */
    uint32_t functions;
    bool now; /* in the present configuration */
} sections[SECTIONS_MAX];

/* Called under the lock. */
static void note_section(const char *title, bool names) {
    struct wanted_section *section = sections;
    while (section < sections + SECTIONS_MAX && section->title && strcmp(section->title, title))
        section++;
    if (section == sections + SECTIONS_MAX ||
        (!section->title && !(section->title = strdup(title))))
        return;
    section->functions += names;
    section->now = true;
}

void pinsight_lines_read_settings(void) {
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < SECTIONS_MAX; i++)
        sections[i].now = false;
    pinsight_resolve_line_sections(&pinsight_python_domain, NULL, NULL, note_section);
    pinsight_python.lines = false;
    for (unsigned i = 0; i < SECTIONS_MAX; i++)
        pinsight_python.lines |= sections[i].now;
    pthread_mutex_unlock(&lock);
}

/* ---- sums ---- */

static struct pinsight_line_counts *counts_new(PyCodeObject *code,
                                               struct pinsight_python_lexgion *lexgion) {
    int32_t first = INT32_MAX, last = 0;
    if (!lexgion->lines)
        pinsight_code_read_lines(lexgion, code);
    for (uint32_t i = 0; i < pinsight_line_count(lexgion); i++) {
        int32_t line = lexgion->lines[i];
        first = line > 0 && line < first ? line : first;
        last = line > last ? line : last;
    }
    if (first > last)
        return NULL;
    uint32_t count = (uint32_t)(last - first) + 1;
    struct pinsight_line_counts *counts =
        calloc(1, sizeof *counts + count * sizeof counts->lines[0]);
    if (!counts)
        return NULL;
    counts->lexgion = lexgion;
    counts->code = (PyCodeObject *)Py_NewRef(code);
    counts->interpreter = PyInterpreterState_Get();
    counts->first = first;
    counts->count = count;
    pthread_mutex_lock(&lock);
    counts->next = atomic_load(&pinsight_line_counts);
    atomic_store(&pinsight_line_counts, counts);
    pinsight_resolve_line_sections(&pinsight_python_domain, lexgion->filename, lexgion->name,
                                   note_section);
    pthread_mutex_unlock(&lock);
    return counts;
}

struct pinsight_line_counts *pinsight_line_counts_of(PyCodeObject *code,
                                                     struct pinsight_python_lexgion *lexgion) {
    struct pinsight_line_counts *known = atomic_load(&pinsight_line_counts);
    while (known && known->code != code)
        known = known->next;
    return known ? known : counts_new(code, lexgion);
}

void pinsight_line_counts_fork_child(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    for (struct pinsight_line_counts *at = atomic_load(&pinsight_line_counts); at; at = at->next) {
        for (uint32_t i = 0; i < at->count; i++) {
            at->lines[i].hits_written = at->lines[i].hits;
            at->lines[i].ticks_written = at->lines[i].ticks;
        }
    }
}

/* ---- records ---- */

static void write_line(const struct pinsight_line_counts *counts, uint32_t index,
                       struct pinsight_line_count *line) {
    uint64_t hits = line->hits, ticks = line->ticks;
    if (hits == line->hits_written && ticks == line->ticks_written)
        return;
    pinsight_record_python_line_measured(
        counts->lexgion->state.id, counts->first + (int32_t)index, hits - line->hits_written,
        (uint64_t)((double)(ticks - line->ticks_written) * pinsight_clock_rate()));
    line->hits_written = hits;
    line->ticks_written = ticks;
}

void pinsight_lines_write(void) {
    if (!pinsight_record_python_line_measured_enabled())
        return;
    for (struct pinsight_line_counts *at = atomic_load(&pinsight_line_counts); at; at = at->next) {
        if (!pinsight_python_define(at->lexgion))
            continue;
        for (uint32_t i = 0; i < at->count; i++)
            write_line(at, i, &at->lines[i]);
    }
    pthread_mutex_lock(&lock);
    for (struct wanted_section *at = sections; at < sections + SECTIONS_MAX && at->title; at++)
        pinsight_record_python_lines_wanted(at->title, at->functions);
    pthread_mutex_unlock(&lock);
}

#endif
