import { html } from 'hono/html'
import { iso } from '../../clock/iso.ts'
import { duration, stamp } from '../browser/moments.js'
import type { Html } from '../document.ts'
import { badge, icon } from '../parts.ts'
import { actForm, field } from './acts.ts'
import type { ConsoleParts } from './console-parts.ts'

/** The stub's time, and the buttons that change it. */
export function clockPanel({ clock, t }: ConsoleParts): Html {
  const { offsetMs } = clock
  const nowMs = clock.nowMs()
  const act = { method: 'PUT', path: '/stub/clock' } as const
  // The stub needed a moment to set the clock, so the offset is rounded.
  const distanceMs = Math.round(Math.abs(offsetMs) / 1_000) * 1_000
  return html`<details class="clock" data-panel data-live-region="clock">
    <summary class="button small">
      ${icon('clock')}<span class="hidden-text">${t.clock.name}: </span>
      <time datetime="${iso(nowMs)}" data-shows="clock">${stamp(nowMs, t.lang, 'UTC', 'short')}</time>
      ${offsetMs === 0 ? '' : badge('wait', t.clock.travelling(`${offsetMs < 0 ? '−' : '+'}${duration(distanceMs, t.lang)}`))}
    </summary>
    <div class="card pad stack">
      <p>${t.clock.explanation}</p>
      <div class="row">${Object.entries(t.clock.jumps).map(([seconds, label]) => actForm({ ...act, label, body: { advanceSeconds: Number(seconds) } }))}</div>
      ${actForm({
        ...act,
        label: t.clock.travel,
        className: 'joined',
        fields: field(
          t.clock.moment,
          html`name="now" required placeholder="${iso(nowMs)}" pattern="\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?Z" title="${t.clock.momentForm}"`,
        ),
      })}
      <label class="field"><span>${t.clock.zone}</span><select data-zones>${Object.entries(t.clock.zones).map(([zone, name]) => html`<option value="${zone}">${name}</option>`)}</select></label>
      ${offsetMs === 0 ? html`<p class="soft">${t.clock.isReal}</p>` : actForm({ ...act, method: 'DELETE', label: t.clock.back })}
    </div>
  </details>`
}
