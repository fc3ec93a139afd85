/** Measures status and approvals on recordings with ground truth: how long each state was right, wrong or unknown. */
import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { STATUS_STATES, type StatusState } from "../src/core/status/status.ts";
import type { Approval } from "../src/core/dialogs/approval.ts";
import { readRecording, type Recording } from "./recordings.ts";
import { replay } from "./session-replay.ts";

/** What the driver of a recording knew: see `test/fixtures/recordings/README.md`. */
interface Truth {
  readonly duration: number;
  readonly states: readonly { readonly t: number; readonly state: TrueState }[];
  readonly timeline: readonly TimelineEntry[];
}

interface TimelineEntry {
  readonly role: string;
  readonly kind?: string;
  readonly name?: string;
  readonly decision?: string;
  readonly t_start?: number;
  readonly t_submit?: number;
  readonly t_end?: number;
  readonly t_input_box_visible?: number;
  readonly t_dialog_stable?: number;
  readonly t_decision?: number;
  readonly t_last_llm_byte?: number;
  readonly t_last_byte?: number;
  readonly t_interrupt?: number;
  readonly t_closed?: number;
  readonly complete?: boolean;
}

export const TRUE_STATES = ["shell", "starting", "ready", "generating", "permission"] as const;
export type TrueState = (typeof TRUE_STATES)[number];

export type Matrix = Record<TrueState, Record<StatusState, number>>;

export interface StatusFigures {
  readonly name: string;
  /** Seconds by what was and what was said. */
  readonly matrix: Matrix;
  readonly seconds: number;
  /** Seconds. */
  readonly wrong: number;
  readonly unknown: number;
  /** Seconds in which a dialog stood and the session was said to wait or to be idle. */
  readonly missedBlocked: number;
  readonly approvals: ApprovalFigures;
  /** Milliseconds from the last byte of the model to `waiting`, one for each turn that ended so. */
  readonly waitingLagMs: readonly number[];
  /** The same turns, from the last that the agent itself wrote before: some show that they work for a second after their model's last byte. */
  readonly silentLagMs: readonly number[];
  /** The pieces that are wrong or unknown, for people who look for the reason. */
  readonly pieces: readonly string[];
}

export interface ApprovalFigures {
  readonly truth: number;
  readonly found: number;
  readonly missed: number;
  readonly invented: number;
  /** Of those found: answered as the truth says, by effect. */
  readonly rightAnswers: number;
}

/** The truth's clock lags: `permission` begins when the dialog was stable for 0.4 s, `shell` 0.3 s after the prompt came back. */
const truthLag: Readonly<Record<TrueState, number>> = {
  permission: 0.75,
  shell: 0.4,
  starting: 0,
  ready: 0,
  generating: 0,
};
/** A change of state may be told so much later, seconds: the latency that is promised. */
const latency = 0.3;

export function readTruth(name: string): Truth | null {
  const base = isAbsolute(name) ? name : join(import.meta.dirname, "fixtures", "recordings", name);
  return existsSync(`${base}.json`) ? (JSON.parse(readFileSync(`${base}.json`, "utf8")) as Truth) : null;
}

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly state: StatusState;
}

export function measureStatus(name: string): StatusFigures {
  const truth = readTruth(name);
  if (truth === null) throw new Error(`No ground truth for "${name}"`);
  const recording = readRecording(name);
  const written = recording.events.flatMap(([time, kind]) => (kind === "o" ? [time] : []));
  const { pieces, approvals } = play(recording, truth.duration);
  const segments = truth.states.map(({ t, state }, index) => ({
    from: t,
    to: truth.states[index + 1]?.t ?? truth.duration,
    state,
    before: truth.states[index - 1]?.state ?? null,
    after: truth.states[index + 1]?.state ?? null,
  }));
  const matrix = emptyMatrix();
  const sums = { seconds: 0, wrong: 0, unknown: 0, missedBlocked: 0 };
  const notes: string[] = [];
  for (const segment of segments) {
    for (const piece of pieces) {
      for (const [from, to] of cuts(
        Math.max(piece.from, segment.from),
        Math.min(piece.to, segment.to),
        segment,
        truth,
      )) {
        const length = to - from;
        matrix[segment.state][piece.state] += length;
        sums.seconds += length;
        if (segment.state === "permission" && (piece.state === "waiting" || piece.state === "idle"))
          sums.missedBlocked += length;
        if (isRight(piece.state, (from + to) / 2, segment, truth)) continue;
        if (piece.state === "unknown") sums.unknown += length;
        else sums.wrong += length;
        if (length > 0.05) notes.push(`${from.toFixed(2)}-${to.toFixed(2)} ${segment.state} said ${piece.state}`);
      }
    }
  }
  return {
    name,
    matrix,
    ...sums,
    approvals: compareApprovals(truth, approvals),
    waitingLagMs: lagsOf(truth, pieces, () => -Infinity),
    silentLagMs: lagsOf(truth, pieces, ({ from }) => written.findLast((time) => time <= from) ?? 0),
    pieces: notes,
  };
}

