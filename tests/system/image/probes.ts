import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { TestInstallation, TestThread } from '../../stack/installation.ts'

/** Puts a program that tests the base image into the home directory of a thread. */
export async function writeProbe(
  { client }: TestInstallation,
  { thread, probe }: { thread: TestThread; probe: 'python-packages.py' | 'languages.sh' },
): Promise<void> {
  const content = await readFile(path.join(import.meta.dirname, '../../../images/probes', probe))
  await client.files.write(thread.id, `/home/user/${probe}`, new Uint8Array(content))
}
