/** The timeline of a recording: volume of output, states, marks and the current time. A slider for keyboard and screen readers. */
import { memo, useRef, type KeyboardEvent, type PointerEvent, type ReactElement } from "react";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { clockTime } from "../parts/text.ts";
import type { Recording } from "./recording.ts";

const BARS = 240;
const HEIGHT = 36;
const STEP_MS = 5000;
/** The number of marks that can be distinguished. */
const PLACES = 480;

interface TimelineProps {
  readonly recording: Recording;
  readonly atMs: number;
  readonly onSeek: (atMs: number) => void;
}

export function Timeline({ recording, atMs, onSeek }: TimelineProps): ReactElement {
  const strip = useRef<HTMLDivElement>(null);
  const length = Math.max(1, recording.durationMs);
  const seekTo = (event: PointerEvent): void => {
    const box = strip.current?.getBoundingClientRect();
    if (box === undefined) return;
    onSeek(Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * length);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = { ArrowRight: atMs + STEP_MS, ArrowLeft: atMs - STEP_MS, Home: 0, End: length }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    onSeek(Math.min(length, Math.max(0, target)));
  };
  return (
    <div
      ref={strip}
      className="timeline"
      role="slider"
      tabIndex={0}
      aria-label="Time"
      aria-valuemin={0}
      aria-valuemax={Math.round(length)}
      aria-valuenow={Math.round(atMs)}
      aria-valuetext={`${clockTime(atMs)} of ${clockTime(length)}`}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        seekTo(event);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) seekTo(event);
      }}
    >
      <Volume recording={recording} />
      <States recording={recording} />
      <Marks recording={recording} />
      <span className="timeline-at" style={{ left: `${(atMs / length) * 100}%` }} />
    </div>
  );
}

/** Memoized, so it is not rendered again while playing. */
const Marks = memo(function Marks({ recording }: { readonly recording: Recording }): ReactElement {
  const length = Math.max(1, recording.durationMs);
  return (
    <>
      {recording
        .marksIn(PLACES)
        .filter(({ kind }) => kind !== "status")
        .map((mark) => (
          <span
            key={`${mark.kind} ${mark.atMs} ${mark.offset}`}
            className="timeline-mark"
            data-kind={mark.kind}
            title={`${clockTime(mark.atMs)} ${escapeForDisplay(mark.text)}`}
            style={{ left: `${(mark.atMs / length) * 100}%` }}
          />
        ))}
    </>
  );
});

/** The states of the session as a band at the bottom. */
const States = memo(function States({ recording }: { readonly recording: Recording }): ReactElement {
  const columns = recording.states(BARS);
  return (
    <svg className="timeline-states" viewBox={`0 0 ${BARS} 1`} preserveAspectRatio="none" aria-hidden="true">
      {(["working", "waiting", "blocked"] as const).map((state) => (
        <path
          key={state}
          data-state={state}
          d={columns.map((each, index) => (each === state ? `M${index} 0h1v1h-1z` : "")).join("")}
        />
      ))}
    </svg>
  );
});

const Volume = memo(function Volume({ recording }: { readonly recording: Recording }): ReactElement {
  const volume = recording.volume(BARS);
  const most = Math.sqrt(Math.max(1, ...volume));
  const bars = volume.map((bytes, index) => {
    const height = bytes === 0 ? 0 : Math.max(1.5, (Math.sqrt(bytes) / most) * HEIGHT);
    return height === 0 ? "" : `M${index + 0.5} ${HEIGHT}v-${height.toFixed(1)}`;
  });
  return (
    <svg className="timeline-volume" viewBox={`0 0 ${BARS} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={bars.join("")} />
    </svg>
  );
});
