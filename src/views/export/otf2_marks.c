/* Writes marks of the program as OTF2's markers, which have a file of their own. All have one kind
 * of marker, and the mark's name as text. See OTF2_MarkerWriter.h. */
#include "views/export/otf2.h"

#include <stdlib.h>

static OTF2_MarkerWriter *writer_of(struct pinsight_otf2 *otf2) {
    if (otf2->marks || otf2->failed != OTF2_SUCCESS)
        return otf2->marks;
    otf2->marks = OTF2_Archive_GetMarkerWriter(otf2->archive);
    if (otf2->marks)
        pinsight_otf2_check(otf2, OTF2_MarkerWriter_WriteDefMarker(otf2->marks, 0, "PInsight",
                                                                   "mark", OTF2_SEVERITY_NONE));
    else
        pinsight_otf2_check(otf2, OTF2_ERROR_MEM_ALLOC_FAILED);
    return otf2->marks;
}

void pinsight_otf2_mark(struct pinsight_otf2 *otf2, OTF2_LocationRef location, const char *name,
                        uint64_t ns) {
    OTF2_MarkerWriter *writer = writer_of(otf2);
    char *text;

    if (!writer || otf2->failed != OTF2_SUCCESS)
        return;
    text = pinsight_otf2_valid(name);
    pinsight_otf2_check(otf2, OTF2_MarkerWriter_WriteMarker(
                                  writer, ns, 0, 0, OTF2_MARKER_SCOPE_LOCATION, location, text));
    free(text);
}

void pinsight_otf2_close_marks(struct pinsight_otf2 *otf2) {
    if (otf2->marks)
        pinsight_otf2_check(otf2, OTF2_Archive_CloseMarkerWriter(otf2->archive, otf2->marks));
    otf2->marks = NULL;
}
