/** A recording with its timeline: play, seek, skip idle time, download. */
import "@xterm/xterm/css/xterm.css";
import "../terminal/terminal.css";
import "./replay.css";
import { useEffect, useRef, useState, type ComponentProps, type ReactElement } from "react";
import type { Session } from "../../client.ts";
import type { ViewChange } from "../../core/views/change.ts";
import { answerTo, daemon, messageOf, type Asking } from "../api.ts";
import { isDark } from "../appearance.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { anchorOf } from "../chat/anchor.ts";
import { Button } from "../parts/button.tsx";
import { IconButton } from "../parts/icon-button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Link } from "../parts/link.tsx";
import { Menu } from "../parts/menu.tsx";
import { byteSize, clockTime } from "../parts/text.ts";
import { referenceOf } from "../sessions/continued.ts";
import { exportAddress } from "../sessions/session-actions.ts";
import { fitScreen } from "../terminal/fit-screen.ts";
import { terminalTheme } from "../terminal/theme.ts";
import { navigate, sessionPath } from "../router.ts";
import { Recording, type TimelineMark } from "./recording.ts";
import { advanceClock, SKIPPED_IDLE_MS_MAX, type ReplayClockState } from "../../core/replay-clock.ts";
import { REPLAY_FONT_SIZE_MIN, ReplayScreen } from "./replay-screen.ts";
import { saveAsPage } from "./save-page.ts";
import { Timeline } from "./timeline.tsx";
import { toSessionRecord } from "../../client/session-record.ts";

const speeds = [0.5, 1, 2, 4, 8, 16] as const;

interface ReplayViewProps {
  readonly session: Session;
  /** `at` is an offset in the journal, `plus` the milliseconds after it. */
  readonly query: URLSearchParams;
}

interface Loaded {
  readonly progress: (LoadProgress & { readonly recording: Recording }) | undefined;
  readonly problem: string | undefined;
}

export function ReplayView({ session, query }: ReplayViewProps): ReactElement {
  const { progress, problem } = useRecording(session);
  if (progress?.part !== 1) return <Loading part={progress?.part ?? 0} problem={problem} />;
  const { recording, omittedBytes } = progress;
  return <Player session={session} recording={recording} omittedBytes={omittedBytes} query={query} />;
}

function Loading({ part, problem }: { readonly part: number; readonly problem: string | undefined }): ReactElement {
  if (problem !== undefined) return <p className="form-problem">{problem}</p>;
  return (
    <div className="loading">
      <progress value={part} aria-label="Loading the recording" />
    </div>
  );
}

interface PlayerProps {
  readonly session: Session;
  readonly recording: Recording;
  readonly omittedBytes: number;
  readonly query: URLSearchParams;
}

function Player({ session, recording, omittedBytes, query }: PlayerProps): ReactElement {
  const [clock, setClock] = useState<ReplayClockState>(() => ({
    atMs: startOf(recording, query),
    isPlaying: !query.has("at"),
    speed: 1,
    idleMsMax: SKIPPED_IDLE_MS_MAX,
  }));
  const host = useRef<HTMLDivElement>(null);
  const screen = useRef<ReplayScreen>(undefined);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const made = new ReplayScreen(recording, terminalTheme(isDark.get()));
    screen.current = made;
    made.terminal.open(element);
    const fit = (): void => fitScreen(made.terminal, element, REPLAY_FONT_SIZE_MIN);
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    made.terminal.onResize(fit);
    return () => {
      observer.disconnect();
      made.dispose();
    };
  }, [recording]);
  useEffect(() => void screen.current?.show(clock.atMs), [clock.atMs]);
  usePlaying(recording, clock.isPlaying, setClock);
  useAddress(session, recording, clock);
  const seek = (atMs: number): void => setClock((before) => ({ ...before, atMs }));
  /** Seeks and pauses. */
  const jump = (atMs: number): void => setClock((before) => ({ ...before, atMs, isPlaying: false }));
  return (
    <div className="column">
      <section ref={host} className="replay-screen" aria-label={`Screen of ${session.name}`} />
      {omittedBytes > 0 ? (
        <p className="replay-note">
          The last {byteSize(omittedBytes)} are not shown here. The asciicast file contains everything.
        </p>
      ) : null}
      <Timeline recording={recording} atMs={clock.atMs} onSeek={seek} />
      <CurrentMark session={session} recording={recording} atMs={clock.atMs} onSeek={jump} />
      <Controls session={session} recording={recording} clock={clock} onChange={setClock} />
    </div>
  );
}

