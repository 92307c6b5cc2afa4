import type { ComponentChildren, ComponentType } from 'preact';
import { ButtonLink } from './parts/controls.tsx';
import { path } from './router.ts';
import { isIn, offline } from './session.ts';
import { text } from './text.ts';
import { Accounts } from './views/accounts.tsx';
import { BatchPage } from './views/batch.tsx';
import { Batches } from './views/batches.tsx';
import { Columns } from './views/columns.tsx';
import { Do } from './views/do.tsx';
import { Doubts } from './views/doubts.tsx';
import { List } from './views/list.tsx';
import { New } from './views/new.tsx';
import { Plan } from './views/plan.tsx';
import { Rows } from './views/rows.tsx';
import { Undo } from './views/undo.tsx';
import { WorkPage } from './views/work.tsx';

type View = ComponentType<{ readonly params: Readonly<Record<string, string>> }>;

/** `:name` stands for one part of an address. The first that fits is shown. */
const VIEWS: readonly (readonly [address: string, view: View])[] = [
  ['/', Batches],
  ['/batches/:id', BatchPage],
  ['/lists/:id/do', Do],
  ['/lists/:id/columns', Columns],
  ['/lists/:id/plan', Plan],
  ['/tasks/:id', WorkPage],
  ['/batches/:id/rows', Rows],
  ['/batches/:id/doubts', Doubts],
  ['/batches/:id/undo', Undo],
  ['/accounts', Accounts],
  ['/new', New],
  ['/lists/:id', List],
];

export function Page() {
  if (!isIn.value) return <Closed />;
  return (
    <>
      <a class="skip" href="#content">
        {text.skip}
      </a>
      <header class="top">
        <a class="brand" href="/">
          <img src="/icon.svg" alt="" width="28" height="28" /> {text.name}
        </a>
        <nav aria-label={text.nav.label}>
          <NavLink to="/">{text.nav.batches}</NavLink>
          <NavLink to="/new">{text.nav.create}</NavLink>
          <NavLink to="/accounts">{text.nav.accounts}</NavLink>
        </nav>
      </header>
      <main id="content" tabIndex={-1}>
        <p class={offline.value ? 'notice' : 'sr'} role="status">
          {offline.value ? text.reconnecting : ''}
        </p>
        <fieldset class="forms" disabled={offline.value}>
          <Shown />
        </fieldset>
      </main>
    </>
  );
}

function NavLink({ to, children }: { readonly to: string; readonly children: ComponentChildren }) {
  const isHere =
    to === '/' ? path.value === '/' || path.value.startsWith('/batches') : path.value.startsWith(to);
  return (
    <a href={to} aria-current={isHere ? 'page' : undefined}>
      {children}
    </a>
  );
}

function Shown() {
  for (const [address, View] of VIEWS) {
    const params = paramsOf(address, path.value);
    if (params !== undefined) return <View params={params} key={path.value} />;
  }
  return (
    <section class="empty">
      <h1>{text.nowhere.title}</h1>
      <ButtonLink to="/" says={text.nowhere.back} />
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

function Closed() {
  return (
    <main class="empty">
      <img src="/icon.svg" alt="" width="56" height="56" />
      <h1>{text.closed.title}</h1>
      <p>{text.closed.what}</p>
      <p>
        {text.closed.next} <code>{text.closed.command}</code>
      </p>
    </main>
  );
}
