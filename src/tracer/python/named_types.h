/* Types that a key of the configuration names. Each is found when its module is loaded, and is then
 * changed, and restored later. All functions hold the GIL. */
#ifndef PINSIGHT_PYTHON_NAMED_TYPES_H
#define PINSIGHT_PYTHON_NAMED_TYPES_H

#include "tracer/core/resolve.h"
#include "tracer/python/versions.h"

struct pinsight_named_type;

/* The types of one key. The user of the struct fills in the members before `types`. */
struct pinsight_named_types {
    enum pinsight_config_key key;
    const char *what; /* the recorded part of a type, for messages: "operators" */
    /* Returns whether types can be changed in this process. If not, `impossible` is the reason; if
     * that is NULL, the trace has the reason. */
    bool (*are_possible)(void);
    const char *impossible;
    /* Changes a type. A repeated call handles new members. Returns the number of changed members, 0
     * if the type has nothing that is written in C, and -1 if it must not be changed. */
    int (*put)(PyTypeObject *type);
    void (*take)(PyTypeObject *type); /* restores a type */

    struct pinsight_named_type *types; /* owned */
    size_t count;
    bool is_on;           /* types are changed now */
    bool some_are_put;    /* a type was changed */
    bool some_are_absent; /* a type could not be changed, because of `are_possible` */
};

/* Reads the names of the types from the configuration. */
void pinsight_named_types_read(struct pinsight_named_types *named);

/* Changes the types that are loaded. `loaded` is the module that was just loaded, or NULL. A
 * repeated call handles further types. Keeps a pending exception. */
void pinsight_named_types_look(struct pinsight_named_types *named, PyObject *loaded);

/* Restores all types. */
void pinsight_named_types_take(struct pinsight_named_types *named);

/* At the end, reports types that do not exist in loaded modules. */
void pinsight_named_types_check(struct pinsight_named_types *named);

#if PINSIGHT_IS_PLAIN
/* Returns whether one of the types exists in a loaded module. */
bool pinsight_named_types_are_there(const struct pinsight_named_types *named);
#endif

#endif
