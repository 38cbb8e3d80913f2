"""Freezers, samples, shared instruments and orders of Dr. Adaeze Okonjo's yeast lab."""
from typing import Literal, Optional


def find_sample(text: str, freezer: Optional[Literal["north", "south", "tall"]] = None) -> str:
    """Look up where a sample is.

    Args:
        text: Label of the sample or part of it.
        freezer: Look only in this freezer.
    """
    return f"samples like {text} in {freezer or 'all freezers'}"


def store_sample(label: str, box: int, freezer: Literal["north", "south", "tall"] = "north",
                 tags: Optional[list[str]] = None) -> str:
    """Put a sample into a box of a freezer.

    Args:
        label: Label on the tube.
        box: Number of the box.
        freezer: Which freezer.
        tags: Words to find it by.
    """
    return f"stored {label} in box {box} of {freezer}, tags {tags}"


def discard_sample(label: str, reason: Optional[str] = None) -> str:
    """Throw a sample away.

    Args:
        label: Label on the tube.
        reason: Why it is thrown away.
    """
    return f"discarded {label}, reason {reason}"


def freezer_temperature(freezer: Literal["north", "south", "tall"]) -> str:
    """How cold a freezer is now."""
    return f"temperature of {freezer}"


def freezer_alarm(freezer: Literal["north", "south", "tall"], threshold: float, enabled: bool = True) -> str:
    """Set the alarm of a freezer.

    Args:
        freezer: Which freezer.
        threshold: Temperature in degrees Celsius above which it rings.
        enabled: Alarm on or off.
    """
    return f"alarm of {freezer} at {threshold}, enabled {enabled}"


def instrument_status(instrument: Literal["microscope", "centrifuge", "sequencer"], day: str) -> str:
    """Tell whether an instrument is free on a day."""
    return f"{instrument} on {day}"


def instrument_reserve(instrument: Literal["microscope", "centrifuge", "sequencer"], day: str,
                       hours: float = 1.0, training: bool = False) -> str:
    """Reserve an instrument.

    Args:
        instrument: Which one.
        day: The day.
        hours: For how many hours.
        training: With training by the technician.
    """
    return f"reserved {instrument} on {day} for {hours} h, training {training}"


def dilution_compute(stock: float, target: float, volume: float) -> str:
    """Compute a dilution.

    Args:
        stock: Concentration of the stock solution in mM.
        target: Wanted concentration in mM.
        volume: Final volume in microlitres.
    """
    return f"dilution from {stock} to {target} in {volume}"


def order_item(item: str, quantity: int = 1, supplier: Literal["Merkel", "Biodis", "Nordlab"] = "Biodis",
               rush: bool = False) -> str:
    """Order something from a supplier.

    Args:
        item: What to order.
        quantity: How many.
        supplier: From whom.
        rush: Express delivery.
    """
    return f"ordered {quantity} {item} from {supplier}, rush {rush}"


def order_list(status: Literal["open", "arrived", "all"] = "open") -> str:
    """List orders."""
    return f"orders: {status}"


TOOLS = [find_sample, store_sample, discard_sample, freezer_temperature, freezer_alarm,
         instrument_status, instrument_reserve, dilution_compute, order_item, order_list]

AGENTS = [
    {"name": "curator", "description": "Keeps the samples and watches the freezers.",
     "prefixes": ["find_*", "store_*", "discard_*", "freezer_*"]},
    {"name": "bench", "description": "Helps at the bench: instruments and calculations.",
     "prefixes": ["instrument_*", "dilution_*"]},
    {"name": "buyer", "description": "Orders what the lab needs.", "prefixes": ["order_*"]},
]

