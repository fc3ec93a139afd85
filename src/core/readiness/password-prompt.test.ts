import assert from "node:assert/strict";
import { test } from "node:test";
import { asksForPassword } from "./password-prompt.ts";

test("asksForPassword knows the questions of sudo, ssh, gpg, git and others", () => {
  for (const line of [
    "[sudo] password for ann: ",
    "ann@example.org's password: ",
    "Enter passphrase for key '/a/id_ed25519': ",
    "Password for 'https://ann@example.org': ",
    "Password:",
    "Enter PIN for authenticator: ",
    "Verification code: ",
  ]) {
    assert.ok(asksForPassword(line), line);
  }
});

test("asksForPassword takes no prompt, path or sentence for one", () => {
  for (const line of [
    "$ ",
    "ann@host:~/password$ ",
    ">>> ",
    "The password was changed.",
    "passwords: 3 found\n",
    "spinning: ",
  ]) {
    assert.equal(asksForPassword(line), false, line);
  }
});
