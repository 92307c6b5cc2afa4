/**
 * Goal: a row that stands in a list twice is counted as a duplicate, however long the list is.
 * Method: more texts than the first table has room for, each of them twice.
 */
import { expect, test } from 'vitest';
import { SeenTexts } from '../../src/lib/seen-texts.ts';

test('each of twenty thousand texts is new once', () => {
  const seen = new SeenTexts();
  const texts = Array.from({ length: 20_000 }, (_, at) => `text ${at}`);
  const times = (): number => texts.filter((text) => seen.add(text)).length;
  expect([times(), times()]).toEqual([20_000, 0]);
});
