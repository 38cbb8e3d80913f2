"""What a root is told about its way to hand work over, where the topology's own sections do not say it."""

from __future__ import annotations

from lango_nb.specs.topology import Control, PromptSection

_TEXTS: dict[str, str] = {
    "transfer": (
        "A request that needs a specialist is handed over with {control_tool}: agent_name takes the exact name. The"
        " specialist answers the user. Only the first hand-over of a reply counts. Agents: {agent_names}."
    ),
    "spawn": (
        "Work that needs a teammate is started with {control_tool}: agent takes the exact name, instruction has to"
        " stand alone. agent_wait collects a run by its agent_id, agent_stop cancels it. Runs that do not need each"
        " other are started in one reply. Teammates and agents: {agent_names}."
    ),
    "delegate": (
        "Work that needs another agent is given away with {control_tool}: agent_name takes the exact name, goal says"
        " what it has to reach. It sees nothing but goal and hints; its answer is the result of the call. Goals that do"
        " not need each other go into one reply and are worked on at the same time. A failed result is no answer: go"
        " another way or say what is missing. Agents: {agent_names}."
    ),
}


def control_sections(control: Control) -> tuple[PromptSection, ...]:
    """Return the section about a control; none for an agent that works alone.

    Examples
    --------
    >>> [section.id for section in control_sections("delegate")], control_sections("none")
    (['control'], ())
    """
    text = _TEXTS.get(control)
    if text is None:
        return ()
    return (PromptSection.model_construct(id="control", title="Handing Work Over", text=text, priority=520),)
