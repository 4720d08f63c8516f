import { expect, test } from 'vitest'
import { networkFaults } from '../faults/network-faults.ts'
import { startHost } from '../fixtures/start-host.ts'
import { Random } from '../random.ts'
import { worldActor } from '../scheduler.ts'
import type { Exchange, Handler, NetworkRequest } from './message.ts'
import { Network } from './network.ts'
import type { NetworkFault } from './network-faults.ts'

const world = worldActor('world')
const address = 'server:80'
const request: NetworkRequest = { method: 'PUT', path: '/', headers: [], body: Buffer.from('hello') }
const ok = { status: 200, headers: { date: 'Thu, 01 Jan 2026 00:00:00 GMT' }, body: Buffer.from('hi') }

/** A client that sends requests to a server, which counts them. */
function startPair(seed = '1', handle: Handler = async () => ok) {
  const { host, scheduler, random } = startHost(seed)
  const network = new Network(random)
  const arrived: string[] = []
  const ended: Exchange[] = []
  const server = host.install('server', (process) => {
    network.listen(process, address, (received) => {
      arrived.push(Buffer.from(received.body).toString())
      return handle(received)
    })
  })
  server.start()
  const send = (count = 1) => {
    const client = host.install('client', (process) => {
      for (let n = 0; n < count; n++) {
        const body = Buffer.from(String(n))
        void network.send(process, address, { ...request, body }).ended.then((exchange) => ended.push(exchange))
      }
    })
    scheduler.after(1, world, 'starts the client', () => client.start())
    return client
  }
  const run = (untilMs = 100_000) => scheduler.run(() => scheduler.nowMs > untilMs)
  return { scheduler, network, server, arrived, ended, send, run }
}

/** What a fault makes of one request. */
async function exchangeUnder(fault: NetworkFault, seed = '1') {
  const { network, arrived, ended, send, run } = startPair(seed)
  network.faults.add({ fault, address: undefined, rate: 1, random: new Random(seed) })
  send()
  await run()
  return { arrived, ended }
}

test('a request arrives, and its answer comes back', async () => {
  const { arrived, ended, send, run } = startPair()
  send()
  await run()
  expect(arrived).toEqual(['0'])
  expect(ended).toEqual([{ kind: 'answered', answer: ok }])
})

test('requests and answers overtake each other', async () => {
  const { arrived, send, run } = startPair()
  send(20)
  await run()
  expect(arrived.length).toBe(20)
  expect(arrived).not.toEqual(arrived.toSorted((one, other) => Number(one) - Number(other)))
})

const failed = (wasSent: boolean, code: string) => [
  { kind: 'failed', wasSent, cause: expect.objectContaining({ code }) },
]

test.each([
  ['refused', 0, failed(false, 'ECONNREFUSED')],
  ['reset before it arrives', 0, failed(true, 'ECONNRESET')],
  ['reset after it arrived', 1, failed(true, 'ECONNRESET')],
  ['request dropped', 0, []],
  ['answer dropped', 1, []],
  ['answer cut off', 1, failed(true, 'ECONNRESET')],
  ['request duplicated', 2, [{ kind: 'answered', answer: ok }]],
] as const)('under the fault "%s" the server gets %i requests', async (fault, count, exchanges) => {
  const { arrived, ended } = await exchangeUnder(fault)
  expect(arrived.length).toBe(count)
  expect(ended).toEqual(exchanges)
})

test('a server learns whether its answer has left, and not whether it arrived', async () => {
  const hasLeftUnder = async (fault: NetworkFault | undefined, seed: string) => {
    const left: boolean[] = []
    const { network, send, run } = startPair(seed, async () => ({ ...ok, onSent: (hasLeft) => left.push(hasLeft) }))
    if (fault) network.faults.add({ fault, address: undefined, rate: 1, random: new Random(seed) })
    send()
    await run()
    return left.join()
  }
  const seen = async (fault: NetworkFault | undefined) =>
    [...new Set(await Promise.all(Array.from({ length: 10 }, (_, n) => hasLeftUnder(fault, String(n)))))].sort()
  expect(await seen(undefined)).toEqual(['true'])
  expect(await seen('answer dropped')).toEqual(['true'])
  expect(await seen('reset after it arrived')).toEqual(['false', 'true'])
})

