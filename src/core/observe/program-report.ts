/**
 * One report of the Program Status Protocol, OSC 7501 (spec revision 0.4): what a program reports about itself.
 *
 * A sequence over a limit, without a known state, or with a value that its key does not allow is dropped as a whole.
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

/** With its frame of 9 bytes. */
const sequenceBytesMax = 4096;
const frameBytes = 9;
const keyCharsMax = 16;
const appCharsMax = 32;
const idCharsMax = 128;
const messageBytesMax = 2048;
const titleBytesMax = 192;
const states: ReadonlySet<string> = new Set(["idle", "working", "blocked", "done", "error"]);
const kinds: ReadonlySet<string> = new Set(["permission", "question", "auth"]);
const idPattern = /^[\w.+-]{1,32}(?:\/[\w.+-]{1,32}){0,7}$/;
const control = /[\u0000-\u001F\u007F-\u009F]/;

/** `clear`: the program takes its reports back. */
export type ProgramStatusChange =
  | ProgramReport
  | { readonly id: string; readonly state: "clear"; readonly app: string };

/** Null for a query, and for what is dropped. */
export function parseProgramStatus(data: string): ProgramStatusChange | null {
  const fields = fieldsOf(data);
  if (fields === null) return null;
  const state = fields.get("state") ?? "";
  const id = fields.get("id") ?? "";
  if (fields.has("id") && (id.length > idCharsMax || !idPattern.test(id))) return null;
  const message = decoded(fields.get("msg") ?? "", messageBytesMax);
  const title = decoded(fields.get("title") ?? "", titleBytesMax);
  const app = fields.get("app") ?? "";
  if (state === "clear") return { id, state, app };
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

/** Null if it is not base64, too long, or would act on a terminal. */
function decoded(text: string, bytesMax: number): string | null {
  if (text.length % 4 === 1 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  const bytes = decodeBase64Url(text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""));
  if (bytes === undefined || bytes.length > bytesMax) return null;
  const decodedText = new TextDecoder().decode(bytes);
  return control.test(decodedText) ? null : decodedText;
}
