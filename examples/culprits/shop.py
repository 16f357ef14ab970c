"""A shop on Flask, a thread a request. The fault: each order is written to disk while a lock is held that all
requests need."""
import os
import sys
import tempfile
import threading
import urllib.request

from flask import Flask
from werkzeug.serving import make_server

app = Flask("shop")
stock_lock = threading.Lock()
stock = {"tea": 1000000}
journal = tempfile.TemporaryFile()


def write_journal(line):
    journal.write(line)
    journal.flush()
    for _ in range(3):
        os.fsync(journal.fileno())


def take(name):
    with stock_lock:
        stock[name] -= 1
        write_journal(b"%s %d\n" % (name.encode(), stock[name]))
        return stock[name]


@app.route("/order/<name>")
def order(name):
    return {"left": take(name)}


def customer(port, orders):
    for _ in range(orders):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/order/tea") as answer:
            answer.read()


def main():
    orders = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    server = make_server("127.0.0.1", 0, app, threaded=True)
    server_thread = threading.Thread(target=server.serve_forever, name="server")
    server_thread.start()
    customers = [threading.Thread(target=customer, args=(server.server_port, orders), name=f"customer {i}")
                 for i in range(4)]
    for thread in customers:
        thread.start()
    for thread in customers:
        thread.join()
    server.shutdown()
    server_thread.join()
    print(1000000 - stock["tea"])


if __name__ == "__main__":
    import logging
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    main()
