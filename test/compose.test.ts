/**
 * Goal: the installation that docs/compose.yaml describes works as it stands.
 * Method: no container is started here. The commands of the file are, in its order and with its roles, over a real server: what lays
 * out, what grants, a worker under its restricted role, its health check, and a submit.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Ended } from './cli/rowonce.ts';
import { typedAt } from './cli/typed.ts';
import { domainsOf, Workplace } from './faults/workplace.ts';
import { anotherServer } from './ledger/stores/postgres-server.ts';
import { proof } from './support/combinations.ts';
import { describeProgram } from './support/program.ts';

const service = z.looseObject({
  command: z.array(z.string()).optional(),
  entrypoint: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
  network_mode: z.string().optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
});
const compose = z.looseObject({
  services: z.record(z.string(), service),
  configs: z.record(z.string(), z.object({ content: z.string() })),
});

const text = readFileSync(join(import.meta.dirname, '..', 'docs', 'compose.yaml'), 'utf8');
const { services, configs } = compose.parse(parse(text, { merge: true }));

/** The words behind `rowonce`; none for a service that is another program. */
function wordsOf(name: string): readonly string[] {
  const { command = [], entrypoint = [] } = services[name] ?? {};
  const words = [...entrypoint, ...command].flatMap((each) =>
    each.includes('rowonce ') ? each.split(' ') : each,
  );
  const at = words.findIndex((word, index) => word === 'rowonce' && words[index - 1] === 'npx');
  const end = words.indexOf('>');
  return at === -1 ? [] : words.slice(at + 1, end === -1 ? undefined : end);
}

test('each service waits for one that is there, and every command and option is one of the program', async () => {
  const program = await describeProgram();
  expect(Object.keys(services).filter((name) => wordsOf(name).length > 0)).toEqual([
    'init',
    'worker-1',
    'worker-2',
    'submit',
  ]);
  for (const [name, { depends_on: others = {} }] of Object.entries(services)) {
    for (const other of Object.keys(others)) expect(services, name).toHaveProperty(other);
    const [word, ...more] = wordsOf(name);
    if (word === undefined) continue;
    const command = program.commands.find((each) => each.name() === word);
    const known = [command, ...(command?.commands ?? [])].flatMap((each) =>
      each?.options.map(({ long }) => long),
    );
    for (const flag of more.filter((each) => each.startsWith('--'))) expect(known, name).toContain(flag);
  }
});

test('what stays has not the role of the owner, who has to prove to be it', () => {
  expect(services.database?.environment?.POSTGRES_INITDB_ARGS).toContain('--auth-host=scram-sha-256');
  const knows = Object.entries(services).flatMap(([name, each]) =>
    JSON.stringify([each.environment, each.command, each.entrypoint]).match(/POSTGRES_PASSWORD|rowonce_owner/)
      ? name
      : [],
  );
  expect(knows).toEqual(['database', 'init', 'grants']);
});

test('health is asked where the worker says it', () => {
  for (const name of ['worker-1', 'worker-2']) {
    const words = wordsOf(name);
    const port = words[words.indexOf('--health') + 1];
    expect(services[name]?.healthcheck?.test.at(-1)).toContain(`http://127.0.0.1:${port}/healthz`);
    expect(services[name]?.network_mode, 'a URL of 127.0.0.1 leads to the database').toBe('service:database');
  }
});

proof(
  'the commands of the file lay out a database, and a worker under its role finishes what is submitted',
  async () => {
    const server = await anotherServer();
    const { environment = {} } = services.database ?? {};
    // The one of the server's databases that asks for passwords.
    const database = 'locked';
    const { POSTGRES_DB: named = '', POSTGRES_USER: owner = '' } = environment;
    const roles = configs.roles?.content.replaceAll(/\$\{\w+[^}]*\}/g, 'workers1');
    await server.query('postgres', `CREATE ROLE ${owner} SUPERUSER LOGIN PASSWORD 'owners1'; ${roles}`);
    await server.createDatabase(database);
    await using place = await Workplace.open();
    place.writeList(domainsOf('composed', 60));
    const port = await freePort();
    const here = (word: string): string =>
      word
        .replace(`127.0.0.1:5432/${named}`, `127.0.0.1:${new URL(server.url(database)).port}/${database}`)
        .replaceAll('4831', port);
    const typed = (name: string): readonly string[] => wordsOf(name).map(here);
    const type = (words: readonly string[], env: object): Promise<Ended> =>
      typedAt(words, { env: { ...place.environment, ...env } });
    const [asOwner, asWorker] = [{ PGPASSWORD: 'owners1' }, { PGPASSWORD: 'workers1' }];
    const refused = await type(typed('init'), asWorker);
    expect(refused.stderr).toContain('password');
    const laidOut = await type(typed('init'), asOwner);
    expect(laidOut.code, laidOut.stderr).toBe(0);
    await server.query(database, laidOut.stdout);
    const worker = place.type([...typed('worker-1'), '--json'], asWorker);
    const check = services['worker-1']?.healthcheck?.test.slice(1).map(here) ?? [];
    await expect.poll(() => exitCodeOf(check)).toBe(0);
    const list = ['enrich-company', place.path('list.csv'), '--budget', '500'];
    const submitted = await type([...typed('submit'), ...list], asWorker);
    expect(submitted.code, submitted.stderr).toBe(0);
    const finished = async (): Promise<unknown> =>
      (
        await server.query(
          database,
          "SELECT count(*)::int AS count FROM rowonce_ledger.rows WHERE state <> 'pending'",
        )
      )[0]?.count;
    await expect.poll(finished).toBe(60);
    const shown = await type(['status', '--store', typed('submit').at(-1) ?? ''], asWorker);
    expect([shown.code, shown.stdout], shown.stderr).toEqual([
      0,
      expect.stringMatching(/60\/60 rows[\s\S]*^Worker /m),
    ]);
    worker.signal('SIGTERM');
    expect((await worker.ended).code).toBe(143);
    expect(await exitCodeOf(check), 'nobody answers any more').toBe(1);
  },
);

async function exitCodeOf([program = '', ...words]: readonly string[]): Promise<number | null> {
  const child = spawn(program === 'node' ? process.execPath : program, words, { stdio: 'ignore' });
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}

async function freePort(): Promise<string> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  await once(probe.close(), 'close');
  return String(typeof address === 'object' ? address?.port : '');
}
