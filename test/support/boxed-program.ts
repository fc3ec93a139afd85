/**
 * A program with an input box like that of Gemini CLI: drawn between two edges, with a grey placeholder while it is empty. A single "?" in
 * the empty box shows its shortcuts and is not written, Ctrl-U empties the box, a paste is taken as it is. Each text that is entered goes
 * into a file, one line of JSON each.
 *
 *   node test/support/boxed-program.ts FILE [DROPS] [HOW]
 *
 * DROPS: of a text that is typed or pasted, these characters are lost. HOW: "keeps" where Ctrl-U does nothing, "late"
 * where it draws a second after each key, "joins" where it takes the first Enter behind a paste for a part of that, "idle" where it does nothing with a text, "stops" where it stops itself while it works, "halves" where each other
 * time it draws half of its placeholder, "limited" where it shows
 * that a limit of usage is reached, until Enter is pressed, "busy" where it works until FILE.ready exists, and ends once FILE.end does.
 */
import { appendFileSync, existsSync } from "node:fs";

const [file = "", drops = "", how = ""] = process.argv.slice(2);
const WORK_MS = 200;
const LATE_MS = 1000;
const HALF_MS = 50;

let text = "";
let isPasting = false;
let isPasted = false;
let isHalf = false;
let isLimited = how === "limited";

const write = (bytes: string): void => void process.stdout.write(bytes);
const title = (words: string): void => write(`\u001B]2;${words}\u0007`);

const LIMIT = [
  `╭${"─".repeat(58)}╮`,
  `│ ${"Usage limit reached for all Pro models.".padEnd(57)}│`,
  `│ ${"● 1. Keep trying".padEnd(57)}│`,
  `│ ${"  2. Stop".padEnd(57)}│`,
  `╰${"─".repeat(58)}╯`,
];

function draw(): void {
  if (isLimited) return write(`\u001B[?2026h\u001B[H\u001B[2J\u001B[?25l${LIMIT.join("\r\n")}\u001B[?2026l`);
  const placeholder = "\u001B[7m \u001B[27m\u001B[38;2;175;175;175m Type your message or @path/to/file\u001B[39m";
  const [first = "", ...more] = text.split("\n");
  const box =
    text === ""
      ? [` > ${isHalf ? "Type your mes" : placeholder}`]
      : [` > ${first}`, ...more.map((line) => `   ${line}`)];
  const rows = ["▄".repeat(60), ...box, "▀".repeat(60), " workspace (/directory)       no sandbox       /model"];
  write(`\u001B[?2026h\u001B[H\u001B[2J\u001B[?25l${rows.join("\r\n")}\u001B[?2026l`);
}

function submit(): void {
  appendFileSync(file, `${JSON.stringify(text)}\n`);
  text = "";
  if (how === "idle") return draw();
  title("✦  Working… (boxed)");
  draw();
  setTimeout(() => {
    title("◇  Ready (boxed)");
    if (how === "stops") draw();
  }, WORK_MS);
  if (how === "stops") process.kill(process.pid, "SIGSTOP");
}

function take(key: string): void {
  if (isLimited) {
    isLimited = key !== "\r";
    return draw();
  }
  if (key === "\u001B[200~" || key === "\u001B[201~") {
    isPasting = key === "\u001B[200~";
    isPasted = how === "joins";
  } else if (key === "\r" && isPasted) {
    isPasted = false;
    text += "\n";
  } else if (key === "\r" && !isPasting) return text === "" ? undefined : submit();
  else if (key === "\u0015" && how !== "keeps") text = "";
  else if (key === "?" && text === "" && !isPasting) return;
  else if (key >= " " || key === "\n" || key === "\t") text += drops.includes(key) ? "" : key;
  if (how === "late") setTimeout(draw, LATE_MS);
  else draw();
}

process.stdin.setRawMode(true);
write("\u001B[?2004h");
title(how === "busy" ? "✦  Working… (boxed)" : "◇  Ready (boxed)");
draw();
if (how === "busy") {
  let isBusy = true;
  setInterval(() => {
    if (existsSync(`${file}.end`)) process.exit(0);
    if (!isBusy || !existsSync(`${file}.ready`)) return;
    isBusy = false;
    title("◇  Ready (boxed)");
    draw();
  }, HALF_MS);
}
if (how === "halves")
  setInterval(() => {
    isHalf = !isHalf;
    if (text === "") draw();
  }, HALF_MS).unref();
for await (const chunk of process.stdin) {
  for (const [key] of String(chunk).matchAll(/\u001B\[20[01]~|[^]/gu)) take(key);
}
