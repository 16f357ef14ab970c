/* The domain Toy in a traced process: libpinsight-toy.so, which libtoy opens as its tool. */
#include "describe/toy.h"
#include "tracer/core/calls.h"
#include "tracer/record/toy.h"

#include "toy.h"

PINSIGHT_CALLS_DOMAIN(toy, TOY, "libtoy", "TOY_TOOL")

static void begin(enum toy_call call, long argument, const void *caller) {
    if (call == TOY_SOLVE &&
        pinsight_calls_begin(&toy, PINSIGHT_TOY_KIND_SOLVE, "toy_solve", caller)) {
        pinsight_record_toy_toy_solve_begin(pinsight_link_here(), (uintptr_t)caller, argument);
        pinsight_calls_recorded(&toy);
    } else if (call == TOY_WAIT &&
               pinsight_calls_begin(&toy, PINSIGHT_TOY_KIND_WAIT, "toy_wait", caller)) {
        pinsight_record_toy_toy_wait_begin(pinsight_link_here(), (uintptr_t)caller, argument);
        pinsight_calls_recorded(&toy);
    }
}

static void end(enum toy_call call) {
    if (pinsight_calls_end(&toy)) {
        if (call == TOY_SOLVE)
            pinsight_record_toy_toy_solve_end();
        else
            pinsight_record_toy_toy_wait_end();
        pinsight_calls_recorded(&toy);
    }
    pinsight_calls_ended(&toy);
}

static void finish(void) {
    pinsight_calls_stop(&toy);
}

PINSIGHT_API int toy_start_tool(struct toy_tool *tool) {
    *tool = (struct toy_tool){begin, end, finish};
    return pinsight_calls_start(&toy);
}
