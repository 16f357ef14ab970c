/*
 * Has a running CPython execute a script by ptrace(2): for versions that cannot be asked for it
 * (sys.remote_exec() is 3.14's). One of its threads is stopped for a moment and goes on in code
 * that it is lent. Where the thread waits in a system call without the GIL, that code takes the
 * GIL, executes the script, and the thread waits again. Otherwise it leaves a pending call
 * (Py_AddPendingCall), which the main thread comes to between two instructions of Python. Every
 * register is restored, and the memory is returned.
 */
#ifndef PINSIGHT_ATTACH_INTERRUPT_H
#define PINSIGHT_ATTACH_INTERRUPT_H

#include "attach/remote_exec.h"

/* True where this is possible on this machine: x86-64 with XSAVE. */
bool pinsight_interrupt_possible(void);

/*
 * Has the process execute `text`, source code that ends with a zero, until `is_done(data)` and for
 * at most `patience_ms`. It may be executed more than once, by several threads, and has to do its
 * work once. Afterwards it is not executed any more. What is returned is what
 * pinsight_remote_exec() returns; PINSIGHT_REMOTE_FAILED with errno EPERM where the kernel refuses,
 * ENOEXEC where the process is of another architecture or its Python exports no functions.
 */
enum pinsight_remote pinsight_interrupt(int pid, const char *text, int64_t patience_ms,
                                        bool (*is_done)(void *data), void *data);

#endif
