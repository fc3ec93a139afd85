/** Anthropic's Messages API: the conversation in its form, and one turn of the model. */
import { modelFetch } from "lectern";
import { WireReader, type Turn, type WireDelta } from "lectern/llm";

/** What a model is offered; a gate checks each call against the schema. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface ToolResult {
  readonly text: string;
  readonly failed: boolean;
}

export interface ModelOptions {
  readonly url: string;
  readonly key: string | undefined;
  readonly model: string;
  readonly system: string;
  readonly tool: OfferedTool;
  readonly onDelta: (delta: WireDelta) => void;
}

const OUTPUT_TOKENS_MAX = 16_384;

export class Conversation {
  readonly #options: ModelOptions;
  readonly #messages: object[] = [];
  readonly #send = modelFetch();

  constructor(options: ModelOptions, prompt: string) {
    this.#options = options;
    this.#messages.push({ role: "user", content: prompt });
  }

  /** One turn, which is part of the conversation then. Rejects if the model server refuses or cannot be reached. */
  async turn(signal: AbortSignal): Promise<Turn> {
    const { key = "", model, onDelta, system, tool, url } = this.#options;
    const tools = [{ name: tool.name, description: tool.description, input_schema: tool.schema }];
    const asked = { model, system, max_tokens: OUTPUT_TOKENS_MAX, stream: true, messages: this.#messages, tools };
    const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": key };
    const request = { method: "POST", headers, body: JSON.stringify(asked), signal };
    const response = await this.#send(`${url}/v1/messages`, request);
    if (!response.ok) throw new Error(`The model server refused: ${response.status} ${await response.text()}`);
    const reader = new WireReader("anthropic");
    for await (const chunk of response.body ?? []) for (const delta of reader.feed(chunk)) onDelta(delta);
    for (const delta of reader.end()) onDelta(delta);
    const { text, toolCalls } = reader.turn;
    // The API takes only whole JSON back; the gate refuses a call without it.
    const calls = toolCalls.map(({ arguments: given, id, name, status }) => {
      return { type: "tool_use", id, name, input: status === "complete" ? given : {} };
    });
    const content = [...(text === "" ? [] : [{ type: "text", text }]), ...calls];
    if (content.length > 0) this.#messages.push({ role: "assistant", content });
    return reader.turn;
  }

  /** The result of each call of the last turn, by its id. */
  answer(results: ReadonlyMap<string, ToolResult>): void {
    const content = Array.from(results, ([id, { failed, text }]) => {
      return { type: "tool_result", tool_use_id: id, content: text, is_error: failed };
    });
    this.#messages.push({ role: "user", content });
  }
}
