"""Capacity 0: the kubelet has let the plugin's name go, five minutes after the plugin went."""

from datetime import timedelta

from kubectl_dra.migration.amounts import capacity, in_words
from kubectl_dra.migration.move import Move
from kubectl_dra.migration.steps.work import Work
from kubectl_dra.migration.steps.zero import refuse_returned, zero_since


class Settle(Work):
    """Waits with a clock."""

    def do(self, move: Move) -> None:
        """Written down, so that `--status` tells where it stands for minutes."""
        if capacity(move.node(), move.names):
            move.write_down()

    def wait(self, move: Move) -> str:
        """Until capacity is 0 or gone; with `--accept-allocatable-zero` only until allocatable has been 0 for long enough."""
        if move.options.accept_allocatable_zero:
            return self._accepted(move)
        move.until(
            lambda: self._look(move),
            hint="is a device plugin of this name still running on the node, outside of the profile? A restart of the kubelet sets it to 0",
        )
        return f"capacity of {', '.join(sorted(move.names))} is 0"

    def _look(self, move: Move) -> str:
        refuse_returned(move)
        still = in_words("capacity", capacity(move.node(), move.names))
        since = zero_since(move)
        if not still or since is None:
            return still
        expected = since + timedelta(seconds=move.timing.plugin_grace)
        if move.clock.now() < expected:
            return f"{still}, expected 0 by {expected:%H:%M:%S} UTC"
        return f"{still}, expected 0 since {expected:%H:%M:%S} UTC"

    def _accepted(self, move: Move) -> str:
        """Allocatable was 0 for a minute, and the kubelet has forgotten."""

        def look() -> str:
            refuse_returned(move)
            since = zero_since(move)
            waited = (move.clock.now() - since).total_seconds() if since is not None else 0.0
            rest = move.timing.accepted_zero - waited
            return f"allocatable has to stay 0 for {rest:.0f} s more (--accept-allocatable-zero)" if rest > 0 else ""

        move.until(look)
        still = in_words("capacity", capacity(move.node(), move.names))
        if still:
            when = zero_since(move)
            over = f" after {when + timedelta(seconds=move.timing.plugin_grace):%H:%M} UTC" if when is not None else ""
            move.notes.summary.append(f"{still} (accepted): run `kubectl dra migrate-node {move.name} --verify`{over}")
        return f"{still}, accepted" if still else "capacity is 0"
