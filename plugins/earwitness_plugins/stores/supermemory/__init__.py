"""The store `supermemory`. Needs `earwitness[supermemory]` and a key; without a key, memories stay on this machine.

`factory` reads the settings, `store` is what a host sees. Below it: `reader` and `writer` do the work, `wire` alone
knows the client, and `write_buffer` keeps what the service does not find yet. `documents`, `conditions` and `names` say
memories, filters and names as the service takes them; `service_errors` is what it may answer instead.
"""

from .factory import supermemory

__all__ = ["supermemory"]
