/* Names that are any bytes: what is shown is printable, and JSON is valid UTF-8 without raw
 * controls, of which the quotes stand at the ends alone. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/utf8.h"

static void check(int holds) {
    if (!holds)
        abort();
}

static void check_printable(const char *text) {
    while (*text) {
        uint32_t point;
        int length = pinsight_utf8_decode(text, &point);

        check(length > 0 && pinsight_utf8_is_printable(point));
        text += length;
    }
}

static void check_json(const char *name) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    pinsight_json_quote(out, name);
    fclose(out);
    check(size >= 2 && text[0] == '"' && text[size - 1] == '"');
    for (size_t i = 1; i < size - 1;) {
        uint32_t point;
        int length = pinsight_utf8_decode(text + i, &point);

        check(length > 0 && point >= 0x20 && point != '"');
        i += (size_t)length;
        if (point != '\\')
            continue;
        check(i < size - 1 && strchr("\"\\ntu", text[i]));
        i += text[i] == 'u' ? 5 : 1;
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *name = malloc(size + 1);
    char *clean, *cut, *path, *place;
    size_t width = size ? data[0] % 40u + 1u : 1;

    memcpy(name, data, size);
    name[size] = '\0';
    clean = pinsight_text_clean(name);
    check_printable(clean);
    cut = malloc(strlen(clean) + 4);
    strcpy(cut, clean);
    pinsight_text_cut(cut, width);
    check_printable(cut);
    check(pinsight_text_width(cut) <= width);
    path = pinsight_text_path(name);
    place = pinsight_text_place(name, 7);
    check_printable(place);
    check_json(name);
    free(name);
    free(clean);
    free(cut);
    free(path);
    free(place);
    return 0;
}
