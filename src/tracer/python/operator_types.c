/* Types whose operators and properties are recorded; see operator_types.h. */
#include "tracer/python/operator_types.h"

#include "tracer/core/log.h"
#include "tracer/python/balance.h"
#include "tracer/python/cpython/getsets.h"
#include "tracer/python/cpython/slots.h"
#include "tracer/python/extension_modules.h"
#include "tracer/python/named_types.h"
#include "tracer/python/operators.h"

#include <dlfcn.h>

static bool has_gil(void) {
#ifdef Py_GIL_DISABLED
    return false; /* other threads call the functions meanwhile */
#else
    return true;
#endif
}

/* Hides our code from backtrace(). NumPy reuses its own temporaries if no other code can have them,
 * which it finds out by backtrace(). The shim removes our frames there. Returns false without a
 * shim. */
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

static bool operators_are_possible(void) {
    return has_gil() && hide_code();
}

/* Under the GIL, like everything here. */
static struct pinsight_named_types operators = {.key = PINSIGHT_KEY_OPERATORS,
                                                .what = "operators",
                                                .are_possible = operators_are_possible,
                                                .put = pinsight_slots_put,
                                                .take = pinsight_slots_take};
static struct pinsight_named_types properties = {.key = PINSIGHT_KEY_PROPERTIES,
                                                 .what = "properties",
                                                 .are_possible = has_gil,
                                                 .impossible = "this Python has no GIL",
                                                 .put = pinsight_getsets_put,
                                                 .take = pinsight_getsets_take};

static void look(PyObject *module) {
    static struct pinsight_log_once full = PINSIGHT_LOG_ONCE_INIT;
    const char *said = pinsight_operator_types_missing();
    pinsight_named_types_look(&operators, module);
    pinsight_named_types_look(&properties, module);
    if (pinsight_slots_are_full())
        pinsight_log_once(&full, "the types of `operators` have more operators than there is room "
                                 "for; some of them are not recorded");
    if (said != pinsight_operator_types_missing())
        pinsight_python_describe();
}

/* Called when a module has been loaded. */
static void loaded(PyObject *module) {
    if (operators.is_on)
        look(module);
}

void pinsight_operator_types_read(void) {
    pinsight_named_types_read(&operators);
    pinsight_named_types_read(&properties);
}

void pinsight_operator_types_start(enum pinsight_mode mode) {
    pinsight_operators_flavour = mode == PINSIGHT_MODE_MONITORING ? PINSIGHT_COUNT
                                 : pinsight_python.registry       ? PINSIGHT_REGISTRY
                                                                  : PINSIGHT_INLINE;
    if (!operators.count && !properties.count)
        return;
    pinsight_extension_modules_listen(loaded);
    look(NULL);
}

void pinsight_operator_types_stop(void) {
    pinsight_named_types_take(&operators);
    pinsight_named_types_take(&properties);
}

void pinsight_operator_types_check(void) {
    pinsight_named_types_check(&operators);
    pinsight_named_types_check(&properties);
}

const char *pinsight_operator_types_missing(void) {
    static const char *const texts[3][2] = {
        {"", ", properties"},
        {", without operators", ", without operators, properties"},
        {", operators", ", operators, properties"},
    };
    return texts[operators.some_are_put      ? 2
                 : operators.some_are_absent ? 1
                                             : 0][properties.some_are_put];
}
