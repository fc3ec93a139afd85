/** Preloaded into each test process, by `--import`. */
import "./evidence.ts";
import "./own-home.ts";
import "./time-limit.ts";
