/** Connects an editor by the Agent Client Protocol: to sessions, or to an agent that outlives it. */
import { LecternError } from "../../../core/errors.ts";
import { buildVersion } from "../../../daemon/version.ts";
import { defineCommand } from "../../../cli/command.ts";

const ON_DISCONNECT = ["keep", "end"] as const;

export const acp = defineCommand({
  name: "acp",
  summary: "Connect an editor to sessions, or to an agent that outlives it",
  details: [
    "An editor starts it as its agent, by the Agent Client Protocol; docs/acp.md has the settings of editors.",
    "Its conversations are sessions: all can be listed and loaded. A new one starts COMMAND, in a terminal; with",
    "--session it is that of a session that runs.",
    "With --proxy, COMMAND is an agent that speaks the protocol itself: it runs as a session, and standard input and",
    "output are its connection. It outlives the editor and the daemon; with --name, the next start continues.",
  ],
  optionsFirst: true,
  arguments: [{ name: "command", summary: "The program or agent with its arguments, without a shell", count: "any" }],
  options: {
    session: {
      type: "text",
      short: "s",
      placeholder: "SESSION",
      completes: "session",
      summary: "A new conversation is this session",
    },
    proxy: { type: "flag", summary: "Pass on everything between the editor and the agent" },
    name: {
      type: "text",
      short: "n",
      placeholder: "NAME",
      summary: "With --proxy: name of the session; a running one is continued",
    },
    "on-disconnect": {
      type: "text",
      placeholder: "WHAT",
      choices: ON_DISCONNECT,
      summary: "With --proxy, the agent when the editor ends; default: keep with --name, else end",
    },
  },
  examples: [
    "lectern acp -- claude",
    "lectern acp --session work",
    "lectern acp --proxy --name shop -- gemini --acp",
    "lectern acp --proxy --name shop --on-disconnect end -- opencode acp",
  ],
  async run({ arguments: { command }, options }, context) {
    const { name, proxy, session } = options;
    const [program, ...words] = command;
    if (session !== undefined && (proxy || program !== undefined))
      throw new LecternError(
        "USAGE",
        "Cannot combine --session with --proxy or a command: a new conversation is one of them",
      );
    if (!proxy) {
      if (name !== undefined || options["on-disconnect"] !== undefined)
        throw new LecternError("USAGE", 'Options "--name" and "--on-disconnect" need "--proxy"');
      const { serveAgent } = await import("./agent/serve-agent.ts");
      return await serveAgent({ command, session, version: buildVersion() }, context);
    }
    if (program === undefined)
      throw new LecternError("USAGE", 'Missing argument: give the agent, as in "lectern acp --proxy -- AGENT"');
    if (context.host !== undefined)
      throw new LecternError(
        "USAGE",
        `Cannot use --host with --proxy: run "lectern acp" on that machine, over the editor's own connection`,
      );
    const isKept = (options["on-disconnect"] ?? (name === undefined ? "end" : "keep")) === "keep";
    const { runProxy } = await import("./run-proxy.ts");
    await runProxy({ command: [program, ...words], name, isKept }, context);
  },
});
