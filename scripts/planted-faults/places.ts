/** The places of a TypeScript file where one token can be replaced so that the program still compiles and does something else. */
import { createHash } from "node:crypto";
import { parseSync, Visitor } from "rolldown/utils";

export interface Place {
  readonly operator: string;
  readonly start: number;
  readonly end: number;
  /** What is written there instead. */
  readonly text: string;
}

type Swap = readonly [operator: string, text: string];

const tokens: Readonly<Record<string, Swap>> = {
  "===": ["equality", "!=="],
  "!==": ["equality", "==="],
  "<": ["boundary", "<="],
  "<=": ["boundary", "<"],
  ">": ["boundary", ">="],
  ">=": ["boundary", ">"],
  "&&": ["logic", "||"],
  "||": ["logic", "&&"],
  "+": ["arithmetic", "-"],
  "-": ["arithmetic", "+"],
  "*": ["arithmetic", "/"],
  "+=": ["arithmetic", "-="],
  "-=": ["arithmetic", "+="],
};

const methods: Readonly<Record<string, Swap>> = {
  min: ["method", "max"],
  max: ["method", "min"],
  some: ["method", "every"],
  every: ["method", "some"],
  startsWith: ["method", "endsWith"],
  endsWith: ["method", "startsWith"],
};

/** Off by one is a fault of an index or a count; 30,001 ms instead of 30,000 is not. */
const DIGIT = /^\d$/;

/** What only people read. */
const LOGS = /^(?:await |void )?(?:console\.|[\w.#?]*\blog(?:ger)?\b)/i;

/** Types, imports, strings and comments have no places. */
export function placesOf(file: string, source: string): Place[] {
  const { program } = parseSync(file, source);
  const places: Place[] = [];
  const excluded: { readonly start: number; readonly end: number }[] = [];
  /** For each function around a node: whether it may return undefined. */
  const canReturnNothing: boolean[] = [];

  const replace = (operator: string, { start, end }: { start: number; end: number }, text: string): void => {
    if (!source.slice(start, end).includes("\n")) places.push({ operator, start, end, text });
  };
  const swap = (operator: string, left: { end: number }, right: { start: number }): void => {
    const [name, text] = tokens[operator] ?? [];
    const start = source.indexOf(operator, left.end);
    if (name !== undefined && text !== undefined && start < right.start)
      replace(name, { start, end: start + operator.length }, text);
  };
  const negate = (test: { start: number; end: number }): void =>
    replace("negation", test, `!(${source.slice(test.start, test.end)})`);
  const enter = (node: { returnType?: { start: number; end: number } | null }): void => {
    const { start, end } = node.returnType ?? { start: 0, end: 0 };
    canReturnNothing.push(/\bundefined\b/.test(source.slice(start, end)));
  };
  const leave = (): void => void canReturnNothing.pop();
  const exclude = (node: { start: number; end: number }): void => void excluded.push(node);

  new Visitor({
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    TSLiteralType: exclude,
    BinaryExpression: ({ operator, left, right }) => swap(operator, left, right),
    LogicalExpression: ({ operator, left, right }) => swap(operator, left, right),
    AssignmentExpression: ({ operator, left, right }) => swap(operator, left, right),
    IfStatement: ({ test }) => negate(test),
    ConditionalExpression: ({ test }) => negate(test),
    UnaryExpression: (node) => {
      if (node.operator === "!") replace("negation", { start: node.start, end: node.start + 1 }, "");
      // A -1 means "none", and so does -2.
      if (node.operator === "-") exclude(node.argument);
    },
    Literal: (node) => {
      if (typeof node.value === "boolean") replace("boolean", node, String(!node.value));
      if (DIGIT.test(node.raw ?? "")) replace("off by one", node, String(Number(node.raw) + 1));
    },
    Property: ({ key, computed }) => void (computed || exclude(key)),
    CallExpression: ({ callee }) => {
      if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return;
      const [name, text] = (Object.hasOwn(methods, callee.property.name) && methods[callee.property.name]) || [];
      if (name !== undefined && text !== undefined) replace(name, callee.property, text);
    },
    ReturnStatement: ({ argument }) => {
      if (argument !== null && canReturnNothing.at(-1) && source.slice(argument.start, argument.end) !== "undefined")
        replace("no result", argument, "undefined");
    },
    ExpressionStatement: (node) => {
      const { expression } = node;
      const isWait = expression.type === "AwaitExpression";
      const called = isWait ? expression.argument : expression;
      if (called.type !== "CallExpression" || called.callee.type === "Super") return;
      if (LOGS.test(source.slice(node.start, node.end))) return;
      replace("no call", node, ";");
      if (isWait) replace("no wait", { start: expression.start, end: called.start }, "void ");
    },
  }).visit(program);
  return places.filter(({ start, end }) => !excluded.some((each) => each.start <= start && end <= each.end));
}

/** A number for each word that is as good as random and the same in each run. */
export const draw = (...words: readonly (string | number)[]): string =>
  createHash("sha256").update(words.join("\0")).digest("hex");

/**
 * All places of a file in a drawn order, each operator as likely as the others. A place is drawn by its text and not by its line, so that a
 * change elsewhere in the file leaves the order.
 */
export function drawnPlaces(seed: number, file: string, source: string): Place[] {
  const lineOf = ({ start }: Place): string =>
    source.slice(source.lastIndexOf("\n", start - 1) + 1, start) + source.slice(start).split("\n", 1)[0];
  const turns = new Map<string, number>();
  return placesOf(file, source)
    .map((place) => ({ place, key: draw(seed, file, place.operator, place.text, lineOf(place)) }))
    .toSorted((one, two) => (one.key < two.key ? -1 : 1))
    .map(({ place }) => {
      const turn = turns.get(place.operator) ?? 0;
      turns.set(place.operator, turn + 1);
      return { place, key: `${String(turn).padStart(5, "0")} ${draw(seed, file, place.operator)}` };
    })
    .toSorted((one, two) => (one.key < two.key ? -1 : 1))
    .map(({ place }) => place);
}
