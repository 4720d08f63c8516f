import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { setStage } from '../../scripts/demo/stage.ts'
import { expectThat } from '../../scripts/demo/steps.ts'
import { Course } from './course.ts'
import type { Example, Place } from './examples.ts'
import { GameServer } from './game-server.ts'
import { Market } from './market.ts'
import { takePorts } from './ports.ts'
import { steps } from './steps.ts'

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
  await using stage = await setStage()
  const place = { source, out: join(stage.dir, 'out'), gamePort: ports.gameServer }
  mkdirSync(place.out)
  const spoolDir = join(stage.dir, 'spool')
  const forwardUrl = `http://127.0.0.1:${ports.gameServer}/orders`
  await build(example, place)
  const agent = await stage.startAgent(example.name, {
    SERVICE_AGENT_PORT: String(ports.agent),
    SERVICE_WEBHOOK_PORT: String(ports.webhooks),
    ...(example.orders === 'pushed' && { SERVICE_WEBHOOK_FORWARD_URL: forwardUrl }),
    ...(example.orders === 'files' && { SERVICE_SPOOL_DIR: spoolDir }),
  })
  const env = { AGENT_URL: agent.url, SERVICE_SPOOL_DIR: spoolDir, GAME_PORT: String(ports.gameServer) }
  await using game = new GameServer({ example, place, dir: stage.dir, env })
  const market = new Market(stage, agent.gameServerId)
  const course = new Course({ example, game, agent, market, spoolDir, forwardUrl })
  let title = 'it starts'
  try {
    await game.start()
    for (const step of steps) {
      title = step.title
      const startMs = performance.now()
      await step.take(course)
      onStep(title, performance.now() - startMs)
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const printed = game.printed.slice(-15).map((line) => `    ${line}`)
    const world = game
      .savedText()
      .split('\n')
      .map((line) => `    ${line}`)
    throw new CourseFailed([`${title}: ${why}`, '  printed last:', ...printed, '  saved:', ...world].join('\n'))
  }
}

async function build(example: Example, place: Place): Promise<void> {
  const [file, ...args] = example.build?.(place) ?? []
  if (file === undefined) return
  const { stderr } = await promisify(execFile)(file, args, { cwd: place.source })
  expectThat(stderr === '', `the build of ${example.name} warns:\n${stderr}`)
}
