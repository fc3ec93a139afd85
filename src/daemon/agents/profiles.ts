/**
 * Coding agents, as data: how each is called, and how it is pointed at the gateway without touching its files.
 *
 * In values, `{anthropic}`, `{openai}`, `{gemini}` and `{code-assist}` stand for the base URLs of these routes; `{openai:header}`
 * for one without the secret, which then goes in the header `x-lectern-wire`; `{secret}` for the secret; `{directory}` for a private
 * directory in which `files` are written.
 */
import type { WireRoute } from "../gateway/routes.ts";

export interface AgentProfile {
  readonly name: string;
  readonly title: string;
  /** File names of its program. */
  readonly programs: readonly string[];
  /** On npm; null where it comes from elsewhere. */
  readonly package: string | null;
  /** The routes that it uses. Empty: it cannot be pointed at the gateway. */
  readonly routes: readonly WireRoute[];
  /** The first of which the variable is set, or that needs none. */
  readonly launches: readonly AgentLaunch[];
  /** Variables in which people name the upstream of a route for this agent. */
  readonly upstreamVariables?: Partial<Record<WireRoute, readonly string[]>>;
  /** Variables that send it to a server that the gateway does not speak with, and the name of that. */
  readonly elsewhere?: Readonly<Record<string, string>>;
  /** What to know about it. */
  readonly notes: string;
}

/** What is added to the command and the environment. */
interface AgentLaunch {
  readonly variable?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Directly behind the program's name. */
  readonly arguments?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
}

/** Variables that many programs and libraries know: set for every agent, known or not, and for what it starts. */
export const genericEnvironment: Readonly<Record<string, string>> = {
  ANTHROPIC_BASE_URL: "{anthropic}",
  OPENAI_BASE_URL: "{openai}",
  OPENAI_API_BASE: "{openai}",
  GOOGLE_GEMINI_BASE_URL: "{gemini}",
  CODE_ASSIST_ENDPOINT: "{code-assist}",
};

const codexArguments = (credential: string): readonly string[] => [
  "-c",
  'model_provider="lectern"',
  "-c",
  `model_providers.lectern={name="Lectern",base_url="{openai:header}",wire_api="responses",supports_websockets=false,${credential},env_http_headers={"x-lectern-wire"="LECTERN_WIRE_SECRET"}}`,
];

const codexEnvironment = { LECTERN_WIRE_SECRET: "{secret}" };

const openCodeConfig = JSON.stringify({
  provider: {
    anthropic: { options: { baseURL: "{anthropic}/v1" } },
    openai: { options: { baseURL: "{openai}" } },
    google: { options: { baseURL: "{gemini}/v1beta" } },
  },
});

const piExtension = `export default (pi) => {
  pi.registerProvider("anthropic", { baseUrl: process.env.ANTHROPIC_BASE_URL });
  pi.registerProvider("openai", { baseUrl: process.env.OPENAI_BASE_URL });
  pi.registerProvider("google", { baseUrl: process.env.GOOGLE_GEMINI_BASE_URL + "/v1beta" });
};
`;

export const agentProfiles: readonly AgentProfile[] = [
  {
    name: "claude",
    title: "Claude Code",
    programs: ["claude"],
    package: "@anthropic-ai/claude-code",
    routes: ["anthropic"],
    launches: [{}],
    elsewhere: {
      CLAUDE_CODE_USE_BEDROCK: "Amazon Bedrock",
      CLAUDE_CODE_USE_VERTEX: "Google Vertex AI",
      CLAUDE_CODE_USE_FOUNDRY: "Microsoft Foundry",
    },
    notes: "With an API key or a login; not with Bedrock, Vertex or Foundry",
  },
  {
    name: "codex",
    title: "Codex",
    programs: ["codex"],
    package: "@openai/codex",
    routes: ["openai"],
    launches: [
      {
        variable: "OPENAI_API_KEY",
        arguments: codexArguments('env_key="OPENAI_API_KEY"'),
        environment: codexEnvironment,
      },
      { arguments: codexArguments("requires_openai_auth=true"), environment: codexEnvironment },
    ],
    notes: "The model provider of its own settings is not used: name its address with --upstream openai=URL",
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    programs: ["gemini"],
    package: "@google/gemini-cli",
    routes: ["gemini", "code-assist"],
    launches: [{}],
    elsewhere: { GOOGLE_GENAI_USE_VERTEXAI: "Google Vertex AI" },
    notes: "With an API key or a login with Google; not with Vertex",
  },
  {
    name: "opencode",
    title: "opencode",
    programs: ["opencode"],
    package: "opencode-ai",
    routes: ["anthropic", "openai", "gemini"],
    launches: [{ environment: { OPENCODE_CONFIG_CONTENT: openCodeConfig } }],
    notes: "Its providers anthropic, openai and google; others of its settings go their own way",
  },
  {
    name: "qwen",
    title: "Qwen Code",
    programs: ["qwen"],
    package: "@qwen-code/qwen-code",
    routes: ["openai"],
    launches: [{}],
    notes: "With an API key for an OpenAI-compatible server; its own login goes its own way",
  },
  {
    name: "pi",
    title: "pi",
    programs: ["pi"],
    package: "@earendil-works/pi-coding-agent",
    routes: ["anthropic", "openai", "gemini"],
    launches: [{ arguments: ["--extension", "{directory}/pi-gateway.js"], files: { "pi-gateway.js": piExtension } }],
    notes: "Its providers anthropic, openai and google; others of its settings go their own way",
  },
  {
    name: "copilot",
    title: "GitHub Copilot CLI",
    programs: ["copilot"],
    package: "@github/copilot",
    routes: ["openai"],
    launches: [{ variable: "COPILOT_PROVIDER_BASE_URL", environment: { COPILOT_PROVIDER_BASE_URL: "{openai}" } }, {}],
    upstreamVariables: { openai: ["COPILOT_PROVIDER_BASE_URL"] },
    notes: "Only with a provider of your own (COPILOT_PROVIDER_BASE_URL); GitHub's models go their own way",
  },
  {
    name: "cline",
    title: "Cline",
    programs: ["cline"],
    package: "cline",
    routes: [],
    launches: [{}],
    notes: "Keeps its addresses in its own files only: the gateway does not see it",
  },
];

/** By the file name of a program. */
export const profileOf = (program: string): AgentProfile | undefined =>
  agentProfiles.find(({ programs }) => programs.includes(program));
