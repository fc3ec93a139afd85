/** The one place where text becomes the address of code: trusted types allow it here and nowhere else. */

interface TrustedTypesFactory {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (address: string) => string },
  ): { createScriptURL(address: string): string };
}

const ADDRESS = "/service-worker.js";

export function registerServiceWorker(): void {
  // Private windows of some browsers have none; the page works without.
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
