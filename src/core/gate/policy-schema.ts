/**
 * JSON Schemas (2020-12) of policy files and of test case files, and their types. `schemas/*.schema.json` are printed from here for
 * editors; a test keeps them equal.
 */

import { sandboxSchema, type SandboxData } from "../sandbox/sandbox-schema.ts";

const oneOrMore = (description: string): object => ({
  type: ["string", "array"],
  items: { type: "string", minLength: 1 },
  minItems: 1,
  minLength: 1,
  description,
});

const effect = (description: string): object => ({ enum: ["allow", "ask", "deny"], description });

const pathProperties = {
  under: oneOrMore("Absolute folders; the path is one of them or below one."),
  outside: oneOrMore("Absolute folders; the path is neither one of them nor below one."),
  glob: oneOrMore("Globs for the absolute path."),
};

const argumentSchema = {
  type: "object",
  additionalProperties: false,
  required: ["at"],
  minProperties: 2,
  description: "A condition on the values at one place of the arguments. All conditions named must hold.",
  properties: {
    at: { type: "string", description: "JSON Pointer; a segment * is each item or member. Values below it count too." },
    equals: { type: ["string", "number", "boolean", "null"], description: "The value itself." },
    glob: oneOrMore("Globs for the value as text."),
    regex: oneOrMore("RE2 expressions found in the value as text."),
    under: oneOrMore("Absolute folders; the value is a path that is one of them or below one, by its text."),
    outside: oneOrMore("Absolute folders; the value is a path outside of all of them, by its text."),
    exists: { type: "boolean", description: "Something is there, or nothing is." },
  },
};

const ruleSchema = {
  type: "object",
  additionalProperties: false,
  required: ["id", "effect"],
  description: "All conditions named must hold. An allow needs every value to match, an ask or deny needs one.",
  properties: {
    id: {
      type: "string",
      pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$",
      maxLength: 100,
      description: "Named in each decision.",
    },
    effect: effect("What happens to what the rule matches. The strictest matching rule wins: deny, ask, allow."),
    reason: { type: "string", maxLength: 1000, description: "Told to the model and to the person who is asked." },
    tool: oneOrMore("Globs for the name of the tool. Default: every tool."),
    session: oneOrMore("Globs; one of the session's labels matches one of them."),
    arguments: { type: "array", minItems: 1, items: argumentSchema },
    command: oneOrMore("Shell commands word by word; each word is a glob, ** at the end is any further words."),
    options: oneOrMore("Options that must all be there, in any spelling and bundle; alternatives with |."),
    paths: {
      type: "object",
      additionalProperties: false,
      minProperties: 1,
      description: "A condition on the words of a shell command, or on the target of a redirection, as paths.",
      properties: pathProperties,
    },
    redirect: { enum: ["read", "write", "any"], description: "Redirections of a shell command to or from files." },
    assigns: oneOrMore("Globs for names of variables that a shell command sets."),
  },
};

const toolSchema = {
  type: "object",
  additionalProperties: false,
  required: ["tool"],
  minProperties: 2,
  properties: {
    tool: oneOrMore("Globs for the name of the tool. Each key comes from the first entry that matches and has it."),
    shell: { type: "string", description: "JSON Pointer of the shell text, or of a list of words to run." },
    directory: { type: "string", description: "JSON Pointer of the folder that the call names for itself." },
    timeoutSeconds: {
      type: "number",
      exclusiveMinimum: 0,
      maximum: 86400,
      description: "A call that runs longer is stopped.",
    },
  },
};

const limitSchema = {
  type: "object",
  additionalProperties: false,
  required: ["id"],
  minProperties: 2,
  properties: {
    id: { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$", maxLength: 100 },
    tool: oneOrMore("Globs for the name of the tool. Default: every tool."),
    scope: { enum: ["session", "all"], description: "Counted for each session (the default) or over all of them." },
    calls: { type: "integer", minimum: 1, maximum: 1000000, description: "Calls in perSeconds, on average." },
    perSeconds: { type: "number", exclusiveMinimum: 0, maximum: 86400, description: "Default 60." },
    burst: {
      type: "integer",
      minimum: 1,
      maximum: 1000000,
      description: "Calls at once after a quiet time. Default: calls.",
    },
    concurrent: { type: "integer", minimum: 1, maximum: 1000000, description: "Calls that run at the same time." },
  },
  dependentRequired: { perSeconds: ["calls"], burst: ["calls"] },
};

const { $schema: _, title: __, ...sandboxBlock } = sandboxSchema;

export const policySchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Lectern policy",
  type: "object",
  additionalProperties: false,
  required: ["version"],
  properties: {
    version: { const: 1 },
    mode: {
      enum: ["enforce", "log-only"],
      description:
        "log-only: decides and writes each decision down, and lets every call pass without a question. Default: enforce.",
    },
    default: effect("For what no rule matches. Default: ask."),
    opaque: effect("For shell text that cannot be read without running it. Default: ask."),
    length: {
      enum: ["deny", "judge"],
      description:
        "Whole calls of a turn that was cut off by the token limit: denied (the default), or judged like others.",
    },
    tools: { type: "array", maxItems: 1000, items: toolSchema },
    rules: { type: "array", maxItems: 1000, items: ruleSchema },
    limits: { type: "array", maxItems: 100, items: limitSchema },
    sandbox: sandboxBlock,
  },
} as const;

