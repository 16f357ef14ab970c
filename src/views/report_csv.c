/* The report as CSV (RFC 4180): one table, the one that the options choose. */
#include "views/imports.h"
#include "views/links.h"
#include "views/mpi.h"
#include "views/openmp.h"
#include "views/report.h"
#include "views/utf8.h"

#include <inttypes.h>
#include <string.h>

/* Quoted where it has to be; bytes that are not UTF-8 as \xNN, controls too. */
static void write_text(FILE *out, const char *text) {
    if (!text)
        return;
    putc('"', out);
    while (*text) {
        uint32_t point;
        int length = pinsight_utf8_decode(text, &point);

        if (length == 0 || (length == 1 && (point < 0x20 || point == 0x7f))) {
            fprintf(out, "\\x%02x", (unsigned char)*text++);
            continue;
        }
        if (point == '"')
            putc('"', out);
        fwrite(text, 1, (size_t)length, out);
        text += length;
    }
    putc('"', out);
}

static void write_times(FILE *out, const struct pinsight_times *times) {
    fprintf(out, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, times->calls, times->total_ns,
            times->self_ns, times->mean_ns);
    if (times->has_range)
        fprintf(out, ",%" PRIu64 ",%" PRIu64, times->min_ns, times->max_ns);
    else
        fputs(",,", out);
    fprintf(out, ",%" PRIu64 "\r\n", times->counted_calls);
}

static size_t limited(const struct pinsight_report *report, size_t count) {
    int64_t limit = report->options.limit;

    return limit > 0 && (uint64_t)limit < count ? (size_t)limit : count;
}

static void write_calls(const struct pinsight_report *report, FILE *out) {
    fputs("kind,name,module,file,line,caller,calls,total_ns,self_ns,mean_ns,min_ns,max_ns,"
          "counted_calls\r\n",
          out);
    for (size_t i = 0; i < limited(report, report->function_count); i++) {
        const struct pinsight_function_row *row = &report->functions[i];

        fputs("function,", out);
        write_text(out, row->name);
        putc(',', out);
        write_text(out, row->module);
        putc(',', out);
        write_text(out, row->file);
        fprintf(out, ",%" PRId32 ",,", row->line);
        write_times(out, &row->times);
    }
    for (size_t i = 0; i < limited(report, report->c_call_count); i++) {
        const struct pinsight_c_row *row = &report->c_calls[i];

        fputs("c_call,", out);
        write_text(out, row->name);
        putc(',', out);
        write_text(out, row->module);
        putc(',', out);
        write_text(out, row->caller_file);
        if (row->caller)
            fprintf(out, ",%" PRId32 ",", row->caller_line);
        else
            fputs(",,", out);
        write_text(out, row->caller);
        putc(',', out);
        write_times(out, &row->times);
    }
}

static void write_groups(const struct pinsight_report *report, FILE *out) {
    fputs(report->options.by == PINSIGHT_VIEW_MODULE ? "module" : "file", out);
    fputs(",calls,c_calls,total_ns,self_ns,c_self_ns\r\n", out);
    for (size_t i = 0; i < limited(report, report->group_count); i++) {
        const struct pinsight_group_row *row = &report->groups[i];

        write_text(out, row->name);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\r\n", row->calls,
                row->c_calls, row->total_ns, row->self_ns, row->c_self_ns);
    }
}

static void write_threads(const struct pinsight_report *report, FILE *out) {
    fputs("pid,python_thread_id,tid,name,calls,c_calls,busy_ns,self_ns,c_self_ns\r\n", out);
    for (size_t i = 0; i < limited(report, report->thread_count); i++) {
        const struct pinsight_thread_row *row = &report->threads[i];

        fprintf(out, "%" PRId64 ",%" PRId64 ",%" PRIu32 ",", row->thread->process->pid,
                row->thread->number, row->thread->tid);
        write_text(out, row->name);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\r\n", row->calls,
                row->c_calls, row->busy_ns, row->self_ns, row->c_self_ns);
    }
}

int pinsight_report_csv(const struct pinsight_report *report, FILE *out) {
    if (report->options.imports) {
        pinsight_imports_csv(report, out, write_text);
        return fflush(out) == 0 && !ferror(out) ? 0 : -1;
    }
    if (report->options.links) {
        pinsight_links_csv(
            report, out, report->options.limit > 0 ? (size_t)report->options.limit : 0, write_text);
        return fflush(out) == 0 && !ferror(out) ? 0 : -1;
    }
    if (report->options.openmp) {
        pinsight_omp_csv(report, out, limited(report, report->openmp->region_count), write_text);
        return fflush(out) == 0 && !ferror(out) ? 0 : -1;
    }
    if (report->options.matrix) {
        pinsight_mpi_matrix_csv(report, out);
        return fflush(out) == 0 && !ferror(out) ? 0 : -1;
    }
    if (report->options.mpi) {
        pinsight_mpi_csv(report, out, report->options.limit > 0 ? (size_t)report->options.limit : 0,
                         write_text);
        return fflush(out) == 0 && !ferror(out) ? 0 : -1;
    }
    switch (report->options.by) {
    case PINSIGHT_VIEW_MODULE:
    case PINSIGHT_VIEW_FILE:
        write_groups(report, out);
        break;
    case PINSIGHT_VIEW_THREAD:
        write_threads(report, out);
        break;
    default:
        write_calls(report, out);
    }
    return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}

int pinsight_report_svg(const struct pinsight_report *report, FILE *out) {
    pinsight_mpi_matrix_svg(report, out);
    return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
