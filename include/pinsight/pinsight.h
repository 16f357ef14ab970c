/*
 * PInsight's public C API: modes of the domains, and regions that a program marks itself.
 *
 * No program needs this API to be traced. It is for programs and libraries that switch tracing at
 * run time or mark their own phases. All functions are thread-safe and may be called with or
 * without Python's GIL.
 */
#ifndef PINSIGHT_PINSIGHT_H
#define PINSIGHT_PINSIGHT_H

#ifdef __cplusplus
extern "C" {
#endif

#ifndef PINSIGHT_API
#define PINSIGHT_API __attribute__((visibility("default")))
#endif

/* The activity of a domain, from the cheapest to the most expensive mode. */
enum pinsight_mode {
    PINSIGHT_MODE_OFF = 0,        /* nothing is registered with the runtime */
    PINSIGHT_MODE_STANDBY = 1,    /* registered if necessary; no event reaches a callback */
    PINSIGHT_MODE_MONITORING = 2, /* counts and times every region, records no events */
    PINSIGHT_MODE_TRACING = 3,    /* records events */
};

/*
 * Sets the mode of the domain with the name `domain` (for example "Python"; case is ignored). A
 * thread stops recording at its next callback. Returns 0, or -1 if this process has no such domain
 * or the runtime refuses the mode.
 */
PINSIGHT_API int pinsight_set_mode(const char *domain, enum pinsight_mode mode);

/* Returns the mode of a domain, or -1 if this process has no such domain. */
PINSIGHT_API int pinsight_get_mode(const char *domain);

/* Begin and end a region that the program marks. Regions and marks are the domain "User", which has
 * modes and windows like other domains. `name` is copied. The reader matches ends to
 * begins in each thread, innermost first. */
PINSIGHT_API void pinsight_region_begin(const char *name);
PINSIGHT_API void pinsight_region_end(const char *name);

/* Marks a moment. `name` is copied. */
PINSIGHT_API void pinsight_mark(const char *name);

/* Marks a value at this moment, such as a residual. The values of a name are a counter of the
 * process. `name` is copied. */
PINSIGHT_API void pinsight_mark_value(const char *name, double value);

#ifdef __cplusplus
}
#endif

#endif
