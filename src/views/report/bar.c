/* Writes the bar, whose parts come from attribution.h, and from the counts of MONITORING. */
#include "views/report/bar.h"

#include "base/ascii.h"
#include "base/grid.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "views/domain.h"
#include "views/report/attribution.h"
#include "views/report/start_up.h"

#include <stdlib.h>

/* Widths in columns: the widest bar, the text beside it, and the narrowest bar. */
#define BAR_WIDTH 48
#define BESIDE_BAR 32
#define LEAST_BAR 10

/* One kind of time. */
struct bar_part {
    struct bar_view view;
    uint64_t ns;
};

/* Each domain of native code has two parts: work and waiting. */
enum {
    PYTHON,
    C,
    GARBAGE,
    NATIVE,
    DOMAINS,
    START_UP = DOMAINS + 2 * PINSIGHT_ATTRIBUTION_DOMAINS,
    WAITING,
    READY,
    UNSEEN,
    PARTS
};

static void take_off(struct bar_part *part, uint64_t *ns) {
    uint64_t taken = pinsight_least(part->ns, *ns);

    part->ns -= taken;
    *ns -= taken;
}

/* Moves a time from one part to another, as far as the first one has it. Returns the rest. */
static uint64_t move(struct bar_part *to, struct bar_part *from, uint64_t ns) {
    const uint64_t moved = pinsight_least(from->ns, ns);

    from->ns -= moved;
    to->ns += moved;
    return ns - moved;
}

static uint64_t share_of(uint64_t ns, uint64_t own_ns, uint64_t whole) {
    return whole ? (uint64_t)((double)ns * (double)own_ns / (double)whole) : 0;
}

/* Moves waiting, and time ready without a processor, to parts of their own. MONITORING counts calls
 * and no single waits, but the clock of a thread has both sums. Python's code waits only for the
 * GIL. Therefore C calls have the waits first. All code is equally likely to lack a processor.
 * Imports keep their share in their own part, also the waits of MPI_Init within an import. */
static void add_clock(const struct pinsight_report *report,
                      const struct pinsight_attribution_thread *thread, struct bar_part *parts) {
    const struct pinsight_thread_clock *clock = &thread->thread->clock;
    const uint64_t imports = thread->thread->number == 0
                                 ? report->attribution->imports_ns[thread->thread->process->index]
                                 : 0;
    const uint64_t whole = thread->python_ns + thread->c_ns;
    const uint64_t room =
        pinsight_time_rest(whole, pinsight_attribution_away_ns(&thread->away) + imports);
    const uint64_t waiting =
        pinsight_attribution_waiting_ns(&thread->away) + thread->imported_mpi_ns;
    const uint64_t waited = pinsight_least(pinsight_time_rest(clock->waiting_ns, waiting), room);
    const uint64_t missed = pinsight_time_rest(clock->ready_ns, thread->away.ready_ns);
    /* A counted wait lasts until the thread runs. The clock knows the end of the waiting. */
    const uint64_t late = pinsight_least(missed, pinsight_time_rest(waiting, clock->waiting_ns));
    /* The clock is read from the start of the thread, when no code is counted yet. */
    const uint64_t known = clock->known_ns > whole ? clock->known_ns : whole;
    const uint64_t ready = pinsight_least(share_of(missed - late, room, known), room - waited);
    uint64_t left = ready;

    move(&parts[WAITING], &parts[PYTHON], move(&parts[WAITING], &parts[C], waited));
    if (!pinsight_report_has_ready(report))
        return;
    move(&parts[READY], &parts[WAITING], late);
    for (size_t d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++) {
        const uint64_t share = share_of(ready, thread->counted_native_ns[d], whole);

        left -= share - move(&parts[READY], &parts[DOMAINS + 2 * d], share);
    }
    for (unsigned part = PYTHON; part <= C; part++) {
        const uint64_t own_ns = part == C ? thread->c_ns : thread->python_ns;
        const uint64_t share = pinsight_least(left, share_of(ready, own_ns, whole));

        left -= share - move(&parts[READY], &parts[part], share);
    }
    move(&parts[READY], &parts[PYTHON], move(&parts[READY], &parts[C], left));
}

static void add_counted(const struct pinsight_report *report, struct bar_part *parts) {
    const struct pinsight_attribution_view *attribution = report->attribution;

    for (size_t t = 0; t < attribution->thread_count; t++)
        for (size_t d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++)
            move(&parts[DOMAINS + 2 * d], &parts[PYTHON],
                 move(&parts[DOMAINS + 2 * d], &parts[C],
                      attribution->threads[t].counted_native_ns[d]));
    for (size_t t = 0; t < attribution->thread_count; t++)
        if (attribution->threads[t].wall_ns && !attribution->threads[t].idle)
            add_clock(report, &attribution->threads[t], parts);
}

