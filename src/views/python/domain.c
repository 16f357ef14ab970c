/* Views of Python: functions, C callables, imports, garbage collections, waits, tasks. */
#include "views/domain.h"

#include "base/run_info.h"
#include "base/text.h"
#include "reader/python/gil.h"
#include "views/python/allocations.h"
#include "views/python/garbage.h"
#include "views/python/python.h"
#include "views/report/attribution.h"
#include "views/report/call_place.h"
#include "views/report/head.h"
#include "views/report/not_recorded_notices.h"

#include <stdlib.h>

static const char *string(const struct pinsight_model *model, uint32_t number) {
    return pinsight_strings_text(&model->strings, number);
}

static void text_of_function(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                             struct pinsight_slice_text *text) {
    const struct pinsight_function *function = &texts->model->functions[slice->id];

    text->name = string(texts->model, function->name);
    text->file = string(texts->model, function->file);
    text->module = string(texts->model, function->module);
    text->line = function->line;
}

static void details_of_function(const struct pinsight_slice *slice,
                                const struct pinsight_slice_details *details) {
    if (slice->how == PINSIGHT_HOW_RESUME)
        pinsight_detail(details, "resumed", PINSIGHT_DETAIL_FLAG, 1);
    else if (slice->how == PINSIGHT_HOW_THROW)
        pinsight_detail(details, "thrown_into", PINSIGHT_DETAIL_FLAG, 1);
}

static void text_of_c_call(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                           struct pinsight_slice_text *text) {
    const struct pinsight_model *model = texts->model;
    const struct pinsight_site *site = &model->sites[slice->id];

    text->name = string(model, model->callees[site->callee].name);
    text->module = string(model, model->callees[site->callee].module);
    text->line = site->line;
    if (site->caller != PINSIGHT_NONE)
        text->file = string(model, model->functions[site->caller].file);
}

static uint32_t callee_of(const struct pinsight_model *model, const struct pinsight_slice *slice) {
    return model->sites[slice->id].callee;
}

static void text_of_import(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                           struct pinsight_slice_text *text) {
    text->name = string(texts->model, slice->id);
}

static void text_of_gc(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                       struct pinsight_slice_text *text) {
    static const char *const names[] = {"gc generation 0", "gc generation 1", "gc generation 2"};

    text->name = slice->id < 3 ? names[slice->id] : "gc";
}

static const struct slice_view function = {
    .category = "python", .word = "???", .text = text_of_function, .details = details_of_function};
static const struct slice_view c_call = {
    .category = "c", .word = "C", .text = text_of_c_call, .runs = callee_of};
static const struct slice_view import = {
    .category = "import", .word = "import", .prefix = "import ", .text = text_of_import};

static const struct slice_view gc = {.category = "gc", .word = "gc", .text = text_of_gc};

/* All waits of a kind are one thing. */
static uint32_t one(const struct pinsight_model *model, const struct pinsight_slice *slice) {
    (void)model;
    (void)slice;
    return 0;
}

static const struct slice_view gil = {
    .category = "gil", .word = "GIL", .name = "wait: GIL", .runs = one};
static const struct slice_view lock = {
    .category = "lock", .word = "lock", .name = "wait: lock", .runs = one};

static void text_of_step(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                         struct pinsight_slice_text *text) {
    const struct pinsight_model *model = texts->model;
    const struct pinsight_task_coroutine *coroutine =
        &pinsight_model_python(model)->tasks.coroutines[slice->id];

    text->name = string(model, coroutine->name);
    if (coroutine->function == PINSIGHT_NONE)
        return;
    text->name = pinsight_function_name(model, coroutine->function);
    text->file = string(model, model->functions[coroutine->function].file);
    text->line = model->functions[coroutine->function].line;
}

static void text_of_await(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                          struct pinsight_slice_text *text) {
    text->name =
        slice->id == PINSIGHT_NONE ? "wait" : pinsight_function_name(texts->model, slice->id);
}

static const struct slice_view step = {.category = "task", .word = "task", .text = text_of_step};
static const struct slice_view await = {
    .category = "await", .word = "await", .text = text_of_await};
static const struct slice_view ready = {.category = "ready", .word = "ready", .name = "ready"};

static void notice_replaced(struct pinsight_notices *notices, const struct pinsight_report *report,
                            const struct pinsight_python *python) {
    struct python_call_place place = python_call_place(report, python->replaced_path);
    char *where = place.name ? pinsight_text_place(place.file, place.line) : NULL;

    pinsight_notice(notices, PINSIGHT_NOTICE_WRONG,
                    "The program started a profiler of its own (sys.setprofile or cProfile)%s%s: "
                    "while it ran, its thread was not recorded. CPython 3.12 and later allow both.",
                    where ? " at " : "", where ? where : "");
    free(where);
}

