import { getCACertificates } from 'node:tls'

let usualCas: readonly string[] | undefined

/**
 * The certificates (PEM) that connections trust: the system's store, Node's own list, and the given ones. A system lists
 * most of its certificates three times, and Node has many of them as well: each is there once.
 */
export function trustedCas(extraCa: string | undefined): string[] {
  usualCas ??= [...new Set([...getCACertificates('bundled'), ...getCACertificates('system')])]
  return extraCa === undefined ? [...usualCas] : [...usualCas, extraCa]
}
