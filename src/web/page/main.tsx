import { effect, useSignal } from '@preact/signals';
import { type ComponentType, render } from 'preact';
import { useEffect } from 'preact/hooks';
import type { BatchList } from '../api.ts';
import { arriving } from './parts/arriving.ts';
import { lazyPart, useAsked } from './parts/asking.tsx';
import { Away } from './parts/away.tsx';
import { grouped, needing } from './parts/figures.ts';
import { ask, awaited, beat, enter, isIn, offline, path, serveCommand } from './session.ts';

type View = ComponentType<{ readonly id: string }>;

let style: Promise<unknown> | undefined;

/** A view with what the view of a list has no element for: its style comes with it. */
function styled<Part>(load: () => Promise<Part>): () => Promise<Part> {
  return async () => {
    style ??= new Promise((resolve) => {
      const link = document.createElement('link');
      Object.assign(link, { rel: 'stylesheet', href: '/views.css', onload: resolve, onerror: resolve });
      document.head.append(link);
    });
    const [part] = await Promise.all([load(), style]);
    return part;
  };
}

const VIEWS: readonly (readonly [address: RegExp, view: View])[] = [
  [
    /^\/$/,
    lazyPart(
      styled(async () => (await import('./views/home.tsx')).Home),
      'Lists',
    ),
  ],
  [/^\/lists\/(?<id>[^/]+)$/, lazyPart(async () => (await import('./views/list.tsx')).ListPage, 'List')],
  [/^\/files\/(?<id>[^/]+)$/, lazyPart(async () => (await import('./views/list.tsx')).ListOfBatch, 'List')],
  [
    /^\/reports\/(?<id>[^/]+)$/,
    lazyPart(
      styled(async () => (await import('./views/report.tsx')).Report),
      'Report',
    ),
  ],
  [
    /^\/money$/,
    lazyPart(
      styled(async () => (await import('./views/money.tsx')).Money),
      'Money',
    ),
  ],
  [
    /^\/nights$/,
    lazyPart(
      styled(async () => (await import('./views/nights.tsx')).Nights),
      'Nights',
    ),
  ],
  [
    /^\/accounts$/,
    lazyPart(
      styled(async () => (await import('./views/accounts.tsx')).Accounts),
      'Accounts',
    ),
  ],
  [
    /^\/accounts\/try$/,
    lazyPart(
      styled(async () => (await import('./views/try-line.tsx')).TryVendor),
      'Accounts',
    ),
  ],
];

/** Where no view is shown. */
const Nowhere = lazyPart(async () => (await import('./views/none.tsx')).Nowhere, '');
const Closed = lazyPart(async () => (await import('./views/none.tsx')).Closed, '');

const NAV = { '/': 'Lists', '/money': 'Money', '/nights': 'Nights', '/accounts': 'Accounts' };

function Page() {
  if (isIn.value === false) return <Closed serve={SERVE} />;
  return (
    <>
      <button type="button" class="button skip" onClick={skip}>
        Skip to the rows
      </button>
      <header class="bar nav">
        <a href="/">Rowonce</a>
        <nav aria-label="Views">
          {Object.entries(NAV).map(([to, says]) => (
            <a key={to} href={to} aria-current={isAt(to) ? 'page' : undefined}>
              {says}
            </a>
          ))}
        </nav>
        <span class="end">{isIn.value && <Needs />}</span>
      </header>
      <main>
        <div class="notices" role="status">
          {offline.value && <Away serve={serveCommand.value ?? SERVE} />}
        </div>
        {isIn.value && <Shown key={path.value} />}
      </main>
    </>
  );
}

/** How many beats pass before the rows that need her are counted again. */
const BEATS = 5;

/** How many lists that are done have rows that need attention: a link to those rows, or to the lists. */
function Needs() {
  const openBatches = useAsked<BatchList>(
    (signal) => ask('/batches?newest=true', { signal, isBeside: true }),
    [path.value, Math.floor(beat.value / BEATS)],
  );
  const needed = (openBatches.value.value?.batches ?? []).filter(
    (batch) => batch.state === 'finished' && needing(batch) > 0,
  );
  const [newest] = needed;
  if (newest === undefined) return null;
  const view = newest.list === null ? `/files/${newest.batch}` : `/lists/${newest.list}`;
  return (
    <a class="need" href={needed.length === 1 ? `${view}?needs` : '/'}>
      ▲ {grouped(needed.length)}
      <span>{needed.length === 1 ? ' list needs attention' : ' lists need attention'}</span>
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
  const { list, beginning } = arriving.value ?? {};
  // Its first rows stand there already.
  const stands = beginning !== undefined && path.value === `/lists/${list?.id}`;
  const isWhole = useWhole() || stands;
  const [address, View] = VIEWS.find(([each]) => each.test(path.value)) ?? [/$/, Nowhere];
  return (
    <fieldset disabled={offline.value} aria-busy={!isWhole}>
      <View id={decodeURIComponent(address.exec(path.value)?.groups?.id ?? '')} />
    </fieldset>
  );
}

/** The keys go on at her table, or at what the view is about. */
const skip = (): void =>
  document.querySelector<HTMLElement>('[role="grid"], .split .stack button, .view')?.focus();

const SERVE = `${document.querySelector('meta[name=program]')?.getAttribute('content') ?? 'rowonce'} serve`;

/** The page begins here: it is drawn, gets its token, then shows the view that the address names. */
const place = document.getElementById('page');
if (place !== null) {
  render(<Page />, place);
  await enter();
}
