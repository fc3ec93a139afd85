/** Changes of a model's answer: to the order of its events, to their names, and to what is in them. */
import type { BaseAnswer, StreamEvent } from "./answer.ts";
import type { Random } from "./random.ts";

type Json = Record<string, unknown>;

/** `count` changes, one after the other. `other`: an answer of the same dialect, whose parts may be mixed in. */
export function mutated(
  base: BaseAnswer,
  other: BaseAnswer,
  { count, random }: { count: number; random: Random },
): BaseAnswer {
  let events = structuredClone(base.events) as StreamEvent[];
  for (let done = 0; done < count; done += 1) {
    events =
      base.isStream && random.chance(0.3)
        ? reordered(events, other.events, random)
        : edited(events, other.events, random);
  }
  return { ...base, events };
}

function reordered(events: readonly StreamEvent[], others: readonly StreamEvent[], random: Random): StreamEvent[] {
  const at = random.below(events.length);
  const to = random.below(events.length + 1);
  const event = events[at];
  if (event === undefined) return [...events];
  const rest = events.toSpliced(at, 1);
  switch (random.below(10)) {
    case 0:
      return rest;
    case 8:
      return events.flatMap((one) => splitPieces(one, random));
    case 1:
      return events.toSpliced(to, 0, event);
    case 2:
      return rest.toSpliced(to, 0, event);
    case 3:
      return random.chance(0.5) ? events.slice(0, at) : events.slice(at);
    case 4:
      return events.toSpliced(at, 1, {
        ...event,
        event: random.pick([undefined, "message", "ping", "error", ...events.map((one) => one.event)]),
      });
    case 5:
      return events.toSpliced(to, 0, random.pick(others));
    case 6:
      return [...events.slice(0, to), ...others, ...events.slice(to)];
    case 7:
      return events.toSpliced(to, 0, {
        data: random.pick(["[DONE]", "", "null", "[]", "[DONE] ", "{}", '{"error":{"message":"no"}}']),
      });
    default:
      return events.map((one) => (random.chance(0.2) ? { data: one.data } : one));
  }
}

/** The same arguments or text in two events. */
function splitPieces(event: StreamEvent, random: Random): StreamEvent[] {
  if (typeof event.data !== "object" || event.data === null) return [event];
  const fields = [
    ...JSON.stringify(event.data).matchAll(
      /"(?:partial_json|arguments|delta|text|input|content)":"((?:[^"\\]|\\.)+)"/g,
    ),
  ];
  if (fields.length !== 1) return [event];
  const text = JSON.parse(`"${fields[0]?.[1] ?? ""}"`) as string;
  const at = random.below(text.length + 1);
  return [text.slice(0, at), text.slice(at)].map((piece) => ({ ...event, data: withText(event.data, text, piece) }));
}

const withText = (data: unknown, text: string, piece: string): unknown =>
  JSON.parse(JSON.stringify(data), (_, value: unknown) => (value === text ? piece : value));

/** A value in the data of an event, by its parent. */
interface Place {
  readonly parent: Json | unknown[];
  readonly key: string | number;
}

function edited(events: readonly StreamEvent[], others: readonly StreamEvent[], random: Random): StreamEvent[] {
  const holders = events.filter(({ data }) => typeof data === "object" && data !== null);
  if (holders.length === 0) return [...events];
  const chosen = random.pick(holders);
  const root: Json = { data: structuredClone(chosen.data) };
  const places = placesIn(root);
  const place = random.chance(0.08) ? { parent: root, key: "data" } : pickPlace(places, random);
  const source = random.pick([...others, ...events]);
  change(place, { places, others: placesIn({ data: structuredClone(source.data) }), random });
  return events.map((event) => (event === chosen ? { ...event, data: root["data"] } : event));
}

/** Places about calls are changed more often than the rest. */
function pickPlace(places: readonly Place[], random: Random): Place {
  const near = places.filter(({ key }) => typeof key === "string" && callKeys.has(key));
  return near.length > 0 && random.chance(0.5) ? random.pick(near) : random.pick(places);
}

const callKeys = new Set(
  (
    "type index id name input arguments args delta tool_calls function function_call functionCall partial_json content content_block item output " +
    "output_index item_id call_id action operation choices candidates parts message response finish_reason stop_reason finishReason status usage error"
  ).split(" "),
);

function placesIn(root: Json): Place[] {
  const places: Place[] = [];
  const left: (Json | unknown[])[] = [root];
  for (let parent = left.pop(); parent !== undefined; parent = left.pop()) {
    const keys = Array.isArray(parent) ? [...parent.keys()] : Object.keys(parent);
    for (const key of keys) {
      const value = valueAt({ parent, key });
      if (parent !== root) places.push({ parent, key });
      if (typeof value === "object" && value !== null) left.push(value as Json | unknown[]);
    }
  }
  return places.length === 0 ? [{ parent: root, key: "data" }] : places;
}

const valueAt = ({ parent, key }: Place): unknown => (parent as Json)[key];

function setAt({ parent, key }: Place, value: unknown): void {
  Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
}

interface Material {
  readonly places: readonly Place[];
  /** Of another event. */
  readonly others: readonly Place[];
  readonly random: Random;
}

