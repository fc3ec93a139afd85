/** Connects an editor to an agent over the Agent Client Protocol. */
import { LecternError } from "../../../core/errors.ts";
import { defineCommand } from "../../../cli/command.ts";
import { runProxy } from "./run-proxy.ts";

const ON_DISCONNECT = ["keep", "end"] as const;

export const acp = defineCommand({
  name: "acp",
  summary: "Connect an editor to an agent that outlives it",
  details: [
    "The command of an agent in the settings of an editor gets this in front: the agent runs as a session, and",
    "standard input and output are its connection. It outlives the editor and the daemon; with --name, the next",
    "start of the same command continues. See docs/acp.md.",
  ],
  optionsFirst: true,
  arguments: [{ name: "command", summary: "The agent and its arguments, without a shell", count: "many" }],
  options: {
    proxy: { type: "flag", summary: "Pass on everything between the editor and the agent" },
    name: { type: "text", short: "n", placeholder: "NAME", summary: "Name of the session; a running one is continued" },
    "on-disconnect": {
      type: "text",
      placeholder: "WHAT",
      choices: ON_DISCONNECT,
      summary: "If the editor ends: keep the agent or end it; default: keep with --name, else end",
    },
  },
  examples: [
    "lectern acp --proxy -- claude-agent-acp",
    "lectern acp --proxy --name shop -- gemini --acp",
    "lectern acp --proxy --name shop --on-disconnect end -- opencode acp",
  ],
  async run({ arguments: { command }, options }, context) {
    const [program, ...words] = command;
    if (!options.proxy || program === undefined)
      throw new LecternError(
        "USAGE",
        'Cannot connect an editor: give --proxy and the agent, as in "lectern acp --proxy -- AGENT"',
      );
    if (context.host !== undefined)
      throw new LecternError(
        "USAGE",
        `Cannot use --host: run "lectern acp" on that machine, over the editor's own connection`,
      );
    const { name } = options;
    const isKept = (options["on-disconnect"] ?? (name === undefined ? "end" : "keep")) === "keep";
    await runProxy({ command: [program, ...words], name, isKept }, context);
  },
});
