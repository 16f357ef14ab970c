/* Finds the main reason for which a device was idle, and writes it as a sentence. */
#include "views/cuda/cuda.h"
#include "views/cuda/idle.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "base/users_code.h"

#include <stdlib.h>
#include <string.h>

/* From this share of the reason's time on, one line has all of it. */
#define ONE_LINE 0.9
/* From this share of a device's time on, a repeated reason is added to a single long gap. */
#define AGAIN_SHARE 0.005
#define LEAST_GAPS 3
/* The most rows to look at. Further rows are small. */
#define MOST_ROWS 256
/* The share of their time from which the work of other threads is named, while one thread waits.
 * DEEPEST limits how many generations below the waiting process they may be. */
#define OTHERS_SHARE 0.25
#define DEEPEST 4

/* All rows with one function and cause, and the largest of them. */
struct culprit {
    uint64_t ns;
    const struct pinsight_idle_row *most;
};

static bool is_same(const struct pinsight_idle_row *a, const struct pinsight_idle_row *b) {
    return a->device == b->device && a->doing.cause == b->doing.cause &&
           a->doing.place.function == b->doing.place.function;
}

/* Returns whether a reason is one long gap, such as a start-up. */
static bool is_once(const struct culprit *culprit) {
    return (double)culprit->most->longest_ns >= ONE_LINE * (double)culprit->ns;
}

static bool recurs(const struct culprit *culprit) {
    return !is_once(culprit) && culprit->most->gaps >= LEAST_GAPS;
}

/* Returns whether an earlier row has the same function and cause, and was looked at. */
static bool is_known(const struct pinsight_idle_view *view, size_t row) {
    for (size_t i = 0; i < row; i++)
        if (is_same(&view->rows[i], &view->rows[row]))
            return true;
    return false;
}

/* Returns the largest reason of all, or of the repeated ones. */
static struct culprit culprit_of(const struct pinsight_idle_view *view, uint32_t device,
                                 bool again) {
    struct culprit worst = {0};

    for (size_t i = 0; i < view->count && i < MOST_ROWS; i++) {
        struct culprit one = {0, &view->rows[i]};

        if (view->rows[i].device != device || is_known(view, i))
            continue;
        for (size_t j = i; j < view->count; j++)
            if (is_same(&view->rows[j], one.most))
                one.ns += view->rows[j].ns;
        if (one.ns > worst.ns && (!again || recurs(&one)))
            worst = one;
    }
    return worst;
}

/* Returns the words before "load (train.py:41)". */
static const char *words_for(unsigned cause) {
    static const char *const words[PINSIGHT_IDLE_CAUSES] = {
        [PINSIGHT_IDLE_NOTHING] = "before calls of CUDA by",
        [PINSIGHT_IDLE_PYTHON] = "in",
        [PINSIGHT_IDLE_LOADER] = "in the data loader, called by",
        [PINSIGHT_IDLE_GIL] = "waiting for the GIL in",
        [PINSIGHT_IDLE_LOCK] = "waiting for a lock in",
        [PINSIGHT_IDLE_GC] = "collecting garbage in",
        [PINSIGHT_IDLE_IMPORT] = "importing in",
        [PINSIGHT_IDLE_NATIVE] = "in native work of",
        [PINSIGHT_IDLE_SYNC] = "synchronising in",
        [PINSIGHT_IDLE_COPY] = "copying in",
        [PINSIGHT_IDLE_MEMORY] = "with device memory in",
        [PINSIGHT_IDLE_MODULE] = "loading kernels in",
        [PINSIGHT_IDLE_CALL] = "in calls of CUDA by",
        [PINSIGHT_IDLE_LAUNCHES] = "because small launches come too slowly from",
        [PINSIGHT_IDLE_ASKED] = "from launch to start, for",
    };

    return words[cause];
}

