/* Draws MPI's communication matrix as a heat map in SVG. */
#include "base/units.h"
#include "views/mpi/mpi.h"

#include <inttypes.h>
#include <math.h>

static void put_rank(FILE *out, const struct pinsight_mpi_view *view, uint32_t row) {
    if (view->ranks[row].number != PINSIGHT_MPI_NO_RANK)
        fprintf(out, "%" PRIu32, view->ranks[row].number);
}

/* Returns a grey from light to dark. The scale is logarithmic, because messages differ by orders of
 * magnitude. */
static unsigned shade(uint64_t bytes, uint64_t most) {
    return (unsigned)(235 - 205 * (most ? log2(1 + (double)bytes) / log2(1 + (double)most) : 0));
}

#define PICTURE 640 /* largest width and height of all cells */
#define LEFT 64
#define TOP 72

static void draw_axes(FILE *out, const struct pinsight_mpi_view *view, unsigned cell) {
    uint32_t count = (uint32_t)view->rank_count, step = 1;

    /* A label needs 18 units. */
    while (step * cell < 18)
        step *= 2;
    for (uint32_t i = 0; i < count; i += step) {
        fprintf(out, "<text x=\"%u\" y=\"%u\" text-anchor=\"middle\">", LEFT + i * cell + cell / 2,
                TOP - 6);
        put_rank(out, view, i);
        fprintf(out, "</text>\n<text x=\"%u\" y=\"%u\" text-anchor=\"end\">", LEFT - 6,
                TOP + i * cell + cell / 2 + 4);
        put_rank(out, view, i);
        fputs("</text>\n", out);
    }
}

static uint64_t bytes_of(const struct pinsight_mpi_flow *flow) {
    return flow->bytes + flow->collective_bytes;
}

static void draw_flow(FILE *out, const struct pinsight_mpi_view *view,
                      const struct pinsight_mpi_flow *flow, unsigned cell, uint64_t most) {
    unsigned grey = shade(bytes_of(flow), most);

    fprintf(out,
            "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"rgb(%u,%u,%u)\"><title>",
            LEFT + flow->to * cell, TOP + flow->from * cell, cell, cell, grey,
            grey > 20 ? grey - 20 : 0, 255 - (235 - grey) / 4);
    put_rank(out, view, flow->from);
    fputs(" to ", out);
    put_rank(out, view, flow->to);
    fprintf(out, ": %s messages, %s; ", pinsight_units_count(flow->messages).text,
            pinsight_units_size(flow->bytes).text);
    fprintf(out, "%s collective operations, %s</title></rect>\n",
            pinsight_units_count(flow->operations).text,
            pinsight_units_size(flow->collective_bytes).text);
}

void pinsight_mpi_matrix_svg(const struct pinsight_report *report, FILE *out) {
    const struct pinsight_mpi_view *view = report->mpi;
    unsigned count = (unsigned)view->rank_count, cell = count ? PICTURE / count : 0, side;
    uint64_t most = 0, bytes = 0, messages = 0, collective = 0;

    cell = cell > 48 ? 48 : cell < 2 ? 2 : cell;
    side = count * cell;
    for (size_t i = 0; i < view->flow_count; i++) {
        bytes += view->flows[i].bytes;
        collective += view->flows[i].collective_bytes;
        messages += view->flows[i].messages;
        if (bytes_of(&view->flows[i]) > most)
            most = bytes_of(&view->flows[i]);
    }
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<text x=\"8\" y=\"18\" font-size=\"14\">From rank (down) to rank (across)</text>\n"
            "<text x=\"8\" y=\"36\">%s messages, %s; collective operations %s</text>\n",
            LEFT + (side > 420 ? side : 420) + 16, TOP + side + 40,
            pinsight_units_count(messages).text, pinsight_units_size(bytes).text,
            pinsight_units_size(collective).text);
    fprintf(out, "<rect x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" fill=\"#f4f4f4\"/>\n", LEFT,
            TOP, side, side);
    draw_axes(out, view, cell);
    for (size_t i = 0; i < view->flow_count; i++)
        draw_flow(out, view, &view->flows[i], cell, most);
    fprintf(out,
            "<text x=\"8\" y=\"%u\">darkest: %s from one rank to another; the scale is "
            "logarithmic</text>\n</svg>\n",
            TOP + side + 24, pinsight_units_size(most).text);
}
