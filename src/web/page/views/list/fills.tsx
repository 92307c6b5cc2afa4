import type { ListJobChoice } from '../../../api.ts';
import { Button, Select } from '../../parts/controls.tsx';
import {
  type Accounts,
  columnName,
  isFill,
  jobFor,
  type Step,
  stepsOf,
  stepWith,
  withSteps,
} from './choice.ts';
import { inputWords } from './columns.ts';
import { columnsOfHers, type Scene } from './scene.ts';

/** What an answer can have for a blank cell; the first is what it is mostly wanted for. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  'find-email': ['email'],
  'find-phone': ['phone'],
  'enrich-person': ['job_title', 'seniority', 'department', 'company', 'phone', 'email', 'city', 'country'],
  'enrich-company': ['industry', 'employees', 'website', 'phone', 'city', 'country'],
};

const LOOKS: Readonly<Record<string, string>> = { email: 'e-mail', phone: 'phone' };

/** The job with a step more that fills what it is mostly wanted for, in her column of such or in a new one. */
export function filling(scene: Scene, accounts: Accounts, operation: string): ListJobChoice {
  const { job, described } = scene;
  const [value = 'email'] = VALUES[operation] ?? [];
  const hers = described.value?.columns.find(({ looks_like: looks }) => looks === LOOKS[value]);
  const add = { [hers?.name ?? columnName(value, columnsOfHers(scene))]: value };
  const before = isFill(job) ? job : jobFor(job, accounts, []);
  const steps = stepsOf(before);
  const step = { ...stepWith(accounts, operation, steps), add };
  return { ...withSteps(before, [...steps, step]), on_existing: 'fill' };
}

const NEW = '';

interface FillsProps {
  readonly scene: Scene;
  readonly step: Step;
  readonly onChosen: (step: Step) => void;
}

/** Which of her columns get what, where a cell is blank. */
export function Fills({ scene, step, onChosen }: FillsProps) {
  const filled = Object.entries(step.add ?? {});
  const hers = columnsOfHers(scene);
  const put = (at: number, ...now: readonly [column: string, value: string][]): void =>
    onChosen({ ...step, add: Object.fromEntries(filled.toSpliced(at, 1, ...now)) });
  const left = (VALUES[step.operation] ?? []).filter((value) => !filled.some(([, taken]) => taken === value));
  return (
    <>
      {filled.map(([column, value], at) => (
        <p class="row" key={value}>
          <Select
            name={inputWords(value)}
            value={hers.includes(column) ? column : NEW}
            options={[[NEW, `a new column, ${columnName(value, hers)}`], ...hers]}
            onChosen={(name) => put(at, [name === NEW ? columnName(value, hers) : name, value])}
          />
          {filled.length > 1 && (
            <Button look="link" says="×" aria-label={`Do not fill ${column}`} onClick={() => put(at)} />
          )}
        </p>
      ))}
      {left.length > 0 && (
        <Select
          name="and"
          value={NEW}
          options={[[NEW, 'nothing else'], ...left.map((value) => [value, inputWords(value)] as const)]}
          onChosen={(value) => value !== NEW && put(filled.length, [columnName(value, hers), value])}
        />
      )}
    </>
  );
}
