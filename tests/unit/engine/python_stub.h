/* The Python domain without an interpreter: what its balance asks of the rest. */
#ifndef PINSIGHT_TESTS_PYTHON_STUB_H
#define PINSIGHT_TESTS_PYTHON_STUB_H

#include "tracer/python/balance.h"

/* Are there greenlets? */
extern bool stub_greenlets;

/* Has what an exception is thrown into been started before? */
extern bool stub_started;

/* How often the program was about to leave. */
extern unsigned stub_left;

/* Make the domain known, and the calling thread's state. */
struct pinsight_python_thread *stub_start(void);

/* A lexgion of Python's or C's. */
struct pinsight_python_lexgion *stub_lexgion(bool is_c, const char *name, const char *module);

/* The domain is to make these events, with names or numbers in them. */
void stub_events(bool functions, bool c_calls, bool imports, bool registry);

/* What the interpreter's callbacks do, for the mode in force: return what the balance does. Nothing
 * in OFF and STANDBY. A callable is the lexgion itself, and so is a code object. */
bool stub_begin(struct pinsight_python_lexgion *lexgion, void *frame, int how);
bool stub_end(struct pinsight_python_lexgion *lexgion, void *frame, int how);
void stub_c_begin(struct pinsight_python_lexgion *caller, struct pinsight_python_lexgion *callee,
                  void *frame, int32_t lineno);
void stub_c_end(struct pinsight_python_lexgion *caller, struct pinsight_python_lexgion *callee,
                void *frame, int how);

/* The clock stands still but for this. */
extern uint64_t stub_clock;

#endif
