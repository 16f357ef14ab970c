/* The graph: one source component for each trace, all of their streams into one merging sink. */
#include "reader/source.h"

#include "reader/find.h"
#include "reader/mem.h"
#include "reader/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pinsight_source_warn(struct pinsight_source_result *result, char *text) {
    result->warnings = pinsight_grow(result->warnings, result->warning_count,
                                     &result->warning_capacity, sizeof(*result->warnings));
    result->warnings[result->warning_count++] = text;
}

void pinsight_source_result_clear(struct pinsight_source_result *result) {
    for (size_t i = 0; i < result->warning_count; i++)
        free(result->warnings[i]);
    free(result->warnings);
    free(result->error);
    *result = (struct pinsight_source_result){0};
}

struct reading {
    bt_graph *graph;
    const bt_component_source **sources;
    size_t source_count;
    struct pinsight_merge merge;
};

/* Adds the source component for some folders that are one trace. Returns 0, or -1 with
 * babeltrace's error set. */
static int add_source(struct reading *reading, const bt_component_class_source *class,
                      const struct pinsight_found_trace *const *traces, size_t count) {
    bt_value *parameters = bt_value_map_create();
    bt_value *inputs = NULL;
    const bt_component_source *source = NULL;
    char name[32];
    int rc = -1;

    snprintf(name, sizeof(name), "trace%zu", reading->source_count);
    if (!parameters || bt_value_map_insert_empty_array_entry(parameters, "inputs", &inputs) !=
                           BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK)
        goto out;
    for (size_t i = 0; i < count; i++)
        if (bt_value_array_append_string_element(inputs, traces[i]->folder) !=
            BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK)
            goto out;
    if (bt_graph_add_source_component(reading->graph, class, name, parameters,
                                      BT_LOGGING_LEVEL_NONE,
                                      &source) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
        goto out;
    reading->sources[reading->source_count++] = source;
    rc = 0;
out:
    bt_value_put_ref(parameters);
    return rc;
}

/* Adds a source for each group of folders that share a trace's identity. */
static void add_sources(struct reading *reading, const bt_component_class_source *class,
                        const struct pinsight_found *found, struct pinsight_source_result *result,
                        char **first_cause) {
    const struct pinsight_found_trace **group = pinsight_calloc(found->count, sizeof(*group));
    bool *taken = pinsight_calloc(found->count, sizeof(*taken));

    for (size_t i = 0; i < found->count; i++) {
        size_t count = 0;

        for (size_t j = i; j < found->count; j++) {
            const struct pinsight_found_trace *a = &found->traces[i], *b = &found->traces[j];

            if (taken[j] || (j != i && (!a->has_uuid || !b->has_uuid ||
                                        memcmp(a->uuid, b->uuid, sizeof(a->uuid)) != 0)))
                continue;
            taken[j] = true;
            group[count++] = b;
        }
        if (count && add_source(reading, class, group, count) != 0) {
            char *cause = pinsight_take_error();

            pinsight_source_warn(result,
                                 pinsight_format("the trace in %s cannot be read (%s)",
                                                 group[0]->folder, cause ? cause : "no cause"));
            if (!*first_cause)
                *first_cause = cause;
            else
                free(cause);
        }
    }
    free(group);
    free(taken);
}

/* The file name in a port's name, which ends in the path of the stream's file. */
static char *stream_name(const char *port_name) {
    const char *slash = strrchr(port_name, '/');

    return pinsight_strdup(slash ? slash + 1 : port_name);
}

static int connect_streams(struct reading *reading) {
    struct pinsight_merge *merge = &reading->merge;
    const bt_component_sink *sink = NULL;
    bt_component_class_sink *class = pinsight_merge_class();
    size_t at = 0;
    int rc = -1;

    for (size_t i = 0; i < reading->source_count; i++)
        merge->stream_count += bt_component_source_get_output_port_count(reading->sources[i]);
    merge->streams = pinsight_calloc(merge->stream_count, sizeof(*merge->streams));
    if (!class || bt_graph_add_sink_component_with_initialize_method_data(
                      reading->graph, class, "pinsight", NULL, merge, BT_LOGGING_LEVEL_NONE,
                      &sink) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
        goto out;
    for (size_t i = 0; i < reading->source_count; i++) {
        uint64_t ports = bt_component_source_get_output_port_count(reading->sources[i]);

        for (uint64_t p = 0; p < ports; p++, at++) {
            const bt_port_output *port =
                bt_component_source_borrow_output_port_by_index_const(reading->sources[i], p);

            merge->streams[at].name =
                stream_name(bt_port_get_name(bt_port_output_as_port_const(port)));
            if (bt_graph_connect_ports(reading->graph, port,
                                       bt_component_sink_borrow_input_port_by_index_const(sink, at),
                                       NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
                goto out;
        }
    }
    rc = 0;
out:
    if (class)
        bt_component_class_sink_put_ref(class);
    return rc;
}

static int run(struct reading *reading, struct pinsight_source_result *result) {
    bt_graph_run_status status;

    do {
        status = bt_graph_run(reading->graph);
    } while (status == BT_GRAPH_RUN_STATUS_AGAIN);
    if (status == BT_GRAPH_RUN_STATUS_OK)
        return 0;
    result->error = pinsight_take_error();
    if (!result->error)
        result->error = pinsight_strdup("babeltrace could not read the trace");
    return -1;
}

static int read_found(const char *path, const struct pinsight_found *found,
                      const struct pinsight_source_options *options,
                      struct pinsight_source_result *result) {
    struct reading reading = {.merge = {.options = options, .result = result}};
    const bt_plugin *plugin = NULL;
    char *cause = NULL;
    int rc = -1;

    if (bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin) !=
        BT_PLUGIN_FIND_STATUS_OK) {
        bt_current_thread_clear_error();
        result->error = pinsight_strdup(
            "babeltrace2's plug-in for CTF was not found; install babeltrace2, or name the folder "
            "of its plug-ins in BABELTRACE_PLUGIN_PATH");
        return -1;
    }
    reading.graph = bt_graph_create(0);
    reading.sources = pinsight_calloc(found->count, sizeof(*reading.sources));
    add_sources(&reading, bt_plugin_borrow_source_component_class_by_name_const(plugin, "fs"),
                found, result, &cause);
    if (!reading.source_count)
        result->error = pinsight_format("the trace in %s cannot be read: %s", path,
                                        cause ? cause : "its metadata or its streams are damaged");
    else if (connect_streams(&reading) != 0)
        result->error = pinsight_take_error();
    else
        rc = run(&reading, result);
    result->streams = (uint32_t)reading.merge.stream_count;
    bt_graph_put_ref(reading.graph);
    pinsight_merge_clear(&reading.merge);
    bt_plugin_put_ref(plugin);
    free(reading.sources);
    free(cause);
    return rc;
}

int pinsight_source_read(const char *path, const struct pinsight_source_options *options,
                         struct pinsight_source_result *result) {
    struct pinsight_found found = {0};
    int rc = -1;

    bt_logging_set_global_level(BT_LOGGING_LEVEL_NONE);
    result->error = pinsight_find_traces(path, &found);
    if (!result->error) {
        result->bytes = found.bytes;
        rc = read_found(path, &found, options, result);
    }
    pinsight_found_clear(&found);
    return rc;
}