static void make_parts(const struct pinsight_report *report, struct bar_part *parts) {
    const struct pinsight_model *model = report->model;
    const struct pinsight_attribution_view *attribution = report->attribution;
    const bool has_ready = pinsight_report_has_ready(report);
    const uint64_t gc_ready = attribution->gc_ready_ns;
    const struct pinsight_attribution_import *start = &attribution->all_imports;
    const struct pinsight_attribution_idle *idle = &attribution->idle;
    const struct pinsight_attribution_away away_of = {
        pinsight_time_rest(attribution->away.python_ns,
                           start->away.python_ns + idle->away.python_ns),
        pinsight_time_rest(attribution->away.c_ns, start->away.c_ns + idle->away.c_ns),
        pinsight_time_rest(attribution->away.ready_ns, start->away.ready_ns + idle->away.ready_ns),
    };

    parts[PYTHON] = (struct bar_part){
        {"Python", "█", "#", PINSIGHT_PYTHON},
        pinsight_time_rest(attribution->python_ns,
                           start->python_ns + idle->python_ns + away_of.python_ns)};
    parts[C] = (struct bar_part){
        {"C", "░", ".", PINSIGHT_C},
        pinsight_time_rest(attribution->c_ns, start->c_ns + idle->c_ns + away_of.c_ns)};
    parts[START_UP] =
        (struct bar_part){{"Imports", "▫", "i", PINSIGHT_DIM}, pinsight_start_up_ns(report)};
    parts[GARBAGE] =
        (struct bar_part){{"Garbage", "▪", "&", PINSIGHT_PYTHON}, attribution->gc_ns - gc_ready};
    parts[NATIVE] = (struct bar_part){{"Native code", "▄", "~", PINSIGHT_C}, 0};
    parts[READY] = (struct bar_part){{"No free CPU", "×", "x", PINSIGHT_DIM},
                                     has_ready ? away_of.ready_ns + gc_ready : 0};
    parts[WAITING] = (struct bar_part){
        {"Waiting", "╌", ":", PINSIGHT_DIM},
        pinsight_time_rest(pinsight_attribution_away_ns(&away_of) + gc_ready, parts[READY].ns)};
    parts[has_ready ? READY : WAITING].ns += start->away.ready_ns;
    parts[UNSEEN] = (struct bar_part){{"Not recorded", "·", "_", PINSIGHT_DIM}, 0};
    for (size_t d = 0; d < PINSIGHT_ATTRIBUTION_DOMAINS; d++) {
        const struct pinsight_attribution_work *work = &attribution->all[d];
        uint64_t waiting = view_domains[d]->bar_waiting.name ? work->wall_waiting_ns : 0;
        uint64_t ready = has_ready ? work->wall_ready_ns : 0;
        uint64_t away = work->wall_away_ns + work->wall_ready_ns - ready;

        parts[DOMAINS + 2 * d] = (struct bar_part){
            view_domains[d]->bar, pinsight_time_rest(work->wall_ns, waiting + ready + away)};
        parts[DOMAINS + 2 * d + 1] = (struct bar_part){view_domains[d]->bar_waiting, waiting};
        parts[READY].ns += ready;
        parts[WAITING].ns += away;
    }
    /* A thread whose Python was recorded has no such time, see attribution.h. */
    if (report->by_path || (!report->only_counted && !report->mixed)) {
        parts[NATIVE].ns = attribution->native_ns;
        parts[UNSEEN].ns = attribution->unseen_ns;
    }
    if (report->mixed && !report->by_path) {
        /* Slices of traced calls contain the counted calls within them. */
        uint64_t of_python = report->model->counted_within_ns[PINSIGHT_FUNCTION];
        uint64_t of_c = report->model->counted_within_ns[PINSIGHT_C_CALL];

        take_off(&parts[C], &of_c);
        of_python += of_c;
        take_off(&parts[PYTHON], &of_python);
        take_off(&parts[WAITING], &of_python);
        take_off(&parts[READY], &of_python);
        take_off(&parts[C], &of_python);
    }
    /* Native work that was only counted is part of these times. */
    for (size_t i = 0; i < model->function_count && !report->by_path; i++)
        parts[PYTHON].ns += model->functions[i].counted.self_ns;
    parts[PYTHON].ns = pinsight_time_rest(parts[PYTHON].ns, start->counted_ns);
    for (size_t i = 0; i < model->callee_count && !report->by_path; i++)
        parts[C].ns += model->callees[i].counted.self_ns;
    parts[GARBAGE].ns += attribution->counted_gc.self_ns;
    if (report->by_path)
        add_counted(report, parts);
}

uint64_t pinsight_bar_whole_ns(const struct pinsight_report *report) {
    struct bar_part parts[PARTS];
    uint64_t whole = 0;

    make_parts(report, parts);
    for (size_t i = 0; i < PARTS; i++)
        whole += parts[i].ns;
    return whole;
}

