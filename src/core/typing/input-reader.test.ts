import assert from "node:assert/strict";
import { test } from "node:test";
import { answerText, InputReader, OPEN_PASTE_CHARS_MAX, PASTE_CHARS_MAX, type TypedItem } from "./input-reader.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const brief = (item: TypedItem): string =>
  item.type === "text" || item.type === "paste-end"
    ? `${item.type} ${JSON.stringify(item.text)}`
    : item.type === "arrow"
      ? item.direction
      : item.type;
const read = (...chunks: readonly string[]): string[] => {
  const reader = new InputReader();
  return chunks.flatMap((chunk) => reader.feed(bytes(chunk))).map(brief);
};

test("texts, Enter and the keys of a line editor", () => {
  assert.deepEqual(read("ls\r\n\u0003\u0015\u0017\u007F\b\t"), [
    'text "ls"',
    "enter",
    "enter",
    "interrupt",
    "kill-line",
    "kill-word",
    "backspace",
    "backspace",
    "key",
  ]);
});

test("arrows, Escape, other keys, and Alt with a key", () => {
  assert.deepEqual(read("\u001B[A\u001BOB\u001B[C\u001B[D\u001B[H\u001BOP\u001Bx", "\u001B"), [
    "up",
    "down",
    "right",
    "left",
    "key",
    "key",
    "key",
    "escape",
  ]);
});

test("what a terminal sends by itself is a report; the release of the left button is one that a dialog takes", () => {
  const reports = ["\u001B[?1;2c", "\u001B[12;3R", "\u001B[I", "\u001B]11;rgb:0/0/0\u001B\\", "\u001B[<0;5;5M"];
  assert.deepEqual(
    read(...reports),
    reports.map(() => "report"),
  );
  assert.deepEqual(read("\u001B[<0;10;5m"), ["mouse-release"]);
});

test("a paste is text, with its line ends, until its end", () => {
  assert.deepEqual(read("a\u001B[200~one\rtwo\u0003\u001B[201~\r"), [
    'text "a"',
    "paste-start",
    'text "one\\ntwo\\u0003"',
    'paste-end "one\\ntwo\\u0003"',
    "enter",
  ]);
});

/** Neighbouring texts joined: where a chunk ends says nothing. */
function joined(items: readonly TypedItem[]): string[] {
  const found: TypedItem[] = [];
  for (const item of items) {
    const last = found.at(-1);
    if (item.type === "text" && last?.type === "text" && last.isPasted === item.isPasted)
      found[found.length - 1] = { ...last, text: last.text + item.text, raw: last.raw + item.raw };
    else found.push(item);
  }
  return found.map(brief);
}

test("any chunking gives the same items, but behind a lone Escape", () => {
  const input = bytes("lé😀\r\u001B[1;5A\u001B]11;rgb:0/0/0\u0007\u001B[200~a\r\nb\u001B[201~x\u001B[12;3R\u007F");
  const whole = joined(new InputReader().feed(input));
  for (let cut = 1; cut < input.length; cut += 1) {
    if (input[cut - 1] === 0x1b || (input[cut - 2] === 0x1b && input[cut - 1] !== 0x4f)) continue;
    let reader = new InputReader();
    const first = reader.feed(input.subarray(0, cut));
    // A character that is cut in two is not part of the state.
    if ((input[cut] ?? 0) < 0x80) reader = new InputReader(JSON.parse(JSON.stringify(reader.save())));
    assert.deepEqual(joined([...first, ...reader.feed(input.subarray(cut))]), whole, `cut at ${cut}`);
  }
});

test("an Alt key that looks like the beginning of a sequence holds nothing back", () => {
  assert.deepEqual(read("\u001B]", "ls\r"), ["key", 'text "ls"', "enter"]);
  assert.deepEqual(read("\u001B[", "ls\r"), ["key", 'text "ls"', "enter"]);
});

test("a paste without an end is over at its limit", () => {
  const items = read(`\u001B[200~${"x".repeat(OPEN_PASTE_CHARS_MAX + 1)}`, "y\r");
  assert.deepEqual(items.slice(2), ['text "y"', "enter"]);
});

test("a paste that is longer than what is kept of it stays a paste", () => {
  const part = "line\r".repeat(1000);
  const count = Math.ceil((PASTE_CHARS_MAX * 2) / part.length);
  const items = read("\u001B[200~", ...Array.from({ length: count }, () => part), "\u001B[201~", "\r");
  assert.equal(items.filter((item) => item === "enter").length, 1);
  assert.equal(items.filter((item) => item.startsWith("paste-end")).length, 1);
});

test("keys in the encodings of kitty and xterm are the same keys, and answers of a terminal are none", () => {
  assert.deepEqual(read("\u001B[99;5u\u001B[27;5;117~\u001B[13u\u001B[27u\u001B[127u\u001B[97;;97u\u001B[13;2u"), [
    "interrupt",
    "kill-line",
    "enter",
    "escape",
    "backspace",
    'text "a"',
    "key",
  ]);
  assert.deepEqual(read("\u001B[?1u\u001B[99;5:3u\u001B[12;3R"), ["report", "report", "report"]);
});

test("a character that is split stays whole in a reader that continues", () => {
  const [first = 0, second = 0] = bytes("é");
  const reader = new InputReader();
  reader.feed(Uint8Array.of(first));
  const continued = new InputReader(JSON.parse(JSON.stringify(reader.save())));
  assert.deepEqual(continued.feed(Uint8Array.of(second)).map(brief), ['text "é"']);
});

test("an answer leaves its printable characters, and what nobody has asked for leaves none", () => {
  assert.equal(answerText("\u001B[?1;2c"), "[?1;2c");
  assert.equal(answerText("\u001B]11;rgb:0000/0000/0000\u001B\\"), "]11;rgb:0000/0000/0000");
  for (const report of ["\u001B[I", "\u001B[O", "\u001B[<35;1;1M"]) assert.equal(answerText(report), "");
});
