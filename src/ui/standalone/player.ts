/** The player in a recording that was saved as an HTML file, without React, daemon and network. */
import "@xterm/xterm/css/xterm.css";
import "./player.css";
import { clockTime } from "../parts/text.ts";
import { Recording } from "../replay/recording.ts";
import { advanceClock, SKIPPED_IDLE_MS_MAX, type ReplayClockState } from "../../core/replay-clock.ts";
import { REPLAY_FONT_SIZE_MIN, ReplayScreen } from "../replay/replay-screen.ts";
import { fitScreen } from "../terminal/fit-screen.ts";
import { terminalTheme } from "../terminal/theme.ts";
import { recordsOfCast } from "./cast.ts";

const speeds = [1, 2, 4, 8, 16];

function start(place: HTMLElement, cast: string): void {
  const recording = new Recording();
  recording.feed(recordsOfCast(cast));
  const screen = new ReplayScreen(recording, terminalTheme(matchMedia("(prefers-color-scheme: dark)").matches));
  const host = make("div", "screen");
  const button = make("button", "play");
  const time = make("input", "time");
  const clockWords = make("span", "words");
  const speed = make("button", "speed");
  const bar = make("div", "bar");
  bar.append(button, clockWords, time, speed);
  place.append(host, bar);
  time.type = "range";
  time.max = String(Math.ceil(recording.durationMs));
  time.ariaLabel = "Time";
  screen.terminal.open(host);
  const fit = (): void => fitScreen(screen.terminal, host, REPLAY_FONT_SIZE_MIN);
  new ResizeObserver(fit).observe(host);
  screen.terminal.onResize(fit);
  let state: ReplayClockState = { atMs: 0, isPlaying: true, speed: 1, idleMsMax: SKIPPED_IDLE_MS_MAX };
  let last = performance.now();
  const show = (): void => {
    void screen.show(state.atMs);
    time.value = String(Math.round(state.atMs));
    clockWords.textContent = `${clockTime(state.atMs)} / ${clockTime(recording.durationMs)}`;
    button.textContent = state.isPlaying ? "Pause" : "Play";
    speed.textContent = `${state.speed}×`;
  };
  button.addEventListener("click", () => {
    const isAtEnd = state.atMs >= recording.durationMs;
    state = { ...state, isPlaying: !state.isPlaying, atMs: isAtEnd ? 0 : state.atMs };
  });
  time.addEventListener("input", () => {
    state = { ...state, atMs: Number(time.value) };
  });
  speed.addEventListener("click", () => {
    const next = speeds[(speeds.indexOf(state.speed) + 1) % speeds.length] ?? 1;
    state = { ...state, speed: next };
  });
  requestAnimationFrame(function step(now) {
    const next = recording.frames[recording.indexAt(state.atMs)];
    const nextMs = next === undefined ? undefined : recording.atMs(next.timeUs);
    state = advanceClock(state, now - last, { nextMs, endMs: recording.durationMs });
    last = now;
    show();
    requestAnimationFrame(step);
  });
}

function make<Name extends "div" | "button" | "input" | "span">(
  name: Name,
  className: string,
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.className = className;
  return element;
}

const decode = (text: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));

const place = document.querySelector<HTMLElement>("#player");
const cast = document.querySelector("#cast")?.textContent;
if (place !== null && cast !== undefined && cast !== null) start(place, decode(cast));
