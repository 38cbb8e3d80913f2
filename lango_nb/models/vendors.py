"""The providers of live models: what each is called, which packages it needs, and which variables hold its key.

One table; keys, clients and the list of what is usable here all read it. Another provider is another row, with the two
functions of :mod:`lango_nb.models.clients` that reach it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec

from lango_nb.core.errors import SettingsError, UnknownNameError, shorten
from lango_nb.models import clients

DOOR = "pydantic_ai"
"""The package every provider is reached through."""


@dataclass(frozen=True)
class Vendor:
    """A provider of models."""

    name: str
    """What model names begin with: ``openai`` of ``openai:gpt-5``."""
    title: str
    example: str
    """One of its models."""
    extra: str
    """The extra of this package that brings what it needs."""
    module: str
    """The module of its own client."""
    open_client: clients.OpenClient
    make_model: clients.MakeModel
    secrets: tuple[tuple[str, ...], ...] = ()
    """Variables that hold its key: alternatives, of each of which all are needed. None for a server without keys."""
    further: tuple[str, ...] = ()
    """Variables that go with the key where they are set."""
    url_variable: str = ""
    """Variable with an address that takes the place of its own."""
    spellings: tuple[str, ...] = ()
    """Other names for it."""
    url: str = ""
    """Where it is, where nothing else is said; empty where its client knows. On this machine, by its number: so the
    server that was found there (:mod:`lango_nb.models.local_servers`) is the one that is asked."""
    start: str = ""
    """The line that starts it on this machine."""
    listing: tuple[str, str, str] = ("/v1/models", "data", "id")
    """Where a server on this machine lists its models: the path, what the list is called, and what names are."""
    speaks_openai: bool = False
    """Whether OpenAI's protocol is spoken there."""
    has_own_login: bool = False
    """Whether its client can find a login of its own, outside of variables."""
    has_short_call_ids: bool = False
    """Whether ids of calls are nine letters and digits there."""
    has_client_timeout: bool = False
    """Whether the time a request may take is a matter of its client, and is not sent along."""

    @cached_property
    def variables(self) -> str:
        """The variables of its key, as a sentence has them: ``A or B and C``."""
        return " or ".join(" and ".join(names) for names in self.secrets)

    @property
    def install(self) -> str:
        """The line that installs what it needs."""
        return f"pip install 'lango-nb[{self.extra}]'"

    @property
    def has_packages(self) -> bool:
        """Whether what it needs is installed; looked up, not imported."""
        return is_installed(DOOR) and is_installed(self.module)

    def check_packages(self, model: str) -> None:
        """Refuse a model whose packages are missing.

        Parameters
        ----------
        model : str
            What was asked for.

        Raises
        ------
        SettingsError
            Something is not installed.
        """
        if not self.has_packages:
            missing = DOOR if not is_installed(DOOR) else self.module
            raise SettingsError(f"model {model!r} needs the package {missing!r}: run {self.install}")


