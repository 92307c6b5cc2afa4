import { type Signal, useSignal } from '@preact/signals';
import type { AccountList, AccountTest, PageAccount } from '../../api.ts';
import { Loaded, RefusedNotice } from '../loaded.tsx';
import { AccountForm } from '../parts/account-form.tsx';
import { useAction } from '../parts/action.ts';
import { Button } from '../parts/controls.tsx';
import { grouped, spentWords } from '../parts/figures.ts';
import { PlayMoney } from '../parts/tags.tsx';
import { ask } from '../session.ts';
import { text } from '../text.ts';

const words = text.accounts;

export function Accounts() {
  const list = useSignal<AccountList | undefined>(undefined);
  const isAdding = useSignal(false);
  return (
    <>
      <div class="title">
        <h1>{words.title}</h1>
        {!isAdding.value && (
          <Button class="primary" onClick={() => (isAdding.value = true)} says={words.add} />
        )}
      </div>
      <Loaded<AccountList> path="/accounts">
        {(loaded) => <AccountsShown loaded={loaded} list={list} isAdding={isAdding} />}
      </Loaded>
    </>
  );
}

interface AccountsProps {
  readonly loaded: AccountList;
  /** Newer than what was loaded, once something was changed. */
  readonly list: Signal<AccountList | undefined>;
  readonly isAdding: Signal<boolean>;
}

function AccountsShown({ loaded, list, isAdding }: AccountsProps) {
  const { accounts, regions } = list.value ?? loaded;
  const own = accounts.filter(({ sandbox }) => !sandbox);
  const keep = (changed: AccountList): void => {
    list.value = changed;
  };
  return (
    <>
      {isAdding.value && (
        <section class="card" aria-label={words.add}>
          <AccountForm
            regions={regions}
            onSaved={(changed) => {
              keep(changed);
              isAdding.value = false;
            }}
            onLeft={() => (isAdding.value = false)}
          />
        </section>
      )}
      {own.length === 0 && !isAdding.value && (
        <section class="empty">
          <h2>{words.none}</h2>
          <p>{words.noneWhat}</p>
        </section>
      )}
      <ul class="cards tiles">
        {accounts.map((account) => (
          <AccountCard key={account.name} account={account} onChanged={keep} />
        ))}
      </ul>
      <p class="muted">{words.inFile}</p>
    </>
  );
}

interface AccountCardProps {
  readonly account: PageAccount;
  onChanged(list: AccountList): void;
}

function AccountCard({ account, onChanged }: AccountCardProps) {
  const { name, vendor, region, sandbox, problem } = account;
  const tested = useSignal<AccountTest | undefined>(undefined);
  const action = useAction();
  const path = `/accounts/${encodeURIComponent(name)}`;
  const test = (): void =>
    action.run(async () => {
      tested.value = undefined;
      tested.value = await ask<AccountTest>(`${path}/test`, { method: 'POST' });
    });
  const remove = (): void =>
    action.run(async () => onChanged(await ask<AccountList>(path, { method: 'DELETE' })));
  return (
    <li class="card stack">
      <div class="title">
        <h2 class="cut" title={name}>
          {name}
        </h2>
        <div class="actions">
          <span class="tag">{words.vendors[vendor]}</span>
          {region !== null && <span class="tag">{region}</span>}
          {sandbox && <PlayMoney />}
        </div>
      </div>
      <Facts account={account} />
      <Spent account={account} />
      {problem !== null && (
        <div class="notice">
          <strong>{problem.message}.</strong> {problem.next}
        </div>
      )}
      <div aria-live="polite">
        <RefusedNotice refused={action.refused.value} />
        {tested.value !== undefined && <TestResult found={tested.value} />}
      </div>
      <div class="actions">
        <Button
          disabled={action.isBusy.value}
          onClick={test}
          says={action.isBusy.value && tested.value === undefined ? words.testing : words.test}
        />
        {!sandbox && (
          <Button
            class="plain"
            onClick={() => confirm(words.removeSure(name)) && remove()}
            says={words.remove}
          />
        )}
      </div>
    </li>
  );
}

function Facts({ account }: { readonly account: PageAccount }) {
  const { address, organization, project, via, dialect, key, limits, sandbox } = account;
  const windows = (['per_second', 'per_minute', 'per_hour', 'per_day'] as const).flatMap((name) => {
    const requests = limits[name] ?? null;
    return requests === null ? [] : [words.limits[name](grouped(requests))];
  });
  const rows: readonly (readonly [string, string | null])[] = [
    [words.address, sandbox ? words.here : address],
    [words.organization, organization],
    [words.project, project],
    [words.via, via],
    [words.dialect, dialect],
    [words.key, key],
    [words.limit, [...windows, words.atOnce(grouped(limits.concurrency ?? 0))].join(', ')],
  ];
  return (
    <dl class="facts">
      {rows.map(
        ([name, value]) =>
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd title={value}>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function Spent({ account: { today, month, budget } }: { readonly account: PageAccount }) {
  const rows = [
    [words.today, today, budget.per_day ?? null],
    [words.thisMonth, month, budget.per_month ?? null],
  ] as const;
  return (
    <dl class="spent">
      {rows.map(([name, { spent, exact, in_doubt: doubt }, most]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <strong>{spentWords({ spent, exact })}</strong>{' '}
            {most === null ? words.credits : words.of(grouped(most))}{' '}
            {doubt > 0 && <span class="tag warn">{words.inDoubt(grouped(doubt))}</span>}
            {most !== null && (
              <progress max={Math.max(most, 1)} value={Math.min(spent + doubt, most)} aria-label={name} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function TestResult({ found }: { readonly found: AccountTest }) {
  const who = [found.user?.user_id, found.user?.email].filter((each) => each != null).join(', ');
  const lines =
    found.sandbox === true
      ? [words.tested.sandbox]
      : [
          ...(found.key === undefined ? [] : [words.tested.key]),
          ...(found.resolves_to === undefined ? [] : [words.tested.connects]),
          found.key_tried === true ? words.tested.works(who) : words.tested.untried,
        ];
  return (
    <ul class="card plain-list">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
