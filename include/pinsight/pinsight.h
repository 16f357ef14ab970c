/*
 * PInsight's public C API: modes of the domains, and regions that a program marks itself.
 *
 * A program needs none of this to be traced; it is for programs and libraries that want to switch
 * tracing at run time or to mark phases of their own. All functions may be called from any thread,
 * with or without Python's GIL.
 */
#ifndef PINSIGHT_PINSIGHT_H
#define PINSIGHT_PINSIGHT_H

#ifdef __cplusplus
extern "C" {
#endif

#ifndef PINSIGHT_API
#define PINSIGHT_API __attribute__((visibility("default")))
#endif

/* What a domain does; in the order of what it costs. */
enum pinsight_mode {
    PINSIGHT_MODE_OFF = 0,        /* nothing is registered with the runtime */
    PINSIGHT_MODE_STANDBY = 1,    /* registered where it has to be; no event reaches a callback */
    PINSIGHT_MODE_MONITORING = 2, /* counts and times every region, records no event of it */
    PINSIGHT_MODE_TRACING = 3,    /* records events */
};

/*
 * Set the mode of the domain called `domain` ("Python", in any case of letters).
 * Switching off holds at each thread's next callback. Returns 0, or -1 where there is no such
 * domain in this process or the runtime refuses the mode.
 */
PINSIGHT_API int pinsight_set_mode(const char *domain, enum pinsight_mode mode);

/* The mode of a domain, or -1 where there is no such domain in this process. */
PINSIGHT_API int pinsight_get_mode(const char *domain);

/* A region that the program marks itself. `name` is copied. Ends are matched to begins by the
 * reader, per thread, innermost first. */
PINSIGHT_API void pinsight_region_begin(const char *name);
PINSIGHT_API void pinsight_region_end(const char *name);

/* A moment that the program marks itself. `name` is copied. */
PINSIGHT_API void pinsight_mark(const char *name);

#ifdef __cplusplus
}
#endif

#endif
