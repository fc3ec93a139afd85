/** Parts of the page whose code and style come late: a request that fails is sent again. */
import { retryDelayMs } from "./api.ts";

/** One request that gets no answer is a matter of the network; after these the person decides. */
const ATTEMPTS_MAX = 4;

const failedStyles = new Set<HTMLLinkElement>();
addEventListener(
  "error",
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === "stylesheet") failedStyles.add(target);
  },
  true,
);

/** Rejects after the last attempt. */
export async function fetchCode<Code>(load: () => Promise<Code>, attempts = ATTEMPTS_MAX): Promise<Code> {
  try {
    await Promise.all([...failedStyles].map(fetchStyle));
    return await load();
  } catch (error) {
    if (attempts <= 1) throw error;
    await new Promise((resolve) => setTimeout(resolve, retryDelayMs()));
    return fetchCode(load, attempts - 1);
  }
}

/** What imports code asks for each style once, even if that failed. */
async function fetchStyle(failed: HTMLLinkElement): Promise<void> {
  const link = failed.cloneNode() as HTMLLinkElement;
  const { promise, reject, resolve } = Promise.withResolvers<void>();
  link.addEventListener("load", () => resolve());
  link.addEventListener("error", () => reject(new Error(`Cannot load ${link.href}`)));
  failedStyles.delete(failed);
  failed.replaceWith(link);
  await promise;
}
