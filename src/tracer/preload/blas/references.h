/*
 * References of objects to the functions of BLAS and LAPACK. The dynamic linker binds each of them
 * to an exported trampoline. If an object's own library has the function, its reference is bound to
 * that library's trampoline instead, before code of the object runs.
 *
 * Code asks dlsym() for the first function of an object that it opened. New objects are therefore
 * examined at each dlsym(). Only constructors run earlier.
 */
#ifndef PINSIGHT_PRELOAD_BLAS_REFERENCES_H
#define PINSIGHT_PRELOAD_BLAS_REFERENCES_H

/* Notes the objects that the program starts with; they are in the global scope. Called once, in the
 * constructor. */
void pinsight_blas_references_start(void);

#endif
