/* The forms of exports, one file each; see export.h. */
#ifndef PINSIGHT_VIEWS_EXPORT_FORMATS_H
#define PINSIGHT_VIEWS_EXPORT_FORMATS_H

#include "views/export/export.h"

extern const struct pinsight_export_format pinsight_export_perfetto; /* the default */
extern const struct pinsight_export_format pinsight_export_html;
extern const struct pinsight_export_format pinsight_export_chrome;
extern const struct pinsight_export_format pinsight_export_csv;
extern const struct pinsight_export_format pinsight_export_pstats;
extern const struct pinsight_export_format pinsight_export_callgrind;
extern const struct pinsight_export_format pinsight_export_speedscope;
extern const struct pinsight_export_format pinsight_export_folded;
extern const struct pinsight_export_format pinsight_export_otf2;
extern const struct pinsight_export_format pinsight_export_ctf;
extern const struct pinsight_export_format pinsight_export_parquet;
extern const struct pinsight_export_format pinsight_export_parquet_dataset;

#endif
