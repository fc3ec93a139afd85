/**
 * JSON Schemas (2020-12) of policy files and of test case files, and their types. `schemas/*.schema.json` are printed from here for
 * editors; a test keeps them equal.
 */

import type { SchemaObject } from "../json-schema/schema-run.ts";
import { form, formWith, mapForm, wordForm, type DataOf, type Form } from "../json-schema/typed-form.ts";
import { sandboxSchema, type SandboxData } from "../sandbox/sandbox-schema.ts";

const EFFECTS = ["allow", "ask", "deny"] as const;
/** What a policy decides about a call; `ask`: a person must answer. */
export type Effect = (typeof EFFECTS)[number];

const oneOrMore = (description: string): Form<string | readonly string[]> =>
  form({ type: ["string", "array"], items: { type: "string", minLength: 1 }, minItems: 1, minLength: 1, description });
const text = (description: string): Form<string> => form({ type: "string", description });
const anyText = form<string>({ type: "string" });

const words = <const Word extends string>(allowed: readonly Word[], description: string): Form<Word> =>
  formWith(wordForm(allowed), { description });
const effect = (description: string): Form<Effect> => words(EFFECTS, description);
const count = (description: string): Form<number> =>
  form({ type: "integer", minimum: 1, maximum: 1_000_000, description });
const seconds = (description: string): Form<number> =>
  form({ type: "number", exclusiveMinimum: 0, maximum: 86_400, description });
const listOf = <Data>(item: Form<Data>, limits: object): Form<readonly Data[]> =>
  form({ type: "array", ...limits, items: item });

