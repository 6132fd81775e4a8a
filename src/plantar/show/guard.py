"""What a window may send to the server: values of existing controls, within their limits, and nothing else.

viser sets whatever attribute a message names; a foreign page that finds the port could take over a viewer.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import Any

import viser
from viser import _messages

REFUSED = (
    _messages.ShareUrlRequest,
    _messages.ShareUrlDisconnect,
    _messages.FileTransferStartUpload,
    _messages.FileTransferPart,
    _messages.GuiFormSubmitMessage,
    _messages.GuiFormDirtyMessage,
    _messages.CommandTriggerMessage,
)
"""Messages that no control of a view sends."""


class Guard:
    """Lets messages through to viser that set a known control to an allowed value.

    Args:
        server: The server, before anyone has connected to it.
    """

    def __init__(self, server: viser.ViserServer):
        self._allowed: dict[str, Callable[[Any], bool]] = {}
        self._gui = server.gui
        wire = server._websock_server
        wire.unregister_handler(_messages.GuiUpdateMessage)
        wire.register_handler(_messages.GuiUpdateMessage, self._update)
        for kind in REFUSED:
            wire.unregister_handler(kind)
        # an unreadable message ends its connection; a traceback helps nobody
        logging.getLogger("websockets.server").setLevel(logging.CRITICAL)

    def allow(self, handle: Any, check: Callable[[Any], bool]) -> Any:
        """Let a control be set to values that pass `check`; returns the control."""
        self._allowed[handle._impl.uuid] = check
        return handle

    async def _update(self, client: Any, message: _messages.GuiUpdateMessage) -> None:
        check = self._allowed.get(message.uuid) if isinstance(message.uuid, str) else None
        updates = message.updates
        if check is not None and isinstance(updates, dict) and set(updates) == {"value"} and check(updates["value"]):
            await self._gui._handle_gui_updates(client, message)


def between(low: float, high: float) -> Callable[[Any], bool]:
    """Whether a value is a number within these limits."""
    return lambda value: (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and math.isfinite(value)
        and low - 1e-9 <= value <= high + 1e-9
    )


def one_of(*choices: Any) -> Callable[[Any], bool]:
    """Whether a value is one of these."""
    return lambda value: any(type(value) is type(choice) and value == choice for choice in choices)
