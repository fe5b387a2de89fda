"""Role-play texts put together at random, of which every word that is only thought is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random

SECRET = "zq"
"""What every word begins with that is only thought."""
CAST = ("alice", "bob", "charlie", "dana")
_NAMED = ("Bob", "Charlie", "Dana", "bob", "Bob and Charlie")
_UNKNOWN = ("the medic", "Zorro", "his sleeve", "whoever is there", "the one she trusts", "nobody")
_OPEN = (
    '"Good evening, Bob."',
    "Hello there.",
    '"We leave at dawn," she says.',
    '"Nine," he said, and sat down.',
    "*smiles*",
    "*picks up the lamp and turns*",
    "(softly) Come in.",
    "“What a night!”",
    "Alice nods.",
    "I *really* mean it.",
    "(coughs)",
    "We agreed on Tuesday.",
    "I think so too.",
    '"I thought you were dead!"',
    "*looks at **all** of them*",
    "_waves_",
    "'Well, well,' she says.",
    "(aloud) Here I am!",
    '*turns to all* "Supper!"',
    "Hm...",
    ":)",
)
_OUT_OF_CHARACTER = ("((brb, dinner))", "(OOC: sorry, late)", "[OOC: same here]")
_STRAY = ('"', "*", "(", ")", "[", "]", "_", "“", "”", "((", "))", "~", "'", "**", "{", "}", "`", "<", ">", "«")


@dataclass
class Generator:
    """Draws texts; the same seed draws the same ones."""

    random: Random
    count: int = field(default=0)

    def texts(self, number: int) -> Iterator[str]:
        """So many texts, each of a few parts, one of them a thought at least."""
        return (self._text() for _ in range(number))

    def _text(self) -> str:
        parts = [self._thought() for _ in range(self.random.choice((1, 1, 2)))]
        others = (self._open, self._open, self._whisper, self._out_of_character)
        parts += [self.random.choice(others)() for _ in range(self.random.randrange(4))]
        self.random.shuffle(parts)
        if self.random.random() < 0.25:
            parts.insert(self.random.randrange(len(parts) + 1), self.random.choice(_STRAY))
        return "".join(f"{part}{self.random.choice((' ', ' ', ' ', chr(10), chr(10) * 2))}" for part in parts).strip()

    def _open(self) -> str:
        return self.random.choice(_OPEN)

    def _out_of_character(self) -> str:
        return self.random.choice(_OUT_OF_CHARACTER)

    def _whisper(self) -> str:
        to = self.random.choice(_NAMED + _UNKNOWN)
        return self.random.choice(
            (
                f'*whispers to {to}* "Stay."',
                f"(to {to}) Check him.",
                "(whispers) Stay.",
                "*whispers* Now.",
                f"(To {to}) Run!",
                f'"Run!" she whispers to {to}.',
                "(under her breath) Fool.",
                f"(aside to {to}) Look.",
                f"(quietly, to {to}) Yes.",
                f'*leans to {to}\'s ear* "Psst."',
                f"[to {to}] Go.",
                "*whispers back* Thank you.",
                "(mutters to himself) Bah.",
            ),
        )

    def _words(self, least: int = 1, most: int = 5) -> str:
        """Thought words, the first in a capital or not, with other words among them."""
        filler = ("he", "must", "not", "know", "that", "we", "the", "sword", "never")
        words = []
        for _ in range(self.random.randint(least, most)):
            self.count += 1
            words += [f"{SECRET}{self.count}", *self.random.sample(filler, self.random.randrange(3))]
        return " ".join(words)

    def _nested(self) -> str:
        """Thought words with marks among them, balanced."""
        a, b, c = self._words(), self._words(), self._words()
        return self.random.choice(
            (
                a,
                a,
                a,
                f'{a} "{b}" {c}',
                f"{a} ({b}) {c}",
                f"{a} *{self._words(1, 1)}* {c}",
                f"{a} [{b}] {c}",
                f"{a}. {b}! {c}",
                f"{a} (whispers) {b}",
                f"{a} _{self._words(1, 1)}_ {c}",
                f'"{a}," he said, "{b}"',
                f"{a}\n{b}",
                f"{a} [{b} [{c}]]",
            ),
        )

    def _thought(self) -> str:
        kinds: tuple[Callable[[], str], ...] = (
            self._bracketed,
            self._bracketed,
            self._starred,
            self._italic,
            self._told,
            self._told,
            self._quoted,
            self._labelled,
            self._tagged_markup,
            self._within,
            self._foreign,
            self._untold,
            self._for_nobody,
        )
        return self.random.choice(kinds)()

    def _foreign(self) -> str:
        """Thoughts by words of other languages, each in marks of its own."""
        words = self._words(2)
        return self.random.choice(
            (
                f"*denkt: {words}.*",
                f"*piensa: {words}*",
                f"*pense : {words}.*",
                f"*pensa: {words}*",
                f"*думает: {words}.*",
                f"\uff08心の声\uff1a{words}\uff09",
                f"\uff08心想\uff1a{words}\uff09",
                f"*Hoffentlich {words} sie es nicht.*",
                f"*Ojalá {words} no lo vea.*",
                f"*Pourvu qu'il {words} pas.*",
            ),
        )

    def _untold(self) -> str:
        """What is read for oneself, and secret deeds, marked as deeds."""
        words = self._words(2)
        return self.random.choice(
            (
                f"*hides the {words} behind her back*",
                f"*secretly pockets the {words}*",
                f"*reads the {words} over Bob's shoulder*",
                f"*pockets the {words} while nobody is looking*",
                f"*writes in her diary: {words}*",
            ),
        )

    def _for_nobody(self) -> str:
        """Talk out of character in many marks."""
        words = self._words(2)
        return self.random.choice(
            (
                f"(({words}))",
                f"{{{{{words}}}}}",
                f"[[{words}]]",
                f"\n// {words}\n",
                f"(OOC: {words})",
                f"(HRP : {words})",
                f"<OOC> {words} </OOC>",
                f"\nooc: {words}\n",
            ),
        )

    def _bracketed(self) -> str:
        inner = self._nested()
        return self.random.choice(
            (
                f"[{inner}]",
                f"[{inner}]",
                f"[{inner}.]",
                f"[thinks: {inner}]",
                f"([{inner}])",
                f"*[{inner}]*",
                f"[{inner.capitalize()}!]",
            )
        )

    def _starred(self) -> str:
        first, rest = self._words().capitalize(), self._words()
        return self.random.choice(
            (
                f"*{first}, she thinks.*",
                f"*{first}. {rest}, he thought*",
                f"*thinks: {rest}*",
                f"*thinks that {rest}*",
                f"*{first}! thinks Alice*",
                f"*{first}, Alice thinks, {rest}.*",
                f"*wonders whether {rest}*",
                f"*smiles, thinking {rest}*",
                f"*looks away and thinks {rest}*",
                f"*{first} *really* {rest}, she thinks.*",
                f"*I can't {rest}.*",
                f"*Why {rest}?*",
            ),
        )

    def _italic(self) -> str:
        words = self._words(3).capitalize()
        return self.random.choice(
            (
                f"_{words},_ she thinks.",
                f"_{words}!_ thought Alice.",
                f"_{words}._",
                f"__{words}?__",
                f"<i>{words}</i> she thought.",
                f"*{words},* she thought.",
                f"_{words}_, she thinks, _{self._words(2)}_.",
            ),
        )

    def _told(self) -> str:
        first, rest = self._words(2).capitalize(), self._words(2)
        return self.random.choice(
            (
                f"{first}, she thought.",
                f"{first}! thought Alice.",
                f"{first}, she thought; {rest}.",
                f"{first}, Alice told herself.",
                f"{first}, she thought, {rest}.",
                f"{first}. {rest.capitalize()}, he thought.",
                f"{first}, thinks Alice.",
                f"Alice wondered whether {rest}.",
                f"Alice thought that {rest}.",
                f"Alice smiled, thinking {rest}.",
                f"{first}? she wondered. ",
                f"Alice nods and thinks: {rest}.",
                f"{first} *so* {rest}, she thought.",
            ),
        )

    def _quoted(self) -> str:
        first, rest = self._words(2).capitalize(), self._words(2)
        return self.random.choice(
            (
                f'"{first}," she thought.',
                f'"{first}!" thought Alice.',
                f'"{first}," she thought, "{rest}."',
                f"“{first},” she said to herself.",
                f"'{first},' she thought.",
                f'*thinks* "{first}."',
                f'"{first}" *she thinks*',
            ),
        )

    def _labelled(self) -> str:
        words = self._words(2)
        return "\n" + self.random.choice(
            (
                f"Thought: {words}.\n",
                f"**Thoughts:** {words}.\n",
                f"Inner monologue: {words}\n",
                f"(Thought: {words})",
                f"{{{words}}}",
                f"(thinking) {words.capitalize()}. (aloud)",
                f"💭 {words}\n",
                f"(thinks: {words})",
                f"[thinking] {words}. (aloud)",
            ),
        )

    def _tagged_markup(self) -> str:
        words = self._nested()
        return self.random.choice(
            (
                f"<think>{words}</think>",
                f"<thought>{words}</thought>",
                f"<inner>{words}</inner>",
                f"<Thinking a='b'>{words}</Thinking>",
                f"&lt;think&gt;{words}&lt;/think&gt;",
            ),
        )

    def _within(self) -> str:
        words = self._nested().replace('"', "")
        return self.random.choice(
            (
                f'"Hello [{words}] there."',
                f"*smiles [{words}] warmly*",
                f"Hello [{words}] there.",
                f"(nods [{words}] slowly)",
                f'"[{words}] Good morning!"',
                f"*whispers to Bob [{words}] now*",
            ),
        )
