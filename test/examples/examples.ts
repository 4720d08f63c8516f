/** Where one run of an example takes place. Paths are absolute. */
export interface Place {
  /** `examples/<name>`. */
  readonly source: string
  /** A folder of this run, for what its build makes. */
  readonly out: string
  /** GAME_PORT. */
  readonly gamePort: number
}

/** One example: how it gets its orders, what it needs, how it is built and started. */
export interface Example {
  /** Its folder in `examples/`. */
  readonly name: string
  /** The agent posts its orders; it asks for them; or it reads them from files, and calls by files too. */
  readonly orders: 'pushed' | 'asked' | 'files'
  /** Tells the platform what became of an order: the agent, from its reply, or the example. */
  readonly reports?: 'by-itself'
  /** What its source files may have together. */
  readonly linesMax: number
  /** Where it reads commands: standard input, or `console.txt` in its world. */
  readonly console: 'stdin' | 'file'
  /** Debian's packages. */
  readonly packages: readonly string[]
  /** Commands that end with 0 where it can run. */
  readonly needs: readonly (readonly string[])[]
  /** Why it cannot run here at all. */
  readonly cannotRun?: string
  /** Must write nothing to standard error. */
  readonly build?: (place: Place) => readonly string[]
  /** Its processes. The first one reads the commands and says `pronto`. */
  readonly start: (place: Place) => readonly (readonly string[])[]
  /** It knows the time only from a living agent. Started without one, it gives nothing. */
  readonly hasNoClock?: true
  /** It does one round of its work and ends and is started again and again as by cron. */
  readonly isStartedAgain?: true
}

const gson = '/usr/share/java/gson.jar'
const nlohmannJson = '/usr/include/nlohmann/json.hpp'
const cppHttplib = '/usr/include/httplib.h'
const overHttp = { orders: 'pushed', console: 'stdin' } as const
const byAsking = { orders: 'asked', console: 'stdin' } as const
const overFiles = { orders: 'files', console: 'file' } as const

/** Every example, a row each. */
export const examples: readonly Example[] = [
  {
    name: 'python',
    ...byAsking,
    linesMax: 120,
    packages: ['python3'],
    needs: [['python3', '--version']],
    start: ({ source }) => [['python3', `${source}/game.py`]],
  },
  {
    name: 'python-reports',
    ...overHttp,
    reports: 'by-itself',
    linesMax: 400,
    packages: ['python3'],
    needs: [['python3', '--version']],
    start: ({ source }) => [['python3', `${source}/game.py`]],
  },
  {
    name: 'node',
    ...overHttp,
    linesMax: 120,
    packages: ['nodejs'],
    needs: [['node', '--version']],
    start: ({ source }) => [['node', `${source}/game.mjs`]],
  },
  {
    name: 'java',
    ...overHttp,
    linesMax: 200,
    packages: ['default-jdk-headless', 'libgoogle-gson-java'],
    needs: [
      ['javac', '-version'],
      ['test', '-f', gson],
    ],
    build: ({ source, out }) => ['javac', '-encoding', 'UTF-8', '-cp', gson, '-d', out, `${source}/Game.java`],
    start: ({ out }) => [['java', '-cp', `${out}:${gson}`, 'Game']],
  },
  {
    name: 'csharp',
    ...overHttp,
    linesMax: 200,
    packages: ['mono-mcs', 'mono-runtime', 'libmono-system-web-extensions4.0-cil'],
    needs: [
      ['mcs', '--version'],
      ['mono', '--version'],
    ],
    build: ({ source, out }) => ['mcs', `-out:${out}/Game.exe`, '-r:System.Web.Extensions', `${source}/Game.cs`],
    start: ({ out }) => [['mono', `${out}/Game.exe`]],
  },
  {
    name: 'go',
    ...byAsking,
    linesMax: 200,
    packages: ['golang-go'],
    needs: [['go', 'version']],
    build: ({ source, out }) => ['go', 'build', '-o', `${out}/game`, `${source}/game.go`],
    start: ({ out }) => [[`${out}/game`]],
  },
  {
    name: 'php',
    ...overHttp,
    linesMax: 120,
    packages: ['php-cli'],
    needs: [['php', '--version']],
    start: ({ source, gamePort }) => [
      ['php', `${source}/game.php`],
      ['php', '-S', `127.0.0.1:${gamePort}`, `${source}/game.php`],
    ],
  },
  {
    name: 'lua',
    ...byAsking,
    linesMax: 120,
    packages: ['lua5.4', 'lua-socket', 'lua-dkjson'],
    needs: [['lua5.4', '-e', 'require "socket" require "dkjson"']],
    start: ({ source }) => [['lua5.4', `${source}/game.lua`]],
  },
  {
    name: 'cpp',
    ...byAsking,
    linesMax: 200,
    packages: ['g++', 'nlohmann-json3-dev', 'libcpp-httplib-dev'],
    needs: [
      ['g++', '--version'],
      ['test', '-f', nlohmannJson],
      ['test', '-f', cppHttplib],
    ],
    build: ({ source, out }) => [
      ...['g++', '-std=c++11', '-O1', '-pthread', '-o', `${out}/game`, `${source}/game.cpp`],
      '-lcpp-httplib',
    ],
    start: ({ out }) => [[`${out}/game`]],
  },
  {
    name: 'lua-files',
    ...overFiles,
    linesMax: 120,
    packages: ['lua5.4', 'lua-dkjson'],
    needs: [['lua5.4', '-e', 'require "dkjson"']],
    start: ({ source }) => [['lua5.4', `${source}/game.lua`]],
  },
  {
    name: 'shell-files',
    ...overFiles,
    linesMax: 200,
    packages: [],
    needs: [['sh', '-c', 'exit 0']],
    start: ({ source }) => [['sh', `${source}/game.sh`]],
  },
  {
    name: 'php-files',
    ...overFiles,
    linesMax: 120,
    packages: ['php-cli'],
    needs: [['php', '--version']],
    start: ({ source }) => [['php', `${source}/game.php`]],
    isStartedAgain: true,
  },
  {
    name: 'batch-files',
    ...overFiles,
    linesMax: 200,
    hasNoClock: true,
    packages: [],
    needs: [],
    ...(process.platform !== 'win32' && { cannotRun: 'it needs Windows; under Wine: npm run test:windows -- batch' }),
    start: ({ source }) => [['cmd', '/d', '/c', `${source}\\game.bat`]],
  },
]
