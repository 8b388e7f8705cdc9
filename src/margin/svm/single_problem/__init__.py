"""Kernel machines with one problem and no classes: regression within a tube, and one class against everything else."""

__all__: list[str] = []
