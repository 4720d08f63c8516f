import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * The open connections, each with the requests that it still waits for, in order of arrival; an idle one waits for none.
 * Answers leave a connection in that order, so it may only end with the answer to the newest request.
 */
export class Connections {
  readonly #max: number
  readonly #unanswered = new Map<Socket, ServerResponse<IncomingMessage>[]>()
  /** Those that are idle or are sending a request. The one that does so for the longest time comes first. */
  readonly #unfinished = new Set<Socket>()
  readonly #ending = new WeakSet<Socket>()
  #isClosing = false

  /** @param max Above this number the one is closed that is idle, or sends a request, for the longest time. */
  constructor(max: number) {
    this.#max = max
  }

  add(socket: Socket): void {
    this.#unanswered.set(socket, [])
    socket.once('close', () => {
      this.#unanswered.delete(socket)
      this.#unfinished.delete(socket)
    })
    this.#unfinished.add(socket)
    if (this.#unanswered.size > this.#max) this.#unfinished.values().next().value?.destroy()
  }

  /** Notes a request until its answer has left, or its connection is gone. */
  addRequest(request: IncomingMessage, response: ServerResponse<IncomingMessage>): void {
    const { socket } = request
    this.#unanswered.get(socket)?.push(response)
    this.#unfinished.delete(socket)
    this.#unfinished.add(socket)
    request.once('end', () => {
      if (this.#unanswered.get(socket)?.at(-1) === response) this.#unfinished.delete(socket)
    })
    response.once('close', () => this.#forget(socket, (other) => other === response))
  }

  /** Whether the connection ends with this answer. */
  isLast({ socket }: IncomingMessage, response: ServerResponse<IncomingMessage>): boolean {
    return this.#isEnding(socket) && this.#unanswered.get(socket)?.at(-1) === response
  }

  /**
   * Ends a connection after the answers to its complete requests.
   *
   * @returns false when it waits for none.
   */
  endAfterAnswers(socket: Socket): boolean {
    this.#forget(socket, ({ req }) => !req.complete)
    if (this.#unanswered.get(socket)?.length === 0) return false
    this.#ending.add(socket)
    return true
  }

  /** Ends each connection as soon as it waits for no answer. */
  close(): void {
    this.#isClosing = true
    for (const [socket, { length }] of this.#unanswered) if (length === 0) socket.destroySoon()
  }

  #isEnding(socket: Socket): boolean {
    return this.#isClosing || this.#ending.has(socket)
  }

  #forget(socket: Socket, isForgotten: (response: ServerResponse<IncomingMessage>) => boolean): void {
    const unanswered = this.#unanswered.get(socket)
    if (!unanswered) return
    const rest = unanswered.filter((response) => !isForgotten(response))
    this.#unanswered.set(socket, rest)
    if (rest.length > 0) return
    this.#unfinished.delete(socket)
    this.#unfinished.add(socket)
    if (this.#isEnding(socket)) socket.destroySoon()
  }
}
