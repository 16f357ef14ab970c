"""Damage to traces: what disks, crashes and malice do to files, made from a seed.

    damage(random.Random(seed), folder)     changes a trace in place; says what it did
"""
import os
import shutil
import struct

STREAM_MAGIC = struct.pack("<I", 0xC1FC1FC1)
INDEX_MAGIC = struct.pack(">I", 0xC1F1DCC1)
# Where LTTng has what in a packet's head: offset and size.
PACKET = {"magic": (0, 4), "uuid": (4, 8), "stream": (20, 4), "instance": (24, 8), "begin": (32, 8), "end": (40, 8),
          "content": (48, 8), "size": (56, 8), "sequence": (64, 8), "discarded": (72, 8), "cpu": (80, 4)}
INDEX_HEAD = {"magic": (0, 4), "major": (4, 4), "minor": (8, 4), "entry": (12, 4)}
INDEX = {"offset": (0, 8), "size": (8, 8), "content": (16, 8), "begin": (24, 8), "end": (32, 8), "discarded": (40, 8),
         "stream": (48, 8), "instance": (56, 8), "sequence": (64, 8)}
# Bytes that a name may have and a terminal or a table must not see.
HOSTILE = [b"\x1b[31m", b"\x1b]0;x\x07", b"\n", b"\r", b"\t", b"\x7f", b"\x9b", b"\xc2\x9b", b"\xff", b"\xc0\x80", b"\xed\xa0\x80",
           b"\xed\xb3\xbf", b"\xf4\x90\x80\x80", b"\xe2\x80\xae", b"\xe2\x80\xa8", b"\xe2\x81\xa6", b"\xf3\xa0\x80\x81", b"\"", b",", b";",
           b"\\", b"<&>", b"\xef\xbb\xbf", b"\x00"]
WORDS = ["struct", "uint32_t", "uint64_t", "string", "integer", "variant", "enum", "event", "stream", "clock", "trace", "env",
         "typealias", "align", "size", "0", "1", "7", "64", "-1", "4294967295", "18446744073709551616", "{", "}", ";", ":=", "<",
         ">", "[", "]", "\"", "/*", "le", "be", "packet.context", "event.header", "fields", "id", "stream_id"]


def files(folder):
    """{kind: [path]} of the files of a trace."""
    found = {"stream": [], "metadata": [], "index": [], "run": []}
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            kind = "metadata" if name == "metadata" else "index" if name.endswith(".idx") else "run" if name.endswith(".txt") else "stream"
            found[kind].append(os.path.join(where, name))
    return found


def packets_of(data, size_at):
    at, found = 0, []
    while data[at:at + 4] == STREAM_MAGIC and len(data) - at >= 80:
        found.append(at)
        size = struct.unpack_from("<Q", data, at + size_at)[0] // 8
        if not size:
            break
        at += size
    return found


def packets(data):
    """Where the packets of a stream start, as far as that can be told: of LTTng's, or of the file recorder's, which have
    no number of their stream."""
    return max((packets_of(data, PACKET["size"][0] - without) for without in (0, 8)), key=len)


def odd_number(random, size, old):
    most = 256 ** size - 1
    return random.choice([0, 1, 7, 8, most, most - 7, most // 2, most // 2 + 1, old + 1, old - 1, old + 8, old - 8, old * 2, old // 2,
                          old ^ 1 << random.randrange(8 * size), random.randrange(most + 1), 1 << random.randrange(8 * size)]) & most


def put_number(random, data, at, size, order):
    if at + size > len(data):
        return "nothing"
    old = int.from_bytes(data[at:at + size], order)
    new = odd_number(random, size, old)
    data[at:at + size] = new.to_bytes(size, order)
    return "%d for %d at %d" % (new, old, at)


# What happens to one file: each is given the random numbers and its bytes, and says what it did.

def flip(random, data):
    count = random.choice([1, 1, 2, 8, 64])
    for _ in range(count):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    return "%d bits flipped" % count


def flip_head(random, data):
    at = random.randrange(min(len(data), 128))
    data[at] ^= 1 << random.randrange(8)
    return "a bit flipped at %d" % at


def truncate(random, data):
    at = random.choice([random.randrange(len(data)), min(len(data), random.randrange(200)), max(0, len(data) - random.randrange(1, 100)),
                        random.choice(packets(data) or [0])])
    del data[at:]
    return "cut off at %d" % at


def blank(random, data):
    at, size = random.randrange(len(data)), random.choice([1, 8, 64, 512, 4096])
    size = min(size, len(data) - at)
    data[at:at + size] = bytes(size) if random.random() < 0.7 else random.randbytes(size)
    return "%d bytes blank at %d" % (size, at)


