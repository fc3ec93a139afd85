/**
 * A view whose code is loaded when it is first shown. Not `lazy` of React, which delays a view behind a fallback by 300 ms even if its
 * code is already loaded, and keeps a failure for ever.
 */
import { useEffect, type ComponentType, type ReactElement } from "react";
import { connection } from "../api.ts";
import { fetchCode } from "../fetch-code.ts";
import { ValueStore, useStore } from "../store.ts";
import { Button } from "./button.tsx";
import { Empty } from "./empty.tsx";

type Loaded<Props> = ComponentType<Props> | "loading" | "failed";

export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded = new ValueStore<Loaded<Props>>("loading");
  let isLoading = false;
  const fetchView = async (attempts?: number): Promise<void> => {
    if (isLoading) return;
    isLoading = true;
    loaded.set("loading");
    loaded.set(await fetchCode(load, attempts).catch(() => "failed"));
    isLoading = false;
  };
  return function Later(props: Props): ReactElement {
    const View = useStore(loaded);
    const isOnline = useStore(connection) === "online";
    useEffect(() => {
      if (loaded.get() === "loading" || (isOnline && loaded.get() === "failed")) void fetchView();
    }, [isOnline]);
    if (View === "loading") return <div className="loading" role="status" aria-label="Loading" />;
    if (View === "failed") return <Failed retry={() => void fetchView(1)} />;
    return <View {...props} />;
  };
}

function Failed({ retry }: { readonly retry: () => void }): ReactElement {
  return (
    <div role="alert">
      <Empty title="This part of the page could not be loaded">
        <p>The connection failed, or Lectern was replaced by another version since the page was opened.</p>
        <Button onClick={retry}>Try again</Button>{" "}
        <Button kind="primary" onClick={() => location.reload()}>
          Reload the page
        </Button>
      </Empty>
    </div>
  );
}