VENDORS: tuple[Vendor, ...] = (
    Vendor(
        "openai",
        "OpenAI",
        "gpt-6-luna",
        "openai",
        "openai",
        clients.openai,
        clients.openai_model,
        secrets=(("OPENAI_API_KEY",),),
        url_variable="OPENAI_BASE_URL",
        spellings=("openai-chat",),
        speaks_openai=True,
    ),
    Vendor(
        "anthropic",
        "Anthropic",
        "claude-sonnet-5-5",
        "anthropic",
        "anthropic",
        clients.anthropic,
        clients.anthropic_model,
        secrets=(("ANTHROPIC_API_KEY",),),
        url_variable="ANTHROPIC_BASE_URL",
    ),
    Vendor(
        "google",
        "Google Gemini",
        "gemini-3.8-flash",
        "google",
        "google.genai",
        clients.google,
        clients.google_model,
        secrets=(("GOOGLE_API_KEY",), ("GEMINI_API_KEY",)),
        url_variable="GOOGLE_GEMINI_BASE_URL",
        spellings=("google-gla", "gemini"),
    ),
    Vendor(
        "google-cloud",
        "Google Cloud",
        "gemini-3.8-flash",
        "google",
        "google.genai",
        clients.google_cloud,
        clients.google_model,
        secrets=(("GOOGLE_CLOUD_PROJECT",), ("GOOGLE_API_KEY",)),
        further=("GOOGLE_CLOUD_LOCATION",),
        url_variable="GOOGLE_VERTEX_BASE_URL",
        spellings=("google-vertex", "vertexai"),
    ),
    Vendor(
        "mistral",
        "Mistral",
        "mistral-large-latest",
        "mistral",
        "mistralai",
        clients.mistral,
        clients.mistral_model,
        secrets=(("MISTRAL_API_KEY",),),
        has_short_call_ids=True,
    ),
    Vendor(
        "groq",
        "Groq",
        "openai/gpt-oss-120b",
        "groq",
        "groq",
        clients.groq,
        clients.groq_model,
        secrets=(("GROQ_API_KEY",),),
        url_variable="GROQ_BASE_URL",
    ),
    Vendor(
        "bedrock",
        "Amazon Bedrock",
        "us.amazon.nova-lite-v1:0",
        "bedrock",
        "boto3",
        clients.bedrock,
        clients.bedrock_model,
        secrets=(("AWS_BEARER_TOKEN_BEDROCK",), ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), ("AWS_PROFILE",)),
        further=("AWS_SESSION_TOKEN", "AWS_DEFAULT_REGION", "AWS_REGION"),
        has_own_login=True,
        has_client_timeout=True,
    ),
    Vendor(
        "ollama",
        "Ollama",
        "qwen3",
        "openai",
        "openai",
        clients.ollama,
        clients.ollama_model,
        further=("OLLAMA_API_KEY",),
        url_variable="OLLAMA_BASE_URL",
        url="http://127.0.0.1:11434",
        start="ollama serve",
        listing=("/api/tags", "models", "name"),
        speaks_openai=True,
    ),
    Vendor(
        "lmstudio",
        "LM Studio",
        "qwen/qwen3-8b",
        "openai",
        "openai",
        clients.openai_compatible,
        clients.openai_chat_model,
        url_variable="LMSTUDIO_BASE_URL",
        spellings=("lm-studio",),
        url="http://127.0.0.1:1234",
        start="lms server start",
        speaks_openai=True,
    ),
    Vendor(
        "llamacpp",
        "llama.cpp",
        "MODEL",
        "openai",
        "openai",
        clients.openai_compatible,
        clients.openai_chat_model,
        url_variable="LLAMACPP_BASE_URL",
        spellings=("llama.cpp", "llama-cpp"),
        url="http://127.0.0.1:8080",
        start="llama-server -m FILE",
        speaks_openai=True,
    ),
    Vendor(
        "vllm",
        "vLLM",
        "Qwen/Qwen3-8B",
        "openai",
        "openai",
        clients.openai_compatible,
        clients.openai_chat_model,
        url_variable="VLLM_BASE_URL",
        url="http://127.0.0.1:8000",
        start="vllm serve MODEL",
        speaks_openai=True,
    ),
)
COMPATIBLE = Vendor(
    "openai_compatible",
    "OpenAI-compatible server",
    "MODEL",
    "openai",
    "openai",
    clients.openai_compatible,
    clients.openai_chat_model,
    speaks_openai=True,
)
"""Any other server that speaks OpenAI's protocol; it has a function of its own instead of a name."""

_BY_NAME = {name: vendor for vendor in VENDORS for name in (vendor.name, *vendor.spellings)}


def vendor_of(model: str) -> tuple[Vendor, str]:
    """Take the name of a live model apart.

    Parameters
    ----------
    model : str
        ``PROVIDER:MODEL``.

    Returns
    -------
    (Vendor, str)
        The provider, and its own name of the model.

    Raises
    ------
    SettingsError
        A part is missing, or it is the row of servers that have an address and no name.
    UnknownNameError
        There is no such provider.

    Examples
    --------
    >>> vendor_of("google-gla:gemini-2.5-flash")[0].name, vendor_of("bedrock:amazon.nova-lite-v1:0")[1]
    ('google', 'amazon.nova-lite-v1:0')
    """
    name, _, model_name = model.strip().partition(":")
    if not name or not model_name:
        raise SettingsError(f"model {model!r} names no provider and model; write both, openai:gpt-5 for instance")
    if name.replace("-", "_") == COMPATIBLE.name:
        wanted = shorten(" ".join(model_name.split()))
        raise SettingsError(
            f"model {shorten(model)!r} has no address; set models.baseUrl and take openai:{wanted}, "
            f"or pass openai_compatible(URL, {wanted!r})"
        )
    if name not in _BY_NAME:
        raise UnknownNameError("provider", name, [vendor.name for vendor in VENDORS])
    return _BY_NAME[name], model_name


def is_installed(module: str) -> bool:
    """Tell whether a module could be imported, without importing it.

    Parameters
    ----------
    module : str

    Returns
    -------
    bool
    """
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # a package above it is missing, or is half imported
        return False
