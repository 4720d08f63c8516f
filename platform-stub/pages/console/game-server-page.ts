import { html } from 'hono/html'
import { positiveInteger } from '../../developer/control/control-request.ts'
import { eligibilityOf } from '../../marketplace/characters/eligibility.ts'
import type { CharacterState } from '../../store/character-rows.ts'
import type { GameServerRow } from '../../store/game-server-rows.ts'
import type { Html } from '../document.ts'
import { actForm } from './acts.ts'
import { consolePage } from './console-layout.ts'
import type { ConsoleContext, ConsoleParts } from './console-parts.ts'
import { relativeTo } from './moments.ts'
import { notFoundPage } from './not-found-page.ts'
import { byName, pageOf, pager, rowsAsked } from './paging.ts'
import { signingKeyOf } from './provisioning.ts'
import { emptyState, table } from './table.ts'

const flags: readonly (readonly [flag: keyof CharacterState, name: string])[] = [
  ['account', 'account'],
  ['linked', 'linked'],
  ['recipientApproved', 'recipient approved'],
  ['banned', 'banned'],
  ['sellingBlocked', 'selling blocked'],
]

/** A game server: files for its agent, the address of its webhooks, its characters. */
export function gameServerPage(context: ConsoleContext, parts: ConsoleParts) {
  const menuPath = '/console/game-servers'
  const asked = context.req.param('id') ?? ''
  const server = parts.directory.byId(positiveInteger(asked) ?? 0)
  if (!server) return notFoundPage(context, parts, `Game server ${asked}`, menuPath)
  return consolePage(context, parts, {
    title: server.name,
    menuPath,
    content: html`
      <p class="crumb"><a href="${menuPath}">Game servers</a></p>
      <div class="headline"><h1>${server.name} <span class="soft">no. ${server.id}</span></h1><p class="soft">registered ${relativeTo(server.createdAt, parts.clock.nowMs())}</p></div>
      <div class="split even">
        ${agentCard(parts, server)}
        ${webhookCard(server)}
      </div>
      ${characterSection(parts, server, new URL(context.req.url).searchParams)}`,
  })
}

function agentCard(parts: ConsoleParts, { id }: GameServerRow): Html {
  const key = signingKeyOf(parts, id)
  const base = `${parts.developerUrl()}/console/game-servers/${id}`
  const files = ['agent.env', ...(key?.privateKeyPem ? ['signing-key.pem'] : []), 'platform-public-key.pem']
  const lines = [
    'umask 077 && mkdir -p market-agent && cd market-agent',
    ...files.map((file) => `curl -fsSO ${base}/${file}`),
    'SERVICE_STATE_DIR=state market-agent run --config agent.env',
  ]
  return html`<section class="card pad" aria-labelledby="agent">
    <h2 id="agent">Its agent</h2>
    <p>Put the files into one folder and start the agent there.</p>
    <p class="row">${files.map((file, at) => html`<a class="button small ${at === 0 ? 'first' : ''}" href="/console/game-servers/${id}/${file}" download="${file}">${file}</a>`)}</p>
    ${key?.privateKeyPem ? '' : html`<p class="soft">The game server made its key pair itself: put its private half there as <code>signing-key.pem</code>.</p>`}
    <p class="soft">Or, in a shell:</p>
    <pre id="commands" tabindex="0">${lines.join('\n')}</pre>
    <button type="button" class="button small" data-copies="commands" data-done="Copied">Copy the lines</button>
    <dl class="pairs"><div><dt>kid</dt><dd><code class="wrap">${key?.kid}</code></dd></div></dl>
  </section>`
}

function webhookCard({ id, webhookUrl }: GameServerRow): Html {
  const path = `/stub/game-servers/${id}`
  return html`<section class="card pad" aria-labelledby="webhook">
    <h2 id="webhook">Its webhooks</h2>
    <p>${webhookUrl === null ? 'No address yet: deliveries wait until there is one.' : html`They go to <code class="wrap">${webhookUrl}</code>.`}</p>
    ${actForm({
      method: 'PUT',
      path,
      label: 'Save',
      className: 'joined',
      isKept: true,
      fields: html`<label class="field"><span>Webhook URL</span><input name="webhookUrl" type="url" required value="${webhookUrl ?? ''}" placeholder="http://127.0.0.1:9000/webhook"></label>`,
    })}
    ${webhookUrl === null ? '' : actForm({ method: 'PUT', path, label: 'Let them wait', body: { webhookUrl: null } })}
  </section>`
}

function characterSection({ queries }: ConsoleParts, { id }: GameServerRow, query: URLSearchParams): Html {
  const found = queries.characters(id, { after: query.get(byName.parameter) ?? '', count: rowsAsked })
  const { rows: characters, next } = pageOf(found, ({ characterRef }) => characterRef)
  const path = (characterRef: string) => `/stub/game-servers/${id}/characters/${encodeURIComponent(characterRef)}`
  return html`<section aria-labelledby="characters">
    <h2 id="characters">Its characters</h2>
    <div class="card pad">${actForm({
      method: 'PUT',
      path: `/stub/game-servers/${id}/characters/{characterRef}`,
      label: 'Let it sell',
      className: 'joined',
      body: { linked: true, recipientApproved: true },
      isKept: true,
      fields: html`<label class="field"><span>Character</span><input name="characterRef" required maxlength="255" placeholder="char-1" data-in="path"></label>`,
    })}</div>
    ${
      characters.length === 0
        ? emptyState('No character yet', 'One appears when it is linked, or named above.')
        : table('Characters', characters, ({ characterRef }) => encodeURIComponent(characterRef), [
            {
              name: 'Character',
              cell: ({ characterRef, characterName }) =>
                html`<span class="strong">${characterName ?? characterRef}</span>${characterName ? html`<code class="sub">${characterRef}</code>` : ''}`,
            },
            {
              name: 'May sell',
              cell: (character) => {
                const { allowed, blocker } = eligibilityOf(character)
                return html`<span class="badge ${allowed ? 'good' : 'bad'}">${allowed ? 'yes' : blocker}</span>`
              },
            },
            {
              name: 'Flags',
              cell: (character) =>
                html`<div class="row">${flags.map(([flag, name]) => actForm({ method: 'PUT', path: path(character.characterRef), label: name, isPressed: character[flag], body: { [flag]: !character[flag] } }))}</div>`,
            },
          ])
    }
    ${pager(`/console/game-servers/${id}`, query, next, byName)}
  </section>`
}
