import { expect, test } from 'vitest'
import { proxyOf } from '../../../agent/platform/proxy.ts'

const httpsProxy = 'http://proxy.example:3128'

/** Entries of NO_PROXY that go around the proxy for an address, and entries that do not. */
const rows: Readonly<Record<string, { readonly around: readonly string[]; readonly through: readonly string[] }>> = {
  'https://api.market.example': {
    around: ['*', 'api.market.example', 'market.example', '.market.example', '*.market.example', 'API.Market.Example.'],
    through: ['', 'other.example', 'pi.market.example', 'api.market.example:8443', '*.api.market.example', 'market'],
  },
  'https://api.market.example:8443': {
    around: ['api.market.example:8443', 'a.example b.example,market.example:8443', '*:8443'],
    through: ['api.market.example:443', '*:443'],
  },
  'https://[::1]:8443': { around: ['::1', '[::1]', '[::1]:8443'], through: ['[::1]:443', '::2'] },
}

for (const [origin, { around, through }] of Object.entries(rows)) {
  test(`NO_PROXY decides by name and port whether ${origin} is reached through the proxy`, () => {
    for (const noProxy of around) expect(proxyOf(origin, { httpsProxy, noProxy }), noProxy).toBeUndefined()
    for (const noProxy of through)
      expect(proxyOf(origin, { httpsProxy, noProxy })?.host, noProxy).toBe('proxy.example:3128')
  })
}

test('a platform on this host is never reached through a proxy, and no platform without one', () => {
  expect(proxyOf('http://127.0.0.1:8787', { httpsProxy, noProxy: undefined })).toBeUndefined()
  expect(proxyOf('https://api.market.example', { httpsProxy: undefined, noProxy: undefined })).toBeUndefined()
})
