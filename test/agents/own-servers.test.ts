/**
 * Agents with another server in their own settings, profiles and variables: each is gated, refused at its start or reported; none asks that
 * server in silence. Opt-in, because it runs real agents for some minutes: LECTERN_AGENTS=all, or names with commas.
 *
 *   LECTERN_AGENTS=all node --test --import=./test/support/preload.mjs test/agents/own-servers.test.ts
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CliHome } from "../e2e/cli-home.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { AgentHome } from "./agent-home.ts";
import { installedAgent } from "./installed-agents.ts";
import type { WatchedAgent } from "./behind-gateway.ts";

interface Row {
  readonly agent: WatchedAgent;
  readonly what: string;
  /** In the home; `work/` is the project. `url` is the other server. */
  readonly files?: (url: string) => Readonly<Record<string, object | string>>;
  readonly environment?: (url: string) => Readonly<Record<string, string>>;
  /** Of the agent, before its prompt. */
  readonly words?: (url: string) => readonly string[];
}

type Outcome = "gated" | "refused" | "reported" | "silent" | "no request";

const address = (url: string): object => ({ env: { ANTHROPIC_BASE_URL: url } });
const codexProvider = (url: string): string =>
  `model_provider = "own"\nmodel = "gpt-5"\n[model_providers.own]\nname = "Own"\nbase_url = "${url}/v1"\nenv_key = "OPENAI_API_KEY"\nwire_api = "responses"\n`;
const compatible = (url: string): object => ({
  own: { npm: "@ai-sdk/openai-compatible", options: { baseURL: `${url}/v1`, apiKey: "k" }, models: { m: {} } },
});
const gemini = { security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } } };

const rows: readonly Row[] = [
  { agent: "claude", what: "user settings", files: (url) => ({ ".claude/settings.json": address(url) }) },
  { agent: "claude", what: "project settings", files: (url) => ({ "work/.claude/settings.json": address(url) }) },
  { agent: "claude", what: "local settings", files: (url) => ({ "work/.claude/settings.local.json": address(url) }) },
  {
    agent: "claude",
    what: "CLAUDE_CONFIG_DIR",
    files: (url) => ({ "own/settings.json": address(url) }),
    environment: () => ({ CLAUDE_CONFIG_DIR: "~/own" }),
  },
  { agent: "claude", what: "--settings", words: (url) => ["--settings", JSON.stringify(address(url))] },
  { agent: "claude", what: "the environment", environment: (url) => ({ ANTHROPIC_BASE_URL: url }) },
  {
    agent: "codex",
    what: "openai_base_url",
    files: (url) => ({ ".codex/config.toml": `model = "gpt-5"\nopenai_base_url = "${url}/v1"\n` }),
  },
  { agent: "codex", what: "a provider", files: (url) => ({ ".codex/config.toml": codexProvider(url) }) },
  {
    agent: "codex",
    what: "a profile",
    files: (url) => ({ ".codex/own.config.toml": codexProvider(url) }),
    words: () => ["-p", "own"],
  },
  {
    agent: "codex",
    what: "-c",
    words: (url) => [
      "-c",
      'model_provider="own"',
      "-c",
      `model_providers.own={name="Own",base_url="${url}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`,
    ],
  },
  { agent: "codex", what: "--oss", words: () => ["--oss"] },
  {
    agent: "gemini",
    what: ".env of the home",
    files: (url) => ({ ".gemini/.env": `GOOGLE_GEMINI_BASE_URL=${url}\n` }),
  },
  {
    agent: "gemini",
    what: ".env of the project",
    files: (url) => ({ "work/.env": `GOOGLE_GEMINI_BASE_URL=${url}\n` }),
  },
  {
    agent: "gemini",
    what: "Vertex in .env",
    files: () => ({ "work/.gemini/.env": "GOOGLE_GENAI_USE_VERTEXAI=true\n" }),
  },
  {
    agent: "gemini",
    what: "a login",
    files: () => ({
      ".gemini/settings.json": { ...gemini, security: { ...gemini.security, auth: { selectedType: "vertex-ai" } } },
    }),
  },
  {
    agent: "opencode",
    what: "the address of a provider",
    files: (url) => ({
      "work/opencode.json": { provider: { openai: { options: { baseURL: `${url}/v1` } } } },
    }),
  },
  {
    agent: "opencode",
    what: "a provider of its own",
    files: (url) => ({
      "work/opencode.json": { model: "own/m", provider: compatible(url), enabled_providers: ["own"] },
    }),
  },
  {
    agent: "opencode",
    what: "OPENCODE_CONFIG",
    files: (url) => ({ "own.json": { model: "own/m", provider: compatible(url), enabled_providers: ["own"] } }),
    environment: () => ({ OPENCODE_CONFIG: "~/own.json" }),
  },
  {
    agent: "opencode",
    what: "inline",
    environment: (url) => ({ OPENCODE_CONFIG_CONTENT: JSON.stringify({ model: "own/m", provider: compatible(url) }) }),
  },
  {
    agent: "opencode",
    what: "an agent with a model of its own",
    files: (url) => ({
      "work/opencode.json": {
        provider: compatible(url),
        enabled_providers: ["own", "openai"],
        agent: { build: { model: "own/m" } },
      },
    }),
  },
  { agent: "qwen", what: ".env", files: (url) => ({ "work/.qwen/.env": `OPENAI_BASE_URL=${url}/v1\n` }) },
  { agent: "qwen", what: "--openai-base-url", words: (url) => ["--openai-base-url", `${url}/v1`] },
  {
    agent: "qwen",
    what: "modelProviders",
    files: (url) => ({
      "work/.qwen/settings.json": {
        modelProviders: { openai: [{ id: "scripted", name: "x", baseUrl: `${url}/v1`, envKey: "OPENAI_API_KEY" }] },
      },
    }),
  },
  {
    agent: "pi",
    what: "the address of a provider",
    files: (url) => ({ ".pi/agent/models.json": { providers: { anthropic: { baseUrl: url } } } }),
  },
  {
    agent: "pi",
    what: "a provider of its own",
    files: (url) => ({
      ".pi/agent/models.json": {
        providers: { own: { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: "k", models: [{ id: "m" }] } },
      },
    }),
    words: () => ["--provider", "own", "--model", "m"],
  },
  { agent: "copilot", what: "the environment", environment: (url) => ({ COPILOT_PROVIDER_BASE_URL: `${url}/v1` }) },
  { agent: "copilot", what: "GitHub's models", environment: () => ({ COPILOT_PROVIDER_BASE_URL: "" }) },
];

