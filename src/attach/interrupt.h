/*
 * Makes a running CPython execute a script by ptrace(2). Versions without sys.remote_exec(), which
 * came with 3.14, need this.
 *
 * One thread of the process is stopped for a moment and redirected into code that is mapped for it.
 * If the thread waits in a system call without the GIL, the code takes the GIL and executes the
 * script. Then the thread waits again. Otherwise the code adds a pending call (Py_AddPendingCall),
 * which the main thread makes between two instructions of Python. Every register is restored, and
 * the memory is unmapped.
 */
#ifndef PINSIGHT_ATTACH_INTERRUPT_H
#define PINSIGHT_ATTACH_INTERRUPT_H

#include "attach/remote_exec.h"

/* Returns whether this machine permits it: x86-64 with XSAVE. */
bool pinsight_interrupt_possible(void);

/*
 * Makes the process execute `text`, source code that ends with a zero. Waits until `is_done(data)`
 * returns true, for at most `patience_ms` milliseconds. Several threads may execute the text, so it
 * must do its work only once. After the return no thread begins with it any more.
 *
 * Returns a value as pinsight_remote_exec() does. PINSIGHT_REMOTE_FAILED comes with an errno: EPERM
 * if the kernel refuses; ENOEXEC if the process has another architecture, or its Python exports no
 * functions.
 */
enum pinsight_remote pinsight_interrupt(int pid, const char *text, int64_t patience_ms,
                                        bool (*is_done)(void *data), void *data);

#endif
