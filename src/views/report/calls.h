/*
 * Views of a domain of calls (reader/kit/calls.h): its part of summary and report, and its slices
 * in exports and profiles.
 *
 *     VIEW_CALLS_DOMAIN(TOY, toy, "Toy", .bar = {"Toy", "+", "+", PINSIGHT_C});
 *
 * in one file defines the whole domain. In another file,
 *
 *     const struct otf2_domain otf2_domain_toy = OTF2_CALLS_DOMAIN(TOY, "Toy");
 *
 * defines it for OTF2.
 */
#ifndef PINSIGHT_VIEWS_CALLS_H
#define PINSIGHT_VIEWS_CALLS_H

#include "views/domain.h"

/* The functions of struct slice_view. The kind of the slice determines the domain. */
void view_calls_text(struct pinsight_slice_texts *texts, const struct pinsight_slice *slice,
                     struct pinsight_slice_text *text);
void view_calls_details(const struct pinsight_slice *slice,
                        const struct pinsight_slice_details *details);
uint32_t view_calls_runs(const struct pinsight_model *model, const struct pinsight_slice *slice);

/* The functions of struct view_domain. */
bool view_calls_seen(enum reader_domain_number number, const struct pinsight_report *report);
void view_calls_lines(enum reader_domain_number number, const struct pinsight_report *report,
                      FILE *out);
void view_calls_brief(enum reader_domain_number number, const struct pinsight_report *report,
                      FILE *out, size_t limit);
void view_calls_json(enum reader_domain_number number, const struct pinsight_report *report,
                     struct pinsight_json *json, size_t limit);
void view_calls_attribution(enum reader_domain_number number,
                            struct pinsight_attribution_maker *maker,
                            const struct pinsight_report *report);

/* Defines view_domain_NAME. The arguments are the number and the name in the list of domains,
 * and the name for people. Further members of struct view_domain follow, such as its parts of
 * the bar. */
#define VIEW_CALLS_DOMAIN(NUMBER, the_name, people, ...)                                           \
    static const struct slice_view calls_slice = {.category = #the_name,                           \
                                                  .word = people,                                  \
                                                  .text = view_calls_text,                         \
                                                  .details = view_calls_details,                   \
                                                  .runs = view_calls_runs};                        \
    static bool calls_seen(const struct pinsight_report *report) {                                 \
        return view_calls_seen(READER_##NUMBER, report);                                           \
    }                                                                                              \
    static void calls_lines(const struct pinsight_report *report, FILE *out, bool few) {           \
        (void)few;                                                                                 \
        view_calls_lines(READER_##NUMBER, report, out);                                            \
    }                                                                                              \
    static void calls_brief(const struct pinsight_report *report, FILE *out, size_t limit) {       \
        view_calls_brief(READER_##NUMBER, report, out, limit);                                     \
    }                                                                                              \
    static void calls_json(const struct pinsight_report *report, struct pinsight_json *json,       \
                           size_t limit) {                                                         \
        view_calls_json(READER_##NUMBER, report, json, limit);                                     \
    }                                                                                              \
    static void calls_attribution(struct pinsight_attribution_maker *maker,                        \
                                  const struct pinsight_report *report,                            \
                                  const struct pinsight_attribution_walk *walk) {                  \
        (void)walk;                                                                                \
        view_calls_attribution(READER_##NUMBER, maker, report);                                    \
    }                                                                                              \
    const struct view_domain view_domain_##the_name = {                                            \
        .slices = {[PINSIGHT_SLICE_CALL + READER_##NUMBER] = &calls_slice},                        \
        .seen = calls_seen,                                                                        \
        .lines = calls_lines,                                                                      \
        .brief = calls_brief,                                                                      \
        .json = calls_json,                                                                        \
        .attribution = calls_attribution,                                                          \
        __VA_ARGS__}

/* The initializer of a struct otf2_domain (export/otf2.h). */
#define OTF2_CALLS_DOMAIN(NUMBER, people)                                                          \
    {                                                                                              \
        .paradigm = OTF2_PARADIGM_USER, .kinds = {                                                 \
            [PINSIGHT_SLICE_CALL + READER_##NUMBER] = {.role = OTF2_REGION_ROLE_FUNCTION,          \
                                                       .about = "call of " people,                 \
                                                       .group = people}                            \
        }                                                                                          \
    }

#endif
