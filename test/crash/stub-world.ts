import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { sealEnvelope } from '../../contract/envelope/seal.ts'
import { operations, type PlatformOperationName, requestOf } from '../../contract/operations.ts'
import { keepSecret } from '../outputs/outputs.ts'
import { spawnStub, temporaryFolder } from '../platform-stub/fixtures/process.ts'
import { type Answer, readAnswer } from '../platform-stub/fixtures/stub.ts'
import type { Program } from '../programs/program.ts'
import { testKeysOf } from '../vectors/test-keys.ts'

const keys = testKeysOf('game-server')
const replayed = 'Esta requisição já foi processada.'

/** A signed request, to be sent to whichever stub lives. */
export interface Sealed {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * A platform whose process is killed and started again on the same data, and a game server that does not give up: what
 * gets no answer is sent again, byte for byte.
 */
export class StubWorld implements AsyncDisposable {
  readonly violations: string[] = []
  /** Envelopes that acted. */
  readonly used: Sealed[] = []
  requests = 0
  readonly #folder: Awaited<ReturnType<typeof temporaryFolder>>
  readonly #host: string
  #kid = ''
  #apiKey = ''
  #stub: Program
  #listening = Promise.withResolvers<string>()

  private constructor(folder: Awaited<ReturnType<typeof temporaryFolder>>, host: string) {
    this.#folder = folder
    this.#host = host
    this.#stub = this.#spawn()
  }

  /** @param host A loopback address of its own: two worlds must not take each other's port for their own. */
  static async make(host: string, webhookUrl: string): Promise<StubWorld> {
    const world = new StubWorld(await temporaryFolder(), host)
    const publicKeyPem = keys.publicKey.export({ type: 'spki', format: 'pem' })
    const { data } = (await world.control('POST', '/stub/game-servers', { name: 'A', webhookUrl, publicKeyPem })).answer
    world.#kid = data.kid
    world.#apiKey = keepSecret(data.apiKey)
    const character = `/stub/game-servers/${data.gameServerId}/characters/seller`
    await world.control('PUT', character, { linked: true, recipientApproved: true })
    return world
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stub.kill()
    await this.#folder[Symbol.asyncDispose]()
  }

  get databaseFile(): string {
    return join(this.#folder.path, 'platform.db')
  }

  violate(what: string): void {
    this.violations.push(what)
  }

  /** Resolves when a stub answers requests. */
  async listening(): Promise<void> {
    await this.#listening.promise
  }

  /** SIGKILL, and the next stub on the same data. */
  async killAndRestart(): Promise<void> {
    const { signal, code } = await this.#stub.kill()
    if (signal !== 'SIGKILL') this.violate(`a stub ended by itself with ${code}: ${this.#stub.stderr()}`)
    const next = Promise.withResolvers<string>()
    // A caller that waits for a stub that was killed before it listened waits for the next one.
    this.#listening.resolve(next.promise)
    this.#listening = next
    this.#stub = this.#spawn()
  }

  /** SIGTERM, and its end. */
  async stop(): Promise<void> {
    const { code } = await this.#stub.stop()
    if (code !== 0) this.violate(`a healthy stub ended with ${code}: ${this.#stub.stderr()}`)
  }

  /**
   * Makes one signed call, through as many stubs as it takes.
   *
   * @returns The answer's data; undefined where it was lost and the repetition says that it had been done.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the load looks into answers of every shape.
  async act(operation: PlatformOperationName, input: Readonly<Record<string, unknown>>): Promise<any> {
    const sealed = await this.#seal(operation, input)
    const { answer, isInDoubt } = await this.#send(sealed)
    const wasDone = isInDoubt && answer.status === 401 && answer.message === replayed
    if (answer.status === 200 || wasDone) this.used.push(sealed)
    else this.violate(`${operation} ${JSON.stringify(input)}: ${answer.status} ${answer.message}`)
    return answer.data
  }

  /** Nothing that acted may act again, whatever died since. */
  async replay(sealed: Sealed): Promise<void> {
    const { status, message } = (await this.#send(sealed)).answer
    if (message !== replayed) this.violate(`a replay of ${sealed.method} ${sealed.path} was answered ${status}`)
  }

  async control(method: string, path: string, body?: object): Promise<{ answer: Answer; isInDoubt: boolean }> {
    const headers = body ? { 'Content-Type': 'application/json' } : {}
    return this.#send({ method, path, headers, body: body ? JSON.stringify(body) : '' })
  }

  /** Valid for longer than all the kills take. */
  async #seal(operation: PlatformOperationName, input: Readonly<Record<string, unknown>>): Promise<Sealed> {
    const { method, path, body } = requestOf(operations[operation], input)
    const iat = Math.floor(Date.now() / 1_000)
    const header = { alg: 'RS256' as const, kid: this.#kid, jti: randomUUID(), iat, exp: iat + 590 }
    const headers = {
      ...(body && { 'Content-Type': 'application/json' }),
      ...(operations[operation].auth === 'service' && { 'X-Service-Api-Key': this.#apiKey }),
      'X-Platform-Signature': await sealEnvelope(header, Buffer.from(body), keys.privateKey),
    }
    return { method, path, headers, body }
  }

  /** @returns The first answer that comes, and whether an earlier try may have acted. */
  async #send({ method, path, headers, body }: Sealed): Promise<{ answer: Answer; isInDoubt: boolean }> {
    this.requests++
    for (let isInDoubt = false; ; isInDoubt = true) {
      const url = await this.#listening.promise
      try {
        const response = await fetch(url + path, { method, headers, ...(body && { body }) })
        return { answer: await readAnswer(response), isInDoubt }
      } catch {
        // Killed under it. Its end is known a moment later.
        await new Promise(setImmediate)
      }
    }
  }

  #spawn(): Program {
    const stub = spawnStub(['serve', '--host', this.#host, '--port', '0', '--data-dir', this.#folder.path])
    // What a killed one has printed may be read late.
    const isNow = () => this.#stub === stub
    void stub.listening.then((url) => isNow() && this.#listening.resolve(url)).catch(() => undefined)
    return stub
  }
}
