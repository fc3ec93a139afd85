/** The form of an agent file, as JSON Schema 2020-12. The types are in `agent-file.ts`, and docs/agents.md explains each key. */
import { SAID_FORMATS, WIRE_ROUTES } from "./agent-file.ts";

const name = "^[a-z][a-z0-9-]{0,39}$";
const text = { type: "string", minLength: 1, maxLength: 1000 };
const pattern = { type: "string", minLength: 1, maxLength: 1000 };
const flag = { type: ["boolean", "null"] };
const count = (maximum: number): object => ({ type: ["integer", "null"], minimum: 0, maximum });
const orNull = (schema: { readonly type: string }): object => ({ ...schema, type: [schema.type, "null"] });
const texts = { type: ["array", "null"], items: text, maxItems: 100 };
const oneOf = (...words: readonly string[]): object => ({ enum: [...words, null] });
const map = (properties: object, required: readonly string[] = []): object => ({
  type: ["object", "null"],
  additionalProperties: false,
  required,
  properties,
});
/** Rules by name. A file that changes another agent names only what it changes, so no key is required here: `compile` checks that. */
const named = (rule: object): object => ({
  type: ["object", "null"],
  propertyNames: { pattern: name },
  maxProperties: 200,
  additionalProperties: rule,
});
const ref = (definition: string): object => ({ $ref: `#/$defs/${definition}` });

const states = oneOf("working", "waiting", "blocked");
const examples = { type: ["string", "array", "null"], items: { type: "string" } };
const state = { state: states, identifies: flag, test: examples };

const boxes = named(
  map({
    top: ref("textTest"),
    prompt: ref("textTest"),
    bottom: ref("textTest"),
    below: ref("textTest"),
    inner: ref("textTest"),
    rowsMax: count(100),
    rowsBelowMax: count(200),
  }),
);

const rowFacts = {
  is: ref("rowTest"),
  text: orNull(pattern),
  not: orNull(pattern),
  shade: oneOf("none", "left", "full"),
  first: ref("spanTest"),
  some: ref("spanTest"),
  every: ref("spanTest"),
  at: ref("spanTest"),
  spans: count(1000),
  freeColumnsMax: count(1000),
  isNumbered: flag,
  isPadded: flag,
  isCovered: flag,
  next: ref("rowTest"),
};

const rowRule = map({
  ...rowFacts,
  role: oneOf(
    "blank",
    "covered",
    "skip",
    "notice",
    "welcome",
    "user",
    "assistant",
    "tool-call",
    "tool-result",
    "command",
    "error",
  ),
  start: flag,
  as: orNull(text),
  cut: orNull(pattern),
  squeeze: flag,
  indent: count(100),
  hang: count(100),
  behindCall: oneOf("tool-result"),
  joinsCall: flag,
  summary: { type: ["boolean", "string", "object", "array", "null"] },
  test: examples,
});

const step = map({
  to: ref("rowTest"),
  rowsMax: count(1000),
  when: ref("rowTest"),
  optional: oneOf("quiet", "busy"),
  over: ref("rowTest"),
  first: ref("rowTest"),
  overShade: { const: true },
  downTo: ref("rowTest"),
  up: count(1000),
  cursor: { const: true },
  here: ref("rowTest"),
  under: ref("rowTest"),
  notOver: ref("rowTest"),
  noneAbove: ref("rowTest"),
  noneBelow: ref("rowTest"),
});
const steps = { type: ["array", "null"], maxItems: 50, items: step };

const chat = map({
  margin: count(100),
  indent: count(100),
  breaksBehind: orNull(pattern),
  changing: orNull(pattern),
  scrollbar: orNull(pattern),
  plainAnswers: flag,
  streamsCalls: flag,
  printsTwice: flag,
  pending: orNull(pattern),
  tool: map({
    joinLines: flag,
    shellName: orNull(text),
    calls: named(map({ pattern, name: text, input: text })),
    jsonArgument: flag,
    cut: orNull(pattern),
  }),
  marks: named(ref("rowTest")),
  window: map({
    ends: named(map({ steps, isDialog: flag })),
    above: steps,
    busy: map({ title: orNull(pattern), at: ref("rowTest"), above: ref("rowTest"), below: ref("rowTest") }),
    sticky: ref("rowTest"),
    floating: ref("rowTest"),
    panelColumnsMin: count(1000),
  }),
  rows: named(rowRule),
});

const launchWay = map({
  variable: orNull(text),
  environment: { type: ["object", "null"], additionalProperties: { type: "string" } },
  arguments: texts,
  files: { type: ["object", "null"], additionalProperties: { type: "string" } },
});

