import { expect, test } from 'vitest'
import { startHost } from '../fixtures/start-host.ts'
import { ProcessDied } from '../process.ts'
import { Random } from '../random.ts'
import type { ModelFs } from './model-fs.ts'

const seeds = Array.from({ length: 60 }, (_, n) => String(n))

/** A host with an empty directory that survives everything. */
function startDisk(seed?: string) {
  const started = startHost(seed)
  const { disk } = started.host
  disk.mkdir('/dir', 0o755)
  disk.sync(disk.getDir('/', 'open'))
  return started
}

/** What a power cut leaves of what a script does, over many seeds: each state once. */
async function statesAfterPowerCut(script: (fs: ModelFs) => void): Promise<string[]> {
  const states = new Set<string>()
  for (const seed of seeds) {
    const { run, cutPower } = startDisk(seed)
    await run(({ fs }) => script(fs))
    cutPower()
    states.add(
      await run(({ fs }) =>
        fs
          .readdirSync('/dir')
          .toSorted()
          .map((name) => `${name}=${fs.readFileSync(`/dir/${name}`, 'latin1')}`)
          .join(' '),
      ),
    )
  }
  return [...states].sort()
}

function writeSynced(fs: ModelFs, path: string, text: string): void {
  const fd = fs.openSync(path, 'w')
  fs.writeFileSync(fd, text)
  fs.fsyncSync(fd)
  fs.closeSync(fd)
}

function syncDir(fs: ModelFs): void {
  const fd = fs.openSync('/dir', 'r')
  fs.fsyncSync(fd)
  fs.closeSync(fd)
}

test('a file that is synced in a synced directory survives every power cut', async () => {
  const left = await statesAfterPowerCut((fs) => {
    writeSynced(fs, '/dir/a', 'text')
    syncDir(fs)
  })
  expect(left).toEqual(['a=text'])
})

test('a power cut leaves old bytes, new ones, or their beginning where a file was not synced', async () => {
  const left = await statesAfterPowerCut((fs) => {
    writeSynced(fs, '/dir/a', 'old')
    syncDir(fs)
    fs.writeFileSync('/dir/a', 'new!')
  })
  expect(left).toEqual(expect.arrayContaining(['a=old', 'a=new!', 'a=ne', 'a=ne\0\0', 'a=']))
  expect(
    left.every((state) => /^a=(?:old|n?e?w?!?\0*)$/.test(state)),
    left.join(),
  ).toBe(true)
})

test('the sync of a file does not keep its name: that is in the directory', async () => {
  const left = await statesAfterPowerCut((fs) => writeSynced(fs, '/dir/a', 'text'))
  expect(left).toEqual(['', 'a=text'])
})

test('each change of a directory that was not synced is kept or not, whatever the order', async () => {
  const left = await statesAfterPowerCut((fs) => {
    for (const name of ['a', 'b']) writeSynced(fs, `/dir/${name}`, name)
    syncDir(fs)
    fs.renameSync('/dir/a', '/dir/c')
    fs.unlinkSync('/dir/b')
  })
  expect(left).toEqual(['a=a', 'a=a b=b', 'b=b c=a', 'c=a'])
})

test('a change of a name is never kept without the changes of that name before it: a file has one name of three', async () => {
  const left = await statesAfterPowerCut((fs) => {
    writeSynced(fs, '/dir/new', 'x')
    fs.renameSync('/dir/new', '/dir/a')
    fs.renameSync('/dir/a', '/dir/b')
  })
  expect(left).toEqual(['', 'a=x', 'b=x', 'new=x'])
})

test('the sync of one directory keeps the whole of a rename into it, and nothing else', async () => {
  const left = await statesAfterPowerCut((fs) => {
    fs.mkdirSync('/other')
    writeSynced(fs, '/dir/a', 'a')
    fs.renameSync('/dir/a', '/other/a')
    const other = fs.openSync('/other', 'r')
    fs.fsyncSync(other)
    writeSynced(fs, '/dir/b', 'b')
    fs.fsyncSync(other)
  })
  expect(left).toEqual(['', 'b=b'])
})

test('a kill loses nothing', async () => {
  const { run } = startDisk()
  await run(({ fs }) => fs.writeFileSync('/dir/a', 'text'))
  expect(await run(({ fs }) => fs.readFileSync('/dir/a', 'utf8'))).toBe('text')
})

