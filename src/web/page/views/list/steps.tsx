import { describedOperation } from '../../../../core/described.ts';
import { capital, listed } from '../../../../core/plain-text.ts';
import { accountWords, inputWords, whatWords } from '../../../../files/output/summary-words.ts';
import type { AccountObject, ListJobChoice } from '../../../api.ts';
import { Button, Checkbox, Field, Options, Select } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import { columnsUsed } from './columns.ts';
import { Fields, proposedFor, valuesOf } from './fields.tsx';
import {
  askedIn,
  inputsOf,
  isFill,
  isOfTeam,
  type Step,
  stepsOf,
  tierOf,
  UNREAD,
  withAsked,
  withStep,
} from './job.ts';
import { columnsOfHers, isTeam, type OfScene, type Scene } from './scene.ts';
import { isMaking } from './team.ts';

/** With which accounts each thing is looked for, and in which order they are asked. */
export function Steps({ scene, accounts }: OfAccounts) {
  const { job } = scene;
  const steps = stepsOf(job);
  return (
    <>
      {steps.map((step) => {
        const { operation } = step;
        const onChosen = (next: Step): void => scene.choose(withStep(job, next));
        return (
          <section key={operation}>
            {(isFill(job) || steps.length > 1) && <h3>{capital(whatWords(operation))}</h3>}
            {isFill(job) && <Fields scene={scene} proposed={proposedFor(scene, valuesOf(operation))} />}
            <Vendors step={step} accounts={accounts} scene={scene} onChosen={onChosen} />
            {isOfTeam(operation) && <Team scene={scene} />}
            <CheckedBy step={step} accounts={accounts} onChosen={onChosen} />
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

function Vendors({ step, accounts, scene, onChosen }: StepProps) {
  const { operation, accounts: names } = step;
  const able = accounts.filter((account) => canDo(account, operation));
  const isLike = ({ sandbox }: AccountObject): boolean => sandbox === isPlay([step], accounts);
  const left = able.filter((account) => isLike(account) && !names.includes(account.name));
  const [first] = names;
  return (
    <>
      {names.length > 1 ? (
        <Ordered
          verb="Ask"
          items={names.map((key) => ({ key, says: accountWords(key), more: priceOf(scene, operation, key) }))}
          onOrdered={(ordered) => onChosen({ ...step, accounts: ordered })}
        />
      ) : (
        <Select
          name="with"
          value={first ?? ''}
          options={[...(first === undefined ? [['', 'nobody yet'] as const] : []), ...named(able)]}
          onChosen={(name) => onChosen({ ...step, accounts: [name], check: undefined })}
        />
      )}
      {/* A team is in one service. */}
      {!isOfTeam(operation) && left.length > 0 && (
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
  const checker = describedOperation(step.operation)?.checkedBy;
  const able = accounts.filter(
    (account) =>
      checker !== undefined && canDo(account, checker) && account.sandbox === isPlay([step], accounts),
  );
  const { check } = step;
  if (able.length === 0) return null;
  return (
    <>
      <Select
        name="Checked by"
        value={[check?.account ?? ''].flat()[0] ?? ''}
        options={[['', 'nobody'], ...named(able)]}
        onChosen={(account) => onChosen({ ...step, check: account ? { ...check, account } : undefined })}
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

/** By which of her columns is asked, in one sentence, and the choice of others and of their order. */
function AskedBy({ scene, step }: Pick<StepProps, 'scene' | 'step'>) {
  const { described, planned, choose } = scene;
  const { operation } = step;
  const job = { ...scene.job, columns: columnsUsed(scene) };
  const asked = askedIn(job, step);
  // These say only together who is meant, so that they are asked in one question.
  const isTogether = describedOperation(operation)?.together.some((input) => asked.has(input)) === true;
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

interface OrderedProps {
  readonly items: readonly { readonly key: string; readonly says: string; readonly more: string }[];
  /** What is done with each of them, such as `Ask`. */
  readonly verb: string;
  readonly onOrdered: (keys: readonly string[]) => void;
}

const MOVES = [
  { sign: '↑', by: -1, when: 'earlier' },
  { sign: '↓', by: 1, when: 'later' },
];

function Ordered({ items, verb, onOrdered }: OrderedProps) {
  const keys = items.map(({ key }) => key);
  return (
    <ol class="steps">
      {items.map(({ key, says, more }, at) => (
        <li key={key} class="row">
          <span>
            {says} <small>{more}</small>
          </span>
          {MOVES.map(({ sign, by, when }) => (
            <Button
              key={sign}
              look="link"
              says={sign}
              aria-label={`${verb} ${says} ${when}`}
              disabled={keys[at + by] === undefined}
              onClick={() => onOrdered(keys.toSpliced(at, 1).toSpliced(at + by, 0, key))}
            />
          ))}
          <Button
            look="link"
            says="×"
            aria-label={`Do not ${verb.toLowerCase()} ${says}`}
            onClick={() => onOrdered(keys.toSpliced(at, 1))}
          />
        </li>
      ))}
    </ol>
  );
}

const ROLES = ['viewer', 'editor', 'admin'] as const;

/** Where people of a team go, and what her words mean. What goes too far is asked there. */
function Team({ scene: { job, planned, choose } }: OfScene) {
  const set = (more: ListJobChoice): void => choose({ ...job, ...more });
  const { projects: strangers = [], roles: unknown = [] } = planned.value?.unknown ?? {};
  const made = planned.value?.changes?.filter(isMaking).map(({ project }) => project ?? '') ?? [];
  return (
    <>
      {namesIn(job.projects, strangers).map(([name, id]) => (
        <Field
          key={name}
          says={`${name} is`}
          defaultValue={id ?? ''}
          placeholder="its id in the service"
          onTyped={(typed) => set({ projects: withEntry(job.projects, name, typed) })}
        />
      ))}
      {(strangers.length > 0 || job.create_projects === true) && (
        <Checkbox
          says="Make the projects that nobody knows. They cannot be deleted again."
          checked={job.create_projects === true}
          onCheck={(isChecked) => set({ create_projects: isChecked || undefined })}
        />
      )}
      {made.length > 0 && <p class="need">Will be made: {listed(made)}</p>}
      <Select
        name="Their role"
        value={job.role ?? ''}
        options={[['', 'by each row'], ...ROLES.map((role) => [role, `${role}, for all`] as const)]}
        // Who has one role for all has neither words nor a column for it.
        onChosen={(role) => {
          const columns = job.columns && withEntry(job.columns, 'role', '');
          set({ role: role || undefined, roles: undefined, columns });
        }}
      />
      {namesIn(job.roles, job.role === undefined ? unknown : []).map(([word, role]) => (
        <Select
          key={word}
          name={`“${word}” means`}
          value={role ?? ''}
          options={[['', 'no role yet'], ...ROLES]}
          onChosen={(chosen) => set({ roles: withEntry(job.roles, word, chosen) })}
        />
      ))}
      <Checkbox
        says="Remove who is no longer on the list"
        checked={job.remove_missing === true}
        onCheck={(isChecked) => set({ remove_missing: isChecked || undefined })}
      />
    </>
  );
}

type Names = Readonly<Record<string, string | null>>;

/** What was said of names, and those of which nobody has said anything yet. */
const namesIn = (said: Names = {}, unknown: readonly { readonly name: string }[]) => {
  const open = unknown.filter(({ name }) => !Object.hasOwn(said, name));
  return [...Object.entries(said), ...open.map(({ name }) => [name, ''] as const)];
};

/** The names with this one, or without it where nothing is said of it. */
const withEntry = (names: Names = {}, name: string, said: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...names, [name]: said }).flatMap(([each, value]) => (value ? [[each, value]] : [])),
  );

export type Accounts = readonly AccountObject[];

export interface OfAccounts extends OfScene {
  readonly accounts: Accounts;
}

export const canDo = ({ operations = [], vendor }: AccountObject, operation: string): boolean =>
  isOfTeam(operation) ? vendor === 'service' : vendor === 'provider' && operations.includes(operation);

const named = (accounts: Accounts): readonly (readonly [string, string])[] =>
  accounts.map(({ name }) => [name, accountWords(name)]);

export const isPlay = (steps: readonly Step[], accounts: Accounts): boolean =>
  steps.some((step) => accounts.find(({ name }) => name === step.accounts[0])?.sandbox === true);