/** The time in the query, or the beginning. */
function startOf(recording: Recording, query: URLSearchParams): number {
  if (!query.has("at")) return 0;
  const plusUs = Math.round(Number(query.get("plus") ?? 0) * 1000);
  const atMs = recording.timeOf({ offset: Number(query.get("at")), plusUs });
  return Math.min(Math.max(0, atMs || 0), recording.durationMs);
}

interface CurrentMarkProps {
  readonly session: Session;
  readonly recording: Recording;
  readonly atMs: number;
  readonly onSeek: (atMs: number) => void;
}

/** The last mark before the current time, and buttons for the previous and the next one. */
function CurrentMark({ session, recording, atMs, onSeek }: CurrentMarkProps): ReactElement {
  const mark = recording.markAt(atMs);
  const goTo = (target: TimelineMark | undefined): Pick<ComponentProps<"button">, "disabled" | "onClick"> => ({
    disabled: target === undefined,
    onClick: () => target !== undefined && onSeek(target.atMs),
  });
  return (
    <div className="replay-mark">
      <IconButton label="Go to the previous mark" icon="back" {...goTo(recording.markBefore(atMs))} />
      <IconButton label="Go to the next mark" icon="forward" {...goTo(recording.markAfter(atMs))} />
      <p className="truncate">{mark === undefined ? "" : `${clockTime(mark.atMs)} ${escapeForDisplay(mark.text)}`}</p>
      {mark?.key === undefined ? null : (
        <Link to={`${sessionPath(referenceOf(session), "chat")}#${anchorOf(mark.key)}`}>In the conversation</Link>
      )}
    </div>
  );
}

/** Browsers limit how often an address can change. */
const ADDRESS_MS = 400;

/** Keeps the current time in the address, so that it can be reloaded and shared. Not while playing. */
function useAddress(session: Session, recording: Recording, { atMs, isPlaying }: ReplayClockState): void {
  const { id, name } = session;
  useEffect(() => {
    if (isPlaying) return;
    const timer = setTimeout(() => {
      // While the next view loads, this one is still mounted. A session that has ended is also found by its name.
      const reference = [id, name].find((each) => location.pathname === sessionPath(each, "replay"));
      if (reference === undefined) return;
      const { offset, plusUs } = recording.placeAt(atMs);
      const query = `at=${offset}${plusUs > 0 ? `&plus=${plusUs / 1000}` : ""}`;
      navigate(sessionPath(reference, "replay", atMs < recording.durationMs ? query : ""), {
        replace: true,
      });
    }, ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [id, name, recording, atMs, isPlaying]);
}

/** Loads a recording while the view is mounted. */
function useRecording(session: Session): Loaded {
  const [progress, setProgress] = useState<Loaded["progress"]>();
  const [problem, setProblem] = useState<string>();
  const { id } = session;
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const report = setProblem;
    const load = async (): Promise<void> => {
      const recording = new Recording();
      const { start } = await answerTo(() => daemon().call("sessions.get", { session: id }), { report, signal });
      for await (const step of loadRecording({ id, start }, recording, { report, signal })) {
        if (step.part === 1) recording.feedChanges(await changesOf(id, { report, signal }));
        setProgress({ ...step, recording });
        setProblem(undefined);
      }
    };
    load().catch((error: unknown) => {
      if (!signal.aborted) report(messageOf(error));
    });
    return () => leaving.abort();
  }, [id]);
  return { progress, problem };
}

const PAGE_CHANGES = 5000;
/** Only the first changes of a very long session get marks. */
const CHANGES_MAX = 50_000;

/** Changes are optional: after an error, those read so far are returned. */
async function changesOf(session: string, asking: Asking): Promise<readonly ViewChange[]> {
  const { signal } = asking;
  const all: ViewChange[] = [];
  try {
    for (let from = 0; all.length < CHANGES_MAX;) {
      const input = { session, from, changesMax: PAGE_CHANGES };
      const { changes, next } = await answerTo(() => daemon().call("sessions.changes", input, { signal }), asking);
      all.push(...changes);
      if (changes.length < PAGE_CHANGES || next === from) break;
      // Changes at this offset are returned again.
      while (all.at(-1)?.offset === next) all.pop();
      from = next;
    }
  } catch {
    return all;
  }
  return all;
}

