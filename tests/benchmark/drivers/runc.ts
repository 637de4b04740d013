import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Technology } from '../driver.ts'
import { makeOciDriver, outputOf } from './oci.ts'
import type { Place } from './place.ts'

const run = promisify(execFile)

/** `runc`, of which `criu` saves the memory where it works. Both are programs of the machine’s own distribution. */
export async function runc(place: Place): Promise<Technology> {
  const criu = await checkCriu()
  const saving =
    criu === null
      ? 'a pause is `runc checkpoint` and a sync'
      : `a pause is the freezer of the kernel, and nothing is saved: \`criu check\` says “${criu}”`
  return {
    name: 'runc',
    about: `Containers on the machine’s kernel: the same disk and namespace as runsc has, \`runc run\`; commands by \`runc exec\`; ${saving}`,
    hasImage: true,
    open: async () => {
      const { stdout } = await run('runc', ['--version'])
      const saves = criu === null ? 'running' : 'nothing'
      const driver = await makeOciDriver({ file: 'runc', flags: [], separates: 'namespaces', saves }, place)
      return { driver, version: stdout.split('\n')[0]?.replace('runc version ', '') ?? '' }
    },
  }
}

/** What keeps CRIU from working here; null if it works. */
async function checkCriu(): Promise<string | null> {
  const { exitCode, output } = await outputOf(['criu', 'check']).catch((error: Error) => ({
    exitCode: -1,
    output: error.message,
  }))
  if (exitCode === 0) return null
  return (
    output.split('\n').find((line) => line.trim() !== '' && !line.includes('exited, status')) ?? `exit code ${exitCode}`
  )
}
