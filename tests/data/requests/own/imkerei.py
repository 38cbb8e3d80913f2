"""Imkerei von Waltraud Kienzle: Völker, Ernte, Lager und Hofladen."""
from typing import Literal, Optional


def volk_anlegen(name: str, standort: Literal["Waldrand", "Obstwiese", "Dach"],
                 koenigin_jahr: Optional[int] = None) -> str:
    """Legt ein neues Bienenvolk an.

    Parameters
    ----------
    name : str
        Name des Volkes.
    standort : str
        Wo die Beute steht.
    koenigin_jahr : int
        Jahr, in dem die Königin geschlüpft ist.
    """
    return f"Volk {name} am Standort {standort}, Königin von {koenigin_jahr}"


def volk_zeigen(name: str, mit_verlauf: bool = False) -> str:
    """Zeigt die Stockkarte eines Volkes.

    Parameters
    ----------
    name : str
        Name des Volkes.
    mit_verlauf : bool
        Auch den Verlauf der letzten Jahre zeigen.
    """
    return f"Stockkarte {name}, Verlauf {mit_verlauf}"


def durchsicht_eintragen(volk: str, datum: str, sanftmut: Literal["sanft", "normal", "stechlustig"] = "normal",
                         koenigin_gesehen: bool = False) -> str:
    """Trägt eine Durchsicht in die Stockkarte ein.

    Parameters
    ----------
    volk : str
        Name des Volkes.
    datum : str
        Tag der Durchsicht.
    sanftmut : str
        Wie sich die Bienen benommen haben.
    koenigin_gesehen : bool
        Ob die Königin gesehen wurde.
    """
    return f"Durchsicht {volk} am {datum}: {sanftmut}, Königin gesehen {koenigin_gesehen}"


def behandlung_planen(voelker: list[str], mittel: Literal["Oxalsäure", "Ameisensäure", "Thymol"], datum: str) -> str:
    """Plant eine Behandlung gegen Milben.

    Parameters
    ----------
    voelker : list[str]
        Namen der Völker.
    mittel : str
        Womit behandelt wird.
    datum : str
        Tag der Behandlung.
    """
    return f"Behandlung von {', '.join(voelker)} mit {mittel} am {datum}"


def ernte_erfassen(sorte: str, kilo: float, wassergehalt: Optional[float] = None) -> str:
    """Erfasst eine Honigernte.

    Parameters
    ----------
    sorte : str
        Honigsorte.
    kilo : float
        Menge in Kilogramm.
    wassergehalt : float
        Wassergehalt in Prozent.
    """
    return f"Ernte {sorte}: {kilo} kg, Wasser {wassergehalt}"


def glas_berechnen(kilo: float, groesse: int = 500) -> str:
    """Berechnet, wie viele Gläser man für eine Menge Honig braucht.

    Parameters
    ----------
    kilo : float
        Menge in Kilogramm.
    groesse : int
        Füllmenge eines Glases in Gramm.
    """
    return f"Gläser zu {groesse} g für {kilo} kg"


def lager_bestand(sorte: Optional[str] = None) -> str:
    """Sagt, welcher Honig noch im Lager ist."""
    return f"Bestand {sorte or 'aller Sorten'}"


def honig_verkaufen(kunde: str, glaeser: int, sorte: str = "Sommertracht") -> str:
    """Bucht einen Verkauf von Honig.

    Parameters
    ----------
    kunde : str
        Wer kauft.
    glaeser : int
        Anzahl der Gläser.
    sorte : str
        Honigsorte.
    """
    return f"{glaeser} Gläser {sorte} an {kunde}"


def rechnung_senden(kunde: str, betrag: float, per_post: bool = False) -> str:
    """Schickt einem Kunden eine Rechnung.

    Parameters
    ----------
    kunde : str
        Wer die Rechnung bekommt.
    betrag : float
        Betrag in Euro.
    per_post : bool
        Mit der Post statt per Mail.
    """
    return f"Rechnung über {betrag} an {kunde}, Post {per_post}"


TOOLS = [volk_anlegen, volk_zeigen, durchsicht_eintragen, behandlung_planen, ernte_erfassen,
         glas_berechnen, lager_bestand, honig_verkaufen, rechnung_senden]

