"""Shared by the generators: C types and sizes of the tables' types, and writing changed files."""

C_TYPES = {
    "string": "const char *",
    "i32": "int32_t",
    "i64": "int64_t",
    "u8": "uint8_t",
    "u16": "uint16_t",
    "u32": "uint32_t",
    "u64": "uint64_t",
    "f64": "double",
}

# The size of each type in a file, in bytes.
SIZES = {"i32": 4, "i64": 8, "u8": 1, "u16": 2, "u32": 4, "u64": 8, "f64": 8}


def write_if_changed(path, text):
    """Writes `text` to `path` if the file has another content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.write_text(text, encoding="utf-8")
