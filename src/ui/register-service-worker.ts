/** The only place where trusted types allow a text to become the URL of a script. */

interface TrustedTypesFactory {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (address: string) => string },
  ): { createScriptURL(address: string): string };
}

const ADDRESS = "/service-worker.js";

export function registerServiceWorker(): void {
  // Missing in private windows of some browsers; the page works without it.
  if (!("serviceWorker" in navigator)) return;
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypesFactory };
  const policy = trustedTypes?.createPolicy("lectern", {
    createScriptURL: (address) => {
      if (address !== ADDRESS) throw new TypeError("Only the page's own worker is loaded");
      return address;
    },
  });
  navigator.serviceWorker.register(policy?.createScriptURL(ADDRESS) ?? ADDRESS).catch(() => undefined);
}
