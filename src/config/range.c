/* Parses ranges of parallel units: 0-3,7 or *. */
#include "config/parse.h"
#include "config/wildcard.h"

/* Reads the number of a unit. Returns false if the piece is not a number or does not fit. */
static bool read_number(struct pinsight_config_piece piece, uint32_t *number) {
    uint64_t value = 0;

    for (size_t i = 0; i < piece.length; i++) {
        if (piece.text[i] < '0' || piece.text[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(piece.text[i] - '0');
        if (value > UINT32_MAX)
            return false;
    }
    *number = (uint32_t)value;
    return piece.length > 0;
}

static bool read_range(struct pinsight_config_parser *parser, struct pinsight_config_piece piece,
                       struct pinsight_config_range *range) {
    char shown[PINSIGHT_CONFIG_SHOWN_ROOM];
    size_t dash = pinsight_config_find(piece, 0, "-");
    struct pinsight_config_piece first = pinsight_config_part(piece, 0, dash);
    struct pinsight_config_piece last = first;

    if (dash < piece.length)
        last = pinsight_config_part(piece, dash + 1, piece.length);
    if (!read_number(first, &range->first) || !read_number(last, &range->last)) {
        PINSIGHT_CONFIG_ERROR(parser, piece,
                              "'%s' is not a range; write numbers from 0 to 4294967295 such as 0, "
                              "0-3 or 0-3,7, or * for all",
                              pinsight_config_shown(piece.text, piece.length, shown));
        return false;
    }
    if (range->first > range->last) {
        PINSIGHT_CONFIG_ERROR(
            parser, piece, "the range '%s' ends before it begins; did you mean '%u-%u'?",
            pinsight_config_shown(piece.text, piece.length, shown), range->last, range->first);
        return false;
    }
    return true;
}

/* Returns whether a piece has the form of a number or of a range. */
static bool is_range(struct pinsight_config_piece piece) {
    size_t dash = pinsight_config_find(piece, 0, "-");
    struct pinsight_config_piece last = piece;
    uint32_t number;

    if (dash < piece.length)
        last = pinsight_config_part(piece, dash + 1, piece.length);
    return read_number(pinsight_config_part(piece, 0, dash), &number) && read_number(last, &number);
}

bool pinsight_config_ranges_read(struct pinsight_config_parser *parser,
                                 const struct pinsight_config_piece *items, size_t count,
                                 bool named, struct pinsight_config_ranges *ranges) {
    size_t range_count = 0, name_count = 0;

    *ranges = (struct pinsight_config_ranges){0};
    if (count == 1 && pinsight_config_is(items[0], "*"))
        return true;
    struct pinsight_config_range *list = pinsight_config_take(parser, count * sizeof *list);
    const char **names = named ? pinsight_config_take(parser, count * sizeof *names) : NULL;
    if (!list || (named && !names))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (pinsight_config_is(items[i], "*")) {
            PINSIGHT_CONFIG_ERROR(parser, items[i], "'*' is all, and stands alone in a range");
            return false;
        }
        if (named && !is_range(items[i])) {
            if (!(names[name_count++] = pinsight_config_text(parser, items[i])))
                return false;
        } else if (!read_range(parser, items[i], &list[range_count++])) {
            return false;
        }
    }
    *ranges = (struct pinsight_config_ranges){
        .count = range_count, .items = list, .name_count = name_count, .names = names};
    return true;
}

bool pinsight_config_in_ranges(const struct pinsight_config_ranges *ranges, uint32_t number) {
    for (size_t i = 0; i < ranges->count; i++)
        if (number >= ranges->items[i].first && number <= ranges->items[i].last)
            return true;
    return ranges->count == 0;
}

bool pinsight_config_in_names(const struct pinsight_config_ranges *ranges, int64_t number,
                              const char *const *names) {
    if (!ranges->count && !ranges->name_count)
        return true;
    for (; *names; names++)
        for (size_t i = 0; **names && i < ranges->name_count; i++)
            if (pinsight_config_wildcard(ranges->names[i], *names))
                return true;
    return ranges->count && number >= 0 && number <= UINT32_MAX &&
           pinsight_config_in_ranges(ranges, (uint32_t)number);
}
