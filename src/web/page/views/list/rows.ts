import { useSignalEffect } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { ListRows, TableColumnObject, TableObject } from '../../../api.ts';
import { FoundLines, type Lines, NumberedLines, type Part, type Read } from '../../parts/lines.ts';
import { ask, beat, look } from '../../session.ts';

import { type Filter, isAnew, readingOf, type Scene, teamPlan } from './scene.ts';
import { TeamLines } from './team-rows.ts';
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
  const source = JSON.stringify([shown ?? list?.id, plan ? 'team' : search, kept]);
  const rows = useMemo((): Rows => {
    if (plan !== undefined) return new TeamLines(ofFile(list?.id ?? '', ''));
    const read =
      shown === undefined ? ofFile(list?.id ?? '', search) : ofBatch(shown, { search, sort, where });
    return isOrdered ? new NumberedLines(read) : new FoundLines(read);
  }, [source]);
  useEffect(() => () => rows.close(), [rows]);
  if (rows instanceof NumberedLines) rows.atLeast = described.value?.rows ?? 0;
  if (rows instanceof TeamLines && plan && people)
    rows.team = { people, columns: plan.columns, mends: list?.mends ?? [] };
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
  async (page) => {
    const { columns, rows, next, last } = await look<TableObject>('status', {
      batch,
      ...page,
      ...(search === '' ? {} : { search }),
      ...(sort === undefined ? {} : { sort }),
      ...(Object.keys(where).length === 0 ? {} : { where }),
    });
    return { columns, rows, next, last };
  };

const ofFile =
  (id: string, search: string): Read<TableColumnObject> =>
  async ({ from = 0, limit }): Promise<Part<TableColumnObject>> => {
    const words = search === '' ? '' : `&search=${encodeURIComponent(search)}`;
    const { header, rows, next } = await ask<ListRows>(
      `/lists/${id}/rows?from=${from}&limit=${limit}${words}`,
    );
    return { columns: header.map((name) => ({ name, from: 'list' })), rows, next };
  };
