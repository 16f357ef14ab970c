/* The graph: one source component for each trace, all of their streams into one merging sink. */
#include "reader/ctf/source.h"

#include "base/memory.h"
#include "reader/ctf/babeltrace.h"
#include "reader/ctf/guard.h"
#include "reader/ctf/inputs.h"
#include "reader/ctf/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pinsight_source_warn(struct pinsight_source_result *result, char *text) {
    *PINSIGHT_ADD(result->warnings, result->warning_count, result->warning_capacity) = text;
}

void pinsight_source_result_clear(struct pinsight_source_result *result) {
    for (size_t i = 0; i < result->warning_count; i++)
        free(result->warnings[i]);
    free(result->warnings);
    free(result->short_processes);
    free(result->error);
    *result = (struct pinsight_source_result){0};
}

struct source_reading {
    bt_graph *graph;
    const bt_component_class_source *source_class;
    const bt_component_source **sources;
    size_t source_count;
    struct pinsight_inputs inputs;
    struct pinsight_merge merge;
};

/* Adds the component for a group of folders. Returns 0, or -1 with babeltrace's error set. */
static int add_source(struct source_reading *reading, const struct pinsight_input *input) {
    bt_value *parameters = bt_value_map_create();
    bt_value *list = NULL;
    const bt_component_source *source = NULL;
    char name[32];
    int rc = -1;

    snprintf(name, sizeof(name), "trace%zu", reading->source_count);
    if (!parameters || bt_value_map_insert_empty_array_entry(parameters, "inputs", &list) !=
                           BT_VALUE_MAP_INSERT_ENTRY_STATUS_OK)
        goto out;
    for (size_t i = 0; i < input->count; i++)
        if (bt_value_array_append_string_element(list, input->folders[i]) !=
            BT_VALUE_ARRAY_APPEND_ELEMENT_STATUS_OK)
            goto out;
    if (bt_graph_add_source_component(reading->graph, reading->source_class, name, parameters,
                                      BT_LOGGING_LEVEL_NONE,
                                      &source) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
        goto out;
    reading->sources[reading->source_count++] = source;
    rc = 0;
out:
    bt_value_put_ref(parameters);
    return rc;
}

/* Makes the graph's sources. A component that cannot be made spoils the graph, so that it is begun
 * again with what stands in for that group. Ends with no source where nothing can be read. */
static void make_sources(struct source_reading *reading, struct pinsight_source_result *result) {
    struct pinsight_inputs *inputs = &reading->inputs;
    bool spoilt;

    do {
        spoilt = false;
        bt_graph_put_ref(reading->graph);
        reading->graph = bt_graph_create(0);
        reading->source_count = 0;
        reading->sources =
            pinsight_realloc(reading->sources, inputs->count, sizeof(*reading->sources));
        for (size_t i = 0; i < inputs->count && !spoilt; i++) {
            pinsight_guard_enter();
            spoilt = add_source(reading, &inputs->items[i]) != 0;
            pinsight_guard_leave();
            if (spoilt)
                pinsight_inputs_replace(inputs, i, pinsight_take_error(), result);
        }
    } while (spoilt);
}

static int connect_streams(struct source_reading *reading) {
    struct pinsight_merge *merge = &reading->merge;
    const bt_component_sink *sink = NULL;
    bt_component_class_sink *class = pinsight_merge_class();
    size_t at = 0;
    int rc = -1;

    pinsight_guard_enter();
    for (size_t i = 0; i < reading->source_count; i++)
        merge->stream_count += bt_component_source_get_output_port_count(reading->sources[i]);
    merge->streams = pinsight_calloc(merge->stream_count, sizeof(*merge->streams));
    merge->accounts = pinsight_calloc(reading->source_count, sizeof(*merge->accounts));
    if (!class || bt_graph_add_sink_component_with_initialize_method_data(
                      reading->graph, class, "pinsight", NULL, merge, BT_LOGGING_LEVEL_NONE,
                      &sink) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
        goto out;
    for (size_t i = 0; i < reading->source_count; i++) {
        uint64_t ports = bt_component_source_get_output_port_count(reading->sources[i]);

        for (uint64_t p = 0; p < ports; p++, at++) {
            enum pinsight_stage stage = reading->inputs.items[i].stage;

            merge->streams[at].earlier = stage == PINSIGHT_EARLIER;
            /* A part alone has not all of its process. */
            if (stage == PINSIGHT_ORIGINAL || stage == PINSIGHT_COPY)
                merge->streams[at].account = &merge->accounts[i];
            if (bt_graph_connect_ports(
                    reading->graph,
                    bt_component_source_borrow_output_port_by_index_const(reading->sources[i], p),
                    bt_component_sink_borrow_input_port_by_index_const(sink, at),
                    NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
                goto out;
        }
    }
    rc = 0;
out:
    if (class)
        bt_component_class_sink_put_ref(class);
    pinsight_guard_leave();
    return rc;
}

static int run(struct source_reading *reading, struct pinsight_source_result *result) {
    bt_graph_run_status status;

    do {
        pinsight_guard_enter();
        status = bt_graph_run(reading->graph);
        pinsight_guard_leave();
    } while (status == BT_GRAPH_RUN_STATUS_AGAIN);
    if (status == BT_GRAPH_RUN_STATUS_OK)
        return 0;
    result->error = pinsight_take_error();
    if (!result->error)
        result->error = pinsight_strdup("babeltrace could not read the trace");
    return -1;
}

static void close_accounts(struct source_reading *reading, const char *path,
                           struct pinsight_source_result *result) {
    const char **folders = pinsight_calloc(reading->source_count, sizeof(*folders));

    for (size_t i = 0; i < reading->source_count; i++)
        folders[i] = reading->inputs.items[i].originals[0];
    pinsight_accounts_close(reading->merge.accounts, folders, reading->source_count, path, result);
    free(folders);
}

static int read_found(const char *path, const struct pinsight_found *found,
                      const struct pinsight_source_options *options,
                      struct pinsight_source_result *result) {
    struct source_reading reading = {.merge = {.options = options, .result = result}};
    struct pinsight_inputs *inputs = &reading.inputs;
    const bt_plugin *plugin = NULL;
    int rc = -1;

    if (bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin) !=
        BT_PLUGIN_FIND_STATUS_OK) {
        bt_current_thread_clear_error();
        result->error = pinsight_strdup(
            "babeltrace2's plug-in for CTF was not found; install babeltrace2, or name the folder "
            "of its plug-ins in BABELTRACE_PLUGIN_PATH");
        return -1;
    }
    pinsight_guard.bytes = found->bytes;
    reading.source_class = bt_plugin_borrow_source_component_class_by_name_const(plugin, "fs");
    reading.merge.repair = &inputs->repair;
    pinsight_inputs_make(inputs, found, result);
    reading.merge.most_events = found->bytes + inputs->earlier_bytes;
    make_sources(&reading, result);
    if (!inputs->count && !result->warning_count)
        rc = 0; /* no process recorded anything */
    else if (!reading.source_count)
        result->error = pinsight_format(
            "the trace in %s cannot be read: %s. Record it again; if the disk was full, free space "
            "or name another folder with -o",
            path,
            inputs->cause && !result->damaged_metadata
                ? inputs->cause
                : "its metadata, which describes the events, is damaged");
    else if (connect_streams(&reading) != 0)
        result->error = pinsight_take_error();
    else
        rc = run(&reading, result);
    pinsight_guard_enter(); /* with the graph goes what babeltrace2 holds */
    result->streams = (uint32_t)reading.merge.stream_count;
    if (rc == 0 && !result->stopped && !reading.merge.ended_early && !result->later_chunk &&
        !result->unclear_discards)
        close_accounts(&reading, path, result);
    bt_graph_put_ref(reading.graph);
    bt_current_thread_clear_error();
    pinsight_guard_leave();
    pinsight_merge_clear(&reading.merge);
    pinsight_inputs_clear(inputs);
    bt_plugin_put_ref(plugin);
    free(reading.sources);
    if (rc == 0 && !result->known_events && result->warning_count && !result->stopped) {
        result->error = pinsight_format("nothing of the trace in %s can be read: its metadata or "
                                        "its streams are damaged; record it again",
                                        path);
        rc = -1;
    }
    if (rc == 0 && result->events && !result->known_events && !result->stopped) {
        result->error = pinsight_format("%s holds %" PRIu64 " events and none of them is "
                                        "PInsight's; record a trace with `pinsight run`",
                                        path, result->events);
        rc = -1;
    }
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
        rc = found.count ? read_found(path, &found, options, result) : 0;
    }
    pinsight_found_clear(&found);
    return rc;
}
