import { html } from 'hono/html'
import { positiveInteger } from '../../developer/control/control-request.ts'
import { eligibilityOf } from '../../marketplace/characters/eligibility.ts'
import type { CharacterState } from '../../store/character-rows.ts'
import type { GameServerRow } from '../../store/game-server-rows.ts'
import type { Html } from '../document.ts'
import { relativeTo } from '../formats.ts'
import { badge, card, pairs } from '../parts.ts'
import { actForm, field } from './acts.ts'
import { detailPage, notFoundPage } from './console-page.ts'
import type { ConsolePage, ConsoleParts, PageRequest } from './console-parts.ts'
import { byName, emptyState, pageOf, rowsAsked, table } from './list.ts'

const list = '/console/game-servers'

/** The registered game servers, and registering one. */
export function gameServersPage({ t, clock, directory }: ConsoleParts): ConsolePage {
  const empty = emptyState('No game server yet', 'Register the first one above.')
  const registration = actForm({
    method: 'POST',
    path: '/stub/game-servers',
    label: 'Register',
    button: 'first',
    className: 'fields',
    goesTo: `${list}/{gameServerId}`,
    fields: html`
      ${field('Name', html`name="name" required maxlength="200" autocomplete="off"`)}
      ${field('Webhook URL (may come later)', html`name="webhookUrl" type="url" placeholder="http://127.0.0.1:9000/webhook"`)}`,
  })
  return {
    title: 'Game servers',
    content: html`
      <h1>Game servers</h1>
      ${card('new', 'Register one', html`<p class="soft">The stub issues the API key and makes the key pair, as the platform’s staff would. Then its <code>agent.env</code> can be downloaded.</p>${registration}`)}
      ${table('Game servers', directory.all(), ({ id }) => id, empty, [
        { name: 'No.', look: 'figure', cell: ({ id }) => html`<a href="${list}/${id}">${id}</a>` },
        {
          name: 'Name',
          cell: ({ id, name }) => html`<a class="strong" href="${list}/${id}" tabindex="-1">${name}</a>`,
        },
        {
          name: 'Webhooks go to',
          cell: ({ webhookUrl }) => (webhookUrl ? html`<code class="wrap">${webhookUrl}</code>` : 'nowhere: they wait'),
        },
        { name: 'Registered', cell: ({ createdAt }) => relativeTo(createdAt, clock.nowMs(), t.lang) },
      ])}`,
  }
}

/** A game server: files for its agent, the address of its webhooks, its characters. */
export function gameServerPage(parts: ConsoleParts, request: PageRequest): ConsolePage {
  const { t } = parts
  const server = parts.directory.byId(positiveInteger(request.id) ?? 0)
  if (!server) return notFoundPage(t, `Game server ${request.id}`, list)
  return detailPage(
    t,
    list,
    server.name,
    html`${server.name} <span class="soft">no. ${server.id}</span>`,
    html`<p class="soft">registered ${relativeTo(server.createdAt, parts.clock.nowMs(), t.lang)}</p>`,
    html`<div class="split">
        ${card('agent', 'Its agent', agentFiles(parts, server))}
        ${card('webhook', 'Its webhooks', webhookAddress(server))}
      </div>
      <section aria-labelledby="characters"><h2 id="characters">Its characters</h2>${characters(parts, server, request)}</section>`,
  )
}

function agentFiles({ platform, developerUrl }: ConsoleParts, { id }: GameServerRow): Html {
  const key = platform.tables.gameServers.keyOf(id)
  const path = `${list}/${id}`
  const files = ['agent.env', ...(key?.privateKeyPem ? ['signing-key.pem'] : []), 'platform-public-key.pem']
  const lines = [
    'umask 077 && mkdir -p market-agent && cd market-agent',
    ...files.map((file) => `curl -fsSO ${developerUrl()}${path}/${file}`),
    'SERVICE_STATE_DIR=state market-agent run --config agent.env',
  ]
  return html`<p>Put the files into one folder and start the agent there.</p>
    <p class="row">${files.map((file, at) => html`<a class="button small ${at === 0 ? 'first' : ''}" href="${path}/${file}" download="${file}">${file}</a>`)}</p>
    ${key?.privateKeyPem ? '' : html`<p class="soft">The game server made its key pair itself: put its private half there as <code>signing-key.pem</code>.</p>`}
    <p class="soft">Or, in a shell:</p>
    <pre id="commands" tabindex="0">${lines.join('\n')}</pre>
    <button type="button" class="button small" data-copies="commands" data-done="Copied">Copy the lines</button>
    ${pairs({ kid: html`<code class="wrap">${key?.kid}</code>` })}`
}

function webhookAddress({ id, webhookUrl }: GameServerRow): Html {
  const act = { method: 'PUT', path: `/stub/game-servers/${id}` } as const
  const input = html`name="webhookUrl" type="url" required value="${webhookUrl ?? ''}" placeholder="http://127.0.0.1:9000/webhook"`
  return html`<p>${webhookUrl ? html`They go to <code class="wrap">${webhookUrl}</code>.` : 'No address yet: deliveries wait until there is one.'}</p>
    ${actForm({ ...act, label: 'Save', className: 'joined', fields: field('Webhook URL', input) })}
    ${webhookUrl && actForm({ ...act, label: 'Let them wait', body: { webhookUrl: null } })}`
}

const flags: readonly (readonly [flag: keyof CharacterState, name: string, tone: string])[] = [
  ['account', 'account', 'good'],
  ['linked', 'linked', 'good'],
  ['recipientApproved', 'recipient approved', 'good'],
  ['banned', 'banned', 'bad'],
  ['sellingBlocked', 'selling blocked', 'bad'],
]

function characters({ t, queries }: ConsoleParts, { id }: GameServerRow, request: PageRequest): Html {
  const found = queries.characters(id, { after: request.query.get(byName) ?? '', count: rowsAsked })
  const { rows, pager } = pageOf(t, request, found, ({ characterRef }) => characterRef, byName)
  const path = `/stub/game-servers/${id}/characters`
  const naming = actForm({
    method: 'PUT',
    path: `${path}/{characterRef}`,
    label: 'Let it sell',
    className: 'joined',
    body: { linked: true, recipientApproved: true },
    fields: field('Character', html`name="characterRef" required maxlength="255" placeholder="char-1"`),
  })
  const flagsOf = (character: (typeof rows)[number]) => {
    const act = { method: 'PUT', path: `${path}/${encodeURIComponent(character.characterRef)}` } as const
    return flags.map(([flag, label, tone]) =>
      actForm({
        ...act,
        label,
        button: character[flag] ? tone : '',
        isPressed: character[flag],
        body: { [flag]: !character[flag] },
      }),
    )
  }
  const empty = emptyState('No character yet', 'One appears when it is linked, or named above.')
  return html`<div class="card pad">${naming}</div>
    ${table('Characters', rows, ({ characterRef }) => encodeURIComponent(characterRef), empty, [
      {
        name: 'Character',
        cell: ({ characterRef, characterName }) =>
          html`<span class="strong">${characterName ?? characterRef}</span>${characterName && html`<code class="sub">${characterRef}</code>`}`,
      },
      {
        name: 'May sell',
        cell: (character) => {
          const { allowed, blocker } = eligibilityOf(character)
          return badge(allowed ? 'good' : 'bad', allowed ? 'yes' : blocker)
        },
      },
      { name: 'Flags', cell: (character) => html`<div class="row">${flagsOf(character)}</div>` },
    ])}
    ${pager}`
}
