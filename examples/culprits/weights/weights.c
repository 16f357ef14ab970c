/* A library on OpenMP: the weight of each row of a triangle. The first rows are short, the last
 * ones long; each thread gets equally many of them. */
#include <math.h>

void weigh(const double *values, double *weights, int rows) {
#pragma omp parallel for schedule(static)
    for (int row = 0; row < rows; row++) {
        double sum = 0.0;

        for (int column = 0; column <= row; column++)
            sum += sqrt(values[column] + row);
        weights[row] = sum;
    }
}
