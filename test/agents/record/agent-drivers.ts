/** How a plan is carried out with each agent: keys, and how its screen looks when it waits. */
import { join } from "node:path";
import type { AgentName } from "../installed-agents.ts";
import type { ScriptedCall } from "../../support/scripted-model/scenario.ts";
import { dialogDrivers } from "./dialog-drivers.ts";
import type { AgentTools } from "./recording-plans.ts";

export interface AgentDriver {
  readonly agent: AgentName;
  /** As it is typed in the shell. */
  readonly command: string;
  /** The name under which the agent is found, if it is not the first word of the command. */
  readonly program?: string;
  /** Variables besides those of `AgentHome`; `url` is where the model is. */
  readonly environment?: (url: string) => Readonly<Record<string, string>>;
  /** Files in its home besides those of `AgentHome`. */
  readonly files?: Readonly<Record<string, object | string>>;
  /** `directory` is where it works. */
  readonly tools: (directory: string) => AgentTools;
  readonly isReady: (rows: readonly string[]) => boolean;
  /** A dialog at its start, and the keys that end it. */
  readonly startKeys?: {
    readonly name: string;
    readonly isShown: (rows: readonly string[]) => boolean;
    readonly keys: string;
    /** Where it is a question that is an approval. */
    readonly decision?: "approve";
  };
  /** Whether a person is asked before this tool runs. */
  readonly asks: (call: ScriptedCall) => boolean;
  readonly dialog: RegExp;
  readonly approveKeys: readonly string[];
  readonly alwaysKeys?: readonly string[];
  readonly denyKeys: readonly string[];
  /** What it shows when it has done with a call that was denied; what is typed before that is lost. */
  readonly denied?: RegExp;
  readonly interruptKeys: readonly string[];
  /** Takes away what it puts into the input after an interruption. */
  readonly clearKeys?: string;
  /** It shows an answer when all of it has come, so it is interrupted after this time, seconds, and nothing of it is shown. */
  readonly interruptAfter?: number;
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
    resume: "opencode --continue",
    planKeys: ["\t", "\t"],
  }),
  // With a conversation it shows its tokens there.
  isReady: shows(/Ask anything|\d +ctrl\+p commands/),
  asks: ({ name }) => name === "bash" || name === "write",
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
    resume: "qwen --continue",
    planKeys: ["\u001B[Z\u001B[Z\u001B[Z", "\u001B[Z"],
  }),
  isReady: shows(/> {1,3}Type your message/),
  asks: ({ name }) => name === "run_shell_command" || name === "write_file",
  dialog: /Waiting for user confirmation/,
  approveKeys: ["\r"],
  denyKeys: ["\u001B"],
  interruptKeys: ["\u001B"],
  clearKeys: "\u0015",
  exit: "/quit",
};

const copilot: AgentDriver = {
  agent: "copilot",
  command: "copilot",
  tools: (directory) => ({
    shell: (command) => ({ name: "bash", arguments: { command, description: "Runs a command" } }),
    read: (path) => ({ name: "view", arguments: { path: join(directory, path) } }),
    write: (path, content) => ({ name: "create", arguments: { path: join(directory, path), file_text: content } }),
    clear: "/clear",
  }),
  isReady: shows(/\/ commands/),
  asks: ({ name }) => name === "bash" || name === "create",
  dialog: /Do you want to (?:run|create|edit)/,
  approveKeys: ["\r"],
  alwaysKeys: ["2"],
  denyKeys: ["\u001B"],
  denied: /Operation cancelled by user/,
  interruptKeys: ["\u001B", "\u001B"],
  exit: "/exit",
};

const continueCli: AgentDriver = {
  agent: "continue",
  command: "cn",
  tools: () => ({
    shell: (command) => ({ name: "Bash", arguments: { command } }),
    read: (path) => ({ name: "Read", arguments: { filepath: path } }),
    write: (path, content) => ({ name: "Write", arguments: { filepath: path, content } }),
    clear: "/clear",
  }),
  isReady: shows(/^│ ● /u),
  asks: ({ name }) => name === "Bash" || name === "Write",
  dialog: /Would you like to continue\?/,
  approveKeys: ["\r"],
  alwaysKeys: ["\u001B[Z"],
  denyKeys: ["\u001B"],
  interruptKeys: ["\u001B"],
  interruptAfter: 2,
  exit: "/exit",
};

export const drivers: Readonly<Record<string, AgentDriver>> = {
  opencode,
  "opencode-mini": { ...opencode, command: "opencode --mini", isReady: shows(/ctrl\+p cmd/) },
  qwen,
  copilot,
  continue: continueCli,
  ...dialogDrivers,
};
