/* Measured lines (lines = on): how often each was executed, and how long it took. */
#ifndef PINSIGHT_READER_PYTHON_LINES_H
#define PINSIGHT_READER_PYTHON_LINES_H

#include "base/map.h"
#include "reader/ctf/event.h"
#include "reader/model.h"

/* A line of a function, in all processes and threads. */
struct pinsight_measured_line {
    uint32_t function; /* index in the model */
    int32_t line;
    uint64_t hits;
    uint64_t ns; /* with all calls that it made */
};

/* A section of the configuration that chooses functions. */
struct pinsight_lines_section {
    uint32_t title;     /* string number */
    uint32_t functions; /* the most functions that it named in one process */
    bool unseen;        /* in a process whose CPython reports no lines */
};

struct pinsight_measured_lines {
    struct pinsight_measured_line *rows;
    size_t count, capacity;
    struct pinsight_lines_section *sections;
    size_t section_count, section_capacity;
    struct pinsight_map row_map, section_map;
};

/* Takes the events line_measured and lines_wanted. */
void pinsight_lines_take(struct pinsight_model *model, const struct pinsight_event *event);

void pinsight_lines_free(struct pinsight_measured_lines *lines);

#endif
