import { type AgentProcess, spawnAgent } from '../agent/fixtures/agent-process.ts'
import { type Scenario, shortDeadlines } from './scenario.ts'
import { type Asked, World } from './world.ts'

/** Calls through both doors, while a reader deletes each answer at once. */
export async function callsScenario(): Promise<Scenario> {
  const world = await World.make()
  return {
    world,
    spawn: (options) =>
      spawnAgent(world.home, {
        ...options,
        env: { ...shortDeadlines, SERVICE_SPOOL_DIR: world.home.spoolDir, ...options.env },
      }),
    begin: (agent) => askAll(world, agent),
    goOn: (agent) => askAgain(world, agent),
    isSettled: () => world.unanswered.length === 0,
    repeat: (agent) => askOnceMore(world, agent),
    checkStored: () => undefined,
    checkAtEnd: (options) => world.checkAtEnd(options),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

const purchase = (itemRef: string) => ({ itemRef, quantity: 1, buyerCharacterRef: 'char-2' })
const registration = (itemRef: string) => ({
  itemRef,
  gameItemId: 'sword-9',
  itemName: 'Espada +9',
  attributes: 'ataque 120, à prova de falhas',
  quantityListed: 3,
  unitAmountCents: 1050,
  sellerCharacterRef: 'char-1',
})
const observation = (itemRef: string, observedQuantity: number) => ({ itemRef, observedQuantity })

/** A few of each: once, idempotent in order, safe; through files before and after the start, and through HTTP. */
async function askAll(world: World, agent: AgentProcess): Promise<void> {
  const byFile = (id: string, operation: Asked['operation'], input: Asked['input']) =>
    world.ask({ id, through: 'file', operation, input })
  const byHttp = (id: string, operation: Asked['operation'], input: Asked['input']) =>
    world.ask({ id, through: 'http', operation, input })
  byFile('f-buy-1', 'transaction.create', purchase('item-f1'))
  byFile('f-stock-1', 'market.adjust-stock', observation('item-f', 5))
  byFile('f-stock-2', 'market.adjust-stock', observation('item-f', 3))
  const chains = [
    [byHttp('h-buy-1', 'transaction.create', purchase('item-h1'))],
    [byHttp('h-sell-1', 'market.register', registration('item-h2'))],
    [
      byHttp('h-stock-1', 'market.adjust-stock', observation('item-h', 5)),
      byHttp('h-stock-2', 'market.adjust-stock', observation('item-h', 3)),
    ],
    [byHttp('h-ask-1', 'market.eligibility', { characterRef: 'char-1' })],
  ]
  const isListening = await listens(agent)
  byFile('f-sell-1', 'market.register', registration('item-f2'))
  byFile('f-deliver-1', 'transaction.delivery', { transactionId: 42 })
  byFile('f-bad-1', 'transaction.create', {})
  byFile('f-link-1', 'character.link', { characterRef: 'char-9' })
  if (isListening) await Promise.all(chains.map((chain) => callInTurn(world, agent, chain)))
}

/** What is unanswered is asked again, of the next agent. Files need not be asked again. */
async function askAgain(world: World, agent: AgentProcess): Promise<void> {
  if (await listens(agent)) await callInTurn(world, agent, callsOf(world))
}

/** Every id that was answered, once more. */
async function askOnceMore(world: World, agent: AgentProcess): Promise<void> {
  for (const asked of callsOf(world)) {
    // Repeating an observation that was not kept is a new one, and comes last.
    const wasAnswered = asked.answers.length > 0 && asked.operation !== 'market.adjust-stock'
    if (wasAnswered) await world.callHttp(agent, asked)
  }
}

const callsOf = (world: World) => world.asked.filter(({ through }) => through === 'http')

/** Calls that wait for each other's answer; one without an answer ends them. */
async function callInTurn(world: World, agent: AgentProcess, chain: readonly Asked[]): Promise<void> {
  for (const asked of chain) {
    if (asked.answers.length === 0 && !(await world.callHttp(agent, asked))) return
  }
}

function listens(agent: AgentProcess): Promise<boolean> {
  return agent.listening.then(
    () => true,
    () => false,
  )
}
