/** The thread of the daemon's own databases. */
import { NotifyRows } from "./notify-rows.ts";
import { RegistryRows, type RegistryFiles } from "./registry-rows.ts";
import { serve } from "./serve.ts";
import { ViewRows, type ViewFile } from "./view-rows.ts";

const databases = {
  registry: (files: RegistryFiles) => RegistryRows.open(files),
  notify: (databaseFile: string) => new NotifyRows(databaseFile),
  views: (file: ViewFile) => new ViewRows(file),
};

export type Databases = typeof databases;

serve(databases);
