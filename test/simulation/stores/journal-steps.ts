import type { Random } from '../random.ts'
import type { NotingJournal } from './journal-contract.ts'
import type { Step } from './transcript.ts'

const ids = ['a', 'b', 'c'] as const
const operationNames = ['transaction.create', 'market.adjust-stock', 'market.register.envelope'] as const
const windowMs = 600_000

function drawCall(random: Random) {
  const id = random.pick(ids)
  return { id, fingerprint: `of ${id}`, operationName: random.pick(operationNames) }
}

/** What a process may do with a journal. */
export const journalSteps: readonly Step<NotingJournal>[] = [
  async ({ store }, random) => {
    const call = drawCall(random)
    await store.recordIntent(call)
    return `intent of ${call.id} (${call.operationName})`
  },
  async ({ store }, random) => {
    const call = drawCall(random)
    const dataText = String(random.integer(0, 99))
    await store.recordAnswer(call, { ok: true, dataText }, windowMs)
    return `answer ${dataText} of ${call.id} (${call.operationName})`
  },
  async ({ store }, random) => {
    const call = drawCall(random)
    await store.release(call)
    return `release ${call.id}`
  },
  async ({ store }, random) => {
    const { id } = drawCall(random)
    await store.forgetEnded(id)
    return `forget ${id}`
  },
  async ({ store }, random) => {
    const repair = { itemRef: random.pick(ids), quantity: random.integer(0, 9), dueInMs: 30_000 }
    await store.noteRepair(repair)
    return `repair of ${repair.itemRef} with ${repair.quantity}`
  },
  async ({ store }, random) => {
    const itemRef = random.pick(ids)
    await store.removeRepair(itemRef)
    return `${itemRef} is repaired`
  },
  async ({ store }, random) => {
    const lifetimeMs = random.integer(0, 9)
    return `begin with ${lifetimeMs} after ${await store.begin(lifetimeMs)}`
  },
]

/** What a process sees of a journal. How many old entries it still has is its own affair. */
export async function lookAtJournal(journal: NotingJournal): Promise<unknown> {
  const entries = await Promise.all(ids.map((id) => journal.find(id)))
  const repairs = (await journal.findRepairs()).map(({ itemRef, quantity }) => `${itemRef} ${quantity}`)
  return { answers: entries.map((entry) => entry?.answer ?? null), repairs: repairs.sort() }
}
