import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { setStage } from '../../scripts/demo/stage.ts'

test('a shell script lists an item and sells it by files alone', async () => {
  await using stage = await setStage()
  const spoolDir = join(stage.dir, 'spool')
  const { gameServerId } = await stage.startAgent('with-files', { SERVICE_SPOOL_DIR: spoolDir })
  const seller = `/stub/game-servers/${gameServerId}/characters/char-1`
  await stage.atPlatform('PUT', seller, { linked: true, recipientApproved: true })
  const script = join(import.meta.dirname, '..', '..', 'examples', 'spool-shell', 'sell.sh')
  const child = spawn('sh', [script, 'offer-1', 'char-1', 'char-2'], {
    env: { ...process.env, SERVICE_SPOOL_DIR: spoolDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  let isPaid = false
  child.stdout.on('data', (chunk) => {
    printed += chunk
    if (isPaid || !printed.includes('the buyer pays here')) return
    isPaid = true
    void stage.atPlatform('POST', '/stub/transactions/1/pay', {})
  })
  const code = await new Promise((resolve) => child.on('exit', resolve))
  expect(printed.split('\n')).toEqual([
    'listed offer-1 as listing 1',
    expect.stringMatching(/^the buyer pays here: http:\/\/127\.0\.0\.1:\d+\/checkout\/[\w-]+$/),
    'paid: the item goes to char-2',
    'delivered: PAGO / ENTREGUE',
    'ended: CONCLUIDA',
    '',
  ])
  expect(code).toBe(0)
})
