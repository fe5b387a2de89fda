"""The numbers and switches that settings hold, as pydantic checks them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

Proportion = Annotated[float, Field(strict=True, ge=0, le=1)]
Positive = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Count = Annotated[int, Field(strict=True, ge=1)]
Switch = Annotated[bool, Field(strict=True)]