static void print_bar(const struct pinsight_report *report, FILE *out, const struct bar_part *parts,
                      uint64_t whole, bool ascii) {
    unsigned width = report->options.width > BESIDE_BAR + LEAST_BAR
                         ? report->options.width - BESIDE_BAR
                         : LEAST_BAR;
    uint64_t sum = 0;
    unsigned done = 0;

    if (width > BAR_WIDTH)
        width = BAR_WIDTH;
    for (size_t i = 0; i < PARTS; i++) {
        unsigned until;

        sum += parts[i].ns;
        until = (unsigned)((double)sum * width / (double)whole + 0.5);
        if (until == done)
            continue;
        pinsight_style_on(out, report->options.colour, parts[i].view.style);
        for (; done < until; done++)
            fputs(ascii ? parts[i].view.ascii : parts[i].view.sign, out);
        pinsight_style_off(out, report->options.colour, parts[i].view.style);
    }
}

static void print_parts(const struct pinsight_report *report, FILE *out,
                        const struct bar_part *parts, uint64_t whole, bool ascii) {
    size_t column = 0;

    for (size_t i = 0; i < PARTS; i++) {
        char *text;

        if (!parts[i].ns)
            continue;
        text = pinsight_format("%s %s %%", parts[i].view.name,
                               pinsight_units_percent(parts[i].ns, whole).text);
        if (column && column + 4 + pinsight_text_width(text) > report->options.width) {
            putc('\n', out);
            column = 0;
        }
        if (column)
            fputs("  ", out);
        pinsight_styled(out, report->options.colour, parts[i].view.style, "%s",
                        ascii ? parts[i].view.ascii : parts[i].view.sign);
        fprintf(out, " %s", text);
        column += (column ? 4 : 2) + pinsight_text_width(text);
        free(text);
    }
    putc('\n', out);
}

void pinsight_bar_print(const struct pinsight_report *report, FILE *out) {
    struct bar_part parts[PARTS];
    bool ascii = pinsight_ascii_wanted();
    const uint64_t whole = report->whole_ns;
    uint32_t threads = report->attribution->callers - report->attribution->idle.threads;

    if (!whole)
        return;
    make_parts(report, parts);
    print_bar(report, out, parts, whole, ascii);
    pinsight_styled(out, report->options.colour, PINSIGHT_DIM, " of %s",
                    pinsight_units_time(whole).text);
    /* Counted threads have no slices. */
    if (!report->by_path && (report->only_counted || report->mixed))
        pinsight_styled(out, report->options.colour, PINSIGHT_DIM, "%s",
                        report->thread_count > 1 ? " in all threads" : "");
    else if (threads > 1)
        pinsight_styled(out, report->options.colour, PINSIGHT_DIM, " in %u threads", threads);
    putc('\n', out);
    print_parts(report, out, parts, whole, ascii);
}

/* Returns the category of a part's slices, or NULL. */
static const char *category_of(unsigned part) {
    static const char *const own[] = {
        [PYTHON] = "python", [C] = "c", [GARBAGE] = "gc", [START_UP] = "import"};
    const struct view_domain *domain;

    if (part < DOMAINS || part >= START_UP)
        return part < sizeof(own) / sizeof(*own) ? own[part] : NULL;
    domain = view_domains[(part - DOMAINS) / 2];
    for (unsigned kind = 0; kind < PINSIGHT_SLICE_KINDS; kind++)
        if (domain->slices[kind])
            return domain->slices[kind]->category;
    return NULL;
}

static bool waits(unsigned part) {
    return part == WAITING || part == READY ||
           (part >= DOMAINS && part < START_UP && (part - DOMAINS) % 2);
}

void pinsight_bar_json(const struct pinsight_report *report, struct pinsight_json *json) {
    struct bar_part parts[PARTS];

    make_parts(report, parts);
    pinsight_json_open(json, "bar", '{');
    pinsight_json_open(json, "parts", '[');
    for (size_t i = 0; i < PARTS; i++) {
        if (!parts[i].ns)
            continue;
        pinsight_json_open(json, NULL, '{');
        pinsight_json_string(json, "name", parts[i].view.name);
        pinsight_json_unsigned(json, "ns", parts[i].ns);
        pinsight_json_text(json, "category", category_of((unsigned)i));
        pinsight_json_bool(json, "waits", waits((unsigned)i));
        pinsight_json_close(json, '}');
    }
    pinsight_json_close(json, ']');
    pinsight_json_unsigned(json, "whole_ns", report->whole_ns);
    pinsight_json_unsigned(json, "threads",
                           report->by_path || (!report->only_counted && !report->mixed)
                               ? report->attribution->callers - report->attribution->idle.threads
                               : 0);
    pinsight_json_close(json, '}');
}
