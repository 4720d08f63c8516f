import { lazily } from './lazily.ts'

const reais = lazily(() => new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' }))

/** Cents as a buyer reads them: `R$ 1.234,56`. Exact for every amount that a listing can have. */
export function inReais(cents: number): string {
  return reais().format(decimalOf(cents))
}

/** Cents as a decimal with a point and two places: `1234.56`. */
export function decimalOf(cents: number): `${number}` {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}` as `${number}`
}
