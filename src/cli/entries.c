/* The list of verbs. */
#include "cli/options.h"
#include "cli/verbs.h"

const struct cli_entry cli_entries[] = {
    {&cli_run, pinsight_cmd_run},         {&cli_attach, pinsight_cmd_attach},
    {&cli_detach, pinsight_cmd_detach},   {&cli_dump_stacks, pinsight_cmd_dump_stacks},
    {&cli_report, pinsight_cmd_report},   {&cli_top, pinsight_cmd_top},
    {&cli_view, pinsight_cmd_view},       {&cli_diff, pinsight_cmd_diff},
    {&cli_compare, pinsight_cmd_compare}, {&cli_dump, pinsight_cmd_dump},
    {&cli_export, pinsight_cmd_export},   {&cli_sql, pinsight_cmd_sql},
    {&cli_store, pinsight_cmd_store},     {&cli_pack, pinsight_cmd_pack},
    {&cli_config, pinsight_cmd_config},   {&cli_ctl, pinsight_cmd_ctl},
    {&cli_doctor, pinsight_cmd_doctor},   {NULL, NULL},
};
