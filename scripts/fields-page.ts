/** `node scripts/fields-page.ts`: writes docs/en/fields.md, the fields of every answer and webhook, from the OpenAPI document. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fieldsOf, resolveReference } from '../platform-stub/openapi/field-schemas.ts'
import { openApiDocument } from '../platform-stub/openapi/openapi-document.ts'
import type { Content, JsonSchema } from '../platform-stub/openapi/shape.ts'

const document = openApiDocument('http://127.0.0.1:8787')

/** The page's text. */
export function fieldsPage(): string {
  const webhooks = Object.entries(document.webhooks).flatMap(([event, { post }]) =>
    post?.requestBody ? [`## Webhook \`${event}\``, post.description, ...contentOf(post.requestBody.content)] : [],
  )
  const answers = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { operationId, responses }]) => [
      `## \`${operationId}\``,
      `Answer of \`${method.toUpperCase()} ${path}\`. Through the agent it is the \`data\` of the call's answer.`,
      ...(responses['200']?.content ? contentOf(responses['200'].content) : ['The body is empty: `data` is null.']),
    ]),
  )
  return `${[
    '# Fields of every answer and webhook',
    'Written by `node scripts/fields-page.ts` from the OpenAPI document. A field marked *optional* is not promised by the interface: the example shows what the stub sends, and another platform may leave it out. `x-maturity` of every route and webhook is `ready`.',
    ...webhooks,
    ...answers,
  ].join('\n\n')}\n`
}

/** A table of the fields, and the example. */
function contentOf({ 'application/json': { schema, examples } }: Content): string[] {
  const rows = fieldsOf(inData(resolveReference(schema, document))).map(
    ({ name, type, isRequired, description, values }) => {
      const known = values.length > 0 ? ` ${values.map((value) => `\`${value}\``).join(', ')}` : ''
      return `| \`${name}\` | ${type}${isRequired ? '' : ', optional'} | ${description}${known} |`
    },
  )
  const [example] = Object.values(examples)
  return [
    ['| field | type | meaning |', '|---|---|---|', ...rows].join('\n'),
    `\`\`\`json\n${JSON.stringify(example?.value, null, 2)}\n\`\`\``,
  ]
}

function inData(schema: JsonSchema): JsonSchema {
  const data = schema.properties?.['data']
  return data ? resolveReference(data, document) : schema
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, '..', 'docs', 'en', 'fields.md'), fieldsPage())
