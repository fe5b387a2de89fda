"""A strict emulator of the Supermemory API, version 5, that the real SDK talks to over a loopback socket.

    with Emulator(lag=0.5) as service:
        client = AsyncSupermemory(base_url=service.url, api_key="any")

`emulator` is what a test sees: it starts a server, changes its faults and shows what it holds. Below it: `server`
speaks HTTP, `routes` answers requests, `requests` says what they may hold, `documents` keeps what was written and knows
when it can be found, `filters` and `search` find it, and `faults` decides what goes wrong.

It is stricter than a service may be: it refuses whatever the API's description does not allow, trims texts, keeps
numbers as JavaScript does, and finds nothing before its time. Files and connectors are left out. Needs
`earwitness[supermemory]`.
"""

from .emulator import Emulator
from .faults import Fault, Faults

__all__ = ["Emulator", "Fault", "Faults"]
