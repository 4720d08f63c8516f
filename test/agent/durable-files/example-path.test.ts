import { expect, test } from 'vitest'
import { examplePath } from '../../../agent/durable-files/example-path.ts'

test('on Windows messages show paths of Windows, those of the service script', () => {
  expect(examplePath('/etc/market-agent/signing-key.pem', '\\')).toBe('C:\\ProgramData\\market-agent\\signing-key.pem')
  expect(examplePath('/var/lib/market-agent', '\\')).toBe('C:\\ProgramData\\market-agent\\state')
  expect(examplePath('/var/log/market-agent/agent.log', '\\')).toBe('C:\\ProgramData\\market-agent\\logs\\agent.log')
  expect(examplePath('/var/spool/market-agent', '\\')).toBe('C:\\ProgramData\\market-agent\\spool')
})

test('elsewhere messages show the paths of the Debian package', () => {
  expect(examplePath('/etc/market-agent/api-key', '/')).toBe('/etc/market-agent/api-key')
})
