import { useSignal } from '@preact/signals';
import type { VendorObject } from '../../../api.ts';
import { RefusedNotice } from '../../loaded.tsx';
import { useAction } from '../../parts/action.ts';
import { Button, Field, Select, typedIn } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import { ask } from '../../session.ts';
import { whatWords } from '../list/words.ts';

interface AddProps {
  readonly vendors: readonly VendorObject[];
  readonly regions: readonly { readonly region: string }[];
  onChanged(): void;
}

export function AddAccount(props: AddProps) {
  const isOpen = useSignal(false);
  const onChanged = (): void => {
    isOpen.value = false;
    props.onChanged();
  };
  return (
    <section class="card" aria-label="Add an account">
      <h2>Add an account</h2>
      <p class="soft">
        {grouped(props.vendors.length)} vendors are known by name; any other needs its web address.
      </p>
      {isOpen.value ? (
        <NewAccount {...props} onChanged={onChanged} />
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

/** The key is sent once, in the body, and is in no field afterwards. */
function NewAccount({ vendors, regions, onChanged }: AddProps) {
  const action = useAction();
  const word = useSignal('');
  const kind = useSignal<string>('provider');
  const region = useSignal('');
  const chosen = vendors.find((each) => each.word === word.value);
  const save = (event: SubmitEvent): void => {
    const { budget_per_month: most, ...fields } = typedIn(event);
    const body = {
      ...fields,
      vendor: chosen === undefined ? kind.value : 'provider',
      ...(chosen && { dialect: chosen.word }),
      ...(region.value === '' ? {} : { region: region.value }),
      ...(most === undefined ? {} : { budget_per_month: Number(most) }),
    };
    action.run(async () => {
      await ask('/accounts/add', { body });
      onChanged();
    });
  };
  return (
    <form onSubmit={save} autocomplete="off">
      <Select
        name="Vendor"
        value={word.value}
        options={[['', 'Another one'], ...vendors.map((each) => [each.word, nameOf(each)] as const)]}
        onChosen={(next) => (word.value = next)}
      />
      {chosen === undefined && (
        <Select
          name="What it does"
          value={kind.value}
          options={KINDS}
          onChosen={(next) => (kind.value = next)}
        />
      )}
      {chosen === undefined && kind.value === 'service' && regions.length > 0 && (
        <Select
          name="Region"
          value={region.value}
          options={[['', 'none: it has an address'], ...regions.map((each) => each.region)]}
          onChosen={(next) => (region.value = next)}
        />
      )}
      <Fields key={word.value} chosen={chosen} needsAddress={region.value === ''} />
      <p class="row">
        <Button type="submit" look="go" disabled={action.isBusy.value} says="Add it" />
      </p>
      <RefusedNotice refused={action.refused.value} />
    </form>
  );
}

const nameOf = ({ name, operations }: VendorObject): string =>
  `${name}: ${operations.map(whatWords).join(', ')}`;

interface FieldsProps {
  readonly chosen: VendorObject | undefined;
  readonly needsAddress: boolean;
}

function Fields({ chosen, needsAddress }: FieldsProps) {
  return (
    <>
      <Field says="Your name for it" name="name" defaultValue={chosen?.word ?? ''} required />
      {needsAddress && (
        <Field
          says="Web address"
          name="base_url"
          type="url"
          defaultValue={chosen?.address ?? ''}
          placeholder="https://api.example.com"
          pattern="https://.+"
          title="It begins with https://"
          required
        />
      )}
      <Field
        says="Key"
        name="key"
        type="password"
        autocomplete="new-password"
        required
        hint="As the vendor gave it to you. It is kept on this machine, and never shown."
      />
      <Field says="What a credit costs" name="price" placeholder="0.40 AUD" />
      <Field says="Never more than, in credits a month" name="budget_per_month" type="number" min="0" />
    </>
  );
}
