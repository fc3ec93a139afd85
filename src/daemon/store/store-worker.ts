/** The thread of the daemon's own databases. */
import { RegistryRows, type RegistryFiles } from "./registry-rows.ts";
import { serve } from "./serve.ts";

const databases = { registry: (files: RegistryFiles) => RegistryRows.open(files) };

export type Databases = typeof databases;

serve(databases);