/** One prompt without a screen. */
async function outcomeOf(lectern: CliHome, name: string, row: Row): Promise<readonly [Outcome, string]> {
  const agent = await installedAgent(row.agent);
  await using own = await ScriptedModel.start({
    aside: "A title",
    turns: [{ say: "I am the other.", times: "always" }],
  });
  using home = new AgentHome(agent);
  for (const [path, content] of Object.entries(row.files?.(own.url) ?? {})) home.write(path, content);
  const inHome = Object.entries(row.environment?.(own.url) ?? {}).map(([key, value]): [string, string] => [
    key,
    value.replace(/^~/, home.directory),
  ]);
  const [program, ...prompt] = home.print("Who are you?");
  const command = [program, ...(row.words?.(own.url) ?? []), ...prompt];
  const { code, stderr, stdout } = await lectern.run(
    ["run", "--name", name, "-C", home.workingDirectory, "--wire", "--", ...command],
    { env: { ...home.environment(), ...Object.fromEntries(inHome) } },
  );
  if (/Cannot watch/.test(stderr)) return [code === 2 ? "refused" : "silent", stderr.trim()];
  const { gate, id } = await lectern.client.call("sessions.get", { session: name });
  await lectern.client.call("sessions.remove", { session: id });
  const asked = own.turnRequests().length;
  const facts = `${asked} requests at the other server, ${gate?.requests} at the gateway: ${(stdout + stderr).slice(-200)}`;
  if (gate?.state === "not-gated") return ["reported", facts];
  if (asked > (gate?.requests ?? 0)) return ["silent", facts];
  return [asked > 0 ? "gated" : "no request", facts];
}

const wanted = process.env["LECTERN_AGENTS"] ?? "";
const chosen = rows.filter(({ agent }) => wanted === "all" || wanted.split(",").includes(agent));
const skip = chosen.length === 0 && "needs LECTERN_AGENTS=all or names of agents";

test("no agent asks a server of its own settings in silence", { skip }, async (context) => {
  await using lectern = new CliHome();
  const counts = new Map<string, number>();
  for (const [index, row] of chosen.entries()) {
    // One after the other, so that each is as quick as it can be.
    await context.test(`${row.agent}: ${row.what}`, async (inner) => {
      const [outcome, facts] = await outcomeOf(lectern, `own-${index}`, row);
      counts.set(`${row.agent} ${outcome}`, (counts.get(`${row.agent} ${outcome}`) ?? 0) + 1);
      inner.diagnostic(`${row.agent}: ${row.what}: ${outcome}`);
      assert.notEqual(outcome, "silent", facts);
    });
  }
  context.diagnostic([...counts].map(([what, count]) => `${what}: ${count}`).join(", "));
});
