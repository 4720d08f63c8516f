import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { setStage } from '../../scripts/demo/stage.ts'
import { expectThat } from '../../scripts/demo/steps.ts'
import { binaryPrograms, sourcePrograms } from '../../scripts/programs.ts'
import { Course } from './course.ts'
import type { Example, Place } from './examples.ts'
import { GameServer } from './game-server.ts'
import { Market } from './market.ts'
import { takePorts } from './ports.ts'
import { steps } from './steps.ts'
import { Wire } from './wire.ts'

/** A course that was not passed: the step, and what the game server printed last. */
class CourseFailed extends Error {
  override readonly name = 'CourseFailed'
}

/**
 * Runs one example through the course, with a stub and an agent of its own.
 *
 * @param onStep Called at the end of each step that was passed.
 * @throws {CourseFailed}
 */
export async function runCourse(
  example: Example,
  source: string,
  onStep: (title: string, tookMs: number) => void,
): Promise<void> {
  await using ports = await takePorts()
  await using stage = await setStage(process.platform === 'win32' ? binaryPrograms : sourcePrograms)
  const place = { source, out: join(stage.dir, 'out'), gamePort: ports.gameServer }
  mkdirSync(place.out)
  const spoolDir = join(stage.dir, 'spool')
  const forwardToken = randomBytes(16).toString('hex')
  await build(example, place)
  const agent = await stage.startAgent(example.name, {
    SERVICE_AGENT_PORT: String(ports.agent),
    SERVICE_WEBHOOK_PORT: String(ports.webhooks),
    ...(example.orders === 'pushed' && {
      SERVICE_WEBHOOK_FORWARD_URL: `http://127.0.0.1:${ports.gameWire}/orders`,
      SERVICE_WEBHOOK_FORWARD_TOKEN: forwardToken,
    }),
    ...(example.orders === 'files' && { SERVICE_SPOOL_DIR: spoolDir }),
  })
  await using agentWire = new Wire(ports.agentWire, ports.agent)
  await using gameWire = new Wire(ports.gameWire, ports.gameServer)
  await Promise.all([agentWire.open(), gameWire.open()])
  const env = {
    AGENT_URL: `http://127.0.0.1:${ports.agentWire}`,
    SERVICE_SPOOL_DIR: spoolDir,
    GAME_PORT: String(ports.gameServer),
    SERVICE_WEBHOOK_FORWARD_TOKEN: forwardToken,
  }
  await using game = new GameServer({ example, place, dir: stage.dir, env })
  const market = new Market(stage, agent.gameServerId)
  const bridgeUrl = `http://127.0.0.1:${ports.webhooks}/webhook`
  const ordersUrl = `http://127.0.0.1:${ports.gameServer}/orders`
  const wires = { agentWire, gameWire, bridgeUrl, ordersUrl, forwardToken }
  const course = new Course({ example, stage, game, agent, market, spoolDir, ...wires })
  let title = 'it starts'
  try {
    await game.start()
    for (const step of steps) {
      if (step.isFor?.(example) === false) continue
      title = step.title
      const startMs = performance.now()
      await step.take(course)
      onStep(title, performance.now() - startMs)
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const printed = game.printed.slice(-15).map((line) => `    ${line}`)
    const world = game.saved.text.split('\n').map((line) => `    ${line}`)
    throw new CourseFailed([`${title}: ${why}`, '  printed last:', ...printed, '  saved:', ...world].join('\n'))
  }
}

/** The examples are to be read whole. @throws {Error} This one is too long. */
export function checkLength({ linesMax }: Example, source: string): void {
  const files = readdirSync(source).filter((name) => !name.startsWith('README'))
  const lines = files.flatMap((name) => readFileSync(join(source, name), 'utf8').trimEnd().split('\n'))
  expectThat(lines.length <= linesMax, `it has ${lines.length} lines, and may have ${linesMax}`)
}

async function build(example: Example, place: Place): Promise<void> {
  const [file, ...args] = example.build?.(place) ?? []
  if (file === undefined) return
  const { stderr } = await promisify(execFile)(file, args, { cwd: place.source })
  expectThat(stderr === '', `the build of ${example.name} warns:\n${stderr}`)
}
