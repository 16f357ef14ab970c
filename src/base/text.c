/* Cleaning, measuring and cutting of text, and short paths. */
#include "base/text.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *pinsight_text_clean(const char *text) {
    /* \xNN stands for one byte, and longer ones for more; pinsight_text_cut() wants two more. */
    size_t room = strlen(text) * 4 + 3;
    char *clean = pinsight_realloc(NULL, room, 1);

    pinsight_utf8_clean(clean, room, text);
    return clean;
}

size_t pinsight_text_width(const char *text) {
    size_t width = 0;

    while (*text) {
        uint32_t point;
        int length = pinsight_utf8_decode(text, &point);

        width += length ? (size_t)pinsight_utf8_width(point) : 1;
        text += length ? length : 1;
    }
    return width;
}

static const char ellipsis[] = "…";

void pinsight_text_cut_end(char *text, size_t width) {
    size_t now = 0;
    char *at = text;

    if (pinsight_text_width(text) <= width)
        return;
    while (*at) {
        uint32_t point;
        int length = pinsight_utf8_decode(at, &point);
        size_t columns = length ? (size_t)pinsight_utf8_width(point) : 1;

        if (now + columns + 1 > width)
            break;
        now += columns;
        at += length ? length : 1;
    }
    memcpy(at, ellipsis,
           sizeof(ellipsis)); /* at least one byte of text is here, and room for two */
}

void pinsight_text_cut(char *text, size_t width) {
    size_t now = pinsight_text_width(text);
    const char *from = text;

    if (now <= width)
        return;
    while (*from && now + 1 > width) {
        uint32_t point;
        int length = pinsight_utf8_decode(from, &point);

        now -= length ? (size_t)pinsight_utf8_width(point) : 1;
        from += length ? length : 1;
    }
    /* The ellipsis is three bytes and may stand for fewer. */
    memmove(text + sizeof(ellipsis) - 1, from, strlen(from) + 1);
    memcpy(text, ellipsis, sizeof(ellipsis) - 1);
}

const char *pinsight_text_file(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash && slash[1] ? slash + 1 : path;
}

/* What follows "/lib/pythonX.Y/" in a path, or NULL. */
static const char *after_library(const char *path) {
    const char *at = path;

    while ((at = strstr(at, "/lib/python"))) {
        at += strlen("/lib/python");
        at += strspn(at, "0123456789.t");
        if (*at == '/')
            return at + 1;
    }
    return NULL;
}

static const char *after(const char *path, const char *folder) {
    const char *at = strstr(path, folder);

    return at ? at + strlen(folder) : NULL;
}

/* What follows a folder that a path starts with, or NULL. */
static const char *below(const char *path, const char *folder) {
    size_t length = folder ? strlen(folder) : 0;

    if (length < 2 || strncmp(path, folder, length) != 0 || path[length] != '/')
        return NULL;
    return path + length + 1;
}

/* The current folder, "" where it is not known; looked up once. */
static const char *current_folder(void) {
    static char folder[PATH_MAX];
    static int known;

    if (!known) {
        known = 1;
        if (!getcwd(folder, sizeof(folder)))
            folder[0] = '\0';
    }
    return folder;
}

char *pinsight_text_path(const char *path) {
    const char *rest;

    if (path[0] != '/')
        return pinsight_strdup(path);
    if ((rest = after(path, "/site-packages/")) || (rest = after(path, "/dist-packages/")) ||
        (rest = after_library(path)))
        return pinsight_strdup(rest);
    if ((rest = below(path, current_folder())))
        return pinsight_strdup(rest);
    if ((rest = below(path, getenv("HOME"))))
        return pinsight_format("~/%s", rest);
    return pinsight_strdup(path);
}

char *pinsight_text_place(const char *path, int32_t line) {
    char *shorter, *clean, *place;

    if (!path || !path[0])
        return pinsight_strdup("");
    shorter = pinsight_text_path(path);
    clean = pinsight_text_clean(shorter);
    place = line > 0 ? pinsight_format("%s:%d", clean, line) : pinsight_strdup(clean);
    free(shorter);
    free(clean);
    return place;
}
