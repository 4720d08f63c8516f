/**
 * The one source of randomness of a run: sfc32 by Chris Doty-Humphrey, seeded by a text. Each part of the world has a
 * generator of its own (`part`), so that a fault that is left out does not shift what the others draw.
 */
export class Random {
  readonly #seed: string
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: string) {
    this.#seed = seed
    this.#a = hashOf(seed, 0x9e3779b9)
    this.#b = hashOf(seed, 0x243f6a88)
    this.#c = hashOf(seed, 0xb7e15162)
    for (let round = 0; round < 12; round++) this.#next()
  }

  /** The generator of a part. It depends on the seed and the name, and not on what was drawn before. */
  part(name: string): Random {
    return new Random(`${this.#seed}/${name}`)
  }

  /** Uniform in [0, 1). */
  unit(): number {
    return this.#next() / 2 ** 32
  }

  /** Uniform in [min, max). */
  between(min: number, max: number): number {
    return min + this.unit() * (max - min)
  }

  /** As `between`, with as many small values as large ones: each order of magnitude is equally likely. */
  magnitude(min: number, max: number): number {
    return min * (max / min) ** this.unit()
  }

  /** An integer from min to max, both included. */
  integer(min: number, max: number): number {
    return Math.floor(this.between(min, max + 1))
  }

  /** True with this probability. */
  happens(probability: number): boolean {
    return this.unit() < probability
  }

  /** @param list Not empty. */
  pick<Item>(list: readonly Item[]): Item {
    return list[this.integer(0, list.length - 1)] as Item
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    this.#c |= 0
    return sum >>> 0
  }
}

/** FNV-1a over the characters of a text. */
export function hashOf(text: string, basis: number): number {
  let hash = basis
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash
}
