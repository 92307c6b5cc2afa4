import { useSignal } from '@preact/signals';
import { priceOf } from '../../../core/money.ts';
import { Bar } from '../../../files/output/report/table.ts';
import { whatWords } from '../../../files/output/summary-words.ts';
import type { AccountObject, SpendObject, VendorObject } from '../../api.ts';
import { forPage, Loaded } from '../loaded.tsx';
import { Act } from '../parts/act.tsx';
import { counted, creditWords, money, spentWords } from '../parts/figures.ts';
import { Popover } from '../parts/popover.tsx';
import { ask } from '../session.ts';
import { AddAccount } from './accounts/add.tsx';
import { NewKey, TestAccount } from './accounts/key.tsx';
import { OneTry, triable } from './accounts/try.tsx';

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
      <header>
        <h1>Accounts</h1>
      </header>
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
                  <details>
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
  const remove = async (): Promise<void> => {
    await ask('/accounts/remove', { body: { name } });
    onChanged();
  };
  return (
    <section aria-label={name}>
      <h2>{name}</h2>
      <p>
        {abilitiesOf(account)}
        {address !== null && <span class="soft"> · {new URL(address).host}</span>}
      </p>
      <Used account={account} spend={spend} />
      <p class="soft">{termsOf(account)}</p>
      {problem !== null && <p class="need">{forPage(problem.message) || 'It cannot be used as it is.'}</p>}
      <div class="row">
        {!sandbox && <TestAccount name={name} />}
        {triable(account).length > 0 && (
          <Popover name={`Try ${name}`} says="Try one…">
            {() => <OneTry account={account} onTried={onChanged} />}
          </Popover>
        )}
        {!sandbox && (
          <>
            <Popover name={`The key of ${name}`} says="Change the key">
              {(close) => <NewKey name={name} says="Save the key" onSaved={close} />}
            </Popover>
            <Act
              look="link"
              aria-label={`Remove ${name}`}
              says="Remove"
              asks={`Remove the account ${name}, with its key? What it has found stays.`}
              does={remove}
            />
          </>
        )}
      </div>
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
  const group = spend.groups.find((each) => each.name === name && each.sandbox === sandbox);
  const used = group ?? { spent: 0, exact: true };
  const most = budget.per_month;
  if (most === null) return <p>{creditWords(used)} this month</p>;
  return (
    <>
      <p>
        {spentWords(used)} of {counted(most, 'credit')} this month
      </p>
      <Bar part={used.spent} all={most} />
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
