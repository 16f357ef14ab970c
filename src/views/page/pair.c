/* Writes a page of two runs; see pair.h. Each run is read as for a page of its own. */
#include "views/page/pair.h"

#include "views/page/page.h"

#include <stdlib.h>

/* The options for one of the runs. */
struct pair_options {
    struct pinsight_export_options options; /* the first member, because an export points to it */
    FILE *out;
    const char *suffix;
};

static int finish(struct pinsight_export *export) {
    const struct pair_options *own = (const struct pair_options *)export->options;

    return page_run_write(export->own, own->out, own->suffix);
}

/* The output is open already, like that of a form that writes a folder. */
static const struct pinsight_export_format run_of_pair = {
    .name = "html",
    .folder = true,
    .own_size = sizeof(struct page),
    .begin = page_begin,
    .finish = finish,
    .clear = page_clear,
};

static void write_diff(const struct pinsight_diff *diff, FILE *out) {
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);

    pinsight_diff_json(diff, memory);
    fclose(memory);
    page_part_write(out, "diff", "", text, size);
    free(text);
}

int page_pair_write(const struct pinsight_diff *diff, const char *const traces[2], bool progress,
                    const volatile sig_atomic_t *stop, FILE *out, char **error) {
    int rc = 0;

    fwrite(page_head, 1, page_head_size, out);
    write_diff(diff, out);
    for (unsigned side = 0; rc == 0 && side < 2; side++) {
        const struct pair_options own = {.options = {.trace = traces[side],
                                                     .output = "",
                                                     .thread = -1,
                                                     .process = -1,
                                                     .progress = progress,
                                                     .stop = stop},
                                         .out = out,
                                         .suffix = side ? "-b" : "-a"};
        struct pinsight_export export;

        rc = pinsight_export_write(&export, &run_of_pair, &own.options);
        if (rc != 0) {
            *error = export.error;
            export.error = NULL;
        }
        pinsight_export_clear(&export);
    }
    fwrite(page_tail, 1, page_tail_size, out);
    return rc;
}
