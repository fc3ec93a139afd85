import type { ChatMessage } from "../../core/chat/message.ts";
import { isWithdrawn } from "../../core/chat/withdrawn.ts";
import { removeActingLines } from "../../core/text/escape.ts";
import { withDaemon } from "../ask-again.ts";
import { defineCommand, requireOneFormat, shownSessionArgument } from "../command.ts";
import type { CliContext } from "../context.ts";

export const chat = defineCommand({
  name: "chat",
  summary: "Print the conversation of a session as messages",
  arguments: [shownSessionArgument],
  options: {
    follow: { type: "flag", short: "f", summary: "Follow until the session ends" },
    last: {
      type: "number",
      short: "n",
      placeholder: "N",
      minimum: 1,
      maximum: 10_000,
      summary: "Only the last N messages",
    },
    md: { type: "flag", summary: "As Markdown" },
    raw: { type: "flag", summary: "With event tags in the text" },
    json: { type: "flag", summary: "One message per line; a later line with the same id replaces the earlier one" },
  },
  examples: ["lectern chat work", "lectern chat -f work", "lectern chat work --md > work.md"],
  async run({ arguments: { session }, options }, context) {
    requireOneFormat(options, "md", "json");
    const client = await context.client();
    const { signal } = context;
    if (options.follow) context.endWithReader();
    const show = options.json ? showJson : options.md ? showMarkdown : showPlain;
    const { messages, next } = await client.call("sessions.messages", { session, last: options.last }, { signal });
    // While following, text prints a message once it is complete; JSON prints each of its states.
    const isReady = ({ isPartial }: ChatMessage): boolean => options.json || !isPartial || !options.follow;
    const printed = new Set<string>();
    const print = async (message: ChatMessage): Promise<void> => {
      if (!isReady(message) || (!options.json && printed.has(message.id))) return;
      // In JSON it replaces an earlier line.
      if (isWithdrawn(message) && !printed.has(message.id)) return;
      printed.add(message.id);
      await show(options.raw ? { ...message, text: message.rawText ?? message.text } : message, context);
    };
    for (const message of messages) await print(message);
    if (!options.follow) return;
    const following = { from: next, kinds: ["message"], signal, beforeReconnect: withDaemon(context) } as const;
    for await (const change of client.updates(session, following)) {
      if (change.kind === "message") await print(change.message);
    }
  },
});

async function showJson(message: ChatMessage, context: CliContext): Promise<void> {
  await context.print(JSON.stringify(message));
}

async function showPlain(message: ChatMessage, context: CliContext): Promise<void> {
  const { style } = context;
  const head = style.bold(titleOf(message)) + style.dim(notesOf(message));
  await context.print(`${head}\n${removeActingLines(bodyOf(message)).replaceAll(/^(?=.)/gm, "  ")}\n`);
}

async function showMarkdown(message: ChatMessage, context: CliContext): Promise<void> {
  const body = removeActingLines(bodyOf(message));
  const isCode = message.role === "shell" || message.role === "tool-result" || message.role === "tool-call";
  const text = isCode ? `\`\`\`\`text\n${body}\n\`\`\`\`` : body;
  await context.print(`### ${titleOf(message)}${notesOf(message)}\n\n${text}\n`);
}

function titleOf({ role, agent, tool, shell }: ChatMessage): string {
  if (shell !== undefined) return shell.exitCode === null ? "shell" : `shell (exit ${shell.exitCode})`;
  if (tool !== undefined) return `${role} ${tool.name}`;
  return role === "assistant" ? (agent ?? role) : role;
}

function notesOf({ doubts, isPartial, isIncomplete }: ChatMessage): string {
  const incomplete = doubts === undefined ? "incomplete: parts were not captured" : "incomplete";
  const notes = [isPartial ? "partial" : "", isIncomplete ? incomplete : "", ...(doubts ?? [])].filter(Boolean);
  return notes.length === 0 ? "" : ` [${notes.join(", ")}]`;
}

const bodyOf = ({ text, shell }: ChatMessage): string =>
  shell === undefined ? text : [`$ ${shell.command}`, text].filter(Boolean).join("\n");
