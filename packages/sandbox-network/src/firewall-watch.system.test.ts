import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makeLogger } from '@threadbox/telemetry'
import { expect, onTestFinished, test, vi } from 'vitest'
import { watchTable } from './firewall-watch.ts'

const logger = makeLogger({ process: 'test', level: 'silent' })
const table = 'threadbox_watch_test'

test('G2: a table that is removed before its watch has begun is reported', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-watch-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const gate = path.join(directory, 'gate')
  execFileSync('mkfifo', [gate])
  const found = watch(['sh', '-c', `read -r line <${gate}; exec nft monitor destroy tables`])
  nft(`delete table inet ${table}`)
  await writeFile(gate, 'go\n')
  await vi.waitFor(() => expect(found).toEqual([false]))
})

test('G2: a table that is removed while it is watched is reported', async () => {
  const found = watch()
  await vi.waitFor(() => expect(found).toEqual([true]))
  nft(`delete table inet ${table}`)
  await vi.waitFor(() => expect(found).toEqual([true, false]))
})

/** Records whether the table exists at each callback. */
function watch(monitor?: readonly [string, ...string[]]): boolean[] {
  nft(`add table inet ${table}`)
  const found: boolean[] = []
  const onMissing = () => found.push(nft('list tables').includes(`table inet ${table}\n`))
  const stop = watchTable({ table, logger, onMissing, ...(monitor && { monitor }) })
  onTestFinished(() => {
    stop()
    nft(`add table inet ${table}; delete table inet ${table}`)
  })
  return found
}

function nft(order: string): string {
  return execFileSync('nft', [order], { encoding: 'utf8' })
}
