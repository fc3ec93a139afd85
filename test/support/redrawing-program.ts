/**
 * A full-screen program that is slow on purpose: it draws its whole screen again and again, with a clock on it, takes what is typed
 * late, and answers late. Each text that it was given by Enter goes into a file, one line of JSON each.
 *
 *   node test/support/redrawing-program.ts FILE
 */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const [file = ""] = process.argv.slice(2);
const DELAY_MS_MAX = 120;
const WORK_MS_MAX = 400;
const REDRAW_MS_MAX = 150;

const history: string[] = [];
let text = "";
let isPasting = false;

const random = (below: number): number => Math.floor(Math.random() * below);
const say = (state: string): void => void process.stdout.write(`\u001B]7501;state=${state}:app=redrawing\u001B\\`);

function draw(): void {
  const rows = [
    ...history.slice(-8),
    `clock ${performance.now().toFixed(0)}`,
    "─".repeat(40),
    ...`> ${text}`.split("\n"),
  ];
  process.stdout.write(`\u001B[?2026h\u001B[H\u001B[2J${rows.join("\r\n")}\u001B[?2026l`);
}

async function take(key: string): Promise<void> {
  if (key.startsWith("\u001B[20")) isPasting = key === "\u001B[200~";
  else if (key !== "\r" || isPasting) text += key === "\r" ? "\n" : key;
  else if (text !== "") {
    appendFileSync(file, `${JSON.stringify(text)}\n`);
    say("working");
    history.push(text.replaceAll("\n", " / "));
    text = "";
    await sleep(random(WORK_MS_MAX));
    draw();
    say("idle");
  }
}

async function redraw(): Promise<never> {
  for (;;) {
    draw();
    await sleep(20 + random(REDRAW_MS_MAX));
  }
}

process.stdin.setRawMode(true);
process.stdout.write("\u001B[?1049h\u001B[?2004h");
say("idle");
void redraw();
for await (const chunk of process.stdin) {
  await sleep(random(DELAY_MS_MAX));
  for (const [key] of String(chunk).matchAll(/\u001B\[20[01]~|[^]/gu)) await take(key);
}
