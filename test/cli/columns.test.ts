/**
 * Goal: somebody with a list whose columns are called anything sees which of them would be used and why, and nothing is
 * bought with a column that is only likely to be the right one.
 * Method: the real command before a vendor that keeps its own book.
 */
import { expect, test } from 'vitest';
import { OUR_COLUMNS } from '../../src/core/row.ts';
import { proof } from '../combinations.ts';
import { openDesk } from './desk.ts';

const NUMBERS = 'Company,Number\nAcme,51 824 753 556\nBeta,44676848475\nGamma,44735928039\n';

test('a column is known by its cells: plan says so, run takes it and says so, and a saved job keeps it', async () => {
  const desk = await openDesk();
  await desk.write('list.csv', NUMBERS);
  const why = 'by its content, 3 of 3 cells';
  expect((await desk.type(['plan', 'list.csv'])).stdout).toContain(
    `fits          enrich-company: abn ← Number (${why})\n`,
  );
  expect((await desk.type(['plan', 'enrich-company', 'list.csv'])).stdout).toContain(
    `  columns        abn ← Number (${why}) (guessed)\n`,
  );
  const { code, stderr } = await desk.type(desk.run('--save-job', 'job.yaml'));
  expect(code).toBe(0);
  expect(stderr).toContain(`Columns, guessed: abn ← Number (${why}).\n`);
  expect(await desk.read('job.yaml')).toContain(`\n  abn: Number  # abn ← Number, ${why}\n`);
  expect(await desk.requests()).toBe(3);

  const again = ['run', 'job.yaml', 'list.csv', '--budget', '9', '-o', 'out.csv'];
  expect(await desk.json(again)).toMatchObject({ rows: 3, requests: 0, credits: { spent: 3 } });
});

proof(
  'a likely column is named with the flag that takes it, and a run without that is refused before anything is sent',
  async () => {
    const desk = await openDesk();
    await desk.write('list.csv', `${NUMBERS}Delta,none\nEpsilon,unknown\n`);
    const why = 'by its content, 3 of 5 cells';
    const { stdout } = await desk.type(['plan', 'list.csv']);
    expect(stdout).toContain(
      `may fit       enrich-company, if you choose the columns\n              likely: abn ← Number (${why})\n` +
        '              if so:  --column abn=Number\n',
    );
    const { operations } = await desk.json(['plan', 'list.csv']);
    expect(operations).toContainEqual(
      expect.objectContaining({
        operation: 'enrich-company',
        columns: {},
        likely: [{ input: 'abn', column: 'Number', because: why }],
        problem: expect.stringContaining('none was recognized among the columns'),
      }),
    );
    const { code, stderr } = await desk.type(desk.run());
    expect(code).toBe(2);
    expect(stderr).toContain(`"abn" may be "Number", ${why}.`);
    expect(await desk.requests()).toBe(0);
  },
);

proof(
  'a list whose cells are mended stays with its columns, so that nothing is bought twice, and is told of better ones',
  async () => {
    const desk = await openDesk();
    await desk.write('list.csv', 'Website,Number\nacme.example,unknown\nbeta.example,44676848475\n');
    const first = await desk.json(desk.run());
    expect(first).toMatchObject({ requests: 2 });

    await desk.write('list.csv', 'Website,Number\nacme.example,51824753556\nbeta.example,44676848475\n');
    const note = `The columns are those of batch ${first.batch} of this list, so that nothing is bought twice.`;
    const planned = await desk.type(['plan', 'enrich-company', 'list.csv']);
    expect(planned.stderr).toContain(note);
    expect(planned.stdout).toContain('  columns        website ← Website (guessed)\n');
    const { stderr } = await desk.type(desk.run());
    expect(stderr).toContain(`${note} By today's cells they would be abn ← Number, website ← Website: `);
    const again = await desk.json(['export', 'enrich-company', 'list.csv', '-o', 'again.csv']);
    expect(again.batch).not.toBe(first.batch);
    expect(await desk.requests()).toBe(2);
  },
);

proof(
  'an output as input is worked on by the columns of its list, and not by those that were added to it',
  async () => {
    const desk = await openDesk();
    await desk.write('list.csv', 'Company,Website\nAcme,acme.example\nBeta,beta.example\n');
    const { batch } = await desk.json(desk.run());
    expect(await desk.read('out.csv')).toMatch(/^Company,Website,.*\bfound_abn\b.*_status/);
    const { stdout } = await desk.type(['plan', 'enrich-company', 'out.csv']);
    expect(stdout).toContain(
      `  columns        website ← Website (as in batch ${batch}, whose output this is) (guessed)\n`,
    );
    const again = ['run', 'enrich-company', 'out.csv', '--budget', '9', '-o', 'again.csv'];
    expect(await desk.json(again)).toMatchObject({ rows: 2, requests: 0 });
    await desk.write('renamed.csv', await desk.read('out.csv'));
    const renamed = ['run', 'enrich-company', 'renamed.csv', '--budget', '9'];
    expect((await desk.type(renamed)).stderr).toContain(`website ← Website (as in batch ${batch},`);
  },
);

