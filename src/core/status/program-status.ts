/**
 * The Program Status Protocol, OSC 7501: what a program says of itself, as records by id (spec revision 0.4).
 *
 * A report replaces the record of its id; `clear` removes it and what is below it. Sequences over a limit, without a known state, or
 * with a value that is not what its key wants are dropped as a whole: half a report is no report.
 */
import { decodeBase64Url } from "../bytes/base64url.ts";

type ProgramState = "idle" | "working" | "blocked" | "done" | "error";

export interface ProgramReport {
  /** Empty for the program as a whole. */
  readonly id: string;
  readonly state: ProgramState;
  readonly app: string;
  readonly kind: string;
  readonly message: string;
}

export interface ProgramRecord extends ProgramReport {
  readonly offset: number;
  readonly timeUs: number;
}

/** With its frame of 9 bytes. */
const sequenceBytesMax = 4096;
const frameBytes = 9;
const keyCharsMax = 16;
const appCharsMax = 32;
const idCharsMax = 128;
const messageBytesMax = 2048;
const titleBytesMax = 192;
const recordsMax = 256;
const states: ReadonlySet<string> = new Set(["idle", "working", "blocked", "done", "error"]);
const kinds: ReadonlySet<string> = new Set(["permission", "question", "auth"]);
const idPattern = /^[\w.+-]{1,32}(?:\/[\w.+-]{1,32}){0,7}$/;
const control = /[\u0000-\u001F\u007F-\u009F]/;

/**
 * One report; `clear` with its id, null for what is none (queries and what is dropped).
 *
 * @example
 * ```ts
 * parseProgramStatus("state=blocked:app=codex:kind=permission");
 * // { id: "", state: "blocked", app: "codex", kind: "permission", message: "" }
 * ```
 */
export function parseProgramStatus(
  data: string,
): ProgramReport | { readonly id: string; readonly state: "clear" } | null {
  const fields = fieldsOf(data);
  if (fields === null) return null;
  const state = fields.get("state") ?? "";
  const id = fields.get("id") ?? "";
  if (fields.has("id") && (id.length > idCharsMax || !idPattern.test(id))) return null;
  if (state === "clear") return { id, state };
  const message = decoded(fields.get("msg") ?? "", messageBytesMax);
  const title = decoded(fields.get("title") ?? "", titleBytesMax);
  const app = fields.get("app") ?? "";
  if (!states.has(state) || message === null || title === null || app.length > appCharsMax) return null;
  const kind = fields.get("kind") ?? "";
  return {
    id,
    state: state as ProgramState,
    app: /^[\w.+-]*$/.test(app) ? app : "",
    kind: state === "blocked" && kinds.has(kind) ? kind : "",
    message,
  };
}

/** All records of one terminal. */
export class ProgramStatus {
  #records: readonly ProgramRecord[];

  constructor(records: readonly ProgramRecord[] = []) {
    this.#records = records;
  }

  /** True where a record was set or removed. */
  apply(data: string, at: { readonly offset: number; readonly timeUs: number }): boolean {
    const report = parseProgramStatus(data);
    if (report === null) return false;
    const others = this.#records.filter(
      ({ id }) => id !== report.id && !(report.state === "clear" && isBelow(id, report.id)),
    );
    if (report.state === "clear") {
      const isChanged = others.length < this.#records.length;
      this.#records = others;
      return isChanged;
    }
    // The oldest make room: a program that opens records without end keeps the newest.
    this.#records = [...others.slice(-(recordsMax - 1)), { ...report, ...at }];
    return true;
  }

  /** A prompt of the shell at `offset`, or the end of the program: what it was doing it does no more; how it ended stays. */
  dropActivity(offset = Number.POSITIVE_INFINITY): void {
    this.#records = this.#records.filter(
      (record) => record.state === "done" || record.state === "error" || record.offset >= offset,
    );
  }

  clear(): void {
    this.#records = [];
  }

  /**
   * What the program as a whole does: something of it is blocked, else what it says of itself (its tasks in the background may work
   * on), else what its tasks say. Null where nothing is said.
   */
  get strongest(): ProgramRecord | null {
    const newest = this.#records.toReversed();
    return (
      newest.find(({ state }) => state === "blocked") ??
      newest.find(({ id }) => id === "") ??
      newest.find(({ state }) => state === "working") ??
      newest[0] ??
      null
    );
  }

  save(): readonly ProgramRecord[] {
    return this.#records;
  }
}

const isBelow = (id: string, parent: string): boolean => parent === "" || id.startsWith(`${parent}/`);

/** Parts without `=` are ignored, as unknown keys are. Null over a limit. */
function fieldsOf(data: string): Map<string, string> | null {
  if (new TextEncoder().encode(data).length + frameBytes > sequenceBytesMax) return null;
  const fields = new Map<string, string>();
  for (const part of data.split(":")) {
    const equals = part.indexOf("=");
    if (equals === -1) continue;
    if (equals > keyCharsMax) return null;
    fields.set(part.slice(0, equals), part.slice(equals + 1));
  }
  return fields;
}

/** Null where it is no base64, too long, or would act on a terminal. */
function decoded(text: string, bytesMax: number): string | null {
  if (text.length % 4 === 1 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  const bytes = decodeBase64Url(text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""));
  if (bytes === undefined || bytes.length > bytesMax) return null;
  const decodedText = new TextDecoder().decode(bytes);
  return control.test(decodedText) ? null : decodedText;
}
