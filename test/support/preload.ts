/** Preloaded into each test process, by `--import`. */
import "./own-home.ts";
import "./time-limit.ts";
