/** A small agent for all four dialects, whose calls all pass the gate and are written to the audit log. */
import { LecternError } from "../../core/errors.ts";
import { checkPolicyText } from "../../core/gate/policy-text.ts";
import type { Tool } from "../../executor/tool.ts";
import { dialects, chooseUpstream } from "../agent/upstream.ts";
import { defineCommand } from "../command.ts";
import type { CliContext } from "../context.ts";
import { readPolicyFile, readTextFile, type LoadedPolicy } from "../policy-file.ts";

/** Default policy: allows reads below the working directory and asks for everything else. */
const cautiousPolicy = `version: 1
default: ask
rules:
  - { id: read-here, effect: allow, tool: read_file, arguments: [{ at: /path, under: . }] }
`;

export const agent = defineCommand({
  name: "agent",
  summary: "Chat with a model and its tools; each call is checked and audited",
  details: [
    "The tools are a shell, files and MCP servers; the policy decides about each call.",
    "The key is read from ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY and is never passed to a command or recorded.",
    "Without a prompt, prompts are read from the terminal. Ctrl-C stops the running calls, then the turn.",
    'To record it as a session: "lectern run -- lectern agent".',
  ],
  optionsFirst: true,
  arguments: [{ name: "prompt", summary: "What to do; read from the terminal if omitted", count: "any" }],
  options: {
    dialect: {
      type: "text",
      placeholder: "NAME",
      choices: dialects,
      summary: "Default: the dialect of the key that is set",
    },
    "base-url": { type: "text", placeholder: "URL", summary: "Default: from the environment, or the vendor's URL" },
    model: { type: "text", short: "m", placeholder: "NAME", summary: "Default: LECTERN_MODEL" },
    policy: {
      type: "text",
      short: "p",
      placeholder: "POLICY",
      completes: "file",
      summary: "Policy for tool calls, a file or coding, review, ci; default: ask",
    },
    "mcp-config": {
      type: "text",
      placeholder: "FILE",
      completes: "file",
      summary: 'MCP servers: {"mcpServers": {"NAME": {"command": "...", "args": []}}}',
    },
    json: { type: "flag", summary: "Print events, one per line" },
  },
  examples: ["lectern agent --model claude-sonnet-4-5 why does the build fail", "lectern agent --policy policy.yaml"],
  async run({ arguments: { prompt }, options }, context) {
    const upstream = chooseUpstream(
      { dialect: options.dialect, baseUrl: options["base-url"], model: options.model },
      context.environment,
    );
    if (upstream.isGuarded && options.policy !== undefined) {
      throw new LecternError(
        "USAGE",
        'Cannot use --policy behind the gateway, which decides about each call: use "lectern run --policy"',
      );
    }
    const policy = options.policy === undefined ? defaultPolicy() : await readPolicyFile(options.policy, context);
    const client = await context.client();
    await using servers = await mcpServers(options["mcp-config"], context);
    const { runAgent } = await import("../agent/run-agent.ts");
    const text = prompt.length === 0 ? undefined : prompt.join(" ");
    return runAgent({ upstream, policy, moreTools: servers.tools, client, prompt: text, json: options.json }, context);
  },
});

function defaultPolicy(): LoadedPolicy {
  const checked = checkPolicyText(cautiousPolicy);
  if (!checked.ok) throw new TypeError("The default policy of the agent is invalid");
  return { policy: checked.policy, text: cautiousPolicy };
}

async function mcpServers(
  file: string | undefined,
  context: CliContext,
): Promise<AsyncDisposable & { readonly tools: readonly Tool[] }> {
  if (file === undefined) return { tools: [], [Symbol.asyncDispose]: async () => undefined };
  const { connectMcpServers, readMcpConfig } = await import("../../executor/mcp-tools.ts");
  const { buildVersion } = await import("../version.ts");
  const servers = readMcpConfig(await readTextFile(file, context), file);
  const { signal, workingDirectory } = context;
  return connectMcpServers(servers, { version: buildVersion(), workingDirectory, signal });
}
