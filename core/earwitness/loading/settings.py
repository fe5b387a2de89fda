"""Settings from one `earwitness.toml` or from code. They are frozen and typed, and the same either way.

::

    path = "story.db"                     # the embedded ledger and store
    detector = "rules"                    # a bare name …
    [world_agent]                         # … or a table: `name`, and the strategy's own settings beside it
    name = "rules"
    most = 5
    [recall]
    recent = 2
    permanent = "always"

Installed packages may declare tables of their own (`tables`). Secrets are never shown or recorded (`redaction`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, Field, PrivateAttr, ValidationError, field_validator, model_validator

from ..errors import InputError, SettingsError
from ..formats import PLACEHOLDERS
from ..patterns import lazy_pattern
from ..records.base import Record
from ..records.state import day_text
from ..redaction import secrets_held, secrets_in
from . import tables
from .end_settings import EndSettings
from .files import read_toml
from .kinds import NONE_BY_NAME, StrategyKind
from .located import Located, exists
from .problems import Loc, Problem, describe
from .quantities import Count, Positive, Proportion, Switch
from .strategy_spec import StrategySpec

FILE_NAME = "earwitness.toml"
RECORDED = {"name", "settings"}
"""The keys of a plugin's settings in their recorded form."""
Table = TypeVar("Table", bound=BaseModel)
TEMPLATE_FIELD = lazy_pattern(r"(?<!\{)\{(\w+)\}(?!\})")
SAID_FIELDS = ("text", "speaker", "day", "learned")
FIELDS = {
    "told": (*SAID_FIELDS, "teller"),
    "passed_on": ("text", "type", "learned", "teller"),
    "seen": ("text", "type", "learned"),
    "noted": ("text", "type", "learned"),
    "before": ("text", "type"),
    "news": ("text", "day"),
    "unsayable": ("reason",),
}
"""Template → the fields it may hold; those of `SAID_FIELDS` for the others."""


class Recency(Record):
    """How much newer memories are preferred: `score · (1 - weight + weight · 0.5 ** (age / half_life))`."""

    weight: Proportion = 0.0
    """0 = age does not matter, 1 = it matters as much as everything else. With any weight, a recall considers up to
    1,024 of the best matches, so that new ones are found."""
    half_life: Positive = 7.0
    """Game days after which a memory has lost half of its advantage."""


class RecallSettings(Record):
    """START: what a recall asks for, and how much it returns."""

    recent: Annotated[int, Field(strict=True, ge=1, le=3)] = 3
    """Number of recent messages in the query: 1 to 3."""
    last: Annotated[int, Field(strict=True, ge=0, le=24)] | None = None
    """Number of last messages in your prompt, up to 24: `turn.prompt` adds them, and a recall leaves them out. `None` =
    those in the query."""
    memories: Count = 8
    """Maximum number of memories."""
    threshold: Proportion = 0.0
    """Memories with a lower score are left out."""
    recency: Recency = Recency()
    """How much newer memories are preferred."""
    diversity: Proportion = 0.0
    """0 = only relevance counts, 1 = memories differ as much as possible (maximal marginal relevance)."""
    token_budget: Count | None = 4_000
    """Maximum number of tokens in all memories together (about 4 characters each). Where they do not fit, those longer
    than their share of it are cut to excerpts around what was asked. `"none"` = no limit."""
    permanent: Literal["retrieve", "always"] = "retrieve"
    """Whether plot, cards, dialogue and lore are found like any memory, or always included."""
    wait: Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)] = 2.0
    """Seconds a recall waits for messages that are being settled. `turn.pending` lists those it did not wait for."""
    timeout: Positive = 3.0
    """Seconds the store has to answer. After that a recall uses recent ledger entries, and `turn.failures` says so."""

    @field_validator("token_budget", mode="before")
    @classmethod
    def _none_by_name(cls, given: object) -> object:
        return None if given == "none" else given


class SectionSettings(Record):
    """MIDDLE: how one section of a recall is put into a prompt."""

    heading: str | None = None
    """The line above the section; `None` = the heading of its read provider, `""` = none."""
    placeholder: str | None = Field(default=None, min_length=1)
    """Placeholder of its own; `None` = shown with the others. A prompt without that placeholder omits the section."""


