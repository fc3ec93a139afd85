/**
 * Prints how well messages agree with the ground truth, per recording. `npm run report:chat [-- [-v] FOLDER_OR_NAME...]`; `-v`
 * prints what did not match: `!` is wrong without a mark, `-` is missing, `+` is too much, `~` has other words.
 */
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { measureChat, type GroundTruth, type Score } from "./chat-measure.ts";
import { castSteps, readCast } from "./chat-replay.ts";
import { messagesIn, replay } from "./session-replay.ts";

const names = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const isVerbose = process.argv.includes("-v");
const folders = names.length > 0 ? names : [join(import.meta.dirname, "fixtures", "recordings")];
const files = folders.flatMap((name) =>
  statSync(name).isDirectory()
    ? readdirSync(name)
        .filter((file) => /\.cast(\.gz)?$/.test(file))
        .map((file) => join(name, file))
    : [name],
);

const measured = files.filter((file) => existsSync(truthOf(file)));

const ratio = (part: number, whole: number): string => (whole === 0 ? "   - " : (part / whole).toFixed(3));
const cells = ({ expected, found, matched }: Score): string =>
  `${ratio(matched, expected)} ${ratio(matched, found)} ${String(matched).padStart(3)}/${String(expected).padEnd(3)}`;

console.log(
  `${"recall, precision".padEnd(26)} ${"user".padEnd(20)} ${"assistant".padEnd(20)} ${"tool".padEnd(20)} ${"command".padEnd(20)} words foreign wrong silent`,
);
let failures = 0;
let [silentCount, wrongCount] = [0, 0];
for (const file of measured) {
  const name = basename(truthOf(file), ".json");
  const cast = readCast(file);
  const messages = messagesIn(replay(cast, { command: ["bash"], exits: true }));
  const { user, assistant, tool, command, words, wrong, silent, misses } = measureChat(
    JSON.parse(readFileSync(truthOf(file), "utf8")) as GroundTruth,
    messages,
    castSteps(cast),
  );
  const worst = Math.min(
    ...[user, assistant, tool, command].flatMap(({ expected, found, matched }) =>
      expected === 0 && found === 0 ? [1] : [matched / Math.max(1, expected), matched / Math.max(1, found)],
    ),
  );
  const isFine =
    worst >= 0.98 && words.found >= 0.97 * words.visible && words.foreign <= 0.01 * words.said && silent === 0;
  if (!isFine) failures += 1;
  silentCount += silent;
  wrongCount += wrong;
  console.log(
    `${name.padEnd(26)} ${cells(user)} | ${cells(assistant)} | ${cells(tool)} | ${cells(command)} | ${ratio(words.found, words.visible)} ${ratio(words.foreign, words.said)} ${String(wrong).padStart(5)} ${String(silent).padStart(6)}${isFine ? "" : "  <"}`,
  );
  if (!isVerbose) continue;
  for (const miss of misses) console.log(`    ${miss}`);
  if (process.argv.includes("-vv")) for (const message of messages) console.log(JSON.stringify(message));
}
console.log(
  `${measured.length - failures} of ${measured.length} recordings reach every goal; ${wrongCount} messages wrong, ${silentCount} of them silently`,
);

function truthOf(file: string): string {
  return join(dirname(file), `${basename(file).replace(/\.cast(\.gz)?$/, "")}.json`);
}
