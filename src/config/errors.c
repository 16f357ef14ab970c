/* The list of errors; see errors.h. */
#include "config/errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void pinsight_config_error(struct pinsight_config_errors *errors, unsigned line, unsigned column,
                           const char *format, ...) {
    if (errors->count == PINSIGHT_CONFIG_ERRORS_MAX) {
        errors->omitted++;
        return;
    }
    struct pinsight_config_error *error = &errors->list[errors->count++];
    va_list arguments;

    error->line = line;
    error->column = column;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
}

const char *pinsight_config_error_text(const struct pinsight_config_errors *errors, size_t index,
                                       char *text, size_t room) {
    const struct pinsight_config_error *error = &errors->list[index];

    if (error->line)
        snprintf(text, room, "%s:%u:%u: %s", errors->path ? errors->path : "?", error->line,
                 error->column, error->text);
    else
        snprintf(text, room, "%s", error->text);
    return text;
}

const char *pinsight_config_shown(const char *word, size_t length, char *shown) {
    size_t used = 0;
    /* Leaves room for "\xNN", "..." and the final zero byte. */
    const size_t most = PINSIGHT_CONFIG_SHOWN_ROOM - 8;

    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)word[i];
        if (used > most || (used > most - 4 && (byte & 0xC0) == 0xC0)) {
            strcpy(shown + used, "...");
            return shown;
        }
        if (byte < 0x20 || byte == 0x7F)
            used += (size_t)sprintf(shown + used, "\\x%02X", byte);
        else
            shown[used++] = (char)byte;
    }
    shown[used] = '\0';
    return shown;
}
