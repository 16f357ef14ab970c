"""pandas: an import, tables that are made, grouped, joined, reshaped and written, with functions of one's own."""

ROWS = 400


def table(number):
    import numpy
    import pandas

    random = numpy.random.default_rng(number)
    return pandas.DataFrame(
        {
            "node": random.integers(0, 17, ROWS),
            "level": random.choice(["INFO", "WARN", "ERROR"], ROWS),
            "ms": random.normal(100, 15, ROWS),
            "at": pandas.date_range("2026-01-01", periods=ROWS, freq="min"),
        }
    )


def grade(ms):
    return "slow" if ms > 110 else "fast"


def spread(group):
    return group.max() - group.min()


def one(number):
    data = table(number)
    data["grade"] = data["ms"].map(grade)
    by_node = data.groupby("node")["ms"].agg(["mean", "std", spread])
    joined = data.merge(by_node, left_on="node", right_index=True)
    joined["far"] = (joined["ms"] - joined["mean"]).abs() > joined["std"]
    wide = joined.pivot_table(index="node", columns="level", values="ms", aggfunc="median")
    hourly = joined.set_index("at").resample("1h")["ms"].mean().rolling(3).max()
    rows = sum(row["ms"] for _, row in joined.head(60).iterrows())
    text = joined.sort_values(["level", "ms"]).head(50).to_csv()
    return len(text) + int(wide.isna().sum().sum()) + int(hourly.count()) + int(rows) + joined["level"].value_counts().size


def run(n):
    return sum(one(number) for number in range(n))
