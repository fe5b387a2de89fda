"""How text is cut into tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earwitness_plugins.embedders.table import StaticTable
from earwitness_plugins.embedders.wordpiece import WordPiece, words


def tokens(wordpiece: WordPiece, table: StaticTable, text: str) -> list[str]:
    return [table.vocabulary[number] for number in wordpiece.ids(text)]


def test_a_sentence_is_cut_into_lower_cased_words_and_signs() -> None:
    assert " ".join(words('*whispers* "Don\'t go, Bob-2!"')) == """* whispers * " don ' t go , bob - 2 ! \""""


def test_accents_are_taken_off() -> None:
    assert words("Čárka ÉLAN naïve İstanbul") == ["carka", "elan", "naive", "istanbul"]
    assert words("cafe\u0301") == words("café") == ["cafe"]


def test_each_ideograph_is_a_word_and_kana_stay_together() -> None:
    assert words("龍の剣を探す") == ["龍", "の", "剣", "を", "探", "す"]
    assert words("聖剣") == ["聖", "剣"]
    assert words("ドラゴン") == ["トラコン"]


def test_an_emoji_never_swallows_the_word_it_touches() -> None:
    assert words("sword🗡️🗡️dragon") == ["sword", "🗡", "🗡", "dragon"]
    assert words("👩‍🚀hi👍🏽") == ["👩", "🚀", "hi", "👍", "🏽"]


def test_zero_width_and_control_characters_vanish_without_parting_a_word() -> None:
    assert words("sec\u200bret\ufeff s\u00adword\x00 \u202ehidden\x07") == ["secret", "sword", "hidden"]


def test_every_kind_of_blank_parts_words(wordpiece: WordPiece) -> None:
    assert wordpiece.ids("the\u00a0sacred\u2003\tsword\r\n\u3000now") == wordpiece.ids("the sacred sword now")


def test_lone_surrogates_and_private_characters_vanish() -> None:
    assert words("a\ud800b\ue000c") == ["abc"]


def test_a_rare_word_is_cut_greedily_into_its_longest_pieces(wordpiece: WordPiece, table: StaticTable) -> None:
    assert tokens(wordpiece, table, "unaffable earwitness") == ["una", "##ffa", "##ble", "ear", "##wi", "##tness"]


def test_nothing_is_cut_into_nothing(wordpiece: WordPiece) -> None:
    for empty in ("", "   \n\t", "\u200b\ufeff", "\x00"):
        assert wordpiece.ids(empty) == []


def test_a_word_of_more_than_a_hundred_letters_is_one_unknown(wordpiece: WordPiece) -> None:
    assert wordpiece.ids("a" * 101) == [wordpiece.unknown]
    assert wordpiece.ids("é" * 200_000) == [wordpiece.unknown]
    assert wordpiece.unknown not in wordpiece.ids("a" * 100)


def test_a_word_with_a_letter_outside_the_vocabulary_is_unknown(wordpiece: WordPiece) -> None:
    assert wordpiece.ids("swordꙮ dragon") == [wordpiece.unknown, *wordpiece.ids("dragon")]


def test_text_cannot_name_a_special_token(wordpiece: WordPiece, table: StaticTable) -> None:
    assert tokens(wordpiece, table, "[CLS] [SEP] [unk]") == [
        "[",
        "cl",
        "##s",
        "]",
        "[",
        "sep",
        "]",
        "[",
        "un",
        "##k",
        "]",
    ]


def test_a_cached_word_is_cut_as_it_was_at_first(table: StaticTable) -> None:
    wordpiece = WordPiece(table.vocabulary)
    first = wordpiece.ids("Unaffable, they said.")
    assert wordpiece.ids("Unaffable, they said.") == first


def test_what_is_remembered_of_cut_words_is_bounded(table: StaticTable) -> None:
    wordpiece = WordPiece(table.vocabulary)
    for start in range(0, 60_000, 1000):
        wordpiece.ids(" ".join(map(str, range(start, start + 1000))))
    wordpiece.ids("a-very-long-chunk-that-nobody-will-ever-write-a-second-time")
    assert 0 < len(wordpiece._known_chunks) <= 20_000
    assert max(map(len, wordpiece._known_chunks)) <= 32


@given(text=st.text())
def test_any_text_gives_known_ids_with_and_without_the_cache(
    text: str, wordpiece: WordPiece, table: StaticTable
) -> None:
    wordpiece._known_chunks.clear()
    ids = wordpiece.ids(text)
    assert wordpiece.ids(text) == ids
    assert all(0 <= number < len(table.vocabulary) for number in ids)


@pytest.mark.parametrize(
    "text",
    [
        'He drew the Sacred Sword (at last!) and cried: "For Évreux — now or never…".',
        "naïve façade, Dvořák's über-Œuvre; Σίσυφος ΆΝΘΡΩΠΟΙ; Привет, мир",
        "龍の剣 を 探す 한국어 हिन्दी",
        "state-of-the-art e-mail@example.com x_y a\u200bb <tag attr='1'> {{memories}} ###SUPERMEMORY###",
    ],
)
def test_ordinary_text_is_cut_as_the_reference_cuts_it(text: str, wordpiece: WordPiece, table: StaticTable) -> None:
    tokenizers = pytest.importorskip(
        "tokenizers", reason="the reference tokenizer is only installed to rebuild the table"
    )
    vocabulary = {token: number for number, token in enumerate(table.vocabulary)}
    reference = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token="[UNK]"))
    reference.normalizer = tokenizers.normalizers.BertNormalizer()
    reference.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    assert wordpiece.ids(text) == reference.encode(text).ids
