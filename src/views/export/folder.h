/* The folder of a form that writes one: made under a name of its own, and renamed when all is
 * written. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_EXPORT_FOLDER_H
#define PINSIGHT_VIEWS_EXPORT_FOLDER_H

#include "views/export/export.h"

/* All zero is none. */
struct pinsight_export_folder {
    char *path; /* it is written into; owned */
    bool made;  /* and is there */
};

/* Makes the folder beside the output. Returns 0, or -1 with the export's error set: it cannot be
 * made, or the output is there. An empty folder may be there, and with --force one that has nothing
 * but what the form writes; what else is there is never removed, and the trace that is read
 * neither.
 */
int pinsight_export_folder_make(struct pinsight_export_folder *folder,
                                struct pinsight_export *export);

/* Gives it the output's name; what --force gives up goes then. Likewise. */
int pinsight_export_folder_keep(struct pinsight_export_folder *folder,
                                struct pinsight_export *export);

/* Removes it with all in it, where it was not kept, and frees what `folder` has. */
void pinsight_export_folder_clear(struct pinsight_export_folder *folder);

/* Sets the export's error, where there is none, to what could not be written, and why. Returns -1.
 */
int pinsight_export_cannot(struct pinsight_export *export, const char *path, const char *why);

#endif
