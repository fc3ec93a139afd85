import assert from "node:assert/strict";
import { test } from "node:test";
import { LecternError } from "../errors.ts";
import { encodeKeys, type KeyOptions } from "./keys.ts";

const keys = (names: string, options?: KeyOptions): string =>
  new TextDecoder().decode(encodeKeys(names.split(" "), options));

/** [names, bytes] */
const cases: readonly (readonly [string, string])[] = [
  ["C-c", "\u0003"],
  ["^C", "\u0003"],
  ["c-C", "\u0003"],
  ["C-S-c", "\u0003"],
  ["C-@ C-[ C-\\ C-] C-^ C-_ C-?", "\u0000\u001B\u001C\u001D\u001E\u001F\u007F"],
  ["C-Space C-/ C-2", "\u0000\u001F\u0000"],
  ["M-x A-x M-C-x C-M-x", "\u001Bx\u001Bx\u001B\u0018\u001B\u0018"],
  ["a S-a é 日 - ^", "aAé日-^"],
  ["Enter M-Enter Return CR KPEnter", "\r\u001B\r\r\r\r"],
  ["Escape Esc M-Escape", "\u001B\u001B\u001B\u001B"],
  ["Tab S-Tab BTab M-Tab", "\t\u001B[Z\u001B[Z\u001B\t"],
  ["Space M-Space S-Space", " \u001B  "],
  ["BSpace Backspace M-BSpace C-BSpace", "\u007F\u007F\u001B\u007F\b"],
  ["Up Down Right Left", "\u001B[A\u001B[B\u001B[C\u001B[D"],
  ["S-Up M-Up C-Up C-S-Up C-M-S-Up", "\u001B[1;2A\u001B[1;3A\u001B[1;5A\u001B[1;6A\u001B[1;8A"],
  ["Home End C-Home", "\u001B[H\u001B[F\u001B[1;5H"],
  ["IC Insert DC Delete C-Delete", "\u001B[2~\u001B[2~\u001B[3~\u001B[3~\u001B[3;5~"],
  ["PPage PageUp PgUp NPage PageDown PgDn", "\u001B[5~\u001B[5~\u001B[5~\u001B[6~\u001B[6~\u001B[6~"],
  ["F1 F4 F5 F6 F10 F11 F12 F20", "\u001BOP\u001BOS\u001B[15~\u001B[17~\u001B[21~\u001B[23~\u001B[24~\u001B[34~"],
  ["S-F1 C-F5", "\u001B[1;2P\u001B[15;5~"],
  ["KP5 KP+", "5+"],
  ["up enter pageup", "\u001B[A\r\u001B[5~"],
];

for (const [names, bytes] of cases) {
  test(`encodeKeys sends ${names} as a terminal does`, () => {
    assert.equal(keys(names), bytes);
  });
}

test("encodeKeys sends cursor keys in application mode, but not modified ones", () => {
  assert.equal(keys("Up Home C-Up PageUp", { applicationCursor: true }), "\u001BOA\u001BOH\u001B[1;5A\u001B[5~");
});

function messageOf(name: string): string {
  try {
    encodeKeys([name]);
  } catch (error) {
    assert.ok(error instanceof LecternError);
    assert.equal(error.code, "INVALID_INPUT");
    return error.message;
  }
  return "sent";
}

test("encodeKeys names the nearest key for one that it does not know", () => {
  assert.match(messageOf("Entr"), /did you mean "Enter"\?/);
  assert.match(messageOf("C-Lefft"), /did you mean "Left"\?/);
  assert.match(messageOf("pagedwn"), /did you mean "PageDown"\?/);
  assert.match(messageOf("F21"), /did you mean "F1"\?/);
  assert.equal(messageOf("keyboard"), 'Cannot send key "keyboard": no such key');
  assert.match(messageOf(""), /no such key/);
});

test("encodeKeys refuses combinations without bytes of their own", () => {
  for (const name of ["S-Enter", "C-Enter", "C-Tab", "C-1", "C-é", "C-S-Space", "S-Escape"]) {
    assert.match(messageOf(name), /no bytes for this combination/);
  }
});
