"""A service on asyncio, and its clients. The fault: one kind of request computes a digest of a password within
the event loop, and all others wait for it."""
import asyncio
import hashlib
import sys

PORT = 0


def digest(word):
    return hashlib.pbkdf2_hmac("sha256", word, b"salt", 60000).hex()


async def price(word):
    await asyncio.sleep(0.002)
    return word.decode().upper()


async def sign_in(word):
    return digest(word)


async def serve(reader, writer):
    kind, word = (await reader.readline()).split()
    answer = await (sign_in(word) if kind == b"sign-in" else price(word))
    writer.write(answer.encode() + b"\n")
    await writer.drain()
    writer.close()


async def ask(port, number):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    kind = b"sign-in" if number % 10 == 0 else b"price"
    writer.write(kind + b" word%d\n" % number)
    answer = await reader.readline()
    writer.close()
    return len(answer)


async def main():
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    server = await asyncio.start_server(serve, "127.0.0.1", PORT)
    port = server.sockets[0].getsockname()[1]
    done = 0
    for begin in range(0, requests, 20):
        answers = await asyncio.gather(*(ask(port, begin + i) for i in range(20)))
        done += sum(answer > 1 for answer in answers)
    server.close()
    print(done)


asyncio.run(main())
