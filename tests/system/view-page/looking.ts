import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { ToolCallEntry } from '@threadbox/sdk'
import { type ModelServer, startModelServer } from '@threadbox/testkit'
import { expect, vi } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread } from '../../stack/installation.ts'

/** The browser of the base image in a real sandbox, which views the pages of `site.mjs` for a scripted model. */
export type Looking = AsyncDisposable & {
  installation: TestInstallation
  model: ModelServer
  thread: TestThread
  /** Output of a successful command. */
  output(command: string): Promise<string>
  /** Has the model view a page, and takes the text and image it got from its next request. */
  view(input: object): Promise<ViewedPage>
  /** Resolves when no call has left a browser or a profile behind. */
  nothingIsLeft(): Promise<void>
}
export type ViewedPage = { call: ToolCallEntry; told: string; image: Buffer | undefined }

export async function startLooking(): Promise<Looking> {
  await using cleanup = new AsyncDisposableStack()
  const model = await startModelServer()
  cleanup.defer(() => model.close())
  const installation = cleanup.use(await startInstallation({}))
  await installation.client.models.connect({
    provider: 'anthropic',
    model: 'test-model',
    baseUrl: model.baseUrls.anthropic,
    apiKey: 'key',
  })
  const thread = await installation.newThread()
  const output = async (command: string) => {
    const { calls } = await thread.say(`/run ${command}`)
    expect(calls[0], command).toMatchObject({ status: 'succeeded', result: { kind: 'command', exitCode: 0 } })
    return calls[0]?.output.tail ?? ''
  }
  const site = await readFile(path.join(import.meta.dirname, 'site.mjs'))
  await output('mkdir -p site')
  await installation.client.files.write(thread.id, '/home/user/site/site.mjs', new Uint8Array(site))
  await installation.client.services.start(thread.id, { name: 'site', port: 8000, command: 'node site/site.mjs' })
  const kept = cleanup.move()
  return {
    installation,
    model,
    thread,
    output,
    view: (input) => viewPage({ model, thread }, input),
    nothingIsLeft: async () => {
      expect(Number(await output('ls -d /tmp/threadbox-look-* 2>/dev/null | wc -l'))).toBe(0)
      const browsers = async () => Number(await output("pgrep -c -u user -f 'chromium|threadbox-look' || true"))
      await vi.waitFor(async () => expect(await browsers()).toBe(0), { timeout: 30_000, interval: 250 })
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

async function viewPage({ model, thread }: Pick<Looking, 'model' | 'thread'>, input: object): Promise<ViewedPage> {
  model.reply({ calls: [{ name: 'view_page', input }] }, { text: 'Seen.' })
  const { calls } = await thread.say('Look at it')
  const [call] = calls
  if (call === undefined) throw new Error('the model’s call was not run')
  const messages = (model.requests.at(-1)?.body.messages ?? []) as { content: unknown }[]
  const results = messages.flatMap(({ content }) =>
    Array.isArray(content) ? (content as { type: string; content?: unknown }[]) : [],
  )
  const result = results.findLast(({ type }) => type === 'tool_result')?.content
  const parts = Array.isArray(result) ? (result as { type: string; text?: string; source?: { data: string } }[]) : []
  const text = parts.find(({ type }) => type === 'text')?.text
  const data = parts.find(({ type }) => type === 'image')?.source?.data
  return { call, told: text ?? String(result), image: data === undefined ? undefined : Buffer.from(data, 'base64') }
}