interface Segment {
  readonly from: number;
  readonly to: number;
  readonly state: TrueState;
  readonly before: TrueState | null;
  readonly after: TrueState | null;
}

/** A piece is cut where what is right changes. */
function cuts(from: number, to: number, segment: Segment, truth: Truth): [number, number][] {
  if (to <= from) return [];
  const edges = [
    segment.from + latency,
    segment.to - (segment.after === null ? 0 : truthLag[segment.after]),
    ...truth.timeline.flatMap((entry) => [
      entry.t_input_box_visible,
      entry.t_last_byte,
      entry.t_decision,
      entry.t_last_llm_byte,
    ]),
    ...truth.timeline.flatMap(({ role, t_submit: submit, t_end: end }) => (role === "shell" ? [submit, end] : [])),
    ...turnsOf(truth).map(({ to: end }) => end),
  ].filter((edge) => edge !== undefined && edge > from && edge < to) as number[];
  const all = [from, ...edges.toSorted((one, two) => one - two), to];
  return all.slice(1).map((edge, index) => [all[index] ?? from, edge]);
}

/**
 * When the model's part of each turn was over. The state `generating` lasts longer: until the screen did not change any more, which some
 * agents do a second later, and requests beside the conversation count for it.
 */
function turnsOf({ timeline }: Truth): readonly { readonly from: number; readonly to: number }[] {
  return timeline.flatMap((user, index) => {
    if (user.role !== "user" || user.t_submit === undefined || user.t_last_llm_byte === undefined) return [];
    const rest = timeline.slice(index + 1);
    const next = rest.findIndex(({ role }) => role === "user" || role === "shell");
    const answers = rest.slice(0, next === -1 ? rest.length : next).filter(({ role }) => role === "assistant");
    const last = answers.at(-1);
    const denied = rest
      .slice(0, next === -1 ? rest.length : next)
      .findLast(({ role }) => role === "tool" || role === "assistant");
    if (denied?.decision === "deny") return [{ from: user.t_submit, to: denied.t_decision ?? user.t_last_llm_byte }];
    const end = user.t_interrupt ?? (last?.complete === true ? last.t_last_byte : undefined) ?? user.t_last_llm_byte;
    return [{ from: user.t_submit, to: end }];
  });
}

const rightStates: Readonly<Record<TrueState, readonly StatusState[]>> = {
  shell: ["waiting"],
  starting: ["starting"],
  ready: ["waiting"],
  generating: ["working"],
  permission: ["blocked"],
};

