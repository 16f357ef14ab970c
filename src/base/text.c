/* Cleaning, measuring and cutting of text, and short paths. */
#include "base/text.h"

#include "base/ascii.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *pinsight_text_clean(const char *text) {
    /* Each byte takes at most four (\xNN) or belongs to a longer character. pinsight_text_cut()
     * needs two more. */
    size_t room = strlen(text) * 4 + 3;
    char *clean = pinsight_realloc(NULL, room, 1);

    pinsight_utf8_clean(clean, room, text);
    return clean;
}

void pinsight_text_put(FILE *out, const char *text) {
    char *clean = pinsight_text_clean(text);

    fputs(clean, out);
    free(clean);
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

/* Both forms of the ellipsis have three bytes. */
#define ELLIPSIS 3

static const char *ellipsis(size_t *width) {
    bool ascii = pinsight_ascii_wanted();

    *width = ascii ? 3 : 1;
    return ascii ? "..." : "…";
}

void pinsight_text_cut_end(char *text, size_t width) {
    size_t now = 0, mark_width;
    const char *mark = ellipsis(&mark_width);
    char *at = text;

    if (pinsight_text_width(text) <= width)
        return;
    while (*at) {
        uint32_t point;
        int length = pinsight_utf8_decode(at, &point);
        size_t columns = length ? (size_t)pinsight_utf8_width(point) : 1;

        if (now + columns + mark_width > width)
            break;
        now += columns;
        at += length ? length : 1;
    }
    memcpy(at, mark, ELLIPSIS + 1); /* at least one byte of text, and the two spare bytes */
}

void pinsight_text_cut(char *text, size_t width) {
    size_t now = pinsight_text_width(text), mark_width;
    const char *mark = ellipsis(&mark_width), *from = text;

    if (now <= width)
        return;
    while (*from && now + mark_width > width) {
        uint32_t point;
        int length = pinsight_utf8_decode(from, &point);

        now -= length ? (size_t)pinsight_utf8_width(point) : 1;
        from += length ? length : 1;
    }
    /* The ellipsis can be longer than the text that it replaces. */
    memmove(text + ELLIPSIS, from, strlen(from) + 1);
    memcpy(text, mark, ELLIPSIS);
}

const char *pinsight_text_file(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash && slash[1] ? slash + 1 : path;
}

const char *pinsight_text_in_library(const char *path) {
    const char *found = NULL;

    while ((path = strstr(path, "/lib/python"))) {
        path += strlen("/lib/python");
        path += strspn(path, "0123456789.t");
        if (*path == '/')
            found = path + 1;
    }
    return found;
}

static const char *after(const char *path, const char *folder) {
    const char *found = NULL;

    while ((path = strstr(path, folder)))
        found = path += strlen(folder);
    return found;
}

const char *pinsight_text_in_packages(const char *path) {
    const char *site = after(path, "/site-packages/");

    return site ? site : after(path, "/dist-packages/");
}

/* Returns the part of a path after a folder that it starts with, or NULL. */
static const char *below(const char *path, const char *folder) {
    size_t length = folder ? strlen(folder) : 0;

    if (length < 2 || strncmp(path, folder, length) != 0 || path[length] != '/')
        return NULL;
    return path + length + 1;
}

/* Returns the current folder, or "" if it is unknown. Looks it up once. */
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
    if ((rest = pinsight_text_in_packages(path)) || (rest = pinsight_text_in_library(path)))
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
