import assert from "node:assert/strict";
import { test } from "node:test";
import { maskSecrets } from "./mask-secrets.ts";

// Put together here, so that no scanner takes this file for a leak.
const word = (...parts: readonly string[]): string => parts.join("");
const secrets: readonly string[] = [
  word("sk-ant-", "api03-AAAABBBBCCCCDDDD"),
  word("ghp", "_ABCDEFGHIJKLMNOPQRST"),
  word("github", "_pat_ABCDEFGHIJKLMNOPQRST"),
  word("AKIA", "ABCDEFGHIJKLMNOP"),
  word("eyJhbGciOiJI", ".eyJzdWIiOiIx", ".abcdef"),
  word("xoxb-", "1234567890-abcdef"),
  word("whsec", "_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
  "0123456789abcdef".repeat(4),
];

test("words that are secrets by their form are masked", () => {
  for (const secret of secrets) assert.equal(maskSecrets(`use ${secret} now`), "use ••• now", secret.slice(0, 6));
});

test("values with the name of a secret, headers, addresses with a password and keys are masked", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["export DB_PASSWORD=hunter22", "export DB_PASSWORD=•••"],
    ['{"api_key": "abcd1234"}', '{"api_key": "•••"}'],
    ["login --password hunter22 -v", "login --password ••• -v"],
    ["GITHUB_TOKEN=abcdef123", "GITHUB_TOKEN=•••"],
    ["-H 'Authorization: Bearer abc.def-ghi'", "-H 'Authorization: Bearer •••'"],
    ["psql postgres://me:pass@db/x", "psql postgres://me:•••@db/x"],
    ["curl https://hooks.slack.com/services/T0/B0/xyz", "curl https://hooks.slack.com/services/•••"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nend", "•••\nend"],
  ];
  for (const [text, masked] of cases) assert.equal(maskSecrets(text), masked);
});

test("ordinary commands, paths and commits stay as they are", () => {
  const texts = [
    "git checkout 3f786850e387550fdab836ed7e6dc881de23001b",
    "rm -rf ./secrets && npm run build:token",
    "Do you want to create the file tokens.ts?",
    "cat src/core/text/mask-secrets.ts",
  ];
  for (const text of texts) assert.equal(maskSecrets(text), text);
});
