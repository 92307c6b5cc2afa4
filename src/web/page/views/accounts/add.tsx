import { useSignal } from '@preact/signals';
import { whatWords } from '../../../../files/output/summary-words.ts';
import type { VendorObject } from '../../../api.ts';
import { Form } from '../../parts/act.tsx';
import { Field, Select } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import { Popover } from '../../parts/popover.tsx';
import { ask } from '../../session.ts';

interface AddProps {
  readonly vendors: readonly VendorObject[];
  readonly regions: readonly { readonly region: string }[];
  onChanged(): void;
}

export const AddAccount = ({ onChanged, ...known }: AddProps) => (
  <section aria-label="Add an account">
    <h2>Add an account</h2>
    <p class="soft">
      {grouped(known.vendors.length)} vendors are known by name; any other needs its web address.
    </p>
    <Popover name="A new account" says="Choose a vendor" look="go">
      {(close) => {
        const onAdded = (): void => {
          close();
          onChanged();
        };
        return <NewAccount {...known} onChanged={onAdded} />;
      }}
    </Popover>
  </section>
);

/** What is no vendor that is known by name. */
const OTHERS = [
  ['provider', 'Another one, which finds companies or people'],
  ['service', 'Another one, which has projects and people'],
] as const;

/** The key is sent once, in the body, and then leaves its field. */
function NewAccount({ vendors, regions, onChanged }: AddProps) {
  const word = useSignal<string>(OTHERS[0][0]);
  const chosen = vendors.find((each) => each.word === word.value);
  const region = regions.find((each) => each.region === word.value)?.region;
  const add = async ({ budget_per_month: most, ...fields }: Record<string, unknown>): Promise<void> => {
    const body = {
      ...fields,
      vendor: region !== undefined || word.value === 'service' ? 'service' : 'provider',
      dialect: chosen?.word,
      region,
      budget_per_month: most && Number(most),
    };
    await ask('/accounts/add', { body });
    onChanged();
  };
  const byName = vendors.map(({ word: each, name, operations }) => {
    return [each, `${name}: ${operations.map(whatWords).join(', ')}`] as const;
  });
  const byRegion = regions.map((each) => [each.region, `Projects and people in ${each.region}`] as const);
  return (
    <Form says="Add it" sends={add}>
      <Select
        name="Vendor"
        value={word.value}
        options={[...OTHERS, ...byRegion, ...byName]}
        onChosen={(next) => (word.value = next)}
      />
      <div key={word.value}>
        <Field says="Your name for it" name="name" defaultValue={chosen?.word ?? ''} required />
        {region === undefined && (
          <Field
            says="Web address"
            name="base_url"
            type="url"
            placeholder="https://api.example.com"
            pattern="https://.+"
            title="It begins with https://"
            defaultValue={chosen?.address ?? ''}
            required
          />
        )}
        <Field says="Key" name="key" type="password" autocomplete="new-password" required />
        <p class="soft">As the vendor gave it to you. It is kept on this machine, and never shown.</p>
        <Field says="What a credit costs" name="price" placeholder="0.40 AUD" />
        <Field says="Never more than, in credits a month" name="budget_per_month" type="number" min={0} />
      </div>
    </Form>
  );
}
