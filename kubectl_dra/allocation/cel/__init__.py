"""CEL, as the scheduler evaluates device selectors, with upstream's answers, errors and costs, and with a trace of what was false.

    program = compile_expression('device.driver == "gpu.example.com"')
    answer = program.evaluate(DeviceVariables("gpu.example.com", device))

The environment is that of Kubernetes 1.37.2. What cannot be decided is an error of class `unsupported`, never a guess.
"""

from kubectl_dra.allocation.cel.device import DeviceVariables
from kubectl_dra.allocation.cel.environment import SCHEDULER, CelEnvironment
from kubectl_dra.allocation.cel.errors import CelError, CompileError, ErrorClass, Unsupported
from kubectl_dra.allocation.cel.program import Answer, Program, compile_expression
from kubectl_dra.allocation.cel.trace import Reason

__all__ = [
    "SCHEDULER",
    "Answer",
    "CelEnvironment",
    "CelError",
    "CompileError",
    "DeviceVariables",
    "ErrorClass",
    "Program",
    "Reason",
    "Unsupported",
    "compile_expression",
]
