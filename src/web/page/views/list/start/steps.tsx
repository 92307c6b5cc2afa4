import { describedOperation } from '../../../../../core/described.ts';
import { inMoney } from '../../../../../core/money.ts';
import { capital } from '../../../../../core/plain-text.ts';
import { accountWords, whatWords } from '../../../../../files/output/summary-words.ts';
import type { AccountObject } from '../../../../api.ts';
import { lazyPart } from '../../../parts/asking.tsx';
import { Folded, Options, Select } from '../../../parts/controls.tsx';
import { grouped } from '../../../parts/figures.ts';
import { columnsUsed } from '../columns.ts';
import { proposedFor, valuesOf } from '../fields.ts';
import { inputColumnsOf, isFill, isOfTeam, type Step, stepsOf, withStep } from '../job.ts';
import { columnsOfHers, isTeam, type Scene } from '../scene.ts';
import { canDo, checkersLike, isPlay, named, type OfAccounts, type StepProps } from './accounts.ts';

const AskedByChoice = lazyPart(async () => (await import('./asked-by.tsx')).AskedByChoice);
const CheckedBy = lazyPart(async () => (await import('./checked-by.tsx')).CheckedBy);
const Fields = lazyPart(async () => (await import('./wanted.tsx')).Fields);
const Limits = lazyPart(async () => (await import('./limits.tsx')).Limits, '');
const Ordered = lazyPart(async () => (await import('./ordered.tsx')).Ordered);
const Projects = lazyPart(async () => (await import('./team-choice.tsx')).Projects, '');
const TeamChoice = lazyPart(async () => (await import('./team-choice.tsx')).TeamChoice);

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
          <section class="stack" key={operation}>
            {(isFill(job) || steps.length > 1) && <h3>{capital(whatWords(operation))}</h3>}
            {isFill(job) && <Fields scene={scene} proposed={proposedFor(scene, valuesOf(operation))} />}
            {isOfTeam(operation) && <Projects scene={scene} />}
            <Vendors step={step} accounts={accounts} scene={scene} onChosen={onChosen} />
            {isOfTeam(operation) && <TeamChoice scene={scene} />}
            {checkersLike(step, accounts).length > 0 && (
              <CheckedBy step={step} accounts={accounts} onChosen={onChosen} />
            )}
            <AskedBy scene={scene} step={step} />
          </section>
        );
      })}
      {new Set(steps.flatMap((step) => step.accounts)).size > 1 && !isPlay(steps, accounts) && (
        <Limits scene={scene} />
      )}
      <datalist id="hers">
        <Options of={columnsOfHers(scene)} />
      </datalist>
    </>
  );
}

function Vendors({ step, accounts, scene, onChosen }: StepProps) {
  const { operation, accounts: names } = step;
  const able = accounts.filter((account) => canDo(account, operation));
  const isLike = ({ sandbox }: AccountObject): boolean => sandbox === isPlay([step], accounts);
  const otherAccounts = able.filter((account) => isLike(account) && !names.includes(account.name));
  const [first] = names;
  return (
    <>
      {names.length > 1 ? (
        <Ordered
          verb="Ask"
          items={names.map((key) => ({ key, says: accountWords(key), more: costAt(scene, operation, key) }))}
          onOrdered={(ordered) => onChosen({ ...step, accounts: ordered })}
        />
      ) : (
        <Select
          name="with"
          value={first ?? ''}
          options={[...(first === undefined ? [['', 'no account yet'] as const] : []), ...named(able)]}
          onChosen={(name) => onChosen({ ...step, accounts: [name], check: undefined })}
        />
      )}
      {/* A team is in one service. */}
      {!isOfTeam(operation) && otherAccounts.length > 0 && (
        <Select
          name="+ add a vendor"
          value=""
          options={[['', 'no other'], ...named(otherAccounts)]}
          onChosen={(name) => onChosen({ ...step, accounts: [...names, name] })}
        />
      )}
    </>
  );
}

/** What an account costs at most, as the plan says; blank while it is made. */
function costAt({ planned }: Scene, operation: string, account: string): string {
  const step = planned.value?.steps?.find((each) => each.operation === operation && each.account === account);
  if (step === undefined) return '';
  const { most, cost, charges_misses: isPaid } = step;
  return `${grouped(most)}${inMoney(cost?.most)} at most${isPaid ? ', a miss is paid' : ''}`;
}

/** By which of her columns is asked, in one sentence. */
function AskedBy({ scene, step }: Pick<StepProps, 'scene' | 'step'>) {
  const { described, planned } = scene;
  const columnsByInput = inputColumnsOf({ ...scene.job, columns: columnsUsed(scene) }, step);
  const { together = [] } = describedOperation(step.operation) ?? {};
  const isTogether = together.some((input) => columnsByInput.has(input));
  const names = [...columnsByInput.values()].join(isTogether ? ', ' : ', then by ');
  const says = names === '' ? 'Asked by: choose a column' : `by ${names}`;
  return (
    <Folded
      says={isTeam(scene) ? 'Which column is what' : says}
      open={planned.refused !== undefined && described.value !== undefined}
    >
      {() => <AskedByChoice scene={scene} step={step} isTogether={isTogether} />}
    </Folded>
  );
}
