import { createHash, randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { contentOf, type ObjectStore } from './object-store.ts'

export type StoreSubject = {
  open(): Promise<ObjectStore>
  tearDown(): Promise<void>
}

/** The contract of a store; each driver runs it. */
export function describeObjectStore(options: { name: string; setUp(): Promise<StoreSubject> }): void {
  describe(`the store of ${options.name}`, () => {
    let subject: StoreSubject
    let store: ObjectStore
    beforeEach(async () => {
      subject = await options.setUp()
      store = await subject.open()
    })
    afterEach(() => subject.tearDown())

    const read = async (name: string, range?: { offset: number; length: number }) => {
      const stream = await store.get(name, range)
      return stream === undefined ? undefined : await new Response(stream).text()
    }
    const names = async (prefix: string) => {
      const found: string[] = []
      for await (const { name } of store.list(prefix)) found.push(name)
      return found.toSorted()
    }

    test('an object is stored once: a second one with its name changes nothing', async () => {
      expect(await store.put('objects/aa/one', await contentOf('first'))).toBe('stored')
      expect(await store.put('objects/aa/one', await contentOf('second'))).toBe('existed')
      expect(await read('objects/aa/one')).toBe('first')
      const again = await subject.open()
      expect(await new Response(await again.get('objects/aa/one')).text()).toBe('first')
    })

    test('of many writers of one name, one stores it', async () => {
      const contents = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((text) => contentOf(text.repeat(1000))))
      const results = await Promise.all(contents.map((content) => store.put('backups/same', content)))
      expect(results.filter((result) => result === 'stored')).toHaveLength(1)
    })

    test('parts are read by offset and length, also past the end; a missing object is undefined', async () => {
      await store.put('objects/aa/digits', await contentOf('0123456789'))
      expect(await read('objects/aa/digits', { offset: 3, length: 4 })).toBe('3456')
      expect(await read('objects/aa/digits', { offset: 8, length: 100 })).toBe('89')
      expect(await read('objects/aa/digits', { offset: 50, length: 5 })).toBe('')
      expect(await read('objects/aa/none')).toBeUndefined()
    })

    test('large and empty objects come back as they were', async () => {
      const bytes = randomBytes(9 * 1024 * 1024)
      await store.put('objects/bb/large', await contentOf(bytes))
      await store.put('objects/bb/empty', await contentOf(''))
      const hash = createHash('sha256')
      for await (const part of (await store.get('objects/bb/large')) ?? []) hash.update(part)
      expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'))
      expect(await read('objects/bb/empty')).toBe('')
    })

    test('a list has the names below a prefix with their sizes, and neither format nor lease of others', async () => {
      for (const name of ['objects/aa/1', 'objects/aa/2', 'objects/ab/3', 'backups/4']) {
        await store.put(name, await contentOf(name))
      }
      expect(await names('objects/')).toEqual(['objects/aa/1', 'objects/aa/2', 'objects/ab/3'])
      expect(await names('objects/aa')).toEqual(['objects/aa/1', 'objects/aa/2'])
      expect(await names('none/')).toEqual([])
      for await (const { sizeBytes, modifiedAt } of store.list('backups/')) {
        expect(sizeBytes).toBe('backups/4'.length)
        expect(modifiedAt).toBeGreaterThan(Date.parse('2020-01-01'))
      }
      await store.delete('objects/aa/1')
      await store.delete('objects/aa/1')
      expect(await names('objects/aa')).toEqual(['objects/aa/2'])
    })

    test('the lease changes hands only over the version that was read', async () => {
      expect(await store.readLease()).toBeUndefined()
      const first = await store.writeLease('a', undefined)
      expect(await store.writeLease('b', undefined)).toBeUndefined()
      const second = await store.writeLease('c', first)
      expect(second).toBeDefined()
      expect(await store.writeLease('d', first)).toBeUndefined()
      expect(await store.readLease()).toEqual({ text: 'c', version: second })
      const racing = await Promise.all(['e', 'f', 'g', 'h'].map((text) => store.writeLease(text, second)))
      expect(racing.filter((version) => version !== undefined)).toHaveLength(1)
    })

    test.each(['../out', 'a/../../out', '/etc/passwd', 'a//b', '', 'a\0b'])('the name %j is rejected', async (name) => {
      const content = await contentOf('x')
      await expect(store.put(name, content)).rejects.toMatchObject({ code: 'store.name-invalid' })
      await expect(store.get(name)).rejects.toMatchObject({ code: 'store.name-invalid' })
    })
  })
}