static void notice_unseen(struct pinsight_notices *notices, const struct pinsight_report *report) {
    static const char *const why[] = {
        [PINSIGHT_WAITS_NOT_PRELOADED] =
            "Waits for the GIL and for locks are not seen in a process that `pinsight run` did not "
            "start: it preloads what sees them.",
        [PINSIGHT_WAITS_PLAIN] =
            "Waits for the GIL and for locks are not seen because of PINSIGHT_PLAIN=1."};
    const struct pinsight_python *python = pinsight_model_python(report->model);
    const struct pinsight_run_info *run = report->options.chunk ? NULL : report->options.run;

    for (size_t i = 0; python && i < sizeof(why) / sizeof(why[0]); i++)
        if (python->unseen[i] && why[i])
            pinsight_notice(notices, PINSIGHT_NOTICE_ALWAYS, "%s", why[i]);
    if (python && python->unseen[PINSIGHT_WAITS_UNKNOWN_PYTHON])
        pinsight_notice(notices, PINSIGHT_NOTICE_ALWAYS,
                        "Waits for the GIL and for locks are not seen%s%s.",
                        run && run->plain_why[0] ? ", as " : " by public interfaces alone",
                        run ? run->plain_why : "");
    if (python)
        PINSIGHT_NOTICE_COUNT(notices, PINSIGHT_NOTICE_WRONG, python->interpreters.unseen,
                              "Python in %s sub-interpreter%s was not recorded: that takes CPython "
                              "3.12 or later, without PINSIGHT_PLAIN=1.",
                              python->interpreters.unseen == 1 ? "" : "s");
    if (python && python->replaced)
        notice_replaced(notices, report, python);
    for (size_t i = 0; python && i < python->lines.section_count; i++)
        if (!python->lines.sections[i].functions || python->lines.sections[i].unseen)
            pinsight_notice(notices, PINSIGHT_NOTICE_ALWAYS,
                            python->lines.sections[i].unseen
                                ? "No lines were measured for %s in a CPython before 3.12, which "
                                  "does not report the lines of single functions."
                                : "No lines were measured for %s: no function that began has this "
                                  "file and qualified name.",
                            string(report->model, python->lines.sections[i].title));
}

static const struct pinsight_section *const sections[] = {
    &pinsight_section_of_garbage, &pinsight_section_of_allocations,
    &pinsight_section_of_gil,     &pinsight_section_of_locks,
    &pinsight_section_of_tasks,   &pinsight_section_of_exceptions,
    &pinsight_section_of_starts,  NULL};

/* The remarks on a section in the report and in the summary. The function text() returns a text
 * that the caller frees, or NULL. The summary shows it if is_much() returns true, or if there is no
 * such function. */
static const struct {
    const struct pinsight_section *section;
    char *(*text)(const struct pinsight_report *report);
    const char *shown;
    bool (*is_much)(const struct pinsight_report *report);
} remarks[] = {
    {&pinsight_section_of_garbage, pinsight_garbage_text,
     "--gc shows the functions that they struck", pinsight_garbage_is_much},
    {&pinsight_section_of_allocations, pinsight_allocations_text, "--allocations shows them", NULL},
};

static void print_brief(const struct pinsight_report *report, FILE *out, size_t limit) {
    (void)limit;
    for (size_t i = 0; i < sizeof(remarks) / sizeof(remarks[0]); i++) {
        char *text = remarks[i].text(report);

        if (text)
            pinsight_section_remark(remarks[i].section, report, out,
                                    pinsight_format("%s (%s)", text, remarks[i].shown));
        free(text);
    }
}

/* Writes lines of the summary. */
static void print_lines(const struct pinsight_report *report, FILE *out, bool few) {
    (void)few;
    for (size_t i = 0; i < sizeof(remarks) / sizeof(remarks[0]); i++) {
        bool wanted = !remarks[i].is_much || remarks[i].is_much(report);
        char *text = wanted ? remarks[i].text(report) : NULL;

        if (text)
            pinsight_head_line(report, out, "%s: %s", remarks[i].section->title, text);
        free(text);
    }
}

static void add_attribution(struct pinsight_attribution_maker *maker,
                            const struct pinsight_report *report,
                            const struct pinsight_attribution_walk *walk) {
    const struct pinsight_python *python = pinsight_model_python(report->model);

    (void)walk;
    for (size_t i = 0; python && i < python->locks.wait_count; i++)
        pinsight_attribution_wait(maker, python->locks.waits[i].path,
                                  python->locks.waits[i].sums.wait_ns);
}

const struct view_domain view_domain_python = {
    .sections = sections,
    .slices = {[PINSIGHT_SLICE_FUNCTION] = &function,
               [PINSIGHT_SLICE_C_CALL] = &c_call,
               [PINSIGHT_SLICE_IMPORT] = &import,
               [PINSIGHT_SLICE_GC] = &gc,
               [PINSIGHT_SLICE_GIL] = &gil,
               [PINSIGHT_SLICE_LOCK] = &lock,
               [PINSIGHT_SLICE_STEP] = &step,
               [PINSIGHT_SLICE_AWAIT] = &await,
               [PINSIGHT_SLICE_READY] = &ready},
    .lines = print_lines,
    .brief = print_brief,
    .rules = python_rules,
    .notice = notice_unseen,
    .attribution = add_attribution,
};
