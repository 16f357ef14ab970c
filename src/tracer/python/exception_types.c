/* The types of exceptions; see exception_types.h. */
#include "tracer/python/exception_types.h"

#include "tracer/core/info.h"
#include "tracer/core/process.h"
#include "tracer/python/callable_name.h"
#include "tracer/record/python.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define MOST 4096u    /* numbered types */
#define BY_NAME 8192u /* a power of 2 */
#define BY_TYPE 1024u /* a power of 2 */
#define PROBES 8u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* interpreters may have own GILs */
static struct pinsight_exception_type *by_name[BY_NAME]; /* by the hash of the name */
static uint32_t count;

static struct pinsight_exception_type others = {.name = "(further types)"};

/* Types by address. A slot is filled once. Another type at the same address has another `own`, or
 * the same name. */
static struct known_type {
    const PyTypeObject *type;
    const char *own;                            /* its tp_name */
    struct pinsight_exception_type *_Atomic is; /* set last */
} by_type[BY_TYPE];

static const char *without_builtins(const char *name) {
    static const char builtins[] = "builtins.";
    return strncmp(name, builtins, sizeof builtins - 1) == 0 ? name + sizeof builtins - 1 : name;
}

static uint32_t hash_of(const char *text) {
    uint32_t hash = 2166136261u;
    while (*text)
        hash = (hash ^ (unsigned char)*text++) * 16777619u; /* FNV-1a */
    return hash;
}

/* Returns the data of a name, and makes them if there are none. Under the lock. */
static struct pinsight_exception_type *named(const char *name) {
    uint32_t at = hash_of(name) & (BY_NAME - 1);
    while (by_name[at] && strcmp(by_name[at]->name, name) != 0)
        at = (at + 1) & (BY_NAME - 1);
    if (by_name[at])
        return by_name[at];
    struct pinsight_exception_type *made = count < MOST ? malloc(sizeof *made) : NULL;
    char *own = made ? strdup(name) : NULL;
    if (!own) {
        free(made);
        return &others;
    }
    *made = (struct pinsight_exception_type){.name = own, .number = ++count};
    return by_name[at] = made;
}

static __attribute__((noinline)) struct pinsight_exception_type *
name_anew(struct known_type *free_slot, PyTypeObject *type) {
    struct pinsight_callable_name is = {0};
    PyObject *error, *value, *traceback;
    PyErr_Fetch(&error, &value, &traceback);
    pinsight_name_type(type, &is);
    PyErr_Restore(error, value, traceback);
    pthread_mutex_lock(&lock);
    struct pinsight_exception_type *known =
        named(without_builtins(is.name ? is.name : type->tp_name));
    if (free_slot && !free_slot->type) {
        free_slot->type = type;
        free_slot->own = type->tp_name;
        atomic_store_explicit(&free_slot->is, known, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    free(is.module);
    free(is.name);
    return known;
}

struct pinsight_exception_type *pinsight_exception_type(PyTypeObject *type) {
    uint32_t at = ((uintptr_t)type >> 4) * 0x9E3779B1u;
    struct known_type *free_slot = NULL;
    for (uint32_t i = 0; i < PROBES; i++) {
        struct known_type *slot = &by_type[(at + i) & (BY_TYPE - 1)];
        struct pinsight_exception_type *is = atomic_load_explicit(&slot->is, memory_order_acquire);
        if (!is) {
            free_slot = slot;
            break;
        }
        if (slot->type == type && slot->own == type->tp_name)
            return is;
    }
    return name_anew(free_slot, type);
}

void pinsight_exception_type_define(struct pinsight_exception_type *type) {
    const uint32_t session_version = pinsight_session_version();
    if (PINSIGHT_LIKELY(atomic_load_explicit(&type->defined, memory_order_relaxed) ==
                        session_version))
        return;
    uint64_t before = pinsight_info_before();
    pinsight_record_python_exception_type(type->number, type->name);
    pinsight_info_after(before);
    atomic_store(&type->defined, session_version);
}

void pinsight_exception_types_fork_child(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}
