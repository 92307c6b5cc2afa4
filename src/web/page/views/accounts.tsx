import { useSignal } from '@preact/signals';
import { priceOf } from '../../../core/money.ts';
import { Bar } from '../../../files/output/report/table.ts';
import type { AccountObject, AccountTest, SpendObject, VendorObject } from '../../api.ts';
import { forPage, Loaded, RefusedNotice } from '../loaded.tsx';
import { useAction } from '../parts/action.ts';
import { Button, Field, typedIn } from '../parts/controls.tsx';
import { counted, grouped, money } from '../parts/figures.ts';
import { ask, look } from '../session.ts';
import { AddAccount } from './accounts/add.tsx';
import { OneTry, triable } from './accounts/try.tsx';
import { whatWords } from './list/words.ts';

interface AccountList {
  readonly accounts: readonly AccountObject[];
  readonly regions: readonly { readonly region: string }[];
  readonly vendors: readonly VendorObject[];
}

/** The accounts at vendors: what each can do, what was used of it, and its key, which is never shown. */
export function Accounts() {
  const changed = useSignal(0);
  const onChanged = (): void => {
    changed.value += 1;
  };
  return (
    <>
      <div class="title">
        <h1>Accounts</h1>
      </div>
      <Loaded<AccountList> path="/accounts/list" body={{}} again={changed.value}>
        {({ accounts, regions, vendors }) => (
          <Loaded<SpendObject> path="/spend" body={{ by: 'account' }} again={changed.value}>
            {(spend) => {
              const card = (account: AccountObject) => (
                <Card key={account.name} account={account} spend={spend} onChanged={onChanged} />
              );
              return (
                <>
                  <div class="two">
                    {accounts.filter(({ sandbox }) => !sandbox).map(card)}
                    <AddAccount vendors={vendors} regions={regions} onChanged={onChanged} />
                  </div>
                  <details class="sentence">
                    <summary>Play money: accounts that need no key and invent their answers</summary>
                    <div class="two">{accounts.filter(({ sandbox }) => sandbox).map(card)}</div>
                  </details>
                </>
              );
            }}
          </Loaded>
        )}
      </Loaded>
    </>
  );
}

interface CardProps {
  readonly account: AccountObject;
  readonly spend: SpendObject;
  onChanged(): void;
}

function Card({ account, spend, onChanged }: CardProps) {
  const { name, sandbox, address, problem } = account;
  const isOpen = useSignal<'key' | 'try' | undefined>(undefined);
  const tested = useSignal<AccountTest | undefined>(undefined);
  const action = useAction();
  const test = async (): Promise<void> => {
    tested.value = undefined;
    const { accounts } = await look<{ readonly accounts: readonly AccountTest[] }>('accounts/test', { name });
    tested.value = accounts[0];
  };
  const remove = (): void => {
    if (confirm(`Remove the account ${name}, with its key? What it has found stays.`))
      action.run(async () => {
        await ask('/accounts/remove', { body: { name } });
        onChanged();
      });
  };
  const toggle = (what: 'key' | 'try') => () => {
    isOpen.value = isOpen.value === what ? undefined : what;
  };
  return (
    <section class="card" aria-label={name}>
      <h2>{name}</h2>
      <p>
        {abilitiesOf(account)}
        {address !== null && <span class="soft"> · {new URL(address).host}</span>}
      </p>
      <Used account={account} spend={spend} />
      <p class="soft">{termsOf(account)}</p>
      {problem !== null && <p class="need">{forPage(problem.message) || 'It cannot be used as it is.'}</p>}
      <p class="row">
        {!sandbox && (
          <Button disabled={action.isBusy.value} onClick={() => action.run(test)} says="Test, free" />
        )}
        {triable(account).length > 0 && (
          <Button aria-expanded={isOpen.value === 'try'} onClick={toggle('try')} says="Try one…" />
        )}
        {!sandbox && (
          <>
            <Button aria-expanded={isOpen.value === 'key'} onClick={toggle('key')} says="Change the key" />
            <Button look="link" aria-label={`Remove ${name}`} onClick={remove} says="Remove" />
          </>
        )}
      </p>
      <p role="status">{tested.value && testedWords(tested.value)}</p>
      <RefusedNotice refused={action.refused.value} />
      {isOpen.value === 'key' && <NewKey name={name} onDone={toggle('key')} />}
      {isOpen.value === 'try' && <OneTry account={account} onTried={onChanged} />}
    </section>
  );
}

function abilitiesOf({ vendor, operations = [] }: AccountObject): string {
  if (vendor === 'service') return 'Projects and people: invites, roles, removals';
  const named = operations.filter((name) => !name.startsWith('api-call'));
  return `Finds ${named.map(whatWords).join(', ')}`;
}

function Used({ account, spend }: Pick<CardProps, 'account' | 'spend'>) {
  const { name, budget, sandbox, vendor } = account;
  if (vendor === 'service') return null;
  const used = spend.groups.find((group) => group.name === name && group.sandbox === sandbox)?.spent ?? 0;
  const most = budget.per_month;
  if (most === null) return <p>{counted(used, 'credit')} this month</p>;
  return (
    <>
      <p>
        {grouped(used)} of {counted(most, 'credit')} this month
      </p>
      <Bar part={used} all={most} />
    </>
  );
}

/** `A$0.40 a credit · misses are free`. */
function termsOf({ vendor, sandbox, price, charges_misses: charges }: AccountObject): string {
  if (vendor === 'service') return '';
  const misses = charges === undefined ? [] : [charges ? 'misses are paid' : 'misses are free'];
  const each = priceOf(price ?? '');
  return [...(each ? [`${money([each])} a credit`] : []), ...(sandbox ? [] : misses)].join(' · ');
}

function testedWords({ connects, key_tried: isTried, user, balance, booked }: AccountTest): string {
  const whose = user?.email ?? user?.user_id ?? undefined;
  return [
    connects === true ? 'It answers.' : '',
    isTried === true ? 'The key works.' : 'The key itself was not tried: the first request does that.',
    whose === undefined ? '' : `It belongs to ${whose}.`,
    balance === undefined ? '' : `${counted(balance, 'credit is', 'credits are')} left there.`,
    booked === undefined ? '' : `${counted(booked, 'credit was', 'credits were')} spent from here.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function NewKey({ name, onDone }: { readonly name: string; onDone(): void }) {
  const action = useAction();
  const save = (event: SubmitEvent): void => {
    const { key } = typedIn(event);
    action.run(async () => {
      await ask('/accounts/add', { body: { name, key } });
      onDone();
    });
  };
  return (
    <form onSubmit={save} autocomplete="off">
      <Field says="New key" name="key" type="password" autocomplete="new-password" required />
      <Button type="submit" look="go" disabled={action.isBusy.value} says="Save the key" />
      <RefusedNotice refused={action.refused.value} />
    </form>
  );
}