CONVERSATIONS = [
    # English
    {"id": "where-is-it", "language": "en", "turns": [
        {"say": "where's sample YK-118?", "calls": [["find_sample", {"text": "YK-118"}]]},
        {"say": "only look in the tall freezer", "calls": [["find_sample", {"text": "YK-118", "freezer": "tall"}]]},
    ]},
    {"id": "store-with-three-tags", "language": "en", "turns": [
        {"say": "Store YK-305 in box 12 of the south freezer, tags: glycerol, haploid and keep",
         "calls": [["store_sample", {"label": "YK-305", "box": 12, "freezer": "south",
                                     "tags": ["glycerol", "haploid", "keep"]}]]},
    ]},
    {"id": "how-cold", "language": "en", "turns": [
        {"say": "how cold is the tall one right now", "calls": [["freezer_temperature", {"freezer": "tall"}]]},
        {"say": "north as well?", "calls": [["freezer_temperature", {"freezer": "north"}]]},
    ]},
    {"id": "half-code", "language": "en", "turns": [
        {"say": "instrument_reserve sequencer 2026-09-03 hours=2.5",
         "calls": [["instrument_reserve", {"instrument": "sequencer", "day": "2026-09-03", "hours": 2.5}]]},
    ]},
    {"id": "dilution-in-pieces", "language": "en", "turns": [
        {"say": "Could you compute a dilution for me?", "asks": ["stock", "target", "volume"]},
        {"say": "stock: 50, target: 2", "asks": ["volume"]},
        {"say": "make it 200",
         "calls": [["dilution_compute", {"stock": 50.0, "target": 2.0, "volume": 200.0}]]},
    ]},
    {"id": "bin-it-and-order", "language": "en", "turns": [
        {"say": "throw YK-77 away, then order three petri dishes",
         "calls": [["discard_sample", {"label": "YK-77"}],
                   ["order_item", {"item": "petri dishes", "quantity": 3}]]},
    ]},
    {"id": "alarm-off-on", "language": "en", "turns": [
        {"say": "alarm for north: threshold -70, off",
         "calls": [["freezer_alarm", {"freezer": "north", "threshold": -70.0, "enabled": False}]]},
        {"say": "hmm, better switch it back on",
         "calls": [["freezer_alarm", {"freezer": "north", "threshold": -70.0, "enabled": True}]]},
    ]},
    {"id": "who-knows-microscope", "language": "en", "turns": [
        {"say": "which of you knows about the microscope?", "calls": []},
        {"say": "does order_item allow express delivery?", "calls": []},
    ]},
    {"id": "statistics-are-not-ours", "language": "en", "turns": [
        {"say": "explain p-values to me like I'm five", "calls": []},
        {"say": "lol fair enough", "calls": []},
    ]},
    {"id": "arrived-then-all", "language": "en", "turns": [
        {"say": "any orders that have arrived?", "calls": [["order_list", {"status": "arrived"}]]},
        {"say": "show all of them", "calls": [["order_list", {"status": "all"}]]},
    ]},
    {"id": "reserve-wrong-instrument", "language": "en", "turns": [
        {"say": "Reserve the centrifuge", "asks": ["day"]},
        {"say": "2026-10-21", "calls": [["instrument_reserve", {"instrument": "centrifuge", "day": "2026-10-21"}]]},
        {"say": "sorry, I meant the microscope",
         "calls": [["instrument_reserve", {"instrument": "microscope", "day": "2026-10-21"}]]},
        {"say": "for three hours, with training",
         "calls": [["instrument_reserve", {"instrument": "microscope", "day": "2026-10-21", "hours": 3.0,
                                           "training": True}]]},
    ]},
    {"id": "misspelt-rush-order", "language": "en", "turns": [
        {"say": "ordr 5 pippette tips form nordlab, rush",
         "calls": [["order_item", {"item": "pippette tips", "quantity": 5, "supplier": "Nordlab", "rush": True}]]},
    ]},
    # German
    {"id": "geraet-frei", "language": "de", "turns": [
        {"say": "Ist das Mikroskop am 2026-11-05 noch frei?",
         "calls": [["instrument_status", {"instrument": "microscope", "day": "2026-11-05"}]]},
        {"say": "und die Zentrifuge?",
         "calls": [["instrument_status", {"instrument": "centrifuge", "day": "2026-11-05"}]]},
    ]},
    {"id": "entsorgen-mit-grund", "language": "de", "turns": [
        {"say": "Probe YK-210 kann weg, Grund: abgelaufen",
         "calls": [["discard_sample", {"label": "YK-210", "reason": "abgelaufen"}]]},
    ]},
    {"id": "bestellen-nachgefragt", "language": "de", "turns": [
        {"say": "Ich möchte etwas bestellen", "asks": ["item"]},
        {"say": "Handschuhe, 20 Stück", "calls": [["order_item", {"item": "Handschuhe", "quantity": 20}]]},
    ]},
    {"id": "frage-dann-alarm", "language": "de", "turns": [
        {"say": "Was macht freezer_alarm eigentlich?", "calls": []},
        {"say": "Na gut, dann stell den Alarm vom Gefrierschrank south auf -65,5 Grad",
         "calls": [["freezer_alarm", {"freezer": "south", "threshold": -65.5}]]},
    ]},
    # French
    {"id": "dilution-complete", "language": "fr", "turns": [
        {"say": "calcule une dilution : solution mère à 10 mM, cible 0,5 mM, volume 1000 µl",
         "calls": [["dilution_compute", {"stock": 10.0, "target": 0.5, "volume": 1000.0}]]},
    ]},
    {"id": "ranger-boite-manquante", "language": "fr", "turns": [
        {"say": "Bonjour, pourriez-vous ranger l'échantillon YK-401 dans le congélateur tall ?", "asks": ["box"]},
        {"say": "boîte 7", "calls": [["store_sample", {"label": "YK-401", "box": 7, "freezer": "tall"}]]},
    ]},
    # Spanish
    {"id": "pedidos-abiertos", "language": "es", "turns": [
        {"say": "¿qué pedidos siguen abiertos?", "calls": [["order_list", {"status": "open"}]]},
        {"say": "gracias, eres un sol", "calls": []},
    ]},
    # Dutch
    {"id": "temperatuur-kort", "language": "nl", "turns": [
        {"say": "temperatuur vriezer south", "calls": [["freezer_temperature", {"freezer": "south"}]]},
    ]},
    # Italian
    {"id": "campione-e-temperatura", "language": "it", "turns": [
        {"say": "cerca il campione YK-19 nel congelatore north e poi dimmi la temperatura del congelatore tall",
         "calls": [["find_sample", {"text": "YK-19", "freezer": "north"}],
                   ["freezer_temperature", {"freezer": "tall"}]]},
    ]},
    # Polish
    {"id": "zamowienie-dostawca-najpierw", "language": "pl", "turns": [
        {"say": "z firmy Merkel zamów proszę PBS, 2 sztuki",
         "calls": [["order_item", {"item": "PBS", "quantity": 2, "supplier": "Merkel"}]]},
        {"say": "jednak cztery",
         "calls": [["order_item", {"item": "PBS", "quantity": 4, "supplier": "Merkel"}]]},
    ]},
]
