"""Where tasks run: in this process, in workers of ours, on a Dask cluster, or in a simulation."""

__all__: list[str] = []
