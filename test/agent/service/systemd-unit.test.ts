import { expect, test } from 'vitest'
import { systemdUnit, usualUnitOptions } from '../../../agent/service/systemd-unit.ts'

const unit = systemdUnit(usualUnitOptions(false))
const template = systemdUnit(usualUnitOptions(true))

/** The values of a key, in the order of the file. */
const valuesOf = (text: string, key: string) =>
  [...text.matchAll(RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value)

test('the service restarts without a limit and with a pause, but not after exit 2', () => {
  expect(valuesOf(unit, 'Restart')).toEqual(['always'])
  expect(valuesOf(unit, 'RestartSec')).toEqual(['5'])
  expect(valuesOf(unit, 'StartLimitIntervalSec')).toEqual(['0'])
  expect(valuesOf(unit, 'RestartPreventExitStatus')).toEqual(['2'])
})

test('where another agent holds state or spool, the service waits for its end', () => {
  expect(valuesOf(unit, 'ExecStart')).toEqual([
    '/usr/bin/market-agent run --standby --config /etc/market-agent/agent.env',
  ])
})

test('before each start the host is checked, and what is found stops nothing', () => {
  expect(valuesOf(template, 'ExecStartPre')).toEqual([
    '-/usr/bin/market-agent check --offline --config /etc/market-agent-%i/agent.env',
  ])
})

test('a reload says why it fails, and an agent in standby is reloaded too', () => {
  expect(valuesOf(template, 'ExecReload')).toEqual([
    '/usr/bin/market-agent reload --config /etc/market-agent-%i/agent.env',
    '/bin/kill -HUP $MAINPID',
  ])
})

test('systemd waits until calls are taken, and kills a service that stops reporting', () => {
  expect(valuesOf(unit, 'Type')).toEqual(['notify'])
  expect(valuesOf(unit, 'NotifyAccess')).toEqual(['all'])
  expect(valuesOf(unit, 'WatchdogSec')).toEqual(['60'])
  // systemd-notify reaches systemd over a Unix socket.
  expect(valuesOf(unit, 'RestrictAddressFamilies')).toEqual(['AF_INET AF_INET6 AF_UNIX'])
})

test('a host without a spool starts the service too', () => {
  expect(valuesOf(unit, 'ReadWritePaths')).toEqual(['-/var/spool/market-agent'])
})

test('of several game servers on one host each has its own user, settings, state, logs and spool', () => {
  expect(valuesOf(template, 'User')).toEqual(['market-agent-%i'])
  expect(valuesOf(template, 'ExecStart')).toEqual([
    '/usr/bin/market-agent run --standby --config /etc/market-agent-%i/agent.env',
  ])
  expect(valuesOf(template, 'StateDirectory')).toEqual(['market-agent-%i'])
  expect(valuesOf(template, 'LogsDirectory')).toEqual(['market-agent-%i'])
  expect(valuesOf(template, 'ReadWritePaths')).toEqual(['-/var/spool/market-agent-%i'])
})

test('an executable in a directory with spaces and other signs is started as it is called', () => {
  const options = { ...usualUnitOptions(false), executable: '/opt/my games/$1/market-agent' }
  expect(valuesOf(systemdUnit(options), 'ExecStart')).toEqual([
    '"/opt/my games/$$1/market-agent" run --standby --config /etc/market-agent/agent.env',
  ])
})
