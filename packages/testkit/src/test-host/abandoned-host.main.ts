import { defaultSandboxLimits } from '@threadbox/domain'
import { hostPaths } from '@threadbox/protocol/host'
import { startTestHost } from './test-host.ts'

/** Starts a host with a sandbox, prints both on one line, and waits to be killed. */
const host = await startTestHost()
const sandboxId = host.newSandboxId()
await host.request('PUT', hostPaths.get(sandboxId), { limits: defaultSandboxLimits, egress: { kind: 'open' } })
const started = await host.request('POST', hostPaths.start(sandboxId), { bootId: host.newBootId(), hostname: 'left' })
if (started.status !== 200) throw new Error(JSON.stringify(started.body))
const { installation, dataDirectory, diskDirectory } = host
console.log(JSON.stringify({ installation, dataDirectory, diskDirectory }))
setInterval(() => undefined, 60_000)
