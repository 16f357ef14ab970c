/* Parses ranges of parallel units: 0-3,7 or *. */
#include "config/parse.h"

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

bool pinsight_config_ranges_read(struct pinsight_config_parser *parser,
                                 const struct pinsight_config_piece *items, size_t count,
                                 struct pinsight_config_ranges *ranges) {
    ranges->count = 0;
    ranges->items = NULL;
    if (count == 1 && pinsight_config_is(items[0], "*"))
        return true;
    struct pinsight_config_range *list = pinsight_config_take(parser, count * sizeof *list);
    if (!list)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (pinsight_config_is(items[i], "*")) {
            PINSIGHT_CONFIG_ERROR(parser, items[i], "'*' is all, and stands alone in a range");
            return false;
        }
        if (!read_range(parser, items[i], &list[i]))
            return false;
    }
    ranges->items = list;
    ranges->count = count;
    return true;
}

bool pinsight_config_in_ranges(const struct pinsight_config_ranges *ranges, uint32_t number) {
    for (size_t i = 0; i < ranges->count; i++)
        if (number >= ranges->items[i].first && number <= ranges->items[i].last)
            return true;
    return ranges->count == 0;
}
