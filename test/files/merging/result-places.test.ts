import { expect, test } from 'vitest';
import { placesOf } from '../../../src/files/merging/result-places.ts';

/**
 * Goal: a row of an output that was cut or sorted is never taken for the row of the list that had its place.
 * Method: the rule alone, over rows that are written as what they say, in their order from row 2 on.
 */

const placed = (said: string, list = 'abcdef') =>
  placesOf(
    [...said].map((input, at) => ({ row: at + 2, input })),
    new Map([...list].map((sent, at) => [at + 2, sent])),
  );

test('where a row was cut, those behind it are what they say, and one that was mended before it stays what it was', () => {
  expect(placed('abcdef')).toEqual([2, 3, 4, 5, 6, 7]);
  expect(placed('aXcdf')).toEqual([2, 3, 4, 5, 7]);
  expect(placed('bcdef')).toEqual([3, 4, 5, 6, 7]);
  // Nobody knows whether the row behind the cut was this one or the next.
  expect(placed('abcXf')).toEqual([2, 3, 4, 'adrift', 7]);
  expect(placed('abcdX')).toEqual([2, 3, 4, 5, 'adrift']);
  expect(placed('abcdeX')).toEqual([2, 3, 4, 5, 6, 7]);
});

test('rows that changed places were moved, and in an output that was sorted one that was mended may have been any', () => {
  expect(placed('aecdbf')).toEqual([2, 6, 4, 5, 3, 7]);
  expect(placed('feXcba')).toEqual([7, 6, 'adrift', 4, 3, 2]);
});

test('a row that was mended to what another was is known, unless that was mended as well', () => {
  expect(placed('accdef')).toEqual([2, 3, 4, 5, 6, 7]);
  expect(placed('adcXef')).toEqual([2, 'unclear', 4, 'adrift', 6, 7]);
});

test('of rows that were sent alike nobody knows which is which where one was cut', () => {
  expect(placed('baa', 'baa')).toEqual([2, 3, 4]);
  expect(placed('ba', 'baa')).toEqual([2, 'adrift']);
  expect(placed('aab', 'baab')).toEqual(['adrift', 'adrift', 'adrift']);
  // One that is where it was may be the next one, so that the mended one before it may have been either.
  expect(placed('Xa', 'baab')).toEqual(['adrift', 'adrift']);
});
