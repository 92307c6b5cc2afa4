/**
 * Goal: what a file is said to fit is what somebody could mean by it: a list of people or companies is no list of
 * projects because one of its columns is called Name.
 * Method: headers and rows shown to the finder, with the operations as they are.
 */
import { describe, expect, test } from 'vitest';
import { loadFamily } from '../../src/core/family.ts';
import type { Operation } from '../../src/core/operation.ts';
import { fitFinder } from '../../src/files/describe-file.ts';
import type { OperationFit } from '../../src/objects/list-object.ts';

async function projectsIn(header: readonly string[]): Promise<OperationFit | undefined> {
  const operations = await loadFamily<Operation>(new URL('../../src/operations/', import.meta.url));
  const finder = fitFinder(header, operations.values());
  for (const row of ['a', 'b', 'c']) finder.add(header.map(() => row));
  return finder.fits().find(({ operation }) => operation === 'create-project');
}

describe('a list fits create-project', () => {
  test.each([
    [['Name'], 'Name'],
    [['name', 'description'], 'name'],
    [['Project', 'Owner'], 'Project'],
    [['Project name', 'City'], 'Project name'],
  ])('a list fits create-project with the columns %j', async (header, column) => {
    expect(await projectsIn(header)).toMatchObject({ columns: { name: column } });
    expect((await projectsIn(header))?.problem).toBeNull();
  });

  test.each([[['Name', 'Email']], [['ABN', 'name', 'Website']], [['NAME', 'City', 'Description']]])(
    'a list does not fit create-project with the columns %j, though one of them may be named',
    async (header) => {
      const fit = await projectsIn(header);
      expect(fit?.columns).toEqual({});
      expect(fit?.problem).toMatch(/^a column called "name" could .*; to use it, add --column name=name$/i);
    },
  );
});
