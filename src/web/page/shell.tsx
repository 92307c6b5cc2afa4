import { effect, useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import type { BatchList } from '../api.ts';
import { useAsked } from './parts/action.ts';
import { needing, needWords } from './parts/figures.ts';
import { late } from './parts/late.tsx';
import { path } from './router.ts';
import { ask, awaited, beat, isIn, offline } from './session.ts';

export type Params = Readonly<Record<string, string>>;
type View = ComponentType<{ readonly params: Params }>;

/** `:name` stands for one part of an address. The first that fits is shown. */
const VIEWS: readonly { readonly address: string; readonly view: View }[] = [
  { address: '/', view: late(async () => (await import('./views/home.tsx')).Home) },
  { address: '/lists/:id', view: late(async () => (await import('./views/list.tsx')).ListPage) },
  { address: '/files/:batch', view: late(async () => (await import('./views/list.tsx')).ListOfBatch) },
  { address: '/reports/:batch', view: late(async () => (await import('./views/report.tsx')).Report) },
  { address: '/money', view: late(async () => (await import('./views/money.tsx')).Money) },
  { address: '/nights', view: late(async () => (await import('./views/nights.tsx')).Nights) },
  { address: '/accounts', view: late(async () => (await import('./views/accounts.tsx')).Accounts) },
];

const NAV = [
  { to: '/', says: 'Lists' },
  { to: '/money', says: 'Money' },
  { to: '/nights', says: 'Nights' },
  { to: '/accounts', says: 'Accounts' },
];

export function Page() {
  if (isIn.value === false) return <Closed />;
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <a class="brand" href="/">
          Rowonce
        </a>
        <nav aria-label="Views">
          {NAV.map(({ to, says }) => (
            <a key={to} href={to} aria-current={isAt(to) ? 'page' : undefined}>
              {says}
            </a>
          ))}
        </nav>
        {isIn.value && <Needs />}
      </header>
      <main id="content" tabIndex={-1}>
        <p class={offline.value ? 'stop' : 'unseen'} role="status">
          {offline.value
            ? 'The connection to Rowonce is lost. What runs goes on; this page looks for it again.'
            : ''}
        </p>
        {isIn.value && <Shown key={path.value} />}
      </main>
    </>
  );
}

/** How many beats pass before the rows that need her are counted again. */
const BEATS = 5;

/** Rows that need her in lists that are done, with a link to the newest of these lists. */
function Needs() {
  const asked = useAsked<BatchList>(
    (signal) => ask('/batches?newest=true', { signal }),
    [path.value, Math.floor(beat.value / BEATS)],
  );
  const needed = (asked.value.value?.batches ?? []).filter(
    (batch) => batch.state === 'finished' && needing(batch) > 0,
  );
  const [newest] = needed;
  if (newest === undefined) return null;
  const rows = needed.reduce((sum, batch) => sum + needing(batch), 0);
  return (
    <a class="need" href={newest.list === null ? `/files/${newest.batch}` : `/lists/${newest.list}`}>
      {needWords(rows)}
    </a>
  );
}

const isAt = (to: string): boolean =>
  to === '/' ? /^\/(?:$|lists|files|reports)/.test(path.value) : path.value.startsWith(to);

/** A view asks in steps: after so long without a question it has all that it shows at first. */
const QUIET_MS = 60;

/** A long list is not waited for any longer: the rest is shown as it comes. */
const AT_MOST_MS = 3_000;

/** Whether the view has what it asks for at first. Shown earlier, the rest would move what is being read. */
function useWhole(): boolean {
  const isWhole = useSignal(false);
  useEffect(() => {
    const show = (): void => {
      isWhole.value = true;
    };
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
  useEffect(() => {
    document.title = 'Rowonce';
  }, []);
  return (
    <fieldset disabled={offline.value} aria-busy={!isWhole}>
      <Addressed />
    </fieldset>
  );
}

function Addressed() {
  for (const { address, view: View } of VIEWS) {
    const params = paramsOf(address, path.value);
    if (params !== undefined) return <View params={params} />;
  }
  return (
    <section class="drop">
      <h1>There is nothing at this address</h1>
      <a class="btn" href="/">
        See your lists
      </a>
    </section>
  );
}

function paramsOf(address: string, actual: string): Record<string, string> | undefined {
  const wanted = address.split('/');
  const given = actual.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of wanted.entries()) {
    const value = given[at] ?? '';
    if (part.startsWith(':')) params[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return undefined;
  }
  return params;
}

/** A tab of an earlier start, or one that was opened by hand. */
function Closed() {
  const program = document.querySelector('meta[name=program]')?.getAttribute('content') ?? 'rowonce';
  return (
    <main>
      <section class="drop">
        <h1>This page is closed</h1>
        <p>
          Open it again from the terminal: <code>{program} serve</code>. Your lists are all there.
        </p>
      </section>
    </main>
  );
}
