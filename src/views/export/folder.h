/* The output folder of a form, which is made under a name of its own, and renamed when it is
 * complete. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_EXPORT_FOLDER_H
#define PINSIGHT_VIEWS_EXPORT_FOLDER_H

#include "views/export/export.h"

/* All zero is no folder. */
struct pinsight_export_folder {
    char *path; /* its name while it is written; owned */
    bool made;  /* it exists */
};

/* Makes the folder beside the output. Returns 0, or -1 with the export's error set. An existing
 * output is an error, unless it is an empty folder. With --force, the output may be a folder
 * that has only entries of the form. Other files are never replaced, and never the trace that is
 * read. */
int pinsight_export_folder_make(struct pinsight_export_folder *folder,
                                struct pinsight_export *export);

/* Renames the finished folder to the output's name, and removes a folder that --force replaces.
 * Returns 0, or -1 with the export's error set. */
int pinsight_export_folder_keep(struct pinsight_export_folder *folder,
                                struct pinsight_export *export);

/* Removes the folder with its contents, unless it was kept. Frees the path. */
void pinsight_export_folder_clear(struct pinsight_export_folder *folder);

/* Sets the export's error to a path that cannot be written, with the reason, unless an error is
 * set. Returns -1. */
int pinsight_export_cannot(struct pinsight_export *export, const char *path, const char *why);

#endif
