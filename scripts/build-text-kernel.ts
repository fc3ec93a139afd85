/** Compiles src/core/text/text-kernel.wat into src/core/text/text-kernel-module.ts. Run it after each change of the former. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import openWabt from "wabt";

const folder = join(import.meta.dirname, "..", "src", "core", "text");

/** The bytes of the module as WebAssembly. */
export async function compileTextKernel(): Promise<Uint8Array> {
  const wabt = await openWabt();
  const parsed = wabt.parseWat("text-kernel.wat", readFileSync(join(folder, "text-kernel.wat"), "utf8"), {
    simd: true,
  });
  return parsed.toBinary({}).buffer;
}

if (import.meta.main) {
  const lines =
    Buffer.from(await compileTextKernel())
      .toString("hex")
      .match(/.{1,108}/g) ?? [];
  const text = lines.map((line) => `  "${line}",`).join("\n");
  writeFileSync(
    join(folder, "text-kernel-module.ts"),
    `/** text-kernel.wat as WebAssembly, in hexadecimal. Made by scripts/build-text-kernel.ts: change that source, not this file. */
export const textKernelModule = [
${text}
].join("");
`,
  );
}
