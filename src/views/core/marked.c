/* The report's section on regions and marks that the program names. */
#include "reader/core/marked_sums.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "reader/model.h"
#include "views/core/core.h"
#include "views/domain.h"
#include "views/report/head.h"
#include "views/report/tables.h"

#include <stdlib.h>

static const char *kind_word(unsigned kind) {
    return kind == PINSIGHT_MARKED_REGION ? "region"
           : kind == PINSIGHT_MARKED_MARK ? "mark"
                                          : "value";
}

static uint64_t timed(const struct pinsight_marked *row) {
    return row->kind == PINSIGHT_MARKED_REGION ? row->recorded + row->counted : 0;
}

VALUE(total, struct pinsight_marked,
      timed(row) ? pinsight_value_number(row->total_ns) : pinsight_value_none())

VALUE(mean, struct pinsight_marked,
      timed(row) ? pinsight_value_number(row->total_ns / timed(row)) : pinsight_value_none())

VALUE(longest, struct pinsight_marked,
      timed(row) ? pinsight_value_number(row->max_ns) : pinsight_value_none())

/* Returns whether a column of numbers has any. */
#define ANY(member)                                                                                \
    static bool any_##member(const void *of_view) {                                                \
        const struct pinsight_report *report = of_view;                                            \
        for (size_t i = 0; i < report->model->marked.count; i++)                                   \
            if (report->model->marked.rows[i].member)                                              \
                return true;                                                                       \
        return false;                                                                              \
    }
ANY(counted)
ANY(outside)

#define R(member) MEMBER(struct pinsight_marked, member)
static const struct pinsight_column columns[] = {
    COLUMN("name", NULL, STRING_NUMBER, R(name)),
    COLUMN("value", "name", STRING_NUMBER, R(name), NAMES_IN(BOLD)),
    COLUMN("kind", "what", WORD, R(kind), .word = kind_word, .align = PINSIGHT_LEFT),
    COLUMN("recorded", "recorded", COUNT, R(recorded)),
    COLUMN("counted", "counted", COUNT, R(counted), .shown = any_counted),
    COLUMN("outside", "outside", COUNT, R(outside), .shown = any_outside),
    GETTER("total_ns", "total", NS, total, .style = PINSIGHT_BOLD),
    GETTER("mean_ns", "mean", NS, mean),
    GETTER("max_ns", "max", NS, longest),
};

static const struct pinsight_table table = {
    PINSIGHT_TITLED("Regions and marks", "by total time", "marked", columns),
    PINSIGHT_ROWS_INSIDE(struct pinsight_report, model, struct pinsight_model, marked.rows,
                         marked.count),
    .screen = "value kind recorded counted outside total_ns mean_ns max_ns",
    .files = "name kind recorded counted outside total_ns mean_ns max_ns",
};

static bool seen(const struct pinsight_report *report) {
    return report->model->marked.count > 0;
}

void pinsight_marked_brief(const struct pinsight_report *report, FILE *out, size_t limit) {
    if (seen(report))
        pinsight_section_print(report, out, &table, limit);
}

/* Adds a region to the line, as "assembly 237 ms (12 × 19.8 ms)". Returns the text in place of the
 * given one. The caller frees it. */
static char *with_region(const struct pinsight_model *model, const char *text,
                         const struct pinsight_marked *row) {
    char *name = pinsight_text_clean(pinsight_strings_text(&model->strings, row->name));
    char *longer = pinsight_format("%s%s%s %s (%s × %s)", text, *text ? " · " : "", name,
                                   pinsight_units_time(row->total_ns).text,
                                   pinsight_units_count(timed(row)).text,
                                   pinsight_units_time(row->total_ns / timed(row)).text);

    free(name);
    return longer;
}

/* Names the regions with the most time, as far as there is room for them. A program without
 * functions and native work has the table instead. */
void pinsight_marked_line(const struct pinsight_report *report, FILE *out, bool few) {
    static const char title[] = "Regions", more[] = " · 1,000 more";
    const struct pinsight_marked_sums *sums = &report->model->marked;
    const size_t width = report->options.width - sizeof(title) - sizeof(more);
    char *text = pinsight_strdup("");
    size_t count = 0, shown = 0;

    (void)few;
    for (size_t i = 0; i < sums->count; i++) {
        bool last_fits = shown == count; /* all before it have had room */
        char *longer;

        if (!timed(&sums->rows[i]))
            continue;
        count++;
        if (!last_fits)
            continue;
        longer = with_region(report->model, text, &sums->rows[i]);
        if (shown && pinsight_text_width(longer) > width) {
            free(longer);
            continue;
        }
        free(text);
        text = longer;
        shown++;
    }
    if (count && (report->function_count || report->c_call_count || view_domains_seen(report))) {
        if (shown < count)
            pinsight_head_line(report, out, "%s: %s · %s more", title, text,
                               pinsight_units_count(count - shown).text);
        else
            pinsight_head_line(report, out, "%s: %s", title, text);
    }
    free(text);
}

static const char *none(const struct pinsight_report *report) {
    (void)report;
    return "The program named no regions and no marks: with pinsight.region(\"assembly\") does.";
}

const struct pinsight_section pinsight_section_of_marked = {
    PINSIGHT_SECTION("marked", "Regions and marks", 10, seen, none),
    .about = "regions and marks that the program named: number, total, mean and longest\n"
             "time, in place of the tables",
    .example = "phases of a solver, steps of a training",
    .next = "your regions and marks",
    .table = &table,
};