proof('a job with other columns than the last one over a list is no continuation of it', async () => {
  const desk = await openDesk();
  const job = (column: string) =>
    desk.write('job.yaml', `operation: api-call\nmethod: GET\nendpoint: /tags/{{${column}}}\n`);
  await desk.write('list.csv', 'Domain,Tag\na.example,one\n');
  await job('Domain');
  const run = ['run', 'job.yaml', 'list.csv', '--account', 'data', '--budget', '9', '-o', 'out.csv', '--yes'];
  expect((await desk.type(run)).stderr).toContain('Domain ← Domain');

  await job('Tag');
  const plan = (list: string) => desk.type(['plan', 'job.yaml', list, '--account', 'data']);
  expect((await plan('list.csv')).stdout).toContain('columns        Tag ← Tag');
  expect((await plan('out.csv')).stdout).toContain('columns        Tag ← Tag');
  await job('Tga');
  expect((await plan('list.csv')).stderr).toBe(
    'api-call needs a column for "Tga" (named as in the job\'s endpoint or body), and the file has no such column.\n' +
      'Known are: Domain, Tag. If so: --column Tga=…, or under `columns:` in a job.\n',
  );
});

proof(
  'what was found is never looked up by itself: a row that is corrected in a copy of the output is asked about as it says',
  async () => {
    const desk = await openDesk();
    await desk.write('list.csv', 'Company,ABN\nAcme,51824753556\nBeta,44676848475\n');
    await desk.json(desk.run());
    const output = await desk.read('out.csv');
    expect(output).toMatch(/^Company,ABN,.*\bfound_domain\b/);
    const corrected = output.replace('51824753556,', '44735928039,');
    const withoutOurs = corrected.replaceAll(/(,[^,\n]*){6}$/gm, '');
    for (const [name, copy] of [
      ['copy.csv', corrected],
      ['saved-as.csv', withoutOurs],
    ] as const) {
      await desk.write(name, copy);
      const { stdout } = await desk.type(['plan', 'enrich-company', name]);
      expect(stdout).toContain('  columns        abn ← ABN (guessed)\n');
      expect((await desk.type(['plan', name])).stdout).not.toMatch(/← found_/);
    }
  },
);

proof(
  'nor is what the job called like an identifier, where the ledger knows the job by which it was added',
  async () => {
    const desk = await openDesk();
    await desk.write('job.yaml', 'operation: enrich-company\nadd: { domain: domain, legal: legalName }\n');
    await desk.write('list.csv', 'Company,ABN\nA,51824753556\nB,33051775556\n');
    const run = (name: string) => ['run', 'job.yaml', name, '--budget', '99', '-o', `of-${name}`];
    await desk.type(run('list.csv'));
    const output = await desk.read('of-list.csv');
    expect(output).toMatch(/^Company,ABN,domain,legal,_status,/);
    // The ABN of the first row was wrong, and is blank now in a copy.
    await desk.write('copy.csv', output.replace('51824753556', ''));
    expect((await desk.type(['plan', 'job.yaml', 'copy.csv'])).stdout).toMatch(
      /columns {8}abn ← ABN \(guessed\)/,
    );
    const before = await desk.requests();
    expect(await desk.type(run('copy.csv'))).toMatchObject({ code: 3 });
    expect(await desk.requests()).toBe(before);
    // A list of somebody's own, of which nobody knows that anything was added, is read by its names.
    await desk.write('own.csv', `Company,domain,${OUR_COLUMNS}\nA,a.example,open,,,,,\n`);
    const clash = { code: 2, stderr: expect.stringContaining('already has a column "domain"') };
    expect(await desk.type(['plan', 'job.yaml', 'own.csv'])).toMatchObject(clash);
    await desk.write('kept.yaml', `${await desk.read('job.yaml')}on_existing: keep\n`);
    expect((await desk.type(['plan', 'kept.yaml', 'own.csv'])).stdout).toContain('domain ← domain');
  },
);

proof('plan and status list what answers have, and plan names what the job looks for in vain', async () => {
  const desk = await openDesk();
  await desk.list(2);
  const { batch } = await desk.json(desk.run());
  await desk.write('job.yaml', 'operation: enrich-company\nadd: { city: location.cty }\n');
  const { stdout, stderr } = await desk.type(['plan', 'job.yaml', 'list.csv']);
  expect(stdout).toMatch(/^ {2}fields {9}name, .*location\.city.*, in 2 answers so far$/m);
  expect(stderr).toContain('`location.cty` is in none of 2 answers; did you mean `location.city`?');
  expect(await desk.json(['plan', 'job.yaml', 'list.csv'])).toMatchObject({
    fields: expect.arrayContaining(['technologies', 'location.city']),
  });
  expect((await desk.type(['status', batch, '2'])).stdout).toMatch(
    /^ {2}fields for add: name, .*technologies/m,
  );
  expect(await desk.json(['status', batch, '2'])).toMatchObject({
    fields: expect.arrayContaining(['location.city']),
  });
});

proof(
  'the name of a column cannot command the terminal, and may have several lines, also in a saved job',
  async () => {
    const desk = await openDesk();
    await desk.write('list.csv', '"Company\nWebsite\u001b[31m: x # y"\nacme.example\nbeta.example\n');
    const { stdout, stderr } = await desk.type(desk.run('--save-job', 'job.yaml'));
    expect(stdout + stderr).not.toContain('\u001b');
    expect(stderr).toContain('domain ← Company Website: x # y (');
    expect(await desk.json(['run', 'job.yaml', 'list.csv', '-o', 'out.csv', '--budget', '9'])).toMatchObject({
      requests: 0,
    });
  },
);
