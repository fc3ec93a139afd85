/** Checks a policy, tests it on cases, and shows what it would have decided in recorded sessions. */
import { LecternError } from "../../core/errors.ts";
import { checkPolicy, testPolicy } from "../../core/gate/policy-files.ts";
import { policyCasesSchema, policySchema } from "../../core/gate/policy-schema.ts";
import type { FileProblem } from "../../core/gate/yaml-file.ts";
import { defineCommand, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { problemLine, readPolicyFile, readTextFile } from "../policy-file.ts";
import { joinReplays, replayLines } from "../policy-text.ts";

export const policy = defineCommand({
  name: "policy",
  aliases: [],
  summary: "Check a policy, test it on cases or replay sessions through it",
  details: [
    "check FILE reports each problem with its line and the nearest known key.",
    "test FILE CASES.yaml runs test cases and lists the rules that no case reached.",
    "replay FILE SESSION... applies the policy to the tool calls of these sessions; nothing is executed.",
    "schema [policy|cases] prints the JSON Schema of the file, for editors.",
  ],
  arguments: [
    { name: "action", summary: "One of", choices: ["check", "test", "replay", "schema"] },
    { name: "words", summary: "Files; for replay a file and sessions", count: "any", completes: "file" },
  ],
  options: { json: jsonOption },
  examples: [
    "lectern policy check policy.yaml",
    "lectern policy test policy.yaml cases.yaml",
    "lectern policy replay policy.yaml claude",
    "lectern policy schema > policy.schema.json",
  ],
  async run({ arguments: { action, words }, options: { json } }, context) {
    switch (action) {
      case "check":
        return check(onlyOne(words, "FILE"), json, context);
      case "test":
        return test(words, json, context);
      case "replay":
        return replay(words, json, context);
      default:
        return schema(words, context);
    }
  },
});

async function check(file: string, json: boolean, context: CliContext): Promise<number> {
  const result = checkPolicy(await readTextFile(file, context));
  const problems = result.ok ? result.warnings : result.problems;
  if (json) {
    const counts = result.ok ? { rules: result.policy.rules.length, limits: result.policy.limits.length } : {};
    await context.print(JSON.stringify({ ok: result.ok, problems, ...counts }));
    return result.ok ? 0 : 1;
  }
  noteProblems(file, problems, context);
  if (!result.ok) return 1;
  const { limits, rules } = result.policy;
  await context.print(`${file}: ${rules.length} rules, ${limits.length} limits, default ${result.policy.default}`);
  return 0;
}

async function test(words: readonly string[], json: boolean, context: CliContext): Promise<number> {
  const [file, cases, more] = words;
  if (file === undefined || cases === undefined || more !== undefined) throw usage("wanted FILE CASES");
  const loaded = await readPolicyFile(file, context);
  const result = testPolicy(loaded.policy, await readTextFile(cases, context));
  if (!result.ok) {
    if (json) await context.print(JSON.stringify({ ok: false, problems: result.problems }));
    else noteProblems(cases, result.problems, context);
    return 1;
  }
  if (json) {
    await context.print(JSON.stringify(result));
    return result.passed ? 0 : 1;
  }
  const failed = result.results.filter((each) => !each.passed);
  for (const { line, message, name } of failed) {
    await context.print(`${cases}:${line}: ${name}: ${context.style.red(message ?? "failed")}`);
  }
  if (result.untestedRules.length > 0) context.note(`No case reached: ${result.untestedRules.join(", ")}`);
  await context.print(`${result.results.length} cases, ${failed.length} failed`);
  return result.passed ? 0 : 1;
}

async function replay(words: readonly string[], json: boolean, context: CliContext): Promise<number> {
  const [file, ...sessions] = words;
  if (file === undefined || sessions.length === 0) throw usage("wanted FILE SESSION...");
  const { text } = await readPolicyFile(file, context);
  const found = await Promise.all(sessions.map((session) => context.call("policy.replay", { session, policy: text })));
  const result = joinReplays(found);
  if (json) {
    await context.print(JSON.stringify(result));
    return 0;
  }
  for (const line of replayLines(result, context.style)) await context.print(line);
  if (result.leftOut > 0) {
    context.note(`${result.leftOut} calls were skipped: too many, or with arguments too long to be recorded`);
  }
  return 0;
}

async function schema(words: readonly string[], context: CliContext): Promise<number> {
  const name = words[0] ?? "policy";
  if (words.length > 1 || (name !== "policy" && name !== "cases")) throw usage("wanted policy or cases");
  await context.print(JSON.stringify(name === "policy" ? policySchema : policyCasesSchema, null, 2));
  return 0;
}

function noteProblems(file: string, problems: readonly FileProblem[], context: CliContext): void {
  for (const problem of problems) context.note(problemLine(file, problem, context.errorStyle));
}

function onlyOne(words: readonly string[], name: string): string {
  const [word, more] = words;
  if (word === undefined || more !== undefined) throw usage(`wanted ${name}`);
  return word;
}

const usage = (wanted: string): LecternError =>
  new LecternError("USAGE", `Cannot read the arguments: ${wanted}; see "lectern policy --help"`);
