import { useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ListRows, TableObject } from '../../../api.ts';
import { type Line, Lines, type Portion, type Read } from '../../parts/lines.ts';
import { beat, look } from '../../session.ts';
import { EVERYTHING, type Filter, isAnew, readingOf, type Scene, teamPlan } from './scene.ts';
import { NOBODY, ofTeam, type Team } from './team-rows.ts';
import { type TeamRow, teamRows } from './team-words.ts';

/** The rows of the list: as its file has them, and with their answers as soon as something was started. */

/** A list that was brought anew is shown as it is now, and a team as it is planned, until it is started. */
export const batchShown = (scene: Scene): string | undefined =>
  teamPlan(scene) !== undefined || isAnew(scene) ? undefined : scene.batch?.batch;

export function useRows(scene: Scene): Lines {
  const { list, described, batch, isRunning } = scene;
  const filter = scene.filter.value;
  const shown = batchShown(scene);
  const isCheap = filter.search === '' && filter.sort === undefined;
  const isOrdered = isCheap && Object.keys(filter.where).length === 0;
  const plan = teamPlan(scene);
  const people = useMemo(
    () => plan && teamRows(plan).filter((person) => isShown(person, filter)),
    [plan, filter],
  );
  const team = useRef<Team>(NOBODY);
  if (plan && people) team.current = { people, columns: plan.columns, mends: list?.mends ?? [] };
  const source = shown ?? [list?.id, list?.at, readingOf(scene.job)];
  const rows = useMemo((): Lines => {
    const file = (of: Filter): Read => ofFile(list?.id ?? '', of);
    if (plan !== undefined)
      return new Lines(
        ofTeam(file(EVERYTHING), () => team.current),
        false,
      );
    return new Lines(shown === undefined ? file(filter) : ofBatch(shown, filter), isOrdered);
  }, [JSON.stringify([source, plan ? 'team' : filter])]);
  rows.atLeast = described.value?.rows ?? 0;
  const again =
    shown === undefined ? (people ?? described.value) : JSON.stringify([batch?.counts, isRunning]);
  useEffect(() => rows.renew(), [rows, again]);
  useSignalEffect(() => {
    if (beat.value > 0 && isRunning && isCheap && shown !== undefined) rows.renew();
  });
  // Reading it draws the table anew with each part that comes.
  void rows.changed.value;
  return rows;
}

function isShown({ part, email, project }: TeamRow, { search, where }: Filter): boolean {
  const words = `${email} ${project}`.toLowerCase();
  return (where._action ?? part) === part && words.includes(search.toLowerCase());
}

const ofBatch =
  (batch: string, filter: Filter): Read =>
  async (page) =>
    withResults(await look('status', { batch, ...page, ...filter }));

/** What a row has found stands in lines of its own below it, in columns behind all others. */
function withResults({ columns, result_columns: names = [], rows, ...more }: TableObject): Portion {
  const before = columns.map(() => '');
  return {
    ...more,
    columns: [...columns, ...names.map((name) => ({ name, from: 'bought' as const, isBelow: true }))],
    rows: rows.flatMap((row): Line[] => {
      const results = row.results ?? [];
      return [row, ...results.map((cells) => ({ row: 0, cells: [...before, ...cells] }))];
    }),
  };
}

const ofFile =
  (id: string, filter: Filter): Read =>
  (page) =>
    look<ListRows>(`lists/${id}/rows`, { ...page, ...filter });
