/** What `lectern run` takes from the configuration where no option says otherwise. */
import { sectionValue } from "../core/config/config-values.ts";
import type { ValueOf } from "../core/config/sections.ts";
import { readConfigFiles } from "./config-files.ts";
import type { CliContext } from "./context.ts";

/** A section with an error has its defaults, which is noted. */
export async function runDefaults(context: CliContext): Promise<ValueOf<"run">> {
  const [user, project] = await readConfigFiles(context.workingDirectory, context);
  const broken = [user, project].find((file) => (file?.checked?.problems.length ?? 0) > 0);
  if (broken !== undefined) context.note(`The configuration ${broken.path} has errors: see "lectern config check"`);
  return sectionValue("run", { user: user.checked?.data ?? {}, project: project?.checked?.data ?? {} });
}
