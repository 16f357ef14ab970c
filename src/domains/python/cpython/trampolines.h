/* What is put before the slots of types: a function for each that stands before another. */
#ifndef PINSIGHT_CPYTHON_TRAMPOLINES_H
#define PINSIGHT_CPYTHON_TRAMPOLINES_H

#include "domains/python/cpython/slots.h"

/* The forms of slots' functions. */
enum {
    PINSIGHT_FORM_BINARY,   /* binaryfunc */
    PINSIGHT_FORM_UNARY,    /* unaryfunc */
    PINSIGHT_FORM_TERNARY,  /* ternaryfunc */
    PINSIGHT_FORM_ASSIGN,   /* objobjargproc */
    PINSIGHT_FORM_COMPARE,  /* richcmpfunc */
    PINSIGHT_FORM_CONTAINS, /* objobjproc */
    PINSIGHT_FORMS
};

/* An operator that nobody has yet, whose trampoline is of that form; NULL where none is left. Not
 * given back. GIL held. */
struct pinsight_operator *pinsight_trampoline_new(unsigned form);

#endif