class MemoryTemplates(Record):
    """MIDDLE: how one memory is worded in a prompt, by how the character came to know it.

    `{text}` is what is remembered, in one line. `{speaker}` said it on `{day}`; it was learned on `{learned}`, from
    `{teller}`. `{type}` is the kind of memory, such as `Lore`. `{{` and what follows it stay as they are.
    """

    said: str = "You, on {day}: {text}"
    """A message of the character's own."""
    heard: str = "{speaker}, on {day}: {text}"
    """A message that the character heard."""
    witnessed: str = "You witnessed: {speaker}, on {day}: {text}"
    """A message to others that the character witnessed."""
    told: str = "{teller} told you ({learned}): {speaker}, on {day}: {text}"
    """A message that somebody passed on."""
    passed_on: str = "{teller} told you ({learned}): {text}"
    """A fact, summary or note that somebody passed on."""
    seen: str = "You witnessed: {text}"
    """A fact, summary or note of what the character witnessed."""
    noted: str = "{type}: {text}"
    """A fact, summary or note of the character's own, or in a shared container."""
    before: str = "{type}: {text}"
    """Plot, card, example dialogue or lore."""
    news: str = "News of {day}: {text}"
    """News of the world, in a line below the message it came with."""
    unsayable: str = "(Not to be said here: {reason})"
    """The line below a memory that must not be said here."""

    @model_validator(mode="after")
    def _fields_are_known(self) -> Self:
        for name, template in self:
            required = "reason" if name == "unsayable" else "text"
            allowed = FIELDS.get(name, SAID_FIELDS)
            found = TEMPLATE_FIELD.findall(template)
            if wrong := next((each for each in found if each not in allowed), None):
                fields = ", ".join(f"{{{each}}}" for each in allowed)
                raise ValueError(f"{name} {template!r} holds {{{wrong}}}. Allowed: {fields}.")
            if required not in found:
                raise ValueError(f"{name} {template!r} lacks {{{required}}}.")
        return self


class FillSettings(Record):
    """MIDDLE: how memories are put into a prompt."""

    enabled: Switch = True
    """`False` removes the placeholder and puts nothing in its place."""
    style: Literal["readable", "stored"] = "readable"
    """`readable`: each memory in a line or two, by `templates`. `stored`: the text with all its sections, as stored."""
    format: Literal["numbered", "plain", "json"] = "numbered"
    """Format of the list of memories."""
    templates: MemoryTemplates = MemoryTemplates()
    """How one memory is worded: `[fill.templates]`."""
    template: str | None = None
    """Text around the memories, with `{memories}` in their place; `None` = just the memories."""
    placeholders: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    """Further placeholders besides `###SUPERMEMORY###`, such as `{{memories}}`."""
    heading: str = "### {heading}"
    """The line above each of several sections, with `{heading}` in place of its heading. A heading that begins with `#`
    or `*` stands as it is."""
    unsayable: Literal["mark", "leave_out"] = "mark"
    """Memories that must not be said here: `mark` puts `templates.unsayable` below each; `leave_out` omits them."""
    sections: dict[str, SectionSettings] = {}
    """Section name → its settings: `[fill.sections.pantheon]`. A character's own memories are in `memories`."""

    @field_validator("template")
    @classmethod
    def _has_a_place(cls, template: str | None) -> str | None:
        if template is not None and "{memories}" not in template:
            raise ValueError(f"template {template!r} lacks {{memories}}, the place for the memories.")
        return template

    @field_validator("heading")
    @classmethod
    def _is_a_line(cls, heading: str) -> str:
        if "{heading}" not in heading or heading.splitlines() != [heading]:
            raise ValueError(f"heading {heading!r} must be one line that holds {{heading}}, where the heading goes.")
        return heading

    @model_validator(mode="after")
    def _one_meaning_each(self) -> Self:
        every = [*PLACEHOLDERS, *self.placeholders, *self.own_placeholders.values()]
        if twice := next((each for each in every if every.count(each) > 1), None):
            raise ValueError(f"placeholder {twice!r} belongs to two sections. Give each section one of its own.")
        return self

    @property
    def own_placeholders(self) -> dict[str, str]:
        """Section name → placeholder, for the sections that have their own."""
        return {name: each.placeholder for name, each in self.sections.items() if each.placeholder is not None}


