"""Bodies that attract each other, in plain Python: few calls, much arithmetic in loops.

A sun and four planets in units of the Earth's orbit and the year; a step is a leap-frog step.
"""

import math

GRAVITY = 4 * math.pi * math.pi
STEP = 0.002

# name, mass in suns, distance from the sun; each starts on a circle, at an angle of its own
PLANETS = (
    ("earth", 3.0e-6, 1.0),
    ("jupiter", 9.5e-4, 5.2),
    ("saturn", 2.9e-4, 9.6),
    ("neptune", 5.1e-5, 30.1),
)


def start():
    """Bodies as lists [x, y, z, vx, vy, vz, mass]; the whole system is at rest."""
    bodies = [[0.0] * 6 + [1.0]]
    for number, (_, mass, distance) in enumerate(PLANETS):
        angle = 0.7 * number
        speed = math.sqrt(GRAVITY / distance)
        tilt = 0.02 * number
        bodies.append(
            [
                distance * math.cos(angle),
                distance * math.sin(angle),
                distance * tilt,
                -speed * math.sin(angle),
                speed * math.cos(angle),
                0.0,
                mass,
            ]
        )
    for axis in (3, 4, 5):
        bodies[0][axis] = -sum(body[axis] * body[6] for body in bodies[1:])
    return bodies


def kick(bodies, step):
    for index, one in enumerate(bodies):
        for other in bodies[index + 1 :]:
            dx = other[0] - one[0]
            dy = other[1] - one[1]
            dz = other[2] - one[2]
            square = dx * dx + dy * dy + dz * dz
            pull = GRAVITY * step / (square * math.sqrt(square))
            one[3] += dx * pull * other[6]
            one[4] += dy * pull * other[6]
            one[5] += dz * pull * other[6]
            other[3] -= dx * pull * one[6]
            other[4] -= dy * pull * one[6]
            other[5] -= dz * pull * one[6]


def drift(bodies, step):
    for body in bodies:
        body[0] += step * body[3]
        body[1] += step * body[4]
        body[2] += step * body[5]


def energy(bodies):
    total = 0.0
    for index, one in enumerate(bodies):
        total += 0.5 * one[6] * (one[3] ** 2 + one[4] ** 2 + one[5] ** 2)
        for other in bodies[index + 1 :]:
            total -= GRAVITY * one[6] * other[6] / math.dist(one[:3], other[:3])
    return total


def run(n):
    bodies = start()
    before = energy(bodies)
    for _ in range(n):
        kick(bodies, STEP / 2)
        drift(bodies, STEP)
        kick(bodies, STEP / 2)
    if abs(energy(bodies) - before) > 1e-3 * abs(before):
        raise SystemExit("nbody: energy is not kept")
    return round(bodies[1][0], 6)
