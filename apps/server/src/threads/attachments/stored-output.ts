import { buffer } from 'node:stream/consumers'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'

/** The blob key of a part of a call's result, and the API path that serves it. */
export function resultBlob(call: { threadId: string; id: string }, name: string): { key: string; url: string } {
  return {
    key: `results/${call.threadId}/${call.id}/${name}`,
    url: `/api/v1/threads/${call.threadId}/results/${call.id}/${name}`,
  }
}

export function outputKey(call: { threadId: string; id: string }): string {
  return `outputs/${call.threadId}/${call.id}`
}

/** A part of a stored result; empty when it doesn't exist. */
export async function readStored(
  blobs: BlobStore,
  range: { key: string; offset: number; length: number },
): Promise<Uint8Array> {
  if (range.length <= 0) return new Uint8Array()
  const blob = await blobs.get(range.key, { offset: range.offset, length: range.length })
  return blob === undefined ? new Uint8Array() : await buffer(blob.stream)
}
