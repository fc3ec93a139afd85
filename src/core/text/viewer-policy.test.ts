import assert from "node:assert/strict";
import { test } from "node:test";
import {
  allowedControlSequence,
  allowedEscape,
  allowedOperatingSystemCommand,
  type ViewerMode,
} from "./viewer-policy.ts";

const csi = (body: string, mode: ViewerMode = "live"): string =>
  allowedControlSequence(body, mode).replace("\u001B[", "");
const osc = (body: string, mode: ViewerMode = "live"): string =>
  allowedOperatingSystemCommand(body, "\u0007", mode).replace("\u001B]", "").replace("\u0007", "");

const drawing = "m 0m 1;31m 38;5;208m 38:2::1:2:3m 4:3m H 10;20H 2J K 5A 3;20r s u 2q"
  .replace("2q", "2 q")
  .split(/ (?!q)/);
const drawingModes = [
  "?25l",
  "?25h",
  "?1049h",
  "?7l",
  "?2026h",
  "?2026l",
  "4h",
  "22;0t",
  "23;0t",
  "!p",
  "1;1;2;2$z",
  "5b",
];
const inputModes = ["?1h", "?2004h", "?1000h", "?1002;1006h", "?1004h", ">1u", "<u", "=1;2u", ">4;2m"];
const queries = ["c", "0c", ">c", ">0q", "5n", "6n", "?6n", "?996n", "?u", "?2026$p", "4$p", "14t", "18t"];
const never = [
  "21t",
  "20t",
  "8;50;200t",
  "3;0;0t",
  "2;1t",
  "5i",
  "4i",
  "?5i",
  "?2h",
  "2h",
  "12h",
  "?3h",
  "?1001h",
  "1;1;1;1;1;1*y",
  "0;0;0;0x",
].concat([
  "=c",
  "?15n",
  "?26n",
  '62;1"p',
  "1;2;3;4;5T",
  ">2t",
  "?1;3;0S",
  "2147483647b",
  "99999999999L",
  "#|",
  "#R",
  "1'z",
  "?1?2h",
  " @1m",
]);

for (const body of [...drawing, ...drawingModes]) {
  test(`allowedControlSequence passes ${body} to live viewers and in replays`, () => {
    assert.equal(csi(body), body);
    assert.equal(csi(body, "replay"), body);
  });
}

for (const body of inputModes) {
  test(`allowedControlSequence passes ${body} to live viewers only`, () => {
    assert.equal(csi(body), body);
    assert.equal(csi(body, "replay"), "");
  });
}

for (const body of [...never, ...queries]) {
  test(`allowedControlSequence never passes ${body}`, () => {
    assert.equal(csi(body), "");
    assert.equal(csi(body, "replay"), "");
  });
}

test("allowedControlSequence passes of a list of modes the allowed ones", () => {
  assert.equal(csi("?25;3;1049h"), "?25;1049h");
  assert.equal(csi("?1006;25h", "replay"), "?25h");
  assert.equal(csi("2;4h"), "4h");
});

test("allowedEscape passes what draws and chooses character sets, but never leaves UTF-8 or 7-bit controls", () => {
  for (const body of ["7", "8", "D", "E", "M", "H", "#8", "(B", "(0", ")0", "%G", "-A"])
    assert.equal(allowedEscape(body, "replay"), `\u001B${body}`);
  for (const body of ["%@", " G", "k", "l", "m", "V", "x", "Z"]) assert.equal(allowedEscape(body, "live"), "");
  assert.equal(allowedEscape("c", "live"), "\u001Bc");
  assert.equal(allowedEscape("c", "replay"), "\u001B[?1049l\u001B[!p\u001B[H\u001B[2J");
  for (const body of ["=", ">"]) {
    assert.equal(allowedEscape(body, "live"), `\u001B${body}`);
    assert.equal(allowedEscape(body, "replay"), "");
  }
});

test("allowedOperatingSystemCommand cleans and cuts titles", () => {
  assert.equal(osc("0;hello"), "0;hello");
  assert.equal(osc("2;a\n\u202Eb\u007F;rm"), "2;ab;rm");
  assert.equal(osc(`0;${"日".repeat(300)}`), `0;${"日".repeat(256)}`);
  assert.equal(osc("2;"), "2;");
});

test("allowedOperatingSystemCommand passes links to http, https and mailto only, and to files for viewers that type", () => {
  assert.equal(osc("8;;file:///etc/hosts", "replay"), "8;;");
  assert.equal(osc("8;;https://h", "replay"), "8;;https://h");
  for (const uri of ["http://h/a?b;c", "https://h", "file:///etc/hosts", "mailto:a@b", "HTTPS://h"])
    assert.equal(osc(`8;;${uri}`), `8;;${uri}`);
  assert.equal(osc("8;id=1:x=y;https://h"), "8;id=1:x=y;https://h");
  assert.equal(osc("8;;"), "8;;");
  for (const uri of [
    "javascript:alert(1)",
    "data:text/html,x",
    "ssh://h",
    " https://h",
    "https://h/\u202E",
    "x-man:ls",
  ])
    assert.equal(osc(`8;;${uri}`), "8;;");
  assert.equal(osc("8"), "");
});

test("allowedOperatingSystemCommand drops clipboard, notifications, files and all that it does not know", () => {
  for (const body of [
    "52;c;aGk=",
    "52;c;?",
    "9;hello",
    "9;9;/tmp",
    "777;notify;a;b",
    "99;;hi",
    "1337;File=name=x:AAAA",
    "1337;CopyToClipboard=",
    "7;file:///tmp",
  ])
    assert.equal(osc(body), "");
  for (const body of [
    "50;font",
    "5522;type=read",
    "633;E;rm -rf",
    "66;s=2;x",
    "l title",
    "L icon",
    "",
    ";",
    "0",
    "00000;x",
    "-1;x",
  ])
    assert.equal(osc(body), "");
});

test("allowedOperatingSystemCommand passes colours, prompt marks and progress; never colour queries", () => {
  for (const body of [
    "4;1;#ff0000",
    "10;rgb:ff/ff/ff",
    "11;black",
    "104",
    "104;1;2",
    "110",
    "133;A",
    "133;D;0",
    "9;4;1;50",
    "9;4;0",
  ])
    assert.equal(osc(body), body);
  for (const body of ["10;?", "11;?", "4;1;?", "12;?"]) assert.equal(osc(body), "");
  assert.equal(osc("133;E;x\u001By"), "");
});
