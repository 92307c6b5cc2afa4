import { useSignal } from '@preact/signals';
import { whatWords } from '../../../../files/output/summary-words.ts';
import type { AccountObject, VendorObject } from '../../../api.ts';
import { Choice, Field } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import { Form } from '../../parts/form.tsx';
import { testedAs } from '../../parts/vendor.tsx';
import { ask, query } from '../../session.ts';

export interface Known {
  readonly accounts: readonly AccountObject[];
  readonly regions: readonly { readonly region: string }[];
  readonly vendors: readonly VendorObject[];
}

/** What can be added: a vendor that is known by its name, a region of the service, or any other by its address. */
interface Vendor {
  readonly word: string;
  readonly name: string;
  /** What it finds or changes. */
  readonly does: string;
  /** Other words by which it is searched. */
  readonly also?: string;
  readonly isThere: boolean;
  readonly address: string | undefined;
  /** How the account says whose it is. */
  readonly entries: Readonly<Record<string, string>>;
}

function vendorsOf({ accounts, vendors, regions }: Known): readonly Vendor[] {
  const realAccounts = accounts.filter(({ sandbox }) => !sandbox);
  const named = vendors.map(({ word, name, operations, address }): Vendor => {
    const isThere = realAccounts.some(({ title }) => title === name);
    const does = operations.map(whatWords).join(', ');
    const entries = { vendor: 'provider', dialect: word };
    return { word, name, does, isThere, address: address ?? '', entries };
  });
  const services = regions.map(({ region }): Vendor => {
    const isThere = realAccounts.some((account) => account.region === region);
    const entries = { vendor: 'service', region };
    return {
      word: region.toLowerCase(),
      name: `Projects and people in ${region}`,
      does: 'invites, roles, removals',
      also: OF_TEAMS,
      isThere,
      address: undefined,
      entries,
    };
  });
  return [...services, ...named, ...OTHERS];
}

/** What an administrator calls a service with her teams. */
const OF_TEAMS = 'team members users onboarding governance access';

const OTHERS: readonly Vendor[] = [
  {
    word: 'data',
    name: 'Another vendor, by its address',
    does: 'companies, people',
    isThere: false,
    address: '',
    entries: { vendor: 'provider' },
  },
  {
    word: 'team',
    name: 'Another service, by its address',
    does: 'invites, roles, removals',
    also: OF_TEAMS,
    isThere: false,
    address: '',
    entries: { vendor: 'service' },
  },
];

/** A vendor is searched by its name or by what it finds; then its key is enough. */
export function AddAccount(known: Known) {
  // A list that needs an account leads here with what it needs.
  const searched = useSignal(query.value.get('for') ?? '');
  const word = useSignal<string | undefined>(undefined);
  const vendors = vendorsOf(known);
  const words = searched.value.toLowerCase().split(/\s+/);
  const shown = vendors.filter(({ name, does, also = '' }) =>
    words.every((each) => `${name} ${does} ${also}`.toLowerCase().includes(each)),
  );
  const chosen =
    shown.find((each) => each.word === word.value) ?? (shown.length === 1 ? shown[0] : undefined);
  return (
    <section class="paper pad stack" aria-label="Add an account">
      <h2>Add an account</h2>
      <input
        type="search"
        placeholder={`Search ${grouped(known.vendors.length)} vendors`}
        aria-label="Search vendors"
        value={searched.value}
        onInput={({ currentTarget }) => (searched.value = currentTarget.value)}
      />
      <fieldset class="paper vendors" aria-label="Vendors">
        {shown.map((vendor) => (
          <Choice
            key={vendor.word}
            group="vendor"
            says={vendor.name}
            more={vendor.isThere ? 'have it' : vendor.does}
            checked={vendor === chosen}
            onChosen={() => (word.value = vendor.word)}
          />
        ))}
        {shown.length === 0 && <p class="soft">No vendor has that name. Any other is tried with two rows.</p>}
      </fieldset>
      <a href="/accounts/try">Another vendor: try it with two rows</a>
      {chosen && <NewAccount key={chosen.word} vendor={chosen} {...known} />}
    </section>
  );
}

/** The key is sent once, in the body, and then leaves its field with the whole form. */
function NewAccount({ vendor, accounts }: Known & { readonly vendor: Vendor }) {
  const message = useSignal('');
  const times = useSignal(0);
  // A change of a team costs no credits.
  const isService = vendor.entries.vendor === 'service';
  const add = async ({ budget_per_month: most, ...fields }: Record<string, unknown>): Promise<void> => {
    message.value = '';
    // What of the address is not typed is that of the region.
    const address = vendor.address === undefined ? {} : { base_url: vendor.address };
    const body = { ...vendor.entries, ...address, ...fields, budget_per_month: most && Number(most) };
    await ask('/accounts/add', { body });
    times.value += 1;
    message.value = `${vendor.name} was added. ${await testedAs(String(fields.name))}`;
  };
  const address = (
    <Field
      says="Web address"
      name="base_url"
      inputMode="url"
      placeholder="https://api.example.com"
      defaultValue={vendor.address}
      required
    />
  );
  return (
    <>
      <Form key={times.value} says="Add and test, free" sends={add}>
        {vendor.address === '' && address}
        <Field
          says="Key"
          name="key"
          type="password"
          autocomplete="new-password"
          placeholder="As the vendor gave it to you"
          required
        />
        <small>It is kept on this machine, and never shown.</small>
        {isService && (
          <Field says="Organization id, if projects are created" name="organization" placeholder="org-…" />
        )}
        <details open={vendor.address === ''}>
          <summary>{isService ? 'Name' : 'Name, price and limit'}</summary>
          <div class="stack">
            {vendor.address && address}
            <Field
              says="Your name for it"
              name="name"
              defaultValue={freeName(vendor.word, accounts)}
              required
            />
            {!isService && (
              <div class="pair">
                <Field says="What a credit costs" name="price" placeholder="0.40 AUD" />
                <Field says="Credits a month, at most" name="budget_per_month" type="number" min={0} />
              </div>
            )}
          </div>
        </details>
      </Form>
      <p role="status">{message.value}</p>
    </>
  );
}

/** `hunter`, or `hunter-2` beside the first one. */
function freeName(word: string, accounts: Known['accounts']): string {
  const isTaken = (name: string): boolean => accounts.some((account) => account.name === name);
  if (!isTaken(word)) return word;
  let number = 2;
  while (isTaken(`${word}-${number}`)) number += 1;
  return `${word}-${number}`;
}
