import { useSignal } from '@preact/signals';
import type { AccountTest } from '../../api.ts';
import { ask, asRefused, look as lookUp } from '../session.ts';
import { Act } from './asking.tsx';
import { Field, type Look } from './controls.tsx';
import { counted } from './figures.ts';
import { Form } from './form.tsx';

/** Asks the vendor something that is free. @returns what the account's key is worth. @throws Refused */
async function tested(name: string): Promise<string> {
  const { accounts } = await lookUp<{ readonly accounts: readonly AccountTest[] }>('accounts/test', { name });
  return accounts[0] === undefined ? '' : testedWords(accounts[0]);
}

/** The same, or why it cannot be said, of an account that is there either way. */
export const testedAs = (name: string): Promise<string> =>
  tested(name).catch((error: unknown) => {
    const { message, next } = asRefused(error);
    return `${message} ${next}`;
  });

export function TestAccount({ name, look }: { readonly name: string; readonly look?: Look }) {
  const testResult = useSignal('');
  const test = async (): Promise<void> => {
    testResult.value = '';
    testResult.value = await tested(name);
  };
  return (
    <>
      <Act says="Test, free" look={look} does={test} />
      <span role="status">{testResult.value}</span>
    </>
  );
}

function testedWords({ connects, key_tried: isTried, user, balance, booked }: AccountTest): string {
  const whose = user?.email ?? user?.user_id;
  return [
    connects === true ? 'It answers.' : '',
    isTried === true ? 'The key works.' : 'The key itself was not tried: the first request does that.',
    whose ? `It belongs to ${whose}.` : '',
    balance === undefined ? '' : `${counted(balance, 'credit is', 'credits are')} left there.`,
    booked === undefined ? '' : `${counted(booked, 'credit was', 'credits were')} spent from here.`,
  ].join(' ');
}

interface NewKeyProps {
  readonly name: string;
  readonly says: string;
  /** `line`: in one line, in a notice. */
  readonly look?: 'line' | undefined;
  readonly isBeside?: boolean;
  onSaved(): unknown;
}

/** The key is sent once, in the body, and then leaves its field. */
export function NewKey({ name, says, look, isBeside, onSaved }: NewKeyProps) {
  const change = ({ key }: Readonly<Record<string, unknown>>): Promise<unknown> =>
    ask('/accounts/add', { body: { name, key }, isLook: true }).then(onSaved);
  return (
    <Form says={says} look={look} isBeside={isBeside} sends={change}>
      <Field
        says="New key"
        inline={look === 'line'}
        name="key"
        type="password"
        autocomplete="new-password"
        required
      />
    </Form>
  );
}

export function parsedBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** In lines where it has parts, else as it came. */
export function rawAnswer(body: string): string {
  const value = parsedBody(body);
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}

export const ANSWERS: Readonly<Record<string, string>> = {
  found: 'found',
  no_match: 'nothing found',
  refused: 'refused',
  not_sent: 'it was not sent',
  paused: 'it had to wait, and was asked again',
  stopped: 'it was stopped',
  in_doubt: 'no readable answer came',
  accepted: 'taken, and answered later',
};
