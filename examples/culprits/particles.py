"""Particles that move from rank to rank. The fault: each is a message of its own.

    mpirun -n 2 python3 particles.py
"""
import sys

import numpy
from mpi4py import MPI


def send_all(comm, particles, to):
    for particle in particles:
        comm.Send(particle, dest=to, tag=1)


def receive_all(comm, count, source):
    particles = numpy.empty((count, 6))
    for i in range(count):
        comm.Recv(particles[i], source=source, tag=1)
    return particles


def move(particles):
    particles[:, :3] += 0.01 * particles[:, 3:]


def main():
    comm = MPI.COMM_WORLD
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    particles = numpy.random.default_rng(1).random((count, 6))
    for _ in range(5):
        move(particles)
        if comm.rank == 0:
            send_all(comm, particles, 1)
            particles = receive_all(comm, count, 1)
        elif comm.rank == 1:
            got = receive_all(comm, count, 0)
            send_all(comm, got, 0)
    if comm.rank == 0:
        print(len(particles))


main()
