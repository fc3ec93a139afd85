/** The checker of the sections that there are. */
import { configChecker } from "./check-config.ts";
import { configSections } from "./sections.ts";

export const checkConfig = configChecker(configSections);
