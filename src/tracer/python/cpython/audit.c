/* Removes the audit hook; see audit.h. PySys_AddAuditHook has no counterpart, so the interpreter's
 * list itself is changed. */
#define Py_BUILD_CORE 1
#include "tracer/python/versions.h"

#undef _PyGC_FINALIZED
#if PY_VERSION_HEX >= 0x03090000
#include <internal/pycore_runtime.h>
#else
#include <internal/pycore_pystate.h>
#endif

#include "tracer/python/cpython/audit.h"

#include <stdint.h>
#include <sys/uio.h>
#include <unistd.h>

#if PY_VERSION_HEX >= 0x030c0000
#define AUDIT_HOOKS _PyRuntime.audit_hooks.head
#else
#define AUDIT_HOOKS _PyRuntime.audit_hook_head
#endif

/* _Py_AuditHookEntry, the same in all versions from 3.8 on. */
struct audit_entry {
    struct audit_entry *next;
    void *function;
    void *user_data;
};

/* Reads a possible entry. If a patch release had moved the list, the address could contain any
 * data. */
static bool read_entry(const struct audit_entry *at, struct audit_entry *entry) {
    struct iovec to = {entry, sizeof *entry}, from = {(void *)(uintptr_t)at, sizeof *entry};
    return (uintptr_t)at % sizeof(void *) == 0 &&
           process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)sizeof *entry;
}

void pinsight_audit_unhook(void *function, void *user_data) {
    struct audit_entry **link = (struct audit_entry **)&AUDIT_HOOKS;
    for (int i = 0; i < 64 && *link; i++) {
        struct audit_entry entry;
        if (!read_entry(*link, &entry))
            return;
        if (entry.function == function && entry.user_data == user_data) {
            /* The entry is not freed, because the interpreter may be reading it. */
            *link = entry.next;
            return;
        }
        link = &(*link)->next;
    }
}
