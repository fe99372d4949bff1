"""What ncu counted, out of what it wrote by `--csv`."""

import csv


def launches(path, counters):
    """The counters of each launch, in order, by the names that `counters` gives them."""
    found = {}
    with open(path) as file:
        for line in csv.DictReader(line for line in file if line.startswith('"')):
            if line["Metric Name"] in counters:
                value = float(line["Metric Value"].replace(",", ""))
                found.setdefault(int(line["ID"]), {})[counters[line["Metric Name"]]] = value
    return [found[number] for number in sorted(found)]
