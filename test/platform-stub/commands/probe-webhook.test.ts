import { spawnSync } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEnvelope } from '../../../contract/envelope/open.ts'
import { StubClock } from '../../../platform-stub/clock/clock.ts'
import { machineTime } from '../../../platform-stub/clock/machine-time.ts'
import { keyInFolder } from '../../../platform-stub/commands/probe-webhook/key.ts'
import { probeWebhook } from '../../../platform-stub/commands/probe-webhook/run.ts'
import { makeRandom } from '../../../platform-stub/server/random.ts'
import { stubProgram } from '../../programs/our-programs.ts'
import type { Ended } from '../../programs/program.ts'
import { type ReceiverFault, startHandMadeReceiver } from '../fixtures/hand-made-receiver.ts'
import { run, serve, spawnStub, temporaryFolder } from '../fixtures/process.ts'

/** A prober with a key of its own, and what a receiver knows about it. */
async function prober() {
  const folder = await temporaryFolder()
  const key = await keyInFolder(folder.path)
  const publicKeyPem = await readFile(join(folder.path, 'public-key.pem'), 'utf8')
  return {
    folder: folder.path,
    kid: key.kid,
    publicKeyPem,
    /** In this process, which saves most of the time of a probing. */
    async probe(url: string) {
      const lines: string[] = []
      const hasPassed = await probeWebhook({
        url,
        key,
        sale: { itemRef: 'probe-item', buyerCharacterRef: 'probe-buyer', sellerCharacterRef: 'probe-seller' },
        random: makeRandom(null),
        clock: new StubClock(machineTime, 0),
        print: (line) => lines.push(line),
      })
      return { hasPassed, lines }
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

/** The names of the probes whose lines begin with a mark. */
function marked(mark: string, lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith(mark)).map((line) => line.split(/\s+/)[1] ?? '')
}

const repeats = ['order-again', 'order-twice-at-once', 'order-after-temporary', 'end-again']
const withOrders = ['order', 'order-again', 'order-twice-at-once', 'order-after-temporary', 'order-in-other-spelling']
const afterOrders = ['end-completed', 'end-refunded-after-failure', 'end-refunded-after-dispute']

const broken: [ReceiverFault, failing: string[]][] = [
  [
    'does not verify the signature',
    ['body-written-again', 'tampered-body', 'tampered-header', 'stranger-key', 'end-tampered-body', 'end-stranger-key'],
  ],
  ['verifies orders only', ['end-unsigned', 'end-tampered-body', 'end-stranger-key', 'end-past-its-exp']],
  ['ignores the kid', ['other-kid', 'no-kid']],
  ['ignores the alg', ['alg-misnamed']],
  ['believes the alg', ['alg-none', 'alg-hs256', 'alg-rs512', 'alg-misnamed']],
  ['ignores the exp', ['expired', 'no-exp', 'end-past-its-exp']],
  ['has a leeway of half an hour', ['expired', 'end-past-its-exp']],
  ['compares a missing exp', ['no-exp']],
  ['ignores the middle segment', ['middle-segment']],
  ['verifies what it would have written', ['order-in-other-spelling', 'body-written-again']],
  ['answers 500 to what it has already', repeats],
  ['answers 404 to the end of a stranger', ['end-expired', 'end-cancelled', 'end-again', 'order-after-its-end']],
  ['answers 409 to an order after its end', ['order-after-its-end']],
  ['reports no stock', [...withOrders, ...afterOrders, 'order-after-its-end']],
]

test.each(broken)('a receiver that %s is named by the probes of that, and by no other', async (fault, failing) => {
  await using own = await prober()
  await using receiver = await startHandMadeReceiver(own.kid, own.publicKeyPem, fault)
  const { hasPassed, lines } = await own.probe(receiver.url)
  expect(marked('FAIL', lines).sort()).toEqual([...failing].sort())
  expect(marked('?', lines)).toEqual([])
  expect(hasPassed).toBe(false)
})

test('a leeway of five minutes on exp, for clocks that differ, costs nothing', async () => {
  await using own = await prober()
  await using receiver = await startHandMadeReceiver(own.kid, own.publicKeyPem, 'has a leeway of five minutes')
  const { hasPassed, lines } = await own.probe(receiver.url)
  expect([hasPassed, marked('FAIL', lines)]).toEqual([true, []])
})

test('where no end of a purchase is taken, refusing a forged one counts for nothing', async () => {
  await using own = await prober()
  await using receiver = await startHandMadeReceiver(own.kid, own.publicKeyPem, 'answers 404 to every end')
  const { lines } = await own.probe(receiver.url)
  const forgedEnds = ['end-unsigned', 'end-tampered-body', 'end-stranger-key', 'end-past-its-exp']
  expect(marked('? ', lines)).toEqual(forgedEnds)
  expect(marked('ok', lines)).toContain('tampered-body')
})

test('a receiver written only from the interface passes, each line says what was sent, expected and came, and the rest is left open in words', async () => {
  await using own = await prober()
  await using receiver = await startHandMadeReceiver(own.kid, own.publicKeyPem)
  const { code, stdout, stderr } = await run('probe-webhook', receiver.url, '--key-dir', own.folder)
  expect([code, stderr]).toEqual([0, ''])
  const lines = stdout.trimEnd().split('\n')
  expect(lines[0]).toBe(
    `The receiver has to know the kid ${own.kid} and its public key: ${join(own.folder, 'public-key.pem')}`,
  )
  const held = marked('ok', lines)
  expect(new Set(held)).toEqual(new Set([...broken.flatMap(([, failing]) => failing), 'unsigned', 'alg-ps256']))
  for (const line of lines.filter((one) => one.startsWith('ok'))) {
    expect(line).toMatch(/^ok {3}\S+ +sent .+; expected (2xx|2xx with observedQuantity|anything but 2xx); came .+$/)
  }
  expect(lines).toContain('- order-again, order-twice-at-once: that the item was handed out once')
  expect(lines).toContain('- whatever was refused: that nothing had been done before')
  expect(lines.at(-1)).toBe(`${held.length} of ${held.length} held.`)
  const docs = join(import.meta.dirname, '..', '..', '..', 'docs')
  expect(await readFile(join(docs, 'en', 'webhooks.md'), 'utf8')).toContain(`It sends ${held.length} cases`)
  expect(await readFile(join(docs, 'pt-BR', 'webhooks.md'), 'utf8')).toContain(`Ele envia ${held.length} casos`)
})

test("a receiver on the contract's own reader, provisioned by a running stub, passes with that stub's key and by its clock", async () => {
  await using folder = await temporaryFolder()
  await using stub = await serve('--memory')
  // Two hours on: signatures by the machine's clock would have expired long ago.
  const travelledMs = 7_200_000
  await stub.control.advance(travelledMs / 1_000)
  const out = join(folder.path, 'game')
  await run('provision', '--url', stub.listening.url, '--name', 'Aurora', '--out', out)
  const kid = /^SERVICE_PLATFORM_KID=(.+)$/m.exec(await readFile(join(out, 'agent.env'), 'utf8'))?.[1] ?? ''
  const key = createPublicKey(await readFile(join(out, 'platform-public-key.pem')))
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const headerLines = request.headersDistinct['x-platform-signature'] ?? []
    const rules = { keys: new Map([[kid, key]]), nowS: (Date.now() + travelledMs) / 1_000, leewayS: 30, request: null }
    const { ok } = await openEnvelope({ headerLines, body }, rules)
    response.writeHead(ok ? 200 : 401).end(ok ? '{"data":{"observedQuantity":0}}' : '{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  try {
    const { code, stdout } = await run('probe-webhook', url, '--stub', stub.listening.url)
    expect(marked('FAIL', stdout.split('\n'))).toEqual([])
    expect([code, stdout.includes(`the kid ${kid} `)]).toEqual([0, true])
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('a receiver that does not know the key fails, and its refusals count for nothing', async () => {
  await using own = await prober()
  await using receiver = await startHandMadeReceiver('another-kid', own.publicKeyPem)
  const { code, stdout } = await run('probe-webhook', receiver.url, '--key-dir', own.folder)
  const lines = stdout.split('\n')
  expect([code, marked('ok', lines)]).toEqual([1, []])
  expect(marked('FAIL', lines)).toContain('order')
  expect(marked('?', lines)).toContain('tampered-body')
  expect(stdout).toContain('Does the receiver know the kid and the public key above?')
})

test('each failed probe has its cure: in a line below it, and as a field of --json', async () => {
  await using own = await prober()
  await using receiver = await startHandMadeReceiver(own.kid, own.publicKeyPem, 'ignores the kid')
  const { lines } = await own.probe(receiver.url)
  const line = lines.find((one) => one.startsWith('FAIL other-kid'))
  expect(line?.split('\n')[1]).toBe(
    '     cure: compare kid in the protected header with platformKeyKid, and refuse another one',
  )
  expect(lines.filter((one) => one.includes('cure:')).map((one) => one.slice(0, 4))).toEqual(['FAIL', 'FAIL'])

  const { code, stdout } = await run('probe-webhook', receiver.url, '--key-dir', own.folder, '--json')
  const report = JSON.parse(stdout) as { ok: boolean; probes: { name: string; verdict: string; cure: string | null }[] }
  expect([code, report.ok, stdout.trimEnd().split('\n').length]).toEqual([1, false, 1])
  expect(report).toMatchObject({ key: { kid: own.kid }, notSent: 0 })
  expect(report.probes.filter(({ cure }) => cure !== null).map(({ name }) => name)).toEqual(['other-kid', 'no-kid'])
  expect(report.probes.find(({ name }) => name === 'no-kid')).toEqual({
    name: 'no-kid',
    verdict: 'failed',
    rule: 'interface section 5, step 2',
    sent: 'a transfer_order with no kid',
    expected: 'refused',
    answers: [{ status: 200, body: expect.stringContaining('observedQuantity') }],
    cure: 'refuse a protected header without kid',
    unproven: null,
  })
})

test('a receiver that passes has no cure, and --json ends with 0', async () => {
  await using own = await prober()
  await using receiver = await startHandMadeReceiver(own.kid, own.publicKeyPem)
  const { code, stdout } = await run('probe-webhook', receiver.url, '--key-dir', own.folder, '--json')
  const report = JSON.parse(stdout) as { ok: boolean; probes: { verdict: string; cure: string | null }[] }
  expect([code, report.ok]).toEqual([0, true])
  expect(report.probes.every(({ verdict, cure }) => verdict === 'ok' && cure === null)).toBe(true)
})

test('hanging up is not a refusal, and a redirect is not followed', async () => {
  await using own = await prober()
  await using rude = await startHandMadeReceiver(own.kid, own.publicKeyPem, 'hangs up on a bad signature')
  const { hasPassed, lines } = await own.probe(rude.url)
  expect([hasPassed, marked('FAIL', lines).includes('tampered-body')]).toEqual([false, true])
  expect(marked('FAIL', lines)).not.toContain('order')
  await using elsewhere = await startHandMadeReceiver(own.kid, own.publicKeyPem, 'redirects')
  const redirected = await own.probe(elsewhere.url)
  expect(redirected.lines.find((line) => line.startsWith('FAIL order '))).toContain('came 307')
})

test('without an answer the probing ends after one probe; the key is made at the first run and kept', async () => {
  await using folder = await temporaryFolder()
  const keyFolder = join(folder.path, 'key')
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await new Promise((resolve) => server.close(resolve))
  const first = await run('probe-webhook', url, '--key-dir', keyFolder)
  expect([first.code, marked('FAIL', first.stdout.split('\n'))]).toEqual([1, ['order']])
  expect(first.stdout).toMatch(/ECONNREFUSED/)
  expect(first.stdout).toMatch(/Nothing answers there: the other \d+ probes were not sent\./)
  expect((await stat(join(keyFolder, 'private-key.pem'))).mode & 0o777).toBe(0o600)
  const again = await run('probe-webhook', url, '--key-dir', keyFolder)
  expect(again.stdout).toBe(first.stdout)
})

test('on a terminal the probe under way is shown and written over; elsewhere there are whole lines only', async () => {
  await using own = await prober()
  const args = ['probe-webhook', 'http://127.0.0.1:9/', '--key-dir', own.folder]
  const command = [...stubProgram(), ...args].join(' ')
  const onTerminal = spawnSync('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  expect(onTerminal.stdout).toContain('\r\u001b[K1 of 31: order\r\u001b[KFAIL order')
  const { stdout } = await run(...args)
  expect(stdout).toContain('\nFAIL order')
  expect(stdout).not.toContain('\r')
})

test('a reader that closes the pipe ends the probing without a word', async () => {
  await using own = await prober()
  await using receiver = await startHandMadeReceiver(own.kid, own.publicKeyPem)
  await using probing = spawnStub(['probe-webhook', receiver.url, '--key-dir', own.folder])
  await probing.printed('\n')
  probing.closeOutput()
  expect([(await probing.ended).code, probing.stderr()]).toEqual([1, ''])
})

test('the line of a failed probe shows the answer up to its reason', async () => {
  await using own = await prober()
  const reason = 'NullPointerException: player 17 is not online'
  const page = `<html><head><style>${'body { margin: 0 } '.repeat(30)}</style></head><body>${reason}</body></html>`
  const server = createServer((_, response) => response.writeHead(500).end(page)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { lines } = await own.probe(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  server.closeAllConnections()
  server.close()
  expect(lines.find((line) => line.startsWith('FAIL order '))).toContain(reason)
})

test('wrong usage ends with 2; a key that is none, or a stub that is not there, with 1 and what to do', async () => {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, 'private-key.pem'), 'my diary')
  const url = 'http://127.0.0.1:9/'
  const ends = await Promise.all([
    run('probe-webhook'),
    run('probe-webhook', 'receiver'),
    run('probe-webhook', url, '--stub', 'http://127.0.0.1:9', '--key-dir', folder.path),
    run('probe-webhook', url, '--key-dir', folder.path),
    run('probe-webhook', url, '--stub', 'http://127.0.0.1:9'),
  ])
  expect(ends.map(({ code }) => code)).toEqual([2, 2, 2, 1, 1])
  expect(ends[3]?.stderr).toContain('has no RSA private key; move it away')
  expect(ends[4]?.stderr).toContain('no platform-stub answers at http://127.0.0.1:9')
})

test('a key folder that cannot be used is named, and so is a --stub that is something else', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'a-file')
  await writeFile(file, '')
  const replies = [
    [200, '{"data":{"kid":7}}'],
    [200, '[]'],
    [404, 'not here'],
    [403, '{"message":"no"}'],
  ] as const
  let asked = 0
  const server = createServer((_, response) => {
    const [status, body] = replies[asked++] ?? [500, '']
    response.writeHead(status).end(body)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const stubUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ends: Ended[] = [await run('probe-webhook', stubUrl, '--key-dir', file)]
  for (const _ of replies) ends.push(await run('probe-webhook', stubUrl, '--stub', stubUrl))
  server.close()
  expect(ends.map(({ code }) => code)).toEqual([1, 1, 1, 1, 1])
  const [inTheWay, ...answers] = ends.map(({ stderr }) => stderr)
  expect(inTheWay).toMatch(/^platform-stub: \S+a-file cannot keep the prober's key: .+; choose another --key-dir\n$/)
  const isNone = (status: number) =>
    `platform-stub: what answers at ${stubUrl} is not a platform-stub of this version (status ${status})\n`
  expect(answers).toEqual([isNone(200), isNone(200), isNone(404), `platform-stub: ${stubUrl} refused (403): no\n`])
})
