"""The words that actions are read by: verbs with what they bring about, things, and what makes a sentence unsure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

Effect = Literal["acquired", "lost", "given", "deed"]
"""What a verb does: the actor has something, has it no more, or has given it away; or it is another deed."""


@dataclass(frozen=True, slots=True)
class Verb:
    """What is done."""

    past: str
    """In the past tense: `picked up`."""
    effect: Effect
    """What it brings about."""
    particle: str
    """The word that belongs to it, before or behind the object: `up`; may be empty."""
    plain: bool
    """It is said of things only. One takes a step, too; there the object must be known to be a thing."""


@dataclass(frozen=True, slots=True)
class VerbForm:
    """One form of a verb, and the subjects it goes with."""

    verb: Verb
    """The verb."""
    third: bool
    """`Bob picks`, `Bob picked`."""
    first: bool
    """`I pick`, `I picked`."""
    bare: bool
    """No subject, as in `*picks up the map*`; what could be a command does not."""


_SAID_OF_THINGS = """
pick picked acquired up
pocket pocketed acquired
put put lost down
set set lost down
lay laid lost down
hand handed given
"""
_SAID_OF_MORE = """
snatch snatched acquired
steal stole acquired
buy bought acquired
retrieve retrieved acquired
throw threw lost away
discard discarded lost
eat ate lost
drink drank lost
devour devoured lost
lend lent given
sell sold given
take took acquired
grab grabbed acquired
seize seized acquired
collect collected acquired
receive received acquired
accept accepted acquired
drop dropped lost
lose lost lost
give gave given
pass passed given
slip slipped given
return returned given
attack attacked deed
hit hit deed
strike struck deed
punch punched deed
kick kicked deed
slap slapped deed
stab stabbed deed
bite bit deed
push pushed deed
shove shoved deed
wound wounded deed
kill killed deed
poison poisoned deed
heal healed deed
bandage bandaged deed
rescue rescued deed
free freed deed
untie untied deed
capture captured deed
arrest arrested deed
kiss kissed deed
hug hugged deed
embrace embraced deed
betray betrayed deed
threaten threatened deed
curse cursed deed
bless blessed deed
break broke deed
smash smashed deed
burn burned deed
destroy destroyed deed
hide hid deed
bury buried deed
repair repaired deed
mend mended deed
sharpen sharpened deed
find found deed
"""


def _present(base: str) -> str:
    """`pick` → `picks`, `snatch` → `snatches`, `bury` → `buries`."""
    if base.endswith(("ch", "sh", "ss")):
        return f"{base}es"
    if base.endswith("y") and base[-2] not in "aeiou":
        return f"{base[:-1]}ies"
    return f"{base}s"


def _forms(table: str, *, plain: bool) -> Iterator[tuple[str, VerbForm]]:
    for row in filter(None, table.split("\n")):
        base, past, effect, *particle = row.split()
        verb = Verb(" ".join([past, *particle]), effect, "".join(particle), plain)  # type: ignore[arg-type]
        yield base, VerbForm(verb, third=False, first=True, bare=False)
        yield _present(base), VerbForm(verb, third=True, first=False, bare=True)
        yield past, VerbForm(verb, third=True, first=True, bare=past != base)


FORMS: Mapping[str, VerbForm] = dict([*_forms(_SAID_OF_MORE, plain=False), *_forms(_SAID_OF_THINGS, plain=True)])
"""A verb's form in small letters → what it says."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


UNSURE = _words("""
    ago almost always appear appeared appears attempt attempted attempts barely believe believed believes can cannot
    claim claimed claims consider considered considers could decide decided decides dream dreamed dreaming dreams dreamt
    earlier every failed fails formerly hardly hope hoped hopes if imagine imagined imagines imagining instead intend
    intended intends later may maybe might must nearly neither never no nobody none nor not nothing offered offers often
    once perhaps plan planned plans possibly pretend pretended pretending pretends previously probably recall recalled
    recalls refused refuses remember remembered remembering remembers seem seemed seems shall should sometimes soon
    suppose supposedly think thinking thinks thought tomorrow tried tries try unable unless usually want wanted wants
    whether will wish wished wishes without would yesterday
""")
"""One of these words in a sentence, and it is not sure that what it tells has happened, and just now."""

FICTION = _words("book film game legend memory movie painting picture play song story tale vision photo prophecy")
"""Whatever one of these introduces has not happened."""

UNREAL = _words("fictional fictitious imaginary imagined make-believe nonexistent non-existent pretend")
"""Nobody has a thing that is so."""

REPORTS = _words("says said asks asked tells told answers answered replies replied mutters muttered explains explained")
"""After one of these, only its own subject's doings are sure: `Bob says, and takes the map`."""

BREAKS_OFF = _words(
    "as while when who whom whose which that because before after until till since where though although so for how "
    "what why than"
)
"""What follows is another's doing, or a reason; only what stands before it is read."""