def remove_bytes(random, data):
    at, size = random.randrange(len(data)), random.choice([1, 3, 8, 64, 4096])
    del data[at:at + size]
    return "%d bytes gone at %d" % (size, at)


def splice(random, data):
    at, size, to = random.randrange(len(data)), random.choice([1, 8, 84, 512, 4096]), random.randrange(len(data))
    part = data[at:at + size]
    data[to:to + (len(part) if random.random() < 0.5 else 0)] = part
    return "%d bytes of %d again at %d" % (len(part), at, to)


def append(random, data):
    size = random.choice([1, 7, 84, 4096])
    data += random.choice([bytes(size), random.randbytes(size), bytes(data[:size])])
    return "%d bytes appended" % size


def hostile(random, data):
    """Letters that stand together are taken to be of a name."""
    count = 0
    for _ in range(random.choice([1, 5, 50])):
        at, word = random.randrange(len(data)), random.choice(HOSTILE)
        if data[at:at + len(word)].isalnum() and len(data[at:at + len(word)]) == len(word):
            data[at:at + len(word)] = word
            count += 1
    return "%d hostile names" % count


def packet_head(random, data):
    at = packets(data)
    if not at:
        return "nothing"
    at = random.choice([at[0], at[-1], random.choice(at)])
    name = random.choice(sorted(PACKET))
    return "%s of the packet at %d: %s" % (name, at, put_number(random, data, at + PACKET[name][0], PACKET[name][1], "little"))


def packet_order(random, data):
    """Packets that are missing, there twice, or at another place."""
    at = packets(data)
    if len(at) < 2:
        return "nothing"
    parts = [bytes(data[begin:end]) for begin, end in zip(at, at[1:] + [len(data)])]
    one, other = random.randrange(len(parts)), random.randrange(len(parts))
    what = random.choice(["gone", "there twice", "in place of each other", "cut off with all behind it"])
    if what == "gone":
        del parts[one]
    elif what == "there twice":
        parts.insert(other, parts[one])
    elif what == "in place of each other":
        parts[one], parts[other] = parts[other], parts[one]
    else:
        del parts[max(one, 1):]
    data[:] = b"".join(parts)
    return "packets %d and %d of %d %s" % (one, other, len(at), what)