export const policyCasesSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Lectern policy test cases",
  type: "object",
  additionalProperties: false,
  required: ["cases"],
  properties: {
    cases: {
      type: "array",
      minItems: 1,
      maxItems: 10_000,
      items: {
        type: "object",
        additionalProperties: false,
        required: ["tool", "expect"],
        properties: {
          name: { type: "string" },
          tool: { type: "string" },
          arguments: { type: "object", description: "Default: none." },
          command: { type: "string", description: "Short for the argument that holds the tool's shell text." },
          session: oneOrMore("Labels of the session."),
          directory: { type: "string", description: "Working directory of the session." },
          home: { type: "string" },
          finish: { enum: ["stop", "tool_calls", "length"], description: "Default: tool_calls." },
          expect: effect("The decision."),
          rule: { type: "string", description: "The rule that decides; the word default or opaque where none does." },
        },
      },
    },
  },
} as const;

/** What a policy decides about a call; `ask`: a person must answer. */
export type Effect = "allow" | "ask" | "deny";

/** `log-only`: decisions are written down and not enforced. */
export type PolicyMode = "enforce" | "log-only";

type OneOrMore = string | readonly string[];

export interface ArgumentConditionData {
  readonly at: string;
  readonly equals?: string | number | boolean | null;
  readonly glob?: OneOrMore;
  readonly regex?: OneOrMore;
  readonly under?: OneOrMore;
  readonly outside?: OneOrMore;
  readonly exists?: boolean;
}

export interface PathConditionData {
  readonly under?: OneOrMore;
  readonly outside?: OneOrMore;
  readonly glob?: OneOrMore;
}

export interface RuleData {
  readonly id: string;
  readonly effect: Effect;
  readonly reason?: string;
  readonly tool?: OneOrMore;
  readonly session?: OneOrMore;
  readonly arguments?: readonly ArgumentConditionData[];
  readonly command?: OneOrMore;
  readonly options?: OneOrMore;
  readonly paths?: PathConditionData;
  readonly redirect?: "read" | "write" | "any";
  readonly assigns?: OneOrMore;
}

export interface PolicyToolData {
  readonly tool: OneOrMore;
  readonly shell?: string;
  readonly directory?: string;
  readonly timeoutSeconds?: number;
}

export interface LimitData {
  readonly id: string;
  readonly tool?: OneOrMore;
  readonly scope?: "session" | "all";
  readonly calls?: number;
  readonly perSeconds?: number;
  readonly burst?: number;
  readonly concurrent?: number;
}

/**
 * A policy as data, as in [docs/policy.md](../../../docs/policy.md); `checkPolicy` takes it.
 *
 * @example
 * ```ts
 * const policy = { version: 1, rules: [{ id: "no-rm", effect: "deny", command: "rm **" }] } as const satisfies PolicyData;
 * ```
 */
export interface PolicyData {
  readonly version: 1;
  readonly mode?: PolicyMode;
  readonly default?: Effect;
  readonly opaque?: Effect;
  readonly length?: "deny" | "judge";
  readonly tools?: readonly PolicyToolData[];
  readonly rules?: readonly RuleData[];
  readonly limits?: readonly LimitData[];
  readonly sandbox?: SandboxData;
}

export interface PolicyCaseData {
  readonly name?: string;
  readonly tool: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly command?: string;
  readonly session?: OneOrMore;
  readonly directory?: string;
  readonly home?: string;
  readonly finish?: "stop" | "tool_calls" | "length";
  readonly expect: Effect;
  readonly rule?: string;
}

export interface PolicyCasesData {
  readonly cases: readonly PolicyCaseData[];
}
