import { useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { ListRows, TableColumnObject, TableObject } from '../../../api.ts';
import { Lines, type Portion, type Read } from '../../parts/lines.ts';
import { ask, beat, look } from '../../session.ts';

import { type Filter, isAnew, readingOf, type Scene, teamPlan } from './scene.ts';
import { NOBODY, ofTeam, type Team } from './team-rows.ts';
import { type TeamRow, teamRows } from './team-words.ts';

/** The rows of the list: as its file has them, and with their answers as soon as something was started. */

export type Rows = Lines<TableColumnObject>;

/** A list that was brought anew is shown as it is now, and a team as it is planned, until it is started. */
export const batchShown = (scene: Scene): string | undefined =>
  teamPlan(scene) !== undefined || isAnew(scene) ? undefined : scene.batch?.batch;

export function useRows(scene: Scene): Rows {
  const { list, described, batch, isRunning } = scene;
  const { search, sort, where } = scene.filter.value;
  const shown = batchShown(scene);
  const isOrdered = search === '' && sort === undefined && Object.keys(where).length === 0;
  const kept = shown === undefined ? readingOf(scene.job) : { sort, where };
  const plan = teamPlan(scene);
  const people = useMemo(
    () => plan && teamRows(plan).filter((person) => isShown(person, scene.filter.value)),
    [plan, scene.filter.value],
  );
  const team = useRef<Team>(NOBODY);
  if (plan && people) team.current = { people, columns: plan.columns, mends: list?.mends ?? [] };
  const source = JSON.stringify([shown ?? list?.id, plan ? 'team' : search, kept]);
  const rows = useMemo((): Rows => {
    const id = list?.id ?? '';
    if (plan !== undefined)
      return new Lines(
        ofTeam(ofFile(id, ''), () => team.current),
        false,
      );
    const read = shown === undefined ? ofFile(id, search) : ofBatch(shown, { search, sort, where });
    return new Lines(read, isOrdered);
  }, [source]);
  rows.atLeast = described.value?.rows ?? 0;
  const isCheap = search === '' && sort === undefined;
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
  (batch: string, { search, sort, where }: Filter): Read<TableColumnObject> =>
  (page) => {
    return look<TableObject>('status', {
      batch,
      ...page,
      ...(search === '' ? {} : { search }),
      ...(sort === undefined ? {} : { sort }),
      ...(Object.keys(where).length === 0 ? {} : { where }),
    });
  };

const ofFile =
  (id: string, search: string): Read<TableColumnObject> =>
  async ({ from = 0, limit }): Promise<Portion<TableColumnObject>> => {
    const words = search === '' ? '' : `&search=${encodeURIComponent(search)}`;
    const { header, rows, next } = await ask<ListRows>(
      `/lists/${id}/rows?from=${from}&limit=${limit}${words}`,
    );
    return { columns: header.map((name) => ({ name, from: 'list' })), rows, next };
  };
