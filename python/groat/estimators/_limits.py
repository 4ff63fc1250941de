"""``threadpoolctl.threadpool_limits`` holds for groat's threads too."""

from __future__ import annotations

from typing import Any

from groat import _groat


def register() -> None:
    """Makes the compiled module known to threadpoolctl, where that is installed (scikit-learn needs it)."""
    try:
        import threadpoolctl
    except ImportError:
        return

    class Controller(threadpoolctl.LibController):
        """Groat's own pool of threads."""

        user_api = "groat"
        internal_api = "groat"
        filename_prefixes = ("_groat",)
        check_symbols = ("PyInit__groat",)

        def get_num_threads(self) -> int:
            return _groat.threads()

        def set_num_threads(self, num_threads: int) -> Any:
            _groat.set_threads(num_threads)

        def get_version(self) -> str:
            return _groat.__version__

    threadpoolctl.register(Controller)
