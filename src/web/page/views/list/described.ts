import type { ListDescription, ListHead, ListJobChoice, ListView, PlanObject } from '../../../api.ts';
import { type Answer, useAnswer } from '../../parts/asking.tsx';
import { acted } from '../../session.ts';
import { operationsOf, readingOf } from './job.ts';

/** The first rows say what the list is, so that it is chosen and planned at once. */
export function useHead(list: ListView | undefined, { read, country }: ListJobChoice) {
  const request = list !== undefined && { path: `/lists/${list.id}/head`, body: { read, country } };
  return { ...useAnswer<ListHead>(request, acted.value), list };
}

type Head = ReturnType<typeof useHead>;

/** What a job would buy or change, which is asked for behind the head of its list. */
export function usePlan(
  request: { readonly path: string; readonly body: object } | false,
  head: Head,
  again: unknown,
): Answer<PlanObject> {
  const isHeadKnown = head.list === undefined || head.value !== undefined || head.refused !== undefined;
  return useAnswer(isHeadKnown && request, again, {
    delayMs: REST_MS,
    // The view is shown before a long list is read to its end.
    isBeside: head.value?.is_whole === false,
  });
}

/** How long she may go on choosing before it is planned. */
const REST_MS = 250;

const NOTHING_READ = { rows: 0, to_buy: 0, free: 0, invalid: 0, most_each: 0, seconds: 0 };

/** All rows of a long list are read behind its plan, which she waits for. */
export function useDescribed(
  { job, isMade }: { readonly job: ListJobChoice; readonly isMade: boolean },
  { list, ...head }: Head,
  plan: Answer<PlanObject>,
) {
  const { id, reading = null } = list ?? {};
  const { described, is_whole: isWhole = false, rows: about = null } = head.value ?? {};
  const isPlanned = plan.value !== undefined || plan.refused !== undefined;
  const isChosen = operationsOf(job).length > 0;
  // Nothing fits it, or she has taken away what was proposed.
  const isFit = described?.operations.some(({ problem }) => problem === null);
  const isForNothing = !isChosen && (isMade || isFit === false);
  const isLong = list !== undefined && described !== undefined && !isWhole;
  const request = isLong &&
    (isPlanned || isForNothing) && { path: '/plan', body: { file: id, ...readingOf(job) } };
  const whole = useAnswer<ListDescription>(request, acted.value, { isBeside: true });
  const isBegun = whole.value === undefined && whole.refused === undefined;
  return {
    /** What the file is; undefined until its first rows were read, and where nothing is to be started. */
    described: isWhole || isBegun ? { ...head, value: described } : whole,
    /** How far a long list is read for its price; undefined where nobody waits for that. */
    reading:
      isLong && !isForNothing && plan.waits && (isChosen || !isPlanned)
        ? { ...NOTHING_READ, ...reading, about }
        : undefined,
  };
}

/** The sheets of a workbook that can be read. */
export const sheetsOf = ({ value }: ReturnType<typeof useDescribed>['described']) =>
  value?.sheets?.filter(({ hidden, read }) => !hidden || read) ?? [];
