"""A zoo of quick stand-ins in place of the real one."""

from tests.experiment.stand_ins import small_zoo

__all__ = ["small_zoo"]
