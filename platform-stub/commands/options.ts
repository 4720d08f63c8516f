import { InvalidArgumentError } from 'commander'
import { httpUrlOf } from '../marketplace/game-servers/register.ts'
import { say } from './say.ts'

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A longer duration could give an invalid date. */
const durationDaysMax = 3_650

/** Milliseconds of `30m`, `10s`, `500ms`, `1h`, `2d`; ten years at most. @throws {InvalidArgumentError} */
export function parseDuration(text: string): number {
  const [, amount, unit] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text) ?? []
  const unitMs = unitsMs[unit ?? '']
  if (amount === undefined || unitMs === undefined) {
    throw new InvalidArgumentError(
      say(
        'A number and a unit (ms, s, m, h, d) is needed. Example: 30m',
        'É preciso um número com unidade (ms, s, m, h, d). Exemplo: 30m',
      ),
    )
  }
  const durationMs = Number(amount) * unitMs
  if (durationMs > durationDaysMax * 86_400_000) {
    throw new InvalidArgumentError(
      say(`At most ${durationDaysMax}d is possible. Example: 30m`, `O máximo é ${durationDaysMax}d. Exemplo: 30m`),
    )
  }
  return durationMs
}

/** @throws {InvalidArgumentError} */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535))
    throw new InvalidArgumentError(
      say(
        'A number from 0 to 65535 is needed; 0 takes a free port.',
        'É preciso um número de 0 a 65535; 0 usa uma porta livre.',
      ),
    )
  return port
}

/** An http(s) address without a path. @throws {InvalidArgumentError} */
export function parseOrigin(text: string): string {
  const url = httpUrlOf(text)
  const isOrigin = url?.pathname === '/' && !url.search && !url.hash && !url.username
  if (!isOrigin) {
    throw new InvalidArgumentError(
      say(
        'An http or https address without a path is needed. Example: http://127.0.0.1:8787',
        'É preciso um endereço http ou https sem caminho. Exemplo: http://127.0.0.1:8787',
      ),
    )
  }
  return url.origin
}

/** An http(s) address. @throws {InvalidArgumentError} */
export function parseHttpUrl(text: string): string {
  const url = httpUrlOf(text)
  if (!url) {
    throw new InvalidArgumentError(
      say(
        'An http or https address is needed. Example: http://127.0.0.1:8900/webhook',
        'É preciso um endereço http ou https. Exemplo: http://127.0.0.1:8900/webhook',
      ),
    )
  }
  return url.href
}

/** A whole number from 0. @throws {InvalidArgumentError} */
export function parseNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new InvalidArgumentError(
      say('A whole number is needed. Example: 1', 'É preciso um número inteiro. Exemplo: 1'),
    )
  return Number(text)
}
