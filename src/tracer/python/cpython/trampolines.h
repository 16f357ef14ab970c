/* The trampolines for the slots of types: one function for each redirected function. */
#ifndef PINSIGHT_CPYTHON_TRAMPOLINES_H
#define PINSIGHT_CPYTHON_TRAMPOLINES_H

#include "tracer/python/cpython/slots.h"

/* The types of slots' functions. */
enum {
    PINSIGHT_FORM_BINARY,   /* binaryfunc */
    PINSIGHT_FORM_UNARY,    /* unaryfunc */
    PINSIGHT_FORM_TERNARY,  /* ternaryfunc */
    PINSIGHT_FORM_ASSIGN,   /* objobjargproc */
    PINSIGHT_FORM_COMPARE,  /* richcmpfunc */
    PINSIGHT_FORM_CONTAINS, /* objobjproc */
    PINSIGHT_FORMS
};

/* Returns an unused operator with a trampoline of a form, or NULL if there is none left. It is
 * never released. Holds the GIL. */
struct pinsight_operator *pinsight_trampoline_new(unsigned form);

#endif
