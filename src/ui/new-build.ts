/** Whether the daemon has another build of the page than the one that runs here: it is offered, because a reload ends what somebody does. */
import { ValueStore } from "./store.ts";

export const hasNewBuild = new ValueStore(false);

/** After a lost connection: only another daemon has another build. The name of the first script has a hash of all that it loads. */
export async function checkBuild(): Promise<void> {
  const own = document.querySelector("script[type=module]")?.getAttribute("src");
  const answer = await fetch("/", { cache: "no-cache" }).catch(() => undefined);
  if (own && answer?.ok) hasNewBuild.set(!(await answer.text()).includes(own));
}
