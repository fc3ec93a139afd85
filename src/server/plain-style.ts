/** The style of the few pages that are not part of the page: they load nothing, and their policy names this one style. */
import { createHash } from "node:crypto";

export const plainStyle =
  "body{font:1.125rem/1.5 system-ui,sans-serif;max-width:36rem;margin:12vh auto;padding:0 1.5rem;overflow-wrap:anywhere}button{font:inherit;min-height:3rem;padding:0 1.5rem}";

/** For `script-src` and `style-src` of a policy. */
export const sourceOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
