import assert from "node:assert/strict";
import { test } from "node:test";
import { LecternError } from "../core/errors.ts";
import { parseEventLine, errorLine, receiptLine } from "./event-line.ts";

test("a line is a session, a name, a payload and perhaps a nonce", () => {
  assert.deepEqual(parseEventLine('{"session":"s","name":"DONE","payload":null,"more":1}'), {
    session: "s",
    name: "DONE",
    payload: null,
    nonce: undefined,
  });
});

test("what is wrong is said, with how it should be", () => {
  const messageOf = (line: string): string => {
    try {
      return JSON.stringify(parseEventLine(line));
    } catch (error) {
      return (error as LecternError).message.replace("Cannot read the event: ", "");
    }
  };
  assert.match(messageOf("{"), /^it is not valid JSON/);
  assert.deepEqual(["[]", "3", "{}", '{"session":"s","name":"1"}', '{"session":"s","name":"A"}'].map(messageOf), [
    "it is not a JSON object",
    "it is not a JSON object",
    '"session" is missing: take it from LECTERN_SESSION',
    '"name" must be a letter, then at most 63 of A-Z a-z 0-9 _ . -',
    '"payload" is missing: any JSON value, also null',
  ]);
});

test("answers are one line of JSON", () => {
  assert.equal(
    receiptLine({ offset: 1, next: 2, trust: "nonce" }),
    '{"ok":true,"offset":1,"next":2,"trust":"nonce"}\n',
  );
  assert.equal(errorLine(new LecternError("FORBIDDEN", "no")), '{"ok":false,"code":"FORBIDDEN","message":"no"}\n');
});
