import { randomBytes } from 'node:crypto'
import { openDirectoryStore } from '@threadbox/object-store'
import { facts, sourcesOf } from './backups.test-utils.ts'
import { writeBackup } from './write-backup.ts'

/** Writes a backup and kills itself at one of its writes: before it with `before`, or when it is done. */
const order = JSON.parse(process.argv[2] ?? '') as {
  storeDirectory: string
  workDirectory: string
  keys: Parameters<typeof writeBackup>[0]['keys']
  now: number
  number: number
  when: 'before' | 'after'
}
const store = await openDirectoryStore({ directory: order.storeDirectory, outside: [] })
let writes = 0
const killing = async <Result>(work: () => Promise<Result>) => {
  writes += 1
  if (writes === order.number && order.when === 'before') process.kill(process.pid, 'SIGKILL')
  const result = await work()
  if (writes === order.number) process.kill(process.pid, 'SIGKILL')
  return result
}
await writeBackup({
  store: {
    ...store,
    put: (name, content) => killing(() => store.put(name, content)),
    writeLease: (text, over) => killing(() => store.writeLease(text, over)),
  },
  keys: order.keys,
  workDirectory: order.workDirectory,
  holder: 'a writer that is killed',
  id: randomBytes(4).toString('hex'),
  now: () => order.now,
  packBytes: 64 * 1024,
  collect: async () => ({ files: sourcesOf({ 'database/server.db': { content: randomBytes(150_000) } }), facts }),
})
