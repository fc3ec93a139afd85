/** Calls as they are compared: arguments by their value, whatever the order of their fields. */
import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../../../src/core/json/parse-json.ts";
import type { SeenCall } from "./answer.ts";

/** Arguments that are a text of JSON, as those who execute the call read it. Nothing stands for no arguments. */
export function callOf(name: unknown, text: unknown): SeenCall {
  return { name: String(name), input: inputOf(text) };
}

function inputOf(text: unknown): unknown {
  if (text === undefined || text === null) return {};
  if (typeof text !== "string") return text;
  if (text.trim() === "") return {};
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** A call that is in `seen` more often than in `allowed`; undefined if there is none. */
export function unjudgedIn(seen: readonly SeenCall[], allowed: readonly SeenCall[]): SeenCall | undefined {
  const left = [...allowed];
  for (const call of seen) {
    const isCall = call.name === "computer" ? isSameUse : isSame;
    const at = left.findIndex((each) => each.name === call.name && isCall(each.input, call));
    if (at === -1) return call;
    left.splice(at, 1);
  }
  return undefined;
}

function isSame(allowed: unknown, { input, isPart }: SeenCall): boolean {
  const value = plain(input);
  return isDeepStrictEqual(plain(allowed), value) || (isPart === true && isPartOf(plain(allowed), value));
}

/** A computer is told to do one action, or a list of them, which libraries also write for the one. */
function isSameUse(allowed: unknown, { input }: SeenCall): boolean {
  const { actions, ...single } = (plain(allowed) ?? {}) as Record<string, unknown>;
  const seen = plain(input) as Record<string, unknown>;
  const list = Array.isArray(seen["actions"]) ? (seen["actions"] as unknown[]) : [seen];
  const judged = [[single], ...(Array.isArray(actions) ? [actions as unknown[]] : [])];
  return judged.some((each) => each.length === list.length && list.every((action, at) => isPartOf(each[at], action)));
}

/** Each value of an object, whose names may be written in another way, is in the other. */
function isPartOf(whole: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null || Array.isArray(part)) return isDeepStrictEqual(whole, part);
  return Object.entries(part).every(([name, value]) => {
    const other = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return isDeepStrictEqual((whole as Record<string, unknown> | null)?.[other], value);
  });
}

/** Without prototypes, in which libraries differ. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : parseJson(JSON.stringify(value)));
