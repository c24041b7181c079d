"""What becomes of a step and a node when something goes wrong."""

import msgspec

from kubectl_dra.errors import DraError, TimedOutError
from kubectl_dra.migration.move import Move
from kubectl_dra.migration.names import Direction, StepState
from kubectl_dra.migration.steps.close import annotations_before
from kubectl_dra.migration.steps.cordon import open_again
from kubectl_dra.migration.stop import StoppedError


def state_of(error: DraError) -> StepState:
    """How the step ended in which this was raised."""
    match error:
        case StoppedError():
            return StepState.INTERRUPTED
        case TimedOutError():
            return StepState.TIMED_OUT
        case _:
            return StepState.FAILED


def opened(move: Move) -> str:
    """The node as it was before, and the journal closed: it is on the plugin, as after a way back."""
    told = open_again(move)
    try:
        annotations = annotations_before(move.written)
        move.journal.now = msgspec.structs.replace(move.written, direction=Direction.ROLLBACK, finished=True, changed=(), done=())
        move.journal.flush(annotations)
    except DraError as error:
        return f"{told}; the journal could not be closed: {error.message}"
    return told
