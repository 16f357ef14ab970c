/* Parses the content of [Lexgion(...)], and matches it with a region of code. */
#include "config/parse.h"
#include "config/wildcard.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Splits `text` in place into the parts of a domain's selector. Returns NULL, or a text with the
 * fault. The selector's texts point into `text`. */
static const char *split(const struct pinsight_description *domain, char *text,
                         struct pinsight_config_selector *selector) {
    bool callees = domain->selectors & PINSIGHT_SELECT_CALLEE;

    if (callees && strncmp(text, "c:", 2) == 0) {
        selector->kind = PINSIGHT_SELECT_CALLEE;
        selector->name = text + 2;
        return text[2] ? NULL : "the name of a C callable is missing, such as c:numpy.dot";
    }
    if (domain->selectors & PINSIGHT_SELECT_SOURCE) {
        char *colon = strrchr(text, ':');
        if (!colon || colon == text || !colon[1])
            return callees ? "a file and a qualified name are wanted, such as "
                             "solver.py:Solver.step, or a C callable, such as c:numpy.dot"
                           : "a file and a qualified name are wanted, such as "
                             "solver.py:Solver.step";
        *colon = '\0';
        selector->kind = PINSIGHT_SELECT_SOURCE;
        selector->file = text;
        selector->name = colon + 1;
        return NULL;
    }
    if (domain->selectors & PINSIGHT_SELECT_NAME) {
        selector->kind = PINSIGHT_SELECT_NAME;
        selector->name = text;
        return *text ? NULL : "the name of a region or a mark is missing, such as User:assembly";
    }
    if (!(domain->selectors & PINSIGHT_SELECT_NATIVE))
        return "single regions of this domain cannot be selected";
    selector->kind = PINSIGHT_SELECT_NATIVE;
    char *plus = strrchr(text, '+'), *end;
    if (!plus || plus == text || plus[1] < '0' || plus[1] > '9') {
        selector->name = text;
        return *text ? NULL
                     : "an object and an offset are wanted, such as libblas.so*+0x4010, or "
                       "the name of a symbol";
    }
    errno = 0;
    selector->offset = strtoull(plus + 1, &end, 0);
    if (*end || errno)
        return "the offset is not a number, such as 0x4010";
    *plus = '\0';
    selector->file = text;
    return NULL;
}

static void measure(struct pinsight_config_selector *selector) {
    selector->exact = true;
    if (selector->file)
        selector->precision += pinsight_config_wildcard_letters(selector->file, &selector->exact);
    if (selector->name)
        selector->precision += pinsight_config_wildcard_letters(selector->name, &selector->exact);
}

bool pinsight_config_selector_read(struct pinsight_config_parser *parser,
                                   struct pinsight_config_piece piece,
                                   struct pinsight_config_section *section) {
    char shown[PINSIGHT_CONFIG_SHOWN_ROOM];
    struct pinsight_config_piece inner = pinsight_config_bare(piece);
    const char *colon = memchr(inner.text, ':', inner.length);

    if (!colon || colon == inner.text || colon == inner.text + inner.length - 1) {
        PINSIGHT_CONFIG_ERROR(parser, piece,
                              "'%s' does not say which region; write DOMAIN:REGION, such as "
                              "Python:solver.py:Solver.step",
                              pinsight_config_shown(inner.text, inner.length, shown));
        return false;
    }
    size_t at = (size_t)(colon - inner.text);
    int domain = pinsight_config_choose_domain(parser, pinsight_config_part(inner, 0, at), NULL,
                                               "domain", "");
    if (domain < 0)
        return false;
    struct pinsight_config_piece region = pinsight_config_part(inner, at + 1, inner.length);
    char *text = pinsight_config_text(parser, region);
    if (!text)
        return false;
    section->domain = (unsigned)domain;
    const char *wrong = split(&parser->domains[domain], text, &section->selector);
    if (wrong) {
        PINSIGHT_CONFIG_ERROR(parser, region, "'%s': %s",
                              pinsight_config_shown(region.text, region.length, shown), wrong);
        return false;
    }
    measure(&section->selector);
    return true;
}

bool pinsight_config_section_matches(const struct pinsight_config_section *section,
                                     const struct pinsight_config_region *region) {
    const struct pinsight_config_selector *selector = &section->selector;

    if (section->kind == PINSIGHT_SECTION_LEXGIONS)
        return true;
    if (section->kind == PINSIGHT_SECTION_DOMAIN_LEXGIONS)
        return section->domain == region->domain;
    if (section->kind != PINSIGHT_SECTION_LEXGION || section->domain != region->domain ||
        selector->kind != region->kind)
        return false;
    if (selector->file &&
        !(region->file && pinsight_config_wildcard_path(selector->file, region->file)))
        return false;
    if (selector->name)
        return (region->name && pinsight_config_wildcard(selector->name, region->name)) ||
               (region->call && pinsight_config_wildcard(selector->name, region->call));
    return region->has_offset && region->offset == selector->offset;
}

int pinsight_config_region_read(const struct pinsight_description *domains, size_t domain_count,
                                const char *text, struct pinsight_config_region *region,
                                char *store, size_t store_room, char *error, size_t error_room) {
    struct pinsight_config_selector selector = {0};
    const char *colon = strchr(text, ':');
    char list[256] = "";

    memset(region, 0, sizeof *region);
    if (!colon || strlen(colon + 1) >= store_room) {
        snprintf(error, error_room,
                 "'%s' does not say which region; write DOMAIN:REGION, such as "
                 "Python:solver.py:Solver.step",
                 text);
        return -1;
    }
    struct pinsight_config_piece name = {.text = text, .length = (size_t)(colon - text)};
    for (size_t i = 0; i < domain_count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", domains[i].name);
        if (!pinsight_config_is(name, domains[i].name))
            continue;
        strcpy(store, colon + 1);
        const char *wrong = split(&domains[i], store, &selector);
        if (wrong) {
            snprintf(error, error_room, "'%s': %s", colon + 1, wrong);
            return -1;
        }
        region->domain = (unsigned)i;
        region->kind = selector.kind;
        region->file = selector.file;
        region->name = selector.name;
        region->has_offset = selector.kind == PINSIGHT_SELECT_NATIVE && selector.file;
        region->offset = selector.offset;
        return 0;
    }
    snprintf(error, error_room, "this build of PInsight has no domain '%.*s'; it has %s",
             (int)name.length, text, list);
    return -1;
}
