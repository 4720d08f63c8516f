import type * as z from 'zod/mini'
import { limits } from './limits.ts'
import type { JsonFault } from './strict-json.ts'

/**
 * What is wrong with one field of an input and how to mend it, in Brazilian Portuguese. Both programs say it alike.
 *
 * @param issue The first issue of a failed parse.
 * @param input What was parsed.
 */
export function inputFaultInWords(issue: z.core.$ZodIssue, input: unknown): string {
  const field = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    return `O campo "${[...issue.path, issue.keys[0]].join('.')}" não tem lugar aqui: retire-o.`
  }
  const received = issue.path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key],
    input,
  )
  if (received === undefined) return `O campo "${field}" é obrigatório: envie ${expected(issue)}.`
  return `O campo "${field}" deve ser ${expected(issue)}; foi recebido ${typeInWords(received)}.`
}

function expected(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeNames[issue.expected] ?? issue.expected
    case 'too_small':
      return issue.origin === 'string' ? 'um texto não vazio' : `um número inteiro a partir de ${issue.minimum}`
    case 'too_big':
      return `um número inteiro até ${issue.maximum}`
    case 'invalid_value':
      return issue.values.map((value) => `"${String(value)}"`).join(' ou ')
    case 'invalid_union':
      return 'options' in issue
        ? (issue.options ?? []).map((option) => `"${String(option)}"`).join(' ou ')
        : 'um valor válido'
    case 'invalid_format':
      return 'um identificador diferente de "." e ".."'
    case 'custom':
      return `um texto de ${issue.params?.['lengthMin']} a ${issue.params?.['lengthMax']} caracteres`
    default:
      return 'um valor válido'
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'um texto',
  number: 'um número inteiro',
  int: 'um número inteiro',
  boolean: 'true ou false',
  object: 'um objeto',
  array: 'uma lista',
}

function typeInWords(value: unknown): string {
  if (value === null) return 'null'
  if (value === '') return 'um texto vazio'
  if (Array.isArray(value)) return 'uma lista'
  switch (typeof value) {
    case 'number':
      return `o número ${value}`
    case 'string':
      return [...value].length > 40 ? `um texto de ${[...value].length} caracteres` : `o texto ${JSON.stringify(value)}`
    case 'boolean':
      return String(value)
    default:
      return 'um objeto'
  }
}

/** What is wrong with a JSON text and how to mend it, in Brazilian Portuguese. */
export function jsonFaultInWords(fault: JsonFault): string {
  switch (fault.kind) {
    case 'not-json':
      return 'O corpo não é um JSON válido: confira aspas, vírgulas e chaves.'
    case 'not-an-object':
      return 'O corpo deve ser um objeto JSON: comece com { e termine com }.'
    case 'too-deep':
      return `O JSON tem níveis demais: envie no máximo ${limits.jsonDepthMax} objetos ou listas aninhados.`
    case 'lone-surrogate':
      return 'O JSON contém um caractere Unicode incompleto: envie o texto em UTF-8 válido.'
    case 'duplicate-name':
      return `O campo "${[...fault.name].slice(0, 40).join('')}" aparece mais de uma vez: envie cada campo uma só vez.`
    case 'inexact-number':
      return `O número ${fault.number.slice(0, 40)} não pode ser lido com exatidão: use um inteiro entre -9007199254740991 e 9007199254740991.`
  }
}
