/** How a plan is carried out with each agent: keys, and how its screen looks when it waits. */
import { join } from "node:path";
import type { AgentName } from "../installed-agents.ts";
import type { AgentTools } from "./recording-plans.ts";

export interface AgentDriver {
  readonly agent: AgentName;
  /** As it is typed in the shell. */
  readonly command: string;
  /** Variables besides those of `AgentHome`; `url` is where the model is. */
  readonly environment?: (url: string) => Readonly<Record<string, string>>;
  /** Files in its home besides those of `AgentHome`. */
  readonly files?: Readonly<Record<string, object>>;
  /** `directory` is where it works. */
  readonly tools: (directory: string) => AgentTools;
  readonly isReady: (rows: readonly string[]) => boolean;
  /** A dialog at its start, and the keys that end it. */
  readonly startKeys?: {
    readonly name: string;
    readonly isShown: (rows: readonly string[]) => boolean;
    readonly keys: string;
  };
  /** Whether a person is asked before this tool runs. */
  readonly asks: (tool: string) => boolean;
  readonly dialog: RegExp;
  readonly approveKeys: readonly string[];
  readonly denyKeys: readonly string[];
  readonly interruptKeys: readonly string[];
  /** Takes away what it puts into the input after an interruption. */
  readonly clearKeys?: string;
  /** The command that ends it. */
  readonly exit: string;
}

const shows =
  (pattern: RegExp) =>
  (rows: readonly string[]): boolean =>
    rows.some((row) => pattern.test(row));

const opencode: AgentDriver = {
  agent: "opencode",
  command: "opencode",
  // Models of known names have other tools than the rest.
  environment: (url) => ({
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      model: "scripted/scripted-1",
      enabled_providers: ["scripted"],
      provider: {
        scripted: {
          npm: "@ai-sdk/openai-compatible",
          name: "Scripted",
          options: { baseURL: `${url}/v1`, apiKey: "dummy" },
          models: { "scripted-1": { name: "Scripted One" } },
        },
      },
      permission: { bash: "ask", edit: "ask" },
    }),
  }),
  tools: (directory) => ({
    shell: (command) => ({ name: "bash", arguments: { command, description: "Runs a command" } }),
    read: (path) => ({ name: "read", arguments: { filePath: join(directory, path) } }),
    write: (path, content) => ({ name: "write", arguments: { filePath: join(directory, path), content } }),
    clear: "/new",
  }),
  isReady: shows(/Ask anything/),
  asks: (tool) => tool === "bash" || tool === "write",
  dialog: /Permission required/,
  approveKeys: ["\r"],
  denyKeys: ["\u001B"],
  interruptKeys: ["\u001B", "\u001B"],
  exit: "/exit",
};

const qwen: AgentDriver = {
  agent: "qwen",
  command: "qwen",
  tools: (directory) => ({
    shell: (command) => ({
      name: "run_shell_command",
      arguments: { command, description: "Runs a command", is_background: false },
    }),
    read: (path) => ({ name: "read_file", arguments: { file_path: join(directory, path) } }),
    write: (path, content) => ({ name: "write_file", arguments: { file_path: join(directory, path), content } }),
    clear: "/clear",
  }),
  isReady: shows(/> {1,3}Type your message/),
  asks: (tool) => tool === "run_shell_command" || tool === "write_file",
  dialog: /Waiting for user confirmation/,
  approveKeys: ["\r"],
  denyKeys: ["\u001B"],
  interruptKeys: ["\u001B"],
  clearKeys: "\u0015",
  exit: "/quit",
};

export const drivers: Readonly<Record<string, AgentDriver>> = {
  opencode,
  "opencode-mini": { ...opencode, command: "opencode --mini", isReady: shows(/ctrl\+p cmd/) },
  qwen,
};
