import { computed, signal } from '@preact/signals';

/**
 * Every view has an address of its own, so that reload, "back", bookmarks and a second tab do what people
 * expect.
 */

const address = signal(location.pathname + location.search);

export const path = computed(() => address.value.split('?')[0] ?? '/');
export const query = computed(() => new URLSearchParams(address.value.split('?')[1] ?? ''));

addEventListener('popstate', () => {
  address.value = location.pathname + location.search;
});

export function go(to: string): void {
  history.pushState(null, '', to);
  address.value = to;
  scrollTo(0, 0);
}

/** Follows links of the page without loading it again; what opens elsewhere stays the browser's. */
addEventListener('click', (event) => {
  const link = (event.target as Element | null)?.closest?.('a');
  if (
    !link ||
    event.defaultPrevented ||
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey
  )
    return;
  if (link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return;
  event.preventDefault();
  go(link.pathname + link.search);
});
