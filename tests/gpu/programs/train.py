"""A small training loop of PyTorch's with a data loader: train.py OUT [--steps N] [--workers N] [--sleep SECONDS]
[--profile] [--tokens]. OUT gets the loss, the steps' times, and with --profile what PyTorch's own profiler counted."""
import argparse
import contextlib
import json
import statistics
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

options = argparse.ArgumentParser()
options.add_argument("out")
options.add_argument("--steps", type=int, default=40)
options.add_argument("--workers", type=int, default=0)
options.add_argument("--sleep", type=float, default=0.0)
options.add_argument("--profile", action="store_true")
options = options.parse_args()
BATCH, WIDTH = 256, 4096
torch.manual_seed(0)


class Samples(Dataset):
    sample = torch.rand(WIDTH)

    def __len__(self):
        return BATCH * options.steps

    def __getitem__(self, index):
        if index % BATCH == 0:
            load_batch()
        return self.sample, index % 10


def load_batch():
    time.sleep(options.sleep)


def train_step(model, optimizer, x, y):
    optimizer.zero_grad()
    out = model(x)
    loss = nn.functional.cross_entropy(out, y)
    loss.backward()
    optimizer.step()
    return loss


def main():
    layers = [layer for _ in range(6) for layer in (nn.Linear(WIDTH, WIDTH), nn.ReLU())]
    model = nn.Sequential(*layers, nn.Linear(WIDTH, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    times = []
    for x, y in DataLoader(Samples(), batch_size=BATCH, num_workers=options.workers):
        x, y = x.cuda(), y.cuda()
        torch.cuda.synchronize()
        begin = time.perf_counter()
        loss = train_step(model, optimizer, x, y)
        torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    return {"loss": float(loss), "step": statistics.median(times[5:]), "least": min(times[5:])}


how = contextlib.nullcontext()
if options.profile:
    from torch.profiler import ProfilerActivity, profile

    how = profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU])
with how as profiler:
    told = main()
if options.profile:
    works = [event for event in profiler.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    # Without the profiler's own marks, as "Optimizer.step#SGD.step".
    kernels = [event for event in works if not event.name.lower().startswith(("memcpy", "memset", "optimizer."))]
    told["kernels"] = len(kernels)
    told["kernel_us"] = sum(event.device_time for event in kernels)
    told["names"] = {}
    for event in kernels:
        told["names"][event.name] = told["names"].get(event.name, 0) + 1
json.dump(told, open(options.out, "w"))
