import { effect, useSignal } from '@preact/signals';
import { type ComponentType, render } from 'preact';
import { useEffect } from 'preact/hooks';
import type { BatchList } from '../api.ts';
import { late, useAsked } from './parts/asking.tsx';
import { ButtonLink } from './parts/controls.tsx';
import { needing, needWords, sumOf } from './parts/figures.ts';
import { ask, awaited, beat, enter, isIn, offline, path } from './session.ts';

type View = ComponentType<{ readonly id: string }>;

const VIEWS: readonly (readonly [address: RegExp, view: View])[] = [
  [/^\/$/, late(async () => (await import('./views/home.tsx')).Home)],
  [/^\/lists\/(?<id>[^/]+)$/, late(async () => (await import('./views/list.tsx')).ListPage)],
  [/^\/files\/(?<id>[^/]+)$/, late(async () => (await import('./views/list.tsx')).ListOfBatch)],
  [/^\/reports\/(?<id>[^/]+)$/, late(async () => (await import('./views/report.tsx')).Report)],
  [/^\/money$/, late(async () => (await import('./views/money.tsx')).Money)],
  [/^\/nights$/, late(async () => (await import('./views/nights.tsx')).Nights)],
  [/^\/accounts$/, late(async () => (await import('./views/accounts.tsx')).Accounts)],
];

const NAV = { '/': 'Lists', '/money': 'Money', '/nights': 'Nights', '/accounts': 'Accounts' };

function Page() {
  if (isIn.value === false) return <Closed />;
  return (
    <>
      <header>
        <a href="/">Rowonce</a>
        <nav aria-label="Views">
          {Object.entries(NAV).map(([to, says]) => (
            <a key={to} href={to} aria-current={isAt(to) ? 'page' : undefined}>
              {says}
            </a>
          ))}
        </nav>
        {isIn.value && <Needs />}
      </header>
      <main>
        <div class={offline.value ? 'stop' : ''} role="status">
          {offline.value && <NoAnswer />}
        </div>
        {isIn.value && <Shown key={path.value} />}
      </main>
    </>
  );
}

/** How many beats pass before the rows that need her are counted again. */
const BEATS = 5;

/** Rows that need her in lists that are done, with a link to those of the newest of these lists. */
function Needs() {
  const asked = useAsked<BatchList>(
    (signal) => ask('/batches?newest=true', { signal, isBeside: true }),
    [path.value, Math.floor(beat.value / BEATS)],
  );
  const needed = (asked.value.value?.batches ?? []).filter(
    (batch) => batch.state === 'finished' && needing(batch) > 0,
  );
  const [newest] = needed;
  if (newest === undefined) return null;
  const view = newest.list === null ? `/files/${newest.batch}` : `/lists/${newest.list}`;
  return (
    <a class="need state" href={`${view}?needs`}>
      {needWords(sumOf(needed.map(needing)))}
    </a>
  );
}

const isAt = (to: string): boolean =>
  to === '/' ? /^\/(?:$|lists|files|reports)/.test(path.value) : path.value === to;

/** A view asks in steps: after so long without a question it has all that it shows at first. */
const QUIET_MS = 60;
/** A long list is not waited for any longer: the rest is shown as it comes. */
const AT_MOST_MS = 3_000;

/** Whether the view has what it asks for at first. Shown earlier, the rest would move what is being read. */
function useWhole(): boolean {
  const isWhole = useSignal(false);
  useEffect(() => {
    const show = (): true => (isWhole.value = true);
    let soon: ReturnType<typeof setTimeout> | undefined;
    const latest = setTimeout(show, AT_MOST_MS);
    const leave = effect(() => {
      clearTimeout(soon);
      if (awaited.value === 0) soon = setTimeout(show, QUIET_MS);
    });
    return () => {
      leave();
      clearTimeout(soon);
      clearTimeout(latest);
    };
  }, []);
  return isWhole.value;
}

function Shown() {
  const isWhole = useWhole();
  const [address, View] = VIEWS.find(([each]) => each.test(path.value)) ?? [/$/, Nowhere];
  return (
    <fieldset disabled={offline.value} aria-busy={!isWhole}>
      <View id={decodeURIComponent(address.exec(path.value)?.groups?.id ?? '')} />
    </fieldset>
  );
}

const Nowhere = () => (
  <section class="drop">
    <h1>There is nothing at this address</h1>
    <ButtonLink to="/" says="See your lists" />
  </section>
);

const SERVE = `${document.querySelector('meta[name=program]')?.getAttribute('content') ?? 'rowonce'} serve`;

/** The page was ended, or another program is at its port. */
const NoAnswer = () => (
  <>
    Rowonce does not answer. This page goes on when it does; if it was ended, start it again:{' '}
    <code>{SERVE}</code>
  </>
);

/** A tab that was opened by hand. */
const Closed = () => (
  <main>
    <section class="drop">
      <h1>This page is closed</h1>
      <p>
        Open it again from the terminal: <code>{SERVE}</code>. Your lists are all there.
      </p>
    </section>
  </main>
);

/** The page begins here: it is drawn, gets its token, then shows the view that the address names. */
const place = document.getElementById('page');
if (place !== null) {
  render(<Page />, place);
  await enter();
}
