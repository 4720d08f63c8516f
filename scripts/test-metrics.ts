/**
 * `npm run test:metrics`: tests alerts and dashboard of docs/operations/ with a real Prometheus. promtool checks and
 * tests the rules; then Prometheus scrapes an agent until every query of the dashboard has a result. It installs
 * Debian's `prometheus` if that is missing, so it is not a part of `npm test`.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '../test/agent/fixtures/postgres-server.ts'

const root = join(import.meta.dirname, '..')
const monitoring = join(root, 'docs', 'operations', 'monitoring')
const dir = mkdtempSync(join(tmpdir(), 'market-agent-metrics-'))
const prometheusUrl = 'http://127.0.0.1:19099'
const queryMsMax = 90_000
const children: ChildProcess[] = []

function say(text: string): void {
  console.log(text)
}

/** Starts a program of this repository. Resolves with a field of the log line with that message. */
function start(program: string, args: readonly string[], msg: string): Promise<Record<string, string>> {
  const child = spawn(process.execPath, [join(root, program, 'main.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  let text = ''
  return new Promise((resolve, reject) => {
    child.on('exit', () => reject(new Error(`${program} ended:\n${text}`)))
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      for (const line of text.split('\n').slice(0, -1)) {
        const fields = JSON.parse(line) as Record<string, string>
        if (fields['msg'] === msg) resolve(fields)
      }
    })
  })
}

async function startAgent(storePort: number): Promise<string> {
  const { url } = await start('platform-stub', ['serve', '--port', '0', '--memory'], 'listening')
  const provision = ['provision', '--url', String(url), '--name', 'metrics', '--agent-port', '18899', '--bridge']
  const dirs = ['--spool-dir', join(dir, 'spool'), '--state-dir', join(dir, 'state'), '--out', join(dir, 'game-server')]
  const bridge = ['--webhook-url', 'http://127.0.0.1:18898/webhook']
  execFileSync(process.execPath, [join(root, 'platform-stub', 'main.ts'), ...provision, ...bridge, ...dirs])
  const config = join(dir, 'game-server', 'agent.env')
  appendFileSync(config, `SERVICE_STORE_URL=postgres://postgres@127.0.0.1:${storePort}/postgres\n`)
  const agent = await start('agent', ['run', '--config', config], 'listening')
  return String(agent['url'])
}

/**
 * Makes calls, one that the platform does not know, and a request that is not a webhook, so that everything is counted.
 */
async function useAgent(url: string): Promise<void> {
  const calls = [
    { operation: 'market.eligibility', input: { characterRef: 'char-1' } },
    { operation: 'transaction.get', input: { transactionId: 1 } },
  ]
  const headers = { 'content-type': 'application/json' }
  for (const call of calls) await fetch(`${url}/call`, { method: 'POST', headers, body: JSON.stringify(call) })
  await fetch('http://127.0.0.1:18898/webhook', { method: 'POST', body: '{}' })
}

function startPrometheus(target: string): void {
  const config = join(dir, 'prometheus.yml')
  const scrape = `{ job_name: market-agent, static_configs: [{ targets: ['${new URL(target).host}'] }] }`
  const rules = join(monitoring, 'alerts.rules.yml')
  writeFileSync(config, `global: { scrape_interval: 1s }\nrule_files: ['${rules}']\nscrape_configs: [${scrape}]\n`)
  const storage = `--storage.tsdb.path=${join(dir, 'tsdb')}`
  const address = `--web.listen-address=${new URL(prometheusUrl).host}`
  children.push(spawn('prometheus', [`--config.file=${config}`, storage, address], { stdio: 'ignore' }))
}

/** The queries of the dashboard, as Grafana would send them. */
function dashboardQueries(): string[] {
  const text = readFileSync(join(monitoring, 'dashboard.json'), 'utf8')
  const { panels } = JSON.parse(text) as { panels: { targets: { expr: string }[] }[] }
  return panels.flatMap(({ targets }) =>
    targets.map(({ expr }) => expr.replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m')),
  )
}

async function hasResult(query: string): Promise<boolean> {
  try {
    const response = await fetch(`${prometheusUrl}/api/v1/query?query=${encodeURIComponent(query)}`)
    const { data } = (await response.json()) as { data?: { result: { value: [number, string] }[] } }
    return data?.result.some(({ value: [, value] }) => value !== 'NaN') ?? false
  } catch {
    return false
  }
}

async function run(): Promise<void> {
  if (spawnSync('promtool', ['--version']).error) {
    say('installing prometheus, which has promtool …')
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'prometheus'], { stdio: 'inherit' })
  }
  execFileSync('promtool', ['check', 'rules', 'alerts.rules.yml'], { cwd: monitoring, stdio: 'inherit' })
  execFileSync('promtool', ['test', 'rules', 'alerts.test.yml'], { cwd: monitoring, stdio: 'inherit' })
  await using store = await startPostgres()
  const url = await startAgent(store.port)
  startPrometheus(url)
  const text = await (await fetch(`${url}/metrics`)).text()
  execFileSync('promtool', ['check', 'metrics'], { input: text, stdio: ['pipe', 'inherit', 'inherit'] })
  const deadlineMs = performance.now() + queryMsMax
  for (const query of dashboardQueries()) {
    while (!(await hasResult(query))) {
      if (performance.now() > deadlineMs) throw new Error(`no result: ${query}`)
      await useAgent(url)
      await sleep(500)
    }
    say(`ok  ${query}`)
  }
}

try {
  await run()
} finally {
  for (const child of children) child.removeAllListeners('exit').kill('SIGTERM')
  await Promise.all(children.map((child) => child.exitCode ?? new Promise((resolve) => child.once('exit', resolve))))
  rmSync(dir, { recursive: true, force: true })
}
