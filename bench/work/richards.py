"""A small operating system that is simulated: objects, short methods, many calls.

Tasks with priorities pass packets to each other and wait; a worker fills packets, two handlers hand
them to two devices, an idle task keeps the scheduler busy with a bit generator.
"""


class Packet:
    def __init__(self, kind, address):
        self.kind = kind
        self.address = address
        self.slots = [0, 0, 0, 0]
        self.position = 0
        self.owner = None


class Task:
    def __init__(self, system, priority):
        self.system = system
        self.priority = priority
        self.inbox = []
        self.held = False
        self.waiting = False
        system.add(self)

    def ready(self):
        return not self.held and (not self.waiting or bool(self.inbox))

    def receive(self, packet):
        self.inbox.append(packet)
        self.waiting = False

    def take(self):
        if self.inbox:
            return self.inbox.pop(0)
        self.waiting = True
        return None

    def step(self):
        raise NotImplementedError


class Idle(Task):
    def __init__(self, system, budget):
        super().__init__(system, 0)
        self.budget = budget
        self.bits = 1

    def shift(self):
        low = self.bits & 1
        self.bits >>= 1
        if low:
            self.bits ^= 0xD008
        return low

    def step(self):
        self.budget -= 1
        if self.budget <= 0:
            self.system.stop()
            return
        self.system.devices[self.shift()].release()


class Device(Task):
    def __init__(self, system, priority):
        super().__init__(system, priority)
        self.done = 0
        self.held = True

    def release(self):
        self.held = False

    def step(self):
        packet = self.take()
        if packet is not None:
            self.done += 1
            packet.owner.receive(packet)
        self.held = True


class Handler(Task):
    def __init__(self, system, priority, device):
        super().__init__(system, priority)
        self.device = device
        self.passed = 0

    def step(self):
        packet = self.take()
        if packet is None:
            return
        if packet.kind == "work":
            packet.kind = "device"
            packet.owner = self
            self.device.receive(packet)
        else:
            packet.kind = "work"
            self.passed += 1
            self.system.worker.receive(packet)


class Worker(Task):
    def __init__(self, system, priority):
        super().__init__(system, priority)
        self.turn = 0
        self.letter = 0

    def next_letter(self):
        self.letter = self.letter % 26 + 1
        return self.letter

    def step(self):
        packet = self.take()
        if packet is None:
            return
        self.turn ^= 1
        for index in range(4):
            packet.slots[index] = self.next_letter()
        self.system.handlers[self.turn].receive(packet)


class System:
    def __init__(self, budget):
        self.tasks = []
        self.running = True
        self.steps = 0
        self.idle = Idle(self, budget)
        self.devices = (Device(self, 40), Device(self, 50))
        self.handlers = (Handler(self, 20, self.devices[0]), Handler(self, 30, self.devices[1]))
        self.worker = Worker(self, 10)
        for address in range(6):
            self.worker.receive(Packet("work", address))

    def add(self, task):
        self.tasks.append(task)
        self.tasks.sort(key=lambda one: -one.priority)

    def stop(self):
        self.running = False

    def pick(self):
        for task in self.tasks:
            if task.ready():
                return task
        return self.idle

    def loop(self):
        while self.running:
            self.steps += 1
            self.pick().step()


def run(n):
    system = System(n)
    system.loop()
    if sum(handler.passed for handler in system.handlers) == 0:
        raise SystemExit("richards: nothing moved")
    return system.steps
