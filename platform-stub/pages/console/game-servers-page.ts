import { html } from 'hono/html'
import type { GameServerRow } from '../../store/game-server-rows.ts'
import type { Html } from '../document.ts'
import { actForm } from './acts.ts'
import { consolePage } from './console-layout.ts'
import type { ConsoleContext, ConsoleParts } from './console-parts.ts'
import { relativeTo } from './moments.ts'
import { emptyState, table } from './table.ts'

/** The registered game servers, and registering one. */
export function gameServersPage(context: ConsoleContext, parts: ConsoleParts) {
  const nowMs = parts.clock.nowMs()
  const servers = parts.directory.all()
  return consolePage(context, parts, {
    title: 'Game servers',
    menuPath: '/console/game-servers',
    content: html`
      <h1>Game servers</h1>
      <section class="card pad" aria-labelledby="new">
        <h2 id="new">Register one</h2>
        <p class="soft">The stub issues the API key and makes the key pair, as the platform’s staff would. Then its <code>agent.env</code> can be downloaded.</p>
        ${registrationForm()}
      </section>
      ${
        servers.length === 0
          ? emptyState('No game server yet', 'Register the first one above.')
          : table<GameServerRow>('Game servers', servers, ({ id }) => id, [
              {
                name: 'No.',
                cell: ({ id }) => html`<a href="/console/game-servers/${id}">${id}</a>`,
                isFigure: true,
              },
              {
                name: 'Name',
                cell: ({ id, name }) =>
                  html`<a class="strong" href="/console/game-servers/${id}" tabindex="-1">${name}</a>`,
              },
              {
                name: 'Webhooks go to',
                cell: ({ webhookUrl }) =>
                  webhookUrl === null
                    ? html`<span class="soft">nowhere: they wait</span>`
                    : html`<code class="wrap">${webhookUrl}</code>`,
              },
              { name: 'Registered', cell: ({ createdAt }) => relativeTo(createdAt, nowMs) },
            ])
      }`,
  })
}

function registrationForm(): Html {
  return actForm({
    method: 'POST',
    path: '/stub/game-servers',
    label: 'Register',
    button: 'first',
    className: 'fields',
    goesTo: '/console/game-servers/{gameServerId}',
    isKept: true,
    fields: html`
      <label class="field"><span>Name</span><input name="name" required maxlength="200" autocomplete="off"></label>
      <label class="field"><span>Webhook URL (may come later)</span><input name="webhookUrl" type="url" placeholder="http://127.0.0.1:9000/webhook"></label>`,
  })
}
