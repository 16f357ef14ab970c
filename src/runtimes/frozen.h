/* Programs in which a Python is, but not as one that `pinsight run` reaches. */
#ifndef PINSIGHT_RUNTIMES_FROZEN_H
#define PINSIGHT_RUNTIMES_FROZEN_H

/* Why the Python of a program, if it has one, is not reached by what is preloaded. */
enum pinsight_unreached {
    PINSIGHT_REACHED,
    PINSIGHT_FROZEN, /* packed with its Python, which it opens itself */
    PINSIGHT_STATIC, /* no library can be preloaded */
    PINSIGHT_SET_ID  /* likewise: it runs with another user's or group's rights */
};

/*
 * Looks at an ELF program. *maker is the name of the tool that packed a frozen one (static), else
 * NULL. PINSIGHT_REACHED also where the file cannot be read, or is none. Nothing is executed.
 */
enum pinsight_unreached pinsight_unreached_look(const char *program, const char **maker);

#endif
