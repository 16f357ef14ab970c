/* The folder of an OTF2 archive: made under a name of its own and renamed when all is written. Not
 * thread-safe. */
#ifndef PINSIGHT_VIEWS_OTF2_ARCHIVE_H
#define PINSIGHT_VIEWS_OTF2_ARCHIVE_H

#include "views/export/otf2.h"

/* Makes the folder and opens the archive in it. Returns 0, or -1 with the export's error set. */
int pinsight_otf2_open(struct pinsight_otf2 *otf2);

/* The writer of a location's events, made if there is none; NULL on an error, which is noted. The
 * library's. */
OTF2_EvtWriter *pinsight_otf2_writer(struct pinsight_otf2 *otf2, OTF2_LocationRef location);

/* Writes what is left and gives the folder its name. Likewise. */
int pinsight_otf2_close(struct pinsight_otf2 *otf2);

/* Removes what was not closed. */
void pinsight_otf2_abandon(struct pinsight_otf2 *otf2);

#endif
