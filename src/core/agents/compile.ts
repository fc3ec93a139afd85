/** Makes an agent of an agent file. */
import { encodeKeys } from "../input/keys.ts";
import type {
  Agent,
  ConversationRule,
  DialogRules,
  DraftRule,
  InputBoxRule,
  LimitRule,
  LineRules,
  ScreenRule,
  TextTest,
  TitleRule,
} from "./agent.ts";
import { lazily } from "../lazily.ts";
import type { AgentFile, BoxData, TextTestData } from "./agent-file.ts";
import { compileChat } from "./chat-rules.ts";
import { nativePattern, type CompilePattern, type Pattern } from "./pattern.ts";
import type { OutcomeRule } from "./tool-outcome.ts";

export interface CompileOptions {
  readonly compile: CompilePattern;
  /** A user's own file changes the rules of a built-in agent. Default false. */
  readonly isChanged?: boolean;
  /** Is told the name of each rule for a row of the conversation that fits. */
  readonly onRule?: (name: string) => void;
}

/** Throws for a pattern, a mark or a key that is not valid. */
export function compileAgent(file: AgentFile, options: CompileOptions): Agent {
  const agent = lazyAgent(file, options);
  void Object.values(agent);
  return agent;
}

/** As `compileAgent`, each part when it is first used: of files that are known to be valid, where few are used. */
export function lazyAgent(file: AgentFile, options: CompileOptions): Agent {
  const { compile, isChanged = false, onRule } = options;
  const { name, chat, draft, line, variants = {}, version = 1 } = file;
  const chatOptions = { name, agent: name, compile, ...(onRule && { onRule }) };
  return lazily<Agent>({
    name: () => name,
    title: () => file.title ?? name,
    version: () => version,
    rulesName: () => `${name}@${version}${isChanged ? "+" : ""}`,
    basis: () => file.basis ?? "public",
    commands: () => file.commands ?? [],
    packages: () => file.packages ?? [],
    batchArguments: () => file.batchArguments ?? [],
    statusApps: () => file.statusApps ?? [],
    resume: () => file.resume ?? [],
    conversation: () => conversationOf(file, compile),
    titles: () => titlesOf(file, compile),
    boxes: () => boxesOf(file.boxes, compile),
    screen: () => screenOf(file, compile),
    limits: () => limitsOf(file, compile),
    dialogs: () => dialogsOf(file, compile),
    line: () => (line === undefined ? null : lineOf(line, compile)),
    ...(draft !== undefined && { draft: () => draftOf(draft, compile) }),
    chat: () => (chat === undefined ? null : compileChat(chat, chatOptions)),
    variants: () =>
      Object.entries(variants).map(([variant, data]) => ({
        command: compile(data.command),
        chat: compileChat(data.chat, { ...chatOptions, name: `${name}-${variant}` }),
      })),
    launch: () => file.launch ?? null,
    outcomes: () => outcomesOf(file, compile),
    textCalls: () => file.textCalls ?? [],
    file: () => file,
  });
}

function conversationOf({ conversation }: AgentFile, compile: CompilePattern): ConversationRule | null {
  if (conversation === undefined) return null;
  const { forgotten, id, open, ...rest } = conversation;
  return {
    ...rest,
    id: compile(id),
    open: open === undefined ? null : compile(open),
    forgotten: forgotten === undefined ? null : compile(forgotten),
  };
}

const outcomesOf = ({ outcomes = {} }: AgentFile, compile: CompilePattern): OutcomeRule[] =>
  Object.entries(outcomes).map(([name, { begins, ends, flag = null, notTools, result, tools }]) => ({
    name,
    tools: compile(tools),
    notTools: notTools === undefined ? null : compile(notTools),
    flag,
    begins: begins === undefined ? null : compile(begins),
    ends: ends === undefined ? null : compile(ends),
    result,
  }));

const titlesOf = ({ titles = {} }: AgentFile, compile: CompilePattern): TitleRule[] =>
  Object.entries(titles).map(([name, { pattern, state = null, identifies = false }]) => ({
    name,
    pattern: compile(pattern),
    says: state,
    identifies,
  }));

const screenOf = ({ screen = {} }: AgentFile, compile: CompilePattern): ScreenRule[] =>
  Object.entries(screen).map(([name, { in: place, rows, pattern, state, identifies = false }]) => ({
    name: name.replaceAll("-", " "),
    place: { in: place, rows },
    pattern: compile(pattern),
    says: state,
    identifies,
  }));

const limitsOf = ({ limits = {} }: AgentFile, compile: CompilePattern): LimitRule[] =>
  Object.values(limits).map(({ in: place, rows, pattern }) => ({
    place: { in: place, rows },
    pattern: compile(pattern),
  }));

const boxesOf = (boxes: Readonly<Record<string, BoxData>> = {}, compile: CompilePattern): InputBoxRule[] =>
  Object.values(boxes).map(({ top, prompt, bottom, below, inner, rowsMax, rowsBelowMax }) => ({
    top: textTest(top, compile),
    prompt: textTest(prompt, compile),
    bottom: textTest(bottom, compile) ?? anyText,
    below: textTest(below, compile),
    inner: textTest(inner, compile),
    rowsMax,
    rowsBelowMax,
  }));

const anyText: TextTest = { test: () => true };

function textTest(data: TextTestData | undefined, compile: CompilePattern): TextTest | null {
  if (data === undefined) return null;
  if (typeof data === "string") return compile(data);
  const text = data.text === undefined ? anyText : compile(data.text);
  if (data.not === undefined) return text;
  const not = compile(data.not);
  return { test: (given) => text.test(given) && !not.test(given) };
}

function dialogsOf({ dialogs = {} }: AgentFile, compile: CompilePattern): DialogRules {
  const { questions = [], hints = [], buttons = [], pointer = null, top, bottom, options, parts = {} } = dialogs;
  const partOf = (text: string | undefined): Pattern | null => (text === undefined ? null : compile(text));
  return {
    questions: questions.map(compile),
    hints: hints.map(compile),
    buttons,
    pointer,
    top: top === undefined ? null : compile(top),
    bottom: bottom === undefined ? null : compile(bottom),
    parts: {
      tool: partOf(parts.tool),
      command: partOf(parts.command),
      directory: partOf(parts.directory),
      reason: partOf(parts.reason),
      tips: (parts.tips ?? []).map(compile),
      clips: parts.clips ?? null,
      scrolls: parts.scrolls ?? null,
    },
    ...(options !== undefined && { options: { row: compile(options.row), orUnderTop: options.orUnderTop } }),
  };
}

const lineOf = ({ prompt, more, skip = [] }: NonNullable<AgentFile["line"]>, compile: CompilePattern): LineRules => ({
  prompt: compile(prompt),
  more: more === undefined ? null : compile(more),
  skip: skip.map(compile),
});

function draftOf(data: NonNullable<AgentFile["draft"]>, compile: CompilePattern): DraftRule {
  const { mark, placeholder, clear, trims = "", changes, folds = {}, boxes, footerRows } = data;
  return {
    mark: compile(mark),
    placeholder: placeholder === undefined ? null : compile(placeholder),
    clear: clear === undefined ? null : new TextDecoder().decode(encodeKeys(clear)),
    trims,
    // Both engines must know it: a prompt is checked on the native one, where a class takes no time.
    changes: changes === undefined ? null : nativePattern(compile(changes).source).source,
    folds: Object.values(folds).map(({ pattern, counts }) => ({ pattern: compile(pattern), counts })),
    ...(boxes !== undefined && { boxes: boxesOf(boxes, compile) }),
    ...(footerRows !== undefined && { footerRows }),
  };
}
