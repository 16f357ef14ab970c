/* The parts are those of links.h, with what MONITORING counted. */
#include "views/bar.h"

#include "reader/mem.h"
#include "views/links.h"
#include "views/screen.h"
#include "views/table.h"
#include "views/text.h"
#include "views/units.h"

#include <stdlib.h>

/* Columns of the bar, and of what stands beside it. */
#define BAR_WIDTH 48
#define BESIDE_BAR 32
#define LEAST_BAR 10

/* One kind of time. Without colour, and without letters past ASCII, its sign tells it. */
struct part {
    const char *name;
    const char *sign, *ascii;
    enum pinsight_style style;
    uint64_t ns;
};

enum { PYTHON, C, OPENMP_WORK, OPENMP_WAITING, MPI, CUDA, PARTS };

static void make_parts(const struct pinsight_report *report, struct part *parts) {
    static const struct part kinds[PARTS] = {
        [PYTHON] = {"Python", "█", "#", PINSIGHT_PYTHON, 0},
        [C] = {"C", "░", ".", PINSIGHT_C, 0},
        [OPENMP_WORK] = {"OpenMP work", "▓", "=", PINSIGHT_OPENMP, 0},
        [OPENMP_WAITING] = {"OpenMP waiting", "▒", "-", PINSIGHT_OPENMP_WAIT, 0},
        [MPI] = {"MPI", "▞", "+", PINSIGHT_MPI, 0},
        [CUDA] = {"CUDA", "╳", "*", PINSIGHT_CUDA, 0},
    };
    const struct pinsight_model *model = report->model;
    const struct pinsight_links_view *links = report->links;

    for (size_t i = 0; i < PARTS; i++)
        parts[i] = kinds[i];
    parts[PYTHON].ns = links->python_ns;
    parts[C].ns = links->c_ns;
    parts[OPENMP_WORK].ns = links->all[PINSIGHT_LINKS_OPENMP].wall_ns -
                            links->all[PINSIGHT_LINKS_OPENMP].wall_waiting_ns;
    parts[OPENMP_WAITING].ns = links->all[PINSIGHT_LINKS_OPENMP].wall_waiting_ns;
    parts[MPI].ns = links->all[PINSIGHT_LINKS_MPI].wall_ns;
    parts[CUDA].ns = links->all[PINSIGHT_LINKS_CUDA].wall_ns;
    /* Native work that was only counted is within these. */
    for (size_t i = 0; i < model->function_count; i++)
        parts[PYTHON].ns += model->functions[i].counted.self_ns;
    for (size_t i = 0; i < model->callee_count; i++)
        parts[C].ns += model->callees[i].counted.self_ns;
}

static void print_bar(const struct pinsight_report *report, FILE *out, const struct part *parts,
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
        pinsight_style_on(out, report->options.colour, parts[i].style);
        for (; done < until; done++)
            fputs(ascii ? parts[i].ascii : parts[i].sign, out);
        pinsight_style_off(out, report->options.colour, parts[i].style);
    }
}

static void print_parts(const struct pinsight_report *report, FILE *out, const struct part *parts,
                        uint64_t whole, bool ascii) {
    size_t column = 0;

    for (size_t i = 0; i < PARTS; i++) {
        char share[PINSIGHT_UNITS_SIZE];
        char *text;

        if (!parts[i].ns)
            continue;
        text = pinsight_format("%s %s %%", parts[i].name,
                               pinsight_units_percent(share, parts[i].ns, whole));
        if (column && column + 4 + pinsight_text_width(text) > report->options.width) {
            putc('\n', out);
            column = 0;
        }
        if (column)
            fputs("  ", out);
        pinsight_styled(out, report->options.colour, parts[i].style, "%s",
                        ascii ? parts[i].ascii : parts[i].sign);
        fprintf(out, " %s", text);
        column += (column ? 4 : 2) + pinsight_text_width(text);
        free(text);
    }
    putc('\n', out);
}

void pinsight_bar_print(const struct pinsight_report *report, FILE *out) {
    struct part parts[PARTS];
    bool ascii = pinsight_screen_ascii();
    char time[PINSIGHT_UNITS_SIZE];
    uint64_t whole = 0;
    uint32_t threads = report->links->callers;

    make_parts(report, parts);
    for (size_t i = 0; i < PARTS; i++)
        whole += parts[i].ns;
    if (!whole)
        return;
    print_bar(report, out, parts, whole, ascii);
    pinsight_styled(out, report->options.colour, PINSIGHT_DIM, " of %s",
                    pinsight_units_time(time, whole));
    /* Threads that were counted have no slices. */
    if (report->only_counted || report->mixed)
        pinsight_styled(out, report->options.colour, PINSIGHT_DIM, "%s",
                        report->thread_count > 1 ? " in all threads" : "");
    else if (threads > 1)
        pinsight_styled(out, report->options.colour, PINSIGHT_DIM, " in %u threads", threads);
    putc('\n', out);
    print_parts(report, out, parts, whole, ascii);
}
