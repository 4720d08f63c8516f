/**
 * Preloaded into an agent (`node --import`), before it takes hold of any function: files, databases and sockets pass
 * through `point` from then on.
 */
import { syncBuiltinESMExports } from 'node:module'
import { watchFiles } from './files.ts'
import { watchSockets } from './sockets.ts'
import { watchSqlite } from './sqlite.ts'

await watchFiles()
watchSqlite()
watchSockets()
syncBuiltinESMExports()
