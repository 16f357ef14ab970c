/* The findings of `pinsight doctor`; see findings.h. */
#include "doctor/findings.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "pinsight_version.h"

enum { FORMAT_VERSION = 1 };

#define FIX "fix: "
/* The columns in which the texts begin. */
enum { TEXT_COLUMN = 11, FIX_COLUMN = TEXT_COLUMN + sizeof(FIX) - 1 };

static const char *const words[] = {
    [PINSIGHT_FOUND_OK] = "ok",
    [PINSIGHT_FOUND_NOTE] = "note",
    [PINSIGHT_FOUND_WARNING] = "warning",
    [PINSIGHT_FOUND_ERROR] = "error",
};

void pinsight_findings_add(struct pinsight_findings *findings, const char *area, const char *check,
                           enum pinsight_level level, const char *fix, const char *format, ...) {
    struct pinsight_finding one = {area, check, level, NULL, NULL};
    va_list arguments;

    if (findings->count == findings->room) {
        size_t room = findings->room > 0 ? 2 * findings->room : 32;
        struct pinsight_finding *items = realloc(findings->items, room * sizeof(*items));
        if (items == NULL) {
            findings->no_memory = true;
            return;
        }
        findings->items = items;
        findings->room = room;
    }
    va_start(arguments, format);
    if (vasprintf(&one.text, format, arguments) < 0) {
        one.text = NULL;
    }
    va_end(arguments);
    if (fix != NULL && *fix != '\0') {
        one.fix = strdup(fix);
    }
    if (one.text == NULL || (fix != NULL && *fix != '\0' && one.fix == NULL)) {
        free(one.text);
        free(one.fix);
        findings->no_memory = true;
        return;
    }
    findings->items[findings->count++] = one;
}

size_t pinsight_findings_count(const struct pinsight_findings *findings,
                               enum pinsight_level level) {
    size_t count = 0;

    for (size_t i = 0; i < findings->count; i++) {
        count += findings->items[i].level == level;
    }
    return count;
}

/* Prints a text, which may contain paths with any bytes, in printable form. It begins in a column,
 * and its further lines in the column `indent`. */
static void print_clean(FILE *out, unsigned width, size_t column, size_t indent, const char *text) {
    char *clean = pinsight_text_clean(text);

    pinsight_wrap(out, width ? width : UINT_MAX, column, indent, clean);
    putc('\n', out);
    free(clean);
}

void pinsight_findings_print(const struct pinsight_findings *findings, FILE *out, bool colour,
                             unsigned width) {
    size_t errors = pinsight_findings_count(findings, PINSIGHT_FOUND_ERROR);
    size_t warnings = pinsight_findings_count(findings, PINSIGHT_FOUND_WARNING);
    const char *area = "";

    for (size_t i = 0; i < findings->count; i++) {
        const struct pinsight_finding *finding = &findings->items[i];
        if (strcmp(area, finding->area) != 0) {
            fprintf(out, "%s%s\n", i > 0 ? "\n" : "", finding->area);
            area = finding->area;
        }
        if (finding->level >= PINSIGHT_FOUND_WARNING) {
            pinsight_styled(out, colour, PINSIGHT_WARN, "  %-8s", words[finding->level]);
        } else {
            fprintf(out, "  %-8s", words[finding->level]);
        }
        putc(' ', out);
        print_clean(out, width, TEXT_COLUMN, TEXT_COLUMN, finding->text);
        if (finding->fix != NULL) {
            fprintf(out, "%*s%s", TEXT_COLUMN, "", FIX);
            print_clean(out, width, FIX_COLUMN, FIX_COLUMN, finding->fix);
        }
    }
    if (findings->measured && errors == 0 && warnings == 0)
        return;
    putc('\n', out);
    char *sum =
        errors == 0 && warnings == 0
            ? pinsight_strdup("Everything that PInsight needs is there.")
            : pinsight_format("%zu error%s, %zu warning%s%s", errors, errors == 1 ? "" : "s",
                              warnings, warnings == 1 ? "" : "s",
                              errors == 0 ? ": PInsight works here, and something may not be seen."
                                          : ": see the fixes above.");

    print_clean(out, width, 0, 0, sum);
    free(sum);
}

void pinsight_findings_print_json(const struct pinsight_findings *findings, FILE *out) {
    struct pinsight_json json = {.out = out, .first = true};

    pinsight_json_open(&json, NULL, '{');
    pinsight_json_unsigned(&json, "format_version", FORMAT_VERSION);
    pinsight_json_string(&json, "pinsight_version", PINSIGHT_VERSION);
    pinsight_json_unsigned(&json, "errors",
                           pinsight_findings_count(findings, PINSIGHT_FOUND_ERROR));
    pinsight_json_unsigned(&json, "warnings",
                           pinsight_findings_count(findings, PINSIGHT_FOUND_WARNING));
    pinsight_json_open(&json, "findings", '[');
    for (size_t i = 0; i < findings->count; i++) {
        const struct pinsight_finding *finding = &findings->items[i];
        pinsight_json_open(&json, NULL, '{');
        pinsight_json_string(&json, "area", finding->area);
        pinsight_json_string(&json, "check", finding->check);
        pinsight_json_string(&json, "level", words[finding->level]);
        pinsight_json_string(&json, "text", finding->text);
        if (finding->fix != NULL) {
            pinsight_json_string(&json, "fix", finding->fix);
        } else {
            pinsight_json_null(&json, "fix");
        }
        pinsight_json_close(&json, '}');
    }
    pinsight_json_close(&json, ']');
    pinsight_json_close(&json, '}');
    putc('\n', out);
}

void pinsight_findings_free(struct pinsight_findings *findings) {
    for (size_t i = 0; i < findings->count; i++) {
        free(findings->items[i].text);
        free(findings->items[i].fix);
    }
    free(findings->items);
    memset(findings, 0, sizeof(*findings));
}
