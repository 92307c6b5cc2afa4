import { useRef } from 'preact/hooks';
import { Button, Checkbox, Options, Select } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import { AskedBy } from './asked-by.tsx';
import {
  type Accounts,
  accountWords,
  canDo,
  isFill,
  type Step,
  stepsOf,
  stepWith,
  type Verdict,
  withSteps,
} from './choice.ts';
import { Fills, filling } from './fills.tsx';
import type { Scene } from './scene.ts';

const ABOUT: Readonly<Record<string, string>> = {
  'enrich-company': 'Companies',
  'enrich-person': 'People',
  'find-email': 'E-mail addresses',
  'find-phone': 'Phone numbers',
};

interface StepsProps {
  readonly scene: Scene;
  readonly accounts: Accounts;
}

/** With which accounts each thing is looked for, and in which order they are asked. */
export function Steps({ scene, accounts }: StepsProps) {
  const { job } = scene;
  const steps = stepsOf(job);
  const choose = (next: readonly Step[]): void => scene.choose(withSteps(job, next));
  const left = Object.keys(ABOUT).filter((name) => !steps.some(({ operation }) => operation === name));
  return (
    <>
      {steps.map((step, at) => (
        <StepChoice
          key={step.operation}
          {...{ step, accounts, scene }}
          isNamed={isFill(job) || steps.length > 1}
          onChosen={(next) => choose(steps.toSpliced(at, 1, next))}
          onRemoved={isFill(job) && steps.length > 1 ? () => choose(steps.toSpliced(at, 1)) : undefined}
        />
      ))}
      {isFill(job) && left.length > 0 && (
        <AddOne
          says="+ fill something else"
          options={left.map((name) => [name, ABOUT[name] ?? name])}
          onChosen={(operation) => choose([...steps, filling(scene, stepWith(accounts, operation, steps))])}
        />
      )}
    </>
  );
}

interface StepChoiceProps extends StepsProps {
  readonly step: Step;
  readonly isNamed: boolean;
  readonly onChosen: (step: Step) => void;
  readonly onRemoved: (() => void) | undefined;
}

function StepChoice({ step, accounts, scene, isNamed, onChosen, onRemoved }: StepChoiceProps) {
  const { operation } = step;
  const first = accounts.find(({ name }) => name === step.accounts[0]);
  // Play money and real money are never spent by one list.
  const alike = accounts.filter(({ sandbox }) => first === undefined || sandbox === first.sandbox);
  return (
    <section>
      {isNamed && (
        <h3 class="row">
          {ABOUT[operation] ?? operation}
          {step.accounts.length > 1 ? ', in this order' : ''}
          {onRemoved && (
            <Button look="link" says="×" aria-label={`Leave out ${ABOUT[operation]}`} onClick={onRemoved} />
          )}
        </h3>
      )}
      {isFill(scene.job) && <Fills {...{ step, scene, onChosen }} />}
      <Vendors {...{ step, accounts, alike, scene, onChosen }} />
      {operation === 'find-email' && <CheckedBy {...{ step, alike, onChosen }} />}
      <AskedBy scene={scene} operation={operation} />
    </section>
  );
}

interface VendorsProps extends Omit<StepChoiceProps, 'isNamed' | 'onRemoved'> {
  readonly alike: Accounts;
}

/** One account is chosen in a list; several are in an order. */
function Vendors({ step, accounts, alike, scene, onChosen }: VendorsProps) {
  const { operation, accounts: names } = step;
  const able = accounts.filter((account) => canDo(account, operation));
  const left = able.filter((account) => alike.includes(account) && !names.includes(account.name));
  return (
    <>
      {names.length > 1 ? (
        <Ordered {...{ step, accounts, scene, onChosen }} />
      ) : (
        <Select
          name="with"
          value={names[0] ?? ''}
          options={[...(names.length === 0 ? [['', 'nobody yet'] as const] : []), ...named(able)]}
          onChosen={(name) => onChosen({ ...step, accounts: [name], check: undefined })}
        />
      )}
      {names.length > 0 && left.length > 0 ? (
        <AddOne
          says="+ add a vendor"
          options={named(left)}
          onChosen={(name) => onChosen({ ...step, accounts: [...names, name] })}
        />
      ) : (
        <p>
          <a href="/accounts">Add an account</a>
        </p>
      )}
    </>
  );
}

