/**
 * Reads both directions of a connection of the Agent Client Protocol: (state, direction, message) -> events.
 *
 * Laws: nothing that an agent or an editor sends is fatal; a tool call is known by its id, wherever it appears first; an answer is that to
 * the request with its id from the other side; each option is known by its id.
 */
import { forgetOldest } from "../forget-oldest.ts";
import { requestText } from "./acp-answer.ts";
import { CANCEL_REQUEST, isRequest, readCutMessage, type AcpLine, type RpcMessage } from "./acp-lines.ts";
import { asList, asText, fieldsOf, type JsonObject } from "../wire/shape.ts";

/** A tool call as it is known so far. `name` is that of the tool, for programs; `title` is for people. */
export interface DriverTool {
  readonly call: string;
  readonly name: string | null;
  readonly kind: string;
  readonly title: string;
  /** JSON; null before it is known. */
  readonly input: string | null;
  readonly state: string;
  /** Its text so far; "" if it has none. */
  readonly output: string;
}

export interface DriverOption {
  readonly id: string;
  readonly label: string;
  readonly kind: string;
}

/** A question of the agent to a person. `id` is that of its request, as JSON; `request` is that of `acp-answer.ts`. */
export interface DriverQuestion {
  readonly id: string;
  readonly request: string;
  readonly tool: DriverTool;
  readonly options: readonly DriverOption[];
}

/** What either side of a connection reports. */
export type DriverEvent =
  | { readonly type: "turn-start"; readonly turn: string; readonly prompt: string }
  /** `stop` is the reason of the protocol, or `error`, with the `message` of it. */
  | { readonly type: "turn-end"; readonly turn: string; readonly stop: string; readonly message: string | null }
  /** More of a message: the same `message` is continued. */
  | {
      readonly type: "text";
      readonly message: string;
      readonly role: "user" | "assistant" | "thought";
      readonly text: string;
    }
  | { readonly type: "tool"; readonly tool: DriverTool }
  | { readonly type: "question"; readonly question: DriverQuestion }
  /** `option`: which was chosen; null if none was. */
  | { readonly type: "question-gone"; readonly question: DriverQuestion; readonly option: string | null }
  | { readonly type: "notice"; readonly severity: string; readonly text: string }
  | { readonly type: "noise"; readonly text: string }
  /** What changes no view: a request, an update or a message that this reader does not know or that was too long for it. */
  | { readonly type: "raw"; readonly method: string | null };

/** `client`: the editor. */
export type AcpSide = "client" | "agent";

/** Questions and other requests without an answer, and tool calls: the oldest are forgotten, a question as one that is withdrawn. */
const QUESTIONS_MAX = 100;
const REQUESTS_MAX = 1000;
const TOOLS_MAX = 1000;

/** Plain data. */
export interface AcpFoldState {
  /** The methods of requests without an answer, by side and id. */
  readonly requests: Readonly<Record<string, string>>;
  readonly questions: readonly DriverQuestion[];
  readonly tools: readonly DriverTool[];
  readonly text: { readonly role: string; readonly id: string | null; readonly message: number };
}

export class AcpFold {
  readonly #requests: Map<string, string>;
  readonly #questions: Map<string, DriverQuestion>;
  readonly #tools: Map<string, DriverTool>;
  /** The message that grows: its role, the id that the agent gave it, and its number. */
  #text: AcpFoldState["text"];

  constructor(state?: AcpFoldState) {
    this.#requests = new Map(Object.entries(state?.requests ?? {}));
    this.#questions = new Map(state?.questions.map((question) => [question.id, question]));
    this.#tools = new Map(state?.tools.map((tool) => [tool.call, tool]));
    this.#text = state?.text ?? { role: "", id: null, message: 0 };
  }

