import assert from "node:assert/strict";
import { test } from "node:test";
import { launchFor, upstreamsFor } from "./launch.ts";
import { agentProfiles, profileOf } from "./profiles.ts";

const given = { origin: "http://127.0.0.1:7", secret: "s3", directory: "/data/agent" };

test("launchFor points an unknown program at the gateway by the variables that many know", () => {
  const environment = { NO_PROXY: "intra.example" };
  const launch = launchFor({ ...given, profile: undefined, command: ["my-agent", "-x"], environment });
  assert.deepEqual(launch.command, ["my-agent", "-x"]);
  assert.equal(launch.environment["ANTHROPIC_BASE_URL"], "http://127.0.0.1:7/wire/s3/anthropic");
  assert.equal(launch.environment["OPENAI_BASE_URL"], "http://127.0.0.1:7/wire/s3/openai");
  assert.equal(launch.environment["NO_PROXY"], "intra.example,127.0.0.1");
});

test("launchFor keeps the secret out of the words of a command, which other users can see", () => {
  for (const profile of agentProfiles) {
    const environments = [{}, { OPENAI_API_KEY: "k", COPILOT_PROVIDER_BASE_URL: "http://x" }];
    for (const environment of environments) {
      const launch = launchFor({ ...given, profile, command: [profile.programs[0]!], environment });
      assert.ok(!launch.command.join(" ").includes(given.secret), profile.name);
      assert.ok(!JSON.stringify(launch).includes("{directory}"), profile.name);
    }
  }
});

test("launchFor takes the launch for which the variable is there", () => {
  const codex = profileOf("codex");
  const words = (environment: Record<string, string>): string =>
    launchFor({ ...given, profile: codex, command: ["codex"], environment }).command.join(" ");
  assert.match(words({ OPENAI_API_KEY: "k" }), /env_key="OPENAI_API_KEY"/);
  assert.match(words({}), /requires_openai_auth=true/);
});

test("upstreamsFor takes what is named, then the environment, then the vendor's address", () => {
  const environment = { ANTHROPIC_BASE_URL: "https://proxy.example/anthropic/", OPENAI_BASE_URL: "http://env/v1" };
  const found = upstreamsFor({ openai: "http://named:8000/v1/" }, { environment, profile: undefined });
  assert.deepEqual(found, {
    anthropic: "https://proxy.example/anthropic",
    openai: "http://named:8000/v1",
    gemini: "https://generativelanguage.googleapis.com",
    "code-assist": "https://cloudcode-pa.googleapis.com",
  });
});

test("upstreamsFor refuses what is no plain URL, and does not repeat it", () => {
  for (const openai of ["ftp://x", "http://user:pass@x", "http://x?key=pass", "pass"]) {
    assert.throws(
      () => upstreamsFor({ openai }, { environment: {}, profile: undefined }),
      (error: Error) =>
        error.message.startsWith('Cannot use the upstream of "openai"') && !error.message.includes("pass"),
    );
  }
});
