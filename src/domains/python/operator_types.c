/* Types whose operators are recorded; see operator_types.h. */
#include "domains/python/operator_types.h"

#include "core/log.h"
#include "core/plain.h"
#include "core/resolve.h"
#include "domains/python/balance.h"
#include "domains/python/callable_name.h"
#include "domains/python/cpython/slots.h"
#include "domains/python/loaded.h"
#include "domains/python/modules.h"
#include "domains/python/operators.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* A type that the configuration names. */
struct wanted {
    char *name;         /* module and name of the type; owned */
    PyTypeObject *type; /* strong; NULL as long as it is not found */
    bool is_default;    /* nobody asked for it */
    bool is_done;       /* it is unsuitable, which was said */
    struct pinsight_log_once once;
};

static struct wanted *wanted; /* under the GIL, as all of this */
static size_t wanted_count;
static bool is_on; /* they are recorded now */
static bool some_are_recorded, some_are_not;

/* ---- NumPy and backtrace() ---- */

/* NumPy takes its own temporaries for results where nobody else can know of them, which it finds
 * out by backtrace(). The shim excludes what of us stands there. False without a shim. */
static bool hide_code(void) {
    static int hidden = -1;
    if (hidden < 0) {
        void (*hide)(const void *, const void *) = (void (*)(const void *, const void *))(
            uintptr_t)dlsym(RTLD_DEFAULT, "pinsight_preload_hide_code");
        const void *begin, *end;
        pinsight_slots_code(&begin, &end);
        if (hide)
            hide(begin, end);
        hidden = hide != NULL;
    }
    return hidden;
}

/* ---- finding the types ---- */

/* The type `name` of a module's name space; borrowed. */
static PyTypeObject *type_in(PyObject *module, const char *name) {
    PyObject *dict = module && PyModule_Check(module) ? PyModule_GetDict(module) : NULL;
    PyObject *value = dict ? PyDict_GetItemString(dict, name) : NULL;
    return value && PyType_Check(value) ? (PyTypeObject *)value : NULL;
}

/* In a module that was just loaded, whose types may be known by the name of a package around it, or
 * of another module. */
static PyTypeObject *type_just_loaded(PyObject *module, const char *whole, const char *name) {
    PyTypeObject *type = module ? type_in(module, name) : NULL;
    const char *own = type ? PyModule_GetName(module) : NULL;
    size_t package = (size_t)(name - whole); /* with the dot */
    PyErr_Clear();
    if (!type || (own && strncmp(own, whole, package) == 0))
        return type;
    struct pinsight_callable_name is = {0};
    pinsight_name_type(type, &is);
    bool same = is.name && strcmp(is.name, whole) == 0;
    free(is.name);
    free(is.module);
    return same ? type : NULL;
}

static PyObject *module_of(const struct wanted *one, const char **name) {
    char module[256];
    const char *dot = strrchr(one->name, '.');
    *name = dot ? dot + 1 : one->name;
    if (!dot || (size_t)(dot - one->name) >= sizeof module)
        return NULL;
    memcpy(module, one->name, (size_t)(dot - one->name));
    module[dot - one->name] = '\0';
    return pinsight_module_there(module);
}

/* ---- replacing their functions ---- */

static void complain(struct wanted *one, const char *why) {
    if (!one->is_default)
        pinsight_log_once(&one->once, "operators of %s are not recorded: %s", one->name, why);
    one->is_done = true;
}

static void complain_of(struct wanted *one, int count) {
    complain(one, count < 0 ? "the type may not be written to"
                            : "the type has none of its own that is written in C");
}

static void replace(struct wanted *one) {
#ifdef Py_GIL_DISABLED
    bool possible = false; /* other threads call the functions meanwhile */
#else
    bool possible = hide_code();
#endif
    if (!possible) {
        some_are_not = true;
        return;
    }
    static struct pinsight_log_once full = PINSIGHT_LOG_ONCE_INIT;
    int count = pinsight_slots_put(one->type);
    if (pinsight_slots_are_full())
        pinsight_log_once(&full, "the types of `operators` have more operators than there is room "
                                 "for; some of them are not recorded");
    if (count > 0)
        some_are_recorded = true;
    else
        complain_of(one, count);
}

