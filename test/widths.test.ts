/** The columns of 2,000 clusters in tmux and wcwidth, and here: see `fixtures/widths/README.md`. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, test } from "node:test";
import { XtermEmulator } from "../src/core/emulator/xterm/xterm.ts";
import { LineEditor } from "../src/core/text/line-editor.ts";
import { displayWidth, truncateToWidth } from "../src/core/text/width.ts";

interface Cluster {
  readonly group: string;
  readonly text: string;
  readonly tmux: number;
  readonly wcwidth: number;
}

const sumOfAll = ({ text }: Cluster): number =>
  [...text].reduce((columns, character) => columns + displayWidth(character), 0);
const asTmux = ({ tmux }: Cluster): number => tmux;
const asWcwidth = ({ wcwidth }: Cluster): number => wcwidth;

/** What is followed in groups in which tmux and wcwidth differ; the reasons are in docs/decisions/widths.md. */
const followed: Readonly<Record<string, (cluster: Cluster) => number>> = {
  ambiguous: asWcwidth,
  bengali: asTmux,
  brahmi: asTmux,
  devanagari: asTmux,
  "emoji-style": asWcwidth,
  filler: asWcwidth,
  flag: asTmux,
  joined: asWcwidth,
  "joiner between others": sumOfAll,
  "joiner in a conjunct": asWcwidth,
  keycap: asWcwidth,
  sinhala: asTmux,
  "skin tone": asWcwidth,
  "skin tone on a narrow sign": () => 2,
  "skin tone on something else": asTmux,
  surrogate: asWcwidth,
  tamil: asTmux,
};

describe("widths", () => {
  let clusters: readonly Cluster[] = [];

  before(() => {
    const lines = readFileSync(new URL("fixtures/widths/clusters.tsv", import.meta.url), "utf8")
      .trim()
      .split("\n");
    clusters = lines.slice(1).map((line) => {
      const [group = "", codePoints = "", tmux, wcwidth] = line.split("\t");
      const text = String.fromCodePoint(...codePoints.split(" ").map((hex) => Number.parseInt(hex, 16)));
      return { group, text, tmux: Number(tmux), wcwidth: Number(wcwidth) };
    });
  });

  const expectedOf = (cluster: Cluster): number => {
    const rule = followed[cluster.group];
    if (rule !== undefined) return rule(cluster);
    assert.equal(cluster.tmux, cluster.wcwidth, `no rule says which is right: ${nameOf(cluster)}`);
    return cluster.tmux;
  };

  test("text has the columns of tmux and wcwidth", () => {
    assert.ok(clusters.length >= 2000);
    const wrong = clusters.filter((cluster) => displayWidth(cluster.text) !== expectedOf(cluster));
    assert.deepEqual(wrong.map(nameOf), []);
  });

  test("the cursor of the emulator is behind as many columns, whatever is the cut", () => {
    const emulator = new XtermEmulator({ columns: 80, rows: 2, scrollbackLinesMax: 0 });
    const columnsOf = (parts: readonly string[]): number => {
      emulator.write("\u001B[m\r\u001B[K");
      for (const part of parts) emulator.write(new TextEncoder().encode(part));
      return emulator.cursor.column;
    };
    const wrong = clusters.filter(
      (cluster) =>
        columnsOf([cluster.text]) !== expectedOf(cluster) || columnsOf([...cluster.text]) !== expectedOf(cluster),
    );
    assert.deepEqual(wrong.map(nameOf), []);
  });

  test("a line has as many cells", () => {
    const wrong = clusters
      .filter(({ group }) => group !== "control")
      .filter((cluster) => {
        const line = new LineEditor("", 100);
        line.write(`|${cluster.text}x`);
        line.moveTo(1 + expectedOf(cluster));
        line.write("y");
        return line.text() !== `|${cluster.text}y`;
      });
    assert.deepEqual(wrong.map(nameOf), []);
  });

  test("a text is cut between clusters, to at most the given columns", () => {
    for (const { text } of clusters) {
      const columns = displayWidth(text);
      assert.equal(truncateToWidth(`${text}ab`, columns + 1), `${text}…`, text);
    }
  });
});

function nameOf({ group, text }: Cluster): string {
  const codePoints = [...text].map((character) => (character.codePointAt(0) ?? 0).toString(16).toUpperCase());
  return `${group}: ${codePoints.join(" ")}`;
}
