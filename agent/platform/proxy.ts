import { isIPv6 } from 'node:net'

/**
 * The proxy for a platform; undefined where it is reached directly. `NO_PROXY` is read as undici's `EnvHttpProxyAgent`
 * reads it: names with their subdomains, `*.name` for only subdomains, `*` for all, each with or without a port.
 *
 * @param origin Scheme, host and port.
 */
export function proxyOf(
  origin: string,
  { httpsProxy, noProxy }: { readonly httpsProxy: string | undefined; readonly noProxy: string | undefined },
): URL | undefined {
  const { protocol, hostname, port } = new URL(origin)
  if (httpsProxy === undefined || protocol !== 'https:') return undefined
  const host = nameOf(hostname)
  const isExcepted = (noProxy ?? '').split(/[,\s]+/).some((entry) => {
    const [, name = entry, entryPort] = isIPv6(entry) ? [] : (/^(.*?)(?::(\d+))?$/.exec(entry) ?? [])
    if (entryPort !== undefined && entryPort !== (port || '443')) return false
    const suffix = nameOf(name.replace(/^\*?\./, ''))
    return suffix === '*' || (suffix !== '' && host.endsWith(`.${suffix}`)) || (host === suffix && name[0] !== '*')
  })
  return isExcepted ? undefined : new URL(httpsProxy)
}

/** Without the brackets of an IPv6 address and the dot at the end of a full name. */
function nameOf(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
}
