"""Training with PyTorch. The fault: the workers put batches together in a slow way, and the training loop waits."""
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Series(Dataset):
    def __init__(self, count):
        self.values = torch.randn(count, 64)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return self.values[index]


def collate(rows):
    batch = torch.zeros(len(rows), 64)
    for i, row in enumerate(rows):
        for j in range(64):
            batch[i, j] = float(row[j])
    return batch


def step(model, optimizer, batch):
    optimizer.zero_grad()
    loss = ((model(batch) - batch) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss.item()


def train(batches):
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Series(batches * 32), batch_size=32, num_workers=2, collate_fn=collate)
    loss = 0.0
    for batch in loader:
        loss = step(model, optimizer, batch)
    return loss


def main():
    torch.set_num_threads(1)
    batches = int(sys.argv[1]) if len(sys.argv) > 1 else 240
    print(train(batches) > 0)


if __name__ == "__main__":
    main()