test('an intermediary answers in place of the server', async () => {
  const statuses = new Set<number>()
  for (let n = 0; n < 100; n++) {
    const { arrived, ended } = await exchangeUnder('answer of an intermediary', String(n))
    expect(arrived).toEqual([])
    if (ended[0]?.kind === 'answered') statuses.add(ended[0].answer.status)
  }
  expect(statuses).toEqual(new Set([200, 202, 302, 400, 401, 403, 404, 407, 502, 503]))
})

test('an answer is replaced after its request has arrived', async () => {
  const { arrived, ended } = await exchangeUnder('answer replaced')
  expect(arrived).toEqual(['0'])
  expect(ended).toMatchObject([{ kind: 'answered' }])
  expect(ended).not.toEqual([{ kind: 'answered', answer: ok }])
})

test('a date is missing, garbage or wrong', async () => {
  const dates = new Set<string>()
  for (let n = 0; n < 30; n++) {
    const [exchange] = (await exchangeUnder('wrong date', String(n))).ended
    const date = exchange?.kind === 'answered' ? exchange.answer.headers['date'] : 'none'
    dates.add(date === undefined ? 'missing' : Number.isNaN(Date.parse(date)) ? 'garbage' : 'wrong')
  }
  expect(dates).toEqual(new Set(['missing', 'garbage', 'wrong']))
})

test('what is given up before the connection is there was not sent; later it may arrive', async () => {
  const seen = new Set<string>()
  for (let n = 0; n < 40; n++) {
    const { host, scheduler, random } = startHost(String(n))
    const network = new Network(random)
    let arrived = 0
    host
      .install('server', (process) => {
        network.listen(process, address, async () => {
          arrived++
          return ok
        })
      })
      .start()
    let exchange: Exchange | undefined
    const client = host.install('client', (process) => {
      const { ended, giveUp } = network.send(process, address, request)
      void ended.then((found) => {
        exchange = found
      })
      process.after(random.between(0, 30), 'gives up', () => giveUp(new Error('no time')))
    })
    scheduler.after(1, world, 'starts the client', () => client.start())
    await scheduler.run(() => false)
    if (exchange?.kind === 'failed') seen.add(`${exchange.wasSent ? 'sent' : 'not sent'}, ${arrived} arrived`)
  }
  expect([...seen].sort()).toEqual(['not sent, 0 arrived', 'sent, 1 arrived'])
})

test('a server that is killed while it works resets its connections and accepts no new ones until it runs again', async () => {
  const { server, ended, send, run } = startPair('1', () => new Promise(() => undefined))
  send()
  await run(1_000)
  server.process?.end()
  await run(2_000)
  expect(ended).toEqual(failed(true, 'ECONNRESET'))
  send()
  await run(3_000)
  expect(ended.slice(1)).toEqual(failed(false, 'ECONNREFUSED'))
  server.start()
  await run(4_000)
  expect(ended.length).toBe(2)
})

test('a paused server gets its requests when it runs again', async () => {
  const { server, arrived, ended, send, run } = startPair()
  await run(0)
  server.process?.pause()
  send(3)
  await run(5_000)
  expect(arrived).toEqual([])
  server.process?.resume()
  await run(6_000)
  expect([arrived.length, ended.length]).toEqual([3, 3])
})

test('each fault of the table strikes and is over when it is healed', async () => {
  for (const { name, strike } of networkFaults) {
    const { network, ended, send, run } = startPair(name)
    network.addresses.push(address)
    const heal = strike({ network }, new Random(name))
    heal?.()
    send(10)
    await run()
    expect(
      ended.map(({ kind }) => kind),
      name,
    ).toEqual(Array(10).fill('answered'))
    expect(network.faults.slowMsMax.value).toBe(40)
  }
})

test('two processes cannot listen at one address, but a later one can', async () => {
  const { host, scheduler, random } = startHost()
  const network = new Network(random)
  const codes: unknown[] = []
  const listening = (name: string) =>
    host.install(name, (process) => {
      try {
        network.listen(process, address, async () => ok)
        codes.push('listens')
      } catch (error) {
        codes.push((error as NodeJS.ErrnoException).code)
      }
    })
  const [first, second] = [listening('first'), listening('second')]
  first.start()
  await scheduler.run(() => false)
  second.start()
  await scheduler.run(() => false)
  first.process?.end()
  second.process?.end()
  second.start()
  await scheduler.run(() => false)
  expect(codes).toEqual(['listens', 'EADDRINUSE', 'listens'])
})
