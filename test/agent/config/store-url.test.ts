import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readStoreUrl } from '../../../agent/config/store-url.ts'

const urlOf = (text: string) => {
  const reading = readStoreUrl(text)
  return reading.ok ? reading.url : reading.problem
}
const hostsOf = (text: string) => {
  const url = urlOf(text)
  return typeof url === 'string'
    ? url
    : url.hosts.map(({ host, port, isRemote }) => `${host} ${port} ${isRemote ? 'remote' : 'local'}`)
}

test('an address names a user, a password and a database', () => {
  expect(urlOf('postgres://market:s%40cret%2F@db1/game%20server')).toEqual({
    hosts: [{ host: 'db1', port: 5432, isRemote: true }],
    user: 'market',
    password: 's@cret/',
    database: 'game server',
  })
  expect(urlOf('postgresql://market@db1/game')).toMatchObject({ user: 'market', password: undefined })
})

test('an address names several hosts, each with a port or the usual one', () => {
  expect(hostsOf('postgres://u@db1:6432,db2.example,10.0.0.3:1/d')).toEqual([
    'db1 6432 remote',
    'db2.example 5432 remote',
    '10.0.0.3 1 remote',
  ])
  expect(hostsOf('postgres://u@[2001:db8::1]:6432,[::1]/d')).toEqual(['2001:db8::1 6432 remote', '::1 5432 local'])
})

test('only loopback and Unix sockets are local', () => {
  expect(hostsOf('postgres://u@localhost,127.0.0.2,127.evil.example,localhost.example/d')).toEqual([
    'localhost 5432 local',
    '127.0.0.2 5432 local',
    '127.evil.example 5432 remote',
    'localhost.example 5432 remote',
  ])
  expect(hostsOf('postgres://u@/d?host=/run/postgresql,/tmp/other&port=6432')).toEqual([
    '/run/postgresql 6432 local',
    '/tmp/other 6432 local',
  ])
})

test.each([
  ['mysql://u:secret@h/d', 'not an address that begins with postgres://'],
  ['postgres://u:secret%zz@h/d', /has a %/],
  ['postgres://:secret@h/d', 'names no user'],
  ['postgres://u:secret@h', 'names no database'],
  ['postgres://u:secret@h/', 'names no database'],
  ['postgres://u:secret@/d', /names no host/],
  ['postgres://u:secret@h1,,h2/d', /names no host/],
  ['postgres://u:secret@h1,/d', /names no host/],
  ['postgres://u:secret@h h/d', /names no host/],
  ['postgres://u:secret@[::1/d', /names no host/],
  ['postgres://u:secret@h:0/d', /has a port/],
  ['postgres://u:secret@h:65536/d', /has a port/],
  ['postgres://u:secret@h:1e3/d', /has a port/],
  ['postgres://u:secret@h:/d', /has a port/],
  ['postgres://u:secret@h/d?sslmode=disable', /TLS is not optional/],
  ['postgres://u:secret@h/d?host=/run', 'names hosts twice'],
  ['postgres://u:secret@/d?host=other.example', /not the directory of a Unix socket/],
  ['postgres://u:secret@h/d?port=1', /has a port without a host/],
  ['postgres://u:sec#ret@h/d', /write # as %23/],
  [`postgres://u:secret@${'h,'.repeat(16)}h/d`, 'names more than 16 hosts'],
])('%s is refused, without a word of its password', (text, problem) => {
  const found = urlOf(text)
  expect(found).toMatch(problem)
  expect(found).not.toContain('secret')
})

test('every user, password and database is read back, whatever is in it', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme', minLength: 1 }), fc.constantFrom('.', '..', '/', '@', ':'))
  void fc.assert(
    fc.property(text, text, text, (user, password, database) => {
      const [u, p, d] = [user, password, database].map(encodeURIComponent)
      expect(urlOf(`postgres://${u}:${p}@h1,h2/${d}`)).toMatchObject({ user, password, database })
    }),
  )
})
