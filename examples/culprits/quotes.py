"""Quotes over asyncio. The fault: each answer computes a factor within the event loop, for a few milliseconds."""
import asyncio
import sys


class Prices:
    def __init__(self):
        self.base = [100.0 + i % 7 for i in range(1000)]

    def legacy_factor(self, day):
        factor = 1.0
        for price in self.base * 60:
            factor += (price * day) % 3.0
        return factor

    async def quote(self, day):
        await asyncio.sleep(0.001)
        return self.legacy_factor(day)


async def heartbeat(beats):
    while True:
        await asyncio.sleep(0.002)
        beats.append(1)


async def client(prices, number, requests):
    total = 0.0
    for day in range(requests):
        total += await prices.quote(number + day)
        await asyncio.sleep(0.003)
    return total


async def main():
    requests = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    prices, beats = Prices(), []
    beating = asyncio.create_task(heartbeat(beats))
    totals = await asyncio.gather(*(client(prices, number, requests) for number in range(4)))
    beating.cancel()
    print(len(totals))


asyncio.run(main())
