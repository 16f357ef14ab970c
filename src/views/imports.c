/* Trees of imports, and their forms for other programs. */
#include "views/imports.h"

#include "reader/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct pinsight_import_tree make_tree(const struct pinsight_report *report,
                                             const struct pinsight_process *process, int64_t depth,
                                             double threshold) {
    const struct pinsight_model *model = report->model;
    struct pinsight_import_tree tree = {.process = process};
    uint32_t *numbers = pinsight_calloc(model->import_count, sizeof(*numbers));
    uint64_t *totals = pinsight_calloc(model->import_count, sizeof(*totals));
    struct pinsight_tree_source source;

    tree.nodes = pinsight_calloc(model->import_count, sizeof(*tree.nodes));
    tree.parents = pinsight_calloc(model->import_count, sizeof(*tree.parents));
    for (uint32_t i = 0; i < model->import_count; i++) {
        const struct pinsight_import *import = &model->imports[i];

        if (import->process != process)
            continue;
        numbers[i] = (uint32_t)tree.count;
        tree.nodes[tree.count] = i;
        tree.parents[tree.count] =
            import->parent == PINSIGHT_NONE ? PINSIGHT_NONE : numbers[import->parent];
        totals[tree.count++] = import->total_ns;
    }
    source = (struct pinsight_tree_source){tree.parents, totals, tree.count};
    if (tree.count)
        tree.tree = pinsight_tree_choose(&source, depth, threshold);
    free(numbers);
    free(totals);
    return tree;
}

static void free_tree(struct pinsight_import_tree *tree) {
    free(tree->tree.lines);
    free(tree->nodes);
    free(tree->parents);
}

struct pinsight_import_trees pinsight_imports_make(const struct pinsight_report *report,
                                                   int64_t depth, double threshold) {
    const struct pinsight_model *model = report->model;
    struct pinsight_import_trees trees = {0};
    bool *has = pinsight_calloc(model->process_count + 1, sizeof(*has));

    trees.trees = pinsight_calloc(model->process_count + 1, sizeof(*trees.trees));
    for (size_t i = 0; i < model->import_count; i++)
        has[model->imports[i].process->index] = true;
    for (size_t i = 0; i < model->process_count; i++)
        if (has[i])
            trees.trees[trees.count++] = make_tree(report, model->processes[i], depth, threshold);
    free(has);
    return trees;
}

void pinsight_imports_free(struct pinsight_import_trees *trees) {
    for (size_t i = 0; i < trees->count; i++)
        free_tree(&trees->trees[i]);
    free(trees->trees);
    *trees = (struct pinsight_import_trees){0};
}

const char *pinsight_imports_none(const struct pinsight_report *report) {
    const struct pinsight_model *model = report->model;

    for (size_t p = 0; p < model->process_count; p++)
        for (size_t d = 0; d < model->processes[p]->domain_count; d++)
            if (strstr(
                    pinsight_strings_text(&model->strings, model->processes[p]->domains[d].events),
                    "import"))
                return "No import was recorded: no module was imported that was not there yet.";
    return "No import was recorded: imports are off unless they are asked for. Record with "
           "--events "
           "function,import, or with `events = function, import` in the section [Python] of a "
           "configuration.";
}

/* Depth and threshold as options give them to forms that show all by default. */
static struct pinsight_import_trees make_all(const struct pinsight_report *report) {
    const struct pinsight_report_options *options = &report->options;

    return pinsight_imports_make(report, options->depth < 0 ? 0 : options->depth,
                                 options->threshold < 0 ? 0 : options->threshold);
}

void pinsight_imports_json(const struct pinsight_report *report, struct pinsight_json *json) {
    const struct pinsight_model *model = report->model;
    struct pinsight_import_trees trees = make_all(report);

    pinsight_json_open(json, "imports", '[');
    for (size_t t = 0; t < trees.count; t++)
        for (size_t i = 0; i < trees.trees[t].tree.count; i++) {
            const struct pinsight_tree_line *line = &trees.trees[t].tree.lines[i];
            uint32_t node = trees.trees[t].nodes[line->node];
            const struct pinsight_import *import = &model->imports[node];

            pinsight_json_open(json, NULL, '{');
            pinsight_json_unsigned(json, "id", node);
            if (import->parent == PINSIGHT_NONE)
                pinsight_json_null(json, "parent");
            else
                pinsight_json_unsigned(json, "parent", import->parent);
            pinsight_json_unsigned(json, "depth", line->depth);
            pinsight_json_signed(json, "pid", import->process->pid);
            pinsight_json_string(json, "module",
                                 pinsight_strings_text(&model->strings, import->module));
            pinsight_json_unsigned(json, "count", import->count);
            pinsight_json_unsigned(json, "failed", import->failed);
            pinsight_json_unsigned(json, "total_ns", import->total_ns);
            pinsight_json_unsigned(json, "self_ns", import->self_ns);
            pinsight_json_unsigned(json, "begin_ns", import->first_ns);
            pinsight_json_close(json, '}');
        }
    pinsight_json_close(json, ']');
    pinsight_imports_free(&trees);
}

void pinsight_imports_csv(const struct pinsight_report *report, FILE *out,
                          void (*write_text)(FILE *out, const char *text)) {
    const struct pinsight_model *model = report->model;
    struct pinsight_import_trees trees = make_all(report);
    int64_t left = report->options.limit > 0 ? report->options.limit : INT64_MAX;

    fputs("id,parent,depth,pid,module,count,failed,total_ns,self_ns,begin_ns\r\n", out);
    for (size_t t = 0; t < trees.count; t++)
        for (size_t i = 0; i < trees.trees[t].tree.count && left > 0; i++, left--) {
            const struct pinsight_tree_line *line = &trees.trees[t].tree.lines[i];
            uint32_t node = trees.trees[t].nodes[line->node];
            const struct pinsight_import *import = &model->imports[node];

            fprintf(out, "%" PRIu32 ",", node);
            if (import->parent != PINSIGHT_NONE)
                fprintf(out, "%" PRIu32, import->parent);
            fprintf(out, ",%" PRIu32 ",%" PRId64 ",", line->depth, import->process->pid);
            write_text(out, pinsight_strings_text(&model->strings, import->module));
            fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\r\n",
                    import->count, import->failed, import->total_ns, import->self_ns,
                    import->first_ns);
        }
    pinsight_imports_free(&trees);
}
