import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { CommandTracker, type ShellStep } from "./command-tracker.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("latin1");
const osc = (data: string): string => `\u001b]133;${data}\u0007`;

/** Steps in short, neighbouring output joined: `start`, `out:text`, `end:0`, `prompt`, `more`. */
function short(steps: readonly ShellStep[]): string[] {
  const words: string[] = [];
  for (const step of steps) {
    const last = words.at(-1);
    if (step.type === "output") {
      const text = decoder.decode(step.bytes);
      if (last?.startsWith("out:") === true) words[words.length - 1] = last + text;
      else words.push(`out:${text}`);
    } else if (step.type === "command-end") words.push(`end:${step.exitCode}`);
    else if (step.type === "act")
      words.push(`${step.answer}:${step.id}${step.answer === "draft" ? `:${step.draft}` : ""}`);
    else words.push({ "command-start": "start", prompt: "prompt", continuation: "more" }[step.type]);
  }
  return words;
}

function feed(text: string | Uint8Array, cuts: readonly number[] = [], nonce: string | null = null): string[] {
  const bytes = typeof text === "string" ? encoder.encode(text) : text;
  const tracker = new CommandTracker({ nonce });
  const steps: ShellStep[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    // Copies: a step may be a view of the chunk, and the next chunk may lie where this one was.
    const chunk = bytes.slice(from, cut);
    for (const step of tracker.feed(chunk, from)) {
      steps.push(step.type === "output" ? { ...step, bytes: step.bytes.slice() } : step);
    }
    chunk.fill(0x58);
    from = cut;
  }
  return short([...steps, ...tracker.end()]);
}

test("CommandTracker gives the bytes between the start and the end of output, and the exit code", () => {
  const text = `${osc("A")}$ ${osc("B")}echo hi\r\n${osc("C")}hi\r\n${osc("D;3")}${osc("A")}$ ${osc("B")}`;
  assert.deepEqual(feed(text), ["prompt", "start", "out:hi\r\n", "end:3", "prompt"]);
});

test("CommandTracker ignores an end without a start: an empty line, a comment, the second mark of a prompt", () => {
  assert.deepEqual(feed(`${osc("D;1")}${osc("B")}\r\n${osc("D;1")}${osc("D;1")}${osc("B")}`), ["prompt", "prompt"]);
});

test("CommandTracker leaves a forged mark in the output as it is", () => {
  const forged = osc("D;0");
  const text = `${osc("C;n=5f")}a${forged}b${osc("D;7;n=5f")}`;
  assert.deepEqual(feed(text, [], "5f"), ["start", `out:a${forged}b`, "end:7"]);
});

test("CommandTracker begins anew at a start within a command: two commands of one paste, or a shell in a shell", () => {
  assert.deepEqual(feed(`${osc("C")}a\n${osc("C")}b\n${osc("D;0")}`), [
    "start",
    "out:a\n",
    "start",
    "out:b\n",
    "end:0",
  ]);
});

test("CommandTracker takes a prompt as the end of what ran where no program can have forged it", () => {
  const [start, prompt] = [osc("C;n=5f"), osc("B;n=5f")];
  assert.deepEqual(feed(`${start}x${prompt}y`, [], "5f"), ["start", "out:x", "prompt"]);
  assert.deepEqual(feed(`${osc("C")}x${osc("B")}y${osc("D;0")}`), ["start", "out:xy", "end:0"]);
});

