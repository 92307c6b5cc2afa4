import { useEffect } from 'preact/hooks';
import { capital } from '../../../../../core/plain-text.ts';
import { whatWords } from '../../../../../files/output/summary-words.ts';
import type { ListDescription } from '../../../../api.ts';
import { lazyPart } from '../../../parts/asking.tsx';
import { Choice, Select } from '../../../parts/controls.tsx';
import { counted } from '../../../parts/figures.ts';
import { fillings, findings, isFill, isOfTeam, operationsOf, searching, teaming } from '../job.ts';
import type { Scene } from '../scene.ts';
import type { OfAccounts } from './accounts.ts';
import { AT_COMPANIES, fittingBest, jobFor, rowsFor } from './begin.ts';

const SomethingElse = lazyPart(async () => (await import('./something-else.tsx')).SomethingElse, '');
const Likely = lazyPart(async () => (await import('./likely.tsx')).Likely, '');

/** The question with which every list begins. One thing is done with it; she adds others by herself. */
export function What({ scene, accounts }: OfAccounts) {
  const { job, choose, described } = scene;
  useEffect(() => {
    // As long as she has chosen nothing, what fits her columns and accounts best is proposed.
    const best = described.value && operationsOf(job).length === 0 ? fittingBest(described.value) : undefined;
    if (best !== undefined) scene.choose(jobFor(scene, accounts, [best]), true);
  }, [described.value === undefined]);
  const fills = isFill(job);
  const chosen = operationsOf(job);
  const start = (operations: readonly string[], isFilled = false): void =>
    choose(jobFor(scene, accounts, operations, isFilled));
  const [first = ''] = chosen;
  const pick = (says: string, operations: readonly string[], isFilled = false) => {
    const isTeamwork = operations.some(isOfTeam);
    return (
      <Choice
        key={says}
        group="what"
        says={says}
        more={rowsWords(scene, operations, isFilled)}
        checked={fills === isFilled && (operations.includes(first) || (isTeamwork && isOfTeam(first)))}
        onChosen={() => start(operations.slice(0, 1), isFilled)}
      />
    );
  };
  const names = fills ? fillings() : findings();
  return (
    <fieldset>
      <legend>What to do</legend>
      {findings().map((name) => pick(`Find ${whatWords(name)}`, [name]))}
      {pick('Fill blanks', fillings(), true)}
      {pick('Invite a team', teaming())}
      {(hasCompaniesAlone(described.value) || searching().includes(first)) && pick(AT_COMPANIES, searching())}
      {isUnclear(described.value) && <Likely scene={scene} accounts={accounts} />}
      {fills && (
        <Select
          name="Which blanks"
          value={first}
          options={names.map((name) => [name, capital(whatWords(name))])}
          onChosen={(name) => start([name], true)}
        />
      )}
      {names.includes(first) && <SomethingElse scene={scene} accounts={accounts} />}
    </fieldset>
  );
}

/** How many rows one of these would look up: as it is planned, else at most as many as have a cell for it. */
function rowsWords(
  { described: { value }, planned, job }: Scene,
  operations: readonly string[],
  isFilled: boolean,
): string {
  const [chosen = '', ...others] = operationsOf(job);
  const isPlanned = others.length === 0 && isFill(job) === isFilled && operations.includes(chosen);
  if (isPlanned && planned.value !== undefined && planned.value.changes === undefined)
    return counted(planned.value.to_buy, 'row');
  if (value === undefined) return '';
  const most = Math.max(0, ...operations.map((name) => rowsFor(value, name)));
  return most === 0 ? 'no column for it' : `up to ${counted(most, 'row')}`;
}

/** Whether a list names companies, and nobody by whom people could be looked up. */
function hasCompaniesAlone(list: ListDescription | undefined): boolean {
  const isOf = (input: string): boolean =>
    list?.operations.some(({ operation, columns }) => searching().includes(operation) && columns[input]) ===
    true;
  return isOf('company') && rowsFor(list as ListDescription, 'enrich-person') === 0;
}

/** Whether a column may be what is missing for something, or nothing can be done as the list is. */
const isUnclear = (list: ListDescription | undefined): boolean =>
  list !== undefined &&
  (fittingBest(list) === undefined ||
    list.operations.some(({ problem, likely }) => problem !== null && likely.length > 0));