def index_entry(random, data):
    if random.random() < 0.2 or len(data) < 90:
        name = random.choice(sorted(INDEX_HEAD))
        return name + ": " + put_number(random, data, INDEX_HEAD[name][0], INDEX_HEAD[name][1], "big")
    name = random.choice(sorted(INDEX))
    size = max(struct.unpack_from(">I", data, 12)[0], 56)
    at = 16 + size * random.randrange(max(1, (len(data) - 16) // size))
    return "%s of the entry at %d: %s" % (name, at, put_number(random, data, at + INDEX[name][0], INDEX[name][1], "big"))


def description(random, data):
    """Another word, line or number in the text of metadata, over the same bytes where it stands in packets."""
    plain = data[:1] == b"/"
    spaces = [at for at in range(len(data)) if data[at:at + 1] in b" \t\n"]
    if len(spaces) < 3:
        return "nothing"
    first = data.find(b"event {")  # before that stands how packets and heads of events are laid out
    layout = [at for at, space in enumerate(spaces[:-1]) if space < first]
    at = random.choice(layout) if layout and random.random() < 0.5 else random.randrange(len(spaces) - 1)
    begin, end = spaces[at] + 1, spaces[at + 1]
    what = random.randrange(5)
    if what == 0:
        word = random.choice(WORDS).encode()
    elif what == 1:
        other = random.randrange(len(spaces) - 1)
        word = bytes(data[spaces[other] + 1:spaces[other + 1]])
    elif what == 2:
        word = b""
    elif what == 3:
        word = bytes(data[begin:end]).translate(bytes.maketrans(b"0123456789", bytes(random.sample(b"0123456789", 10))))
    else:
        word = random.choice([b"{", b"struct {", b"[", b"(", b"/*", b"<"]) * random.choice([1, 10, 10000])
    if not plain:
        word = word[:end - begin].ljust(end - begin)
    data[begin:end] = word
    return "%r in place of a word at %d" % (word[:40], begin)


BYTES = [flip, flip, flip_head, truncate, blank, remove_bytes, splice, append]
OF_KIND = {"stream": BYTES + [packet_head] * 8 + [packet_order] * 5 + [hostile] * 3, "index": [flip, truncate, blank] + [index_entry] * 5,
           "metadata": BYTES + [description] * 8 + [hostile], "run": BYTES + [hostile] * 3}


# What happens to whole files.

def remove_file(random, path, others):
    os.unlink(path)
    return "removed"


def duplicate(random, path, others):
    shutil.copy(path, path.rstrip("0123456789") + str(random.randrange(90, 99)))
    return "there twice"


def stand_in(random, path, others):
    other = random.choice(others)
    data = open(other, "rb").read()
    with open(path, "wb") as file:
        file.write(data)
    return "has what %s has" % os.path.basename(other)


def empty(random, path, others):
    os.truncate(path, 0)
    return "empty"


def a_pipe(random, path, others):
    os.unlink(path)
    os.mkfifo(path)
    return "a pipe"


def a_folder(random, path, others):
    os.unlink(path)
    os.mkdir(path)
    return "a folder"


def a_link(random, path, others):
    to = random.choice(["/nowhere", "/dev/zero", ".", os.path.basename(path), random.choice(others)])
    os.unlink(path)
    os.symlink(to, path)
    return "a link to %s" % to


def a_hole(random, path, others):
    """As long as no disk is, at its end."""
    os.truncate(path, random.choice([1 << 32, 1 << 40]))
    return "%d bytes" % os.path.getsize(path)


def not_ours(random, path, others):
    """Another user's, or nobody may read it."""
    if random.random() < 0.5 and os.geteuid() == 0:
        os.chown(random.choice([path, os.path.dirname(path)]), 65534, 65534)
        return "another user's"
    os.chmod(path, random.choice([0, 0o200, 0o222]))
    return "not to be read"


def copied_folder(random, path, others):
    folder = os.path.dirname(path)
    to = os.path.join(folder, "copied")
    if os.path.exists(to):
        return "nothing"
    os.mkdir(to)
    for name in os.listdir(folder):
        if is_plain(os.path.join(folder, name)):
            shutil.copy(os.path.join(folder, name), to)
    return "its folder is there again, in itself"


def is_plain(path):
    """A file that can be read: neither is a pipe waited for, nor a hole."""
    return os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) < 1 << 30


WHOLE = [remove_file, duplicate, stand_in, empty, a_pipe, a_folder, a_link, a_hole, copied_folder, not_ours]


def damage_once(random, folder):
    found = {kind: [path for path in paths if is_plain(path)] for kind, paths in files(folder).items()}
    kinds = [kind for kind, weight in (("stream", 6), ("metadata", 3), ("index", 2), ("run", 1)) for _ in range(weight) if found[kind]]
    if not kinds:
        return "nothing is left"
    kind = random.choice(kinds)
    path = random.choice(found[kind])
    name = os.path.relpath(path, folder)
    if random.random() < 0.12:
        return "%s: %s" % (name, random.choice(WHOLE)(random, path, [other for paths in found.values() for other in paths]))
    with open(path, "rb") as file:
        data = bytearray(file.read())
    if not data:
        return "%s: is empty" % name
    did = random.choice(OF_KIND[kind])(random, data)
    with open(path, "wb") as file:
        file.write(data)
    return "%s: %s" % (name, did)


def packets_missing(random, folder):
    """Whole packets of one stream go, or come twice, and nothing else happens. Returns what was done, or None where no
    stream has more than one packet."""
    found = []
    for path in files(folder)["stream"]:
        if is_plain(path) and not os.path.basename(path).startswith("."):
            with open(path, "rb") as file:
                data = file.read()
            at = packets(data)
            if len(at) > 2:
                found.append((path, data, at))
    if not found:
        return None
    path, data, at = random.choice(found)
    parts = [data[begin:end] for begin, end in zip(at, at[1:] + [len(data)])]
    # That the last one is gone is seen where the trace has a list of its streams.
    kinds = ["gone", "there twice", "swapped"] + ["the last"] * os.path.exists(os.path.join(os.path.dirname(path), ".streams"))
    what, one = random.choice(kinds), random.randrange(1, len(parts) - 1)
    if what == "gone":
        del parts[one]
    elif what == "there twice":
        parts.insert(one, parts[one])
    elif what == "swapped":
        parts[one], parts[one + 1] = parts[one + 1], parts[one]
    else:
        del parts[-1]
    with open(path, "wb") as file:
        file.write(b"".join(parts))
    return "%s: packet %d of %d: %s" % (os.path.relpath(path, folder), one, len(at), what)


def damage(random, folder):
    """Changes a trace in place. Returns what was done, a line for each thing."""
    return [damage_once(random, folder) for _ in range(random.choice([1, 1, 1, 2, 3, 8]))]
