/*
 * The constructor of libpinsight-preload.so, and the audit hook that waits for the interpreter to
 * have started.
 *
 * A CPython that runs a program raises the audit event "cpython.run_..." (run_command, run_file,
 * run_module, run_stdin, ...) when it is up, site has been imported and the program is about to
 * start. A C hook sees it however the interpreter was started, with -I, -E and -S too.
 */
#include "libc/libc.h"
#include "preload.h"

#include "describe/words.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Resolved by the dynamic linker where the program or one of its libraries is a CPython; NULL
 * elsewhere. A weak reference costs less than dlsym(), and no allocation where there is none. */
extern int PySys_AddAuditHook(pinsight_audit_hook hook, void *user_data) __attribute__((weak));
extern const char *Py_GetVersion(void) __attribute__((weak));
/* What PyPy has in its place. */
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

/* CPython before 3.8 has no audit hooks; only an interpreter, not a program that embeds one, is
 * worth a word. */
static void refuse_old_python(void) {
    if (strncmp(program_invocation_short_name, "python", 6) != 0) {
        return;
    }
    pinsight_message_once("python-too-old",
                          "Python %.3s is too old to be traced, the program runs untraced; use "
                          "CPython 3.8 or later",
                          Py_GetVersion());
}

/* It has no function of CPython's, nor one of its own, by which it is known. */
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
    /* Not getenv(): what names a library to open must not come from a set-uid program's caller. */
    libdir = secure_getenv("PINSIGHT_LIBDIR");
    const char *domains = secure_getenv("PINSIGHT_DOMAINS");
    /* Also where Python is not to be recorded: native events name its lines. */
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
    /* The program may change its environment before the hook acts. */
    libdir = strdup(libdir);
    if (libdir && pinsight_audit_add(PySys_AddAuditHook, on_audit_event)) {
        pinsight_libc_python_starts();
    }
}
