/* Types that a key of the configuration names: each is found once its module is there, and is then
 * changed and given back. All hold the GIL. */
#ifndef PINSIGHT_PYTHON_NAMED_TYPES_H
#define PINSIGHT_PYTHON_NAMED_TYPES_H

#include "core/resolve.h"
#include "domains/python/versions.h"

struct pinsight_named_type;

/* What one key names. Its user fills in what stands before `types`. */
struct pinsight_named_types {
    enum pinsight_config_key key;
    const char *what; /* of a type is recorded, for messages: "operators" */
    /* Can types be changed in this process? Where not, `impossible` says why; where that is NULL,
     * the trace says it. */
    bool (*are_possible)(void);
    const char *impossible;
    /* Change a type; again takes over what is new. Returns how much of its own the type has: 0
     * where it has nothing that is written in C, -1 where it may not be changed. */
    int (*put)(PyTypeObject *type);
    void (*take)(PyTypeObject *type); /* undo that */

    struct pinsight_named_type *types; /* owned */
    size_t count;
    bool is_on;           /* they are changed now */
    bool some_are_put;    /* a type was changed */
    bool some_are_absent; /* a type could not be, as `are_possible` says */
};

/* Take over which types the configuration names. */
void pinsight_named_types_read(struct pinsight_named_types *named);

/* Change the types that are there; `loaded` is the module that was loaded just now, or NULL. Again
 * looks for more. Keeps a pending exception. */
void pinsight_named_types_look(struct pinsight_named_types *named, PyObject *loaded);

/* Give the types back. */
void pinsight_named_types_take(struct pinsight_named_types *named);

/* At the end: say which types are not in modules that are there. */
void pinsight_named_types_check(struct pinsight_named_types *named);

#if PINSIGHT_IS_PLAIN
/* Is one of them in a module that is there? */
bool pinsight_named_types_are_there(const struct pinsight_named_types *named);
#endif

#endif
