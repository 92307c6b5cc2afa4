import { type Signal, useSignal } from '@preact/signals';
import type { VendorObject } from '../../../api.ts';
import { Form } from '../../parts/act.tsx';
import { Button, Field, Select } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import { ask } from '../../session.ts';
import { whatWords } from '../list/words.ts';

interface AddProps {
  readonly vendors: readonly VendorObject[];
  readonly regions: readonly { readonly region: string }[];
  onChanged(): void;
}

export function AddAccount({ onChanged, ...known }: AddProps) {
  const isOpen = useSignal(false);
  const onAdded = (): void => {
    isOpen.value = false;
    onChanged();
  };
  return (
    <section class="card" aria-label="Add an account">
      <h2>Add an account</h2>
      <p class="soft">
        {grouped(known.vendors.length)} vendors are known by name; any other needs its web address.
      </p>
      {isOpen.value ? (
        <NewAccount {...known} onChanged={onAdded} />
      ) : (
        <Button look="go" onClick={() => (isOpen.value = true)} says="Choose a vendor" />
      )}
    </section>
  );
}

const KINDS = [
  ['provider', 'finds companies or people'],
  ['service', 'has projects and people'],
] as const;

const ADDRESS = {
  says: 'Web address',
  name: 'base_url',
  type: 'url',
  placeholder: 'https://api.example.com',
  pattern: 'https://.+',
  title: 'It begins with https://',
  required: true,
} as const;

const KEY = {
  says: 'Key',
  name: 'key',
  type: 'password',
  autocomplete: 'new-password',
  required: true,
  hint: 'As the vendor gave it to you. It is kept on this machine, and never shown.',
} as const;

const MOST = {
  says: 'Never more than, in credits a month',
  name: 'budget_per_month',
  type: 'number',
  min: 0,
} as const;

/** The key is sent once, in the body, and is in no field afterwards. */
function NewAccount({ vendors, regions, onChanged }: AddProps) {
  const word = useSignal('');
  const kind = useSignal<string>('provider');
  const region = useSignal('');
  const chosen = vendors.find((each) => each.word === word.value);
  const isService = chosen === undefined && kind.value === 'service';
  const add = async ({ budget_per_month: most, ...fields }: Record<string, unknown>): Promise<void> => {
    const body = {
      ...fields,
      vendor: isService ? 'service' : 'provider',
      ...(chosen && { dialect: chosen.word }),
      ...(isService && region.value !== '' && { region: region.value }),
      ...(most !== undefined && { budget_per_month: Number(most) }),
    };
    await ask('/accounts/add', { body });
    onChanged();
  };
  const select = (name: string, of: Signal<string>, options: Parameters<typeof Select>[0]['options']) => (
    <Select name={name} value={of.value} options={options} onChosen={(next) => (of.value = next)} />
  );
  const byName = vendors.map(({ word: each, name, operations }) => {
    return [each, `${name}: ${operations.map(whatWords).join(', ')}`] as const;
  });
  const inRegions = regions.map((each) => each.region);
  return (
    <Form says="Add it" sends={add}>
      {select('Vendor', word, [['', 'Another one'], ...byName])}
      {chosen === undefined && select('What it does', kind, KINDS)}
      {isService &&
        regions.length > 0 &&
        select('Region', region, [['', 'none: it has an address'], ...inRegions])}
      <div key={word.value}>
        <Field says="Your name for it" name="name" defaultValue={chosen?.word ?? ''} required />
        {(!isService || region.value === '') && <Field {...ADDRESS} defaultValue={chosen?.address ?? ''} />}
        <Field {...KEY} />
        <Field says="What a credit costs" name="price" placeholder="0.40 AUD" />
        <Field {...MOST} />
      </div>
    </Form>
  );
}
