/**
 * `npm run demo`: a stub and three sample game servers, each with its agent, as real processes. A purchase in each of the
 * three ways in which a game server gets its orders, a refund, a repeated id, a refusal. Each game server has the one
 * handler of `demo/handler.ts`, and its agent reports what it replied. Prints a line for each step.
 * `npm run demo -- --hosts 3`: three worlds with one identity, each with its agent, over one PostgreSQL. One agent is
 * killed in the middle of a sale. `--binary` runs the executables of `npm run build`.
 * Exit 0, 1 with the step that failed, or 2 if it cannot run like this here.
 */
import { parseArgs } from 'node:util'
import { PostgresMissingError } from '../test/agent/fixtures/postgres-programs.ts'
import { type GameServer, gameServerThatAsks, gameServerWithFiles, gameServerWithHttp } from './demo/game-server.ts'
import { letSell, linkSeller, offer, offerAndBuy, payAndSeeItEnd, refunded, sold, succeed } from './demo/purchase.ts'
import { type Stage, setStage } from './demo/stage.ts'
import { expectThat, StepFailed, step } from './demo/steps.ts'
import { playThreeHosts } from './demo/three-hosts.ts'
import { binaryPrograms, type ProgramCommands, sourcePrograms } from './programs.ts'

async function play(stage: Stage, withHttp: GameServer, withFiles: GameServer, thatAsks: GameServer): Promise<void> {
  console.log('\nA purchase over HTTP: the agent posts the order to the game server')
  await linkSeller(stage, withHttp)
  await payAndSeeItEnd(stage, withHttp, await offerAndBuy(withHttp, 'offer-1'), sold)

  console.log('\nAn item that is gone')
  const gone = await offerAndBuy(withHttp, 'offer-2')
  await step('the item is lost in the game before it is paid', async () => withHttp.game.stock.set('offer-2', 0))
  await payAndSeeItEnd(stage, withHttp, gone, refunded)

  console.log('\nA repeated id')
  await step(
    'transaction.create again under its id',
    async () => {
      const before = (await stage.atPlatform('GET', '/stub/transactions')) as unknown[]
      const purchase = { itemRef: 'offer-1', quantity: 1, buyerCharacterRef: 'char-2' }
      await succeed(withHttp, 'transaction.create', purchase, 'buy-offer-1')
      const after = (await stage.atPlatform('GET', '/stub/transactions')) as unknown[]
      expectThat(after.length === before.length, 'it made a second transaction')
    },
    () => 'the first answer, no second purchase',
  )

  console.log('\nA refusal')
  await step(
    'market.register under a reference that was used',
    async () => {
      const answer = await withHttp.call('market.register', offer('offer-1'))
      expectThat(!answer.ok && answer.status === 409, `it answered ${JSON.stringify(answer)}`)
      return answer
    },
    ({ status, message }) => `${status} ${message}`,
  )

  console.log('\nA purchase with files only: events/ and replies/')
  await letSell(stage, withFiles)
  await payAndSeeItEnd(stage, withFiles, await offerAndBuy(withFiles, 'offer-3'), sold)

  console.log('\nA purchase by asking: no port, no files, orders.open and orders.take')
  await letSell(stage, thatAsks)
  await payAndSeeItEnd(stage, thatAsks, await offerAndBuy(thatAsks, 'offer-4'), sold)
}

/** One game server for each of the three ways. */
async function playThreeWays(programs: ProgramCommands): Promise<void> {
  await using stage = await setStage(programs)
  console.log(`platform-stub at ${stage.stubUrl}, three game servers, each with its market-agent`)
  const [http, files, asking] = await Promise.all([
    gameServerWithHttp(stage),
    gameServerWithFiles(stage),
    gameServerThatAsks(stage),
  ])
  using withHttp = http
  using withFiles = files
  using thatAsks = asking
  await play(stage, withHttp, withFiles, thatAsks)
}

const { binary, hosts } = parseArgs({ options: { binary: { type: 'boolean' }, hosts: { type: 'string' } } }).values
if (hosts !== undefined && hosts !== '3') {
  console.error('The demo of several hosts has three: npm run demo -- --hosts 3')
  process.exit(2)
}
try {
  const programs = binary ? binaryPrograms : sourcePrograms
  await (hosts === undefined ? playThreeWays(programs) : playThreeHosts(programs))
  console.log('\nAll went as it should.')
} catch (error) {
  if (error instanceof PostgresMissingError) {
    console.error(`The demo of several hosts cannot run here: ${error.message}.`)
    process.exit(2)
  }
  console.error(`\nThe demo failed at ${error instanceof StepFailed ? error.message : error}`)
  // Ends the programs that were still starting when another one failed, too.
  process.exit(1)
}