/** Advances the clock with each animation frame. */
function usePlaying(
  recording: Recording,
  isPlaying: boolean,
  setClock: (change: (before: ReplayClockState) => ReplayClockState) => void,
): void {
  useEffect(() => {
    if (!isPlaying) return;
    let last = performance.now();
    let request = requestAnimationFrame(function step(now) {
      const elapsedMs = now - last;
      last = now;
      setClock((before) => {
        const next = recording.frames[recording.indexAt(before.atMs)];
        const nextMs = next === undefined ? undefined : recording.atMs(next.timeUs);
        return advanceClock(before, elapsedMs, { nextMs, endMs: recording.durationMs });
      });
      request = requestAnimationFrame(step);
    });
    return () => cancelAnimationFrame(request);
  }, [recording, isPlaying, setClock]);
}

interface ControlsProps {
  readonly session: Session;
  readonly recording: Recording;
  readonly clock: ReplayClockState;
  readonly onChange: (change: (before: ReplayClockState) => ReplayClockState) => void;
}

function Controls({ session, recording, clock, onChange }: ControlsProps): ReactElement {
  const isAtEnd = clock.atMs >= recording.durationMs;
  const toggle = (): void =>
    onChange((before) => ({ ...before, isPlaying: !before.isPlaying, atMs: isAtEnd ? 0 : before.atMs }));
  return (
    <div className="replay-controls">
      <Button kind="primary" className="replay-play" aria-label={clock.isPlaying ? "Pause" : "Play"} onClick={toggle}>
        <Icon name={clock.isPlaying ? "pause" : "play"} />
      </Button>
      <span className="replay-time">
        {clockTime(clock.atMs)} <span>/ {clockTime(recording.durationMs)}</span>
      </span>
      <label className="replay-option">
        <span className="visually-hidden">Speed</span>
        <select
          value={clock.speed}
          onChange={({ target }) => onChange((before) => ({ ...before, speed: Number(target.value) }))}
        >
          {speeds.map((speed) => (
            <option key={speed} value={speed}>
              {speed}×
            </option>
          ))}
        </select>
      </label>
      <label className="replay-option">
        <input
          type="checkbox"
          checked={clock.idleMsMax === SKIPPED_IDLE_MS_MAX}
          onChange={({ target }) =>
            onChange((before) => ({ ...before, idleMsMax: target.checked ? SKIPPED_IDLE_MS_MAX : Infinity }))
          }
        />
        Skip idle time
      </label>
      <span className="replay-share">
        <Menu
          label="Download"
          icon="download"
          items={[
            { label: "Web page, one file", onSelect: () => void saveAsPage(session) },
            { label: "Asciicast v3", href: exportAddress(session, "asciicast-v3") },
            { label: "Asciicast v2", href: exportAddress(session, "asciicast-v2") },
            { label: "Text", href: exportAddress(session, "text") },
          ]}
        />
      </span>
    </div>
  );
}

// Reads a whole recording, page by page.

const PAGE_BYTES = 1024 * 1024;
/** Limit of a recording in memory; the rest is omitted, which the page reports. */
const RECORDING_BYTES_MAX = 128 * 1024 * 1024;

interface LoadProgress {
  /** From 0 to 1. */
  readonly part: number;
  /** Bytes omitted at the end. */
  readonly omittedBytes: number;
}

/** Yields the progress. */
async function* loadRecording(
  session: { readonly id: string; readonly start: number },
  recording: Recording,
  asking: Asking,
): AsyncGenerator<LoadProgress, void, void> {
  const { start } = session;
  const { signal } = asking;
  for (let from = start; ;) {
    const input = { session: session.id, from, bytesMax: PAGE_BYTES };
    const page = await answerTo(() => daemon().call("sessions.records", input, { signal }), asking);
    recording.feed(page.records.map((record) => toSessionRecord(record)));
    const isFull = page.next - start >= RECORDING_BYTES_MAX;
    const isLast = page.next >= page.end || page.next === from;
    from = page.next;
    const omittedBytes = isFull ? page.end - page.next : 0;
    yield { part: isFull || isLast ? 1 : (from - start) / Math.max(1, page.end - start), omittedBytes };
    if (isFull || isLast) return;
  }
}
