"""Ferry office of Marit Solheim, who runs two small boats between three islands."""
from typing import Literal, Optional


def crossing_list(origin: Literal["vestholm", "langskjaer", "torvik"], date: str, limit: int = 5) -> str:
    """List the crossings that leave a harbour on a day.

    Parameters
    ----------
    origin : str
        Harbour of departure.
    date : str
        Day of departure.
    limit : int
        How many departures to show at most.
    """
    return f"crossings from {origin} on {date}, at most {limit}"


def ticket_book(passenger: str, crossing: str, seats: int = 1, return_trip: bool = False) -> str:
    """Book a ticket for a crossing.

    Parameters
    ----------
    passenger : str
        Name of the passenger.
    crossing : str
        Code of the crossing, such as V03.
    seats : int
        Number of seats.
    return_trip : bool
        Whether the way back is booked too.
    """
    return f"ticket for {passenger} on {crossing}, seats {seats}, return {return_trip}"


def ticket_cancel(ticket: str, refund: bool = True) -> str:
    """Cancel a ticket.

    Parameters
    ----------
    ticket : str
        Number of the ticket, such as T-1001.
    refund : bool
        Whether the money is paid back.
    """
    return f"cancelled {ticket}, refund {refund}"


def vehicle_add(ticket: str, plate: str, length_m: float,
                kind: Literal["car", "van", "motorbike", "bicycle"] = "car") -> str:
    """Add a vehicle to a ticket.

    Parameters
    ----------
    ticket : str
        Number of the ticket.
    plate : str
        Number plate.
    length_m : float
        Length in metres.
    kind : str
    """
    return f"{kind} {plate} of {length_m} m added to {ticket}"


def price_quote(seats: int, kind: Literal["adult", "child", "senior"] = "adult", pets: Optional[int] = None) -> str:
    """Say what a crossing costs."""
    return f"price for {seats} {kind}, pets {pets}"


def weather_report(place: str, unit: Literal["knots", "ms"] = "knots") -> str:
    """Wind and weather at a harbour.

    Parameters
    ----------
    place : str
        Where.
    unit : str
        Unit of the wind speed, knots or metres per second (ms).
    """
    return f"weather at {place} in {unit}"


def send_notice(text: str, channel: Literal["sms", "email", "board"] = "board", urgent: bool = False) -> str:
    """Publish a notice to the passengers.

    Parameters
    ----------
    text : str
        What the notice says.
    channel : str
        By text message, by mail or on the board in the harbour.
    urgent : bool
        Marks it as urgent.
    """
    return f"notice by {channel}, urgent {urgent}: {text}"


def crew_assign(boat: Literal["Alke", "Teist"], names: list[str], captain: Optional[str] = None) -> str:
    """Put people on a boat.

    Parameters
    ----------
    boat : str
        The boat.
    names : list[str]
        Names of the people on board.
    captain : str
        Who is in command.
    """
    return f"crew of {boat}: {', '.join(names)}, captain {captain}"


def crew_hours(name: str, week: Optional[int] = None) -> str:
    """Working hours of one member of the crew."""
    return f"hours of {name} in week {week}"


def log_fuel(boat: Literal["Alke", "Teist"], litres: float) -> str:
    """Write down how much fuel a boat took."""
    return f"{boat} took {litres} litres"


TOOLS = [crossing_list, ticket_book, ticket_cancel, vehicle_add, price_quote,
         weather_report, send_notice, crew_assign, crew_hours, log_fuel]

AGENTS = [
    {"name": "counter", "description": "Sells tickets and knows crossings, vehicles and prices.",
     "prefixes": ["crossing_*", "ticket_*", "vehicle_*", "price_*"]},
    {"name": "bosun", "description": "Looks after the crew, the boats and their fuel.",
     "prefixes": ["crew_*", "log_*"]},
    {"name": "harbour", "description": "Watches the weather and informs the passengers.",
     "prefixes": ["weather_*", "send_*"]},
]

