import type { ActiveMaximum } from '../active-maximum.ts'
import type { ModelProcess } from '../process.ts'
import type { Random } from '../random.ts'

/** The way between two hosts. While it is cut, nothing arrives and nobody is told: it arrives when the way is there again. */
export class Way {
  readonly #cuts = new Set<object>()
  #held: (() => void)[] = []

  /** The returned function ends the cut. */
  cut(): () => void {
    const cut = {}
    this.#cuts.add(cut)
    return () => {
      this.#cuts.delete(cut)
      if (this.#cuts.size === 0) for (const send of this.#held.splice(0)) send()
    }
  }

  /** Sends now, or when the way is there again. */
  pass(send: () => void): void {
    if (this.#cuts.size === 0) send()
    else this.#held.push(send)
  }
}

/** One direction of a connection. Messages arrive in the order in which they were sent, each as an event of the receiver. */
export class Pipe<Message> {
  readonly #parts: PipeParts<Message>
  readonly #underWay: Message[] = []

  constructor(parts: PipeParts<Message>) {
    this.#parts = parts
  }

  send(what: string, message: Message): void {
    const { way, receiver, random, slowMsMax, onMessage } = this.#parts
    this.#underWay.push(message)
    way.pass(() => {
      // A later one may take less time. The oldest one arrives first all the same.
      receiver.after(random.magnitude(0.05, slowMsMax.value), what, () => onMessage(this.#underWay.shift() as Message))
    })
  }
}

interface PipeParts<Message> {
  readonly way: Way
  readonly receiver: ModelProcess
  readonly random: Random
  /** How long one message may take, in ms. */
  readonly slowMsMax: ActiveMaximum
  readonly onMessage: (message: Message) => void
}
