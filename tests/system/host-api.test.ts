import { startTestHost } from '@threadbox/testkit'
import { connectHostApi, hostApiSuite } from '@threadbox/testkit/host-stand-in'

hostApiSuite({
  name: 'gVisor',
  setup: async () => {
    const host = await startTestHost()
    return { api: connectHostApi(host), close: host.close }
  },
})
