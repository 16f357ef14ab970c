/* The folder of an OTF2 archive, which is made under a name of its own, and renamed when it is
 * complete. Not thread-safe. */
#ifndef PINSIGHT_VIEWS_OTF2_ARCHIVE_H
#define PINSIGHT_VIEWS_OTF2_ARCHIVE_H

#include "views/export/otf2.h"

/* Makes the folder and opens the archive in it. Returns 0, or -1 with the export's error set. */
int pinsight_otf2_open(struct pinsight_otf2 *otf2);

/* Returns the writer of a location's events, and makes it at the first call. Returns NULL with the
 * error noted if it fails. The library owns the writer. */
OTF2_EvtWriter *pinsight_otf2_writer(struct pinsight_otf2 *otf2, OTF2_LocationRef location);

/* Writes the rest, and renames the folder to the output's name. Returns 0, or -1 with the export's
 * error set. */
int pinsight_otf2_close(struct pinsight_otf2 *otf2);

/* Removes an archive that was not closed. */
void pinsight_otf2_abandon(struct pinsight_otf2 *otf2);

#endif
