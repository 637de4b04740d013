import { afterAll, beforeAll, expect, test } from 'vitest'
import { startInstallation, type TestInstallation, testThread } from '../stack/installation.ts'

/** Skills from the API to where the agent reads them, through a real server, host and sandbox. */
let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(async () => {
  await installation?.[Symbol.asyncDispose]()
})

const text = (name: string, says: string) => `---\nname: ${name}\ndescription: Says ${says}.\n---\n\nSay ${says}.\n`

async function newThread(workspaceId: string | null = null) {
  const { id } = await installation.client.threads.create({ workspaceId })
  const thread = testThread(installation.client, id)
  return {
    id,
    run: async (command: string) => (await thread.say(`/run ${command}`)).calls[0]?.output.tail.trim() ?? '',
  }
}

test('G6: a thread reads its skills, and after a change, a move and a pause it has the current ones', async () => {
  const { client } = installation
  const greeting = await client.skills.create([
    { path: 'greeting/SKILL.md', content: new Blob([text('greeting', 'hello')]) },
    { path: 'greeting/scripts/say.sh', content: new Blob(['#!/bin/sh\necho hello from $(whoami)\n']) },
  ])
  const thread = await newThread()
  expect(await thread.run('ls /skills && /skills/greeting/scripts/say.sh')).toBe('greeting\nhello from user')
  await client.skills.replace(greeting.id, text('greeting', 'good morning'))
  expect(await thread.run('tail -1 /skills/greeting/SKILL.md && /skills/greeting/scripts/say.sh')).toBe(
    'Say good morning.\nhello from user',
  )
  const workspace = await client.workspaces.create({ name: 'Data' })
  await client.skills.create(text('tables', 'tables'), { workspaceId: workspace.id })
  await client.sandboxes.pause(thread.id)
  await client.threads.update(thread.id, { workspaceId: workspace.id })
  await client.skills.delete(greeting.id)
  expect(await thread.run('ls /skills')).toBe('tables')
  expect(await client.skills.ofThread(thread.id)).toMatchObject({ skills: [{ name: 'tables', from: 'workspace' }] })
  await client.sandboxes.restart(thread.id)
  expect(
    await thread.run('ls -A /skills /skills/.versions | wc -l; sudo touch /skills/x 2>/dev/null || echo refused'),
  ).toMatch(/refused$/)
  expect(await thread.run('ls /skills')).toBe('tables')
})

test('G6: a folder of a sandbox becomes a skill, awake or asleep; one with a link or another name is refused', async () => {
  const { client } = installation
  const thread = await newThread()
  const file = `printf -- '---\\nname: packing\\ndescription: Packs.\\n---\\nPack.\\n' > packing/SKILL.md`
  await thread.run(
    `mkdir -p packing/scripts && ${file} && echo 'echo packed' > packing/scripts/pack.sh && chmod +x packing/scripts/pack.sh`,
  )
  const saved = await client.skills.saveFolder(thread.id, { path: '/home/user/packing', workspaceId: null })
  expect(saved).toMatchObject({ name: 'packing', fileCount: 2 })
  const other = await newThread()
  expect(await other.run('/skills/packing/scripts/pack.sh')).toBe('packed')
  await client.skills.delete(saved.id)
  await client.sandboxes.pause(thread.id)
  const again = await client.skills.saveFolder(thread.id, { path: '/home/user/packing', workspaceId: null })
  expect((await client.threads.get(thread.id)).sandbox.state).toBe('paused')
  await client.skills.delete(again.id)
  await thread.run('ln -s /etc/shadow packing/key; cp -r packing moving')
  const save = (path: string) => client.skills.saveFolder(thread.id, { path, workspaceId: null })
  await expect(save('/home/user/packing')).rejects.toMatchObject({ code: 'skill.link-refused' })
  await thread.run('rm */key')
  await expect(save('/home/user/moving')).rejects.toMatchObject({ code: 'skill.folder-differs' })
  await expect(save('/home/user/none')).rejects.toMatchObject({ code: 'file.not-found' })
})
