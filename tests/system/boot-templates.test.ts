import { readdir, truncate } from 'node:fs/promises'
import { defaultSandboxLimits } from '@threadbox/domain'
import { manifestSchema } from '@threadbox/protocol/guest'
import { gatewayPaths, hostPaths } from '@threadbox/protocol/host'
import { startTestHost, type TestHost } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

const order = { limits: defaultSandboxLimits, egress: { kind: 'open' } }

let host: TestHost
beforeAll(async () => {
  host = await startTestHost({ environment: { THREADBOX_SPARE_SANDBOXES: '1' } })
})
afterAll(async () => {
  await host?.close()
})

test('boots from a template run over any disk, each with its own randomness and packages; a damaged template is replaced', async () => {
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await host.request(method, path, body)
    expect(answer.status).toBeLessThan(300)
    return answer.body
  }
  const spares = async () => ((await ask('GET', hostPaths.info())) as { spareSandboxes: number }).spareSandboxes
  const begin = async (sandboxId: string) => {
    const bootId = host.newBootId()
    await ask('PUT', hostPaths.get(sandboxId), order)
    await ask('POST', hostPaths.start(sandboxId), { bootId, hostname: 'wished' })
    return bootId
  }
  const random =
    'node -e "console.log(crypto.randomUUID(), Math.random())"; python3 -c "import random,uuid;print(random.random(),uuid.uuid4(),hash(\'a\'))"'
  await expect.poll(spares, { timeout: 60_000 }).toBe(1)
  const [first, second] = [host.newSandboxId(), host.newSandboxId()]
  await begin(first)
  await expect.poll(spares, { timeout: 60_000 }).toBe(1)
  const bootId = await begin(second)
  const seen = new Set<string>()
  for (const sandboxId of [first, second]) {
    const { output } = await host.run(sandboxId, random)
    for (const value of output.trim().split(/\s+/)) seen.add(value)
  }
  expect(seen.size).toBe(10)
  const attributes = "stat -c '%n %a %U %G %y' / /etc /etc/ssl /etc/ssl/certs"
  await host.run(second, 'echo kept > note; sudo touch /usr/bin/of-its-own; cd /tmp; export OF=before')
  await host.run(second, 'sudo chmod 775 /etc/ssl; sudo chown user:users / /etc/ssl/certs')
  await host.run(second, 'sudo touch -d 2020-02-03T04:05:06.123456789 / /etc /etc/ssl /etc/ssl/certs')
  const before = await host.run(second, attributes)
  expect(before.output).toContain('/etc/ssl 775 root root 2020-02-03 04:05:06.123456789')
  const packages = async () => {
    const manifest = await ask('GET', `${gatewayPaths.guest(second)}/manifest?hashKey=${'0'.repeat(64)}`)
    return manifestSchema.parse(manifest).packages.python
  }
  const ofImage = await packages()
  expect(ofImage).toHaveProperty('numpy')
  const site = '$(python3 -c "import numpy; print(*numpy.__path__)")/..'
  await host.run(second, `mkdir ${site}/installed_here-1.2.dist-info`)
  expect(await packages()).toEqual({ ...ofImage, 'installed-here': '1.2' })
  await ask('POST', hostPaths.stop(second), { bootId })
  const again = await begin(second)
  expect(await packages()).toEqual({ ...ofImage, 'installed-here': '1.2' })
  const kept = await host.run(second, 'cat ~/note; ls /usr/bin/of-its-own; hostname; id -un')
  expect(kept.output).toMatch(/^kept\n\/usr\/bin\/of-its-own\nthreadbox-[a-z0-9]{8}\nuser\n$/)
  expect((await host.run(second, attributes)).output).toBe(before.output)
  expect(await host.log()).not.toContain('a template cannot be used')
  const places = `${host.diskDirectory}/pool/memory/templates`
  for (const name of await readdir(places)) await truncate(`${places}/${name}/image/pages.img`, 4096)
  await ask('POST', hostPaths.stop(second), { bootId: again })
  await begin(second)
  expect((await host.run(second, 'cat ~/note')).output).toBe('kept\n')
  expect(await host.log()).toContain('a template cannot be used')
  // A template is saved once a spare was taken.
  await begin(host.newSandboxId())
  await expect.poll(host.log, { timeout: 60_000 }).toContain('a template for boots was made')
})
