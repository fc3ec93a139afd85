/** Questions of Codex's own server: what it asks, its options in the order of its terminal, and the decision that each of them is. */
import { requestText } from "../acp/acp-answer.ts";
import type { DriverOption, DriverQuestion } from "../acp/acp-fold.ts";
import { quoteShellWords, splitShellWords } from "../text/command-line.ts";
import { asList, asText, fieldsOf, type JsonObject } from "../wire/shape.ts";
import { COMMAND_APPROVAL, FILE_APPROVAL, type CodexMessage } from "./codex-messages.ts";

/**
 * Null for a request that only the terminal can answer, such as one of which something was left out: nobody allows what is not shown. `changes`: JSON of what a change of
 * files would do.
 */
export function codexQuestion(
  { id, isCut, method, params }: CodexMessage,
  changes: string | null,
): DriverQuestion | null {
  const isCommand = method === COMMAND_APPROVAL;
  if (id === undefined || isCut === true || (!isCommand && method !== FILE_APPROVAL)) return null;
  const command = asText(params["command"]);
  // Access to the network is another question, which the terminal words.
  if (isCommand && command === undefined) return null;
  const input = isCommand
    ? { command: scriptOf(command ?? ""), cwd: params["cwd"], reason: params["reason"] }
    : { changes: changes === null ? null : (JSON.parse(changes) as unknown), reason: params["reason"] };
  const tool = {
    call: asText(params["itemId"]) ?? "",
    name: isCommand ? "exec_command" : "apply_patch",
    kind: isCommand ? "execute" : "edit",
    title: isCommand ? "Would you like to run the following command?" : "Would you like to make the following edits?",
    input: JSON.stringify(input),
    state: "pending",
    output: "",
  };
  const options = decisionsOf(params).map((decision, index) => optionOf(decision, index));
  return { id: JSON.stringify(id), request: requestText({ id, params }), tool, options };
}

/** The answer that an option of this question is; undefined for an option that it does not have. */
export const codexDecision = ({ params }: CodexMessage, option: string): unknown =>
  decisionsOf(params)[Number(option) - 1];

/** Those that the server names, else those of its terminal. */
function decisionsOf(params: JsonObject): readonly unknown[] {
  const named = asList(params["availableDecisions"]);
  return named.length > 0 ? named : ["accept", "acceptForSession", "cancel"];
}

const known: Readonly<Record<string, Omit<DriverOption, "id">>> = {
  accept: { label: "Yes, proceed", kind: "allow_once" },
  acceptForSession: { label: "Yes, and don't ask again in this session", kind: "allow_always" },
  acceptWithExecpolicyAmendment: { label: "Yes, and don't ask again for commands", kind: "allow_always" },
  decline: { label: "No, continue without it", kind: "reject_once" },
  cancel: { label: "No, and tell Codex what to do differently", kind: "reject_once" },
};

function optionOf(decision: unknown, index: number): DriverOption {
  const id = String(index + 1);
  const name = asText(decision) ?? Object.keys(fieldsOf(decision))[0] ?? "";
  const amendment = fieldsOf(fieldsOf(decision)[name])["execpolicy_amendment"];
  const { label, kind } = known[name] ?? { label: name, kind: "" };
  const start = asList(amendment).filter((word) => typeof word === "string");
  return {
    id,
    kind,
    label: start.length === 0 ? label : `${label} that start with \`${scriptOf(quoteShellWords(start))}\``,
  };
}

/** `/bin/bash -lc 'echo x'` runs `echo x`. */
function scriptOf(command: string): string {
  const [program = "", flag, script, ...rest] = splitShellWords(command);
  const isShell = /(?:^|\/)(?:ba|z|da)?sh$/.test(program) && /^-l?c$/.test(flag ?? "");
  return isShell && script !== undefined && rest.length === 0 ? script : command;
}
