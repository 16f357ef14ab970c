"""Programs of PyTorch's with a planted fault each: planted.py item|collate|small|copies|healthy. The lines at fault end
with a comment: # item, # collate, …"""
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

WIDTH = 2048


def model_of(width=WIDTH):
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.ReLU(), torch.nn.Linear(width, width)).cuda()


def item():
    """A running loss that is fetched in every step: the device waits for the next launch each time."""
    model, x = model_of(), torch.rand(64, WIDTH, device="cuda")
    total = 0.0
    with torch.no_grad():
        for _ in range(3000):
            total += model(x).mean().item()  # item
    print(total > -1e9)


class Samples(Dataset):
    def __len__(self):
        return 60 * 32

    def __getitem__(self, index):
        return torch.full((WIDTH,), float(index % 7))


def slow_collate(samples):
    batch = torch.stack(samples)
    until = time.perf_counter() + 0.05
    while time.perf_counter() < until:
        sorted(range(2000), key=lambda number: -number)  # collate
    return batch


def collate():
    model = model_of()
    with torch.no_grad():
        for x in DataLoader(Samples(), batch_size=32, num_workers=1, collate_fn=slow_collate):
            model(x.cuda()).sum()
    torch.cuda.synchronize()


def small():
    """A recurrence in steps that are each too small for a device."""
    x = torch.rand(64, device="cuda")
    for _ in range(30000):
        x = x * 1.0001 + 0.0001  # small
    print(float(x.sum()) > 0)


def copies():
    """Numbers that are fetched from the device one by one."""
    numbers = torch.rand(20000, device="cuda")
    print(sum(float(number) for number in numbers) > 0)  # copies


def healthy():
    model, x = model_of(8192), torch.rand(8192, 8192, device="cuda")
    with torch.no_grad():
        for _ in range(60):
            x = model(x).clamp(-1, 1)
    print(float(x.sum()) != 0)


globals()[sys.argv[1]]()
