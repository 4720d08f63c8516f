import { html } from 'hono/html'
import { positiveInteger } from '../../http/positive-integer.ts'
import { eligibilityOf } from '../../marketplace/characters/eligibility.ts'
import type { CharacterState } from '../../store/character-rows.ts'
import type { GameServerRow } from '../../store/game-server-rows.ts'
import type { Html } from '../document.ts'
import { inBrief, relativeTo } from '../formats.ts'
import { badge, card, codeBlock, copyable, copyableInBrief, pairs } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import { actForm, field } from './acts.ts'
import { detailPage, notFoundPage } from './console-page.ts'
import type { ConsolePage, ConsoleParts, PageRequest } from './console-parts.ts'
import { byName, emptyState, pageOf, rowsAsked, table } from './list.ts'

const list = '/console/game-servers'

/** The registered game servers, and registering one. */
export function gameServersPage({ t, clock, directory }: ConsoleParts): ConsolePage {
  const { columns, ...texts } = t.gameServers
  const empty = emptyState(texts.none, texts.registerAbove)
  const registration = actForm({
    method: 'POST',
    path: '/stub/game-servers',
    label: texts.register,
    button: 'first',
    className: 'fields',
    goesTo: `${list}/{gameServerId}`,
    fields: html`
      ${field(texts.name, html`name="name" required maxlength="200" autocomplete="off"`)}
      ${field(texts.laterWebhookUrl, html`name="webhookUrl" type="url" placeholder="http://127.0.0.1:9000/webhook"`)}`,
  })
  return {
    title: t.menu[list],
    content: html`
      <h1>${t.menu[list]}</h1>
      ${card('new', texts.registerOne, html`<p class="soft">${texts.about}</p>${registration}`)}
      ${table(t.menu[list], directory.all(), ({ id }) => id, empty, [
        { name: t.common.no, look: 'figure', cell: ({ id }) => html`<a href="${list}/${id}">${id}</a>` },
        {
          name: columns.name,
          cell: ({ id, name }) => html`<a class="strong" href="${list}/${id}" tabindex="-1">${inBrief(name)}</a>`,
        },
        {
          name: columns.webhooks,
          cell: ({ webhookUrl }) =>
            webhookUrl ? copyableInBrief(t, t.gameServer.webhookUrl, webhookUrl) : texts.nowhere,
        },
        { name: columns.registered, cell: ({ createdAt }) => relativeTo(createdAt, clock.nowMs(), t.lang) },
      ])}`,
  }
}

/** A game server: files for its agent, the address of its webhooks, its characters. */
export function gameServerPage(parts: ConsoleParts, request: PageRequest): ConsolePage {
  const { t } = parts
  const server = parts.directory.byId(positiveInteger(request.id) ?? 0)
  if (!server) return notFoundPage(t, t.gameServer.title(request.id), list)
  return detailPage(
    t,
    list,
    server.name,
    html`${server.name} <span class="soft">${t.common.number(server.id)}</span>`,
    html`<p class="soft">${t.gameServer.registered(relativeTo(server.createdAt, parts.clock.nowMs(), t.lang))}</p>`,
    html`<div class="split">
        ${card('agent', t.gameServer.agent, agentFiles(parts, server))}
        ${card('webhook', t.gameServer.webhooks, webhookAddress(t, server))}
      </div>
      <section aria-labelledby="characters"><h2 id="characters">${t.characters.title}</h2>${characters(parts, server, request)}</section>`,
  )
}

function agentFiles({ t, platform, developerUrl }: ConsoleParts, { id }: GameServerRow): Html {
  const key = platform.tables.gameServers.keyOf(id)
  const path = `${list}/${id}`
  const files = ['agent.env', ...(key?.privateKeyPem ? ['signing-key.pem'] : []), 'platform-public-key.pem']
  const lines = [
    'umask 077 && mkdir -p market-agent && cd market-agent',
    ...files.map((file) => `curl -fsSO ${developerUrl()}${path}/${file}`),
    'SERVICE_STATE_DIR=state market-agent run --config agent.env',
  ]
  return html`<p>${t.gameServer.files}</p>
    <p class="row">${files.map((file, at) => html`<a class="button small ${at === 0 ? 'first' : ''}" href="${path}/${file}" download="${file}">${file}</a>`)}</p>
    ${key?.privateKeyPem ? '' : html`<p class="soft">${t.gameServer.ownKey}</p>`}
    <p class="soft">${t.gameServer.inShell}</p>
    ${codeBlock(t, lines.join('\n'))}
    ${pairs({ kid: copyable(t, 'kid', key?.kid ?? '') })}`
}

function webhookAddress(t: Texts, { id, webhookUrl }: GameServerRow): Html {
  const texts = t.gameServer
  const act = { method: 'PUT', path: `/stub/game-servers/${id}` } as const
  const input = html`name="webhookUrl" type="url" required value="${webhookUrl ?? ''}" placeholder="http://127.0.0.1:9000/webhook"`
  return html`<p>${webhookUrl ? texts.goTo(copyable(t, texts.webhookUrl, webhookUrl)) : texts.noAddress}</p>
    ${actForm({ ...act, label: texts.save, className: 'joined', fields: field(texts.webhookUrl, input) })}
    <div class="row">${webhookUrl && actForm({ ...act, label: texts.letWait, body: { webhookUrl: null } })} <a href="/console/webhooks?show=tests">${t.testEvents.sendOne}</a></div>`
}

const flags: readonly (readonly [flag: keyof CharacterState, tone: string])[] = [
  ['account', 'good'],
  ['linked', 'good'],
  ['recipientApproved', 'good'],
  ['banned', 'bad'],
  ['sellingBlocked', 'bad'],
]

function characters({ t, queries }: ConsoleParts, { id }: GameServerRow, request: PageRequest): Html {
  const found = queries.characters(id, { after: request.query.get(byName) ?? '', count: rowsAsked })
  const { rows, pager } = pageOf(t, request, found, ({ characterRef }) => characterRef, byName)
  const { columns, ...texts } = t.characters
  const path = `/stub/game-servers/${id}/characters`
  const naming = actForm({
    method: 'PUT',
    path: `${path}/{characterRef}`,
    label: texts.letSell,
    className: 'joined',
    body: { linked: true, recipientApproved: true },
    fields: field(texts.character, html`name="characterRef" required maxlength="255" placeholder="char-1"`),
  })
  const flagsOf = (character: (typeof rows)[number]) => {
    const act = { method: 'PUT', path: `${path}/${encodeURIComponent(character.characterRef)}` } as const
    return flags.map(([flag, tone]) =>
      actForm({
        ...act,
        label: texts.flags[flag],
        button: character[flag] ? tone : '',
        isPressed: character[flag],
        body: { [flag]: !character[flag] },
      }),
    )
  }
  const empty = emptyState(texts.none, texts.comesWith)
  return html`<div class="card pad">${naming}</div>
    ${table(texts.title, rows, ({ characterRef }) => encodeURIComponent(characterRef), empty, [
      {
        name: columns.character,
        cell: ({ characterRef, characterName }) =>
          html`<span class="strong">${characterName ?? characterRef}</span>${characterName && html`<span class="sub">${copyable(t, columns.character, characterRef)}</span>`}`,
      },
      {
        name: columns.maySell,
        cell: (character) => {
          const { allowed, blocker } = eligibilityOf(character)
          return badge(allowed ? 'good' : 'bad', allowed ? texts.yes : blocker)
        },
      },
      { name: columns.flags, cell: (character) => html`<div class="row">${flagsOf(character)}</div>` },
    ])}
    ${pager}`
}
