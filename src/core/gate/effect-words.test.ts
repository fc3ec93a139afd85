import assert from "node:assert/strict";
import { test } from "node:test";
import { effectKinds, effectPhrase } from "./effect-words.ts";
import { pathList } from "./path-lists.ts";
import { literalWord } from "./shell-words.ts";

test("a phrase names what is done and to what", () => {
  const credentials = pathList("credentials");
  assert.ok(credentials);
  const env = { kind: "read", target: literalWord(".env"), text: "" } as const;
  assert.equal(effectPhrase(env, [credentials]), "reads .env, which holds credentials");
  assert.equal(effectPhrase({ ...env, tree: "below" }, []), "reads .env and what is below it");
  assert.equal(effectPhrase({ kind: "network", target: null, text: "" }, []), "uses the network");
  assert.equal(effectPhrase({ ...env, target: literalWord("a\u202eb") }, []).includes("\u202e"), false);
});

test("each kind has a phrase", () => {
  assert.equal(new Set(effectKinds.map((kind) => effectPhrase({ kind, target: null, text: "" }, []))).size, 18);
});