test('what a failed sync dropped is lost, also if the next sync succeeds', async () => {
  const left = new Set<string>()
  for (const seed of seeds) {
    const { host, run, cutPower } = startDisk(seed)
    host.diskFaults.add({ calls: ['fsync'], codes: ['EIO'], rate: 1, times: 1 }, new Random('fault'))
    await run(({ fs }) => {
      expect(() => writeSynced(fs, '/dir/a', 'text')).toThrow('EIO')
      syncDir(fs)
      const fd = fs.openSync('/dir/a', 'r')
      fs.fsyncSync(fd)
      expect(fs.readFileSync('/dir/a', 'utf8')).toBe('text')
    })
    cutPower()
    left.add(await run(({ fs }) => fs.readFileSync('/dir/a', 'utf8')))
  }
  expect(left).toContain('')
})

test('a fault fails the calls that it names, at its rate, on its paths, and only until it is healed', async () => {
  const { host, run } = startDisk()
  const fault = { calls: ['rename', 'create'], codes: ['EPERM', 'EBUSY'], rate: 0.5, paths: /dir/ }
  const heal = host.diskFaults.add(fault, new Random('fault'))
  const codes = await run(({ fs }) =>
    Array.from({ length: 100 }, (_, n) => {
      try {
        fs.closeSync(fs.openSync(`/dir/${n}`, 'w'))
        return 'made'
      } catch (error) {
        return (error as NodeJS.ErrnoException).code ?? ''
      }
    }),
  )
  expect([...new Set(codes)].sort()).toEqual(['EBUSY', 'EPERM', 'made'])
  await run(({ fs }) => fs.writeFileSync('/elsewhere', ''))
  heal()
  await run(({ fs }) => {
    for (let n = 0; n < 100; n++) fs.writeFileSync(`/dir/${n}`, '')
  })
})

test('a full disk makes no files and takes no bytes, but renames and removes', async () => {
  const { host, run } = startDisk()
  await run(({ fs }) => fs.writeFileSync('/dir/a', 'text'))
  host.diskFaults.add({ calls: ['create', 'write', 'mkdir'], codes: ['ENOSPC'], rate: 1 }, new Random('fault'))
  await run(({ fs }) => {
    expect(() => fs.openSync('/dir/b', 'wx')).toThrow(expect.objectContaining({ code: 'ENOSPC', syscall: 'open' }))
    expect(() => fs.writeFileSync('/dir/a', 'more')).toThrow('ENOSPC')
    fs.renameSync('/dir/a', '/dir/c')
    fs.unlinkSync('/dir/c')
  })
})

test('a process that is killed while it writes a file may leave it empty and can do nothing after that', async () => {
  const { host, run } = startDisk()
  const died = run(({ fs, process }) => {
    process.endAtCall(1)
    expect(() => fs.writeFileSync('/dir/a', 'text')).toThrow(ProcessDied)
    expect(() => fs.unlinkSync('/dir/a')).toThrow(ProcessDied)
    fs.unlink('/dir/a', () => expect.unreachable())
  })
  await died
  expect(host.disk.find('/dir/a', 'stat')).toMatchObject({ data: Buffer.alloc(0) })
})

test('a watcher is told about each change in its directory until it stops', async () => {
  const { host, run } = startDisk()
  let changes = 0
  const stop = host.disk.watch('/dir', () => changes++)
  await run(({ fs }) => {
    fs.writeFileSync('/dir/a', 'text')
    fs.writeFileSync('/elsewhere', 'text')
    fs.renameSync('/dir/a', '/dir/b')
    stop()
    fs.unlinkSync('/dir/b')
  })
  // A rename within the directory is two changes of it.
  expect(changes).toBe(3)
})

test('a process that renames a hundred files and closes none has forgotten them', async () => {
  const { run } = startDisk()
  await run(({ fs }) => {
    const replaceOften = () => {
      for (let n = 0; n < 100; n++) {
        fs.openSync('/dir/new', 'wx')
        fs.renameSync('/dir/new', '/dir/a')
      }
    }
    expect(replaceOften).toThrow(expect.objectContaining({ code: 'EMFILE', syscall: 'open' }))
  })
})

test('a process that closes no files can open no more in the end, and another one can', async () => {
  const { run } = startDisk()
  await run(({ fs }) => {
    fs.writeFileSync('/dir/a', 'text')
    const openAll = () => {
      for (let n = 0; n < 2_000; n++) fs.openSync(`/dir/${n}`, 'w')
    }
    expect(openAll).toThrow(expect.objectContaining({ code: 'EMFILE', syscall: 'open' }))
  })
  await run(({ fs }) => fs.closeSync(fs.openSync('/dir/a', 'r')))
})
