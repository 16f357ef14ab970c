/* Functions, C callables, call sites and groups of the model. */
#include "reader/python/names.h"

#include "base/memory.h"
#include "reader/kit/packages.h"
#include "reader/kit/paths.h"
#include "reader/lookup.h"

#include <string.h>

static uint32_t add_string(struct pinsight_model *model, const char *text) {
    return pinsight_strings_add(&model->strings, text, strlen(text));
}

/* Returns whether a module has a name. The recorder writes "?" otherwise, because some readers
 * misread an empty string. */
static bool is_module(const char *module) {
    return module[0] && strcmp(module, "?") != 0;
}

static uint32_t new_function(struct pinsight_model *model) {
    model->functions = pinsight_grow(model->functions, model->function_count,
                                     &model->function_capacity, sizeof(*model->functions));
    model->functions[model->function_count] = (struct pinsight_function){.group = PINSIGHT_NONE};
    return (uint32_t)model->function_count++;
}

static uint32_t new_callee(struct pinsight_model *model) {
    model->callees = pinsight_grow(model->callees, model->callee_count, &model->callee_capacity,
                                   sizeof(*model->callees));
    model->callees[model->callee_count] = (struct pinsight_callee){.group = PINSIGHT_NONE};
    return (uint32_t)model->callee_count++;
}

static void name_function(struct pinsight_model *model, uint32_t function, uint32_t name,
                          uint32_t file, int32_t line) {
    model->functions[function].name = name;
    model->functions[function].file = file;
    model->functions[function].line = line;
    model->functions[function].known = true;
    pinsight_map_set(&model->function_map, name, file, (uint32_t)line, function);
    pinsight_awaits_function(model, function);
}

uint32_t pinsight_names_function(struct pinsight_model *model, uint32_t name, uint32_t file,
                                 int32_t line) {
    uint32_t function = pinsight_map_get(&model->function_map, name, file, (uint32_t)line);

    if (function == PINSIGHT_MAP_NONE) {
        function = new_function(model);
        name_function(model, function, name, file, line);
    }
    return function;
}

/* Names a callee. Without a callee_info, the module is the text before the last dot. */
static void name_callee(struct pinsight_model *model, uint32_t callee, uint32_t name) {
    const char *text = pinsight_strings_text(&model->strings, name);
    const char *dot = strrchr(text, '.');

    model->callees[callee].name = name;
    model->callees[callee].known = true;
    if (!model->callees[callee].module && dot)
        model->callees[callee].module =
            pinsight_strings_add(&model->strings, text, (size_t)(dot - text));
    pinsight_map_set(&model->callee_map, name, 0, 0, callee);
    pinsight_awaits_callee(model, callee);
}

uint32_t pinsight_names_callee(struct pinsight_model *model, uint32_t name) {
    uint32_t callee = pinsight_map_get(&model->callee_map, name, 0, 0);

    if (callee == PINSIGHT_MAP_NONE) {
        callee = new_callee(model);
        name_callee(model, callee, name);
    }
    return callee;
}

/* Notes the last site of a caller, as the successor of the site before. */
static void note_last_site(struct pinsight_model *model, uint32_t caller, uint32_t site) {
    uint32_t *last;

    if (caller == PINSIGHT_NONE)
        return;
    last = &model->functions[caller].last_site;
    if (*last)
        model->sites[*last - 1].next = site + 1;
    *last = site + 1;
}

uint32_t pinsight_names_other_site(struct pinsight_model *model, uint32_t callee, uint32_t caller,
                                   int32_t line) {
    uint32_t site = pinsight_map_get(&model->site_map, callee, caller, (uint32_t)line);

    if (site == PINSIGHT_MAP_NONE)
        return PINSIGHT_NONE;
    note_last_site(model, caller, site);
    return site;
}

uint32_t pinsight_names_new_site(struct pinsight_model *model, uint32_t callee, uint32_t caller,
                                 int32_t line) {
    uint32_t site = (uint32_t)model->site_count;

    *PINSIGHT_ADD(model->sites, model->site_count, model->site_capacity) =
        (struct pinsight_site){.callee = callee, .caller = caller, .line = line};
    pinsight_map_set(&model->site_map, callee, caller, (uint32_t)line, site);
    note_last_site(model, caller, site);
    return site;
}

uint32_t pinsight_names_new_code(struct pinsight_process *process, uint32_t code) {
    uint32_t function = new_function(process->model);

    pinsight_numbers_set(&process->codes, code, function);
    return function;
}

uint32_t pinsight_names_new_callee(struct pinsight_process *process, uint32_t callee) {
    uint32_t number = new_callee(process->model);

    pinsight_numbers_set(&process->callees, callee, number);
    return number;
}

