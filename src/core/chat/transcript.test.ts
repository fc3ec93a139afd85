import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "./row.ts";
import { Transcript } from "./transcript.ts";

/** `u:`, `a:` in front of a row begin a message of the user, the assistant; `#n ` is the number of the first row. */
function rows(text: string): Row[] {
  const first = /^#(\d+) /.exec(text);
  const lines = text.replace(/^#\d+ /, "").split("|");
  return lines.map((line, index) => {
    const role = line.startsWith("u:") ? "user" : line.startsWith("a:") ? "assistant" : line === "" ? "blank" : null;
    const number = first === null ? -1 : Number(first[1]) + index;
    return {
      role,
      isStart: role === "user" || role === "assistant",
      text: line,
      hang: 0,
      behindCall: null,
      isSummary: false,
      key: line,
      end: line.length,
      limit: 40,
      line: number,
    };
  });
}

const shown = (transcript: Transcript): string => transcript.rows.map(({ text }) => text).join("|");

test("says from where rows changed, and nothing where none did", () => {
  const transcript = new Transcript();
  assert.deepEqual(transcript.show(rows("u:question|a:answ")).from, 0);
  assert.deepEqual(transcript.show(rows("|u:question|a:answer|")).from, 1);
  assert.deepEqual(transcript.show(rows("u:question|a:answer")), {
    from: null,
    isCleared: false,
    shownFrom: 0,
    shownTo: 2,
  });
  assert.equal(shown(transcript), "u:question|a:answer");
});

test("numbered rows go where they stand", () => {
  const transcript = new Transcript();
  transcript.show(rows("#10 u:yes|a:yes|u:yes"));
  transcript.show(rows("#12 u:yes|a:yes"));
  assert.equal(shown(transcript), "u:yes|a:yes|u:yes|a:yes");
});

test("what was said is not taken back: a screen without it was cleared", () => {
  const transcript = new Transcript();
  transcript.show(rows("welcome row here|u:question|a:answer"));
  const change = transcript.show(rows("welcome row here|u:another question"));
  assert.deepEqual([change.isCleared, change.from], [true, 3]);
  assert.equal(shown(transcript), "welcome row here|u:question|a:answer|welcome row here|u:another question");
});

test("rows leave at the front, and the rest goes on after it was saved", () => {
  const transcript = new Transcript();
  transcript.show(rows("first row|second row|third row"));
  transcript.drop(2);
  assert.deepEqual([transcript.dropped, transcript.end, shown(transcript)], [2, 3, "third row"]);
  const restored = new Transcript(JSON.parse(JSON.stringify(transcript.save())));
  assert.equal(restored.show(rows("third row|fourth row")).from, 3);
  assert.equal(shown(restored), "third row|fourth row");
});

test("what the terminal wraps anew takes no row of the agent away", () => {
  const transcript = new Transcript();
  transcript.show(rows("#10 u:question|a:a long answer|that goes on here|and ends there|for now"));
  const reflowed = rows("#20 answer|that goes on here|and ends there|for now|u:next");
  transcript.show(reflowed, true);
  transcript.show(reflowed);
  assert.equal(shown(transcript), "u:question|a:a long answer|that goes on here|and ends there|for now|u:next");
});

test("a conversation that is printed anew after a resize is the same one", () => {
  const before = "#10 u:question one that goes on|a:first words|u:question two that goes on|a:an answer";
  const anew = "#30 u:question one|that goes on|a:first|words|u:question two|that goes on|a:an|answer|u:three";
  const prompts = (transcript: Transcript): string[] =>
    transcript.rows.filter(({ role }) => role === "user").map(({ text }) => text);
  const transcript = new Transcript();
  transcript.show(rows(before));
  transcript.acknowledge(2);
  transcript.show(rows("#12 u:question two that goes on|a:an answer"), true);
  transcript.show(rows(anew));
  assert.deepEqual(prompts(transcript), ["u:question one that goes on", "u:question two", "u:three"]);
});

test("an answer that is printed anew with other wraps after a resize, without its beginning, stays one", () => {
  const transcript = new Transcript();
  transcript.show(rows("#1 u:question|a:first point that is|long enough|second point that is|long enough as well"));
  const reflowed = rows("#3 long enough|second point that is|long enough as well");
  transcript.show(reflowed, true);
  const printing = transcript.show(rows("#3 second point that is long enough"));
  assert.equal(printing.from, null);
  transcript.show(rows("#3 second point that is long enough as well|third point"));
  assert.equal(
    shown(transcript),
    "u:question|a:first point that is|long enough|second point that is long enough as well|third point",
  );
  transcript.show(rows("#4 third point|fourth point"));
  assert.match(shown(transcript), /as well\|third point\|fourth point$/);
});

test("where messages have no marks, words of both sides that are gone say that the screen was cleared", () => {
  const plain = (text: string): Row[] => rows(text).map((row) => ({ ...row, isStart: false }));
  const transcript = new Transcript();
  transcript.show(plain("a:welcome to all|a:of you||u:question||a:answer to it"));
  assert.equal(transcript.show(plain("a:welcome to all|a:of you|a tip")).isCleared, true);
});

test("the same answer to another prompt, all of it at once, is another answer", () => {
  const transcript = new Transcript();
  const said = "a:first words|second words|third words|fourth words|fifth words";
  transcript.show(rows(`#1 u:once|${said}|u:again`));
  transcript.show(rows(`#7 u:again|${said}`));
  assert.equal(shown(transcript), `u:once|${said}|u:again|${said}`);
});

test("a screen on which the end of what was said is shown still was not cleared", () => {
  const transcript = new Transcript();
  transcript.show(rows("#1 u:a question|a:an answer|a:another answer"));
  assert.equal(transcript.show(rows("#1 a:another answer|more of it")).isCleared, false);
});

test("rows behind a gap that a larger screen shows after a resize are not taken for rows that were wrapped anew", () => {
  const transcript = new Transcript();
  const fact = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, index) => `fact number ${from + index} is known`).join("|");
  transcript.show(rows(`u:question|a:here they are|${fact(1, 4)}`));
  transcript.show(rows(fact(30, 38)), true);
  transcript.show(rows(fact(26, 38)), true);
  assert.equal(shown(transcript), `u:question|a:here they are|${fact(1, 4)}|…|${fact(26, 38)}`);
});

