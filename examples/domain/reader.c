/* The domain Toy to the reader. */
#include "reader/kit/calls.h"

READER_CALLS_DOMAIN(TOY, toy, "Toy", "toy_wait");