/* Returns a text such as ", in __next__", unless the cause says it already. The caller frees it. */
static char *text_of_callee(const struct pinsight_report *report,
                            const struct pinsight_doing *doing) {
    const char *callee = pinsight_doing_callee(report, doing);
    char *clean, *text;

    if (!callee || doing->callee_kind == PINSIGHT_CALLEE_CUDA)
        return pinsight_strdup("");
    clean = pinsight_text_clean(callee);
    text = pinsight_format(", in %s", clean);
    free(clean);
    return text;
}

/* Returns a text such as "train (train.py:20, in __next__)". `word` stands before the place. The
 * caller frees it. */
static char *text_of_doing(const struct pinsight_report *report, const struct pinsight_doing *doing,
                           const char *word) {
    char *place, *name, *callee, *text;

    if (doing->place.function == PINSIGHT_NONE)
        return pinsight_strdup("a thread without Python");
    place = pinsight_doing_place(report, doing);
    name = pinsight_text_clean(pinsight_function_name(report->model, doing->place.function));
    callee = text_of_callee(report, doing);
    text = pinsight_format("%s (%s%s%s)", name, word, place, callee);
    PINSIGHT_FREE(place, name, callee);
    return text;
}

/* ---- the work of other threads meanwhile ---- */

static const char *file_of(const struct pinsight_report *report, uint32_t function) {
    return function == PINSIGHT_NONE
               ? ""
               : pinsight_report_string(report, report->model->functions[function].file);
}

/* Returns whether a thread waits for another thread or process. Such a thread is in a loader, waits
 * for a lock, or is in a Python module for waiting. */
static bool waits_for_others(const struct pinsight_report *report,
                             const struct pinsight_doing *doing) {
    static const char *const modules[] = {"/multiprocessing/", "/concurrent/futures/", "/queue.py",
                                          "/threading.py", "/selectors.py"};
    const char *file;

    if (doing->cause == PINSIGHT_IDLE_LOADER || doing->cause == PINSIGHT_IDLE_LOCK)
        return true;
    if (doing->cause != PINSIGHT_IDLE_PYTHON || doing->callee_kind != PINSIGHT_CALLEE_FUNCTION)
        return false;
    file = file_of(report, doing->callee);
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
        if (strstr(file, modules[i]))
            return true;
    return false;
}

static bool uses_device(const struct pinsight_cuda *cuda, const struct pinsight_process *process,
                        uint32_t device) {
    for (size_t i = 0; i < cuda->stream_count; i++)
        if (cuda->streams[i]->base.process == process && cuda->streams[i]->device == device)
            return true;
    return false;
}

static bool calls_cuda(const struct pinsight_cuda *cuda, const struct pinsight_process *process) {
    for (size_t i = 0; i < cuda->site_count; i++)
        if (cuda->sites[i].process == process->index)
            return true;
    return false;
}

/* Returns whether the threads of a process may work for a process that uses a device. This is the
 * same process, or one below it that does not call CUDA itself. */
static bool may_help(const struct pinsight_model *model, const struct pinsight_process *process,
                     uint32_t device) {
    const struct pinsight_cuda *cuda = pinsight_model_cuda(model);
    bool is_first = true;

    for (int i = 0; process && i < DEEPEST; i++, process = pinsight_model_parent(process)) {
        if (uses_device(cuda, process, device))
            return true;
        if (is_first && calls_cuda(cuda, process))
            return false;
        is_first = false;
    }
    return false;
}

static bool is_users(const struct pinsight_report *report, const struct pinsight_doing *doing) {
    return doing->cause == PINSIGHT_IDLE_PYTHON && !waits_for_others(report, doing) &&
           pinsight_users_file(&report->model->code_folders,
                               file_of(report, doing->place.function));
}

/* Returns the longest state of other threads, in the user's code; NULL if unknown. */
static const struct pinsight_doing *most_of_others(const struct pinsight_report *report,
                                                   uint32_t device) {
    const struct pinsight_idle_view *view = pinsight_idle_of(report);
    const struct pinsight_other_row *most = NULL;
    uint64_t all = 0;

    for (size_t i = 0; i < view->other_count; i++) {
        const struct pinsight_other_row *row = &view->others[i];

        if (i >= MOST_ROWS || !is_users(report, &row->doing) ||
            !may_help(report->model, report->model->processes[row->process], device))
            continue;
        all += row->ns;
        most = most ? most : row;
    }
    return most && (double)most->ns >= OTHERS_SHARE * (double)all ? &most->doing : NULL;
}