test("what was said has left when none of it is shown, whatever welcomes again", () => {
  const transcript = new Transcript();
  transcript.show(rows("welcome to all|"));
  assert.equal(transcript.hasLeft(rows("")), false, "nothing was said yet");
  transcript.show(rows("welcome to all|u:question|a:answer to it|which goes on"));
  assert.equal(transcript.hasLeft(rows("welcome to all|which goes on")), false);
  assert.equal(transcript.hasLeft(rows("welcome to all|")), true);
  assert.equal(transcript.begin(rows("|")).from, null);
  const { from, isCleared } = transcript.begin(rows("welcome to all|"));
  assert.deepEqual([from, isCleared], [4, true]);
});

test("what stands above the first row behind a gap is put between", () => {
  const transcript = new Transcript();
  transcript.show(rows("u:question|a:the beginning of an answer"));
  transcript.show(rows("the end of the answer to it"));
  transcript.show(rows("the third row of the answer|the fourth row of the answer|the end of the answer to it"));
  assert.equal(
    shown(transcript),
    "u:question|a:the beginning of an answer|…|the third row of the answer|the fourth row of the answer|the end of the answer to it",
  );
});

test("half a repaint that would go on is taken back by the next window: its lower rows stand where they stood", () => {
  const transcript = new Transcript();
  transcript.show(rows("u:the first|a:the answer|row one of it|row two of it"));
  transcript.show(rows("row one of it|row two of it|row one of it|row two of it"));
  assert.deepEqual([transcript.sure, transcript.end], [4, 6]);
  transcript.show(rows("a:the answer|row one of it|row two of it|row three of it"));
  assert.equal(shown(transcript), "u:the first|a:the answer|row one of it|row two of it|row three of it");
  assert.equal(transcript.sure, transcript.end);
});