/* Look for types; `loaded` is the module that was loaded just now, or NULL. */
static void look(PyObject *loaded) {
    const char *said = pinsight_operator_types_said();
    PyObject *error, *value, *traceback;
    PyErr_Fetch(&error, &value, &traceback);
    for (size_t i = 0; i < wanted_count; i++) {
        struct wanted *one = &wanted[i];
        const char *name;
        PyObject *module = module_of(one, &name);
        if (!one->type) {
            PyTypeObject *type = type_in(module, name);
            one->type = type ? type : type_just_loaded(loaded, one->name, name);
            Py_XINCREF(one->type);
        }
        if (one->type && !one->is_done)
            replace(one);
    }
    if (strcmp(said, pinsight_operator_types_said()) != 0)
        pinsight_python_describe();
    PyErr_Restore(error, value, traceback);
}

/* A module has come. */
static void loaded(PyObject *module) {
    if (is_on)
        look(module);
}

/* ---- settings ---- */

static void free_wanted(void) {
    for (size_t i = 0; i < wanted_count; i++) {
        Py_XDECREF(wanted[i].type);
        free(wanted[i].name);
    }
    free(wanted);
    wanted = NULL;
    wanted_count = 0;
}

void pinsight_operator_types_read(void) {
    bool is_default;
    size_t count;
    char **names = pinsight_resolve_operators(&pinsight_python_domain, &count, &is_default);
    bool same = count == wanted_count;
    for (size_t i = 0; same && i < count; i++)
        same = strcmp(names[i], wanted[i].name) == 0;
    if (!same) {
        pinsight_operator_types_stop();
        free_wanted();
        wanted = calloc(count ? count : 1, sizeof *wanted);
    }
    for (size_t i = 0; i < count; i++) {
        if (!same && wanted)
            wanted[wanted_count++] = (struct wanted){.name = names[i]};
        else
            free(names[i]);
        if (i < wanted_count)
            wanted[i].is_default = is_default;
    }
    free(names);
}

void pinsight_operator_types_start(enum pinsight_mode mode) {
    pinsight_operators_flavour = mode == PINSIGHT_MODE_MONITORING ? PINSIGHT_COUNT
                                 : pinsight_python.registry       ? PINSIGHT_REGISTRY
                                                                  : PINSIGHT_INLINE;
    if (!wanted_count || pinsight_plain())
        return;
    pinsight_loaded_tell(loaded);
    is_on = true;
    look(NULL);
}

void pinsight_operator_types_stop(void) {
    for (size_t i = 0; is_on && i < wanted_count; i++)
        if (wanted[i].type && !wanted[i].is_done)
            pinsight_slots_take(wanted[i].type);
    is_on = false;
}

void pinsight_operator_types_check(void) {
    for (size_t i = 0; i < wanted_count; i++) {
        const char *name;
        PyObject *module = module_of(&wanted[i], &name);
        PyTypeObject *type = type_in(module, name);
        if (pinsight_plain() && type)
            pinsight_plain_lost(PINSIGHT_PLAIN_OPERATORS);
        if (!is_on || wanted[i].type || !module)
            continue;
        /* It came with no extension module, or with one of another name. */
        int count = type ? pinsight_slots_put(type) : 0;
        if (count > 0)
            complain(&wanted[i], "the type has another name in its own module; give that one");
        else if (type)
            complain_of(&wanted[i], count);
        else
            complain(&wanted[i], "the module has no such type");
        if (count > 0)
            pinsight_slots_take(type);
    }
}

const char *pinsight_operator_types_said(void) {
    return some_are_recorded ? ", operators" : some_are_not ? ", without operators" : "";
}
