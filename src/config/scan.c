/* Lines and pieces of lines; see scan.h. */
#include "config/scan.h"

#include "base/words.h"

#include <string.h>

void pinsight_config_reader_start(struct pinsight_config_reader *reader, const char *text,
                                  size_t length) {
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        length -= 3;
    }
    reader->at = text;
    reader->end = text + length;
    reader->line = 0;
}

static bool blank(char byte) {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\v' || byte == '\f';
}

/* Returns the position after the quoted text that begins at `from`, or `length` + 1 if the quote is
 * not closed. */
static size_t after_quote(const char *text, size_t from, size_t length) {
    char quote = text[from];

    for (size_t i = from + 1; i < length; i++) {
        if (text[i] == quote)
            return i + 1;
        if (quote == '"' && text[i] == '\\' && i + 1 < length &&
            (text[i + 1] == '"' || text[i + 1] == '\\'))
            i++;
    }
    return length + 1;
}

struct pinsight_config_piece pinsight_config_part(struct pinsight_config_piece piece, size_t from,
                                                  size_t to) {
    struct pinsight_config_piece part = piece;

    while (from < to && blank(piece.text[from]))
        from++;
    while (to > from && blank(piece.text[to - 1]))
        to--;
    for (size_t i = 0; i < from; i++)
        part.column += ((unsigned char)piece.text[i] & 0xC0) != 0x80;
    part.text = piece.text + from;
    part.length = to - from;
    return part;
}

/* Returns the begin of a line's comment, or the line's length. For an unclosed quote, sets *open
 * and returns the quote's position. */
static size_t find_comment(const char *text, size_t length, bool *open) {
    *open = false;
    for (size_t i = 0; i < length;) {
        if (text[i] == '#' || text[i] == ';')
            return i;
        if (text[i] != '"' && text[i] != '\'') {
            i++;
            continue;
        }
        size_t after = after_quote(text, i, length);
        if (after > length) {
            *open = true;
            return i;
        }
        i = after;
    }
    return length;
}

bool pinsight_config_reader_next(struct pinsight_config_reader *reader,
                                 struct pinsight_config_line *line) {
    while (reader->at < reader->end) {
        size_t left = (size_t)(reader->end - reader->at);
        const char *newline = memchr(reader->at, '\n', left);
        struct pinsight_config_piece whole = {
            .text = reader->at,
            .length = newline ? (size_t)(newline - reader->at) : left,
            .line = ++reader->line,
            .column = 1,
        };
        reader->at += whole.length + (newline != NULL);
        size_t stop = find_comment(whole.text, whole.length, &line->open_quote);
        line->piece = pinsight_config_part(whole, 0, stop);
        if (line->open_quote)
            line->quote = pinsight_config_part(whole, stop, whole.length);
        if (line->piece.length || line->open_quote)
            return true;
    }
    return false;
}

size_t pinsight_config_find(struct pinsight_config_piece piece, size_t from, const char *letters) {
    unsigned depth = 0;

    for (size_t i = from; i < piece.length;) {
        char byte = piece.text[i];
        if (!depth && byte && strchr(letters, byte))
            return i;
        if (byte == '"' || byte == '\'') {
            i = after_quote(piece.text, i, piece.length);
            continue;
        }
        if (byte == '(')
            depth++;
        else if (byte == ')' && depth)
            depth--;
        i++;
    }
    return piece.length;
}

size_t pinsight_config_unquote(struct pinsight_config_piece piece, char *text) {
    size_t used = 0;
    char quote = 0;

    for (size_t i = 0; i < piece.length; i++) {
        char byte = piece.text[i];
        if (quote == '"' && byte == '\\' && i + 1 < piece.length &&
            (piece.text[i + 1] == '"' || piece.text[i + 1] == '\\')) {
            text[used++] = piece.text[++i];
        } else if (quote && byte == quote) {
            quote = 0;
        } else if (!quote && (byte == '"' || byte == '\'')) {
            quote = byte;
        } else {
            text[used++] = byte;
        }
    }
    text[used] = '\0';
    return used;
}

struct pinsight_config_piece pinsight_config_bare(struct pinsight_config_piece piece) {
    if (piece.length < 2 || (piece.text[0] != '"' && piece.text[0] != '\'') ||
        memchr(piece.text, '\\', piece.length) ||
        after_quote(piece.text, 0, piece.length) != piece.length)
        return piece;
    struct pinsight_config_piece inner = piece;
    inner.text++;
    inner.column++;
    inner.length -= 2;
    return inner;
}

bool pinsight_config_is(struct pinsight_config_piece piece, const char *word) {
    return pinsight_word_is(piece.text, piece.length, word);
}
