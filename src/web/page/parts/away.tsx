import { computed, signal } from '@preact/signals';
import { offline, offlineSince } from '../session.ts';
import { clockTime, counted } from './figures.ts';

/** What of the shown list was under way when its server was there last. */
interface ListWork {
  readonly rowsLeft: number;
  /** Whether another process works on it, so that it needs no page. */
  readonly isElsewhere: boolean;
}

/** Undefined where nothing was at work on what is shown. */
export const workShown = signal<ListWork | undefined>(undefined);

/** Whether the work ended with the server: what is known of it is of the moment before. */
export const isStoppedAway = computed(() => offline.value && workShown.value?.isElsewhere === false);

/** The server has ended, or another program is at its port. */
export function Away({ serve }: { readonly serve: string }) {
  return (
    <div class="notice">
      <p>
        Rowonce was closed at {clockTime(offlineSince.value ?? new Date())}
        {meanwhile(workShown.value)} This tab works again as soon as it is started:
      </p>
      <code>{serve}</code>
    </div>
  );
}

function meanwhile(work: ListWork | undefined): string {
  if (work === undefined) return '. Nothing is lost.';
  const rowsLeftWords = counted(work.rowsLeft, 'row is left', 'rows are left');
  if (work.isElsewhere) return `; the list goes on by itself in another window, ${rowsLeftWords}.`;
  // What was on its way in that moment may have been done.
  return `. Nothing is lost and nothing more is sent; at most ${rowsLeftWords}, and wait for “Go on”.`;
}
