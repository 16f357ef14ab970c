/* The tree of Python call paths that native events refer to (the event path_info), and what of a
 * path a user wants to read. Part of the model; not thread-safe.
 *
 * A path is known by its index among the model's paths; PINSIGHT_NONE is none: the thread has no
 * Python. Each process has paths of its own. What a trace says of parents may be wrong or circular:
 * who walks over a path has to use pinsight_path_frames. */
#ifndef PINSIGHT_READER_KIT_PATHS_H
#define PINSIGHT_READER_KIT_PATHS_H

#include "reader/model.h"

/* A frame of a path: a function, and the line that it is at. */
struct pinsight_path {
    uint32_t function; /* or PINSIGHT_NONE where its path_info is missing */
    uint32_t parent;   /* who calls it, PINSIGHT_NONE for the outermost frame */
    int32_t line;      /* 0 where it is not known */
};

/* The path with a number of a process (0 is none); made at its first mention. */
uint32_t pinsight_path_of(struct pinsight_process *process, uint32_t number);

/* A path_info event. */
void pinsight_path_info(struct pinsight_process *process, uint32_t number, uint32_t parent,
                        uint32_t code, int32_t line);

/* The frames of a path, the outermost first, to be freed; at most PINSIGHT_PATH_DEEPEST of them,
 * the innermost ones. *count is 0, and NULL returned, for no path. */
#define PINSIGHT_PATH_DEEPEST 1024
uint32_t *pinsight_path_frames(const struct pinsight_model *model, uint32_t path, size_t *count);

/* Whether a function whose name is known is the user's; see base/users_code.h. */
bool pinsight_function_is_users(const struct pinsight_model *model, uint32_t function);

/* The user's line of a path: its innermost frame in code of the user's; where there is none the
 * outermost that is not of the frozen part of the interpreter. Returns the index of that frame, or
 * PINSIGHT_NONE. */
uint32_t pinsight_path_users_line(const struct pinsight_model *model, uint32_t path);

#endif
