import { signal } from '@preact/signals';

/** A telephone: one column, cards in the place of the table, and a panel that is one line until it opens. */
const NARROW = matchMedia('(max-width: 760px)');
export const isNarrow = signal(NARROW.matches);
NARROW.addEventListener('change', () => (isNarrow.value = NARROW.matches));
