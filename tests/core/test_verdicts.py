"""What one message says about a question: it says so, says the contrary, or neither."""

from __future__ import annotations

import pytest

from earwitness.backstage.verdicts import AskedQuestion

NAMES = {name: name for name in ("anna", "bert", "carl", "clara")}
SAYS = [
    ("Bert killed the mayor", "Dirk: Clara saw Bert kill the mayor."),
    ("Anna stole the ring", "Bert: Anna stole the ring. It is true."),
    ("Anna stole the ring", "Bert: Anna stole the ring, and that is the truth."),
    ("Anna stole the ring", "Bert: Anna stole the ring, and that's not a lie."),
    ("the ring is in the cellar or in the attic", "Bert: The ring is in the cellar or in the attic."),
    ("Anna has the ring", "Bert: Anna has the ring."),
    ("Anna has the ring", "Anna: I have the ring."),
    ("Anna has the ring", "Anna: I've got the ring."),
    ("Anna has the ring", "Bert: Anna has got the ring."),
    ("Who has the ring?", "Bert: Anna has the ring."),
    ("Who stole the ring?", "Bert: It was Carl who stole the ring."),
    ("Carl stole the ring", "Bert: It was Carl who stole the ring."),
    ("Who stole the ring?", "Bert: The ring was stolen by Carl."),
    ("Was the ring stolen?", "Bert: The ring was stolen."),
    ("Carl is the murderer", "Clara: The murderer is Carl."),
    ("Carl is the murderer", "Clara: Carl's the murderer."),
    ("Carl is the murderer", "Carl: I am the murderer."),
    ("Carl is the murderer", "Carl: I'm the murderer."),
    ("Carl is the murderer", "Clara: You are the murderer, Carl!"),
    ("Who is the murderer?", "Clara: Bert is the murderer."),
    ("Anna stole the ring", "Bert: Anna came in. She stole the ring."),
    ("Who stole the ring?", "Bert: Anna came in. She stole the ring."),
    ("Anna stole the ring", "Bert: I know that Anna stole the ring."),
    ("Anna stole the ring", "Bert: I want you to know that Anna stole the ring."),
    ("Anna stole the ring", "Bert: I think Anna stole the ring."),
    ("Anna stole the ring", "Bert: I am sure Anna stole the ring."),
    ("Anna stole the ring", "Anna: *takes the ring* Yes, I stole the ring!"),
    ("Anna stole the ring", "Anna: Yes. I stole it. The ring is mine now."),
    ("Anna stole the ring", "Bert: Anna stole the ring and sold it."),
    ("Anna sold the ring", "Bert: Anna stole the ring and sold it."),
    ("Anna stole the ring", "Bert: Anna has stolen a bracelet, a ring and two spoons."),
    ("Anna stole the ring", "Bert: Anna, who stole the ring, has fled."),
    ("Anna stole the ring", "Bert: You stole the ring, Anna!"),
    ("Anna stole the ring", "Bert: Because Anna stole the ring, we are lost."),
    ("Anna stole the ring", "Bert: When Anna stole the ring, I was asleep."),
    ("Anna stole the ring", "Bert: After Anna stole the ring, she fled."),
]
SAYS += [
    ("Anna stole the ring", "Bert: Let me tell you that Anna stole the ring."),
    ("Anna stole the ring", "Bert: Keep in mind that Anna stole the ring."),
    ("Anna killed Bert", "Clara: Carl and Anna killed Bert."),
    ("Bert is in the tower", "Clara: Bert is hiding in the tower."),
    ("Carl loves Clara", "Carl: I love you, Clara."),
]
DENIES = [
    ("Anna stole the ring", "Bert: Anna stole the ring, but it is not true."),
    ("Anna stole the ring", "Bert: Anna stole the ring. That is a lie."),
    ("Anna stole the ring", "Bert: They say Anna stole the ring, which is false."),
    ("Anna stole the ring", "Bert: Carl says Anna stole the ring, but he is wrong."),
    ("Anna stole the ring", "Bert: Carl says Anna stole the ring, but I don't believe him."),
    ("the ring is in the cellar", "Bert: The ring is not in the cellar or in the attic."),
    ("Carl stole the ring", "Bert: It wasn't Carl who stole the ring."),
    ("Anna stole the ring", "Bert: Anna denies that she stole the ring."),
]
NEITHER = [
    ("Clara saw Bert kill the mayor", "Dirk: Bert killed the mayor."),
    ("Did Clara see Bert kill the mayor?", "Dirk: Bert killed the mayor."),
    ("the ring is in the cellar", "Bert: The ring is in the cellar or in the attic."),
    ("the ring is in the cellar", "Bert: The ring is in the cellar or the attic."),
    ("the ring is in the cellar", "Bert: The ring is either in the attic or in the cellar."),
    ("Anna sold the ring", "Bert: Anna gave the ring to Carl."),
    ("Anna stole the ring", "Bert: Anna gave the ring to Carl."),
    ("Anna has the ring", "Bert: Anna gave the ring to Carl."),
    ("Anna has the ring", "Bert: Anna wants the ring."),
    ("Anna has the ring", "Bert: Anna lost the ring."),
    ("Anna has the ring", "Bert: Anna is looking for the ring."),
    ("Who has the ring?", "Bert: Anna wants the ring."),
    ("Anna stole the ring", "Bert: It was Carl who stole the ring."),
    ("Carl stole the ring", "Bert: The one who stole the ring was tall. Carl saw it."),
    ("Anna has the ring", "Bert: Give me the ring, Anna!"),
    ("Anna gave the ring to Bert", "Bert: Give me the ring, Anna!"),
    ("Anna stole the ring", "Bert: Stop Anna before she steals the ring!"),
    ("Anna stole the ring", "Bert: I hope Anna stole the ring."),
    ("Anna stole the ring", "Bert: I wish Anna had stolen the ring."),
    ("Anna stole the ring", "Bert: If Anna stole the ring, she is a fool."),
    ("Anna stole the ring", "Bert: We all feared that Anna had stolen the ring."),
    ("Who stole the ring?", "Bert: The ring was stolen."),
    ("Carl is the murderer", "Clara: Bert is the murderer."),
    ("Is Carl the murderer?", "Clara: You are the murderer, Bert!"),
    ("Is Carl the murderer?", "Clara: Bert is the murderer, not Carl."),
    ("Who is the murderer?", "Clara: Somebody here is the murderer."),
    ("Anna stole the ring", "Bert: Anna and Clara came in. She stole the ring."),
    ("Clara stole the ring", "Bert: Anna came in. She stole the ring."),
    ("Anna stole the ring", "Bert: She stole the ring."),
    ("Bert stole the ring", "Bert: She stole the ring."),
    ("Who stole the ring?", "Bert: She stole the ring."),
    ("Anna stole the ring", "Bert: Anna was accused of stealing the ring."),
    ("Anna stole the ring", "Bert: Anna tried to steal the ring."),
    ("Anna stole the ring", "Bert: Anna nearly stole the ring."),
    ("Anna stole the ring", "Bert: Anna's brother stole the ring."),
    ("Anna's brother stole the ring", "Bert: Anna stole the ring."),
    ("Anna stole the ring", "Bert: A friend of Anna stole the ring."),
    ("Anna stole the ring", "Bert: Whoever stole the ring, it was not Anna."),
    ("Anna stole the ring", "Bert: Had Anna stolen the ring, we would know."),
    ("Anna stole the ring", "Bert: Anna stole the necklace; the ring is safe."),
    ("Anna stole the ring", "Bert: Imagine Anna stealing the ring!"),
]
NEITHER += [
    ("Anna killed Bert", "Clara: Anna killed Bert's dog."),
    ("Anna killed Bert", "Clara: Anna helped Carl kill Bert."),
    ("Anna killed Bert", "Clara: Anna told me who killed Bert."),
    ("Anna killed Bert", "Clara: The man who killed Bert loves Anna."),
    ("Anna killed Bert", "Clara: Bert was killed while Anna slept."),
    ("Anna killed Bert", "Clara: They killed Bert. Poor Anna."),
    ("Anna killed Bert", "Clara: They killed Bert and Anna."),
    ("the door is locked", "Anna: See that the door is locked."),
    ("the door is locked", "Anna: Keep the door locked."),
    ("Bert is in the tower", "Anna: Bert is near the tower."),
    ("Bert is in the tower", "Anna: Carl is in the tower and Bert is in the garden."),
    ("Who has the key?", "Anna: Ask Bert who has the key."),
    ("Who has the key?", "Anna: Whoever has the key can open the gate."),
    ("Who killed Bert?", "Anna: They killed Bert."),
    ("Carl loves Clara", "Bert: Carl loves Clara's sister."),
]


def verdict(question: str, text: str) -> str:
    return AskedQuestion(question, NAMES).verdict(text, lambda _: True)


@pytest.mark.parametrize(("question", "text"), SAYS)
def test_a_message_says_what_was_asked(question: str, text: str) -> None:
    assert verdict(question, text) == "says"


@pytest.mark.parametrize(("question", "text"), DENIES)
def test_a_message_says_the_contrary_of_what_was_asked(question: str, text: str) -> None:
    assert verdict(question, text) == "denies"


@pytest.mark.parametrize(("question", "text"), NEITHER)
def test_a_message_says_neither(question: str, text: str) -> None:
    assert verdict(question, text) == "neither"