function change(place: Place, { others, places, random }: Material): void {
  const { key, parent } = place;
  const value = valueAt(place);
  const other = random.pick(random.chance(0.5) ? places : others);
  switch (random.below(10)) {
    case 0:
    case 1:
      return setAt(place, otherType(value, random));
    case 2:
      return remove(place);
    case 3: {
      const name = otherName(String(key), random);
      if (random.chance(0.6)) remove(place);
      return add(parent, { name, value: structuredClone(value), random });
    }
    case 4:
      return setAt(place, structuredClone(valueAt(other)));
    case 5: {
      const moved = structuredClone(value);
      if (random.chance(0.5)) remove(place);
      return add(random.pick(places).parent, { name: String(key), value: moved, random });
    }
    case 6:
      return add(parent, {
        name: random.pick(names),
        value: random.chance(0.5) ? structuredClone(valueAt(other)) : random.pick(callValues)(),
        random,
      });
    case 7:
      return setAt(place, wrapped(value, String(key), random));
    case 8: {
      const mine = structuredClone(value);
      const theirs = structuredClone(valueAt(other));
      setAt(place, theirs);
      return isWithin(other, place) ? undefined : setAt(other, mine);
    }
    default:
      return setAt(place, random.pick(callValues)());
  }
}

/** A swap must not put a value into itself. */
const isWithin = ({ parent }: Place, place: Place): boolean => {
  const value = valueAt(place);
  return typeof value === "object" && value !== null && JSON.stringify(value).includes(JSON.stringify(parent));
};

function remove({ parent, key }: Place): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
}

function add(
  parent: Json | unknown[],
  { name, random, value }: { name: string; value: unknown; random: Random },
): void {
  if (Array.isArray(parent)) parent.splice(random.below(parent.length + 1), 0, value);
  else setAt({ parent, key: name }, value);
}

function otherType(value: unknown, random: Random): unknown {
  const list = Array.isArray(value) ? value : [value];
  return random.pick([
    null,
    true,
    false,
    0,
    1,
    2,
    -1,
    1.5,
    300,
    "",
    "0",
    "1",
    "x",
    {},
    [],
    [value],
    [[value]],
    Object.fromEntries(list.map((item, index) => [index, item])),
    { value },
    JSON.stringify(value) ?? "",
    String(value),
    Number(value) || 0,
    [...list, ...list],
  ]);
}

const wrapped = (value: unknown, key: string, random: Random): unknown =>
  random.pick([
    { [key]: value },
    [value],
    { response: value },
    { data: value },
    { message: value },
    { delta: value },
    { content: [value] },
    { candidates: [value] },
    { response: value, candidates: [value] },
  ]);

function otherName(name: string, random: Random): string {
  return random.pick([
    name.toUpperCase(),
    name.slice(0, 1).toUpperCase() + name.slice(1),
    name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    name.replaceAll("_", ""),
    `${name} `,
    `_${name}`,
    "__proto__",
    "constructor",
    random.pick(names),
  ]);
}

/** Fields in which the libraries look for calls, and some in which they look for other things. */
const names = (
  "tool_calls function_call functionCall function_calls functionCalls content content_block delta message item output input arguments args " +
  "partial_json response candidates choices parts part name type index id call_id action actions operation custom function usage error " +
  "input_json caller toolCall tool_call willContinue partialArgs providerExecuted tools thought data event items role status toolCalls " +
  "output_index item_id finish_reason stop_reason text logprobs metadata executableCode text_delta reasoning audio refusal annotations " +
  "namespace environment execution server_name usageMetadata groundingMetadata promptFeedback code arguments_delta"
).split(" ");

/** Calls in the shape of each dialect, which nobody judges where they do not belong. */
const callValues: readonly (() => unknown)[] = [
  () => ({ type: "tool_use", id: "toolu_9", name: "planted", input: { planted: 1 } }),
  () => [{ type: "tool_use", id: "toolu_9", name: "planted", input: { planted: 1 } }],
  () => ({ id: "call_9", index: 0, type: "function", function: { name: "planted", arguments: '{"planted":1}' } }),
  () => [{ id: "call_9", index: 9, type: "function", function: { name: "planted", arguments: '{"planted":1}' } }],
  () => ({ name: "planted", arguments: '{"planted":1}' }),
  () => ({ name: "planted", args: { planted: 1 } }),
  () => ({ functionCall: { name: "planted", args: { planted: 1 } } }),
  () => [{ functionCall: { name: "planted", args: { planted: 1 } } }],
  () => ({
    content: { role: "model", parts: [{ functionCall: { name: "planted", args: { planted: 1 } } }] },
    finishReason: "STOP",
  }),
  () => [
    {
      content: { role: "model", parts: [{ functionCall: { name: "planted", args: { planted: 1 } } }] },
      finishReason: "STOP",
    },
  ],
  () => ({
    type: "function_call",
    id: "fc_9",
    call_id: "call_9",
    name: "planted",
    arguments: '{"planted":1}',
    status: "completed",
  }),
  () => [
    {
      type: "function_call",
      id: "fc_9",
      call_id: "call_9",
      name: "planted",
      arguments: '{"planted":1}',
      status: "completed",
    },
  ],
  () => ({
    type: "local_shell_call",
    id: "ls_9",
    call_id: "call_9",
    status: "completed",
    action: { type: "exec", command: ["planted"], env: {} },
  }),
  () => ({
    type: "custom_tool_call",
    id: "ct_9",
    call_id: "call_9",
    name: "planted",
    input: "planted",
    status: "completed",
  }),
  () => ({ type: "exec", command: ["planted"], env: {} }),
  () => ({ type: "update_file", path: "planted", diff: "planted" }),
  () => ({
    role: "assistant",
    tool_calls: [
      { id: "call_9", index: 0, type: "function", function: { name: "planted", arguments: '{"planted":1}' } },
    ],
  }),
  () => ({ tool_calls: [{ index: 0, function: { arguments: '{"planted":1}' } }] }),
  () => ({ type: "input_json_delta", partial_json: '{"planted":1}' }),
  () => ({ command: "planted" }),
  () => '{"planted":1}',
  () => "planted",
  () => "tool_use",
  () => "function_call",
  () => "response.output_item.done",
  () => "content_block_start",
  () => "response.function_call_arguments.done",
  () => 0,
  () => 1,
  () => null,
];
