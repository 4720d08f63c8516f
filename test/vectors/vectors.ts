import { createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { EnvelopeRules, EnvelopeStep, ReceivedEnvelope } from '../../contract/envelope/open.ts'

export type Direction = 'request' | 'webhook'

/** What both files say about an envelope. README.md next to them explains each field. */
export interface Vector {
  readonly name: string
  readonly why: string
  readonly direction: Direction
  readonly method?: string
  readonly path?: string
  readonly nowS: number
  readonly headerLines: readonly string[]
  readonly bodyBase64: string
}
export interface AcceptedVector extends Vector {
  readonly protectedHeader: string
  readonly signingInput: string
  readonly signature: string
}
interface RefusedVector extends Vector {
  readonly step: EnvelopeStep
}

interface VectorFile {
  readonly leewayS: Readonly<Record<Direction, number>>
  readonly keys: readonly { readonly kid: string; readonly direction: Direction; readonly publicKeyPem: string }[]
}

const textOf = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')
const acceptedFile = JSON.parse(textOf('accepted.json')) as VectorFile & { accepted: readonly AcceptedVector[] }
const refusedFile = JSON.parse(textOf('refused.json')) as VectorFile & { refused: readonly RefusedVector[] }

export const accepted = acceptedFile.accepted
export const refused = refusedFile.refused

/** Verifying keys by kid, for one direction. */
export function keysOf(direction: Direction): ReadonlyMap<string, KeyObject> {
  const keys = acceptedFile.keys.filter((key) => key.direction === direction)
  return new Map(keys.map((key) => [key.kid, createPublicKey(key.publicKeyPem)]))
}

const keys = { request: keysOf('request'), webhook: keysOf('webhook') }

export function receivedOf(vector: Vector): ReceivedEnvelope {
  return { headerLines: vector.headerLines, body: bodyOf(vector) }
}

export function bodyOf(vector: Vector): Buffer {
  return Buffer.from(vector.bodyBase64, 'base64')
}

export function rulesOf({ direction, method = '', path = '', nowS }: Vector): EnvelopeRules {
  const request = direction === 'request' ? { method, path } : null
  return { keys: keys[direction], leewayS: acceptedFile.leewayS[direction], nowS, request }
}
