import { html } from 'hono/html'
import type { Html, Page } from '../pages/document.ts'
import type { Texts } from '../pages/texts/en.ts'
import { fieldsOf, resolveReference } from './field-schemas.ts'
import { inlineToHtml, markdownToHtml } from './markdown.ts'
import type { OpenApiDocument } from './openapi-document.ts'
import type { Content, JsonSchema, OperationObject, PathItem, ResponseObject } from './shape.ts'

interface Entry {
  /** `POST /v1/…`, or the event. */
  readonly title: string
  readonly operation: OperationObject
}

/** The document's texts are English, whatever the language of the page. */
const prose = (text: string): Html => html`<div class="stack" lang="en">${markdownToHtml(text)}</div>`

/** The OpenAPI document as one page for people. @param languageSwitch The link to the page in the other language. */
export function referencePage(t: Texts, document: OpenApiDocument, languageSwitch: Html): Page {
  const { info, tags } = document
  const entries = [...entriesOf(document.paths, true), ...entriesOf(document.webhooks, false)]
  const entriesIn = (tag: string): Entry[] => entries.filter(({ operation }) => operation.tags.includes(tag))
  const body = html`<body class="reference">
    <header>
      <p class="row"><a href="/console">${t.layout.menu}</a>${languageSwitch}</p>
      <h1 lang="en">${info.title}</h1>
      <p><span lang="en">${info.summary}</span> ${t.reference.forPrograms(html`<a href="/openapi.json">OpenAPI 3.1</a>`)}</p>
    </header>
    <nav class="contents" aria-label="${t.reference.contents}">
      <ul lang="en">
        <li><a href="#authentication">authentication</a></li>
        ${tags.map(({ name }) => contentsOf(name, entriesIn(name)))}
      </ul>
    </nav>
    <main>
      ${prose(info.description)}
      ${authenticationToHtml(document)}
      ${tags.map(
        ({ name, description }) => html`
          <h2 id="${name}" lang="en">${name}</h2>
          ${prose(description)}
          ${entriesIn(name).map((entry) => operationToHtml(t, entry, document))}`,
      )}
    </main>
  </body>`
  return { lang: t.lang, title: `${t.menu['/docs']} · platform-stub`, styles: ['reference.css'], body }
}

function authenticationToHtml({ components }: OpenApiDocument): Html {
  const schemes = Object.entries(components.securitySchemes).map(
    ([id, { name, description }]) => html`
      <h3 id="${id}">${id}: <code>${name}</code></h3>
      ${prose(description)}`,
  )
  return html`<h2 id="authentication" lang="en">authentication</h2>${schemes}`
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

function operationToHtml(t: Texts, { title, operation }: Entry, document: OpenApiDocument): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses, security } = operation
  const credentials = security.flatMap((schemes) => Object.keys(schemes))
  const statuses = Object.keys(responses)
  const isSuccess = (status: string): boolean => status.startsWith('2')
  const success = statuses.filter(isSuccess)
  const others = statuses.filter((status) => !isSuccess(status))
  return html`
    <section class="card pad stack" aria-labelledby="${operationId}">
      <h3 id="${operationId}"><code>${title}</code></h3>
      <p class="strong" lang="en">${summary}</p>
      ${prose(description)}
      <p>${t.reference.maturity(operation['x-maturity'])} ${t.reference.credentials(credentials.map((name) => html`<a href="#${name}">${name}</a> `))}</p>
      ${parameters.length > 0 && fieldTable(t, t.reference.pathOf(title), t.reference.inPath, pathSchemaOf(parameters))}
      ${requestBody && contentToHtml(t, t.reference.bodyOf(title), t.reference.inBody, requestBody.content, document)}
      ${success.map((status) => successToHtml(t, title, status, responses[status], document))}
      <details>
        <summary>${t.reference.otherwise(others.map((status) => (status === 'default' ? t.reference.anythingElse : status)).join(', '))}</summary>
        ${others.map((status) => refusalToHtml(t, status, responses[status]))}
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
  t: Texts,
  title: string,
  status: string,
  response: ResponseObject | undefined,
  document: OpenApiDocument,
): Html {
  const { description = '', content } = response ?? {}
  return html`
    <h4>${status}</h4>
    ${prose(description)}
    ${content && contentToHtml(t, t.reference.answerTo(title), t.reference.inAnswer, content, document)}`
}

/** A refusal: its reason, and the text for the player. */
function refusalToHtml(t: Texts, status: string, response: ResponseObject | undefined): Html {
  const { description = '', content } = response ?? {}
  const messages = Object.values(content?.['application/json'].examples ?? {}).map(({ value }) => messageIn(value))
  return html`
    <h4>${status === 'default' ? t.reference.anythingElse : status}</h4>
    ${prose(description)}
    ${messages.length > 0 && html`<ul lang="pt-BR">${messages.map((message) => html`<li>“${message}”</li>`)}</ul>`}`
}

function messageIn(value: unknown): string {
  return String((value as { readonly message?: unknown }).message)
}

function contentToHtml(t: Texts, label: string, where: string, content: Content, document: OpenApiDocument): Html {
  const { schema, examples } = content['application/json']
  const alternatives = schema.oneOf ?? [schema]
  return html`
    ${alternatives.map((alternative, at) => {
      const unique = alternatives.length > 1 ? t.reference.alternative(label, at + 1, alternatives.length) : label
      return fieldTable(t, unique, where, unwrapData(alternative, document))
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
function fieldTable({ reference }: Texts, label: string, where: string, schema: JsonSchema): Html {
  const fields = fieldsOf(schema)
  if (fields.length === 0) return html`<p>${reference.noFields(label)}</p>`
  const rows = fields.map(
    ({ name, type, isRequired, description, values }) => html`
      <tr>
        <th scope="row"><code>${name}</code><span class="sub"><span lang="en">${type}</span>${!isRequired && `, ${reference.optional}`}</span></th>
        <td><span lang="en">${inlineToHtml(description)}</span> ${values.map((value) => html`<code>${value}</code> `)}</td>
      </tr>`,
  )
  return html`<div class="table" role="region" aria-label="${label}" tabindex="0"><table class="meanings">
    <thead><tr><th scope="col">${where}</th><th scope="col">${reference.meaning}</th></tr></thead>
    <tbody>${rows}</tbody>
  </table></div>`
}
