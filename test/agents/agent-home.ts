/** A home directory of its own for a real agent: past its first-run dialogs, with dummy keys, and without updates and telemetry. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentName, InstalledAgent } from "./installed-agents.ts";

interface Recipe {
  readonly files: (home: string, workingDirectory: string) => Readonly<Record<string, object | string>>;
  readonly environment: Readonly<Record<string, string>>;
  /** Variables that point the agent straight at a model server. */
  readonly direct: (url: string) => Readonly<Record<string, string>>;
  /** Words that do the same. */
  readonly directWords?: (url: string) => readonly string[];
  /** Files that do the same. */
  readonly directFiles?: (url: string) => Readonly<Record<string, object>>;
  /** One prompt without a screen, every tool allowed by the agent itself. */
  readonly print: (prompt: string) => readonly string[];
  readonly interactive: readonly string[];
}

/** No key of anybody; long enough to look like one. */
export const dummyKey = "sk-dummy-0123456789abcdefghij0123456789";

const codexProvider = (url: string): string =>
  `model_providers.scripted={name="Scripted",base_url="${url}/v1",env_key="OPENAI_API_KEY",wire_api="responses"}`;

const geminiLike = (selectedType: string): object => ({
  security: { auth: { selectedType }, folderTrust: { enabled: false } },
  general: { disableAutoUpdate: true, disableUpdateNag: true },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  ide: { hasSeenNudge: true },
});

const recipes: Readonly<Record<AgentName, Recipe>> = {
  claude: {
    files: (_, workingDirectory) => ({
      ".claude.json": {
        hasCompletedOnboarding: true,
        theme: "dark",
        customApiKeyResponses: { approved: [dummyKey.slice(-20)], rejected: [] },
        projects: { [workingDirectory]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      },
    }),
    environment: {
      ANTHROPIC_API_KEY: dummyKey,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
    },
    direct: (url) => ({ ANTHROPIC_BASE_URL: url }),
    print: (prompt) => ["-p", prompt, "--allowedTools", "Bash,Read,Write"],
    interactive: ["--permission-mode", "default"],
  },
  codex: {
    files: (_, workingDirectory) => ({
      ".codex/config.toml": [
        'model = "gpt-5"',
        "check_for_update_on_startup = false",
        "[analytics]\nenabled = false",
        '[history]\npersistence = "none"',
        `[projects."${workingDirectory}"]\ntrust_level = "trusted"\n`,
      ].join("\n"),
    }),
    environment: { OPENAI_API_KEY: dummyKey },
    direct: () => ({}),
    directWords: (url) => ["-c", 'model_provider="scripted"', "-c", codexProvider(url)],
    print: (prompt) => ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt],
    interactive: ["--no-daemon", "-c", 'approval_policy="on-request"', "-c", 'sandbox_mode="workspace-write"'],
  },
  gemini: {
    files: () => ({
      ".gemini/settings.json": { ...geminiLike("gemini-api-key"), model: { name: "gemini-2.5-pro" } },
    }),
    environment: { GEMINI_API_KEY: dummyKey },
    direct: (url) => ({ GOOGLE_GEMINI_BASE_URL: url }),
    print: (prompt) => ["--approval-mode", "yolo", "-p", prompt],
    interactive: [],
  },
  opencode: {
    files: () => ({
      ".config/opencode/opencode.json": {
        model: "openai/gpt-5",
        enabled_providers: ["openai"],
        autoupdate: false,
        share: "disabled",
      },
    }),
    environment: {
      OPENAI_API_KEY: dummyKey,
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    },
    direct: (url) => ({
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        provider: { openai: { options: { baseURL: `${url}/v1` } } },
        permission: { bash: "ask", edit: "ask" },
      }),
    }),
    print: (prompt) => ["run", prompt],
    interactive: [],
  },
  qwen: {
    // Without requests for suggestions and memories, which say the same as those of the conversation.
    files: () => ({
      ".qwen/settings.json": {
        ...geminiLike("openai"),
        ui: { enableFollowupSuggestions: false },
        memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
      },
    }),
    environment: { OPENAI_API_KEY: dummyKey, OPENAI_MODEL: "scripted" },
    direct: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    print: (prompt) => ["--approval-mode", "yolo", "-p", prompt],
    interactive: ["--approval-mode", "default"],
  },
  pi: {
    files: () => ({
      ".pi/agent/settings.json": { defaultProvider: "anthropic", defaultModel: "claude-sonnet-4-5" },
    }),
    environment: { ANTHROPIC_API_KEY: dummyKey, PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" },
    direct: () => ({}),
    directFiles: (url) => ({ ".pi/agent/models.json": { providers: { anthropic: { baseUrl: url } } } }),
    print: (prompt) => ["-p", prompt],
    interactive: [],
  },
  copilot: {
    files: (_, workingDirectory) => ({
      ".copilot/config.json": { trusted_folders: [workingDirectory], banner: "never" },
    }),
    environment: {
      COPILOT_MODEL: "scripted",
      COPILOT_OFFLINE: "true",
      COPILOT_PROVIDER_API_KEY: dummyKey,
      // Without an address of its own it goes to GitHub.
      COPILOT_PROVIDER_BASE_URL: "http://127.0.0.1:9/v1",
      COPILOT_PROVIDER_TYPE: "openai",
    },
    direct: (url) => ({ COPILOT_PROVIDER_BASE_URL: `${url}/v1` }),
    print: (prompt) => ["-p", prompt, "--allow-all-tools"],
    interactive: [],
  },
  continue: {
    files: () => ({ ".continue/.onboarding_complete": "2026-11-23T00:00:00.000Z" }),
    environment: { CONTINUE_CLI_ENABLE_TELEMETRY: "0", CONTINUE_METRICS_ENABLED: "0" },
    direct: () => ({}),
    // YAML that is JSON.
    directFiles: (url) => ({
      ".continue/config.yaml": {
        name: "Scripted",
        version: "1.0.0",
        schema: "v1",
        models: [
          {
            name: "Scripted",
            provider: "openai",
            model: "scripted",
            apiKey: dummyKey,
            apiBase: `${url}/v1`,
            roles: ["chat"],
          },
        ],
      },
    }),
    print: (prompt) => ["-p", prompt, "--auto"],
    interactive: [],
  },
};

