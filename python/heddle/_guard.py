import os
import threading

from ._heddle import _guarded_key
from ._heddle import wisdom as _wisdom


def _parts(key):
    """A key as a wisdom has it: texts and numbers, and brackets for tuples."""
    if not isinstance(key, tuple):
        return [key]
    return ["(", *(part for each in key for part in _parts(each)), ")"]


class _timing:
    def __init__(self, torch, waiting):
        self.waiting = waiting  # those of its device that have ended, in order
        self.begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.decisions = None  # of its key; None: free
        self.which = 0


class guard:
    """Launches one of a few candidates per call, and finds which is the fastest from call to call, by PyTorch's events.

    `guard(key, launch)` calls `launch(which)` in PyTorch's current stream and returns what that returns. Number 0 is what there
    was before, and what a key takes is bounded by it, as docs/guard.md says. A key is what a launch's time depends on: any value
    that a dictionary takes. A candidate whose launch raises an exception is dropped; number 0 stays. In a CUDA graph that is being
    captured nothing is timed.

    With a `wisdom` (an object or the path of its file) a key begins with what `remember` kept of it, for the same `question`, `version`
    and `machine`. Keys are then texts, numbers, and tuples of such.

    >>> guard = heddle.guard(2)
    >>> guard.decision((8192, "bf16")) is None
    True
    """

    def __init__(self, candidates: int, *, wisdom=None, question=(), version: str = "", machine=("", "", "")):
        if not 1 <= candidates <= 64:
            raise ValueError(f"heddle.guard: candidates is {candidates}; it must be from 1 to 64")
        self._candidates, self._lock = candidates, threading.Lock()
        self._known = wisdom if wisdom is None or isinstance(wisdom, _wisdom) else _wisdom(os.fspath(wisdom))
        self._question, self._same = tuple(question), (version, tuple(machine))
        self._keys, self._pools, self._dropped = {}, {}, []

    def decision(self, key) -> "int | None":
        """Returns which candidate is decided on for a key, or None while it is undecided."""
        with self._lock:
            known = self._keys.get(key)
            return known.untimed() if known is not None and known.is_settled() else None

    def remember(self) -> None:
        """Adds what is decided to the wisdom, and writes its file.

        >>> heddle.guard(2).remember()
        """
        with self._lock:
            for key, known in self._keys.items() if self._known is not None else ():
                if known.is_settled():
                    self._known._remember(known, *self._asked(key))

    def _asked(self, key):
        return [*self._question, *_parts(key)], *self._same

    def __call__(self, key, launch):
        import torch

        with self._lock:
            which, timing = self._begin(torch, key)
        try:
            result = launch(which)
        except BaseException as raised:
            with self._lock:
                if timing:
                    timing.decisions.lost(timing.which)
                    timing.decisions = None
                if which != 0 and isinstance(raised, Exception):
                    self._drop(which)
            raise
        if timing:
            with self._lock:
                timing.end.record()
                timing.waiting.append(timing)
        return result

    def _begin(self, torch, key):
        decisions = self._keys.get(key)
        if decisions is None:
            decisions = _guarded_key(self._candidates)
            if self._known is not None:
                self._known._recall(decisions, *self._asked(key))
            self._keys[key] = decisions
            for which in self._dropped:
                decisions.drop(which)
        if torch.cuda.is_current_stream_capturing():
            return decisions.untimed(), None
        device = torch.cuda.current_device()
        if device not in self._pools:
            waiting = []
            self._pools[device] = [_timing(torch, waiting) for _ in range(16)], waiting
        timings, waiting = self._pools[device]
        self._collect(waiting)
        timing = next((one for one in timings if one.decisions is None), None)
        if timing is None:
            return decisions.untimed(), None
        which, is_timed = decisions.next()
        if not is_timed:
            return which, None
        timing.decisions, timing.which = decisions, which
        timing.begin.record()
        return which, timing

    def _collect(self, waiting):
        while waiting and waiting[0].end.query():
            one = waiting.pop(0)
            decisions, one.decisions = one.decisions, None
            decisions.told(one.which, 1e-3 * one.begin.elapsed_time(one.end))

    def _drop(self, which):
        if which not in self._dropped:
            self._dropped.append(which)
        for decisions in self._keys.values():
            decisions.drop(which)
