/** The `openai` library: Chat Completions and Responses. */
import OpenAI from "openai";
import type { SeenCall } from "./answer.ts";
import type { LibraryReader, SeenViews } from "./libraries.ts";
import { callOf } from "./seen-call.ts";

type Json = Readonly<Record<string, unknown>>;

const clientOf = (fetch: typeof globalThis.fetch): OpenAI =>
  new OpenAI({ apiKey: "k", baseURL: "http://localhost/v1", maxRetries: 0, fetch, logLevel: "off" });
const parameters = { model: "m", messages: [{ role: "user" as const, content: "Do it" }] };

export const chatReader: LibraryReader = async (isStream, fetch): Promise<SeenViews> => {
  const client = clientOf(fetch);
  if (!isStream) {
    const whole = await attempt(async () => callsOfChat(await client.chat.completions.create(parameters)));
    return { answer: whole ?? [] };
  }
  /** By place and arguments: the library tells of a call again with each chunk after the reason of the end. */
  const done = new Map<string, SeenCall>();
  const stream = client.chat.completions.stream(parameters);
  stream.on("tool_calls.function.arguments.done", ({ arguments: text, index, name }) => {
    done.set(JSON.stringify([index, name, text]), callOf(name, text));
  });
  const final = await attempt(async () => callsOfChat(await stream.finalChatCompletion()));
  return { events: [...done.values()], final: final ?? [] };
};

/** All choices, because a user may take any of them. */
function callsOfChat(completion: unknown): SeenCall[] {
  return listOf((completion as Json | undefined)?.["choices"]).flatMap((choice) => {
    const message = objectOf(objectOf(choice)["message"]);
    const old = message["function_call"];
    const calls = listOf(message["tool_calls"]).map((value) => {
      const call = objectOf(value);
      const custom = call["custom"];
      if (custom !== undefined && custom !== null)
        return { name: String(objectOf(custom)["name"]), input: objectOf(custom)["input"] };
      const body = objectOf(call["function"]);
      return callOf(body["name"], body["arguments"]);
    });
    return old === undefined || old === null
      ? calls
      : [...calls, callOf(objectOf(old)["name"], objectOf(old)["arguments"])];
  });
}

export const responsesReader: LibraryReader = async (isStream, fetch): Promise<SeenViews> => {
  const client = clientOf(fetch);
  const request = { model: "m", input: "Do it" };
  if (!isStream) {
    const whole = await attempt(async () => callsOfItems((await client.responses.create(request)).output));
    return { answer: whole ?? [] };
  }
  const items: unknown[] = [];
  const wholeResponses: unknown[] = [];
  await attempt(async () => {
    for await (const event of await client.responses.create({ ...request, stream: true })) {
      if (event.type === "response.output_item.done") items.push(event.item);
      // Its users take the end of a response by either event.
      if (event.type === "response.completed" || event.type === "response.incomplete")
        wholeResponses.push(event.response);
    }
  });
  const final = await attempt(async () =>
    callsOfItems((await client.responses.stream(request).finalResponse()).output),
  );
  const last = await attempt(async () => callsOfItems(objectOf(wholeResponses.at(-1))["output"]));
  return { items: (await attempt(async () => callsOfItems(items))) ?? [], last: last ?? [], final: final ?? [] };
};

/** Fields with the arguments of the tools that the API defines and the client executes. */
const nativeFields: Readonly<Record<string, readonly string[]>> = {
  local_shell_call: ["action"],
  shell_call: ["action"],
  computer_call: ["action", "actions"],
  apply_patch_call: ["operation"],
};

function callsOfItems(items: unknown): SeenCall[] {
  return listOf(items).flatMap((value): SeenCall[] => {
    const item = objectOf(value);
    const type = String(item["type"]);
    if (type === "function_call") return [callOf(item["name"], item["arguments"])];
    if (type === "custom_tool_call") return [{ name: String(item["name"]), input: item["input"] ?? "" }];
    const fields = nativeFields[type];
    if (fields === undefined) return [];
    const field = fields.find((name) => item[name] !== undefined && item[name] !== null);
    const input = field === undefined ? {} : field === "actions" ? { actions: item[field] } : item[field];
    return [{ name: type.slice(0, -"_call".length), input }];
  });
}

const objectOf = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.filter((item) => item !== undefined && item !== null) : [];

/** Undefined where the library or its user would have thrown. */
async function attempt<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}