function isRight(said: StatusState, at: number, segment: Segment, truth: Truth): boolean {
  if (rightStates[segment.state].includes(said)) return true;
  const { before, after, from, to, state } = segment;
  if (before !== null && at - from < latency && rightStates[before].includes(said)) return true;
  if (after !== null && to - at < truthLag[after] && rightStates[after].includes(said)) return true;
  if (state === "generating" && said === "waiting") {
    return (turnsOf(truth).findLast((turn) => turn.from <= at)?.to ?? Infinity) <= at;
  }
  // A dialog stands from the end of the tool call that it is about, or from the answer to the one before.
  if (state === "generating" && said === "blocked") {
    return truth.timeline.some(
      ({ t_last_byte: asked = Infinity, t_decision: decided = 0 }) => at >= asked && at <= decided,
    );
  }
  if (state === "starting" && said === "blocked") return truth.timeline.some(({ kind }) => kind === "startup_dialog");
  if (state === "shell") {
    const runs = truth.timeline.some(
      ({ role, t_submit: submit = Infinity, t_end: end = 0 }) => role === "shell" && at >= submit && at <= end,
    );
    return said === "starting" || (said === "working" && runs);
  }
  if (state === "ready" && said === "blocked") return isMenu(truth, at);
  // The box stands there; the driver waits until it stays.
  const box = truth.timeline.findLast(({ t_input_box_visible: visible = Infinity }) => visible <= at);
  return state === "starting" && said === "waiting" && (box?.t_input_box_visible ?? Infinity) >= from - 1;
}

/** A menu stood there that a person had called, such as the one of models: it waits for that person. */
function isMenu({ timeline }: Truth, at: number): boolean {
  return timeline.some(
    ({ t_submit: submit = Infinity, t_closed: closed = 0 }) => at >= submit && at <= closed + latency,
  );
}

function play(
  recording: Recording,
  duration: number,
): { readonly pieces: readonly Piece[]; readonly approvals: readonly Approval[] } {
  const changes = replay(recording, { untilSeconds: duration });
  const approvals = changes.flatMap((change) => (change.kind === "approval" ? [change.approval] : []));
  const statuses = changes.flatMap((change) => (change.kind === "status" ? [change] : []));
  const starts = statuses.map(({ timeUs, status: { state } }) => ({ at: timeUs / 1e6, state }));
  const pieces = starts.map(({ at, state }, index) => ({ from: at, to: starts[index + 1]?.at ?? duration, state }));
  return { pieces: [{ from: 0, to: starts[0]?.at ?? duration, state: "starting" }, ...pieces], approvals };
}

const effects: Readonly<Record<string, string>> = { approve: "allow", always: "allow-always", deny: "deny" };

/** Each dialog of the truth is found by the approval that was open when it was decided. */
function compareApprovals(truth: Truth, changes: readonly Approval[]): ApprovalFigures {
  const dialogs = truth.timeline.filter(
    ({ role, kind, t_decision: at, decision }) =>
      (role === "tool" || (kind === "startup_dialog" && decision !== undefined)) &&
      at !== undefined &&
      decision !== "auto",
  );
  const last = new Map(changes.map((approval) => [approval.id, approval]));
  const used = new Set<string>();
  let rightAnswers = 0;
  for (const { t_decision: decided = 0, decision } of dialogs) {
    const found = [...last.values()].find(
      ({ id, timeUs, answer }) =>
        !used.has(id) && timeUs / 1e6 <= decided && Math.abs((answer?.timeUs ?? 0) / 1e6 - decided) < 0.5,
    );
    if (found === undefined) continue;
    used.add(found.id);
    const effect = found.options.find(({ id }) => id === found.answer?.option)?.effect;
    if (effect === effects[decision ?? "approve"]) rightAnswers += 1;
  }
  const found = used.size;
  const menus = [...last.values()].filter(({ timeUs }) => isMenu(truth, timeUs / 1e6)).length;
  return {
    truth: dialogs.length,
    found,
    missed: dialogs.length - found,
    invented: last.size - found - menus,
    rightAnswers,
  };
}

/** Milliseconds to `waiting` for each turn that ended so, from the end of the turn or from `since` where that is later. */
function lagsOf(truth: Truth, pieces: readonly Piece[], since: (piece: Piece) => number): number[] {
  return turnsOf(truth).flatMap(({ to: end }) => {
    const piece = pieces.find(({ from, to, state }) => state === "waiting" && to > end && from < end + 5);
    return piece === undefined ? [] : [Math.max(0, (piece.from - Math.max(end, since(piece))) * 1000)];
  });
}

export function emptyMatrix(): Matrix {
  const row = (): Record<StatusState, number> =>
    Object.fromEntries(STATUS_STATES.map((state) => [state, 0])) as Record<StatusState, number>;
  return Object.fromEntries(TRUE_STATES.map((state) => [state, row()])) as Matrix;
}
