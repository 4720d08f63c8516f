import type { JsonSchema } from './shape.ts'

/** One field of an object, in words. */
export interface Field {
  /** With the names of the objects around it: `selling.allowed`. */
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
  /** Its possible values, or those that are known. */
  readonly values: readonly string[]
}

/** The fields of an object's schema. The fields of an inner object follow it. */
export function fieldsOf(schema: JsonSchema, prefix = ''): Field[] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([name, property]) => {
    const { value, isNullable } = withoutNull(property)
    const element = value.items ?? value
    const field: Field = {
      name: `${prefix}${name}`,
      type: `${value.items ? 'array of ' : ''}${typeInWords(element)}${isNullable ? ' or null' : ''}`,
      isRequired: required.includes(name),
      description: property.description ?? element.description ?? '',
      values: valuesOf(element),
    }
    return [field, ...fieldsOf(value, `${prefix}${name}.`)]
  })
}

function withoutNull(schema: JsonSchema): { value: JsonSchema; isNullable: boolean } {
  const [value, ...others] = schema.anyOf?.filter(({ type }) => type !== 'null') ?? []
  return value && others.length === 0 ? { value, isNullable: true } : { value: schema, isNullable: false }
}

/** Most integers have the same maximum, 2^53 − 1, which is not shown. */
function typeInWords({ type, format, minimum, maximum, minLength, maxLength, anyOf }: JsonSchema): string {
  if (anyOf) return anyOf.map(typeInWords).join(' or ')
  if (format === 'date-time') return 'timestamp'
  const bounds = [
    minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER && `from ${minimum}`,
    maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && `up to ${maximum}`,
    maxLength !== undefined && `${minLength ?? 0} to ${maxLength} characters`,
    maxLength === undefined && minLength !== undefined && 'not empty',
  ].filter((bound) => bound !== false)
  return [type ?? 'anything', ...bounds].join(', ')
}

function valuesOf(schema: JsonSchema): string[] {
  if ('const' in schema) return [String(schema.const)]
  return (schema.enum ?? schema.examples ?? []).map(String)
}
