"""Work on several things at once, and take the results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

FEW = 16
"""So many items are done before it is worth while to start threads."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """Yield what ``work`` makes of each item, in the order of the items.

    Parameters
    ----------
    work : called in other threads, unless ``threads`` is 1 or there are ``FEW`` items at most.
    items : taken as they are needed: at most one more than there are threads is under way.
    threads : at least 1.

    Raises
    ------
    What ``work`` raises, in its turn.
    """
    iterator = iter(items)
    if threads == 1:
        yield from map(work, iterator)
        return
    yield from map(work, islice(iterator, FEW))
    head = list(islice(iterator, 1))
    if not head:
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    under_way: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads) as executor:
        try:
            under_way.extend(executor.submit(work, item) for item in head)
            for item in iterator:
                under_way.append(executor.submit(work, item))
                if len(under_way) > threads:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()
