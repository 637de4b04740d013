import { connectHostApi, hostApiSuite } from '@threadbox/testkit/host-stand-in'
import { startHostUnderTest } from '../host.test-utils.ts'
import { answeringGuest } from '../memory/memory/memory.test-utils.ts'

hostApiSuite({
  name: 'orders over the in-memory driver',
  setup: async () => {
    const host = await startHostUnderTest({ behaviour: answeringGuest().behaviour })
    return { api: connectHostApi(host), close: () => host[Symbol.asyncDispose]() }
  },
})
