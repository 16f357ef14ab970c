/* Writes regions, one for each piece of code that domains distinguish. Groups of regions are
 * modules, by the first part of the module's name, like those of Score-P's Python bindings. */
#include "base/memory.h"
#include "reader/kit/native.h"
#include "reader/kit/native_lines.h"
#include "views/domain.h"
#include "views/export/otf2.h"

#include <stdlib.h>
#include <string.h>

uint32_t pinsight_otf2_region(struct pinsight_otf2 *otf2, const struct pinsight_slice *slice) {
    uint32_t id = slice_runs(otf2->export->model, slice);
    uint32_t number = pinsight_map_get(&otf2->region_map, slice->kind, id, 0);

    if (number != PINSIGHT_MAP_NONE)
        return number;
    number = (uint32_t)otf2->region_count;
    otf2->regions = pinsight_grow(otf2->regions, otf2->region_count++, &otf2->region_capacity,
                                  sizeof(*otf2->regions));
    otf2->regions[number] = (struct pinsight_otf2_region){.slice = *slice, .id = id};
    otf2->regions[number].slice.path = PINSIGHT_NONE; /* the path belongs to this slice only */
    pinsight_map_set(&otf2->region_map, slice->kind, id, 0, number);
    return number;
}

#define DOMAIN(NUMBER, name) extern const struct otf2_domain otf2_domain_##name;
#include "reader/domains.def"
#undef DOMAIN

const struct otf2_domain *const otf2_domains[READER_DOMAINS] = {
#define DOMAIN(NUMBER, name) [READER_##NUMBER] = &otf2_domain_##name,
#include "reader/domains.def"
#undef DOMAIN
};

/* Finds the source line of a native place. */
static void native_place(struct pinsight_export *export, uint32_t native, const char **file,
                         int32_t *line) {
    const struct pinsight_model *model = export->model;
    const struct pinsight_native_place *place;

    if (native == PINSIGHT_NONE || !export->texts.lines)
        return;
    place = &model->natives[native];
    if (place->known)
        pinsight_native_line(export->texts.lines,
                             pinsight_strings_text(&model->strings, place->object), place->offset,
                             pinsight_strings_text(&model->strings, place->symbol), file, line);
}

/* Puts a region into the group of a name. */
static void add_to_group(struct pinsight_strings *names, uint32_t *groups, size_t region,
                         const char *module) {
    if (*module)
        groups[region] = pinsight_strings_add(names, module, strcspn(module, "."));
}

/* Returns a region's name, such as "module:Class.function", like Score-P's Python bindings. Some C
 * callables have their module in their own name, too. The caller frees it. */
static char *name_of(const struct otf2_kind *kind, const struct pinsight_slice_text *text) {
    size_t length = strlen(text->module);
    const char *name = text->name;

    if (!length)
        return pinsight_format("%s%s", kind->before ? kind->before : "", name);
    if (!strncmp(name, text->module, length) && name[length] == '.' && name[length + 1])
        name += length + 1;
    return pinsight_format("%s:%s", text->module, name);
}

/* Writes a region. Returns its module or group, or "". */
static const char *write_region(struct pinsight_otf2_definitions *definitions, uint32_t number) {
    struct pinsight_otf2 *otf2 = definitions->otf2;
    const struct pinsight_otf2_region *region = &otf2->regions[number];
    unsigned kind = region->slice.kind;
    const struct otf2_domain *domain = otf2_domains[slice_domain(kind)];
    const struct otf2_kind *how = &domain->kinds[kind];
    OTF2_RegionRole role = how->role_of ? how->role_of(otf2->export->model, region->id) : how->role;
    struct pinsight_slice_text text;
    OTF2_StringRef full, plain, about, file;
    char *name;

    pinsight_slice_text(&otf2->export->texts, &region->slice, &text);
    if (kind == PINSIGHT_SLICE_C_CALL) { /* the place belongs to one of several callers */
        text.file = "";
        text.line = 0;
    } else if (kind == PINSIGHT_SLICE_REGION || kind == PINSIGHT_SLICE_PART) {
        native_place(otf2->export, region->id, &text.file, &text.line);
    }
    name = name_of(how, &text);
    full = pinsight_otf2_string(definitions, name);
    plain = pinsight_otf2_string(definitions, text.name);
    about = pinsight_otf2_string(definitions, how->about);
    file = pinsight_otf2_string(definitions, text.file);
    free(name);
    pinsight_otf2_check(
        otf2, OTF2_GlobalDefWriter_WriteRegion(definitions->writer, number, full, plain, about,
                                               role, domain->paradigm, OTF2_REGION_FLAG_NONE, file,
                                               text.line > 0 ? (uint32_t)text.line : 0, 0));
    return how->group ? how->group : text.module;
}

void pinsight_otf2_write_regions(struct pinsight_otf2_definitions *definitions) {
    const struct pinsight_otf2 *otf2 = definitions->otf2;
    struct pinsight_strings names = {0};
    uint32_t *groups = pinsight_calloc(otf2->region_count + 1, sizeof(*groups));
    uint64_t *members = pinsight_calloc(otf2->region_count + 1, sizeof(*members));

    pinsight_strings_add(&names, "", 0);
    for (uint32_t i = 0; i < otf2->region_count; i++)
        add_to_group(&names, groups, i, write_region(definitions, i));
    for (uint32_t group = 1; group < names.count; group++) {
        uint32_t count = 0;

        for (uint32_t i = 0; i < otf2->region_count; i++)
            if (groups[i] == group)
                members[count++] = i;
        pinsight_otf2_group(definitions, pinsight_strings_text(&names, group),
                            OTF2_GROUP_TYPE_REGIONS, OTF2_PARADIGM_USER, members, count);
    }
    free(groups);
    free(members);
    pinsight_strings_clear(&names);
}
