/** Policies as the daemon and the command line read them: a text in YAML, whose shell commands are judged. */
import type { FilePath, FileProblem, Place } from "./data-file.ts";
import { compilePolicy, type PolicyResult } from "./policy.ts";
import { policySchema, type PolicyData } from "./policy-schema.ts";
import type { SchemaPattern } from "../json-schema/applied-keywords.ts";
import { patterns } from "../patterns/re2.ts";
import { shell } from "./shell-calls.ts";
import { fileReader } from "./yaml-file.ts";

/** What the daemon and the command line give to every policy. */
export const policyReaders = { shell, patterns };
const readPolicy = fileReader<PolicyData>(policySchema);

/** A policy without errors that can be sent to another thread, where `compileReadPolicy` compiles it. */
export interface ReadPolicy {
  readonly ok: true;
  readonly data: PolicyData;
  /** The places that compiling asks for, by the path as JSON. */
  readonly places: ReadonlyMap<string, Place>;
}

export function checkPolicyText(text: string): PolicyResult {
  const file = readPolicy(text);
  return file.ok ? compilePolicy(file.data, file.place, policyReaders) : file;
}

export function parsePolicyText(
  text: string,
): ReadPolicy | { readonly ok: false; readonly problems: readonly FileProblem[] } {
  const file = readPolicy(text);
  if (!file.ok) return file;
  const places = new Map<string, Place>();
  const record = (path: FilePath): Place => {
    const place = file.place(path);
    places.set(JSON.stringify(path), place);
    return place;
  };
  const result = compilePolicy(file.data, record, policyReaders);
  return result.ok ? { ok: true, data: file.data, places } : result;
}

/** Its patterns were compiled where it was read; here each is compiled when it is first tested, which one of them may never be. */
export function compileReadPolicy({ data, places }: ReadPolicy): PolicyResult {
  const readers = { shell, patterns: laterPattern };
  return compilePolicy(data, (path) => places.get(JSON.stringify(path)) ?? { line: 1, column: 1 }, readers);
}

function laterPattern(source: string): SchemaPattern {
  let compiled: SchemaPattern | undefined;
  return { test: (text) => (compiled ??= patterns(source)).test(text) };
}
