import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInAgents } from "../../core/agents/built-in-agents.ts";
import { launchFor, refuseUnwatched, upstreamsFor } from "./launch.ts";

const given = { origin: "http://127.0.0.1:7", secret: "s3", directory: "/data/agent" };

test("launchFor points an unknown program at the gateway by the variables that many know", () => {
  const environment = { NO_PROXY: "intra.example" };
  const launch = launchFor({ ...given, agent: undefined, command: ["my-agent", "-x"], environment });
  assert.deepEqual(launch.command, ["my-agent", "-x"]);
  assert.equal(launch.environment["ANTHROPIC_BASE_URL"], "http://127.0.0.1:7/wire/s3/anthropic");
  assert.equal(launch.environment["OPENAI_BASE_URL"], "http://127.0.0.1:7/wire/s3/openai");
  assert.equal(launch.environment["NO_PROXY"], "intra.example,127.0.0.1");
});

test("launchFor keeps the secret out of the words of a command, which other users can see", () => {
  for (const agent of builtInAgents.agents) {
    const environments = [{}, { OPENAI_API_KEY: "k", COPILOT_PROVIDER_BASE_URL: "http://x" }];
    for (const environment of environments) {
      const launch = launchFor({ ...given, agent, command: [agent.commands[0]!], environment });
      assert.ok(!launch.command.join(" ").includes(given.secret), agent.name);
      assert.ok(!JSON.stringify(launch).includes("{directory}"), agent.name);
    }
  }
});

test("launchFor takes the launch for which the variable is there", () => {
  const codex = builtInAgents.named("codex");
  const words = (environment: Record<string, string>): string =>
    launchFor({ ...given, agent: codex, command: ["codex"], environment }).command.join(" ");
  assert.match(words({ OPENAI_API_KEY: "k" }), /env_key="OPENAI_API_KEY"/);
  assert.match(words({}), /requires_openai_auth=true/);
});

test("upstreamsFor takes what is named, then the environment, then the vendor's address", () => {
  const environment = { ANTHROPIC_BASE_URL: "https://proxy.example/anthropic/", OPENAI_BASE_URL: "http://env/v1" };
  const found = upstreamsFor({ openai: "http://named:8000/v1/" }, { environment, agent: undefined });
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
      () => upstreamsFor({ openai }, { environment: {}, agent: undefined }),
      (error: Error) =>
        error.message.startsWith('Cannot use the upstream of "openai"') && !error.message.includes("pass"),
    );
  }
});

test("refuseUnwatched names the variable that sends an agent to a cloud, and the agent that cannot be watched", () => {
  const refused = (name: string, environment: Record<string, string>): string => {
    try {
      refuseUnwatched({ agent: builtInAgents.named(name), environment });
      return "fine";
    } catch (error) {
      return (error as Error).message;
    }
  };
  assert.match(refused("claude", { CLAUDE_CODE_USE_BEDROCK: "1" }), /CLAUDE_CODE_USE_BEDROCK sends it to Amazon/);
  assert.match(refused("gemini", { GOOGLE_GENAI_USE_VERTEXAI: "true" }), /sends it to Google Vertex AI/);
  assert.match(refused("cline", {}), /Cannot watch Cline over the wire/);
  assert.equal(refused("claude", { CLAUDE_CODE_USE_BEDROCK: "0", CLAUDE_CODE_USE_VERTEX: "" }), "fine");
  assert.equal(refused("my-agent", { CLAUDE_CODE_USE_BEDROCK: "1" }), "fine");
});

test("upstreamsFor refuses the clouds whose requests are signed for their own address", () => {
  for (const [anthropic, cloud] of [
    ["https://bedrock-runtime.us-east-1.amazonaws.com", /Amazon Bedrock/],
    ["https://europe-west1-aiplatform.googleapis.com/v1", /Google Vertex AI/],
    ["https://aiplatform.googleapis.com", /Google Vertex AI/],
  ] as const) {
    assert.throws(() => upstreamsFor({ anthropic }, { environment: {}, agent: undefined }), cloud);
  }
});
