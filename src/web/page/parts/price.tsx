import { priceOf, SIGNS } from '../../../core/money.ts';
import type { AccountObject } from '../../api.ts';
import { ask } from '../session.ts';
import { Field, Label, Options } from './controls.tsx';
import { Form } from './form.tsx';

interface PricesProps {
  readonly of: readonly Pick<AccountObject, 'name' | 'price'>[];
  readonly onSaved: () => void;
}

/** What a credit of each account costs, as `accounts add --price` keeps it: every sum in money is made of that. */
export function Prices({ of: accounts, onSaved }: PricesProps) {
  const save = async (typed: Record<string, unknown>): Promise<void> => {
    for (const { name, price } of accounts) {
      const [amount, currency] = [typed[name], typed[`currency of ${name}`]];
      const newPrice = `${amount} ${currency}`;
      if (amount !== undefined && newPrice !== price)
        await ask('/accounts/add', { body: { name, price: newPrice } });
    }
    onSaved();
  };
  return (
    <Form says="Save the price" sends={save}>
      <p>Also what was bought before is shown at this price.</p>
      {accounts.map(({ name, price }) => {
        const { amount, currency = 'AUD' } = priceOf(price ?? '') ?? {};
        return (
          <div key={name} class="pair">
            <Field
              says={accounts.length > 1 ? `A credit of ${name} costs` : 'A credit costs'}
              name={name}
              type="number"
              min={0}
              step="any"
              defaultValue={amount ?? ''}
            />
            <Label says="Currency">
              <select name={`currency of ${name}`} aria-label={`Currency of ${name}`} defaultValue={currency}>
                <Options of={[...new Set([currency, ...Object.keys(SIGNS)])]} />
              </select>
            </Label>
          </div>
        );
      })}
    </Form>
  );
}
