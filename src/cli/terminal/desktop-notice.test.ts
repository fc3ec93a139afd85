import assert from "node:assert/strict";
import { test } from "node:test";
import { desktopNotice } from "./desktop-notice.ts";

test("a notice is one OSC 777 and one OSC 9, with its text on one line", () => {
  assert.equal(
    desktopNotice({ title: "files needs you; now", body: "Remove all files?\n  y; N" }),
    "\u001b]777;notify;files needs you, now;Remove all files? y; N\u0007\u001b]9;files needs you, now: Remove all files? y; N\u0007",
  );
  assert.equal(
    desktopNotice({ title: "A session needs you", body: "" }).split("\u0007")[1],
    "\u001b]9;A session needs you",
  );
});

test("nothing in the text ends the sequence, begins another one, or changes the order of characters", () => {
  const acting =
    "\u0007\u001b\\\u009c\u001b]52;c;b3duZWQ=\u0007\u009b31m\u0000\r\n\u0008\u007f\u202e\u2066\u{e0041}\ud800";
  const written = desktopNotice({ title: `a${acting}b`, body: `c${acting}d` });
  const text = "\\]52,c,b3duZWQ=31m ";
  const body = text.replaceAll(",", ";");
  assert.equal(written, `\u001b]777;notify;a${text}b;c${body}d\u0007\u001b]9;a${text}b: c${body}d\u0007`);
});

test("each part is at most 200 characters, and no character is cut in two", () => {
  const written = desktopNotice({ title: "🦊".repeat(150), body: `x${"🦊".repeat(150)}` });
  const [, , title = "", body = ""] = (written.split("\u0007")[0] ?? "").split(";");
  assert.deepEqual([title.length, body.length], [200, 199]);
  assert.doesNotMatch(body, /\p{Surrogate}/u);
});
