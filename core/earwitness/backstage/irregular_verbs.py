"""Irregular verbs of English: past forms → base form, so that "did not steal" denies "stole". Frequent ones only."""

from __future__ import annotations

_VERBS = """
    arise arose arisen, awake awoke awoken, bear bore borne, beat beaten, become became, begin began begun, bend bent,
    bind bound, bite bit bitten, bleed bled, blow blew blown, break broke broken, bring brought, build built,
    burn burnt, buy bought, catch caught, choose chose chosen, come came, creep crept, deal dealt, dig dug,
    draw drew drawn, dream dreamt, drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed,
    feel felt, fight fought, find found, flee fled, fly flew flown, forbid forbade forbidden, forget forgot forgotten,
    forgive forgave forgiven, freeze froze frozen, give gave given, go went gone, grow grew grown, hang hung,
    hear heard, hide hid hidden, hold held, keep kept, kneel knelt, know knew known, lay laid, lead led, learn learnt,
    leave left, lend lent, lie lay lain, lose lost, make made, mean meant, meet met, pay paid, ride rode ridden,
    ring rang rung, rise rose risen, run ran, say said, see saw seen, seek sought, sell sold, send sent,
    shake shook shaken, shine shone, shoot shot, show shown, sing sang sung, sink sank sunk, sit sat,
    sleep slept, speak spoke spoken, spend spent, stand stood, steal stole stolen, stick stuck, strike struck,
    swear swore sworn, swim swam swum, take took taken, teach taught, tear tore torn, tell told, think thought,
    throw threw thrown, understand understood, wake woke woken, wear wore worn, weep wept, win won, write wrote written,
    bet bet, burst burst, cast cast, cost cost, cut cut, hit hit, hurt hurt, let let, put put, quit quit, set set,
    shed shed, shut shut, split split, spread spread
"""
BASE = {past: base for base, *forms in (each.split() for each in _VERBS.split(",")) for past in forms}
"""Past tense or participle → base form."""
BASES = frozenset(BASE.values())
"""The base forms."""
