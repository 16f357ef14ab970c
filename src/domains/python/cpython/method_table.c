/* Entries of method tables; see method_table.h. */
#include "domains/python/cpython/method_table.h"

#include "core/plain.h"

#include <sys/uio.h>
#include <unistd.h>

bool pinsight_method_redirect(PyMethodDef *method, int flags, PyCFunction to, PyCFunction *own) {
    if (method->ml_flags != flags || pinsight_plain())
        return false;
    if (method->ml_meth == to) /* else *own would be `to`, which would call itself for ever */
        return true;
    /* By way of the kernel, which refuses where it may not be written. */
    struct iovec from = {&to, sizeof to}, into = {&method->ml_meth, sizeof to};
    *own = method->ml_meth;
    return process_vm_writev(getpid(), &from, 1, &into, 1, 0) == (ssize_t)sizeof to;
}
