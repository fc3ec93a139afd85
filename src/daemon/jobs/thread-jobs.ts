/** The jobs of a `JobThread`: functions from plain data to plain data. Each loads its code when it is first used. */
import type { AgentFile } from "../../core/agents/agent-file.ts";
import type { AgentFiles, AgentFileText } from "../../core/agents/agent-reader.ts";
import type { CheckedConfig, ConfigKind } from "../../core/config/check-config.ts";
import type { CallFinding } from "../../core/gate/finding.ts";
import type { FileProblem } from "../../core/gate/data-file.ts";
import type { PolicyReplay, RecordedCall } from "../../core/gate/policy-files.ts";
import type { ReadPolicy } from "../../core/gate/policy-text.ts";
import type { SandboxFileResult } from "../../core/gate/sandbox-file.ts";
import type { OutputOf } from "../../protocol/operations.ts";
import type { CallToFind } from "./find-call.ts";

type Problems = { readonly ok: false; readonly problems: readonly FileProblem[] };

export const threadJobs = {
  agents: async ({ texts, before }: AgentsInput): Promise<AgentFiles> => {
    const { readAgentFiles } = await import("../../core/agents/agent-reader.ts");
    return readAgentFiles(texts, before);
  },

  config: async ({ kind, text }: { readonly text: string; readonly kind: ConfigKind }): Promise<CheckedConfig> => {
    const [{ yaml }, { checkConfig }] = await Promise.all([
      import("../../core/gate/yaml-file.ts"),
      import("../../core/config/check-sections.ts"),
    ]);
    return checkConfig(yaml.read(text), kind);
  },

  finding: async (given: CallToFind): Promise<CallFinding> => {
    const { findCall } = await import("./find-call.ts");
    return findCall(given);
  },

  /** What is wrong with the schemas of events, by name; null for those that can be used. */
  schemas: async (
    schemas: Readonly<Record<string, unknown>>,
  ): Promise<readonly (readonly [string, string | null])[]> => {
    const { schemaProblem } = await import("../../core/events/payload-check.ts");
    return Object.entries(schemas).map(([name, schema]) => [name, schemaProblem(schema) ?? null]);
  },

  sandbox: async (text: string): Promise<SandboxFileResult> => {
    const { checkSandbox } = await import("../../core/gate/sandbox-file.ts");
    return checkSandbox(text);
  },

  policy: async (text: string): Promise<ReadPolicy | Problems> => {
    const { parsePolicyText } = await import("../../core/gate/policy-text.ts");
    return parsePolicyText(text);
  },

  "policy.check": async (text: string): Promise<OutputOf<"policy.check">> => {
    const { reviewPolicy } = await import("../../core/gate/policy-warnings.ts");
    const result = reviewPolicy(text);
    if (!result.ok) return { ok: false, problems: [...result.problems], rules: 0, limits: 0, default: null };
    const { rules, limits, default: effect } = result.policy;
    return {
      ok: true,
      problems: [...result.warnings],
      rules: rules.length,
      limits: limits.length,
      default: effect,
    };
  },

  /** The first match of a native regular expression, whose time may be exponential in the text. */
  match: async ({ pattern, text }: { readonly pattern: string; readonly text: string }): Promise<string | undefined> =>
    new RegExp(pattern, "mu").exec(text)?.[0],

  "policy.replay": async ({ calls, text }: ReplayInput): Promise<Replayed | Problems> => {
    const [{ checkPolicyText }, { replayPolicy }] = await Promise.all([
      import("../../core/gate/policy-text.ts"),
      import("../../core/gate/policy-files.ts"),
    ]);
    const result = checkPolicyText(text);
    return result.ok ? { ok: true, warnings: result.warnings, replay: replayPolicy(result.policy, calls) } : result;
  },
};

interface AgentsInput {
  readonly texts: readonly AgentFileText[];
  readonly before: ReadonlyMap<string, AgentFile>;
}

interface ReplayInput {
  readonly text: string;
  readonly calls: readonly RecordedCall[];
}

interface Replayed {
  readonly ok: true;
  readonly warnings: readonly FileProblem[];
  readonly replay: PolicyReplay;
}

type ThreadJobs = typeof threadJobs;
export type ThreadJob = keyof ThreadJobs;
export type JobInput<Job extends ThreadJob> = Parameters<ThreadJobs[Job]>[0];
export type JobOutput<Job extends ThreadJob> = Awaited<ReturnType<ThreadJobs[Job]>>;
