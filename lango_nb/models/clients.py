"""How pydantic-ai reaches each provider: its client, and its model on that client.

The rows of :data:`~lango_nb.models.vendors.VENDORS` name these functions. Nothing of pydantic-ai loads before one is
called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from pydantic_ai.models import Model as SdkModel
    from pydantic_ai.providers import Provider

NO_KEY = "no-key"
"""Sent to servers that want none: their clients insist on one."""


@dataclass(frozen=True, slots=True)
class Access:
    """What a client is opened with."""

    url: str | None
    """A server that takes the place of the provider's own."""
    key: str | None
    reveal: Callable[..., str | None]
    """Returns the first of some variables that is set."""
    timeout_s: float


OpenClient: TypeAlias = "Callable[[Access], Provider[Any]]"
MakeModel: TypeAlias = "Callable[[str, Provider[Any], str | None], SdkModel]"
"""Takes the provider's own name of the model, the client, and the server that takes the place of the provider's own."""


def openai(access: Access) -> Provider[Any]:
    """Open a client of OpenAI, or of a server that speaks its protocol."""
    if access.url is not None:
        return openai_compatible(access)
    from pydantic_ai.providers.openai import OpenAIProvider

    return OpenAIProvider(api_key=access.key)


def openai_compatible(access: Access) -> Provider[Any]:
    """Open a client of a server that speaks OpenAI's protocol."""
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    key = access.key or NO_KEY
    return OpenAICompatibleProvider("openai_compatible", base_url=access.url or "", api_key=key)


def ollama(access: Access) -> Provider[Any]:
    """Open a client of Ollama."""
    from pydantic_ai.providers.ollama import OllamaProvider

    return OllamaProvider(base_url=access.url, api_key=access.reveal("OLLAMA_API_KEY") or NO_KEY)


def anthropic(access: Access) -> Provider[Any]:
    """Open a client of Anthropic."""
    from pydantic_ai.providers.anthropic import AnthropicProvider

    return AnthropicProvider(api_key=access.key, base_url=access.url)


def google(access: Access) -> Provider[Any]:
    """Open a client of Google Gemini."""
    from pydantic_ai.providers.google import GoogleProvider

    return GoogleProvider(api_key=access.key, base_url=access.url)


def google_cloud(access: Access) -> Provider[Any]:
    """Open a client of Google Cloud."""
    from pydantic_ai.providers.google_cloud import GoogleCloudProvider

    return GoogleCloudProvider(
        api_key=access.reveal("GOOGLE_API_KEY"),
        project=access.reveal("GOOGLE_CLOUD_PROJECT"),
        location=access.reveal("GOOGLE_CLOUD_LOCATION"),
        base_url=access.url,
    )


def mistral(access: Access) -> Provider[Any]:
    """Open a client of Mistral."""
    from pydantic_ai.providers.mistral import MistralProvider

    return MistralProvider(api_key=access.key, base_url=access.url)


def groq(access: Access) -> Provider[Any]:
    """Open a client of Groq."""
    from pydantic_ai.providers.groq import GroqProvider

    return GroqProvider(api_key=access.key, base_url=access.url)


def bedrock(access: Access) -> Provider[Any]:
    """Open a client of Amazon Bedrock."""
    from pydantic_ai.providers.bedrock import BedrockProvider

    names = {
        "region_name": ("AWS_DEFAULT_REGION", "AWS_REGION"),
        "profile_name": ("AWS_PROFILE",),
        "api_key": ("AWS_BEARER_TOKEN_BEDROCK",),
        "aws_access_key_id": ("AWS_ACCESS_KEY_ID",),
        "aws_secret_access_key": ("AWS_SECRET_ACCESS_KEY",),
        "aws_session_token": ("AWS_SESSION_TOKEN",),
    }
    own: dict[str, Any] = {"base_url": access.url, "aws_read_timeout": access.timeout_s}
    own |= {name: value for name, variables in names.items() if (value := access.reveal(*variables)) is not None}
    client: Provider[Any] = BedrockProvider(**own)
    # this client takes no count of retries once it is made; what would send again is a handler that can be taken off
    sdk: Any = client.client
    sdk.meta.events.unregister("needs-retry.bedrock-runtime", unique_id="retry-config-bedrock-runtime")
    return client


def openai_model(model: str, client: Provider[Any], url: str | None) -> SdkModel:
    """Make a model of OpenAI, or of a server that speaks its protocol."""
    if url is not None:
        return openai_chat_model(model, client, url)
    from pydantic_ai.models.openai import OpenAIResponsesModel, OpenAIResponsesModelSettings

    # its own newer models take tools only here; nothing is to be kept there
    return OpenAIResponsesModel(model, provider=client, settings=OpenAIResponsesModelSettings(openai_store=False))


def openai_chat_model(model: str, client: Provider[Any], _: str | None) -> SdkModel:
    """Make a model of a server that speaks OpenAI's protocol."""
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile

    # a stream that ends without saying why was cut
    profile = OpenAIModelProfile(openai_chat_streaming_requires_finish_reason=True)
    return OpenAIChatModel(model, provider=client, profile=profile)


def ollama_model(model: str, client: Provider[Any], _: str | None) -> SdkModel:
    """Make a model of Ollama."""
    from pydantic_ai.models.ollama import OllamaModel

    return OllamaModel(model, provider=client)


def anthropic_model(model: str, client: Provider[Any], _: str | None) -> SdkModel:
    """Make a model of Anthropic."""
    from pydantic_ai.models.anthropic import AnthropicModel

    return AnthropicModel(model, provider=client)


def google_model(model: str, client: Provider[Any], _: str | None) -> SdkModel:
    """Make a model of Google."""
    from pydantic_ai.models.google import GoogleModel

    return GoogleModel(model, provider=client)


def mistral_model(model: str, client: Provider[Any], _: str | None) -> SdkModel:
    """Make a model of Mistral."""
    from pydantic_ai.models.mistral import MistralModel

    return MistralModel(model, provider=client)


def groq_model(model: str, client: Provider[Any], _: str | None) -> SdkModel:
    """Make a model of Groq."""
    from pydantic_ai.models.groq import GroqModel

    return GroqModel(model, provider=client)


def bedrock_model(model: str, client: Provider[Any], _: str | None) -> SdkModel:
    """Make a model of Amazon Bedrock."""
    from pydantic_ai.models.bedrock import BedrockConverseModel

    return BedrockConverseModel(model, provider=client)
