/** What is found in the settings of each agent, in files of a home and a project, in variables and on the command line. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import { builtInAgents } from "../../core/agents/built-in-agents.ts";
import { launchFor } from "./launch.ts";
import { takeOwnSettings } from "./own-settings.ts";

interface Row {
  readonly agent: string;
  readonly words?: readonly string[];
  /** `~/` and `./` are the home and the project. */
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly named?: Readonly<Record<string, string>>;
}

/** What comes of it: the upstreams that are taken over, or the text of the refusal. */
function outcome(context: TestContext, { agent: name, environment, files = {}, named = {}, words = [] }: Row): string {
  const home = mkdtempSync(join(tmpdir(), "lectern-own-"));
  context.after(() => rmSync(home, { recursive: true, force: true }));
  const project = join(home, "folder", "project");
  mkdirSync(project, { recursive: true });
  const inHome = (text: string): string => text.replaceAll("~/", `${home}/`).replaceAll("./", `${project}/`);
  for (const [path, text] of Object.entries(files)) {
    const file = inHome(path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const given = Object.fromEntries(Object.entries(environment ?? {}).map(([key, value]) => [key, inHome(value)]));
  const agent = builtInAgents.named(name);
  assert.ok(agent);
  try {
    const taken = takeOwnSettings({
      agent,
      command: [name, ...words.map(inHome)],
      environment: { HOME: home, ...given },
      workingDirectory: project,
      named,
    });
    return Object.entries(taken.upstreams)
      .map(([route, url]) => `${route}=${url}`)
      .join(" ");
  } catch (error) {
    assert.equal((error as { code?: string }).code, "INVALID_INPUT");
    return (error as Error).message.replaceAll(`${home}/`, "~/");
  }
}

const claude = (settings: object): string => JSON.stringify(settings);
const url = "http://own.example";
const address = { env: { ANTHROPIC_BASE_URL: `${url}/` } };
const provider = 'model_provider = "own"\n[model_providers.own]\nbase_url = "http://own.example/v1"\n';

const taken: Readonly<Record<string, readonly [Row, string]>> = {
  nothing: [{ agent: "claude" }, ""],
  "Claude, user": [{ agent: "claude", files: { "~/.claude/settings.json": claude(address) } }, `anthropic=${url}`],
  "Claude, project": [{ agent: "claude", files: { "./.claude/settings.json": claude(address) } }, `anthropic=${url}`],
  "Claude, local before project": [
    {
      agent: "claude",
      files: {
        "./.claude/settings.json": claude({ env: { ANTHROPIC_BASE_URL: "http://other.example" } }),
        "./.claude/settings.local.json": claude(address),
      },
    },
    `anthropic=${url}`,
  ],
  "Claude, another folder for its settings": [
    { agent: "claude", environment: { CLAUDE_CONFIG_DIR: "~/own" }, files: { "~/own/settings.json": claude(address) } },
    `anthropic=${url}`,
  ],
  "Claude, a cloud that is off, and a helper for its key": [
    {
      agent: "claude",
      files: { "~/.claude/settings.json": claude({ apiKeyHelper: "x", env: { CLAUDE_CODE_USE_BEDROCK: "0" } }) },
    },
    "",
  ],
  "Claude, an option without an address": [{ agent: "claude", words: ["--settings", '{"model":"x"}'] }, ""],
  "Codex, an address": [
    { agent: "codex", files: { "~/.codex/config.toml": 'openai_base_url = "http://own.example/v1"' } },
    `openai=${url}/v1`,
  ],
  "Codex, a provider whose address is named": [
    { agent: "codex", files: { "~/.codex/config.toml": provider }, named: { openai: "http://x/v1" } },
    "",
  ],
  "Codex, a profile that is not used": [{ agent: "codex", files: { "~/.codex/own.config.toml": provider } }, ""],
  "Codex, words behind --": [{ agent: "codex", words: ["exec", "--", "--oss"] }, ""],
  "Gemini, the nearest file of variables": [
    {
      agent: "gemini",
      files: {
        "~/.env": "GOOGLE_GEMINI_BASE_URL=http://other.example",
        "./.gemini/.env": "GOOGLE_GEMINI_BASE_URL=http://own.example",
      },
    },
    `gemini=${url}`,
  ],
  "Gemini, a variable of the environment is before a file": [
    {
      agent: "gemini",
      environment: { GOOGLE_GENAI_USE_VERTEXAI: "false", GOOGLE_GEMINI_BASE_URL: "http://env" },
      files: { "~/.env": "GOOGLE_GENAI_USE_VERTEXAI=true\nGOOGLE_GEMINI_BASE_URL=http://own.example" },
    },
    "",
  ],
  "opencode, its own file with comments": [
    {
      agent: "opencode",
      files: {
        "~/.config/opencode/opencode.jsonc":
          '{ // mine\n "provider": { "anthropic": { "options": { "baseURL": "http://own.example/v1", }, }, }, /* x */ }',
      },
    },
    `anthropic=${url}`,
  ],
  "opencode, inline": [
    {
      agent: "opencode",
      environment: {
        OPENCODE_CONFIG_CONTENT:
          '{"model":"openai/x","provider":{"openai":{"options":{"baseURL":"http://own.example/v1"}}}}',
      },
    },
    `openai=${url}/v1`,
  ],
  "opencode, another project folder above": [
    {
      agent: "opencode",
      files: {
        "~/folder/opencode.json": '{"provider":{"google":{"options":{"baseURL":"http://own.example/v1beta"}}}}',
      },
    },
    `gemini=${url}`,
  ],
  "Qwen, a file of variables": [
    { agent: "qwen", files: { "./.qwen/.env": "OPENAI_BASE_URL=http://own.example/v1" } },
    `openai=${url}/v1`,
  ],
  "pi, a provider's address": [
    {
      agent: "pi",
      files: { "~/.pi/agent/models.json": '{"providers":{"anthropic":{"baseUrl":"http://own.example"}}}' },
    },
    `anthropic=${url}`,
  ],
};

const refused: Readonly<Record<string, readonly [Row, RegExp]>> = {
  "Claude, its option": [
    { agent: "claude", words: ["-p", "--settings", claude(address), "x"] },
    /"env.ANTHROPIC_BASE_URL" in the option --settings overrides .* name it with --upstream anthropic=URL instead/,
  ],
  "Claude, the file of its option": [
    { agent: "claude", words: ["--settings=./own.json"], files: { "./own.json": claude(address) } },
    /"env.ANTHROPIC_BASE_URL" in "~\/folder\/project\/own.json" overrides/,
  ],
  "Claude, its option and an address elsewhere": [
    { agent: "claude", words: ["--settings", "{}"], files: { "~/.claude/settings.json": claude(address) } },
    /Lectern needs --settings for itself.*leave out --settings, or remove/,
  ],
  "Claude, a cloud": [
    { agent: "claude", files: { "~/.claude/settings.json": claude({ env: { CLAUDE_CODE_USE_BEDROCK: "1" } }) } },
    /"env.CLAUDE_CODE_USE_BEDROCK" in "~\/.claude\/settings.json" sends it to Amazon Bedrock/,
  ],
  "Claude, a file that cannot be read": [
    { agent: "claude", files: { "./.claude/settings.json": "{ nonsense" } },
    /its settings in "~\/folder\/project\/.claude\/settings.json" cannot be read/,
  ],
  "Codex, a provider": [
    { agent: "codex", files: { "~/.codex/config.toml": provider } },
    /"model_provider" in "~\/.codex\/config.toml" is another provider.*--upstream openai=URL/,
  ],
  "Codex, a profile": [
    { agent: "codex", words: ["-p", "own"], files: { "~/.codex/own.config.toml": provider } },
    /"model_provider" in "~\/.codex\/own.config.toml"/,
  ],
  "Codex, a project": [{ agent: "codex", files: { "~/folder/.codex/config.toml": provider } }, /"model_provider"/],
  "Codex, -c": [{ agent: "codex", words: ["exec", "-c", "model_provider=own"] }, /in the option -c overrides/],
  "Codex, --config=": [{ agent: "codex", words: ['--config=model_provider="own"'] }, /in the option -c overrides/],
  "Codex, -c behind a value that is no TOML": [
    { agent: "codex", words: ["-c", "model_providers.lectern.base_url=http://own"] },
    /changes the provider that leads to the gateway/,
  ],
  "Codex, --oss": [{ agent: "codex", words: ["--oss"] }, /"--oss" in its command line selects a local server/],
  "Gemini, Vertex in a file of variables": [
    { agent: "gemini", files: { "~/.gemini/.env": "GOOGLE_GENAI_USE_VERTEXAI=true" } },
    /sends it to Google Vertex AI/,
  ],
  "Gemini, a login": [
    { agent: "gemini", files: { "~/.gemini/settings.json": '{"security":{"auth":{"selectedType":"vertex-ai"}}}' } },
    /"security.auth.selectedType" .* is a login whose requests are not seen/,
  ],
  "opencode, a model of another provider": [
    { agent: "opencode", files: { "./opencode.json": '{"model":"own/x","provider":{"own":{}}}' } },
    /"model" in "~\/folder\/project\/opencode.json" is of another provider/,
  ],
  "opencode, OPENCODE_CONFIG": [
    { agent: "opencode", environment: { OPENCODE_CONFIG: "~/own.json" }, files: { "~/own.json": '{"model":"own/x"}' } },
    /"model" in "~\/own.json"/,
  ],
  "opencode, inline model": [
    { agent: "opencode", environment: { OPENCODE_CONFIG_CONTENT: '{"model":"own/x"}' } },
    /"model" in the variable OPENCODE_CONFIG_CONTENT/,
  ],
  "opencode, -m": [{ agent: "opencode", words: ["run", "-m", "own/x", "hi"] }, /"-m" in its command line/],
  "opencode, --model=": [{ agent: "opencode", words: ["run", "--model=own/x", "hi"] }, /"--model" in its command line/],
  "opencode, attach": [{ agent: "opencode", words: ["attach", "http://x"] }, /connects it to another opencode/],
  "Qwen, a login": [
    { agent: "qwen", files: { "~/.qwen/settings.json": '{"security":{"auth":{"selectedType":"qwen-oauth"}}}' } },
    /is a login whose requests are not seen: select openai/,
  ],
  "Qwen, an address": [
    { agent: "qwen", files: { "./.qwen/settings.json": '{"security":{"auth":{"baseUrl":"http://own"}}}' } },
    /"security.auth.baseUrl" .* overrides/,
  ],
  "Qwen, a model with an address": [
    {
      agent: "qwen",
      files: { "~/.qwen/settings.json": '{"modelProviders":{"openai":[{"id":"x","baseUrl":"http://own"}]}}' },
    },
    /"modelProviders.openai.0.baseUrl"/,
  ],
  "Qwen, an option": [{ agent: "qwen", words: ["--openai-base-url", "http://own"] }, /"--openai-base-url"/],
  "pi, a provider": [
    { agent: "pi", files: { "~/.pi/agent/settings.json": '{"defaultProvider":"own"}' } },
    /"defaultProvider" .* is of another provider/,
  ],
  "pi, an option": [{ agent: "pi", words: ["--provider", "own"] }, /"--provider" in its command line/],
};

test("an address in an agent's own settings is taken over", async (context) => {
  for (const [name, [row, expected]] of Object.entries(taken)) {
    await context.test(name, (inner) => assert.equal(outcome(inner, row), expected));
  }
});

test("settings that lead past the gateway are refused, with the file and the key, and without the value", async (context) => {
  for (const [name, [row, expected]] of Object.entries(refused)) {
    await context.test(name, (inner) => {
      const said = outcome(inner, row);
      assert.match(said, expected);
      assert.match(said, /^Cannot watch .* over the wire: /);
      assert.doesNotMatch(said, /own\.example/);
    });
  }
});

test("an agent is pointed at the gateway over an address in its settings, and keeps what a variable has", () => {
  const given = { origin: "http://127.0.0.1:7", secret: "s3", directory: "/data/agent" };
  const launch = launchFor({
    ...given,
    agent: builtInAgents.named("claude"),
    command: ["claude", "-p"],
    environment: {},
    overrides: true,
  });
  assert.deepEqual(launch.command, ["claude", "--settings", "/data/agent/settings.json", "-p"]);
  assert.deepEqual(JSON.parse(launch.files["settings.json"] ?? ""), {
    env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:7/wire/s3/anthropic" },
  });
  const environment = { OPENCODE_CONFIG_CONTENT: '{"share":"disabled","provider":{"openai":{"name":"x"}}}' };
  const content = launchFor({ ...given, agent: builtInAgents.named("opencode"), command: ["opencode"], environment });
  const config = JSON.parse(content.environment["OPENCODE_CONFIG_CONTENT"] ?? "") as Record<string, unknown>;
  assert.deepEqual(config["enabled_providers"], ["anthropic", "openai", "google"]);
  assert.equal(config["share"], "disabled");
  assert.deepEqual((config["provider"] as Record<string, unknown>)["openai"], {
    name: "x",
    options: { baseURL: "http://127.0.0.1:7/wire/s3/openai" },
  });
});