const ownSettings = map({
  files: named(
    map({
      paths: texts,
      variable: orNull(text),
      options: texts,
      format: oneOf("json", "toml", "env"),
      isLast: flag,
    }),
  ),
  keys: named(
    map({
      key: orNull(text),
      from: texts,
      fine: texts,
      only: texts,
      route: oneOf(...WIRE_ROUTES),
      cut: orNull(text),
      refuse: orNull(text),
      unlessNamed: oneOf(...WIRE_ROUTES),
    }),
  ),
  override: launchWay,
});

const launch = map({
  routes: { type: ["array", "null"], items: { enum: WIRE_ROUTES } },
  ways: named(launchWay),
  settings: ownSettings,
  upstreamVariables: map(Object.fromEntries(WIRE_ROUTES.map((route) => [route, texts]))),
  elsewhere: { type: ["object", "null"], additionalProperties: { type: "string" } },
  notes: orNull(text),
  sandbox: map({ private: texts, fresh: texts, write: texts, arguments: texts }),
});

const conversation = map({
  id: pattern,
  process: map({ file: text, key: text, started: orNull(text) }),
  open: orNull(pattern),
  said: map({ format: oneOf(...SAID_FORMATS), file: text }),
  kept: orNull(text),
  forgotten: orNull(pattern),
  values: texts,
  lists: texts,
  drop: texts,
  words: oneOf("prompt", "keep"),
});

export const agentSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Lectern agent",
  type: "object",
  additionalProperties: false,
  required: ["name"],
  properties: {
    name: { type: "string", pattern: name },
    extends: { type: "string", pattern: name },
    title: text,
    version: { type: "integer", minimum: 1 },
    basis: { enum: ["recorded", "public"] },
    commands: texts,
    packages: texts,
    batchArguments: texts,
    statusApps: texts,
    resume: texts,
    conversation,
    titles: named(map({ pattern, ...state })),
    boxes,
    screen: named(map({ in: oneOf("above", "top", "below", "end"), rows: count(200), pattern, ...state })),
    limits: named(map({ in: oneOf("above", "top", "below", "end"), rows: count(200), pattern, test: examples })),
    dialogs: map({
      questions: texts,
      hints: texts,
      buttons: { type: ["array", "null"], items: { type: "array", items: text } },
      pointer: { type: ["string", "null"], minLength: 1, maxLength: 20 },
      top: orNull(pattern),
      bottom: orNull(pattern),
      options: map({ row: pattern, orUnderTop: { type: "boolean" } }),
      parts: map({
        tool: orNull(pattern),
        command: orNull(pattern),
        directory: orNull(pattern),
        reason: orNull(pattern),
        tips: texts,
        clips: count(20),
        scrolls: count(200),
      }),
    }),
    draft: map({
      mark: pattern,
      placeholder: orNull(pattern),
      clear: texts,
      trims: orNull(text),
      folds: named(map({ pattern, counts: oneOf("lines", "breaks", "characters") })),
      boxes,
      footerRows: count(20),
    }),
    chat,
    variants: named(map({ command: pattern, chat })),
    launch,
    textCalls: texts,
    outcomes: named(
      map({
        tools: orNull(pattern),
        notTools: orNull(pattern),
        flag: oneOf("error", "none"),
        begins: orNull(pattern),
        ends: orNull(pattern),
        result: oneOf("succeeded", "failed", "refused", "unknown"),
      }),
    ),
  },
  $defs: {
    textTest: {
      type: ["string", "object", "null"],
      additionalProperties: false,
      properties: { text: orNull(pattern), not: orNull(pattern) },
    },
    rowTest: {
      type: ["string", "object", "array", "null"],
      additionalProperties: false,
      properties: rowFacts,
      items: ref("rowTest"),
      minItems: 1,
      maxItems: 50,
    },
    spanTest: {
      type: ["object", "array", "null"],
      additionalProperties: false,
      properties: {
        column: {
          type: ["integer", "object", "null"],
          additionalProperties: false,
          properties: { min: count(10_000), max: count(10_000) },
        },
        colour: ref("colour"),
        background: ref("colour"),
        bold: flag,
        dim: flag,
        italic: flag,
      },
      items: ref("spanTest"),
      maxItems: 50,
    },
    colour: {
      type: ["string", "integer", "array", "null"],
      pattern: "^(?:#[0-9a-f]{6}|default|set|grey|colourless|plain|red|orange|hidden|visible)$",
      minimum: 0,
      maximum: 255,
      items: ref("colour"),
      maxItems: 50,
    },
  },
};
