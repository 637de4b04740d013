import { defaultSandboxLimits } from '@threadbox/domain'
import { bootFailed } from './sandbox-driver.errors.ts'
import type { BootRequest } from './sandbox-driver.ts'
import { describeMemorySavingDriver, describeSandboxDriver, makeInMemoryDriver } from './testing.ts'

const request = async (bootId: string): Promise<BootRequest> => ({
  bootId,
  sandboxId: 's00000000000000000000',
  hostname: 'box',
  rootPath: '/nowhere',
  networkNamespacePath: '/nowhere',
  mounts: { guestDirectory: '/', certificateBundle: '/', resolvConf: '/', hostsFile: '/', skillsDirectory: '/' },
  limits: defaultSandboxLimits,
})

const setup = async () => {
  const driver = makeInMemoryDriver({
    boot: async ({ bootId, rootPath }) => {
      if (rootPath === '/missing') throw bootFailed({ bootId, reason: 'there is no such disk' })
    },
  })
  return {
    driver,
    request,
    brokenRequest: async (bootId: string) => ({ ...(await request(bootId)), rootPath: '/missing' }),
    endFromInside: async (bootId: string) => driver.endBoot({ bootId, cause: 'killed-inside', detail: 'by the test' }),
    memoryOf: async ({ bootId }: { bootId: string }) => driver.memoryOf(bootId),
    reopen: async () => driver,
    leftovers: async () => (await driver.list()).map((boot) => boot.bootId),
    close: async () => undefined,
  }
}

describeSandboxDriver({ name: 'in memory', setup, skips: { reopen: 'it lives and dies with its process' } })
describeMemorySavingDriver({ name: 'in memory', setup })
