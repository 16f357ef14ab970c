/*
 * The tree of Python call paths that native events refer to (the event path_info), and the user's
 * line of a path. Part of the model; not thread-safe.
 *
 * A path is identified by its index in the model's paths. PINSIGHT_NONE is no path: the thread has
 * no Python. Each process has paths of its own. The parents in a trace may be wrong or circular, so
 * that every walk over a path must use pinsight_path_frames().
 */
#ifndef PINSIGHT_READER_KIT_PATHS_H
#define PINSIGHT_READER_KIT_PATHS_H

#include "reader/model.h"

/* A frame of a path: a function, and its current line. */
struct pinsight_path {
    uint32_t function; /* PINSIGHT_NONE if its path_info is missing */
    uint32_t parent;   /* the caller, PINSIGHT_NONE for the outermost frame */
    int32_t line;      /* 0 if unknown */
};

/* Returns the path with a number of a process; 0 is none. Makes it at the first call. */
uint32_t pinsight_path_of(struct pinsight_process *process, uint32_t number);

/* Takes a path_info event. */
void pinsight_path_info(struct pinsight_process *process, uint32_t number, uint32_t parent,
                        uint32_t code, int32_t line);

/* Returns the frames of a path, the outermost first. The caller frees the result. The result has
 * the innermost PINSIGHT_PATH_DEEPEST frames at most. Without a path, returns NULL and sets *count
 * to 0. */
#define PINSIGHT_PATH_DEEPEST 1024
uint32_t *pinsight_path_frames(const struct pinsight_model *model, uint32_t path, size_t *count);

/* Returns whether a function with a known name is the user's; see base/users_code.h. */
bool pinsight_function_is_users(const struct pinsight_model *model, uint32_t function);

/* Returns whether a function is the body of an imported module of the user's. The program itself
 * is no import, even if multiprocessing runs it again. */
bool pinsight_function_is_users_module(const struct pinsight_model *model, uint32_t function);

/* Returns the index of the frame with the user's line: the innermost frame in the user's code. If
 * there is none, it is the outermost frame outside the frozen part of the interpreter. Returns
 * PINSIGHT_NONE if there is none, either. */
uint32_t pinsight_path_users_line(const struct pinsight_model *model, uint32_t path);

#endif