POSSESSIVES = _words("his her their its my our your")
DETERMINERS = _words("the a an this that these those some another") | POSSESSIVES
BOUNDARIES = _words("""
    about above across against along among amongst and around aside at away back behind below beneath beside between
    beyond but by down from in inside into near off on onto or out over past round then through to toward towards under
    underneath up upon with
""")
"""An object ends before one of these, and before any word that ends in `ly`."""

BODY = _words("""
    arm arms back cheek chest chin ear ears elbow face feet finger fingers foot hair hand hands head knee knees leg legs
    lip lips mouth neck nose shoulder shoulders stomach throat waist wrist wrists
""")
OTHER_VERBS = _words(
    "went came stood sat ran fell rose left knelt bent drew held saw got made said told spoke strode crept shook swung "
    "spun leapt passes crosses tosses kisses"
)
"""Forms that do not end as most do, and go on with what a subject does."""

NO_THINGS = BODY | _words("""
    ability accent act advice aim answer apology argument attention avenue babies baby bait balance bath battle bet bill
    bite blame bow boy boys break breakfast breath breaths bridge burden bus call captain case castle challenge chance
    chances charade child children city class cold command consciousness control conversation courage course cover crew
    crowd dare day deal defeat defences defense defenses dinner direction drag duke election ends enemies enemy evening
    everybody everyone exam eye eyes facade faith fate fight focus footing friday friend friends frown gate gaze girl
    girls glance glory grin grip guard guards habit heart herself hill himself hint hobby hope hostage house hug idea
    ideas inn interest invitation itself job keep kid kids king kiss lady land language last laugh law laws lead lecture
    lie lies life line lines load look looks loose lord lunch man matter men message mind minute minutes mission moment
    moments monday mood moon morning mountain nap nerve night nod noise notice oath offence offense offer one opinion
    order orders pace party path patience peek people permission person piece pieces pity place position practice
    pretence pretense pride prince princess promise push queen quest rebellion reply rest ride risk river road role
    rumor rumour saturday scent seat seats sense senses shake shot shots shove shower shrug side sides sigh sight signal
    sip sky slack smile smirk soldier soldiers somebody someone soul sound speech speed spirit stairs stance stand step
    steps stranger street strength subject sun sunday supper swig swing tab task tavern taxi temper test themselves
    thought thoughts throne thursday time times tone tongue topic tower town track trail train trial truth tuesday turn
    turning turns uprising victory village voice vow wager walk war wave way ways wednesday weight wink woman women word
    words
""")
"""What is taken, given or lost in words alone, and what is nobody's to have."""

THINGS = _words("""
    ale amulet apple apples armor armour arrow arrows artefact artifact axe backpack badge bag ball bandage bandages
    banner barrel basket battery beer bell belt berries berry blade blanket bomb bone bones book books boot boots bottle
    bottles bow bowl box bracelet branch bread brick bridle briefcase broom brush bucket bullet bullets cable cage cake
    camera candle candles cane cap card cards carrot cartridge chain chains chalice charm cheese chest chip chisel claw
    cloak clock cloth club coat coffee coin coins collar comb compass computer contract copper crate crossbow crowbar
    crown crystal cuffs cup dagger daggers deck deed device diamond diary dice die dish disk document documents doll
    dress drive drum dynamite egg eggs elixir emerald envelope feather feathers fiddle fish flag flashlight flask flower
    flowers flute fork fruit fuse gadget gem gems glass glove gloves glue goblet gold grenade guitar gun hammer harp hat
    helmet herb herbs hood hook horn hourglass idol ink jacket jewel jewels journal kettle key keys knife knives ladder
    lamp lantern laptop lead leash ledger lemon letter letters lever loaf lockpick lockpicks log lute mace machine
    manuscript map maps mask match matches mead meat medal medicine milk mirror money mug mushroom mushrooms nail nails
    necklace needle net note notes oil orange orb pack package page pages pan paper papers parcel passport pear pearl
    pearls pen pencil phone photo pick pickaxe pie pill pillow pills pistol plank plate pot potato potion potions pouch
    powder purse quill radio rag razor recorder reins relic rifle ring rings robe rock rope rose ruby rum saber sabre
    sack saddle satchel saw scarf screwdriver scroll scrolls seal seed seeds shackles shell shield shirt shoe shoes
    shovel silver skull soap soup spade spear sponge spoon spyglass staff stamp statue statuette stew stick stone stones
    string suitcase sword swords syringe tablet talisman tape tea telescope tent thread tiara ticket tickets tome tool
    tools tooth torch towel toy trophy trunk umbrella usb veil vial vials violin wallet wand watch water weapon weapons
    wheel whiskey whistle wine wire wrench
""")
"""Heads of objects that are things to have, hold or do something to."""
