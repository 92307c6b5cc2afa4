import { computed, signal } from '@preact/signals';

/**
 * Every view has an address of its own, so that reload, "back", bookmarks and a second tab do what people
 * expect.
 */

const address = signal(location.href);

export const path = computed(() => new URL(address.value).pathname);
export const query = computed(() => new URL(address.value).searchParams);

export function go(to: string): void {
  location.href = to;
}

/** Follows what leads to a view without loading the page again. A browser that cannot do so loads it. */
window.navigation?.addEventListener('navigate', (event) => {
  const { canIntercept, destination, downloadRequest, hashChange, navigationType } = event;
  if (!canIntercept || hashChange || downloadRequest !== null || navigationType === 'reload') return;
  event.intercept({
    async handler() {
      address.value = destination.url;
    },
  });
});
