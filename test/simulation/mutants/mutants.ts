import { callMutants } from './call-mutants.ts'
import type { Mutant } from './mutant.ts'
import { orderMutants } from './order-mutants.ts'
import { platformMutants } from './platform-mutants.ts'
import { processMutants } from './process-mutants.ts'
import { sharedStoreMutants } from './shared-store-mutants.ts'
import { spoolMutants } from './spool-mutants.ts'
import { stockMutants } from './stock-mutants.ts'

const game = 'test/simulation/world/game'

/** Game servers that are wrong. */
const gameMutants: readonly Mutant[] = [
  {
    name: 'the game server gives an item again',
    file: `${game}/game-state.ts`,
    from: "if (known && known.result !== 'TEMPORARY' && !known.isLost) return\n  delete",
    to: 'delete',
  },
  {
    name: 'the game server replies before it saves',
    file: `${game}/game-store.ts`,
    from: '      save(text)\n',
    to: '      if (text.length % 8 === 0) save(text)\n',
  },
  {
    name: 'the game server saves in place',
    file: `${game}/game-store.ts`,
    from: 'fs.writeFileSync(temporary, text)\n    sync(fs, temporary)\n    fs.renameSync(temporary, path)\n    sync(fs, dir)',
    to: 'fs.writeFileSync(path, text)\n    void [temporary, dir]',
  },
  {
    name: 'the game server gives nothing and says DELIVERED',
    file: `${game}/game-state.ts`,
    from: 'state.given[transactionId] = (state.given[transactionId] ?? 0) + 1',
    to: '',
  },
  {
    name: 'the game server says OUT_OF_STOCK after it gave the item',
    file: `${game}/game-state.ts`,
    from: 'return { observedQuantity: left(state, itemRef), result }',
    to: "return { observedQuantity: left(state, itemRef), result: result === 'DELIVERED' ? 'OUT_OF_STOCK' : result }",
  },
  {
    name: 'the game server asks for one purchase under two ids',
    file: `${game}/live-day.ts`,
    from: 'input: { itemRef, quantity, buyerCharacterRef }, id }\n',
    to: "input: { itemRef, quantity, buyerCharacterRef }, id: process.random.happens(0.5) ? id : 'again-' + id }\n",
  },
]

/** Every mutant that a simulation must find. */
export const mutants: readonly Mutant[] = [
  ...callMutants,
  ...stockMutants,
  ...processMutants,
  ...spoolMutants,
  ...orderMutants,
  ...gameMutants,
  ...platformMutants,
  ...sharedStoreMutants,
]

/** @throws {Error} There is none of that name. */
export function mutantNamed(name: string): Mutant {
  const mutant = mutants.find((known) => known.name === name)
  if (!mutant) throw new Error(`no mutant has the name ${JSON.stringify(name)}`)
  return mutant
}

/** A source with its fault. @throws {Error} The text is not there once, so the mutant must be written again. */
export function applyMutant(source: string, { name, from, to }: Mutant): string {
  const parts = source.split(from)
  if (parts.length !== 2)
    throw new Error(`the text of the mutant ${JSON.stringify(name)} is there ${parts.length - 1} times`)
  return parts.join(to)
}
