import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makeDirectoryDiskStore } from '@threadbox/disk-store'
import { roomySpace } from '@threadbox/disk-store/testing'
import { makeLogger } from '@threadbox/telemetry'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeFactsStore } from '../state/facts.store.ts'
import { openStateDatabase } from '../state/state-database.ts'
import { makeBaseImages } from './base-images.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'threadbox-images-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

test('an archive that cannot be unpacked is a problem that the host reports, and not an image', async () => {
  const archive = path.join(directory, 'image.tar.zst')
  await writeFile(archive, 'no archive')
  const disks = makeDirectoryDiskStore({ directory: path.join(directory, 'disks'), readSpace: roomySpace })
  await disks.prepare()
  const database = openStateDatabase(path.join(directory, 'state.sqlite'))
  const logger = makeLogger({ process: 'test', level: 'silent' })
  const signal = new AbortController().signal
  const facts = makeFactsStore(database)
  const images = makeBaseImages({ archive, disks, neededImages: async () => [], facts, logger, signal })
  expect([images.preparing(), images.problem()]).toEqual([['base-image'], undefined])
  await expect(images.prepare()).rejects.toMatchObject({ code: 'image.archive-broken' })
  expect([images.preparing(), images.problem()]).toEqual([[], expect.stringContaining('Couldn’t unpack the image')])
  await expect(images.current()).rejects.toMatchObject({ code: 'host.image-missing' })
  await database.destroy()
})
