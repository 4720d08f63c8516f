import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Which connections have whole requests that are not answered yet. */
export class AnswersOwed {
  readonly #underWayOn = new WeakMap<Socket, Map<ServerResponse, IncomingMessage>>()
  readonly #ending = new WeakSet<Socket>()

  /** Notes a request until it is settled, or its connection is gone. */
  add(request: IncomingMessage, response: ServerResponse): void {
    const underWay = this.#underWayOn.get(request.socket) ?? new Map()
    this.#underWayOn.set(request.socket, underWay.set(response, request))
  }

  /** @returns Whether the answer that is about to be written is the last on its connection. */
  settle({ socket }: IncomingMessage, response: ServerResponse): boolean {
    this.#underWayOn.get(socket)?.delete(response)
    return this.#ending.has(socket) && !this.#isOwed(socket)
  }

  /**
   * Lets a connection end with the last answer that is owed on it.
   *
   * @returns false where none is.
   */
  endAfterwards(socket: Socket): boolean {
    if (!this.#isOwed(socket)) return false
    this.#ending.add(socket)
    return true
  }

  /** A request that breaks off is owed no answer of its own. */
  #isOwed(socket: Socket): boolean {
    return [...(this.#underWayOn.get(socket)?.values() ?? [])].some(({ complete }) => complete)
  }
}
