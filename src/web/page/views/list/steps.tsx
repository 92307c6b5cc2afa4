import { capital, inputWords, whatWords } from '../../../../files/output/summary-words.ts';
import { Checkbox, Options, Select } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import { late } from '../../parts/late.tsx';
import { canDo, isPlay, named, type OfAccounts } from './choice.ts';
import { columnsUsed } from './columns.ts';
import { Fields, valuesOf } from './fields.tsx';
import {
  askedIn,
  inputsOf,
  isFill,
  type Step,
  stepsOf,
  tierOf,
  UNREAD,
  withAsked,
  withSteps,
} from './job.ts';
import { Ordered } from './ordered.tsx';
import { columnsOfHers, isTeam, type Scene } from './scene.ts';

const Team = late(async () => (await import('./team.tsx')).Team);

/** With which accounts each thing is looked for, and in which order they are asked. */
export function Steps({ scene, accounts }: OfAccounts) {
  const { job } = scene;
  const steps = stepsOf(job);
  return (
    <>
      {steps.map((step, at) => {
        const { operation } = step;
        const onChosen = (next: Step): void => scene.choose(withSteps(job, steps.toSpliced(at, 1, next)));
        return (
          <section key={operation}>
            {(isFill(job) || steps.length > 1) && <h3>{capital(whatWords(operation))}</h3>}
            {isFill(job) && <Fields scene={scene} fields={valuesOf(operation)} />}
            <Vendors {...{ step, accounts, scene, onChosen }} />
            {operation === 'onboard' && <Team scene={scene} />}
            {operation === 'find-email' && <CheckedBy {...{ step, accounts, onChosen }} />}
            <AskedBy scene={scene} step={step} />
          </section>
        );
      })}
      <datalist id="hers">
        <Options of={columnsOfHers(scene)} />
      </datalist>
    </>
  );
}

interface StepProps extends OfAccounts {
  readonly step: Step;
  readonly onChosen: (step: Step) => void;
}

/** One account is chosen in a list; several are in an order. */
function Vendors({ step, accounts, scene, onChosen }: StepProps) {
  const { operation, accounts: names } = step;
  const able = accounts.filter((account) => canDo(account, operation));
  const left = able.filter(
    ({ name, sandbox }) => sandbox === isPlay([step], accounts) && !names.includes(name),
  );
  const says = new Map(named(able));
  const [first] = names;
  return (
    <>
      {names.length > 1 ? (
        <Ordered
          verb="Ask"
          items={names.map((key) => {
            return { key, says: says.get(key) ?? key, more: priceOf(scene, operation, key) };
          })}
          onOrdered={(ordered) => onChosen({ ...step, accounts: ordered })}
        />
      ) : (
        <Select
          name="with"
          value={first ?? ''}
          options={[...(first === undefined ? [['', 'nobody yet'] as const] : []), ...says]}
          onChosen={(name) => onChosen({ ...step, accounts: [name], check: undefined })}
        />
      )}
      {/* A team is in one service. */}
      {operation !== 'onboard' && left.length > 0 && (
        <Select
          name="+ add a vendor"
          value=""
          options={[['', 'nobody else'], ...named(left)]}
          onChosen={(name) => onChosen({ ...step, accounts: [...names, name] })}
        />
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

const VERDICTS = [
  ['valid', 'valid'],
  ['accept_all', 'accept-all'],
  ['unknown', 'not known'],
] as const;

/** Who checks each found address, and which answers count. */
function CheckedBy({ step, accounts, onChosen }: Omit<StepProps, 'scene'>) {
  const able = accounts.filter(
    (account) => canDo(account, 'check-email') && account.sandbox === isPlay([step], accounts),
  );
  const { check } = step;
  if (able.length === 0) return null;
  return (
    <>
      <Select
        name="Checked by"
        value={check?.account ?? ''}
        options={[['', 'nobody'], ...named(able)]}
        onChosen={(account) =>
          onChosen({ ...step, check: account === '' ? undefined : { ...check, account } })
        }
      />
      {check && (
        <p class="row">
          Counts:
          {VERDICTS.map(([verdict, says]) => {
            const { accept: accepted = ['valid'] } = check;
            const others = accepted.filter((each) => each !== verdict);
            const count = (isOn: boolean): void => {
              const accept = isOn ? [...others, verdict] : others;
              if (accept.length > 0) onChosen({ ...step, check: { ...check, accept } });
            };
            return (
              <Checkbox key={verdict} says={says} checked={accepted.includes(verdict)} onCheck={count} />
            );
          })}
        </p>
      )}
    </>
  );
}

// ------------------------------------------------------------------------------------- by what it is asked

const TOGETHER = ['first_name', 'last_name', 'full_name', 'company', 'country'];

/** By which of her columns is asked, in one sentence, and the choice of others and of their order. */
function AskedBy({ scene, step }: Pick<StepProps, 'scene' | 'step'>) {
  const { described, planned, choose } = scene;
  const { operation } = step;
  const job = { ...scene.job, columns: columnsUsed(scene) };
  const asked = askedIn(job, step);
  // These say only together who is meant, so that they are asked in one question.
  const isTogether = operation.startsWith('find-') || TOGETHER.some((input) => asked.has(input));
  const names = [...asked.values()].join(isTogether ? ', ' : ', then by ');
  const order = (inputs: readonly string[]): void => {
    const left = [...asked.keys()].filter((input) => !inputs.includes(input));
    const unread = Object.fromEntries(left.map((input) => [input, UNREAD]));
    const waterfall = inputs.map((input) => tierOf(input, asked));
    choose(withAsked(job, step, unread, waterfall));
  };
  // Who has one role for all has no column of roles.
  const inputs = inputsOf(operation).filter((input) => input !== 'role' || job.role === undefined);
  return (
    <details open={planned.refused !== undefined && described.value !== undefined}>
      <summary>
        {isTeam(scene) ? 'Which column is what' : names === '' ? 'Asked by: choose a column' : `by ${names}`}
      </summary>
      {asked.size > 1 && !isTogether && !isTeam(scene) && (
        <Ordered
          verb="Ask by"
          items={[...asked].map(([key, says]) => ({ key, says, more: inputWords(key) }))}
          onOrdered={order}
        />
      )}
      {inputs.map((input) => (
        <Select
          key={input}
          name={inputWords(input)}
          value={asked.get(input) ?? UNREAD}
          options={[[UNREAD, 'in none'], ...columnsOfHers(scene)]}
          onChosen={(column) => choose(withAsked(job, step, { [input]: column }))}
        />
      ))}
    </details>
  );
}
