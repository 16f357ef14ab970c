/* The domain Toy to views. */
#include "views/report/calls.h"

VIEW_CALLS_DOMAIN(TOY, toy, "Toy", .bar = {"Toy", "+", "+", PINSIGHT_DEVICE},
                  .bar_waiting = {"Toy waiting", "-", "-", PINSIGHT_DIM});
