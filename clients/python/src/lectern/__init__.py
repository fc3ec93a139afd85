"""Runs any program in a real terminal, records everything, and reports what it does: the Python client of Lectern.

>>> from lectern import Lectern
>>> with Lectern.connect() as client:
...     session = client.sessions.create(["bash"])
...     print(client.sessions.exec(session["id"], "echo hello")["output"])
"""

from . import _types as types
from ._agterm import AGTerm
from ._attachment import Attachment
from ._client import Lectern
from ._errors import LecternError
from ._items import (
    AttachmentItem,
    Disconnected,
    Exit,
    Gap,
    Input,
    Mark,
    Output,
    Reconnected,
    Record,
    Refused,
    Resize,
    Snapshot,
    Writer,
)
from ._stream import Stream

__all__ = [
    "AGTerm",
    "Attachment",
    "AttachmentItem",
    "Disconnected",
    "Exit",
    "Gap",
    "Input",
    "Lectern",
    "LecternError",
    "Mark",
    "Output",
    "Reconnected",
    "Record",
    "Refused",
    "Resize",
    "Snapshot",
    "Stream",
    "Writer",
    "types",
]
