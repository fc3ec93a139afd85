/** Tools that the shipped policies allow by name, with words that do more than testing and building. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { shippedPolicies, shippedPolicyText } from "../src/cli/shipped-policies.ts";
import { decide } from "../src/core/gate/decide.ts";
import { checkPolicyText } from "../src/core/gate/policy-text.ts";
import { DiskView } from "../src/disk/file-view.ts";

/** What installs, publishes or deletes by a word in any place, or by an option. */
const evasions: readonly string[] = [
  "make all -s install",
  "make -j 4 install",
  "make a b c d e X=y",
  "ninja install",
  "cmake --build . -t install",
  "cmake --build . --config Release --target=install",
  "cmake --build . -j4 -tinstall",
  "cmake --build . -- install",
  "gradle test --profile publish",
  "mvn test -Dmaven.test.skip a b c deploy",
  "cargo xtask deploy",
  "ctest --build-and-test . out --test-command rm x",
  "pytest --basetemp=src",
  "pytest --basetem src",
  "coverage run -m pytest --basetemp=src",
  "npx vite build --outDir src",
  "npx webpack build --output-path src --output-clean",
  "npx playwright test --output=src",
  "go list -m -u all",
  "go list -m -versions evil.com/x",
  "go vet -fixtool=./x",
  "npx vitest --coverage.reportsDirectory=src",
  "uv run sort -o ../x a",
  "mypy --python-exec ./x .",
  "npx vitest --api.host=0.0.0.0",
  "npx playwright test --ui-host=0.0.0.0",
  "dotnet build @options",
  "protoc @options",
  `npx jest --config='{"globalSetup":"../x"}'`,
  `ruff check --config='extend="../x"'`,
  "TZ=:/users/me/.netrc date",
];

test("no shipped policy allows a tool to install, publish, delete, open a port or take options from a file", () => {
  const context = { workingDirectory: "/project", home: "/users/me", labels: [] };
  for (const name of shippedPolicies) {
    const read = checkPolicyText(shippedPolicyText(name));
    assert.ok(read.ok, name);
    const allowed = evasions.filter(
      (command) =>
        decide(read.policy, { name: "Bash", arguments: { command }, finish: "tool_calls" }, context).effect === "allow",
    );
    assert.deepEqual(allowed, [], name);
  }
});

test("coding lets a tool empty a folder of build output, or one that is not there yet", () => {
  const directory = mkdtempSync(join(tmpdir(), "tools-"));
  mkdirSync(join(directory, "src"));
  const read = checkPolicyText(shippedPolicyText("coding"));
  assert.ok(read.ok);
  const context = { workingDirectory: directory, home: "/users/me", labels: [], files: () => new DiskView() };
  const effectOf = (command: string): string =>
    decide(read.policy, { name: "Bash", arguments: { command }, finish: "tool_calls" }, context).effect;
  for (const command of [
    "npx vite build --outDir dist/web",
    "python -m pytest --basetemp=build/t",
    "npx playwright test --output new",
    "pytest --basetemp=.pytest_tmp -q",
  ])
    assert.equal(effectOf(command), "allow", command);
  for (const command of ["npx vite build --outDir src", "pytest --basetemp=/opt/new", "pytest --basetemp .github"])
    assert.equal(effectOf(command), "ask", command);
  rmSync(directory, { recursive: true });
});
