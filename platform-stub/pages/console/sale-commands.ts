import type { AgentBeside } from '../../marketplace/game-servers/agent-beside.ts'
import type { SaleNames, SaleStep } from './first-sale.ts'
import { type SaleWay, waysByHand } from './sale-ways.ts'

/** Where the commands are typed. */
export interface SaleStage {
  readonly developerUrl: string
  /** The agent that runs already; null where the commands register and start one. */
  readonly agent: AgentBeside | null
}

type Commands = Readonly<Record<SaleStep, readonly string[]>>

/** The agent that the commands of the first two steps make. */
const ownAgent: AgentBeside = { url: 'http://127.0.0.1:8899', spoolDir: 'spool', forwardUrl: null }

/** The agent of the first sale. */
export function agentOn({ agent }: SaleStage): AgentBeside {
  return agent ?? ownAgent
}

/** The commands of each step; none where the step is done already, or an example does it by itself. */
export function saleCommands(way: SaleWay, names: SaleNames, stage: SaleStage): Commands {
  const { word } = waysByHand[way === 'examples' ? 'curl' : way]
  const provision = `platform-stub provision --url ${word(stage.developerUrl)} --name my-game --bridge --spool-dir spool --state-dir state --out game`
  const steps = way === 'examples' ? stepsOfExample(names) : stepsByHand(way, names, agentOn(stage))
  return stage.agent
    ? { server: [], ...steps }
    : { server: [provision], ...steps, call: ['market-agent run --config game/agent.env', ...steps.call] }
}

/** What is typed into the game server of an example. Its commands are words, so other characters have the usual names. */
function stepsOfExample({ seller, buyer, itemRef }: SaleNames): Omit<Commands, 'server'> {
  const plain = (name: string, usual: string) => (/^[\w.-]+$/.test(name) ? name : usual)
  const [by, item] = [plain(seller, 'char-1'), plain(itemRef, 'espada')]
  return {
    call: [],
    link: [`link ${by}`],
    listing: [`list ${item} ${by} 3 1050`],
    purchase: [`buy ${item} 1 ${buyer}`],
    payment: [],
    delivery: [],
  }
}

function stepsByHand(way: keyof typeof waysByHand, names: SaleNames, agent: AgentBeside): Omit<Commands, 'server'> {
  const { seller, isSellerApproved, buyer, itemRef, linkId, listingId, transactionId } = names
  const { prepare, call, handleOrder } = waysByHand[way]
  const offer = {
    itemRef,
    gameItemId: 'sword-9',
    itemName: 'Espada +9',
    attributes: 'Ataque 120',
    quantityListed: 3,
    unitAmountCents: 1_050,
    sellerCharacterRef: seller,
  }
  const purchase = { itemRef, quantity: 1, buyerCharacterRef: buyer }
  // A refusal is remembered under its id. So the id changes with the approval that the listing was refused for.
  const listingTry = isSellerApproved ? 2 : 1
  // The ids are made of the platform's numbers. They rise through a reset, so what is remembered is never repeated.
  return {
    call: [
      ...prepare(agent),
      call(agent, { operation: 'market.eligibility', input: { characterRef: seller }, id: 'ask' }),
    ],
    link: [call(agent, { operation: 'character.link', input: { characterRef: seller }, id: `link-${linkId}` })],
    listing: [call(agent, { operation: 'market.register', input: offer, id: `register-${listingId}-${listingTry}` })],
    purchase: [call(agent, { operation: 'transaction.create', input: purchase, id: `buy-${transactionId}` })],
    payment: [],
    delivery: handleOrder(agent, transactionId),
  }
}
