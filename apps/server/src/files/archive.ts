import { process } from '@threadbox/protocol/guest'
import type { ReachableSandbox } from '../sandboxes/awake-sandbox.ts'
import { folderNotArchived } from './files.errors.ts'

/**
 * Packs the folder `argv[1]` to standard output. Links are not followed, and what is neither file nor folder (FIFO,
 * device, socket) is left out: opening it could wait for ever. A file that cannot be read is named in the archive.
 */
const packer = `
import os, stat, sys, zipfile
root = os.path.abspath(sys.argv[1])
top = os.path.basename(root) or 'root'
unread = []
with zipfile.ZipFile(sys.stdout.buffer, 'w', zipfile.ZIP_DEFLATED, compresslevel=1, strict_timestamps=False) as archive:
    for folder, folders, names in os.walk(root):
        relative = os.path.normpath(os.path.join(top, os.path.relpath(folder, root)))
        archive.writestr(zipfile.ZipInfo(relative + '/'), b'')
        for name in sorted(names):
            path = os.path.join(folder, name)
            try:
                if stat.S_ISREG(os.lstat(path).st_mode):
                    archive.write(path, os.path.join(relative, name))
            except OSError as error:
                unread.append(f'{path}: {error.strerror}')
    if unread:
        archive.writestr(top + '/NOT-INCLUDED.txt', '\\n'.join(unread) + '\\n')
`

/** The folder as a zip, packed inside the sandbox while it is read. */
export async function archiveFolder(
  sandbox: ReachableSandbox,
  path: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const ended = new AbortController()
  const events = sandbox.processes
    .start(
      { process: { cmd: '/usr/bin/python3', args: ['-I', '-c', packer, path], envs: {} }, stdin: false },
      { signal: AbortSignal.any([signal, ended.signal]) },
    )
    [Symbol.asyncIterator]()
  let pid: number | undefined
  const stop = async () => {
    ended.abort()
    if (pid === undefined) return
    const selector = { selector: { case: 'pid' as const, value: pid } }
    await sandbox.processes.sendSignal({ process: selector, signal: process.Signal.SIGKILL }).catch(() => {})
  }
  const nextPart = async (): Promise<Uint8Array | undefined> => {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      const event = next.value.event?.event
      if (event?.case === 'start') pid = event.value.pid
      if (event?.case === 'data' && event.value.output.case === 'stdout') return event.value.output.value
      if (event?.case === 'end') {
        pid = undefined
        if (event.value.exitCode !== 0) throw folderNotArchived({ path, problem: event.value.status })
        return undefined
      }
    }
    throw folderNotArchived({ path, problem: 'the connection to the sandbox was lost.' })
  }
  // The first bytes are awaited, so that a folder that cannot be packed is an error and not a broken download.
  let first = await nextPart()
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const part = first ?? (await nextPart())
      first = undefined
      if (part === undefined) controller.close()
      else controller.enqueue(part)
    },
    cancel: stop,
  })
}
