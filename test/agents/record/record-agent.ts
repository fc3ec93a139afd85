/** Runs a plan with a real agent in a recorded bash, and writes down what is true of it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ScriptedModel, type SentTurn } from "../../support/scripted-model/scripted-model.ts";
import { pieces } from "../../support/scripted-model/turn-events.ts";
import type { ScriptedCall, ScriptedTurn } from "../../support/scripted-model/scenario.ts";
import { AgentHome } from "../agent-home.ts";
import { installedAgent } from "../installed-agents.ts";
import { drivers, type AgentDriver } from "./agent-drivers.ts";
import { plans, type Decision, type PlanStep } from "./recording-plans.ts";
import { RecordedTerminal } from "./recorded-terminal.ts";

type Entry = Record<string, unknown>;
type Prompt = Extract<PlanStep, { do: "prompt" }>;

const promptText = "user@lab:~$ ";

export interface Recorded {
  readonly cast: string;
  readonly truth: object;
}

export async function recordAgent(
  name: string,
  plan: string,
  { isNewest = false, ...size }: { readonly columns: number; readonly rows: number; readonly isNewest?: boolean },
): Promise<Recorded> {
  const driver = drivers[name];
  const stepsOf = plans[plan];
  if (driver === undefined || stepsOf === undefined)
    throw new Error(`There is no agent "${name}" or no plan "${plan}"`);
  const agent = await installedAgent(driver.agent, { isNewest });
  const turns: ScriptedTurn[] = [];
  await using model = await ScriptedModel.start({ turns, aside: "A title", fallback: { say: "No more." } });
  using home = new AgentHome(agent, model.url);
  const steps = stepsOf(driver.tools(home.workingDirectory));
  turns.push(...steps.flatMap((step) => (step.do === "prompt" ? step.turns : [])));
  for (const [file, content] of Object.entries(driver.files ?? {})) home.write(file, content);
  const [program, ...words] = home.interactive();
  mkdirSync(join(home.directory, "bin"));
  const line = [`exec '${program}'`, ...words.map((word) => `'${word}'`), '"$@"'].join(" ");
  writeFileSync(
    join(home.directory, "bin", driver.program ?? driver.command.split(" ")[0] ?? ""),
    `#!/bin/sh\n${line}\n`,
    {
      mode: 0o755,
    },
  );
  const environment = home.environment();
  await using terminal = new RecordedTerminal(["bash", "--norc", "--noprofile"], {
    ...size,
    workingDirectory: home.workingDirectory,
    environment: {
      ...environment,
      ...driver.environment?.(model.url),
      // Whether the terminal has true colours.
      ...(process.env["COLORTERM"] !== undefined && { COLORTERM: process.env["COLORTERM"] }),
      PATH: `${join(home.directory, "bin")}:${environment["PATH"] ?? ""}`,
      PS1: promptText,
      BASH_SILENCE_DEPRECATION_WARNING: "1",
      HISTFILE: "",
    },
  });
  const recording = new Recording(terminal, { driver, model });
  let failed: string | null = null;
  try {
    for (const step of steps) await recording.run(step);
  } catch (error) {
    failed = (error as Error).message;
  }
  const truth = {
    agent: name,
    version: agent.version,
    run: plan,
    columns: size.columns,
    rows: size.rows,
    duration: terminal.now,
    failed,
    ...recording.truth,
  };
  return { cast: terminal.cast(), truth };
}

class Recording {
  readonly #terminal: RecordedTerminal;
  readonly #driver: AgentDriver;
  readonly #model: ScriptedModel;
  readonly #timeline: Entry[] = [];
  readonly #states: { readonly t: number; readonly state: string }[] = [];

  constructor(terminal: RecordedTerminal, { driver, model }: { driver: AgentDriver; model: ScriptedModel }) {
    this.#terminal = terminal;
    this.#driver = driver;
    this.#model = model;
    this.#state("shell");
  }

  get truth(): object {
    return { timeline: this.#timeline, states: this.#states };
  }

  async run(step: PlanStep): Promise<void> {
    const terminal = this.#terminal;
    switch (step.do) {
      case "shell":
        return await this.#shell(step);
      case "start":
        return await this.#start(step.command);
      case "keys":
        terminal.type(step.keys);
        await terminal.wait(0.3);
        await terminal.still(0.8, 6);
        return undefined;
      case "prompt":
        return await this.#prompt(step);
      case "command":
        return await this.#command(step);
      case "resize":
        terminal.resize(step);
        this.#timeline.push({
          role: "system",
          kind: "resize",
          columns: step.columns,
          rows: step.rows,
          t: terminal.now,
        });
        await terminal.still(1, 6);
        return undefined;
      case "exit":
        return await this.#exit();
      default:
        return step satisfies never;
    }
  }

  #state(state: string, t = this.#terminal.now): void {
    this.#states.push({ t, state });
  }

  async #shell({ text, output, exitCode }: Extract<PlanStep, { do: "shell" }>): Promise<void> {
    const terminal = this.#terminal;
    await this.#untilPrompt("the shell's prompt");
    const start = terminal.now;
    await terminal.typeSlowly(text);
    const submit = terminal.now;
    terminal.type("\r");
    await this.#untilPrompt("the prompt after a command");
    this.#timeline.push({
      role: "shell",
      text,
      expected_output: output,
      exit_code: exitCode,
      t_start: start,
      t_submit: submit,
      t_end: terminal.now,
    });
    await terminal.wait(0.15);
  }

  async #start(given?: string): Promise<void> {
    const terminal = this.#terminal;
    const { command: own, isReady, startKeys } = this.#driver;
    const command = given ?? own;
    await this.#untilPrompt("the shell's prompt");
    await terminal.wait(0.2);
    const start = terminal.now;
    await terminal.typeSlowly(command);
    const submit = terminal.now;
    terminal.type("\r");
    this.#state("starting");
    const entry: Entry = {
      role: "system",
      kind: "agent_start",
      agent: this.#driver.agent,
      text: command,
      ...(given !== undefined && { resumes: true }),
      t_start: start,
      t_submit: submit,
    };
    this.#timeline.push(entry);
    if (startKeys !== undefined) {
      const shown = await terminal.until(startKeys.isShown, "the dialog at the start", 180);
      await terminal.still(0.8);
      this.#timeline.push({
        role: "system",
        kind: "startup_dialog",
        text: startKeys.name,
        t_start: shown,
        ...(startKeys.decision !== undefined && { decision: startKeys.decision }),
        t_decision: terminal.now,
      });
      terminal.type(startKeys.keys);
    }
    entry["t_input_box_visible"] = await terminal.until(isReady, "the input box", 180);
    this.#state("ready", await terminal.still(1.5));
  }

  async #prompt(step: Prompt): Promise<void> {
    const terminal = this.#terminal;
    const entry: Entry = { role: "user", text: step.text, how: step.how, t_start: terminal.now };
    if (step.how === "paste") terminal.type(`\u001B[200~${step.text}\u001B[201~`);
    else await this.#typed(step.text);
    await terminal.still(0.3, 5);
    entry["t_submit"] = terminal.now;
    this.#timeline.push(entry);
    terminal.type("\r");
    this.#state("generating");
    const decisions = [...(step.decisions ?? [])];
    for (const turn of step.turns) {
      const sending = await this.#sent(turn);
      entry["t_first_llm_byte"] ??= this.#at(sending.firstByteMs);
      const isInterrupted = step.interruptAt !== undefined;
      if (step.interruptAt !== undefined) {
        await this.#shown(step.interruptAt);
        entry["t_interrupt"] = terminal.now;
        for (const key of this.#driver.interruptKeys) {
          terminal.type(key);
          await terminal.wait(0.25);
        }
      }
      if (step.resizeAt !== undefined) await this.#resizeAt(step.resizeAt);
      await this.#over(turn);
      entry["t_last_llm_byte"] = this.#at(sending.lastByteMs);
      this.#said(turn, { sending, isInterrupted });
      await this.#dialogs(turn, decisions, step.dialogSizes);
    }
    await this.#settled(step);
    entry["t_screen_stable"] = await terminal.still(1.2);
    if (step.interruptAt !== undefined && this.#driver.clearKeys !== undefined) terminal.type(this.#driver.clearKeys);
    this.#state("ready", terminal.changedAt);
  }

  /** The end of the answer is drawn, and nothing says that the agent works. */
  async #settled({ interruptAt, turns }: Prompt): Promise<void> {
    const end = /\b[A-Z]+-END-\d+\.$/.exec(turns.at(-1)?.say ?? "")?.[0];
    const isOver = (rows: readonly string[]): boolean =>
      (interruptAt !== undefined || end === undefined || rows.join("\n").includes(end)) &&
      !rows.slice(-14).some((row) => /\besc (?:to cancel,|to interrupt\b.*\)|esc interrupt)/.test(row));
    await this.#terminal.until(isOver, "the end of a turn", 90);
  }

  /** Types a text and waits until its end is shown: with the Enter that follows it in one read, some agents take it for a paste. */
  async #typed(text: string): Promise<void> {
    const terminal = this.#terminal;
    await terminal.typeSlowly(text);
    const letters = (rows: string): string => rows.replaceAll(/[\s│┃]/g, "");
    const end = letters(text).slice(-12);
    const seen = terminal.until((rows) => letters(rows.join("")).includes(end), "what was typed", 10);
    await seen.catch(() => undefined);
  }

  /** Resolves when this part of an answer is on the screen. */
  async #shown(pattern: string): Promise<void> {
    const { interruptAfter } = this.#driver;
    const part = new RegExp(pattern);
    if (interruptAfter === undefined) await this.#terminal.until((rows) => part.test(rows.join("\n")), pattern);
    else await this.#terminal.wait(interruptAfter);
  }

  async #resizeTo(size: { readonly columns: number; readonly rows: number }): Promise<void> {
    const terminal = this.#terminal;
    terminal.resize(size);
    this.#timeline.push({ role: "system", kind: "resize", ...size, t: terminal.now });
    await terminal.wait(0.6);
    await terminal.still(0.6, 5);
  }

  async #resizeAt(text: string): Promise<void> {
    const terminal = this.#terminal;
    await this.#shown(text);
    const size = { columns: terminal.columns - 20, rows: terminal.rows.length + 4 };
    terminal.resize(size);
    this.#timeline.push({ role: "system", kind: "resize", ...size, t: terminal.now });
  }

  #said(turn: ScriptedTurn, { sending, isInterrupted }: { sending: SentTurn; isInterrupted: boolean }): void {
    const times = { t_first_byte: this.#at(sending.firstByteMs), t_last_byte: this.#at(sending.lastByteMs) };
    const { error, say = "", status } = turn;
    if (status !== undefined)
      this.#timeline.push({ role: "system", kind: "api_error", text: error?.message, ...times });
    else if (say !== "")
      this.#timeline.push(
        isInterrupted
          ? {
              role: "assistant",
              text: this.#driver.interruptAfter === undefined ? sentText(turn, sending) : "",
              full_text: say,
              complete: false,
              interrupted: true,
              ...times,
            }
          : { role: "assistant", text: say, complete: true, ...times },
      );
    for (const call of turn.calls ?? [])
      this.#timeline.push({ role: "tool", name: call.name, input: call.arguments, decision: "auto", ...times });
  }

  /** Answers the questions about the calls of a turn, as they come. */
  async #dialogs(turn: ScriptedTurn, decisions: Decision[], sizes: Prompt["dialogSizes"] = []): Promise<void> {
    const terminal = this.#terminal;
    const { alwaysKeys = [], approveKeys, asks, denied, denyKeys, dialog } = this.#driver;
    const calls = (turn.calls ?? []).filter(asks);
    const known = this.#timeline
      .filter(({ role, name, input }) => role === "tool" && asks({ name, arguments: input } as ScriptedCall))
      .slice(-calls.length);
    for (const [index] of calls.entries()) {
      const decision = decisions.shift();
      if (decision === undefined) return;
      await terminal.until((rows) => dialog.test(rows.join("\n")), "a dialog");
      await terminal.still(0.4, 4);
      const entry = known[index] ?? {};
      entry["t_dialog_stable"] = terminal.now;
      this.#state("permission");
      await terminal.wait(0.5);
      for (const size of sizes) await this.#resizeTo(size);
      entry["decision"] = decision;
      entry["t_decision"] = terminal.now;
      this.#state("generating");
      const shown = terminal.rows.join("\n");
      for (const key of { approve: approveKeys, always: alwaysKeys, deny: denyKeys }[decision]) {
        terminal.type(key);
        await terminal.wait(0.15);
      }
      await terminal.until((rows) => rows.join("\n") !== shown, "the end of a dialog", 10);
      if (decision === "deny" && denied !== undefined)
        await terminal.until((rows) => denied.test(rows.join("\n")), "the end of a denied call");
      await terminal.wait(0.3);
    }
  }

  async #command({ text, meaning, close }: Extract<PlanStep, { do: "command" }>): Promise<void> {
    const terminal = this.#terminal;
    const start = terminal.now;
    await terminal.typeSlowly(text);
    await terminal.still(0.5, 5);
    const entry: Entry = { role: "user", kind: "slash_command", text, meaning, t_start: start, t_submit: terminal.now };
    this.#timeline.push(entry);
    terminal.type("\r");
    await terminal.wait(0.3);
    await terminal.still(1.2, 10);
    if (close === undefined) return;
    entry["t_closed"] = terminal.now;
    terminal.type(close);
    await terminal.wait(0.3);
    await terminal.still(0.8, 5);
  }

  async #exit(): Promise<void> {
    const terminal = this.#terminal;
    const start = terminal.now;
    await terminal.typeSlowly(this.#driver.exit);
    await terminal.still(0.5, 5);
    this.#timeline.push({
      role: "user",
      kind: "slash_command",
      text: this.#driver.exit,
      meaning: "exit",
      t_start: start,
      t_submit: terminal.now,
    });
    terminal.type("\r");
    await this.#untilPrompt("the shell after the agent");
    this.#timeline.push({ role: "system", kind: "agent_exit", agent: this.#driver.agent, t: terminal.now });
    await terminal.wait(0.3);
    this.#state("shell");
  }

  async #untilPrompt(what: string): Promise<void> {
    const isPrompt = (rows: readonly string[]): boolean =>
      rows.findLast((row) => row !== "")?.trimEnd() === promptText.trimEnd();
    await this.#terminal.until(isPrompt, what);
  }

  async #sent(turn: ScriptedTurn): Promise<SentTurn> {
    return await this.#poll(
      () => this.#model.sent.find((sending) => sending.turn === turn),
      `the request for "${turn.say ?? turn.status}"`,
    );
  }

  async #over(turn: ScriptedTurn): Promise<void> {
    await this.#poll(
      () => this.#model.sent.findLast((sending) => sending.turn === turn && sending.isOver),
      "the end of an answer",
    );
  }

  async #poll<Found>(look: () => Found | undefined, what: string): Promise<Found> {
    const end = this.#terminal.now + 90;
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (this.#terminal.now > end) throw new Error(`${what} did not come:\n${this.#terminal.rows.join("\n")}`);
      await this.#terminal.wait(0.02);
    }
  }

  /** A time of `performance.now` in seconds of the recording. */
  #at(ms: number): number {
    return Math.round((ms - this.#terminal.startMs) * 1000) / 1e6;
  }
}

/** As much of its text as went out. */
function sentText({ say = "", eventChars = 16 }: ScriptedTurn, { output }: SentTurn): string {
  let [text, at] = ["", 0];
  for (const piece of pieces(say, eventChars)) {
    at = output.indexOf(JSON.stringify(piece).slice(1, -1), at);
    if (at === -1) break;
    text += piece;
  }
  return text;
}
