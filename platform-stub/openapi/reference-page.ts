import { html } from 'hono/html'
import type { Html, Page } from '../pages/document.ts'
import { fieldsOf, resolveReference } from './field-schemas.ts'
import { inlineToHtml, markdownToHtml } from './markdown.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import type { Content, JsonSchema, OperationObject, PathItem, ResponseObject } from './shape.ts'

interface Entry {
  /** `POST /v1/…`, or the event. */
  readonly title: string
  readonly operation: OperationObject
}

/** The OpenAPI document as one page for people. */
export function referencePage(document: OpenApiDocument): Page {
  const { info, tags } = document
  const entries = [...entriesOf(document.paths, true), ...entriesOf(document.webhooks, false)]
  const entriesIn = (tag: string): Entry[] => entries.filter(({ operation }) => operation.tags.includes(tag))
  const body = html`<body class="reference">
    <header>
      <p><a href="/console">Console</a></p>
      <h1>${info.title}</h1>
      <p>${info.summary} The same for programs: <a href="/openapi.json">OpenAPI 3.1</a>.</p>
    </header>
    <nav class="contents" aria-label="Contents">
      <ul>
        <li><a href="#authentication">authentication</a></li>
        ${tags.map(({ name }) => contentsOf(name, entriesIn(name)))}
      </ul>
    </nav>
    <main>
      ${markdownToHtml(info.description)}
      ${authenticationToHtml(document)}
      ${tags.map(
        ({ name, description }) => html`
          <h2 id="${name}">${name}</h2>
          ${markdownToHtml(description)}
          ${entriesIn(name).map((entry) => operationToHtml(entry, document))}`,
      )}
    </main>
  </body>`
  return { lang: 'en', title: info.title, styles: ['reference.css'], body }
}

function authenticationToHtml({ components }: OpenApiDocument): Html {
  const schemes = Object.entries(components.securitySchemes).map(
    ([id, { name, description }]) => html`
      <h3 id="${id}">${id}: <code>${name}</code></h3>
      ${markdownToHtml(description)}`,
  )
  return html`<h2 id="authentication">authentication</h2>${schemes}`
}

function entriesOf(items: Readonly<Record<string, PathItem>>, isRoute: boolean): Entry[] {
  return Object.entries(items).flatMap(([name, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      title: isRoute ? `${method.toUpperCase()} ${name}` : name,
      operation,
    })),
  )
}

function contentsOf(tag: string, entries: readonly Entry[]): Html {
  const links = entries.map(
    ({ operation: { operationId } }) => html`<li><a href="#${operationId}"><code>${operationId}</code></a></li>`,
  )
  return html`<li><a href="#${tag}">${tag}</a><ul>${links}</ul></li>`
}

function operationToHtml({ title, operation }: Entry, document: OpenApiDocument): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses, security } = operation
  const credentials = security.flatMap((schemes) => Object.keys(schemes))
  const statuses = Object.keys(responses)
  const isSuccess = (status: string): boolean => status.startsWith('2')
  const success = statuses.filter(isSuccess)
  const others = statuses.filter((status) => !isSuccess(status))
  return html`
    <section class="card pad stack" aria-labelledby="${operationId}">
      <h3 id="${operationId}"><code>${title}</code></h3>
      <p class="strong">${summary}</p>
      ${markdownToHtml(description)}
      <p>Maturity: ${operation['x-maturity']}. Credentials: ${credentials.map((name) => html`<a href="#${name}">${name}</a> `)}</p>
      ${parameters.length > 0 && fieldTable(`Path of ${title}`, 'in the path', pathSchemaOf(parameters))}
      ${requestBody && contentToHtml(`Body of ${title}`, 'in the body', requestBody.content, document)}
      ${success.map((status) => successToHtml(title, status, responses[status], document))}
      <details>
        <summary>Otherwise: ${others.map((status) => (status === 'default' ? 'anything else' : status)).join(', ')}</summary>
        ${others.map((status) => refusalToHtml(status, responses[status]))}
      </details>
    </section>`
}

/** The path fields as an object schema, so that they are shown like all others. */
function pathSchemaOf(parameters: NonNullable<OperationObject['parameters']>): JsonSchema {
  return {
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.map(({ name }) => name),
  }
}

function successToHtml(
  title: string,
  status: string,
  response: ResponseObject | undefined,
  document: OpenApiDocument,
): Html {
  const { description = '', content } = response ?? {}
  return html`
    <h4>${status}</h4>
    ${markdownToHtml(description)}
    ${content && contentToHtml(`Answer to ${title}`, 'in the answer', content, document)}`
}

/** A refusal: its reason, and the text for the player. */
function refusalToHtml(status: string, response: ResponseObject | undefined): Html {
  const { description = '', content } = response ?? {}
  const messages = Object.values(content?.['application/json'].examples ?? {}).map(({ value }) => messageIn(value))
  return html`
    <h4>${status === 'default' ? 'Anything else' : status}</h4>
    ${markdownToHtml(description)}
    ${messages.length > 0 && html`<ul lang="pt-BR">${messages.map((message) => html`<li>“${message}”</li>`)}</ul>`}`
}

function messageIn(value: unknown): string {
  return String((value as { readonly message?: unknown }).message)
}

function contentToHtml(label: string, where: string, content: Content, document: OpenApiDocument): Html {
  const { schema, examples } = content['application/json']
  const alternatives = schema.oneOf ?? [schema]
  return html`
    ${alternatives.map((alternative, at) => {
      const unique = alternatives.length > 1 ? `${label}, ${at + 1} of ${alternatives.length}` : label
      return fieldTable(unique, where, unwrapData(alternative, document))
    })}
    ${Object.values(examples).map(
      ({ value }) => html`<pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`,
    )}`
}

/** The schema of an answer's `data`; for a webhook's reply, the bare form. */
function unwrapData(schema: JsonSchema, document: OpenApiDocument): JsonSchema {
  const found = resolveReference(schema, document)
  const [first] = found.anyOf ?? []
  const inner = first ?? found.properties?.['data']
  return inner ? resolveReference(inner, document) : found
}

/** @param label Names the table for screen readers. */
function fieldTable(label: string, where: string, schema: JsonSchema): Html {
  const fields = fieldsOf(schema)
  if (fields.length === 0) return html`<p>${label}: the empty object.</p>`
  const rows = fields.map(
    ({ name, type, isRequired, description, values }) => html`
      <tr>
        <th scope="row"><code>${name}</code><span class="sub">${type}${!isRequired && ', optional'}</span></th>
        <td>${inlineToHtml(description)} ${values.map((value) => html`<code>${value}</code> `)}</td>
      </tr>`,
  )
  return html`<div class="table" role="region" aria-label="${label}" tabindex="0"><table class="fields">
    <thead><tr><th scope="col">${where}</th><th scope="col">meaning</th></tr></thead>
    <tbody>${rows}</tbody>
  </table></div>`
}
