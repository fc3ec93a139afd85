/** `Tokenizer` against the two other readers of escape sequences: the sanitizer, which has a fast path of its own, and the emulator. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import headless from "@xterm/headless";
import { runsOf } from "./support/searches.ts";
import { Sanitizer } from "../src/core/text/sanitizer.ts";
import { Tokenizer } from "../src/core/vt/tokenizer.ts";
import { recordedOutput } from "./recordings.ts";

const encoder = new TextEncoder();
const piece = fc.oneof(
  fc.constantFrom("\u001B", "[", "]", "P", "X", "\\", "c", "(", "?", "1", ";", "2", "K", "D", "m", "\u0007", "\u0018"),
  fc.constantFrom("\u009B", "\u009C", "\u009D", "\u0084", "\u00A0", "é", "漢", "😀", "text", "\r", "\n", "\b", "\t"),
  fc.constantFrom("\u001B[", "\u001B]0;", "\u001B\\", "\u001B[1m", "\u001BP", "\u007F", "\u001B[2C", "\u001B[K"),
);
const bytesOf = (parts: readonly (string | Uint8Array)[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...(typeof part === "string" ? encoder.encode(part) : part)]));

/** The same output with whole control sequences in their shortest form and a colour in the place of everything else that is no text. */
function simplified(output: Uint8Array): Uint8Array {
  const tokens = new Tokenizer({ sequenceBytesMax: 1_000_000 });
  const parts: (string | Uint8Array)[] = [];
  tokens.feed(output, 0);
  for (let type = tokens.next(); type !== null; type = tokens.next()) {
    if (type === "text" || type === "control") parts.push(tokens.bytes);
    else parts.push(type === "csi" && tokens.isWhole ? `\u001B[${tokens.text}` : "\u001B[m");
  }
  parts.push(tokens.state === "ground" ? tokens.held : "");
  return bytesOf(parts);
}

function sanitized(chunks: readonly Uint8Array[]): string {
  const sanitizer = new Sanitizer();
  return chunks.map((chunk) => sanitizer.feed(chunk)).join("") + sanitizer.end();
}

test("Sanitizer finds the sequences that Tokenizer finds, at every cut of any bytes", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.uint8Array({ maxLength: 3 })), { maxLength: 14 }), (parts) => {
      const output = bytesOf(parts);
      const expected = sanitized([simplified(output)]);
      for (let cut = 0; cut <= output.length; cut++)
        assert.equal(sanitized([output.subarray(0, cut), output.subarray(cut)]), expected, `cut at ${cut}`);
    }),
    { numRuns: runsOf(1_000) },
  );
});

test("Sanitizer finds the sequences that Tokenizer finds in recordings", () => {
  for (const name of ["claude-events-80x24.cast", "codex-inline-events-80x24.cast.gz", "gemini-encode-80x24.cast.gz"]) {
    const output = recordedOutput(name);
    assert.equal(sanitized([output]), sanitized([simplified(output)]), name);
  }
});

/** What the parser of the emulator does, step by step. */
interface EmulatorParser {
  parse(codes: Uint32Array, length: number): void;
  identToString(ident: number): string;
  setPrintHandler(handler: (codes: Uint32Array, start: number, end: number) => void): void;
  setExecuteHandlerFallback(handler: (code: number) => void): void;
  setEscHandlerFallback(handler: (ident: number) => void): void;
  setCsiHandlerFallback(handler: (ident: number) => void): void;
  setOscHandlerFallback(handler: (command: number, action: string, data: unknown) => void): void;
  setDcsHandlerFallback(handler: (ident: number, action: string) => void): void;
}

const EmulatorParserClass = (
  new headless.Terminal({ allowProposedApi: true }) as unknown as {
    _core: { _inputHandler: { _parser: { constructor: new () => EmulatorParser } } };
  }
)._core._inputHandler._parser.constructor;