const id = form<string>({ type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9._-]*$", maxLength: 100 });

const pathsForm = mapForm({
  under: oneOrMore("Absolute folders; the path is one of them or below one."),
  outside: oneOrMore("Absolute folders; the path is neither one of them nor below one."),
  glob: oneOrMore("Globs for the absolute path."),
  in: oneOrMore("Shared lists; the path is in one of them."),
  except: oneOrMore("Shared lists; the path is in none of them."),
});
export type PathConditionData = DataOf<typeof pathsForm>;

const argumentForm = mapForm(
  {
    at: text("JSON Pointer; a segment * is each item or member. Values below it count too."),
    equals: form<string | number | boolean | null>({
      type: ["string", "number", "boolean", "null"],
      description: "The value itself.",
    }),
    glob: oneOrMore("Globs for the value as text."),
    regex: oneOrMore("RE2 expressions found in the value as text."),
    under: oneOrMore("Absolute folders; the value is a path that is one of them or below one, by its text."),
    outside: oneOrMore("Absolute folders; the value is a path outside of all of them, by its text."),
    in: oneOrMore("Shared lists; the value is a path that is in one of them."),
    except: oneOrMore("Shared lists; the value is a path that is in none of them."),
    exists: form<boolean>({ type: "boolean", description: "Something is there, or nothing is." }),
  },
  "at",
);
export type ArgumentConditionData = DataOf<typeof argumentForm>;

const ruleForm = mapForm(
  {
    id: formWith(id, { description: "Named in each decision." }),
    effect: effect("What happens to what the rule matches. The strictest matching rule wins: deny, ask, allow."),
    reason: formWith(text("Told to the model and to the person who is asked."), { maxLength: 1000 }),
    tool: oneOrMore("Globs for the name of the tool. Default: every tool."),
    session: oneOrMore("Globs; one of the session's labels matches one of them."),
    arguments: listOf(
      formWith(argumentForm, {
        minProperties: 2,
        description: "A condition on the values at one place of the arguments. All conditions named must hold.",
      }),
      { minItems: 1 },
    ),
    command: oneOrMore(
      "Shell commands word by word; each word is a glob, ** between words or at the end is any number of words.",
    ),
    options: oneOrMore("Options that must all be there, in any spelling and bundle; alternatives with |."),
    does: oneOrMore("Effects; the rule is about each such effect of a command, a redirection or a known tool."),
    paths: formWith(pathsForm, {
      minProperties: 1,
      description:
        "A condition on the target of an effect; without does, on the words of a command and on targets of redirections.",
    }),
    redirect: words(["read", "write", "any"], "Redirections of a shell command to or from files."),
    assigns: oneOrMore("Globs for names of variables that a shell command sets."),
  },
  "id",
  "effect",
);
export type RuleData = DataOf<typeof ruleForm>;

const toolForm = mapForm(
  {
    tool: oneOrMore("Globs for the name of the tool. Each key comes from the first entry that matches and has it."),
    shell: text("JSON Pointer of the shell text, or of a list of words to run."),
    directory: text("JSON Pointer of the folder that the call names for itself."),
    timeoutSeconds: seconds("A call that runs longer is stopped."),
  },
  "tool",
);
export type PolicyToolData = DataOf<typeof toolForm>;

const limitForm = mapForm(
  {
    id,
    tool: oneOrMore("Globs for the name of the tool. Default: every tool."),
    scope: words(["session", "all"], "Counted for each session (the default) or over all of them."),
    calls: count("Calls in perSeconds, on average."),
    perSeconds: seconds("Default 60."),
    burst: count("Calls at once after a quiet time. Default: calls."),
    concurrent: count("Calls that run at the same time."),
  },
  "id",
);
export type LimitData = DataOf<typeof limitForm>;

const { $schema: _, title: __, ...sandboxBlock } = sandboxSchema;

const policyForm = mapForm(
  {
    version: form<1>({ const: 1 }),
    mode: words(
      ["enforce", "log-only"],
      "log-only: decides and writes each decision down, and lets every call pass without a question. Default: enforce.",
    ),
    default: effect("For what no rule matches. Default: ask."),
    opaque: effect("For shell text that cannot be read without running it. Default: ask."),
    length: words(
      ["deny", "judge"],
      "Whole calls of a turn that was cut off by the token limit: denied (the default), or judged like others.",
    ),
    tools: listOf(formWith(toolForm, { minProperties: 2 }), { maxItems: 1000 }),
    rules: listOf(
      formWith(ruleForm, {
        description: "All conditions named must hold. An allow needs every value to match, an ask or deny needs one.",
      }),
      { maxItems: 1000 },
    ),
    limits: listOf(
      formWith(limitForm, {
        minProperties: 2,
        dependentRequired: { perSeconds: ["calls"], burst: ["calls"] },
      }),
      { maxItems: 100 },
    ),
    sandbox: form<SandboxData>(sandboxBlock),
  },
  "version",
);

/**
 * A policy as data, as in [docs/policy.md](../../../docs/policy.md); `checkPolicy` takes it.
 *
 * @example
 * ```ts
 * const policy = { version: 1, rules: [{ id: "no-rm", effect: "deny", command: "rm **" }] } as const satisfies PolicyData;
 * ```
 */
export type PolicyData = DataOf<typeof policyForm>;

/** `log-only`: decisions are written down and not enforced. */
export type PolicyMode = NonNullable<PolicyData["mode"]>;

const caseForm = mapForm(
  {
    name: anyText,
    tool: anyText,
    arguments: form<Readonly<Record<string, unknown>>>({ type: "object", description: "Default: none." }),
    command: text("Short for the argument that holds the tool's shell text."),
    session: oneOrMore("Labels of the session."),
    directory: text("Working directory of the session."),
    home: anyText,
    finish: words(["stop", "tool_calls", "length"], "Default: tool_calls."),
    expect: effect("The decision."),
    rule: text("The rule that decides; the word default or opaque where none does."),
  },
  "tool",
  "expect",
);
export type PolicyCaseData = DataOf<typeof caseForm>;

const casesForm = mapForm({ cases: listOf(caseForm, { minItems: 1, maxItems: 10_000 }) }, "cases");
export type PolicyCasesData = DataOf<typeof casesForm>;

const $schema = "https://json-schema.org/draft/2020-12/schema";
export const policySchema: SchemaObject = { $schema, title: "Lectern policy", ...policyForm };
export const policyCasesSchema: SchemaObject = { $schema, title: "Lectern policy test cases", ...casesForm };
