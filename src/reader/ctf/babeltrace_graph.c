/* The graph of libbabeltrace2: one source component for each trace, and one merging sink for all
 * streams. */
#include "reader/ctf/babeltrace_graph.h"

#include "base/lazy_library.h"
#include "base/memory.h"
#include "reader/ctf/babeltrace.h"
#include "reader/ctf/babeltrace_sink.h"
#include "reader/ctf/inputs.h"

#include <stdio.h>
#include <stdlib.h>

struct babeltrace_reading {
    bt_graph *graph;
    const bt_component_class_source *source_class;
    const bt_component_source **sources;
    size_t source_count;
    struct pinsight_inputs inputs;
    struct babeltrace_sink sink;
    struct pinsight_account *accounts; /* one for each source */
};

/* Adds the component for a group of folders. Returns 0, or -1 with babeltrace's error set. */
static int add_source(struct babeltrace_reading *reading, const struct pinsight_input *input) {
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

/* Makes the graph's sources. A component that cannot be made invalidates the graph, which is then
 * made again with a replacement for that group. Ends without a source if nothing can be read. */
static void make_sources(struct babeltrace_reading *reading,
                         struct pinsight_source_result *result) {
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
            spoilt = add_source(reading, &inputs->items[i]) != 0;
            if (spoilt)
                pinsight_inputs_replace(inputs, i, pinsight_take_error(), result);
        }
    } while (spoilt);
}

static int connect_streams(struct babeltrace_reading *reading) {
    struct babeltrace_sink *to = &reading->sink;
    const bt_component_sink *sink = NULL;
    bt_component_class_sink *class = babeltrace_sink_class();
    size_t at = 0;
    int rc = -1;

    for (size_t i = 0; i < reading->source_count; i++)
        to->stream_count += bt_component_source_get_output_port_count(reading->sources[i]);
    to->streams = pinsight_calloc(to->stream_count, sizeof(*to->streams));
    reading->accounts = pinsight_calloc(reading->source_count, sizeof(*reading->accounts));
    if (!class || bt_graph_add_sink_component_with_initialize_method_data(
                      reading->graph, class, "pinsight", NULL, to, BT_LOGGING_LEVEL_NONE, &sink) !=
                      BT_GRAPH_ADD_COMPONENT_STATUS_OK)
        goto out;
    for (size_t i = 0; i < reading->source_count; i++) {
        uint64_t ports = bt_component_source_get_output_port_count(reading->sources[i]);

        for (uint64_t p = 0; p < ports; p++, at++) {
            enum pinsight_stage stage = reading->inputs.items[i].stage;

            to->streams[at].base.number = (uint32_t)at;
            to->streams[at].base.earlier = stage == PINSIGHT_EARLIER;
            /* A single part does not have all events of its process. */
            if (stage == PINSIGHT_ORIGINAL || stage == PINSIGHT_COPY)
                to->streams[at].base.event.account = &reading->accounts[i];
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
    return rc;
}

static int run(struct babeltrace_reading *reading, struct pinsight_source_result *result) {
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

static void close_accounts(struct babeltrace_reading *reading, const char *path,
                           struct pinsight_source_result *result) {
    const char **folders = pinsight_calloc(reading->source_count, sizeof(*folders));

    for (size_t i = 0; i < reading->source_count; i++)
        folders[i] = reading->inputs.items[i].originals[0];
    pinsight_accounts_close(reading->accounts, folders, reading->source_count, path, result);
    free(folders);
}

static int read_all(struct babeltrace_reading *reading, const struct ctf_groups *groups,
                    const char *path, uint64_t bytes, struct pinsight_source_result *result) {
    struct pinsight_inputs *inputs = &reading->inputs;
    struct pinsight_merge *merge = &reading->sink.merge;
    int rc = -1;

    reading->sink.repair = &inputs->repair;
    pinsight_inputs_make(inputs, groups, result);
    reading->sink.most_events = bytes + inputs->earlier_bytes;
    make_sources(reading, result);
    if (!inputs->count && !result->warning_count)
        rc = 0; /* no process recorded anything */
    else if (!reading->source_count)
        pinsight_source_nothing(result, path, inputs->cause);
    else if (connect_streams(reading) != 0)
        result->error = pinsight_take_error();
    else
        rc = run(reading, result);
    result->streams = (uint32_t)reading->sink.stream_count;
    if (rc == 0 && pinsight_source_is_whole(result) && !merge->ended_early)
        close_accounts(reading, path, result);
    bt_graph_put_ref(reading->graph);
    bt_current_thread_clear_error();
    return rc;
}

int babeltrace_read(const char *path, const struct ctf_groups *groups, uint64_t bytes,
                    const struct pinsight_source_options *options,
                    struct pinsight_source_result *result) {
    struct babeltrace_reading reading = {.sink = {.merge = {.options = options, .result = result}}};
    const char *missing = pinsight_lazy_library_open(&pinsight_lazy_babeltrace2);
    const bt_plugin *plugin = NULL;
    int rc;

    if (missing) {
        result->error = pinsight_format(
            "%s is not as PInsight and LTTng write traces, and libbabeltrace2, which reads others, "
            "cannot be used (%s); install it (Debian: apt install libbabeltrace2-0)",
            path, missing);
        return -1;
    }
    bt_logging_set_global_level(BT_LOGGING_LEVEL_NONE);
    if (bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin) !=
        BT_PLUGIN_FIND_STATUS_OK) {
        bt_current_thread_clear_error();
        result->error = pinsight_strdup(
            "babeltrace2's plug-in for CTF was not found; install babeltrace2, or name the folder "
            "of its plug-ins in BABELTRACE_PLUGIN_PATH");
        return -1;
    }
    reading.source_class = bt_plugin_borrow_source_component_class_by_name_const(plugin, "fs");
    rc = read_all(&reading, groups, path, bytes, result);
    babeltrace_sink_clear(&reading.sink);
    pinsight_inputs_clear(&reading.inputs);
    bt_plugin_put_ref(plugin);
    free(reading.sources);
    free(reading.accounts);
    return rc;
}