AGENTS = [
    {"name": "stockwart", "description": "Kümmert sich um die Völker, ihre Durchsicht und Behandlung.",
     "prefixes": ["volk_*", "durchsicht_*", "behandlung_*"]},
    {"name": "honigkammer", "description": "Weiß über Ernte, Gläser und Lager Bescheid.",
     "prefixes": ["ernte_*", "glas_*", "lager_*"]},
    {"name": "hofladen", "description": "Verkauft Honig und schreibt Rechnungen.",
     "prefixes": ["honig_*", "rechnung_*"]},
]

CONVERSATIONS = [
    # Deutsch
    {"id": "stockkarte-vertippt", "language": "de", "turns": [
        {"say": "zeig mri mal das Vollk Hilde", "calls": [["volk_zeigen", {"name": "Hilde"}]]},
        {"say": "mit Verlauf bitte", "calls": [["volk_zeigen", {"name": "Hilde", "mit_verlauf": True}]]},
        {"say": "jetzt Berta, ohne Verlauf", "calls": [["volk_zeigen", {"name": "Berta", "mit_verlauf": False}]]},
    ]},
    {"id": "neues-volk-schrittweise", "language": "de", "turns": [
        {"say": "leg ein neues Volk an", "asks": ["name", "standort"]},
        {"say": "Ottilie", "asks": ["standort"]},
        {"say": "kommt aufs Dach", "calls": [["volk_anlegen", {"name": "Ottilie", "standort": "Dach"}]]},
    ]},
    {"id": "durchsicht-nicht-gesehen", "language": "de", "turns": [
        {"say": "Durchsicht bei Frieda am 2026-04-18: stechlustig, Königin nicht gesehen",
         "calls": [["durchsicht_eintragen", {"volk": "Frieda", "datum": "2026-04-18", "sanftmut": "stechlustig",
                                             "koenigin_gesehen": False}]]},
    ]},
    {"id": "ernte-wie-code", "language": "de", "turns": [
        {"say": "ernte_erfassen(sorte=\"Akazie\", kilo=34.5, wassergehalt=17.2)",
         "calls": [["ernte_erfassen", {"sorte": "Akazie", "kilo": 34.5, "wassergehalt": 17.2}]]},
    ]},
    {"id": "behandlung-anderes-mittel", "language": "de", "turns": [
        {"say": "Bitte plane für Hilde, Berta und Frieda eine Behandlung mit Ameisensäure am 2026-08-02.",
         "calls": [["behandlung_planen", {"voelker": ["Hilde", "Berta", "Frieda"], "mittel": "Ameisensäure",
                                          "datum": "2026-08-02"}]]},
        {"say": "ach nein, lieber Thymol",
         "calls": [["behandlung_planen", {"voelker": ["Hilde", "Berta", "Frieda"], "mittel": "Thymol",
                                          "datum": "2026-08-02"}]]},
    ]},
    {"id": "wieviel-glaeser", "language": "de", "turns": [
        {"say": "wieviel gläser brauch ich für 60 kilo", "calls": [["glas_berechnen", {"kilo": 60.0}]]},
        {"say": "und wenn ich die mit 250 g nehme?", "calls": [["glas_berechnen", {"kilo": 60.0, "groesse": 250}]]},
    ]},
    {"id": "verkauf-benannt", "language": "de", "turns": [
        {"say": "Honig verkaufen. Gläser: 24. Sorte: Waldhonig. Kunde: Gasthof Adler",
         "calls": [["honig_verkaufen", {"kunde": "Gasthof Adler", "glaeser": 24, "sorte": "Waldhonig"}]]},
    ]},
    {"id": "lager-dann-sorte", "language": "de", "turns": [
        {"say": "Was haben wir noch im Lager?", "calls": [["lager_bestand", {}]]},
        {"say": "nur Raps", "calls": [["lager_bestand", {"sorte": "Raps"}]]},
    ]},
    {"id": "wer-schreibt-rechnungen", "language": "de", "turns": [
        {"say": "Wer von euch schreibt eigentlich die Rechnungen?", "calls": []},
        {"say": "Und was muss man bei rechnung_senden angeben?", "calls": []},
    ]},
    {"id": "wetter-und-italiener", "language": "de", "turns": [
        {"say": "Servus, heut stürmts wieder greislich", "calls": []},
        {"say": "Reservier mir für heut Abend einen Tisch beim Italiener", "calls": []},
    ]},
    {"id": "rechnung-betrag-fehlt", "language": "de", "turns": [
        {"say": "schick ne rechnung an Familie Öztürk", "asks": ["betrag"]},
        {"say": "38,50", "calls": [["rechnung_senden", {"kunde": "Familie Öztürk", "betrag": 38.5}]]},
    ]},
    {"id": "karte-und-bestand", "language": "de", "turns": [
        {"say": "Zeig mir die Stockkarte von Resi und danach den Bestand an Lindenhonig",
         "calls": [["volk_zeigen", {"name": "Resi"}], ["lager_bestand", {"sorte": "Lindenhonig"}]]},
    ]},
    # English
    {"id": "sold-jars", "language": "en", "turns": [
        {"say": "I sold 6 jars of Waldhonig to Nigel Frost",
         "calls": [["honig_verkaufen", {"kunde": "Nigel Frost", "glaeser": 6, "sorte": "Waldhonig"}]]},
    ]},
    {"id": "invoice-by-post", "language": "en", "turns": [
        {"say": "an invoice over 112.40 euros for Café Lumen, by post please",
         "calls": [["rechnung_senden", {"kunde": "Café Lumen", "betrag": 112.4, "per_post": True}]]},
        {"say": "wait, not by post",
         "calls": [["rechnung_senden", {"kunde": "Café Lumen", "betrag": 112.4, "per_post": False}]]},
    ]},
    {"id": "treat-with-acid", "language": "en", "turns": [
        {"say": "plan a treatment of Berta with Oxalsäure", "asks": ["datum"]},
        {"say": "on 2026-12-20 then",
         "calls": [["behandlung_planen", {"voelker": ["Berta"], "mittel": "Oxalsäure", "datum": "2026-12-20"}]]},
    ]},
    {"id": "queen-trivia", "language": "en", "turns": [
        {"say": "how long does a queen bee live, roughly?", "calls": []},
    ]},
    # Français
    {"id": "recolte-chataignier", "language": "fr", "turns": [
        {"say": "note une récolte de 18,4 kilos de Kastanie",
         "calls": [["ernte_erfassen", {"sorte": "Kastanie", "kilo": 18.4}]]},
        {"say": "teneur en eau 16,9",
         "calls": [["ernte_erfassen", {"sorte": "Kastanie", "kilo": 18.4, "wassergehalt": 16.9}]]},
    ]},
    {"id": "stock-acacia", "language": "fr", "turns": [
        {"say": "Que reste-t-il en stock comme Akazie ?", "calls": [["lager_bestand", {"sorte": "Akazie"}]]},
        {"say": "merci beaucoup, à bientôt !", "calls": []},
    ]},
    # Español
    {"id": "colonia-nueva", "language": "es", "turns": [
        {"say": "crea una colonia nueva llamada Carmen en Obstwiese, la reina es de 2024",
         "calls": [["volk_anlegen", {"name": "Carmen", "standort": "Obstwiese", "koenigin_jahr": 2024}]]},
    ]},
    # Nederlands
    {"id": "inspectie-koningin", "language": "nl", "turns": [
        {"say": "op 2026-05-30 volk Hilde geïnspecteerd, koningin gezien",
         "calls": [["durchsicht_eintragen", {"volk": "Hilde", "datum": "2026-05-30", "koenigin_gesehen": True}]]},
    ]},
    # Italiano
    {"id": "vendita-due-risposte", "language": "it", "turns": [
        {"say": "vorrei registrare una vendita di miele", "asks": ["kunde", "glaeser"]},
        {"say": "4 vasetti, cliente Lucia Ferrari",
         "calls": [["honig_verkaufen", {"kunde": "Lucia Ferrari", "glaeser": 4}]]},
    ]},
    # Polski
    {"id": "ile-sloikow", "language": "pl", "turns": [
        {"say": "ile słoików potrzeba na 25,5 kg miodu?", "calls": [["glas_berechnen", {"kilo": 25.5}]]},
    ]},
]
