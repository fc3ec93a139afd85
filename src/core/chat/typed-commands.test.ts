import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageLog } from "./message-log.ts";
import { TypedCommands } from "./typed-commands.ts";

const place = { offset: 5, timeUs: 1_000 };

test("a line that begins with a slash and a name is a command", () => {
  const log = new MessageLog();
  const commands = new TypedCommands(log);
  for (const line of ["/exit", "fix /exit", " /model fast ", "/", "/two\nlines", "/etc/hosts has two lines"])
    commands.type(line, "claude", place);
  assert.deepEqual(
    log.take().map(({ role, agent, text }) => [role, agent, text]),
    [
      ["command", "claude", "/exit"],
      ["command", "claude", "/model fast"],
    ],
  );
});

test("what the screen shows is the command that was typed, each once", () => {
  const log = new MessageLog();
  const typed = new TypedCommands(log);
  typed.type("/model", "claude", place);
  typed.type("/cl", "claude", place);
  typed.type("/model", "claude", place);
  const commands = new TypedCommands(log, JSON.parse(JSON.stringify(typed.save())));
  assert.equal(commands.shownAs("/clear", new Set()), "m2");
  assert.equal(commands.shownAs("/model", new Set()), "m1");
  assert.equal(commands.shownAs("/model", new Set(["m1"])), "m3");
  assert.equal(commands.shownAs("/help", new Set()), null);
});

test("what turns out to be a prompt is withdrawn", () => {
  const log = new MessageLog();
  const commands = new TypedCommands(log);
  commands.type("/tmp is full", "claude", place);
  log.take();
  commands.withdraw("/tmp is full", place);
  assert.deepEqual(
    log.take().map(({ id, text }) => [id, text]),
    [["m1", ""]],
  );
});

test("behind a clear command another conversation is shown as soon as nothing of the old one is", () => {
  const commands = new TypedCommands(new MessageLog());
  const typed = (line: string): void => commands.type(line, "claude", place);
  assert.equal(
    commands.beginsAnew(() => true),
    false,
  );
  typed("/clear");
  assert.equal(
    commands.beginsAnew(() => false),
    false,
  );
  assert.equal(
    commands.beginsAnew(() => true),
    true,
  );
  assert.equal(
    commands.beginsAnew(() => false),
    false,
    "a repaint",
  );
  typed("go on");
  assert.equal(
    commands.beginsAnew(() => true),
    false,
    "it was not cleared",
  );
  typed("/new");
  assert.equal(
    commands.beginsAnew(() => true),
    true,
  );
  typed("the same prompt");
  const restored = new TypedCommands(new MessageLog(), JSON.parse(JSON.stringify(commands.save())));
  assert.equal(
    restored.beginsAnew(() => false),
    true,
  );
  restored.began();
  assert.equal(
    restored.beginsAnew(() => true),
    false,
  );
});
