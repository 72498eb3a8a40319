# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""One of two MPI processes: messages of many sizes both ways, and collective
operations; every byte is compared."""

import random

from mpi4py import MPI

SIZES = [0, 1, 8, 100, 1000, 8192, 8193, 65536, 1 << 20, (1 << 22) + 3]


def pattern(rank, size):
    return bytearray(random.Random(f"{rank} {size}").randbytes(size))


def main():
    comm = MPI.COMM_WORLD
    rank, other = comm.rank, 1 - comm.rank
    assert comm.size == 2
    for size in SIZES:
        got = bytearray(size)
        comm.Sendrecv(pattern(rank, size), other, recvbuf=got, source=other)
        assert got == pattern(other, size), size
        gathered = comm.allgather(bytes(pattern(rank, size)))
        assert gathered == [pattern(n, size) for n in range(2)], size
    window = MPI.Win.Create(bytearray(65536), comm=comm)
    window.Fence()
    mine = pattern(rank, 65536)
    window.Put(mine, other)
    window.Fence()
    assert bytes(window.tomemory()) == pattern(other, 65536)
    window.Free()
    if rank == 0:
        print("all is right")


main()
