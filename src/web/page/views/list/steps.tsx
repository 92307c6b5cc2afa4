import { Button, Checkbox, Select } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import { late } from '../../parts/late.tsx';
import { AskedBy } from './asked-by.tsx';
import {
  type Accounts,
  canDo,
  isFill,
  named,
  type Step,
  stepsOf,
  type Verdict,
  withSteps,
} from './choice.ts';
import { Fills, filling } from './fills.tsx';
import { AddOne, type Item, Ordered } from './ordered.tsx';
import type { Scene } from './scene.ts';

const Team = late(async () => (await import('./team.tsx')).Team);

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
      {isFill(job) && (
        <AddOne
          says="+ fill something else"
          options={left.map((name) => [name, ABOUT[name] ?? name])}
          onChosen={(operation) => scene.choose(filling(scene, accounts, operation))}
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
      {operation === 'onboard' && <Team scene={scene} />}
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
  // A team is in one service.
  const others = operation === 'onboard' ? [] : alike;
  const left = able.filter((account) => others.includes(account) && !names.includes(account.name));
  const items = names.map((name): Item => {
    const says = named(accounts.filter((each) => each.name === name))[0]?.[1] ?? name;
    return { key: name, says, more: priceOf(scene, operation, name) };
  });
  return (
    <>
      {names.length > 1 ? (
        <Ordered verb="Ask" items={items} onOrdered={(ordered) => onChosen({ ...step, accounts: ordered })} />
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
