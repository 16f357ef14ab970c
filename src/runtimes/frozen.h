/* Programs that contain a Python which `pinsight run` cannot record. */
#ifndef PINSIGHT_RUNTIMES_FROZEN_H
#define PINSIGHT_RUNTIMES_FROZEN_H

/* The reason why preloading does not reach the Python of a program, if it has one. */
enum pinsight_unreached {
    PINSIGHT_REACHED,
    PINSIGHT_FROZEN, /* packed with its Python, which it loads itself */
    PINSIGHT_STATIC, /* no library can be preloaded */
    PINSIGHT_SET_ID  /* runs with the rights of another user or group, so that no library can be
                        preloaded */
};

/*
 * Examines an ELF program, without executing it. Sets *maker to the name of the tool that packed a
 * frozen program (static text), or to NULL. Returns PINSIGHT_REACHED also if the file cannot be
 * read, or is no ELF file.
 */
enum pinsight_unreached pinsight_unreached_look(const char *program, const char **maker);

#endif
