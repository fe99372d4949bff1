"""Reads the counters that ncu wrote with `--csv`."""

import csv


def launches(path, counters):
    """Returns the counters of each launch, in order, under the names that `counters` gives them."""
    found = {}
    with open(path) as file:
        for line in csv.DictReader(line for line in file if line.startswith('"')):
            if line["Metric Name"] in counters:
                value = float(line["Metric Value"].replace(",", ""))
                found.setdefault(int(line["ID"]), {})[counters[line["Metric Name"]]] = value
    return [found[number] for number in sorted(found)]
