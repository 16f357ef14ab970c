"""A graph of objects. The fault: each node and its neighbour refer to each other, and many live, so that collections of
garbage look at all of them again and again."""
import sys


class Node:
    def __init__(self, number):
        self.number = number
        self.links = []


def connect(nodes, number):
    node = Node(number)
    if nodes:
        node.links.append(nodes[-1])
        nodes[-1].links.append(node)
    nodes.append(node)


def build(count):
    nodes = []
    for number in range(count):
        connect(nodes, number)
    return nodes


def main():
    print(len(build(int(sys.argv[1]) if len(sys.argv) > 1 else 400000)))


main()