CONVERSATIONS = [
    # English
    {"id": "departures-then-fewer", "language": "en", "turns": [
        {"say": "which boats leave Torvik on 2026-05-17?",
         "calls": [["crossing_list", {"origin": "torvik", "date": "2026-05-17"}]]},
        {"say": "just the first two please",
         "calls": [["crossing_list", {"origin": "torvik", "date": "2026-05-17", "limit": 2}]]},
    ]},
    {"id": "book-two-answers-at-once", "language": "en", "turns": [
        {"say": "I need to book a ticket", "asks": ["passenger", "crossing"]},
        {"say": "Jonas Berg, crossing V14",
         "calls": [["ticket_book", {"passenger": "Jonas Berg", "crossing": "V14"}]]},
    ]},
    {"id": "vehicle-one-after-the-other", "language": "en", "turns": [
        {"say": "add a vehicle to ticket T-2209", "asks": ["plate", "length_m"]},
        {"say": "plate is EL48213", "asks": ["length_m"]},
        {"say": "4.6",
         "calls": [["vehicle_add", {"ticket": "T-2209", "plate": "EL48213", "length_m": 4.6}]]},
    ]},
    {"id": "typed-like-code", "language": "en", "turns": [
        {"say": "crew_hours name=Ingrid week=23", "calls": [["crew_hours", {"name": "Ingrid", "week": 23}]]},
    ]},
    {"id": "other-boat-and-captain", "language": "en", "turns": [
        {"say": "put Ola and Siri on the Alke",
         "calls": [["crew_assign", {"boat": "Alke", "names": ["Ola", "Siri"]}]]},
        {"say": "no, on the Teist",
         "calls": [["crew_assign", {"boat": "Teist", "names": ["Ola", "Siri"]}]]},
        {"say": "with Siri as captain",
         "calls": [["crew_assign", {"boat": "Teist", "names": ["Ola", "Siri"], "captain": "Siri"}]]},
    ]},
    {"id": "wind-and-price", "language": "en", "turns": [
        {"say": "what's the weather like at Torvik and how much is it for 3 children?",
         "calls": [["weather_report", {"place": "Torvik"}], ["price_quote", {"seats": 3, "kind": "child"}]]},
    ]},
    {"id": "cancel-without-and-with-refund", "language": "en", "turns": [
        {"say": "cancel T-3117, no refund", "calls": [["ticket_cancel", {"ticket": "T-3117", "refund": False}]]},
        {"say": "and T-3118 too, but that one with a refund",
         "calls": [["ticket_cancel", {"ticket": "T-3118", "refund": True}]]},
    ]},
    {"id": "who-cancels", "language": "en", "turns": [
        {"say": "who can cancel tickets?", "calls": []},
        {"say": "what does vehicle_add need to know?", "calls": []},
    ]},
    {"id": "chat-pizza-then-wind", "language": "en", "turns": [
        {"say": "morning! rough night out there, wasn't it", "calls": []},
        {"say": "can you get me a pizza with extra cheese", "calls": []},
        {"say": "ok never mind, weather report for Langskjaer in ms then",
         "calls": [["weather_report", {"place": "Langskjaer", "unit": "ms"}]]},
    ]},
    {"id": "misspelt-weather", "language": "en", "turns": [
        {"say": "pleas lok up teh wether for vestholm", "calls": [["weather_report", {"place": "vestholm"}]]},
    ]},
    {"id": "long-and-polite", "language": "en", "turns": [
        {"say": "Good afternoon, my name is Harriet Dunmore and I would be ever so grateful if you could "
                "book four seats for me on crossing L07, as a return trip if that is not too much trouble.",
         "calls": [["ticket_book", {"passenger": "Harriet Dunmore", "crossing": "L07", "seats": 4,
                                    "return_trip": True}]]},
    ]},
    {"id": "fuel-named-then-bare", "language": "en", "turns": [
        {"say": "log fuel - boat: Alke, litres: 182.5", "calls": [["log_fuel", {"boat": "Alke", "litres": 182.5}]]},
        {"say": "Teist 90", "calls": [["log_fuel", {"boat": "Teist", "litres": 90.0}]]},
    ]},
    # German
    {"id": "preis-senioren-hund", "language": "de", "turns": [
        {"say": "Was kostet die Überfahrt für zwei Senioren mit einem Haustier?",
         "calls": [["price_quote", {"seats": 2, "kind": "senior", "pets": 1}]]},
        {"say": "und für Erwachsene?", "calls": [["price_quote", {"seats": 2, "kind": "adult"}]]},
    ]},
    {"id": "eilige-sms", "language": "de", "turns": [
        {"say": "Schick eine dringende SMS an die Fahrgäste: \"Abfahrt um 14 Uhr fällt aus\"",
         "calls": [["send_notice", {"text": "Abfahrt um 14 Uhr fällt aus", "channel": "sms", "urgent": True}]]},
    ]},
    {"id": "wer-fuer-mannschaft", "language": "de", "turns": [
        {"say": "Wer kümmert sich hier um die Mannschaft?", "calls": []},
        {"say": "danke dir, schönen Feierabend", "calls": []},
    ]},
    {"id": "storno-nachfrage", "language": "de", "turns": [
        {"say": "Ich muss leider mein Ticket stornieren.", "asks": ["ticket"]},
        {"say": "Moment ... das ist die T-4410", "calls": [["ticket_cancel", {"ticket": "T-4410"}]]},
    ]},
    # French
    {"id": "departs-autre-port", "language": "fr", "turns": [
        {"say": "Quels bateaux partent de Vestholm le 2026-07-14 ?",
         "calls": [["crossing_list", {"origin": "vestholm", "date": "2026-07-14"}]]},
        {"say": "et de Langskjaer ?",
         "calls": [["crossing_list", {"origin": "langskjaer", "date": "2026-07-14"}]]},
    ]},
    {"id": "heures-semaine", "language": "fr", "turns": [
        {"say": "Combien d'heures Knut a-t-il travaillé la semaine 31 ?",
         "calls": [["crew_hours", {"name": "Knut", "week": 31}]]},
    ]},
    # Spanish
    {"id": "furgoneta-todo-junto", "language": "es", "turns": [
        {"say": "añade una furgoneta de 5,8 metros con matrícula 4821KLM al billete T-5002",
         "calls": [["vehicle_add", {"ticket": "T-5002", "plate": "4821KLM", "length_m": 5.8, "kind": "van"}]]},
    ]},
    # Dutch
    {"id": "plaatsen-toch-drie", "language": "nl", "turns": [
        {"say": "Boek twee plaatsen op overtocht V22 voor Pieter de Wit",
         "calls": [["ticket_book", {"passenger": "Pieter de Wit", "crossing": "V22", "seats": 2}]]},
        {"say": "toch maar drie",
         "calls": [["ticket_book", {"passenger": "Pieter de Wit", "crossing": "V22", "seats": 3}]]},
    ]},
    # Italian
    {"id": "avviso-testo-mancante", "language": "it", "turns": [
        {"say": "pubblica un avviso per i passeggeri", "asks": ["text"]},
        {"say": "Il bar di bordo resta chiuso domenica",
         "calls": [["send_notice", {"text": "Il bar di bordo resta chiuso domenica"}]]},
    ]},
    # Polish
    {"id": "paliwo-litry", "language": "pl", "turns": [
        {"say": "Zapisz 75 litrów paliwa dla łodzi Teist", "calls": [["log_fuel", {"boat": "Teist", "litres": 75.0}]]},
    ]},
]