  /** Oldest first. */
  get questions(): readonly DriverQuestion[] {
    return [...this.#questions.values()];
  }

  /** A prompt has no answer yet. */
  get hasTurn(): boolean {
    return [...this.#requests].some(([key, method]) => key.startsWith("client") && method === "session/prompt");
  }

  step(from: AcpSide, line: AcpLine): DriverEvent[] {
    if (line.type === "piece") return line.head === null ? [] : this.#cut(from, readCutMessage(line.head));
    if (line.type === "noise") return from === "client" || line.text === "" ? [] : [{ type: "noise", text: line.text }];
    return this.#message(from, line.message);
  }

  /** The beginning of a message that is longer than the limit. */
  #cut(from: AcpSide, message: RpcMessage | null): DriverEvent[] {
    if (message === null) return [{ type: "raw", method: null }];
    if (message.method !== "session/request_permission") return this.#message(from, message);
    // Its options may be in the rest, and an answer has a key made of all of it.
    return [
      { type: "notice", severity: "warning", text: "A question is too long to be shown: answer it in the editor" },
    ];
  }

  #message(from: AcpSide, message: RpcMessage): DriverEvent[] {
    if (message.method === undefined) return this.#answer(from, message);
    if (isRequest(message)) {
      this.#requests.set(keyOf(from, message), message.method);
      forgetOldest(this.#requests, REQUESTS_MAX);
    }
    const params = fieldsOf(message.params);
    switch (message.method) {
      case "session/prompt":
        if (!isRequest(message)) return [{ type: "raw", method: message.method }];
        this.#endText();
        return [{ type: "turn-start", turn: JSON.stringify(message.id), prompt: blocksText(params["prompt"]) }];
      case "session/update":
        return this.#update(fieldsOf(params["update"]));
      case "session/request_permission":
        return this.#ask(message, params);
      case CANCEL_REQUEST:
        return from === "agent" ? this.#withdraw(JSON.stringify(params["requestId"]), null) : [];
      default:
        return [{ type: "raw", method: message.method }];
    }
  }

  save(): AcpFoldState {
    return {
      requests: Object.fromEntries(this.#requests),
      questions: this.questions,
      tools: [...this.#tools.values()],
      text: this.#text,
    };
  }

  #answer(from: AcpSide, message: RpcMessage): DriverEvent[] {
    const key = keyOf(from === "agent" ? "client" : "agent", message);
    const method = this.#requests.get(key);
    this.#requests.delete(key);
    const id = JSON.stringify(message.id);
    if (method === "session/request_permission") return this.#withdraw(id, chosenOption(message));
    if (method !== "session/prompt") return [];
    this.#endText();
    const error = fieldsOf(message.error)["message"];
    const stop = message.error === undefined ? textOf(fieldsOf(message.result)["stopReason"], "end_turn") : "error";
    // Whoever asked in a turn that did not come to its end does not wait for the answer.
    const isAborted = (stop === "cancelled" || stop === "error") && !this.hasTurn;
    const gone = isAborted ? this.questions.flatMap((question) => this.#withdraw(question.id, null)) : [];
    return [...gone, { type: "turn-end", turn: id, stop, message: asText(error) ?? null }];
  }

  #update(update: JsonObject): DriverEvent[] {
    const kind = textOf(update["sessionUpdate"], "");
    switch (kind) {
      case "user_message_chunk":
        return this.#say("user", update);
      case "agent_message_chunk":
        return this.#say("assistant", update);
      case "agent_thought_chunk":
        return this.#say("thought", update);
      case "tool_call":
      case "tool_call_update": {
        const tool = this.#tool(update);
        return tool === null ? [{ type: "raw", method: kind }] : [{ type: "tool", tool }];
      }
      case "notice": {
        const text = [update["title"], update["description"]].filter((part) => typeof part === "string").join(": ");
        return [{ type: "notice", severity: textOf(update["severity"], "info"), text }];
      }
      default:
        return [{ type: "raw", method: kind }];
    }
  }

  #say(role: "user" | "assistant" | "thought", update: JsonObject): DriverEvent[] {
    const text = blockText(fieldsOf(update["content"]));
    if (text === "") return [];
    const id = asText(update["messageId"]) ?? null;
    const { role: before, id: idBefore, message } = this.#text;
    const isNew = role !== before || (id !== null && idBefore !== null && id !== idBefore);
    this.#text = { role, id: id ?? (isNew ? null : idBefore), message: isNew ? message + 1 : message };
    return [{ type: "text", message: String(this.#text.message), role, text }];
  }

  /** What comes next is another message. */
  #endText(): void {
    this.#text = { ...this.#text, role: "", id: null };
  }

  /** Null without an id. A field that is missing or null stays as it was, and so does an input that has become empty. */
  #tool(update: JsonObject): DriverTool | null {
    const call = update["toolCallId"];
    if (typeof call !== "string") return null;
    this.#endText();
    const before = this.#tools.get(call) ?? newTool(call);
    const input = update["rawInput"];
    const hasInput = input !== undefined && input !== null && Object.keys(fieldsOf(input)).length > 0;
    const output = Array.isArray(update["content"]) ? contentText(update["content"]) : before.output;
    const tool: DriverTool = {
      call,
      name: asText(update["name"]) ?? before.name,
      kind: textOf(update["kind"], before.kind),
      title: textOf(update["title"], before.title),
      input: hasInput ? JSON.stringify(input) : before.input,
      state: textOf(update["status"], before.state),
      output,
    };
    this.#tools.set(call, tool);
    forgetOldest(this.#tools, TOOLS_MAX);
    return tool;
  }

  #ask(message: RpcMessage, params: JsonObject): DriverEvent[] {
    const tool = this.#tool(fieldsOf(params["toolCall"]));
    if (tool === null || !isRequest(message)) return [{ type: "raw", method: "session/request_permission" }];
    const options = asList(params["options"]).flatMap(optionOf);
    const question: DriverQuestion = { id: JSON.stringify(message.id), request: requestText(message), tool, options };
    // An id that is used again is that of the new question: the one before can no longer be answered.
    const gone = this.#withdraw(question.id, null);
    this.#questions.set(question.id, question);
    const [oldest] = this.#questions.keys();
    if (this.#questions.size > QUESTIONS_MAX && oldest !== undefined) gone.push(...this.#withdraw(oldest, null));
    return [...gone, { type: "tool", tool }, { type: "question", question }];
  }

  #withdraw(id: string, option: string | null): DriverEvent[] {
    const question = this.#questions.get(id);
    this.#questions.delete(id);
    return question === undefined ? [] : [{ type: "question-gone", question, option }];
  }
}

const keyOf = (side: AcpSide, { id }: RpcMessage): string => `${side} ${JSON.stringify(id)}`;

const newTool = (call: string): DriverTool => ({
  call,
  name: null,
  kind: "other",
  title: "",
  input: null,
  state: "pending",
  output: "",
});

const textOf = (value: unknown, otherwise: string): string => asText(value) ?? otherwise;

function optionOf(value: unknown): DriverOption[] {
  const { optionId, name, kind } = fieldsOf(value);
  return typeof optionId === "string" ? [{ id: optionId, label: textOf(name, optionId), kind: textOf(kind, "") }] : [];
}

function chosenOption({ result }: RpcMessage): string | null {
  const { outcome, optionId } = fieldsOf(fieldsOf(result)["outcome"]);
  return outcome === "selected" && typeof optionId === "string" ? optionId : null;
}

const blocksText = (blocks: unknown): string =>
  asList(blocks)
    .map((block) => blockText(fieldsOf(block)))
    .join("");

/** What a person reads of a block: its text, or in brackets what it is. */
function blockText(block: JsonObject): string {
  const type = textOf(block["type"], "");
  if (type === "text") return textOf(block["text"], "");
  const place = textOf(block["uri"], textOf(fieldsOf(block["resource"])["uri"], ""));
  return type === "" ? "" : `[${[type, place].filter((part) => part !== "").join(" ")}]`;
}

function contentText(content: readonly unknown[]): string {
  const texts = content.map((each) => {
    const { type, content: block, path, terminalId } = fieldsOf(each);
    if (type === "content") return blockText(fieldsOf(block));
    return `[${[textOf(type, "content"), textOf(path, textOf(terminalId, ""))].join(" ").trim()}]`;
  });
  return texts.join("\n");
}