/* Returns a text such as ", while others are in load (data.py:41, in sleep)", or "". The caller
 * frees it. */
static char *text_of_others(const struct pinsight_report *report, uint32_t device) {
    const struct pinsight_doing *others = most_of_others(report, device);
    char *doing, *text;

    if (!others)
        return pinsight_strdup("");
    doing = text_of_doing(report, others, "");
    text = pinsight_format(", while others are in %s", doing);
    free(doing);
    return text;
}

/* Returns a text such as "in load (train.py:41), while others …". The caller frees it. */
static char *text_of(const struct pinsight_report *report, const struct culprit *culprit) {
    const struct pinsight_doing *of = &culprit->most->doing;
    bool is_one = (double)culprit->most->ns >= ONE_LINE * (double)culprit->ns;
    char *doing = text_of_doing(report, of, is_one ? "" : "most: ");
    char *others = waits_for_others(report, of) ? text_of_others(report, culprit->most->device)
                                                : pinsight_strdup("");
    char *text = pinsight_format("%s %s%s", words_for(of->cause), doing, others);

    PINSIGHT_FREE(doing, others);
    return text;
}

/* Returns whether a repeated reason takes enough to be added to a single one. */
static bool adds_recurring(const struct pinsight_report *report, uint32_t device,
                           const struct culprit *again) {
    const struct pinsight_cuda_device *of = &pinsight_model_cuda(report->model)->devices[device];

    return (double)again->ns >= AGAIN_SHARE * (double)pinsight_time_rest(of->last_ns, of->first_ns);
}

const struct pinsight_doing *pinsight_idle_culprit(const struct pinsight_report *report,
                                                   uint32_t device) {
    const struct pinsight_idle_view *view = pinsight_idle_of(report);
    const struct pinsight_doing *others;
    struct culprit first = {0}, again = {0};

    if (view)
        first = culprit_of(view, device, false);
    if (first.most && is_once(&first))
        again = culprit_of(view, device, true);
    if (again.most && adds_recurring(report, device, &again))
        first = again;
    if (!first.most)
        return NULL;
    others = waits_for_others(report, &first.most->doing) ? most_of_others(report, device) : NULL;
    return others ? others : &first.most->doing;
}

char *pinsight_idle_sentence(const struct pinsight_report *report, uint32_t device) {
    const struct pinsight_cuda_device *of = &pinsight_model_cuda(report->model)->devices[device];
    uint64_t span = pinsight_time_rest(of->last_ns, of->first_ns);
    struct culprit first = {0}, again = {0};
    char *text = NULL, *one;

    if (pinsight_idle_of(report))
        first = culprit_of(pinsight_idle_of(report), device, false);
    if (!first.most)
        return NULL;
    if (is_once(&first)) {
        again = culprit_of(pinsight_idle_of(report), device, true);
        one = text_of(report, &first);
        pinsight_append(&text, "once %s %s", pinsight_units_time(first.most->longest_ns).text, one);
        free(one);
        if (!adds_recurring(report, device, &again))
            return text;
        pinsight_append(&text, "; again and again, ");
        first = again;
    }
    one = text_of(report, &first);
    pinsight_append(&text, "%s %% %s", pinsight_units_percent(first.ns, span).text, one);
    free(one);
    return text;
}

bool pinsight_idle_is_same(const struct pinsight_report *report, uint32_t a, uint32_t b) {
    struct culprit first, second;

    if (!pinsight_idle_of(report))
        return true;
    first = culprit_of(pinsight_idle_of(report), a, false);
    second = culprit_of(pinsight_idle_of(report), b, false);
    return first.most && second.most && first.most->doing.cause == second.most->doing.cause &&
           first.most->doing.place.function == second.most->doing.place.function;
}
