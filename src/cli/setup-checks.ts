/** Checks of what a user has set up: the configuration and the service. */
import { LecternError } from "../core/errors.ts";
import type { Check } from "./check.ts";
import { readConfigFiles } from "./config-files.ts";
import type { CliContext } from "./context.ts";
import { textInFile } from "../host/json-file.ts";
import { factsOf } from "./service/installed.ts";
import { serviceManager } from "./service/manager.ts";

export async function checkConfiguration(context: CliContext): Promise<Check> {
  const name = "configuration";
  const files = await readConfigFiles(context.workingDirectory, context);
  const broken = files.find(({ checked }) => (checked?.problems.length ?? 0) > 0);
  const [problem] = broken?.checked?.problems ?? [];
  if (broken !== undefined && problem !== undefined) {
    const message = `${broken.path}:${problem.line}:${problem.column}: ${problem.message}`;
    return { name, status: "fail", message, next: 'See "lectern config check"; then run "lectern reload"' };
  }
  const read = files.flatMap(({ checked, path }) => (checked === undefined ? [] : [path]));
  return {
    name,
    status: "ok",
    message: read.length === 0 ? "no lectern.yaml: all keys have their defaults" : read.join(", "),
  };
}

/** None where no service is installed, or can be. */
export async function checkService({ environment }: CliContext): Promise<readonly Check[]> {
  const name = "service";
  try {
    const manager = serviceManager(environment);
    const text = textInFile(manager.file);
    if (text === undefined) return [];
    if (text !== manager.text(factsOf({ environment }))) {
      const message = `${manager.file} has other paths than this shell: Node, Lectern, PATH or data directory have changed`;
      return [{ name, status: "warn", message, next: "Run: lectern service install" }];
    }
    const { active } = await manager.state();
    if (active === false)
      return [{ name, status: "warn", message: "installed, and not running", next: "See: lectern service status" }];
    return [{ name, status: "ok", message: manager.file }];
  } catch (error) {
    if (error instanceof LecternError) return [];
    throw error;
  }
}
