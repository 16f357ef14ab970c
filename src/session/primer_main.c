/*
 * pinsight-primer: a program that does nothing but load every provider of PInsight's.
 *
 * It registers with the session daemon, which then writes the description of all their events into
 * the trace. So the trace can be read whatever happens later, also when the daemon is killed before
 * a traced program ended (descriptions are otherwise written late).
 */
#include <lttng/tracepoint.h>

#include "session/join.h"

int main(void) {
    /* LTTng-UST has registered, and waited for the daemon, before main. */
    return pinsight_session_join() == 0 ? 0 : 1;
}
