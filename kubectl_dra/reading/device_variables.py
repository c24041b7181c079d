"""The environment variables that give devices to a container behind the scheduler's back, or name those it was given."""

DEVICE_VARIABLES = frozenset(
    {
        "NVIDIA_VISIBLE_DEVICES",
        "CUDA_VISIBLE_DEVICES",
        "GPU_DEVICE_ORDINAL",
        "AMD_VISIBLE_DEVICES",
        "ROCR_VISIBLE_DEVICES",
        "HIP_VISIBLE_DEVICES",
        "HABANA_VISIBLE_DEVICES",
        "HABANA_VISIBLE_MODULES",
        "ASCEND_VISIBLE_DEVICES",
        "ASCEND_RT_VISIBLE_DEVICES",
        "NEURON_RT_VISIBLE_CORES",
        "AWS_NEURON_VISIBLE_DEVICES",
        "TPU_VISIBLE_CHIPS",
        "TPU_VISIBLE_DEVICES",
        "ZE_AFFINITY_MASK",
        "MTHREADS_VISIBLE_DEVICES",
        "MLU_VISIBLE_DEVICES",
    }
)
"""Runtimes and libraries read these (NVIDIA container toolkit, ROCm, Habana, Ascend, Neuron, libtpu, Level Zero, MUSA, Cambricon)."""
