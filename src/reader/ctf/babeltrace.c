/* Errors and times of libbabeltrace2; see babeltrace.h. */
#include "reader/ctf/babeltrace.h"

#include "base/memory.h"

#include <string.h>

char *pinsight_take_error(void) {
    const bt_error *error = bt_current_thread_take_error();
    char *text = NULL;

    if (!error)
        return NULL;
    if (bt_error_get_cause_count(error))
        text =
            pinsight_strdup(bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0)));
    bt_error_release(error);
    /* Cuts off addresses and internal states of babeltrace. */
    for (char *at = text; at && (at = strstr(at, ": ")); at++) {
        size_t word = strcspn(at + 2, " ,=");

        if (word && at[2 + word] == '=') {
            *at = '\0';
            break;
        }
    }
    return text;
}

uint64_t pinsight_snapshot_ns(const bt_clock_snapshot *snapshot) {
    int64_t ns = 0;

    if (bt_clock_snapshot_get_ns_from_origin(snapshot, &ns) !=
        BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK) {
        bt_current_thread_clear_error();
        return 0;
    }
    return ns < 0 ? 0 : (uint64_t)ns;
}
