import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { TestHost } from '@threadbox/testkit'

type BootRecord = { sandboxId: string; phase: string; process: { pid: number } | null }

/** The process of a sandbox’s kernel, and whether the driver has frozen it. The sandbox was not a spare. */
export async function kernelOf(
  { dataDirectory }: Pick<TestHost, 'dataDirectory'>,
  sandboxId: string,
): Promise<{ pid: number; isFrozen: boolean }> {
  const boots = path.join(dataDirectory, 'host/driver/boots')
  for (const name of await readdir(boots)) {
    const text = await readFile(path.join(boots, name, 'record.json'), 'utf8').catch(() => '{}')
    const record = JSON.parse(text) as Partial<BootRecord>
    if (record.sandboxId !== sandboxId || record.phase !== 'running') continue
    const mark = await readFile(path.join(boots, name, 'freeze'), 'utf8').catch(() => 'no')
    return { pid: record.process?.pid ?? 0, isFrozen: mark === 'by-call' || mark === 'by-command' }
  }
  return { pid: 0, isFrozen: false }
}