class Calendar(Record):
    """How game days are shown to people. Memories always say `GameDay: {number}`."""

    unit: str = Field(default="day", min_length=1)
    """Name of one game day, such as `day`, `night` or `session`."""

    def show(self, day: float) -> str:
        """`day 6`, `night 2.5`."""
        return f"{self.unit} {day_text(day)}"


class Settings(Record):
    """All settings of an Earwitness instance."""

    path: str | None = None
    """File of the embedded ledger and store. In a settings file it is relative to that file's folder."""
    ledger: StrategySpec = StrategySpec(name="sqlite")
    """Keeps the journal, the state and the plans of all stories."""
    store: StrategySpec = StrategySpec(name="sqlite")
    """Keeps and searches the memories."""
    embedder: StrategySpec | None = StrategySpec(name="static")
    """Turns texts into vectors, for stores that use them. With `"none"`, searches go by words only."""
    detector: StrategySpec | None = StrategySpec(name="rules")
    """Decides who perceives a message. With `"none"`: only the speaker and the host's `audience`."""
    world_agent: StrategySpec | None = StrategySpec(name="rules")
    """Proposes what the world tells each character. With `"none"`: nothing."""
    sharing_rules: tuple[StrategySpec, ...] = ()
    """Decide who else learns of a message, asked in this order."""
    guards: tuple[StrategySpec, ...] = ()
    """Withhold memories and deliveries. All guards are asked."""
    read_providers: tuple[StrategySpec, ...] = ()
    """Request reads of containers other than the character's own, in this order."""
    jobs: tuple[StrategySpec, ...] = ()
    """Do something for a story in the background, once something was said or changed, in this order."""
    observers: tuple[StrategySpec, ...] = ()
    """Are notified of each operation, how long it took, and how much was found."""
    plugins: tuple[str, ...] | None = None
    """Names of the plugins to load; `None` = all installed plugins."""
    block: tuple[str, ...] = ()
    """Names of plugins that are never loaded."""
    plugin_settings: dict[str, StrategySpec] = {}
    """Plugin name → keyword arguments of its factory: `[plugin_settings.chronicle]`."""
    recall: RecallSettings = RecallSettings()
    """Settings of START."""
    fill: FillSettings = FillSettings()
    """Settings of MIDDLE."""
    end: EndSettings = EndSettings()
    """Settings of END."""
    strict: Switch = False
    """Whether a failing plugin or strategy raises. Otherwise reports name it."""
    calendar: Calendar = Calendar()
    """How game days are displayed."""

    _file: Located | None = PrivateAttr(default=None)

    @field_validator("path")
    @classmethod
    def _is_a_name(cls, path: str | None) -> str | None:
        if path is not None and not path.strip():
            raise ValueError(f"path {path!r} names no file. Name one, such as 'stories.db', or leave it out.")
        return path

    @field_validator(*NONE_BY_NAME, mode="before")
    @classmethod
    def _none_by_name(cls, given: object) -> object:
        """`"none"`, or a table of that name alone."""
        if not isinstance(given, Mapping) or given.get("name") != "none":
            return None if given == "none" else given
        if settings := ", ".join(repr(key) for key in given if key != "name"):
            raise ValueError(f"'none' takes no settings. Leave out {settings}, or name another than 'none'.")
        return None

    @field_validator("plugin_settings", mode="before")
    @classmethod
    def _named(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        return {
            name: {"name": name, "settings": each} if isinstance(each, Mapping) and set(each) != RECORDED else each
            for name, each in given.items()
        }

    @classmethod
    def load(cls, path: str | Path = FILE_NAME) -> Settings:
        """Read a settings file. Raises `SettingsError`, which names the file, the line and what is allowed."""
        file = read_toml(path, SettingsError)
        settings = cls._checked(file.value, file)
        if settings.path is None:
            return settings
        return settings.model_copy(update={"path": str(Path(path).parent / settings.path)})

    @classmethod
    def of(cls, **values: Any) -> Settings:
        """Settings from code, with names, tables or records. Raises `SettingsError`, which says what is allowed."""
        return cls._checked(values, None)

    def changed(self, **values: Any) -> Settings:
        """A copy with some settings replaced, checked again. Raises `SettingsError`."""
        kept = {name: getattr(self, name) for name in self.model_fields_set}
        return self._checked({**kept, **values}, self._file)

    def recall_with(self, changes: Mapping[str, Any]) -> RecallSettings:
        """The settings of START, some of them replaced. Raises `SettingsError`."""
        return self.changed(recall={**dict(self.recall), **changes}).recall if changes else self.recall

    def fill_with(self, changes: Mapping[str, Any]) -> FillSettings:
        """The settings of MIDDLE, some of them replaced. Raises `SettingsError`."""
        return self.changed(fill={**dict(self.fill), **changes}).fill if changes else self.fill

    def table(self, model: type[Table]) -> Table:
        """The table that an installed package declares with this model, or the model's defaults if it is not set.

        Raises `SettingsError` if it is not set and the model has a field without a default.
        """
        found = next((each for _, each in self if type(each) is model), None)
        return tables.defaults(model) if found is None else found

    @property
    def table_secrets(self) -> tuple[str, ...]:
        """The secrets in tables that installed packages declare. Whatever receives these settings may quote them."""
        models = [each for each in self._declared() if isinstance(each, BaseModel)]
        return tuple(secret for each in models for secret in (*secrets_held(each), *secrets_in(each.model_dump())))

    def _declared(self) -> Iterator[object]:
        """The tables of installed packages that these settings contain."""
        return (value for name, value in self if name not in Settings.model_fields and value is not None)

    @property
    def folder(self) -> Path:
        """The folder in which relative paths begin: that of the settings file, else the current one."""
        return Path(self._file.path).parent if self._file else Path()

    def chosen(self, kind: StrategyKind) -> Sequence[StrategySpec]:
        """The strategies of this kind that these settings choose, and those that tables of packages bring."""
        found = getattr(self, str(kind.setting))
        if not kind.is_plural:
            brought = [] if kind.setting in self.model_fields_set else [*self._brought(str(kind.setting))]
            return [StrategySpec(name=each) for each in brought[:1]] or ([] if found is None else [found])
        there = {each.name for each in found}
        return (*found, *(StrategySpec(name=each) for each in self._brought(str(kind.setting)) if each not in there))

    def _brought(self, setting: str) -> Iterator[str]:
        """The strategies that declared tables bring along, by their class attribute `brings`."""
        for each in self._declared():
            brought = getattr(type(each), "brings", {}).get(setting, ())
            yield from (brought,) if isinstance(brought, str) else brought

    @classmethod
    def _checked(cls, values: Mapping[str, Any], file: Located | None) -> Settings:
        model = tables.extended(cls, values)
        try:
            return model.model_validate(tables.resolved_tables(model, Settings, values, file), context=file)
        except ValidationError as invalid:
            first = invalid.errors()[0]
            problems = file.problems(invalid, model) if file else [Problem(first["loc"], describe(first, model))]
        hinted = [tables.with_hint(each, model, values) for each in problems]
        raise file.refusal(hinted) if file else SettingsError(f"settings: {hinted[0].message}")

    def model_post_init(self, context: object, /) -> None:
        """Keep the file it came from, for later errors."""
        self._file = context if isinstance(context, Located) else None

    @contextmanager
    def at(self, *loc: str | int) -> Iterator[None]:
        """Errors of what was handed in say first where the setting at `loc` is, if it comes from a file."""
        try:
            yield
        except InputError as error:
            if self._file is None or not exists(self._file.value, loc):
                raise
            raise type(error)(str(self._file.error(loc, str(error)))) from error.__cause__

    def error(self, loc: Loc, message: str) -> InputError:
        """A `SettingsError` about the setting at `loc`, with file and line if it comes from a file."""
        return self._file.error(loc, message) if self._file else SettingsError(f"settings: {message}")
