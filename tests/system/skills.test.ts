import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { hostPaths, packSkill, type WokenSandbox } from '@threadbox/protocol/host'
import { startTestHost, type TestHost } from '@threadbox/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

const MiB = 1024 * 1024
const order = {
  limits: { memoryBytes: 1024 * MiB, cpus: 2, processes: 256, diskBytes: 1024 * MiB },
  egress: { kind: 'open' },
}

let host: TestHost
beforeAll(async () => {
  host = await startTestHost()
})
afterAll(async () => {
  await host?.close()
})
afterEach(async () => {
  const { sandboxes } = (await host.request('GET', hostPaths.list())).body as { sandboxes: { sandboxId: string }[] }
  for (const { sandboxId } of sandboxes) await host.request('DELETE', hostPaths.get(sandboxId))
})

type Boot = { sandboxId: string; bootId: string }

async function start(sandboxId = host.newSandboxId()): Promise<Boot> {
  const bootId = host.newBootId()
  await host.request('PUT', hostPaths.get(sandboxId), order)
  const answer = await host.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
  expect(answer).toMatchObject({ status: 200, body: { actual: 'ready' } })
  return { sandboxId, bootId }
}

/** A skill with a script, and the script’s output. */
function skill(name: string, says: string) {
  const file = (at: string, text: string, isExecutable = false) => ({
    path: at,
    isExecutable,
    content: new TextEncoder().encode(text),
  })
  const bytes = packSkill([
    file('SKILL.md', `---\nname: ${name}\ndescription: Says ${says}.\n---\nRun scripts/say.sh\n`),
    file('scripts/say.sh', `#!/bin/sh\necho ${says}\n`, true),
  ])
  return { name, digest: createHash('sha256').update(bytes).digest('hex'), bytes }
}

async function place({ sandboxId, bootId }: Boot, skills: ReturnType<typeof skill>[]) {
  const wanted = { bootId, skills: skills.map(({ name, digest }) => ({ name, digest })) }
  const answer = await host.request('PUT', hostPaths.placeSkills(sandboxId), wanted)
  const { missing } = answer.body as { missing?: string[] }
  if (answer.status !== 200 || missing === undefined || missing.length === 0) return answer
  for (const { digest, bytes } of skills.filter((one) => missing.includes(one.digest))) {
    expect(await sendPackage(digest, bytes)).toBe(204)
  }
  return await host.request('PUT', hostPaths.placeSkills(sandboxId), wanted)
}

/** Over the socket, as the server sends it. */
async function sendPackage(digest: string, bytes: Uint8Array): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const call = { socketPath: host.socketPath, method: 'PUT', path: hostPaths.storeSkill(digest) }
  const sent = request(call, (response) => {
    response.resume()
    resolve(response.statusCode)
  })
  sent.once('error', reject)
  sent.end(bytes)
  return await promise
}

const outputOf = async ({ sandboxId }: Boot, command: string) => (await host.run(sandboxId, command)).output.trim()

test('G6: skills appear in a running sandbox immediately, can be run, and no user inside can change them, not even root', async () => {
  const boot = await start()
  expect(await outputOf(boot, 'ls -A /skills')).toBe('')
  expect(await place(boot, [skill('greeting', 'hello'), skill('parting', 'bye')])).toMatchObject({ status: 200 })
  expect(
    await outputOf(boot, 'ls /skills; /skills/greeting/scripts/say.sh; cat /skills/parting/SKILL.md | head -2'),
  ).toBe('greeting\nparting\nhello\n---\nname: parting')
  for (const change of [
    'echo x > /skills/new',
    'echo x >> /skills/greeting/SKILL.md',
    'rm -f /skills/greeting/SKILL.md',
    'rm /skills/greeting',
    'mv /skills/greeting /skills/other',
    'chmod 777 /skills/greeting/SKILL.md',
    'umount /skills',
    'mount -o remount,rw /skills',
  ]) {
    expect([change, await outputOf(boot, `sudo sh -c '${change}' 2>/dev/null && echo done || echo refused`)]).toEqual([
      change,
      'refused',
    ])
  }
  expect(await place(boot, [skill('parting', 'farewell')])).toMatchObject({ status: 200 })
  expect(await outputOf(boot, 'ls /skills; /skills/parting/scripts/say.sh')).toBe('parting\nfarewell')
})

test('G6: memory wakes unchanged although a skill changed whose file a program holds open and whose folder it works in', async () => {
  const boot = await start()
  await place(boot, [skill('greeting', 'hello')])
  await host.run(
    boot.sandboxId,
    'cd /skills/greeting/scripts; nohup sh -c "exec 3< say.sh; while [ ! -e /tmp/go ]; do sleep 0.1; done; cat <&3 > /tmp/read; ls > /tmp/listed" > /dev/null 2>&1 &',
  )
  await place(boot, [skill('greeting', 'good morning')])
  expect(await host.request('POST', hostPaths.pause(boot.sandboxId), { bootId: boot.bootId })).toMatchObject({
    status: 200,
  })
  expect(await place(boot, [])).toMatchObject({ status: 409, body: { error: { code: 'sandbox.paused' } } })
  // Without its frozen copy it is restored from the image.
  await host.killSandbox(boot.sandboxId)
  const woken = (await host.request('POST', hostPaths.wake(boot.sandboxId), { bootId: boot.bootId }))
    .body as WokenSandbox
  expect(woken.from).toBe('memory')
  expect(await outputOf(boot, '/skills/greeting/scripts/say.sh')).toBe('good morning')
  await host.run(boot.sandboxId, 'touch /tmp/go; until [ -s /tmp/listed ]; do sleep 0.1; done')
  expect(await outputOf(boot, 'tail -1 /tmp/read; cat /tmp/listed')).toBe('echo hello\nsay.sh')
})

test('G6: a cold start begins without skills, gets the current ones, and the versions that an earlier boot saw are gone', async () => {
  const first = await start()
  await place(first, [skill('greeting', 'hello')])
  await place(first, [skill('greeting', 'good morning')])
  expect(await outputOf(first, 'ls /skills/.versions | wc -l')).toBe('2')
  await host.request('POST', hostPaths.stop(first.sandboxId), { bootId: first.bootId })
  const second = await start(first.sandboxId)
  expect(await outputOf(second, 'ls -A /skills')).toBe('')
  await place(second, [skill('greeting', 'good morning')])
  expect(await outputOf(second, 'ls /skills/.versions | wc -l; /skills/greeting/scripts/say.sh')).toBe(
    '1\ngood morning',
  )
})
