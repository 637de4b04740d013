import { defaultSandboxLimits } from '@threadbox/domain'
import { bootFailed } from './sandbox-driver.errors.ts'
import type { BootRequest } from './sandbox-driver.ts'
import { describeSandboxDriver, makeInMemoryDriver } from './testing.ts'

const request = async (bootId: string): Promise<BootRequest> => ({
  bootId,
  sandboxId: 's00000000000000000000',
  hostname: 'box',
  rootPath: '/nowhere',
  networkNamespacePath: '/nowhere',
  mounts: { guestDirectory: '/', certificateBundle: '/', resolvConf: '/', hostsFile: '/', skillsDirectory: '/' },
  limits: defaultSandboxLimits,
})

describeSandboxDriver({
  name: 'in memory',
  setup: async () => {
    const driver = makeInMemoryDriver({
      boot: async ({ bootId, rootPath }) => {
        if (rootPath === '/missing') throw bootFailed({ bootId, reason: 'there is no such disk' })
      },
    })
    return {
      driver,
      request,
      brokenRequest: async (bootId) => ({ ...(await request(bootId)), rootPath: '/missing' }),
      endFromInside: async (bootId) => driver.endBoot({ bootId, cause: 'killed-inside', detail: 'by the test' }),
      reopen: async () => driver,
      leftovers: async () => (await driver.list()).map((boot) => boot.bootId),
      close: async () => undefined,
    }
  },
  skips: { reopen: 'it lives and dies with its process' },
})
