/** What a release or a theme may change: recordings in other colours give the same messages. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { builtInAgents } from "../src/core/agents/built-in-agents.ts";
import { isAccent } from "../src/core/agents/colours.ts";
import { findInputBox } from "../src/core/agents/input-box.ts";
import { rgbOf } from "../src/core/screen/palette.ts";
import { castSteps, readCast, type Cast } from "./chat-replay.ts";
import { messagesIn, replay } from "./session-replay.ts";

const fixtures = join(import.meta.dirname, "fixtures", "recordings");
/** One of each agent, with true colours or with 256. */
const names = [
  "claude-trust-reads-100x30.cast.gz",
  "cline-main-80x24.cast.gz",
  "codex-reads-120x40.cast.gz",
  "continue-chains-90x28.cast.gz",
  "copilot-clears-120x40.cast.gz",
  "copilot-tools-80x24.cast.gz",
  "gemini-main-80x24.cast.gz",
  "opencode-main-80x24.cast.gz",
  "opencode-mini-main-80x24.cast.gz",
  "pi-main-80x24.cast.gz",
  "pi-reads-60x20.cast.gz",
  "qwen-lists-100x30.cast.gz",
];

const TRUE_COLOUR = 0x1000000;
/** A colour as in `Colour`, and the one in its place. */
type Paint = (colour: number) => number;

/** All colours in the output of a recording in others. */
function repainted({ events, ...size }: Cast, { text, background }: { text: Paint; background: Paint }): Cast {
  const sequences = /\u001B\[([\d;:]*)m/g;
  const change = (_: string, given: string): string => {
    const words = given.split(/[;:]/).map(Number);
    const changed: number[] = [];
    for (let index = 0; index < words.length; index += 1) {
      const [word = 0, mode, ...rest] = words.slice(index);
      const paint = word === 48 ? background : text;
      if ((word === 38 || word === 48) && (mode === 2 || mode === 5)) {
        const [red = 0, green = 0, blue = 0] = rest;
        const colour = paint(mode === 5 ? red : TRUE_COLOUR + (red << 16) + (green << 8) + blue);
        changed.push(
          word,
          ...(colour < 256 ? [5, colour] : [2, (colour >> 16) & 255, (colour >> 8) & 255, colour & 255]),
        );
        index += mode === 5 ? 2 : 4;
      } else if (word >= 30 && word <= 37) changed.push(30 + text(word - 30));
      else if (word >= 90 && word <= 97) changed.push(82 + text(word - 82));
      else changed.push(word);
    }
    return `\u001B[${given === "" ? "" : changed.join(";")}m`;
  };
  const output = (data: string): string => data.replaceAll(sequences, change);
  return { ...size, events: events.map(([time, type, data]) => [time, type, type === "o" ? output(data) : data]) };
}

const turned: Paint = (colour) => {
  if (colour < 16) return colour;
  const rgb = rgbOf(colour);
  const [red, green, blue] = [(rgb >> 16) & 255, (rgb >> 8) & 255, rgb & 255];
  return TRUE_COLOUR + (Math.min(255, blue + 9) << 16) + (Math.min(255, red + 20) << 8) + green;
};
/** What is written in the dark colour of a background is not to be seen on it. */
const isDark = (colour: number): boolean =>
  colour >= 16 && [16, 8, 0].every((shift) => ((rgbOf(colour) >> shift) & 255) <= 0x28);

const purple: Paint = (colour) => {
  if (!isAccent(colour)) return colour;
  return colour < 16 ? (colour & 8) + 5 : TRUE_COLOUR + 0xb4_8e_f0;
};

const saidIn = (cast: Cast): string[] =>
  messagesIn(replay(cast, { command: ["bash"], exits: true })).map(
    ({ role, text, isIncomplete }) => `${role}${isIncomplete ? " (incomplete)" : ""}: ${text}`,
  );

for (const name of names)
  test(`${name} in other colours has the same messages`, () => {
    const cast = readCast(join(fixtures, name));
    const said = saidIn(cast);
    assert.ok(said.some((message) => message.startsWith("assistant: ")));
    const backgrounds = { text: (colour: number) => (isDark(colour) ? turned(colour) : colour), background: turned };
    assert.deepEqual(saidIn(repainted(cast, backgrounds)), said);
    assert.deepEqual(saidIn(repainted(cast, { text: purple, background: (colour) => colour })), said);
  });

/** Not Codex and `opencode --mini`, whose boxes have no borders. */
for (const name of names.filter((one) => !/^(?:codex|opencode-mini)-/.test(one)))
  test(`${name} with its borders one column further in has the same input boxes`, () => {
    const agent = /^[a-z]+(?=-)/.exec(name)?.[0] ?? "";
    const rules = builtInAgents.named(agent)?.boxes ?? [];
    let boxes = 0;
    for (const step of castSteps(readCast(join(fixtures, name)))) {
      if (step.type !== "frame") continue;
      const { lines } = step.frame;
      const box = findInputBox(lines, rules);
      if (box === null) continue;
      boxes += 1;
      const further = lines.map((line) => (line.text === "" ? line : { ...line, text: ` ${line.text}` }));
      assert.deepEqual(findInputBox(further, rules), box, lines.map(({ text }) => text).join("\n"));
    }
    assert.ok(boxes > 10, `${boxes} boxes`);
  });
