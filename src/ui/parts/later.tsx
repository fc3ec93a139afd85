/**
 * A view whose code is loaded when it is first shown. Not `lazy` of React, which delays a view behind a fallback by 300 ms even if its
 * code is already loaded.
 */
import { useEffect, type ComponentType, type ReactElement } from "react";
import { ValueStore, useStore } from "../store.ts";

export function later<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loaded = new ValueStore<ComponentType<Props> | undefined>(undefined);
  let loading: Promise<void> | undefined;
  return function Later(props: Props): ReactElement {
    const View = useStore(loaded);
    useEffect(() => {
      loading ??= load().then((view) => loaded.set(view));
    }, []);
    if (View === undefined) return <div className="loading" role="status" aria-label="Loading" />;
    return <View {...props} />;
  };
}