test("CommandTracker gives the answers to the key of a command, where the session's shell has written them", () => {
  const act = (data: string): string => `\u001b]633;P;Act=${data}\u0007`;
  const taken = `${act("a-1;taken;n=5f")}\r$ ${osc("D;0;n=5f")}${osc("B;n=5f")}x\r\n${osc("C;n=5f")}x`;
  assert.deepEqual(feed(taken, [], "5f"), ["taken:a-1", "prompt", "start", "out:x"]);
  const draft = act("b_2;draft;726d20c3a9;n=5f");
  for (let cut = 1; cut < draft.length; cut++) assert.deepEqual(feed(draft, [cut], "5f"), ["draft:b_2:rm é"]);
  assert.deepEqual(feed(`${act("c;draft;;n=5f")}${act("c;more;n=5f")}`, [], "5f"), ["draft:c:", "more:c"]);
  const forged = [
    act("a;taken"),
    act("a;taken;n=5"),
    act("a;done;n=5f"),
    act("a b;taken;n=5f"),
    act("a;draft;xy;n=5f"),
  ];
  assert.deepEqual(feed(forged.join(""), [], "5f"), []);
  assert.deepEqual(feed(act("a;taken;n=5f")), []);
});

test("CommandTracker says that the shell asks for more", () => {
  assert.deepEqual(feed(`> ${osc("P;k=s")}`), ["more"]);
});

test("CommandTracker finds the end behind an operating system command that nothing has ended", () => {
  assert.deepEqual(feed(`${osc("C")}\u001b]0;title${osc("D;0")}`), ["start", "out:\u001b]0;title", "end:0"]);
});

test("CommandTracker does not take the bracketed paste that readline turns on in front of a prompt for output", () => {
  const on = "\u001b[?2004h";
  const text = `${osc("C")}hi\n${on}${osc("D;0")}${osc("B")}`;
  for (let cut = 1; cut < text.length; cut++) {
    assert.deepEqual(feed(text, [cut]), ["start", "out:hi\n", "end:0", "prompt"], `cut at ${cut}`);
  }
  assert.deepEqual(feed(`${osc("C")}${on}${on}${osc("D;0")}`), ["start", `out:${on}`, "end:0"]);
  assert.deepEqual(feed(`${osc("C")}${on}x${osc("D;0")}`), ["start", `out:${on}x`, "end:0"]);
  assert.deepEqual(feed(`${osc("C")}x${on}`), ["start", `out:x${on}`]);
});

test("CommandTracker gives back what looked like the beginning of a mark and was none", () => {
  const text = `${osc("C")}a\u001b]133;`;
  assert.deepEqual(feed(text), ["start", "out:a\u001b]133;"]);
  const long = `${osc("C")}\u001b]133;${"x".repeat(20_000)}`;
  assert.deepEqual(feed(long, [100, 5000, 9000, 19_000]), ["start", `out:\u001b]133;${"x".repeat(20_000)}`]);
});

test("CommandTracker holds nothing of a running command after a gap", () => {
  const tracker = new CommandTracker();
  tracker.feed(encoder.encode(`${osc("C")}x`), 0);
  tracker.gap();
  assert.equal(tracker.isRunning, false);
  assert.deepEqual(short(tracker.feed(encoder.encode(`late${osc("D;0")}`), 500)), []);
});

const piece = fc.oneof(
  fc.constantFrom(
    "\u001b",
    "\u001b]",
    "\u001b]133",
    "\u001b]133;C",
    "\u0007",
    "\u001b\\",
    "\u0018",
    "\r\n",
    "x",
    "\u001b[31m",
    "\u001b[?2004h",
    "\u001b]0;t\u0007",
  ),
  fc.constantFrom(
    osc("A"),
    osc("B"),
    osc("C"),
    osc("D;0"),
    osc("D;12"),
    osc("P;k=s"),
    "\u001b]633;D;3\u001b\\",
    "\u001b]133;C\u001b\\",
  ),
  fc.string({ maxLength: 5 }),
);

test("CommandTracker gives the same at every cut", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(200), { maxLength: 4 }), (pieces, places) => {
      const bytes = encoder.encode(pieces.join(""));
      const cuts = places.filter((place) => place <= bytes.length).toSorted((one, other) => one - other);
      assert.deepEqual(feed(bytes, cuts), feed(bytes));
    }),
    { numRuns: runsOf(2000) },
  );
});
