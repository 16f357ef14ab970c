/*
 * The constructor of libpinsight-preload.so, and the audit hook that waits for the start of the
 * interpreter.
 *
 * A CPython that runs a program raises the audit event "cpython.run_..." (run_command, run_file,
 * run_module, run_stdin, ...). The event comes after the interpreter's start and the import of
 * site, and before the program. A C hook receives the event with any options of the interpreter,
 * including -I, -E and -S.
 */
#include "libc/libc.h"
#include "preload.h"

#include "describe/words.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* The dynamic linker sets these if the program or one of its libraries is a CPython; otherwise they
 * are NULL. A weak reference costs less than dlsym(), and allocates nothing. */
extern int PySys_AddAuditHook(pinsight_audit_hook hook, void *user_data) __attribute__((weak));
extern const char *Py_GetVersion(void) __attribute__((weak));
/* The function of PyPy. */
extern const char *PyPy_GetVersion(void) __attribute__((weak));

static const char *libdir;
static atomic_bool acted;

static int on_audit_event(const char *event, void *args, void *user_data) {
    (void)args;
    (void)user_data;
    if (strncmp(event, "cpython.", 8) != 0) {
        return 0;
    }
    if (strncmp(event + 8, "run_", 4) == 0) {
        if (!atomic_exchange(&acted, true)) {
            int saved_errno = errno;
            pinsight_audit_remove();
            pinsight_libc_python_runs();
            pinsight_extension_start(libdir, Py_GetVersion(), on_audit_event);
            errno = saved_errno;
        }
    } else if (strcmp(event + 8, "_PySys_ClearAuditHooks") == 0) {
        pinsight_audit_end();
    }
    return 0;
}

/* Reports a CPython before 3.8, which has no audit hooks. A program that embeds one is not
 * reported. */
static void refuse_old_python(void) {
    if (strncmp(program_invocation_short_name, "python", 6) != 0) {
        return;
    }
    pinsight_message_once("python-too-old",
                          "Python %.3s is too old to be traced, the program runs untraced; use "
                          "CPython 3.8 or later",
                          Py_GetVersion());
}

/* Returns whether the program is GraalPy, which only its name shows: it has none of CPython's
 * functions, nor one of its own. */
static bool is_graalpy(void) {
    return strncmp(program_invocation_short_name, "graalpy", 7) == 0;
}

static bool is_any_wanted(const char *list) {
    static const char *const words[] = {PINSIGHT_DOMAIN_WORDS};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (pinsight_domain_wanted(list, words[i])) {
            return true;
        }
    }
    return false;
}

__attribute__((constructor)) static void preload_start(void) {
    pinsight_libc_ready();
    pinsight_openmp_ready();
    if (!Py_GetVersion && !PyPy_GetVersion && !is_graalpy()) {
        return;
    }
    /* Not getenv(): the caller of a set-uid program must not choose a library that is opened. */
    libdir = secure_getenv("PINSIGHT_LIBDIR");
    const char *domains = secure_getenv("PINSIGHT_DOMAINS");
    /* Continues if only native domains are recorded: their events name lines of Python. */
    if (!libdir || libdir[0] != '/' || !is_any_wanted(domains)) {
        return;
    }
    pinsight_message_ready();
    if (!Py_GetVersion) {
        pinsight_message_once("pypy",
                              "this Python is a %s, and only CPython is traced: its functions are "
                              "not recorded; use CPython 3.8 or later",
                              PyPy_GetVersion ? "PyPy" : "GraalPy");
        return;
    }
    if (!PySys_AddAuditHook) {
        refuse_old_python();
        return;
    }
    /* The program may change its environment before the hook runs. */
    libdir = strdup(libdir);
    if (libdir && pinsight_audit_add(PySys_AddAuditHook, on_audit_event)) {
        pinsight_libc_python_starts();
    }
}