const named = (accounts: Accounts): readonly [string, string][] =>
  accounts.map((account) => [account.name, accountWords(account)]);

interface AddOneProps {
  readonly says: string;
  readonly options: readonly (readonly [string, string])[];
  readonly onChosen: (value: string) => void;
}

/** A list that adds what is chosen, and then says again what it is for. */
function AddOne({ says, options, onChosen }: AddOneProps) {
  return (
    <select
      class="pill"
      aria-label={says}
      value=""
      onChange={({ currentTarget }) => {
        onChosen(currentTarget.value);
        currentTarget.value = '';
      }}
    >
      <Options of={[['', says], ...options]} />
    </select>
  );
}

const MOVES = [
  { says: '↑', by: -1, when: 'earlier' },
  { says: '↓', by: 1, when: 'later' },
];

/** Accounts that are moved by their buttons, or by hand. */
function Ordered({ step, accounts, scene, onChosen }: Omit<VendorsProps, 'alike'>) {
  const taken = useRef<number | undefined>(undefined);
  const { operation, accounts: names } = step;
  const order = (ordered: readonly string[]): void => onChosen({ ...step, accounts: ordered });
  const move = (from: number, to: number): void => {
    const name = names[from];
    if (name !== undefined) order(names.toSpliced(from, 1).toSpliced(to, 0, name));
  };
  return (
    <ol class="steps">
      {names.map((name, at) => {
        const account = accounts.find((each) => each.name === name);
        const words = account === undefined ? name : accountWords(account);
        return (
          <li
            key={name}
            class="row"
            draggable
            onDragStart={() => {
              taken.current = at;
            }}
            onDragOver={(event) => event.preventDefault()}
            onDrop={() => taken.current !== undefined && move(taken.current, at)}
          >
            <span>
              {words}
              <small>{priceOf(scene, operation, name)}</small>
            </span>
            {MOVES.map(({ says, by, when }) => (
              <Button
                key={says}
                look="link"
                says={says}
                aria-label={`Ask ${words} ${when}`}
                disabled={names[at + by] === undefined}
                onClick={() => move(at, at + by)}
              />
            ))}
            <Button
              look="link"
              says="×"
              aria-label={`Do not ask ${words}`}
              onClick={() => order(names.toSpliced(at, 1))}
            />
          </li>
        );
      })}
    </ol>
  );
}

/** What an account costs at most, as the plan says; blank while it is made. */
function priceOf({ planned }: Scene, operation: string, account: string): string {
  const step = planned.value?.steps?.find((each) => each.operation === operation && each.account === account);
  if (step === undefined) return '';
  return `${grouped(step.most)} at most${step.charges_misses ? ', a miss is paid' : ''}`;
}

const VERDICTS: readonly (readonly [Verdict, string])[] = [
  ['valid', 'valid'],
  ['accept_all', 'accept-all'],
  ['unknown', 'not known'],
];

interface CheckedByProps {
  readonly step: Step;
  readonly alike: Accounts;
  readonly onChosen: (step: Step) => void;
}

/** Who checks each found address, and which answers count. */
function CheckedBy({ step, alike, onChosen }: CheckedByProps) {
  const able = alike.filter((account) => canDo(account, 'check-email'));
  const { check } = step;
  if (able.length === 0) return null;
  const accepted = check?.accept ?? ['valid'];
  const accept = (verdict: Verdict, isOn: boolean): void => {
    const next = isOn ? [...accepted, verdict] : accepted.filter((each) => each !== verdict);
    if (check !== undefined && next.length > 0) onChosen({ ...step, check: { ...check, accept: next } });
  };
  return (
    <>
      <Select
        name="Checked by"
        value={check?.account ?? ''}
        options={[['', 'nobody'], ...named(able)]}
        onChosen={(account) =>
          onChosen({ ...step, check: account === '' ? undefined : { account, accept: accepted } })
        }
      />
      {check && (
        <p class="row">
          Counts:
          {VERDICTS.map(([verdict, says]) => (
            <Checkbox
              key={verdict}
              says={says}
              checked={accepted.includes(verdict)}
              onCheck={(isOn) => accept(verdict, isOn)}
            />
          ))}
        </p>
      )}
    </>
  );
}
