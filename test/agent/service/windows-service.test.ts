import { expect, test } from 'vitest'
import { windowsService } from '../../../agent/service/windows-service.ts'

const script = windowsService({ name: 'market-agent-alpha' })

test('the Windows service restarts with a pause, but not after exit 2 and not after an orderly end', () => {
  expect(script).toContain('--restart-if-not 0,2 --restart-delay 5000')
})

test('the Windows service has the 10 s that the agent takes to end, and waits for another agent', () => {
  expect(script).toContain('--stop-timeout 15000')
  expect(script).toContain('run --standby')
})

test('the Windows service runs as an account of its own, and only this account and administrators read keys', () => {
  expect(script).toContain('$Account = "NT SERVICE\\$Name"')
  expect(script).toContain('sc.exe config $Name obj= $Account')
  expect(script).toMatch(/^icacls \$Data \/inheritance:r .*"\$\{Account\}:\(OI\)\(CI\)RX"/m)
})

test('each game server on a Windows host has a service and a data directory of its own', () => {
  expect(script).toContain("$Name = 'market-agent-alpha'")
  expect(script).toContain('$Data = "$env:ProgramData\\market-agent-alpha"')
})
