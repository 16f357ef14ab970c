"""Sensors on the plate, read at every step, in plain Python.

A sensor lies between grid points: its reading is interpolated from the four around
it.  This is the part of the example that spends its time in Python itself.
"""


class Sensor:
    """Reads the temperature at (x, y) and remembers the hottest and the last reading."""

    def __init__(self, x, y, spacing):
        self.row, self.row_share = self.locate(x, spacing)
        self.column, self.column_share = self.locate(y, spacing)
        self.hottest = float("-inf")
        self.last = 0.0

    @staticmethod
    def locate(position, spacing):
        """The grid line before `position`, and the share of the way to the next."""
        cells = position / spacing
        line = int(cells)
        return line, cells - line

    def interpolate(self, field):
        row, column = self.row, self.column
        upper = blend(field.item(row, column), field.item(row, column + 1), self.column_share)
        lower = blend(
            field.item(row + 1, column), field.item(row + 1, column + 1), self.column_share
        )
        return blend(upper, lower, self.row_share)

    def read(self, field):
        self.last = self.interpolate(field)
        self.hottest = max(self.hottest, self.last)


def blend(a, b, share):
    return a + (b - a) * share


def place_sensors(plate, count):
    """`count` sensors on the diagonal of the plate."""
    positions = [(i + 1) / (count + 1) for i in range(count)]
    return [Sensor(p, p, plate.spacing) for p in positions]


def read_all(sensors, field):
    for sensor in sensors:
        sensor.read(field)
