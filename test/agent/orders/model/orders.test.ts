import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isConsistent, type Sale, World } from './world.ts'

const steps = {
  'a sale': (world) => world.sell(),
  'a dispute': (world, n) => onSale(world, n, (sale) => world.move(sale, 'dispute')),
  'a rejected dispute': (world, n) => onSale(world, n, (sale) => world.move(sale, 'reject-dispute')),
  'a refund': (world, n) => onSale(world, n, (sale) => world.move(sale, 'refund')),
  'a completion': (world, n) => onSale(world, n, (sale) => world.move(sale, 'complete')),
  webhooks: (world) => world.deliver(),
  'time passes': (world, n) => world.advance([500, 3_000, 15_000, 65_000, 190_000][n % 5] as number),
  'the agent is killed': (world) => world.kill(),
  'the agent starts': (world) => {
    world.kill()
    world.start()
  },
  'the platform cannot be reached': (world) => {
    world.isPlatformUp = false
  },
  'the platform is back': (world) => {
    world.isPlatformUp = true
  },
  'another mood': (world, n) => {
    world.nextResult =
      (['DELIVERED', 'dies', 'OUT_OF_STOCK', 'TEMPORARY', 'dies', 'loses its reply'] as const)[n % 6] ?? 'DELIVERED'
  },
} as const satisfies Record<string, (world: World, n: number) => unknown>
const names = Object.keys(steps) as (keyof typeof steps)[]
/** Drawn more often than the others. */
const often = ['webhooks', 'time passes', 'time passes', 'another mood', 'a dispute'] as const

function onSale({ sales }: World, n: number, act: (sale: Sale) => void): void {
  const sale = sales[n % Math.max(1, sales.length)]
  if (sale) act(sale)
}

/** An order that is disputed while a game server that fails is offered it again and again. */
const disputedWhileOffered: [keyof typeof steps, number][] = [
  ...([
    ['another mood', 1],
    ['a sale', 0],
    ['webhooks', 0],
  ] as const),
  ...([
    ['a dispute', 0],
    ['time passes', 3],
    ['time passes', 3],
    ['time passes', 3],
  ] as const),
].map(([name, n]) => [name, n])

/** Everybody recovers, and time passes until nothing is open. */
async function heal(world: World): Promise<void> {
  world.kill()
  Object.assign(world, { isPlatformUp: true, nextResult: 'DELIVERED' })
  world.start()
  for (let round = 0; round < 40; round++) {
    for (const sale of world.sales) {
      if (sale.phase === 'disputed') world.move(sale, 'reject-dispute')
      if (sale.phase === 'failed') world.move(sale, 'refund')
      if (sale.phase === 'delivered') world.move(sale, 'complete')
    }
    await world.deliver()
    const isQuiet = world.sales.every(({ phase, isEndPending }) => !isEndPending && /completed|refunded/.test(phase))
    if (isQuiet && world.open.length === 0) return
    await world.advance(31_000)
  }
}

test('whatever fails, each paid order is given once or its buyer has the money back, and nothing stays open', async () => {
  const run = fc.array(fc.tuple(fc.constantFrom(...names, ...often), fc.nat(20)), { minLength: 5, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(run, async (chosen) => {
      const world = new World()
      world.start()
      for (const [name, n] of chosen) {
        await steps[name](world, n)
        await world.settle()
      }
      await heal(world)
      world.kill()
      expect(world.faults).toEqual([])
      expect(world.open).toEqual([])
      expect(new Set(world.given).size, 'no item twice').toBe(world.given.length)
      for (const sale of world.sales) {
        expect(isConsistent(sale)).toBe(true)
        expect(sale.phase).toMatch(/completed|refunded/)
        if (sale.phase === 'completed') expect(world.given).toContain(sale.transactionId)
      }
    }),
    { numRuns: 1_000, examples: [[disputedWhileOffered]] },
  )
})
