"""A program that switches PInsight's CUDA domain: 10 launches each while it is on, off, and on again."""
import sys

import torch

try:
    import pinsight
except ImportError:
    sys.exit("pinsight is not on the path")


def launch(x):
    for _ in range(10):
        x.add_(1)
    torch.cuda.synchronize()


x = torch.zeros(16, device="cuda")
launch(x)
pinsight.set_mode("CUDA", "OFF")
launch(x)
pinsight.set_mode("CUDA", "TRACING")
launch(x)
print(int(x.sum()))
