import type { AgentDetails, AgentDraft, KeptRuns, Run, Thread, ThreadPage, Workspace } from '@threadbox/protocol/public'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { AuditTables } from '../../people/audit/audit.table.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesOf } from '../../platform/database/database.ts'
import { newSandbox } from '../../sandboxes/state/sandbox-rows.ts'
import type { TurnTables } from '../../turns/record/turns.table.ts'
import { makeKeptRunStore } from './kept-runs.store.ts'
import { makeRunBench, type RunBench } from './runs.test-utils.ts'

const hourMs = 3_600_000

onBothDatabases((target) => {
  let bench: RunBench
  beforeEach(async () => {
    bench = await makeRunBench(await target())
  })
  afterEach(() => bench[Symbol.asyncDispose]())

  const path = () => `/agents/${bench.agent.id}/kept-runs`
  const keep = (value: unknown) => bench.request<KeptRuns>('PUT', path(), { keep: value })
  const runDue = () => bench.server.areas.workflows.runs.runDue()
  /** Executes runs that end one after another, each an hour after the previous one. */
  const run = async (...inputs: string[]) => {
    for (const input of inputs) {
      bench.server.clock.now += hourMs
      await bench.start({ input })
      await bench.finish()
    }
    return await bench.runs()
  }
  const threadOf = async (input: string) => {
    const threadId = (await bench.runs()).find((row) => row.input === input)?.threadId
    if (threadId == null) throw new Error(`the run ${input} has no thread`)
    return threadId
  }
  /** The inputs of the runs whose threads exist, newest first. */
  const kept = async () => (await bench.runs()).filter(({ threadId }) => threadId !== null).map(({ input }) => input)
  const listed = async () => (await bench.request<ThreadPage>('GET', '/threads')).threads.length
  const deletions = async () => {
    const rows = tablesOf<AuditTables>(bench.server.open.database).selectFrom('audit_events').selectAll()
    return (await rows.where('action', '=', 'thread-deleted').execute()).map(({ user_id, subject, json }) => ({
      userId: user_id,
      subject,
      details: JSON.parse(json) as unknown,
    }))
  }

  test.each([0, -1, 1001, 1.5, '5', true, [], undefined])(
    'C11: %j is no number of runs to keep, and nothing changes',
    async (value) => {
      await run('a', 'b')
      expect(await bench.codeOf('PUT', path(), { keep: value })).toBe('request.invalid')
      const asked = `${path()}?keep=${encodeURIComponent(JSON.stringify(value) ?? '')}`
      expect(await bench.codeOf('GET', asked)).toBe('request.invalid')
      await runDue()
      expect(await bench.request('GET', path())).toEqual({ keep: null, removing: { count: 0, first: [] } })
      expect(await kept()).toEqual(['b', 'a'])
    },
  )

  test('C11: another user can neither read nor change the number', async () => {
    await run('a', 'b')
    const other = await bench.server.addPerson('other')
    expect(await bench.codeOf('GET', path(), undefined, other)).toBe('agent.not-found')
    expect(await bench.codeOf('GET', `${path()}?keep=1`, undefined, other)).toBe('agent.not-found')
    expect(await bench.codeOf('PUT', path(), { keep: 1 }, other)).toBe('agent.not-found')
    expect(await bench.codeOf('GET', '/agents/unknown/kept-runs')).toBe('agent.not-found')
    await runDue()
    expect(await kept()).toEqual(['b', 'a'])
  })

  test('C11: by default all threads are kept', async () => {
    await run('a', 'b', 'c')
    await runDue()
    expect(await kept()).toEqual(['c', 'b', 'a'])
    expect(await deletions()).toEqual([])
  })

  test('C11: the preview counts and names the threads that a number would delete, and the change says how many it deletes', async () => {
    await run('a', 'b', 'c')
    const first = (await bench.runs()).slice(1).reverse()
    const named = first.map(({ id, title, createdAt }) => ({ id, title, createdAt }))
    const removing = { count: 2, first: named }
    expect(await bench.request('GET', `${path()}?keep=1`)).toEqual({ keep: null, removing })
    expect(await kept()).toHaveLength(3)
    expect(await keep(1)).toEqual({ keep: 1, removing })
    await runDue()
    expect(await bench.request('GET', path())).toEqual({ keep: 1, removing: { count: 0, first: [] } })
    expect(await kept()).toEqual(['c'])
  })

  test('C11: the run stays listed with its result and the deletion of its thread; the thread is deleted like any other', async () => {
    const [, before] = await run('a', 'b')
    await keep(1)
    await runDue()
    const [newest, old] = await bench.runs()
    expect(old).toEqual({ ...before, threadId: null, threadRemovedAt: bench.server.clock.now })
    expect(old).toMatchObject({ status: 'succeeded', output: 'Done.', usage: { inputTokens: 10 } })
    expect(newest).toMatchObject({ threadRemovedAt: null, threadId: expect.any(String) })
    expect(await listed()).toBe(1)
    const threadId = before?.threadId ?? ''
    expect(await bench.server.areas.platform.operations.isPlanned('delete-thread', threadId)).toBe(true)
    const details = { rule: 'kept-runs', agentId: bench.agent.id, runId: before?.id, keep: 1 }
    expect(await deletions()).toMatchObject([{ userId: null, subject: threadId, details }])
    bench.server.clock.now += 60_000
    await bench.server.start()
    await expect.poll(() => bench.server.areas.threads.inside.store.findAny(threadId)).toBeUndefined()
    expect((await bench.runs())[1]).toEqual(old)
  })

  test('C11: with each run that ends the oldest thread is deleted', async () => {
    await keep(2)
    await run('a', 'b')
    expect(await kept()).toEqual(['b', 'a'])
    await run('c')
    await runDue()
    expect(await kept()).toEqual(['c', 'b'])
    await run('d')
    await runDue()
    expect(await kept()).toEqual(['d', 'c'])
    expect(await bench.runs()).toHaveLength(4)
  })

  test('C11: runs that never had a thread do not count toward the number', async () => {
    await run('a', 'b')
    for (const input of ['x', 'y', 'z']) {
      const { id } = await bench.start({ input })
      await bench.request('POST', `/runs/${id}/cancel`)
    }
    await keep(2)
    await runDue()
    expect(await kept()).toEqual(['b', 'a'])
  })

  describe('a needed thread is kept', () => {
    const change = async (input: string, body: object) =>
      bench.request('PATCH', `/threads/${await threadOf(input)}`, body)
    const insert = async (table: 'queued_messages' | 'preview_shares' | 'rewinds', row: object) => {
      await tablesOf<Record<string, object>>(bench.server.open.database).insertInto(table).values(row).execute()
    }
    const staysAfter = async (work: () => Promise<unknown>) => {
      await run('a', 'b', 'c')
      await work()
      expect((await keep(1)).removing.count).toBe(1)
      await runDue()
      expect(await kept()).toEqual(['c', 'a'])
    }

    test('C11: pinned, until it is unpinned', async () => {
      await staysAfter(() => change('a', { isPinned: true }))
      await change('a', { isPinned: false })
      await runDue()
      expect(await kept()).toEqual(['c'])
    })

    test('C11: with a message sent after the run', async () => {
      await staysAfter(async () => {
        const threadId = await threadOf('a')
        const message = { text: 'Go on.', attachmentIds: [], key: 'written-after-the-run' }
        await bench.request('POST', `/threads/${threadId}/messages`, message)
        await bench.server.areas.turns.turns.settled(threadId)
      })
    })

    test('C11: with a running turn', async () => {
      await staysAfter(async () => {
        bench.model.when(async () => await new Promise<undefined>(() => undefined))
        const message = { text: 'Go on.', attachmentIds: [], key: 'written-after-the-run' }
        await bench.request('POST', `/threads/${await threadOf('a')}/messages`, message)
      })
    })

    test('C11: shared by a link, until the link expires', async () => {
      await staysAfter(async () => {
        const link = { withFiles: false, expiresInSeconds: 7200 }
        await bench.request('POST', `/threads/${await threadOf('a')}/links`, link)
      })
      bench.server.clock.now += 7200_000 + 1
      await runDue()
      expect(await kept()).toEqual(['c'])
    })

    test('C11: moved to another scope', async () => {
      const { id } = await bench.request<Workspace>('POST', '/workspaces', { name: 'Reports' })
      await staysAfter(() => change('a', { workspaceId: id }))
    })

    const addSandbox = async (threadId: string, columns: { held_until?: number; used_at: number }) => {
      const now = bench.server.clock.now
      const limits = { memoryBytes: 1, cpus: 1, processes: 1, diskBytes: 1 }
      const row = newSandbox({ id: 's00000000000000000001', threadId, limits, now })
      await bench.server.areas.sandboxes.inside.store.insertIfMissing({ ...row, ...columns })
    }
    const endOf = async (input: string) => (await bench.runs()).find((row) => row.input === input)?.endedAt ?? 0

    test('C11: kept awake', async () => {
      const heldUntil = bench.server.clock.now + 9 * hourMs
      await staysAfter(async () => addSandbox(await threadOf('a'), { held_until: heldUntil, used_at: 0 }))
    })

    test('C11: whose sandbox a user used after the run', async () => {
      await staysAfter(async () => addSandbox(await threadOf('a'), { used_at: (await endOf('a')) + 60_001 }))
    })

    test('C11: but not because the run itself was the last use of its sandbox', async () => {
      await run('a', 'b')
      await addSandbox(await threadOf('a'), { used_at: await endOf('a') })
      await keep(1)
      await runDue()
      expect(await kept()).toEqual(['b'])
    })

    test('C11: whose turn was retried', async () => {
      await staysAfter(async () => {
        const again = { allowance_from: (await endOf('a')) + 1 }
        const turns = tablesOf<TurnTables>(bench.server.open.database).updateTable('turn_runs').set(again)
        await turns.where('thread_id', '=', await threadOf('a')).execute()
      })
    })

    test('C11: with a queued message', async () => {
      await staysAfter(async () => {
        const row = { entry_id: 'e1', thread_id: await threadOf('a'), turn_id: 'u1', position: 1, status: 'held' }
        const message = { text: 'Go on.', attachments_json: '[]', is_unattended: 0, created_at: 1 }
        await insert('queued_messages', { ...row, ...message })
      })
    })

    test('C11: with a shared preview, until the link expires', async () => {
      await staysAfter(async () => {
        const row = { id: 'l1', sha256: 'x', user_id: bench.owner.userId, thread_id: await threadOf('a'), port: 80 }
        const times = { created_at: 1, expires_at: bench.server.clock.now + 1 }
        await insert('preview_shares', { ...row, ...times, service: 'web', may_wake: 0 })
      })
      bench.server.clock.now += 2
      await runDue()
      expect(await kept()).toEqual(['c'])
    })

    test.each(['begun', 'done'])('C11: rewound (%s)', async (state) => {
      await staysAfter(async () => {
        const row = { id: 'w1', thread_id: await threadOf('a'), state, position: 1, at: 1, ordinal: 0 }
        await insert('rewinds', { ...row, notice_entry_id: 'e1', keep_id: 'k1' })
      })
    })

    test('C11: restored by a user after the rule deleted it', async () => {
      await run('a', 'b')
      const threadId = await threadOf('a')
      await keep(1)
      await runDue()
      await bench.request('POST', `/threads/${threadId}/restore`)
      await runDue()
      await run('c')
      await runDue()
      expect(await kept()).toEqual(['c', 'a'])
      expect((await bench.runs()).find(({ input }) => input === 'a')).toMatchObject({ threadId, threadRemovedAt: null })
    })
  })

  test('C11: running and queued runs are not touched, however few are kept', async () => {
    await keep(1)
    const hold = Promise.withResolvers<undefined>()
    bench.model.when(async () => await hold.promise)
    await bench.start({ input: 'a' })
    bench.server.clock.now += 1
    await bench.start({ input: 'b' })
    await runDue()
    await runDue()
    expect(await kept()).toEqual(['b', 'a'])
    hold.resolve(undefined)
    await bench.finish()
    await runDue()
    expect(await kept()).toHaveLength(1)
    expect((await bench.runs()).map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
  })

  test('C11: a run that ends after the clock was set back still counts as the newest', async () => {
    await run('a', 'b')
    await keep(2)
    bench.server.clock.now -= 30 * 24 * hourMs
    await run('c')
    await runDue()
    expect((await kept()).sort()).toEqual(['b', 'c'])
  })

  test('C11: a rule that deletes many threads does so in steps of 50, and deletes only the surplus', async () => {
    await bench.request('PATCH', '/settings', { settings: { runsAtOnce: 60 } })
    for (let at = 0; at < 53; at += 1) {
      bench.server.clock.now += 1
      await bench.start({ input: '/help' })
    }
    await bench.finish()
    expect((await keep(1)).removing).toMatchObject({ count: 52, first: { length: 5 } })
    await runDue()
    expect(await deletions()).toHaveLength(50)
    await runDue()
    await runDue()
    expect(await deletions()).toHaveLength(52)
    expect(await listed()).toBe(1)
  })

  test('C11: with a number set, a run stays in the history as long as its thread exists', async () => {
    await bench.request('PATCH', '/settings', { settings: { runHistoryDays: 1 } })
    await keep(2)
    await run('a', 'b')
    await bench.request('PATCH', `/threads/${await threadOf('a')}`, { isPinned: true })
    bench.server.clock.now += 48 * hourMs
    await run('c', 'd')
    bench.server.clock.now += 48 * hourMs
    await runDue()
    expect((await bench.runs()).map(({ input }) => input)).toEqual(['d', 'c', 'a'])
    expect(await listed()).toBe(3)
  })

  test('C11: the number belongs to the agent: versions and imports do not change it', async () => {
    await keep(3)
    const details = () => bench.request<AgentDetails>('GET', `/agents/${bench.agent.id}`)
    await bench.request('PATCH', `/agents/${bench.agent.id}`, { instructions: 'Be short.' })
    await keep(5)
    expect(await details()).toMatchObject({ current: { version: 2 } })
    await bench.request('PUT', `/agents/${bench.agent.id}/current`, { version: 1 })
    expect(await bench.request('GET', path())).toMatchObject({ keep: 5 })
    const exported = await bench.server.call('GET', `/api/v1/agents/${bench.agent.id}/versions/1/export`, {
      person: bench.owner,
    })
    const imported = await bench.server.call('POST', '/api/v1/agents/import', {
      person: bench.owner,
      body: new Blob([await exported.arrayBuffer()]).stream(),
      headers: { 'content-type': 'application/octet-stream' },
    })
    const { id, file } = (await imported.json()) as AgentDraft
    await bench.request('POST', `/agent-drafts/${id}/accept`, { sha256: file.sha256 })
    expect(await bench.request('GET', `/agents/${id}/kept-runs`)).toMatchObject({ keep: null })
    await keep(null)
    expect(await bench.request('GET', path())).toMatchObject({ keep: null })
  })

  describe('a server that was killed', () => {
    const stored = () => makeKeptRunStore(tablesOf(bench.server.open.database))

    test('C11: between the plan and the mark deletes the thread in the next pass, once', async () => {
      await run('a', 'b')
      const threadId = await threadOf('a')
      await keep(1)
      const cut = new Error('the server was killed here')
      const rule = { mark: () => Promise.reject(cut), details: {} }
      await expect(bench.server.areas.threads.threads.deleteByRule(threadId, rule)).rejects.toBe(cut)
      expect(await bench.server.areas.platform.operations.isPlanned('delete-thread', threadId)).toBe(true)
      bench.server.clock.now += 60_000
      await bench.server.start()
      // The planned deletion finds no mark, whether it runs before or after the pass of the rule that plans it again.
      await runDue()
      await expect.poll(kept).toEqual(['b'])
      await runDue()
      expect(await deletions()).toHaveLength(1)
    })

    test('C11: after the mark shows the deletion with the run, and the next start plans it', async () => {
      await run('a', 'b')
      const [old] = await stored().removable({ agent_id: bench.agent.id, keep: 1, now: 0 }, 10)
      if (old === undefined) throw new Error('nothing is left over')
      await keep(1)
      const now = bench.server.clock.now
      expect(await stored().mark(old, { agent_id: bench.agent.id, keep: 1, now })).toBe(true)
      await bench.server.start()
      await runDue()
      expect(await bench.server.areas.platform.operations.isPlanned('delete-thread', old.thread_id)).toBe(true)
      expect((await bench.runs())[1]).toMatchObject({ threadId: null, threadRemovedAt: now })
    })
  })

  test('C11: a pass skips a thread that is in use; deleted later, it keeps the full time for undo', async () => {
    await run('a', 'b')
    const threadId = await threadOf('a')
    const { turns } = bench.server.areas.turns
    const { operations } = bench.server.areas.platform
    const [busy, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const work = async () => {
      begun.resolve()
      await busy.promise
    }
    const other = turns.whileQuiet(threadId, { work, refusal: () => new Error('a turn runs') as never })
    await begun.promise
    await keep(1)
    await runDue()
    expect(await operations.isPlanned('delete-thread', threadId)).toBe(false)
    busy.resolve()
    await other
    bench.server.clock.now += hourMs
    await runDue()
    expect(await kept()).toEqual(['b'])
    expect(await operations.dueAt('delete-thread', threadId)).toBeGreaterThan(bench.server.clock.now)
    await bench.request('POST', `/threads/${threadId}/restore`)
    expect(await kept()).toEqual(['b', 'a'])
  })

  test('C11: the conditions are checked again at deletion: a thread that was pinned or is covered by a larger number is kept', async () => {
    await run('a', 'b', 'c')
    const wanted = { agent_id: bench.agent.id, keep: 1, now: bench.server.clock.now }
    const stored = makeKeptRunStore(tablesOf(bench.server.open.database))
    await stored.setKeep(bench.agent.id, 1)
    const [a, b] = await stored.removable(wanted, 10)
    if (a === undefined || b === undefined) throw new Error('nothing is left over')
    await bench.request('PATCH', `/threads/${a.thread_id}`, { isPinned: true })
    expect(await stored.mark(a, wanted)).toBe(false)
    await stored.setKeep(bench.agent.id, 2)
    expect(await stored.mark(b, wanted)).toBe(false)
    expect(await bench.request<Thread>('GET', `/threads/${b.thread_id}`)).toMatchObject({ id: b.thread_id })
    const rows: Run[] = await bench.runs()
    expect(rows.map(({ threadRemovedAt }) => threadRemovedAt)).toEqual([null, null, null])
  })

  test('C11: messages sent while threads are deleted are either rejected or keep their thread', async () => {
    await run('a', 'b', 'c', 'd', 'e', 'f')
    const threadIds = (await bench.runs()).slice(1).map(({ threadId }) => threadId ?? '')
    await keep(1)
    const message = { text: 'Wait!', attachmentIds: [], key: 'came-meanwhile', approvals: 'deny' as const }
    const sent = threadIds.map((threadId) => bench.server.areas.turns.turns.send(threadId, message))
    const [, ...ends] = await Promise.allSettled([runDue(), ...sent])
    const rows = await Promise.all(
      threadIds.map((threadId) => bench.server.areas.threads.inside.store.findAny(threadId)),
    )
    expect(ends.map(({ status }) => status === 'fulfilled')).toEqual(rows.map((row) => row?.deleted_at === null))
    await Promise.all(threadIds.map((threadId) => bench.server.areas.turns.turns.settled(threadId)))
  })

  test('C11: a message to a deleted thread is rejected, not lost', async () => {
    await run('a', 'b')
    const threadId = await threadOf('a')
    await keep(1)
    await runDue()
    const message = { text: 'Wait!', attachmentIds: [], key: 'came-too-late', approvals: 'deny' as const }
    await expect(bench.server.areas.turns.turns.send(threadId, message)).rejects.toMatchObject({
      code: 'thread.not-found',
    })
  })
})
