import { useSignal } from '@preact/signals';
import type { AccountChoice, Choices, OperationView, Ways } from '../../api.ts';
import { Loaded, RefusedNotice } from '../loaded.tsx';
import { useAction } from '../parts/action.ts';
import { Button, Cut, Options } from '../parts/controls.tsx';
import { counted } from '../parts/figures.ts';
import { Steps } from '../parts/steps.tsx';
import { PlayMoney } from '../parts/tags.tsx';
import { go } from '../router.ts';
import { ask } from '../session.ts';
import { text, wordOf } from '../text.ts';

const { todo } = text;

export function Do({ params: { id = '' } }: { readonly params: Readonly<Record<string, string>> }) {
  return (
    <>
      <Steps list={id} at={1} />
      <Loaded<Ways> path={`/lists/${id}/ways`}>{(ways) => <DoShown list={id} ways={ways} />}</Loaded>
    </>
  );
}

type Vendor = OperationView['vendor'];

function DoShown({ list, ways }: { readonly list: string; readonly ways: Ways }) {
  const action = useAction();
  const accounts = useSignal<Readonly<Partial<Record<Vendor, string>>>>({});
  const accountOf = (vendor: Vendor): string | undefined =>
    accounts.value[vendor] ?? usualAccount(ways, vendor)?.name;
  const choose = (choices: Choices): void =>
    action.run(async () => {
      await ask(`/lists/${list}/draft`, { method: 'PUT', body: choices });
      go(`/lists/${list}/columns`);
    });
  const card = (operation: OperationView) => (
    <Card
      key={operation.name}
      operation={operation}
      ways={ways}
      account={accountOf(operation.vendor)}
      isChosen={isChosen(ways, operation)}
      onAccount={(name) => (accounts.value = { ...accounts.value, [operation.vendor]: name })}
      onChoose={() => {
        const account = accountOf(operation.vendor);
        choose({
          ...(isChosen(ways, operation) ? ways.choices : {}),
          what: { operation: operation.name },
          ...(account === undefined ? {} : { account }),
        });
      }}
    />
  );
  const ordered = byFit(ways);
  return (
    <>
      <div class="title">
        <h1>{todo.title}</h1>
        <Cut look="muted" text={`${counted(ways.facts.rows, 'row')} of ${ways.name}`} />
      </div>
      <RefusedNotice refused={action.refused.value} />
      <ul class="cards tiles">{ordered.filter(({ name }) => MAIN.includes(name)).map(card)}</ul>
      <details class="stack">
        <summary>{todo.more}</summary>
        <ul class="cards tiles">{ordered.filter(({ name }) => MORE.includes(name)).map(card)}</ul>
      </details>
    </>
  );
}

const PAIRED = 'enrich-company,enrich-person';

/** What people come for; the single steps of a team are behind it. An API call needs a job file. */
const MAIN: readonly string[] = [PAIRED, 'enrich-company', 'enrich-person', 'search-people', 'onboard'];
const MORE: readonly string[] = [
  'invite-user',
  'change-role',
  'remove-user',
  'delete-invite',
  'create-project',
];

function factsFor(ways: Ways, { name }: OperationView): Ways['facts']['operations'][number] | undefined {
  return ways.facts.operations.find(({ operation }) => operation === name);
}

/**
 * Operations that surely fit come first, then those that may fit, then the rest in a fixed order. Two lookups
 * in one go are offered only where the list has the identifiers of both.
 */
function byFit(ways: Ways): readonly OperationView[] {
  const rank = (operation: OperationView): number => {
    const fit = factsFor(ways, operation);
    if (fit?.problem === null) return 0;
    return fit !== undefined && fit.likely.length > 0 ? 1 : 2;
  };
  const usual = (name: string): number => [...MAIN, ...MORE].indexOf(name);
  const offered = ways.operations.filter((each) => each.name !== PAIRED || rank(each) === 0);
  return offered.sort((a, b) => rank(a) - rank(b) || usual(a.name) - usual(b.name));
}

function isChosen({ choices }: Ways, { name }: OperationView): boolean {
  return choices?.what.operation === name;
}

/**
 * The account that was chosen before, else the first of the user's own. A sandbox account comes only where
 * there is no other.
 */
function usualAccount({ accounts, choices }: Ways, vendor: Vendor): AccountChoice | undefined {
  const fitting = accounts.filter((each) => each.vendor === vendor);
  return fitting.find(({ name }) => name === choices?.account) ?? fitting[0];
}

interface CardProps {
  readonly operation: OperationView;
  readonly ways: Ways;
  readonly account: string | undefined;
  readonly isChosen: boolean;
  readonly onAccount: (name: string) => void;
  readonly onChoose: () => void;
}

function Card({ operation, ways, account, isChosen, onAccount, onChoose }: CardProps) {
  const title = wordOf(todo.operations, operation.name);
  const accounts = ways.accounts.filter(({ vendor }) => vendor === operation.vendor);
  const chosen = accounts.find(({ name }) => name === account);
  return (
    <li class={isChosen ? 'card stack chosen' : 'card stack'}>
      <h2>{title}</h2>
      <p class="muted">{operation.summary}</p>
      <p>
        <FitTag fit={factsFor(ways, operation)} />
      </p>
      <div class="actions end">
        <label class="field">
          <small>
            {todo.account} {chosen?.sandbox === true && <PlayMoney />}
          </small>
          <select value={account} onChange={(event) => onAccount(event.currentTarget.value)}>
            <Options of={accounts.map(({ name, region }) => [name, region ? `${name} (${region})` : name])} />
          </select>
        </label>
        <Button class="primary" onClick={onChoose} aria-label={`${title}: ${todo.go}`} says={todo.go} />
      </div>
    </li>
  );
}

function FitTag({ fit }: { readonly fit: ReturnType<typeof factsFor> }) {
  if (fit?.problem === null) {
    const columns = Object.values(fit.columns).join(', ');
    return (
      <span class="tag good cut" title={columns}>
        {todo.fits} {columns}
      </span>
    );
  }
  const [likely] = fit?.likely ?? [];
  if (likely === undefined) return <span class="tag">{todo.unfit}</span>;
  return (
    <span class="tag warn cut" title={likely.because}>
      {todo.mayFit} {likely.column}
    </span>
  );
}
