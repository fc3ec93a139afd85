import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { explainCall, type Explanation } from "../../core/gate/explain.ts";
import { shellArguments, testPolicy } from "../../core/gate/policy-files.ts";
import { reviewPolicy } from "../../core/gate/policy-warnings.ts";
import { knownShellToolNames, toolSettings, type Policy } from "../../core/gate/policy.ts";
import { policyCasesSchema, policySchema } from "../../core/gate/policy-schema.ts";
import type { FileProblem } from "../../core/gate/data-file.ts";
import { yaml } from "../../core/gate/yaml-file.ts";
import { parseJson } from "../../core/json/parse-json.ts";
import { didYouMean } from "../../core/text/nearest.ts";
import { asObject, asText } from "../../core/wire/shape.ts";
import { DiskView } from "../../disk/file-view.ts";
import { defineCommand, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { readPolicyFile, readPolicyText, readTextFile } from "../policy-file.ts";
import { problemLine } from "../problem-line.ts";
import { explanationLines, joinReplays, replayLines } from "../policy-text.ts";
import { shippedPolicies, shippedPolicyOf, shippedPolicyText } from "../shipped-policies.ts";

export const policy = defineCommand({
  name: "policy",
  summary: "Print, check, explain or test a policy, or replay sessions",
  details: [
    `init NAME prints a policy to start from: ${shippedPolicies.join(", ")}. These names can be used instead of FILE.`,
    "check FILE reports mistakes with the nearest known key, and warns about rules that do not do what they seem to.",
    "explain FILE COMMAND shows the parts of a shell text, each with the rule that decides about it.",
    "test FILE CASES.yaml runs test cases and lists the rules that no case reached.",
    "replay FILE SESSION... applies the policy to the tool calls of these sessions; nothing is executed.",
    "schema [policy|cases] prints the JSON Schema of the file, for editors.",
  ],
  arguments: [
    { name: "action", summary: "One of", choices: ["init", "check", "explain", "test", "replay", "schema"] },
    { name: "words", summary: "Files; for replay a file and sessions", count: "any", completes: "file" },
  ],
  options: {
    output: {
      type: "text",
      short: "o",
      placeholder: "FILE",
      completes: "file",
      summary: "init: write to this file, which must not exist",
    },
    tool: {
      type: "text",
      placeholder: "NAME",
      summary: "explain: the tool (default: bash); for one without a shell text, give its arguments as JSON",
    },
    strict: { type: "flag", summary: "check: exit with 1 if there are warnings" },
    json: jsonOption,
  },
  examples: [
    "lectern policy init coding -o policy.yaml",
    "lectern policy check policy.yaml",
    "lectern policy explain coding 'npm test && git push --force'",
    "lectern policy test policy.yaml cases.yaml",
    "lectern policy replay policy.yaml claude",
    "lectern policy schema > policy.schema.json",
  ],
  async run({ arguments: { action, words }, options: { json, output, strict, tool } }, context) {
    if (output !== undefined && action !== "init") throw usage("--output is for init");
    if (strict && action !== "check") throw usage("--strict is for check");
    if (tool !== undefined && action !== "explain") throw usage("--tool is for explain");
    switch (action) {
      case "init":
        return init(onlyOne(words, "NAME"), output, context);
      case "check":
        return check(onlyOne(words, "FILE"), { json, strict }, context);
      case "explain":
        return explain(words, { json, tool }, context);
      case "test":
        return test(words, json, context);
      case "replay":
        return replay(words, json, context);
      default:
        return schema(words, context);
    }
  },
});

async function init(word: string, output: string | undefined, context: CliContext): Promise<void> {
  const name = shippedPolicyOf(word);
  if (name === undefined) {
    const hint = didYouMean(word, shippedPolicies) ?? `wanted one of ${shippedPolicies.join(", ")}`;
    throw new LecternError("USAGE", `Unknown policy "${word}": ${hint}`);
  }
  const text = shippedPolicyText(name);
  if (output === undefined) return await context.write(text);
  try {
    await writeFile(resolve(context.workingDirectory, output), text, { flag: "wx" });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === "EEXIST" ? "it exists already: name another file" : message;
    throw new LecternError("INVALID_INPUT", `Cannot write "${output}": ${why}`, { cause });
  }
  context.note(`Wrote ${output}: try it with "lectern policy explain ${output} 'npm test'"`);
}

async function explain(
  words: readonly string[],
  { json, tool: named }: { readonly json: boolean; readonly tool: string | undefined },
  context: CliContext,
): Promise<void> {
  const [file, text, more] = words;
  if (file === undefined || text === undefined || more !== undefined)
    throw usage("wanted FILE COMMAND, with the command in quotes");
  const { policy: loaded } = await readPolicyFile(file, context);
  const { environment, workingDirectory } = context;
  const place = { workingDirectory, home: environment["HOME"] ?? null, labels: [], files: () => new DiskView() };
  const explained = (tool: string): Explanation =>
    explainCall(loaded, { name: tool, arguments: argumentsOf(text, tool, loaded) }, place);
  const tool = named ?? "bash";
  const explanation = explained(tool);
  if (json) return await context.print(JSON.stringify({ tool, ...explanation }));
  for (const line of await explanationLines(explanation, context.style)) await context.print(line);
  if (named !== undefined) return;
  const { effect } = explanation.decision;
  const others = knownShellToolNames().filter((other) => explained(other).decision.effect !== effect);
  const list = others.map((other) => `${other} (${explained(other).decision.effect})`).join(", ");
  const otherwise = `other shell tools are decided otherwise: ${list}. See --tool ${others[0]}`;
  context.note(
    `Judged as a call of "${tool}"; ${others.length === 0 ? "other shell tools are decided alike" : otherwise}`,
  );
}

/** A shell text stands where the tool has it. Throws `USAGE` where the tool has none, and the text is no JSON object or string. */
function argumentsOf(text: string, tool: string, loaded: Policy): unknown {
  const pointer = toolSettings(loaded, tool)?.shell;
  if (pointer != null) return shellArguments(pointer, text);
  let given: unknown;
  try {
    given = parseJson(text);
  } catch {
    // Reported below.
  }
  const known = asText(given) ?? asObject(given);
  if (known !== undefined) return known;
  throw usage(
    `"${tool}" is not known to have a shell text: give its arguments as JSON, such as '{"path": "a.txt"}', or '"the text"' if it takes free text`,
  );
}

async function check(
  file: string,
  { json, strict }: { readonly json: boolean; readonly strict: boolean },
  context: CliContext,
): Promise<number> {
  const result = reviewPolicy(await readPolicyText(file, context));
  const problems = result.ok ? result.warnings : result.problems;
  if (json) {
    const counts = result.ok
      ? {
          rules: result.policy.rules.length,
          limits: result.policy.limits.length,
          default: result.policy.default,
          mode: result.policy.mode,
        }
      : { rules: 0, limits: 0, default: null };
    await context.print(JSON.stringify({ ok: result.ok, problems, ...counts }));
    return result.ok && !(strict && problems.length > 0) ? 0 : 1;
  }
  noteProblems(file, problems, context);
  if (!result.ok) return 1;
  const { default: effect, limits, mode, rules } = result.policy;
  const note = mode === "log-only" ? ", log-only: nothing is refused" : "";
  await context.print(`${file}: ${rules.length} rules, ${limits.length} limits, default ${effect}${note}`);
  return strict && problems.length > 0 ? 1 : 0;
}

async function test(words: readonly string[], json: boolean, context: CliContext): Promise<number> {
  const [file, cases, more] = words;
  if (file === undefined || cases === undefined || more !== undefined) throw usage("wanted FILE CASES");
  const loaded = await readPolicyFile(file, context);
  const result = testPolicy(loaded.policy, await readTextFile(cases, context), { yaml });
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

async function replay(words: readonly string[], json: boolean, context: CliContext): Promise<void> {
  const [file, ...sessions] = words;
  if (file === undefined || sessions.length === 0) throw usage("wanted FILE SESSION...");
  const { text } = await readPolicyFile(file, context);
  const found = await Promise.all(sessions.map((session) => context.call("policy.replay", { session, policy: text })));
  const result = joinReplays(found);
  if (json) return await context.print(JSON.stringify(result));
  for (const line of replayLines(result, context.style)) await context.print(line);
  if (result.leftOut > 0)
    context.note(`${result.leftOut} calls were skipped: too many, or with arguments too long to be recorded`);
}

async function schema(words: readonly string[], context: CliContext): Promise<void> {
  const name = words[0] ?? "policy";
  if (words.length > 1 || (name !== "policy" && name !== "cases")) throw usage("wanted policy or cases");
  await context.print(JSON.stringify(name === "policy" ? policySchema : policyCasesSchema, null, 2));
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
