/* Code that only starts a package; see starting_lines.h. */
#include "tracer/python/starting_lines.h"

#include <string.h>

/* Modules of the standard library, and of installers, that belong to the start. */
static const char *const beside[] = {"__future__",
                                     "asyncio",
                                     "faulthandler",
                                     "importlib",
                                     "importlib_metadata",
                                     "logging",
                                     "os",
                                     "multiprocessing",
                                     "pkg_resources",
                                     "re",
                                     "runpy",
                                     "signal",
                                     "site",
                                     "sys",
                                     "threading",
                                     "warnings"};

static const char blanks[] = " \t\r\f\n;";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.";

struct starting_lines {
    const char *module;
    size_t length;
    bool calls;
};

static const char *skip_blanks(const char *at) {
    return at + strspn(at, blanks);
}

/* Returns the position behind a keyword, or NULL. */
static const char *after_word(const char *at, const char *word) {
    size_t length = strlen(word);

    return strncmp(at, word, length) == 0 && strchr(" \t", at[length]) && at[length]
               ? at + length + strspn(at + length, " \t")
               : NULL;
}

/* Returns the end of a string that begins at a quotation mark. */
static const char *after_string(const char *at) {
    const char quote = *at;
    const bool is_long = at[1] == quote && at[2] == quote;

    for (at += is_long ? 3 : 1; *at; at++)
        if (*at == '\\' && at[1])
            at++;
        else if (*at == quote && (!is_long || (at[1] == quote && at[2] == quote)))
            return at + (is_long ? 3 : 1);
    return at;
}

/* Returns the end of a statement, which is a line end or a semicolon outside brackets. */
static const char *end_of(const char *at) {
    int depth = 0;

    while (*at && (depth > 0 || !strchr("\n;#", *at))) {
        if (*at == '"' || *at == '\'') {
            at = after_string(at);
            continue;
        }
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= *at == ')' || *at == ']' || *at == '}';
        at++;
    }
    return at;
}

static void take_module(struct starting_lines *lines, const char *module) {
    size_t length = strspn(module, letters), first = strcspn(module, ".");

    if (first > length)
        first = length;
    for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++)
        if (strlen(beside[i]) == first && strncmp(beside[i], module, first) == 0)
            return;
    if (!lines->module && length) {
        lines->module = module;
        lines->length = length;
    }
}

/* Takes the modules of "import a.b as c, d". */
static void take_modules(struct starting_lines *lines, const char *at, const char *end) {
    while (at < end) {
        take_module(lines, at);
        at += strcspn(at, ",\n;");
        at += strspn(at, ", \t");
    }
}

/* Returns whether a statement is a call that stands alone, also as an operand of raise. */
static bool is_call(const char *at, const char *end) {
    const char *raised = after_word(at, "raise");
    const char *name = raised ? raised : at;
    const char *bracket = name + strspn(name, letters);

    while (end > at && strchr(blanks, end[-1]))
        end--;
    return bracket > name && *bracket == '(' && end > bracket && end[-1] == ')' &&
           end_of(bracket) >= end;
}

/* Takes a statement. Returns false if it is of another kind. */
static bool take(struct starting_lines *lines, const char *at, const char *end) {
    static const char arguments[] = "sys.argv";
    const char *from = after_word(at, "from"), *import = after_word(at, "import");

    if (from)
        take_module(lines, from);
    else if (import)
        take_modules(lines, import, end);
    else if (is_call(at, end))
        lines->calls = true;
    else
        return strncmp(at, arguments, sizeof arguments - 1) == 0;
    return true;
}

const char *pinsight_starting_lines_module(const char *code, size_t *length) {
    struct starting_lines lines = {.module = NULL};

    for (const char *at = skip_blanks(code), *end; *at; at = skip_blanks(end)) {
        if (*at == '#') {
            end = at + strcspn(at, "\n");
            continue;
        }
        const char *colon = after_word(at, "if") ? strstr(at, "__main__") : NULL;
        end = end_of(at);
        if (colon && colon < end && (colon = strchr(colon, ':')) && colon < end)
            end = colon + 1; /* if __name__ == "__main__": */
        else if (!take(&lines, at, end))
            return NULL;
    }
    *length = lines.length;
    return lines.calls ? lines.module : NULL;
}