void pinsight_names_code_info(struct pinsight_process *process, uint32_t code, uint64_t code_id,
                              const char *name, const char *file, int32_t line,
                              const char *module) {
    struct pinsight_model *model = process->model;
    uint32_t name_number = add_string(model, name);
    uint32_t file_number = add_string(model, file);
    uint32_t function = pinsight_numbers_get(&process->codes, code);

    if (function == PINSIGHT_MAP_NONE || model->functions[function].known)
        function = pinsight_names_function(model, name_number, file_number, line);
    else
        name_function(model, function, name_number, file_number, line);
    if (is_module(module))
        model->functions[function].module = add_string(model, module);
    pinsight_numbers_set(&process->codes, code, function);
    if (code_id)
        pinsight_lookup_set_function(process, code_id, function);
}

void pinsight_names_callee_info(struct pinsight_process *process, uint32_t callee, const char *name,
                                const char *module) {
    struct pinsight_model *model = process->model;
    uint32_t name_number = add_string(model, name);
    uint32_t number = pinsight_numbers_get(&process->callees, callee);

    if (number == PINSIGHT_MAP_NONE || model->callees[number].known)
        number = pinsight_names_callee(model, name_number);
    else
        name_callee(model, number, name_number);
    if (is_module(module))
        model->callees[number].module = add_string(model, module);
    pinsight_numbers_set(&process->callees, callee, number);
}

static uint32_t group_number(struct pinsight_model *model, uint32_t name) {
    uint32_t group = pinsight_map_get(&model->group_map, name, 0, 0);

    if (group == PINSIGHT_MAP_NONE) {
        model->groups = pinsight_grow(model->groups, model->group_count, &model->group_capacity,
                                      sizeof(*model->groups));
        group = (uint32_t)model->group_count++;
        model->groups[group] = (struct pinsight_group){.name = name};
        pinsight_map_set(&model->group_map, name, 0, 0, group);
    }
    return group;
}

/* Returns the package of a file, or the module. Code that is not the user's is summed by package:
 * the single modules of a library are of no interest. */
static uint32_t package_or(struct pinsight_model *model, const char *file, uint32_t module) {
    char *package = pinsight_package_of(file, pinsight_strings_text(&model->strings, module));
    uint32_t name = package ? add_string(model, package) : module;

    free(package);
    return name;
}

static uint32_t module_of(struct pinsight_model *model, uint32_t function) {
    const struct pinsight_function *entry = &model->functions[function];

    if (!entry->file || pinsight_function_is_users(model, function))
        return entry->module;
    return package_or(model, pinsight_strings_text(&model->strings, entry->file), entry->module);
}

uint32_t pinsight_names_function_group(struct pinsight_model *model, uint32_t function) {
    struct pinsight_function *entry = &model->functions[function];
    uint32_t name;

    if (entry->group != PINSIGHT_NONE)
        return entry->group;
    switch (model->options.group_by) {
    case PINSIGHT_BY_MODULE:
        name = module_of(model, function);
        break;
    case PINSIGHT_BY_FILE:
        name = entry->file;
        break;
    default:
        return PINSIGHT_NONE;
    }
    /* The name may come later. */
    if (!name)
        return group_number(model, name);
    entry->group = group_number(model, name);
    return entry->group;
}

uint32_t pinsight_names_site_group(struct pinsight_model *model, uint32_t site) {
    const struct pinsight_site *entry = &model->sites[site];
    struct pinsight_callee *callee = &model->callees[entry->callee];

    if (model->options.group_by == PINSIGHT_BY_FILE) {
        if (entry->caller == PINSIGHT_NONE)
            return group_number(model, 0);
        return pinsight_names_function_group(model, entry->caller);
    }
    if (model->options.group_by == PINSIGHT_BY_NOTHING)
        return PINSIGHT_NONE;
    if (callee->group == PINSIGHT_NONE && callee->module)
        callee->group = group_number(model, package_or(model, "", callee->module));
    return callee->group == PINSIGHT_NONE ? group_number(model, 0) : callee->group;
}

void pinsight_names_profile(struct pinsight_thread *thread, enum pinsight_kind kind,
                            const char *name, const char *file, int32_t line,
                            const struct pinsight_monitored *counted) {
    struct pinsight_model *model = thread->process->model;
    uint32_t group;

    if (!thread->selected)
        return;
    if (kind == PINSIGHT_FUNCTION) {
        uint32_t function =
            pinsight_names_function(model, add_string(model, name), add_string(model, file), line);

        pinsight_monitored_add(&model->functions[function].counted, counted);
        group = pinsight_names_function_group(model, function);
    } else {
        uint32_t callee = pinsight_names_callee(model, add_string(model, name));
        uint32_t site = pinsight_names_site(model, callee, PINSIGHT_NONE, 0);

        pinsight_monitored_add(&model->callees[callee].counted, counted);
        group = pinsight_names_site_group(model, site);
    }
    pinsight_monitored_add(&thread->counted[kind], counted);
    if (group != PINSIGHT_NONE)
        pinsight_monitored_add(&model->groups[group].counted[kind], counted);
}
