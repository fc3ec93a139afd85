import assert from "node:assert/strict";
import { test } from "node:test";
import { frameOf } from "../../../test/frames.ts";
import { draftOf } from "../acting/draft.ts";
import type { ForegroundVerdict } from "../records.ts";
import { Observer } from "./observer.ts";
import type { Step } from "./step.ts";

const nonce = "5f";
const letters = { "prompt-end": "B", "output-start": "C" };
const at = { offset: 0, timeUs: 0 };
const probe = (
  program: string,
  verdict: ForegroundVerdict,
  { pid = 7, echo = verdict === "prompt", script = false }: { pid?: number; echo?: boolean; script?: boolean } = {},
): Step => ({ type: "foreground", program, verdict, pid, echo, runsScript: script, ...at });
const mark = (type: "prompt-end" | "output-start", isTrusted = true): Step => ({
  type: "osc",
  sequence: { command: 133, data: `${letters[type]};n=${isTrusted ? nonce : "forged"}`, offset: 0, end: 0 },
  timeUs: 0,
});
const frame = (text: string): Step => ({ type: "frame", frame: frameOf(text) });
const isAtPrompt = (...steps: Step[]): boolean => {
  let observer = new Observer({ markNonce: nonce });
  for (const step of steps) {
    observer.step(step);
    observer = new Observer({ markNonce: nonce }, JSON.parse(JSON.stringify(observer.save())));
  }
  return observer.isAtShellPrompt;
};

test("a shell with marks is at its prompt between two commands, and only trusted marks say so", () => {
  const marked = [mark("prompt-end"), probe("bash", "raw")];
  assert.ok(isAtPrompt(...marked));
  assert.ok(!isAtPrompt(...marked, mark("output-start"), probe("bash", "raw")));
  assert.ok(!isAtPrompt(...marked, mark("output-start"), probe("bash", "prompt")));
  assert.ok(isAtPrompt(...marked, mark("output-start", false), probe("bash", "raw")));
  // Another shell inside of it gives no marks.
  assert.ok(isAtPrompt(...marked, mark("output-start"), probe("zsh", "raw", { pid: 8 })));
});

test("a shell that asks for the rest of a command is at no new prompt, and nothing has asked it", () => {
  const observer = new Observer({ markNonce: nonce });
  const more: Step = {
    type: "osc",
    sequence: { command: 133, data: `P;k=s;n=${nonce}`, offset: 0, end: 0 },
    timeUs: 0,
  };
  const seen = (): boolean[] => {
    const { isMarkedPrompt, isMarkedMore, isAtShellPrompt } = observer.draftContext;
    return [isMarkedPrompt, isMarkedMore, isAtShellPrompt];
  };
  for (const step of [mark("prompt-end"), probe("bash", "raw"), more, frame("> |")]) observer.step(step);
  assert.deepEqual(seen(), [false, true, true]);
  observer.step(mark("prompt-end"));
  assert.deepEqual(seen(), [true, false, true]);
});

test("a shell without marks asks for the rest of a command where its prompt is like one for that, and not like its first one", () => {
  const isAtMore = (shell: string, verdict: ForegroundVerdict, ...screens: string[]): boolean => {
    const observer = new Observer({ markNonce: nonce });
    const [first = "", ...later] = screens;
    // Its first prompt is seen, and the last one may be no frame yet.
    for (const step of [frame(first), probe(shell, verdict), ...later.slice(0, -1).map(frame)]) observer.step(step);
    return !draftOf(frameOf(screens.at(-1) ?? ""), observer.draftContext).isAtPrompt;
  };
  assert.ok(isAtMore("dash", "prompt", "$ |", "$ echo 'a\n> |"));
  assert.ok(isAtMore("bash", "raw", "me@lab:~# |", "me@lab:~# for a in 1\n> |"));
  assert.ok(isAtMore("zsh", "raw", "lab% |", "lab% for a in 1; do echo 'a\nfor quote> |"));
  assert.ok(isAtMore("bash", "raw", "lab> |", "lab> echo 'a\n> |"));
  assert.ok(!isAtMore("dash", "prompt", "$ |", "$ echo 'a\n> '\n$ |"));
  assert.ok(!isAtMore("bash", "raw", "> |", "> true\n> |"));
  assert.ok(!isAtMore("bash", "raw", "~> |", "~> cd src\nsrc> |"));
  assert.ok(!isAtMore("fish", "raw", "me@lab ~> |", "me@lab ~> cd /\nme@lab />|"));
});

test("without marks a line editor is a prompt; a whole line is read inside of a command only where a prompt was seen before", () => {
  for (const shell of ["bash", "zsh", "-fish"]) {
    assert.ok(isAtPrompt(probe(shell, "raw")), shell);
    assert.ok(!isAtPrompt(probe(shell, "raw", { echo: true })), shell);
  }
  for (const shell of ["dash", "bash", "zsh"]) assert.ok(isAtPrompt(probe(shell, "prompt")), shell);
  // Typed before the first probe.
  assert.ok(!isAtPrompt(mark("prompt-end"), mark("output-start"), probe("bash", "prompt")));
  assert.ok(isAtPrompt(probe("bash", "prompt"), frame("bash-5.2$ |"), frame("Overwrite? [y/N] |")));
  assert.ok(!isAtPrompt(probe("bash", "raw"), frame("bash-5.2$ |"), probe("bash", "prompt")));
});

test("scripts, other programs and shells that do not read are at no prompt", () => {
  assert.ok(!isAtPrompt(probe("bash", "raw", { script: true })));
  assert.ok(!isAtPrompt(probe("sh", "prompt", { script: true }), frame("> |")));
  for (const verdict of ["busy", "password", "listening", "stopped"] as const)
    assert.ok(!isAtPrompt(mark("prompt-end"), probe("bash", verdict)), verdict);
  assert.ok(!isAtPrompt(mark("prompt-end"), probe("python3", "prompt")));
});

test("a shell whose marks have stopped is at its prompt where it shows one", () => {
  const stopped = [mark("prompt-end"), probe("bash", "raw"), mark("output-start"), probe("bash", "raw")];
  assert.ok(isAtPrompt(...stopped, frame("bash-5.2$ |")));
  assert.ok(!isAtPrompt(...stopped, frame("bash-5.2$ |"), mark("prompt-end"), mark("output-start")));
});
