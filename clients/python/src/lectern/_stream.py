"""Items of the daemon that are followed: resumed at their offset after a broken connection."""

from __future__ import annotations

import json
import random
import threading
from typing import Any, Callable, Generic, Iterator, Optional, TypeVar

from ._errors import LecternError, malformed
from ._http import Answer
from ._sse import SseReader

Item = TypeVar("Item", covariant=True)

#: With the longest delay about five minutes.
ATTEMPTS_MAX = 30
RECONNECT_SECONDS_MIN = 0.05
RECONNECT_SECONDS_MAX = 15.0


def reconnect_seconds(attempt: int) -> float:
    """Doubled from attempt to attempt; up to half less, so that many clients do not come at once."""
    full: float = min(RECONNECT_SECONDS_MAX, RECONNECT_SECONDS_MIN * 2.0 ** min(attempt, 30))
    return full * (1 - random.random() / 2)


class Stream(Generic[Item]):
    """An iterator with ``close``, which another thread may call; also a context manager."""

    def __init__(self, make: Callable[["Stream[Any]"], Iterator[Item]]) -> None:
        self._closing = threading.Event()
        self._answer: Optional[Answer] = None
        self._items = make(self)

    def __iter__(self) -> Stream[Item]:
        return self

    def __next__(self) -> Item:
        if self._closing.is_set():
            raise StopIteration
        try:
            return next(self._items)
        except LecternError:
            if self._closing.is_set():
                raise StopIteration from None
            raise

    def __enter__(self) -> Stream[Item]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._closing.set()
        answer = self._answer
        if answer is not None:
            answer.interrupt()
        close = getattr(self._items, "close", None)
        try:
            if close is not None:
                close()
        except ValueError:
            # Another thread is in it, and leaves it because the connection is over.
            pass

    def holds(self, answer: Answer) -> Answer:
        """The answer that ``close`` ends."""
        self._answer = answer
        if self._closing.is_set():
            answer.close()
        return answer

    def pause(self, seconds: float) -> None:
        self._closing.wait(seconds)

    @property
    def is_closed(self) -> bool:
        return self._closing.is_set()


def follow_events(
    stream: Stream[Any],
    *,
    open_answer: Callable[[Optional[str]], Answer],
    is_over: Callable[[Optional[str]], bool],
    reconnect: Callable[[], None],
) -> Iterator[Any]:
    """The documents of server-sent events. ``open_answer`` gets the id to resume at, and so does ``is_over``."""
    last_id: Optional[str] = None
    attempt = 0
    is_first = True
    while not stream.is_closed:
        try:
            if not is_first:
                reconnect()
            with stream.holds(open_answer(last_id)) as answer:
                if answer.status == 204:
                    return
                if answer.status != 200:
                    raise answer.refusal()
                reader = SseReader()
                for chunk in answer.chunks():
                    for event in reader.feed(chunk):
                        attempt = 0
                        if event.data is not None:
                            document = _document(event.data)
                            last_id = event.id or last_id
                            yield document
                        last_id = event.id or last_id
            if is_over(last_id):
                return
        except LecternError as error:
            if not error.is_passing or attempt >= ATTEMPTS_MAX:
                raise
        is_first = False
        stream.pause(reconnect_seconds(attempt))
        attempt += 1


def _document(data: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise malformed("an event is not JSON") from error


def end_of_bytes(answer: Answer) -> Iterator[bytes]:
    """The chunks of an answer of bytes."""
    if answer.status != 200:
        raise answer.refusal()
    yield from answer.chunks()

