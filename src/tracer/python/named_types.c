/* Types that a key of the configuration names; see named_types.h. */
#include "tracer/python/named_types.h"

#include "tracer/core/log.h"
#include "tracer/python/callable_name.h"
#include "tracer/python/domain.h"
#include "tracer/python/modules.h"

#include <stdlib.h>
#include <string.h>

struct pinsight_named_type {
    char *name;         /* module and name of the type; owned */
    PyTypeObject *type; /* strong reference; NULL until it is found */
    bool is_default;    /* a default, which the user did not name */
    bool is_done;       /* it is unsuitable, which was reported */
    struct pinsight_log_once once;
};

/* ---- finding the types ---- */

/* Returns the type `name` of a module's dict, borrowed. */
static PyTypeObject *type_in(PyObject *module, const char *name) {
    PyObject *dict = module && PyModule_Check(module) ? PyModule_GetDict(module) : NULL;
    PyObject *value = dict ? PyDict_GetItemString(dict, name) : NULL;
    return value && PyType_Check(value) ? (PyTypeObject *)value : NULL;
}

/* Returns the type in a module that was just loaded. The configured name may be that of a package
 * around the module, or of another module. */
static PyTypeObject *type_just_loaded(PyObject *module, const char *whole, const char *name) {
    PyTypeObject *type = module ? type_in(module, name) : NULL;
    const char *own = type ? PyModule_GetName(module) : NULL;
    size_t package = (size_t)(name - whole); /* includes the dot */
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

static PyObject *module_of(const struct pinsight_named_type *one, const char **name) {
    char module[256];
    const char *dot = strrchr(one->name, '.');
    *name = dot ? dot + 1 : one->name;
    if (!dot || (size_t)(dot - one->name) >= sizeof module)
        return NULL;
    memcpy(module, one->name, (size_t)(dot - one->name));
    module[dot - one->name] = '\0';
    return pinsight_module_there(module);
}

/* ---- changing the types ---- */

static void warn(const struct pinsight_named_types *named, struct pinsight_named_type *one,
                 const char *why) {
    if (!one->is_default)
        pinsight_log_once(&one->once, "%s of %s are not recorded: %s", named->what, one->name, why);
    one->is_done = true;
}

static void warn_of(const struct pinsight_named_types *named, struct pinsight_named_type *one,
                    int count) {
    warn(named, one,
         count < 0 ? "the type may not be written to"
                   : "the type has none of its own that is written in C");
}

static void put(struct pinsight_named_types *named, struct pinsight_named_type *one) {
    if (!named->are_possible()) {
        named->some_are_absent = true;
        if (named->impossible)
            warn(named, one, named->impossible);
        return;
    }
    int count = named->put(one->type);
    if (count > 0)
        named->some_are_put = true;
    else
        warn_of(named, one, count);
}

void pinsight_named_types_look(struct pinsight_named_types *named, PyObject *loaded) {
    PyObject *error, *value, *traceback;
    PyErr_Fetch(&error, &value, &traceback);
    named->is_on = true;
    for (size_t i = 0; i < named->count; i++) {
        struct pinsight_named_type *one = &named->types[i];
        const char *name;
        PyObject *module = module_of(one, &name);
        if (!one->type) {
            PyTypeObject *type = type_in(module, name);
            one->type = type ? type : type_just_loaded(loaded, one->name, name);
            Py_XINCREF(one->type);
        }
        if (one->type && !one->is_done)
            put(named, one);
    }
    PyErr_Restore(error, value, traceback);
}

void pinsight_named_types_take(struct pinsight_named_types *named) {
    for (size_t i = 0; named->is_on && i < named->count; i++)
        if (named->types[i].type && !named->types[i].is_done)
            named->take(named->types[i].type);
    named->is_on = false;
}

void pinsight_named_types_check(struct pinsight_named_types *named) {
    for (size_t i = 0; i < named->count; i++) {
        struct pinsight_named_type *one = &named->types[i];
        const char *name;
        PyObject *module = module_of(one, &name);
        PyTypeObject *type = type_in(module, name);
        if (!named->is_on || one->type || !module || !named->are_possible())
            continue;
        /* It came without an extension module, or with one of another name. */
        int count = type ? named->put(type) : 0;
        if (count > 0)
            warn(named, one, "the type has another name in its own module; give that one");
        else if (type)
            warn_of(named, one, count);
        else
            warn(named, one, "the module has no such type");
        if (count > 0)
            named->take(type);
    }
}

#if PINSIGHT_IS_PLAIN
bool pinsight_named_types_are_there(const struct pinsight_named_types *named) {
    for (size_t i = 0; i < named->count; i++) {
        const char *name;
        PyObject *module = module_of(&named->types[i], &name);
        if (type_in(module, name))
            return true;
    }
    return false;
}
#endif

/* ---- settings ---- */

static void forget(struct pinsight_named_types *named) {
    for (size_t i = 0; i < named->count; i++) {
        Py_XDECREF(named->types[i].type);
        free(named->types[i].name);
    }
    free(named->types);
    named->types = NULL;
    named->count = 0;
}

void pinsight_named_types_read(struct pinsight_named_types *named) {
    bool is_default;
    size_t count;
    char **names = pinsight_resolve_types(&pinsight_python_domain, named->key, &count, &is_default);
    bool same = count == named->count;
    for (size_t i = 0; same && i < count; i++)
        same = strcmp(names[i], named->types[i].name) == 0;
    if (!same) {
        pinsight_named_types_take(named);
        forget(named);
        named->types = calloc(count ? count : 1, sizeof *named->types);
    }
    for (size_t i = 0; i < count; i++) {
        if (!same && named->types)
            named->types[named->count++] = (struct pinsight_named_type){.name = names[i]};
        else
            free(names[i]);
        if (i < named->count)
            named->types[i].is_default = is_default;
    }
    free(names);
}