export class AgentHome implements Disposable {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), "agent-home-")));
  readonly workingDirectory = join(this.directory, "work");
  readonly #agent: InstalledAgent;
  readonly #recipe: Recipe;

  readonly #modelUrl: string | undefined;

  /** `modelUrl` points the agent straight at a server, without a gateway. */
  constructor(agent: InstalledAgent, modelUrl?: string) {
    this.#agent = agent;
    this.#recipe = recipes[agent.name];
    this.#modelUrl = modelUrl;
    mkdirSync(this.workingDirectory);
    mkdirSync(join(this.directory, "tmp"));
    const files = {
      ...this.#recipe.files(this.directory, this.workingDirectory),
      ...(modelUrl !== undefined && this.#recipe.directFiles?.(modelUrl)),
    };
    for (const [name, content] of Object.entries(files)) this.write(name, content);
  }

  /** Puts a file into it. */
  write(name: string, content: object | string): void {
    const path = join(this.directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  }

  /** Everything the agent gets. */
  environment(): Record<string, string> {
    const modelUrl = this.#modelUrl;
    return {
      // Agents that are written in JavaScript run on the Node of the tests.
      PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      HOME: this.directory,
      TMPDIR: join(this.directory, "tmp"),
      TERM: "xterm-256color",
      LANG: "C.UTF-8",
      ...this.#recipe.environment,
      ...(modelUrl !== undefined && this.#recipe.direct(modelUrl)),
    };
  }

  /** The command for one prompt without a screen. */
  print(prompt: string): [string, ...string[]] {
    return [this.#agent.program, ...this.#directWords(), ...this.#recipe.print(prompt)];
  }

  /** The command for a terminal. */
  interactive(): [string, ...string[]] {
    return [this.#agent.program, ...this.#directWords(), ...this.#recipe.interactive];
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  #directWords(): readonly string[] {
    return this.#modelUrl === undefined ? [] : (this.#recipe.directWords?.(this.#modelUrl) ?? []);
  }
}