const isCancel = (code: number): boolean => code === 0x18 || code === 0x1a;
const isControl = (code: number): boolean => code < 0x20 || code === 0x7f;

function emulatorSteps(text: string): string[] {
  const steps: string[] = [];
  const parser = new EmulatorParserClass();
  const add = (step: string): number => steps.push(step);
  parser.setPrintHandler((codes, start, end) => {
    for (const code of codes.subarray(start, end)) if (!isControl(code)) add(String.fromCodePoint(code));
  });
  parser.setExecuteHandlerFallback((code) => {
    if (code >= 0x80) add(`escape ${String.fromCharCode(code - 0x40)}`);
    else if (!isCancel(code)) add(`control ${code}`);
  });
  parser.setEscHandlerFallback((ident) => add(`escape ${parser.identToString(ident)}`));
  parser.setCsiHandlerFallback((ident) => add(`csi ${parser.identToString(ident)}`));
  parser.setOscHandlerFallback((command, action, data) => {
    if (action === "END" && data === true && command >= 0) add(`osc ${command}`);
  });
  parser.setDcsHandlerFallback((ident, action) => action === "HOOK" && add(`dcs ${parser.identToString(ident)}`));
  const codes = Uint32Array.from(text, (character) => character.codePointAt(0) ?? 0);
  parser.parse(codes, codes.length);
  return steps;
}

/** The same steps from tokens; undefined for output with what the emulator reads in another way, see below. */
function tokenSteps(text: string): string[] | undefined {
  // Such a letter in the head of a DCS, or anywhere in an SOS, PM or APC, ends that there.
  if (/\u001B[\0-\u001F\u007F]*[PX^_][^]*[^\0-\u007F]/.test(text)) return undefined;
  const steps: string[] = [];
  const tokens = new Tokenizer();
  tokens.feed(encoder.encode(text), 0);
  for (let type = tokens.next(); type !== null; type = tokens.next()) {
    const data = new TextDecoder().decode(tokens.bytes);
    const isCancelled = isCancel(data.charCodeAt(data.length - 1));
    // ESC alone ends an OSC there, and a letter beyond ASCII in a control sequence is lost with it.
    if (!tokens.isWhole && !isCancelled && type !== "string") return undefined;
    if (type === "text" || type === "control") steps.push(...stepsOfText(data));
    else if (tokens.isWhole) steps.push(...stepOf(type, tokens));
  }
  return tokens.state.endsWith("-escape") ? undefined : steps;
}

const stepsOfText = (text: string): string[] =>
  Array.from(text).flatMap((character) => {
    const code = character.codePointAt(0) ?? 0;
    if (isCancel(code) || code === 0x7f) return [];
    return isControl(code) ? [`control ${code}`] : [character];
  });

function stepOf(type: string, tokens: Tokenizer): string[] {
  const { text } = tokens;
  if (type === "escape") return text === "\\" ? [] : [`escape ${text}`];
  if (type === "osc") {
    const [number = ""] = tokens.body.split(";", 1);
    // The emulator leaves out controls in an OSC.
    const command = number.replaceAll(/[\0-\u001F]/g, "");
    return /^\d+$/.test(command) ? [`osc ${Number(command)}`] : [];
  }
  const [, prefix, final] = /^([<=>?]?)[\d:;]*([ -/]*[@-~])$/.exec(text) ?? [];
  return type === "csi" && final !== undefined ? [`csi ${prefix}${final}`] : [];
}

test("Tokenizer finds the sequences that the emulator finds", () => {
  let compared = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = pieces.join("");
      const steps = tokenSteps(text);
      if (steps === undefined) return;
      compared++;
      const expected = emulatorSteps(text).filter((step) => !step.startsWith("dcs") && step !== "escape \\");
      assert.deepEqual(steps, expected, encodeURI(text));
    }),
    { numRuns: runsOf(3_000) },
  );
  assert.ok(compared > runsOf(3_000) / 6, `${compared} compared`);
});
