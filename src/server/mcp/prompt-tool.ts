/** The tool that drives another agent: a prompt with a receipt, its answer, and what it asks. */
import { randomUUID } from "node:crypto";
import * as z from "zod";
import { isFinal, RECEIPT_STATES, type AnsweredReceipt } from "../../core/acting/receipt.ts";
import { promptKeySchema } from "../../protocol/views.ts";
import { defineTool, hintField, sessionField, timeoutField } from "./tool.ts";

const ANSWER_CHARS_MAX = 16_384;

export const prompt = defineTool({
  name: "prompt",
  title: "Prompt another agent",
  description: [
    "Types a prompt for the agent of a session, once, when it is at its prompt, and waits for the end of its turn: `output` is its answer.",
    "A prompt that waits for another one is typed after it. The same text with the same `key` is never typed twice: repeat the call to wait on after a timeout.",
    "If the agent asks a person something, `question` has it. For a command of a shell use `run`.",
  ],
  input: z.strictObject({
    session: sessionField,
    text: z.string().min(1).max(262_144),
    key: promptKeySchema.optional().describe("Of this prompt. Default: a new one, which the answer names"),
    timeoutMs: timeoutField,
  }),
  output: z.strictObject({
    key: z.string(),
    state: z.enum(RECEIPT_STATES),
    reason: z.string().nullable().describe("Why it failed, or what it waits for"),
    question: z.string().nullable().describe("What the session asks a person"),
    approval: z.string().nullable().describe("Id of that question, as `status` shows it with its options"),
    hint: hintField,
    output: z.string().describe("What the agent has answered, as far as it has come"),
  }),
  run: async ({ session, text, key = randomUUID(), timeoutMs }, calls) => {
    const receipt = await calls.call("sessions.prompt", { session, text, key, waitMs: timeoutMs });
    const { state, asks } = receipt;
    const { answer } = await calls.call("sessions.digest", { session, turn: "last" });
    const isAnswered = state === "working" || state === "done";
    return {
      ...receipt,
      question: asks?.question ?? null,
      approval: asks?.approval ?? null,
      hint: promptHint(receipt),
      output: isAnswered ? (answer?.text ?? "").slice(-ANSWER_CHARS_MAX) : "",
    };
  },
});

function promptHint(receipt: AnsweredReceipt): string {
  const { key, state, asks } = receipt;
  if (asks?.approval != null)
    return `Ask your user what to answer, then \`approve\` it; \`prompt\` with the same text and the key ${key} waits for the rest`;
  if (asks !== null) return "A command of it reads input: look at the `screen`, and `send` an answer with enter: true";
  if (state === "done") return "Done; `digest` has its commands, tools and files";
  if (isFinal(receipt)) return "It was not taken: look at the `screen`, and `prompt` again";
  return `Not done: \`prompt\` with the same text and the key ${key} waits again and types nothing twice, or \`send\` the key Escape to stop the agent`;
}
