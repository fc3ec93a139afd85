/** `lectern/yaml`: reads policies and test cases that are written in YAML, for the gate. Pure: no files, timers or clock. */
export { yaml } from "./core/gate/yaml-file.ts";
